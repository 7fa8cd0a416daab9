/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Phaser: lets a control thread wait until every callback that may still use something has left.
 *
 * A callback enters and exits with one atomic addition each, never waits and never retries. A
 * control thread first unpublishes what it wants to free (a pointer exchanged with
 * memory_order_seq_cst), then calls hs_phaser_wait, then frees.
 *
 * Model: two counters per stripe, one for each parity of the phase. A callback may read the phase,
 * be delayed, and count itself under a parity that a waiter has already found empty: it then reads
 * the pointer after that waiter's exchange and so sees the new one. To make sure that the *next*
 * waiter sees it too, a wait empties both parities, one after the other.
 *
 * Stripes keep threads off each other's cache lines; they do not change the meaning.
 *
 * Orders: entering (E), the load of the pointer (L), its exchange (X) and the waiter's look at a count
 * (W) are seq_cst, so all threads see them in one order, in which E comes before L and X before W. For
 * each count, either E comes before W: the waiter sees the callback and goes on looking until it has
 * left; the last look acquires what the exit released, so all uses happen before the freeing. Or W comes
 * before E, so X before L: the callback has the new pointer. The phase decides only which count it is; a
 * stale one is harmless, since both are inspected. Without seq_cst a processor may load the pointer
 * before the count is visible. Checked in all interleavings by tests/model/phaser.pml. */
#ifndef HS_PHASER_H
#define HS_PHASER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define HS_PHASER_STRIPES 16

/* Counts that a look has not yet found empty, a bit for each. */
struct hs_phaser_look {
    uint32_t unseen;
};

_Static_assert(HS_PHASER_STRIPES * 2 == 32, "a bit for each count, all of a word");

struct hs_phaser_stripe {
    /* Callbacks inside, per parity. Written by callbacks, read by waiters; seq_cst on both sides
     * (entering must be ordered before the load of the published pointer). */
    _Alignas(64) _Atomic int64_t inside[2];
};

struct hs_phaser {
    _Atomic uint32_t phase; /* written by a waiter (one at a time), read by callbacks */
    struct hs_phaser_stripe stripes[HS_PHASER_STRIPES];
};

/* Enters; the result goes to hs_phaser_exit. `stripe` is any number, best one per thread.
 * Thread: Callback. */
static inline uint32_t hs_phaser_enter(struct hs_phaser *phaser, uint32_t stripe) {
    uint32_t index = stripe % HS_PHASER_STRIPES;
    uint32_t parity = atomic_load_explicit(&phaser->phase, memory_order_acquire) & 1;
    atomic_fetch_add_explicit(&phaser->stripes[index].inside[parity], 1, memory_order_seq_cst);
    return index << 1 | parity;
}

static inline void hs_phaser_exit(struct hs_phaser *phaser, uint32_t token) {
    atomic_fetch_sub_explicit(&phaser->stripes[token >> 1].inside[token & 1], 1,
                              memory_order_seq_cst);
}

/* Waits until everyone who was inside at the call has left, at most `timeout_us`. Returns false when
 * someone is still inside: then nothing may be freed yet.
 * Thread: the holder of HS_RANK_CONTROL; two waits at once would undo each other's flips. */
bool hs_phaser_wait(struct hs_phaser *phaser, int64_t timeout_us);

/* The same question without waiting and without a lock: begin a look after what is to be freed was unpublished
 * (memory_order_seq_cst), then look again and again. True when each count was found empty once since: by the argument
 * above, everyone who was inside at the beginning has left. It turns no phase, so where threads go in and out of a
 * stripe without a pause it may take until the next wait does.
 * Thread: Any, one at a time for each look. */
static inline void hs_phaser_begin_look(struct hs_phaser_look *look) {
    look->unseen = UINT32_MAX;
}
bool hs_phaser_look(const struct hs_phaser *phaser, struct hs_phaser_look *look);

#endif
