/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Thread state: what the sampler keeps for each operating-system thread.
 *
 * When the VM reports a sample, it draws the distance to the thread's next sample point, the *step*, with the
 * interval of that moment. It keeps this step even if the interval changes. The weight of the next sample needs
 * that interval, so it is kept here. There is one record per carrier thread, under a pthread key: thread-local
 * storage would tie the library to one libc. A thread without a record began while sampling was off. The VM's
 * default interval was in force then, since the sampler restores it whenever it stops. */
#ifndef HS_THREAD_STATE_H
#define HS_THREAD_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "hs_density.h"
#include "hs_ids.h"
#include "hs_last_walk.h"
#include "hs_otel_library.h"
#include "hs_sites.h"

/* The VM's interval until one is set. */
#define HS_VM_DEFAULT_INTERVAL 524288

enum { HS_CLASS_HINTS = 8 };

struct hs_thread_state {
    uint32_t interval; /* the current step was drawn with it */
    uint32_t enable;   /* number of the enable in which it was drawn; 0: before the first */
    uint32_t stripe;   /* for the phaser */
    uint32_t samples;  /* reached so far, wraps */
    uint64_t random;   /* state of this thread's generator, for thinning */
    /* For hs_bias: bytes by the VM's count at the last sample of this thread and enable, 0: none;
     * the interval of its step; its size and the bytes that it stands for, 0 where counting began. */
    uint64_t allocated;
    uint64_t sampled;
    uint64_t stands_for;
    uint32_t sampled_at;
    struct hs_density density; /* of the sample at hand, set by hs_vm_is_due */
    /* The VM's count of bytes when it last reported a sample of this thread, kept or not (hs_vm_counts.c). */
    uint64_t reported;
    /* Where allocations are counted: how many until the next sample, that one included; 0: not drawn. */
    uint64_t gap;
    bool is_hidden; /* a thread of our own: never sampled */
    /* Where to look first for the class of an object of about this size. */
    uint16_t class_hints[HS_CLASS_HINTS];
    /* Of the last Java thread: its id, in the table with this serial number, and its Java id. */
    struct hs_thread_id thread_id;
    uint64_t thread_table; /* 0: there was none */
    int64_t thread_java_id;
    /* Of hs_label_scopes.h: the Java thread whose scopes these are, 0: none yet, and its state. */
    int64_t label_thread;
    uint64_t label_state;
    struct hs_last_site last_site;
    /* Of stack lookups, see hs_vm_stack.c. */
    uint32_t hits;                  /* wraps */
    uintptr_t env;                  /* the JNIEnv that the next word belongs to; 0: none yet */
    uintptr_t java_thread;          /* its JavaThread */
    uint32_t walks;                 /* so far, up to HS_WALKS_BEFORE_MEMORY */
    struct hs_last_walk *last_walk; /* see hs_thread_state_last_walk */
    struct hs_otel_slots otel;      /* of hs_otel_library.h */
};

/* The record of this thread, made when there is none; NULL without memory.
 * Thread: Any. Owns: the thread, until it ends. */
struct hs_thread_state *hs_thread_state_current(void);

/* The same; NULL where none was made yet. */
struct hs_thread_state *hs_thread_state_known(void);

/* A thread begins, with its first step drawn at this interval. */
void hs_thread_state_begin(struct hs_thread_state *self, uint32_t enable, uint32_t interval);

/* A sample point was reached: answers the interval its step was drawn with and takes note of the new
 * step. *is_late is set when the point was set before the enable of this number, and so may have
 * been passed before it or be drawn with another interval, where that is to be feared (`is_doubtful`). */
uint32_t hs_thread_state_reach(struct hs_thread_state *self, uint32_t enable, uint32_t interval,
                               bool is_doubtful, bool *is_late);

/* Is this an allocation that the gap passes over? Counts it then; nothing else needs to be done.
 * Only where this step and the next one are of interval 0
 * (`is_every`, see hs_interval_is_every): a step by bytes stands for more than one allocation. */
static inline bool hs_thread_state_passes_over(struct hs_thread_state *self, uint32_t enable,
                                               bool is_every) {
    if (self->gap <= 1 || self->interval != 0 || !is_every || self->enable != enable) {
        return false;
    }
    self->gap--;
    return true;
}

/* Draws the gap to the next sample: geometric, from 1, with this mean, which is 1 or more. The
 * allocation that comes after this many others is sampled with the chance 1 / mean each time. */
void hs_thread_state_draw_gap(struct hs_thread_state *self, uint64_t mean);

/* A last walk takes 2 KiB, so a thread that walks only once or twice remembers none, and at most HS_MAX_LAST_WALKS
 * threads have one at a time: 16 MiB. */
enum { HS_WALKS_BEFORE_MEMORY = 2, HS_MAX_LAST_WALKS = 8192 };

/* Where this thread remembers its last walk; to be called once in each walk. NULL in the first walks, when
 * others have all last walks, and without memory. Owns: the record. */
struct hs_last_walk *hs_thread_state_last_walk(struct hs_thread_state *self);

/* The next random number of this thread. */
uint32_t hs_thread_state_random(struct hs_thread_state *self);

#endif
