/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Learned: which Java frames an item of a walk stands for, and which stack a whole walk.
 *
 * Everything in here was once the VM's own answer. Compiled items cannot go stale: their key has the
 * compile id, which is never used twice. An interpreted item's method may be unloaded or redefined,
 * and its memory used again. So its method id is kept beside it, and a signature of its tables,
 * in which its lines stand; what was learned counts only while the id leads to the method of the key,
 * and that method's tables are the same.
 *
 * Append-only and bounded, in number and in bytes; when full it goes on answering what it knows until
 * it is replaced. Answers frame numbers of one store, and lives no longer.
 *
 * Orders: contents are whole before hs_index ties them, and that is the release that a look acquires.
 * Everything else is relaxed: marks of what was seen, whose loss only delays; that it is full or discarded,
 * which who reads it late could have read a moment before. Who may free it is hs_store.h's, by a phaser. */
#ifndef HS_LEARNED_H
#define HS_LEARNED_H

#include "hs_align.h"
#include "hs_status.h"
#include "hs_walk.h"

typedef struct hs_learned hs_learned;

struct hs_run {
    const struct hs_java_frame *frames;
    uint32_t count;
};

#define HS_BEGIN_UNKNOWN UINT32_MAX

/* What a whole walk stands for. */
struct hs_known_stack {
    uint32_t stack;
    uint32_t frame_count; /* Java frames looked at: one more than are kept when it is cut */
    uint64_t fingerprint; /* of these */
};

/* Reads methods as `layout` says, which must outlive it.
 * Owns: the caller frees. Fails: HS_NO_MEMORY, HS_INVALID. */
enum hs_status hs_learned_new(const struct hs_layout *layout, hs_learned **result);

/* Thread: one that no other uses the table beside. Harmless for NULL. */
void hs_learned_free(hs_learned *learned);

/* Says that something in it is no longer so. It still answers; whoever asks it looks here first.
 * Thread: Any. */
void hs_learned_discard(hs_learned *learned);
bool hs_learned_is_discarded(const hs_learned *learned);

/* Has a run or a walk found no room? */
bool hs_learned_is_full(const hs_learned *learned);

/* Is there room for more runs, as far as is known? */
bool hs_learned_takes_runs(const hs_learned *learned);

/* The run of item i; count 0 when it is not known, or no longer true.
 * Thread: Callback; lock-free. Owns: the table. */
struct hs_run hs_learned_run(const hs_learned *learned, const struct hs_walk_items *items,
                             uint32_t i);

/* The runs of all items, in less time than one by one. */
void hs_learned_runs(const hs_learned *learned, const struct hs_walk_items *items,
                     struct hs_run *runs);

/* Only for an item whose run is not known: each call takes of the room for bytes.
 * Thread: Callback; lock-free. No room is no error. */
void hs_learned_put_run(hs_learned *learned, const struct hs_walk_items *items, uint32_t i,
                        const struct hs_java_frame *frames, uint32_t count);

/* Should one try to learn from this walk, which has something unknown in it? At its first, second,
 * fourth, eighth time and so on: what could not be settled once may be never.
 * A time that is worth it counts only when hs_learned_count_try says that it was tried.
 * Thread: Callback; lock-free. */
bool hs_learned_is_worth_trying(hs_learned *learned, const struct hs_walk_items *items);
void hs_learned_count_try(hs_learned *learned, const struct hs_walk_items *items);

/* The stack of a whole walk. Thread: Callback; lock-free. */
bool hs_learned_stack(const hs_learned *learned, const struct hs_walk_items *items,
                      struct hs_known_stack *known);

/* Remembers it, when it is seen the second time: most walks of a compiler or a parser never come
 * again. `frames`: the `frame_count` Java frames; `begins`: at which of them each item begins, or
 * HS_BEGIN_UNKNOWN. An interpreted item must be known to begin at one, or to lie behind them all. */
void hs_learned_put_stack(hs_learned *learned, const struct hs_walk_items *items,
                          const struct hs_java_frame *frames, uint32_t frame_count,
                          const uint32_t *begins, uint32_t stack);

#endif
