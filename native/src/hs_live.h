/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Live table: the sampled objects that were still there when we last looked.
 *
 * Bounded: never more than `capacity` weak references, 64 bytes each. When it is full it is thinned
 * without bias: the *level* L rises by one, and only samples whose random number starts with L zero
 * bits stay, whatever they are; each then stands for 2^L (doc/live-table.md). A sample keeps the
 * highest level it has lived under.
 *
 * Where tracking holds garbage, the level also rises before that is too much (hs_garbage.h). Where only
 * large objects hold any, they have a level of their own for it, so that no other samples pay: they pass the
 * higher one of the two.
 *
 * Listeners outside the process are shown each entry that comes, weighs more after a sweep, or goes, by its slot's owner
 * (hs_probes.h, doc/probes.md).
 *
 * A callback adds in constant time, takes no lock and never waits; when it displaces an entry it
 * gets that entry's reference to release. Sweeping and reading need HS_RANK_SWEEP, which callbacks
 * never take.
 *
 * Orders: a slot and its fields are handed on by hs_slots.h. The levels are relaxed: each word is correct by
 * itself.
 *
 * Not here: when to sweep (hs_sweeper.h), what has survived what (hs_epochs.h). */
#ifndef HS_LIVE_H
#define HS_LIVE_H

#include "hs_check.h"
#include "hs_garbage.h"
#include "hs_ops.h"
#include "hs_sample.h"

typedef struct hs_live hs_live;

/* What the sweeper knows when it looks. */
struct hs_live_look {
    uint64_t recordings;    /* bits of those that are open */
    uint32_t settled_epoch; /* what was born in an earlier one is not held by us */
    bool saw_collection;    /* since the look before */
};

/* Owns: the caller frees, after hs_live_clear. Fails: HS_NO_MEMORY. `capacity` may be 0; so may
 * `garbage_bytes`, for a collector that holds nothing: no bound then. Objects smaller than `garbage_from` hold
 * nothing; 0: all do. */
enum hs_status hs_live_new(uint32_t capacity, uint64_t garbage_bytes, uint64_t garbage_from,
                           hs_live **result);

/* Thread: one that no other uses the table beside. The table must hold no reference any more. */
void hs_live_free(hs_live *live);

/* Would a sample of this size with this random number be tracked now? Spares the caller a weak reference.
 * Thread: Callback. */
bool hs_live_wants(hs_live *live, uint64_t size, uint32_t random);

/* Says that an addition will follow, so that its place is near by then. Thread: Callback. */
void hs_live_prefetch(const hs_live *live);

/* Adds a sample.
 *
 * Thread: Callback. Lock-free.
 * Owns:   on success `ref` passes in; *displaced is a reference to release, or 0.
 * Fails:  HS_FULL  not tracked, `ref` stays the caller's: thinned out. */
enum hs_status hs_live_add(hs_live *live, hs_ref ref, const struct hs_sample *sample,
                           uint32_t random, hs_ref *displaced);

/* Called for each entry; `thinning` is the level the sample stands for, `place` where the entry is: it stays there. The
 * reference is the entry's: it holds during the call. */
typedef void hs_live_visit(void *context, hs_ref ref, const struct hs_sample *sample,
                           uint32_t thinning, uint32_t place);

/* Looks at every entry: gives the dead to `dead` and forgets them, drops what the level or a closed
 * recording no longer wants, and lowers the level when there is room; with a bound on what is held only
 * after a collection, since dropped objects are held until then as well.
 * Thread: holder of HS_RANK_SWEEP. */
void hs_live_sweep(hs_live *live, const struct hs_live_look *look, const struct hs_ops *ops,
                   void *env, hs_live_visit *dead, void *context);

/* Shows every entry that counts at these levels and belongs to one of the recordings with these bits.
 * Returns how many of theirs do not count and are in the table nevertheless, because no sweep has been
 * since: hs_live_thinned does not have them yet, except for some whose place is taken meanwhile. Thread:
 * holder of HS_RANK_SWEEP. */
uint64_t hs_live_each(hs_live *live, uint32_t levels, uint64_t recordings, hs_live_visit *visit,
                      void *context);

/* Shows every entry that counts at the level of this moment and whose object is still there. Changes
 * nothing. Thread: holder of HS_RANK_SWEEP. */
void hs_live_each_alive(hs_live *live, const struct hs_ops *ops, void *env, hs_live_visit *visit,
                        void *context);

/* Shows the entry in a place, if it is still that of an object allocated then, with this size; dead or alive.
 * Returns whether it is. Thread: holder of HS_RANK_SWEEP. */
bool hs_live_at(hs_live *live, uint32_t place, int64_t allocated_us, uint64_t size,
                hs_live_visit *visit, void *context);

/* Forgets everything and gives the references back.
 * Thread: holder of HS_RANK_SWEEP, with no callback inside. */
void hs_live_clear(hs_live *live, const struct hs_ops *ops, void *env);

/* May exchange the numbers of an entry for those of another generation. */
typedef void hs_live_renumber_one(void *context, struct hs_sample_site *site,
                                  struct hs_sample_thread *thread);

/* Shows the numbers of every entry. Thread: holder of HS_RANK_SWEEP. */
void hs_live_renumber(hs_live *live, hs_live_renumber_one *one, void *context);

/* Takes the bits out of every entry. Thread: holder of HS_RANK_SWEEP. */
void hs_live_forget(hs_live *live, uint64_t recordings);

/* Entries of the recording with this bit that made room for others or fell to a higher level; those
 * that hs_live_add refused are not among them. Zero again after hs_live_forget. Thread: Any. */
uint64_t hs_live_thinned(const hs_live *live, uint64_t recording);

/* What it may hold, and whether a sweep is due for that. Thread: Any. */
struct hs_garbage *hs_live_garbage(hs_live *live);

uint32_t hs_live_count(const hs_live *live);
uint32_t hs_live_capacity(const hs_live *live);

/* The level that every entry has to pass. Thread: Any. */
uint32_t hs_live_level(const hs_live *live);

/* All levels of this moment (hs_levels.h), for hs_live_each. Thread: Any. */
uint32_t hs_live_levels(const hs_live *live);

#ifdef HS_CHECKS
/* Are the slots valid (hs_slots.h), no level above the highest, and what may be held the sum of the entries' charges?
 * Thread: with no other thread at the table. */
bool hs_live_is_valid(const hs_live *live);
#endif

#endif
