/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Calls of System.gc(): the last ones, each with its time and the stack of its caller as text.
 *
 * Calls are numbered from 0 in the order in which they end. A call stays until HS_GC_CALLS others have followed, so
 * memory is bounded; a reader remembers the number of the next call that it wants. A stack keeps its first
 * HS_GC_FRAMES frames, as far as HS_GC_TEXT bytes go: frames beyond that are left out whole.
 *
 * One lock guards all of it, for as long as one call is copied: any thread of the application may add, and
 * waits for no other longer than that. A zero-filled object is empty; hs_gc_calls_init makes its lock. */
#ifndef HS_GC_CALLS_H
#define HS_GC_CALLS_H

#include <stdbool.h>
#include <stdint.h>

#include "hs_lock.h"

/* HS_GC_NAME: the longest class with its method, in bytes; a longer one is cut between two characters. */
enum { HS_GC_CALLS = 64, HS_GC_FRAMES = 16, HS_GC_TEXT = 2048, HS_GC_NAME = 500 };

/* Frames, leaf first, one a line: Class.method:line, or Class.method where the line is unknown. Modified UTF-8,
 * terminated; control characters of names are '?', so a name cannot look like two frames. */
struct hs_gc_stack {
    uint32_t frames; /* HS_GC_FRAMES as soon as it takes no more */
    uint32_t bytes;
    char text[HS_GC_TEXT];
};

struct hs_gc_call {
    int64_t began_us; /* hs_clock_monotonic_us */
    int64_t took_us;
    struct hs_gc_stack stack;
};

/* Guarded by its lock. */
struct hs_gc_calls {
    struct hs_lock lock;
    uint64_t count; /* calls so far */
    struct hs_gc_call calls[HS_GC_CALLS];
};

/* Adds a frame to a stack that begins all zero. A line of 0 or less is unknown. False: there is no room, and the
 * stack takes no more frames. Thread: Any, for a stack of its own. */
bool hs_gc_stack_add(struct hs_gc_stack *stack, const char *class, const char *method,
                     int32_t line);

/* Thread: one, before any other function. Fails: HS_NO_MEMORY. */
enum hs_status hs_gc_calls_init(struct hs_gc_calls *calls);

/* Thread: Any that holds no lock. */
void hs_gc_calls_add(struct hs_gc_calls *calls, const struct hs_gc_call *call);

/* The number of calls so far, which is the number of the next call. Thread: as above. */
uint64_t hs_gc_calls_count(struct hs_gc_calls *calls);

/* Copies the call of that number. False: it is gone, or has not been made. Thread: as above. */
bool hs_gc_calls_read(struct hs_gc_calls *calls, uint64_t number, struct hs_gc_call *call);

#endif
