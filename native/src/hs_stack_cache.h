/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Stack cache: which Java frames an item of a walk stands for, and which stack a whole walk stands for.
 *
 * All its content was once the VM's own answer. An entry for a compiled item cannot become wrong: its key has the
 * compile id, which the VM never uses twice. An interpreted item's method may be unloaded or redefined, and its
 * memory used again. So the entry also has the method id, and a signature of the method's tables, which give the
 * lines. It counts only while the id leads to the method of the key and that method's tables are the same.
 *
 * Append-only and bounded, in number and in bytes. When it is full it still answers what it knows, until another
 * one replaces it. Its frame numbers are those of one store, and it is freed with it. Runs that are in use can be kept for the next one.
 *
 * Orders: an entry is whole before hs_index publishes it with release, and a lookup acquires that. All else is
 * relaxed: marks of what was seen, whose loss only delays, and the words that say that it is full or discarded,
 * which a thread could have read a moment earlier. hs_store.h says who may free it, after a phaser. */
#ifndef HS_STACK_CACHE_H
#define HS_STACK_CACHE_H

#include "hs_align.h"
#include "hs_ids.h"
#include "hs_status.h"
#include "hs_walk.h"

typedef struct hs_stack_cache hs_stack_cache;

struct hs_run {
    const struct hs_java_frame *frames;
    uint32_t count;
};

#define HS_BEGIN_UNKNOWN UINT32_MAX

/* What a whole walk stands for. */
struct hs_known_stack {
    struct hs_stack_id stack;
    uint32_t frame_count; /* Java frames inspected: one more than are kept when it is cut */
    uint64_t fingerprint; /* of these */
};

/* Reads methods as `layout` says, which must outlive it.
 * Owns: the caller frees. Fails: HS_NO_MEMORY, HS_INVALID. */
enum hs_status hs_stack_cache_new(const struct hs_layout *layout, hs_stack_cache **result);

/* Thread: one that no other uses the table beside. Harmless for NULL. */
void hs_stack_cache_free(hs_stack_cache *stack_cache);

/* Something in it is no longer true. It still answers; each caller looks here first.
 * Thread: Any. */
void hs_stack_cache_discard(hs_stack_cache *stack_cache);
bool hs_stack_cache_is_discarded(const hs_stack_cache *stack_cache);

/* Has a run or a walk found no room? */
bool hs_stack_cache_is_full(const hs_stack_cache *stack_cache);

/* Is there room for more runs, as far as is known? */
bool hs_stack_cache_takes_runs(const hs_stack_cache *stack_cache);

/* The run of item i; count 0 when it is not known, or no longer true.
 * Thread: Callback; lock-free. Owns: the table. */
struct hs_run hs_stack_cache_run(const hs_stack_cache *stack_cache,
                                 const struct hs_walk_items *items, uint32_t i);

/* The runs of all items, in less time than one by one. Each that is known is in use from here on (hs_stack_cache_keep). */
void hs_stack_cache_runs(const hs_stack_cache *stack_cache, const struct hs_walk_items *items,
                         struct hs_run *runs);

/* Only for an item whose run is not known: each call takes of the room for bytes.
 * Thread: Callback; lock-free. No room is no error. */
void hs_stack_cache_put_run(hs_stack_cache *stack_cache, const struct hs_walk_items *items,
                            uint32_t i, const struct hs_java_frame *frames, uint32_t count);

/* Copies of runs, which one table hands on to the next. */
struct hs_kept_runs;

/* Copies those that hs_stack_cache_runs has found, so in another sample than they were learned in, and at most 512 KiB of them: code that runs once is not
 * worth it. NULL: there are none, the table is discarded, or there is no memory.
 * Thread: Any that may read the table. Owns: the caller frees with hs_kept_runs_free. */
struct hs_kept_runs *hs_stack_cache_keep(const hs_stack_cache *stack_cache);

/* Harmless for NULL. */
void hs_kept_runs_free(struct hs_kept_runs *kept);

/* Exchanges their frame numbers for those of another store. `renumber` changes one, and returns false
 * where there is none; such runs are forgotten. */
void hs_kept_runs_renumber(struct hs_kept_runs *kept,
                           bool (*renumber)(void *context, struct hs_frame_id *frame),
                           void *context);

/* Puts them into a table. Harmless for NULL. Thread: as hs_stack_cache_put_run. */
void hs_stack_cache_put_kept(hs_stack_cache *stack_cache, const struct hs_kept_runs *kept);

/* Is this walk, which has an unknown item, worth asking the VM about? At its first, second, fourth, eighth time
 * and so on: an item that could not be settled once may never be. Only a time that was tried counts, by
 * hs_stack_cache_count_try.
 * Thread: Callback; lock-free. */
bool hs_stack_cache_is_worth_trying(hs_stack_cache *stack_cache, const struct hs_walk_items *items);
void hs_stack_cache_count_try(hs_stack_cache *stack_cache, const struct hs_walk_items *items);

/* The stack of a whole walk. Thread: Callback; lock-free. */
bool hs_stack_cache_stack(const hs_stack_cache *stack_cache, const struct hs_walk_items *items,
                          struct hs_known_stack *known);

/* Remembers it, when it is seen the second time: most walks of a compiler or a parser never come
 * again. `frames`: the `frame_count` Java frames; `begins`: at which of them each item begins, or
 * HS_BEGIN_UNKNOWN. An interpreted item must be known to begin at one, or to lie behind them all. */
void hs_stack_cache_put_stack(hs_stack_cache *stack_cache, const struct hs_walk_items *items,
                              const struct hs_java_frame *frames, uint32_t frame_count,
                              const uint32_t *begins, struct hs_stack_id stack);

#endif
