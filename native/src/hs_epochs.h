/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Epochs: which sampled objects have lived through a collection that could have freed them.
 *
 * The VM's collection events differ between collectors and mark pauses, not collections. So this
 * module asks the heap itself: the sweeper keeps a *canary*, a weak reference to a small object that
 * nothing refers to. When the canary is found gone, a collection has taken place that began after
 * the canary was made and clears weak references of young objects; whatever was allocated before the
 * canary and is still there has survived it. Details and proof: doc/live-table.md.
 *
 * On collectors that free young objects only in pauses (Serial, Parallel, G1) the pause counter
 * sharpens this: all that was allocated before the first pause after the canary is confirmed. A collection
 * that the VM does not announce confirms what is older than the canary.
 * Objects large enough to be born in the old generation there are confirmed only by a collection
 * that we forced. */
#ifndef HS_EPOCHS_H
#define HS_EPOCHS_H

#include <stdatomic.h>
#include <stdbool.h>

#include "hs_ops.h"
#include "hs_sample.h"

/* Ordinals of GarbageCollector in Java. */
enum hs_collector {
    HS_SERIAL,
    HS_PARALLEL,
    HS_G1,
    HS_Z,
    HS_Z_GENERATIONAL,
    HS_SHENANDOAH,
    HS_SHENANDOAH_GENERATIONAL,
    HS_EPSILON,
    HS_UNKNOWN_COLLECTOR
};

static inline bool hs_is_z(enum hs_collector collector) {
    return collector == HS_Z || collector == HS_Z_GENERATIONAL;
}

/* Does it move objects only while the application stands still? Then a walk in one pause may know them by their addresses. */
static inline bool hs_moves_in_pauses(enum hs_collector collector) {
    return collector == HS_SERIAL || collector == HS_PARALLEL || collector == HS_G1;
}

struct hs_epochs {
    /* Pauses begun. Written by the VM thread, read by callbacks and the sweeper; relaxed: the VM
     * orders a pause against every allocation around it. */
    _Atomic uint32_t pauses;
    /* Number of the newest canary. Written by the holder of HS_RANK_SWEEP *before* the canary is
     * made (seq_cst), read by callbacks after the object was allocated (seq_cst): an object that
     * read a smaller number is older than the canary. */
    _Atomic uint32_t epoch;
    /* Collections observed. Written by the holder of HS_RANK_SWEEP, read by callbacks; relaxed. */
    _Atomic uint32_t collections;
    /* Pauses begun when the newest canary was made. Release after `collections`, acquire before it: a
     * thread that sees a new canary sees the collection that ended the old one. */
    _Atomic uint32_t canary_pause;

    /* The rest: HS_RANK_SWEEP, or fixed before sampling starts. */
    enum hs_collector collector;
    uint64_t born_old_bytes;
    hs_ref canary;
    uint32_t
        failed_with; /* HS_WHOLE_HEAP parts unused before the VM had no room for a canary; or 0 */
    uint32_t failed_pause;         /* pauses begun by then */
    uint32_t confirmed_epoch;      /* births before this epoch are confirmed */
    uint32_t confirmed_pause;      /* births before this pause are confirmed; 0: rule not in use */
    uint32_t confirmed_full_epoch; /* births before this epoch saw a full collection */
};

void hs_epochs_init(struct hs_epochs *epochs, enum hs_collector collector, uint64_t born_old_bytes);

/* The counts of this moment, for an object that exists already; that of collections is the one from
 * which on they count for it. Thread: Callback. */
struct hs_birth hs_epochs_now(struct hs_epochs *epochs);

/* Collections up to this moment. Thread: Any. */
uint32_t hs_epochs_collections(struct hs_epochs *epochs);

/* Collections up to the last look at the canary. Thread: holder of HS_RANK_SWEEP. */
uint32_t hs_epochs_observed(const struct hs_epochs *epochs);

/* A pause begins. Thread: the VM thread, inside the pause; wait-free. */
static inline void hs_epochs_pause(struct hs_epochs *epochs) {
    atomic_fetch_add_explicit(&epochs->pauses, 1, memory_order_relaxed);
}

/* Looks at the canary, takes note of a collection, sets a new canary where the old one is gone. On Serial
 * and Parallel it also replaces one that has outlived two pauses: it was allocated in the old generation,
 * and no young collection would ever free it. That confirms nothing. On the other collectors it makes none
 * while less than a sixteenth of the heap is unused: the VM ends the process, or reports that memory ran
 * out, for any thread that finds no room, and that must not be ours.
 * To be called before the live table is swept. Returns whether a collection was seen.
 * Thread: holder of HS_RANK_SWEEP. */
bool hs_epochs_advance(struct hs_epochs *epochs, const struct hs_ops *ops, void *env);

/* Sampling begins: that an earlier canary found no room says nothing any more.
 * Thread: holder of HS_RANK_SWEEP. */
void hs_epochs_forget_failure(struct hs_epochs *epochs);

/* Is it known which collection comes next? Not while there was no room for a canary.
 * Thread: holder of HS_RANK_SWEEP. */
bool hs_epochs_has_canary(const struct hs_epochs *epochs);

/* Sets a fresh canary right before a full collection. Returns its number, or 0 where none could be made.
 * Thread: holder of HS_RANK_SWEEP. */
uint32_t hs_epochs_before_full(struct hs_epochs *epochs, const struct hs_ops *ops, void *env);

/* After it: returns whether a collection has freed the canary of this number. If so, notes that it was a full
 * one. The canary cannot tell that: if HS_RANK_SWEEP was released in between, the caller must know that a full
 * collection has begun and ended since. Thread: holder of HS_RANK_SWEEP. */
bool hs_epochs_after_full(struct hs_epochs *epochs, const struct hs_ops *ops, void *env,
                          uint32_t number);

/* Gives the canary back. Thread: holder of HS_RANK_SWEEP. */
void hs_epochs_release(struct hs_epochs *epochs, const struct hs_ops *ops, void *env);

/* Has an object of this size and birth, seen alive after the last advance, survived a collection that
 * could have freed it? Thread: holder of HS_RANK_SWEEP. */
bool hs_epochs_is_confirmed(const struct hs_epochs *epochs, const struct hs_birth *birth,
                            uint64_t size);

/* Of this many collections observed, those that an object of this birth, alive then, has lived through. */
uint32_t hs_epochs_survived(uint32_t collections, const struct hs_birth *birth);

#endif
