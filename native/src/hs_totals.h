/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Totals: sums per site or per thread of one recording, indexed by the number of the site or thread. With their own
 * types in hs_sums.h.
 *
 * Counters are added to by callbacks without a lock and read while that goes on: a reader may see a
 * sample in one sum and not yet in another. Lifetimes are written and read by the holder of
 * HS_RANK_SWEEP only. Memory comes in blocks of HS_TOTALS_BLOCK numbers when first needed.
 *
 * Totals may have several lanes, so that threads that add to one number at once do not wait for each
 * other's cache line; a reader sees the sum of all. Most numbers need one lane only: a block of another lane is made
 * when a thread of that lane has met another thread at a sum, and only for one in HS_TOTALS_LANE_SHARE blocks (and a
 * few): then threads share the first lane, and add more slowly.
 *
 * Orders: a block is set once by compare-and-swap, with release, and read with acquire, so its zeros are
 * seen. A thread that does not see the block of its lane yet adds to the first lane: readers look at all.
 * Sums are relaxed: each is right by itself, and none says that another one is. */
#ifndef HS_TOTALS_H
#define HS_TOTALS_H

#include <stdbool.h>

#include "hs_check.h"
#include "hs_density.h"
#include "hs_estimate.h"
#include "hs_status.h"

#define HS_TOTALS_BLOCK         112 /* numbers of a block, which takes two pages of 4 KiB */
#define HS_TOTALS_MAX_LANES     4
#define HS_TOTALS_LANE_SHARE    4
#define HS_LIFETIME_AGES        32
#define HS_LIFETIME_COLLECTIONS 16

struct hs_total {
    uint64_t samples;
    uint64_t sampled_bytes;
    struct hs_weight weight;
    struct hs_density density;
};

/* How long the dead of a site lived, in estimated objects. Buckets: doc/snapshot-format.md. Totals keep only the
 * buckets that have any: most sites have few deaths. */
struct hs_lifetimes {
    uint64_t deaths;
    double by_age[HS_LIFETIME_AGES];
    double by_collections[HS_LIFETIME_COLLECTIONS];
};

typedef struct hs_totals hs_totals;

/* For numbers 0 to max_id, with 1 or HS_TOTALS_MAX_LANES lanes.
 * Owns: the caller frees. Fails: HS_NO_MEMORY. */
enum hs_status hs_totals_new(uint32_t max_id, uint32_t lanes, hs_totals **result);
void hs_totals_free(hs_totals *totals);

/* Adds one sample. `stripe` is any number, best one per thread; it chooses the lane, where the number has several.
 * `density`: what was found before the sample; NULL, or a length of 0: not known.
 * Thread: Callback. Fails: HS_NO_MEMORY, then nothing is added. */
enum hs_status hs_totals_add(hs_totals *totals, uint32_t stripe, uint32_t id, uint64_t size,
                             const struct hs_weight *weight, const struct hs_density *density);

/* Makes room for a number, so that adding to it cannot fail.
 * Thread: Callback. Fails: HS_NO_MEMORY. */
enum hs_status hs_totals_reserve(hs_totals *totals, uint32_t stripe, uint32_t id);

/* Makes room for a number, so that neither adding to it, nor a death, nor a move to it can fail.
 * Thread: holder of HS_RANK_SWEEP. Fails: HS_NO_MEMORY. */
enum hs_status hs_totals_reserve_all(hs_totals *totals, uint32_t id);

/* Reads the sums of a number; false when there are none. Thread: Any. */
bool hs_totals_read(const hs_totals *totals, uint32_t id, struct hs_total *result);

/* Is there anything to move? Thread: holder of HS_RANK_SWEEP. */
bool hs_totals_has(const hs_totals *totals, uint32_t id);

/* Moves the sums and lifetimes of a number to those of a number of another table. Sums that others add meanwhile
 * stay, or are moved; none is lost or counted twice. Adds the samples to *samples.
 * Thread: holder of HS_RANK_SWEEP. Fails: HS_NO_MEMORY; the rest has not moved. */
enum hs_status hs_totals_move(hs_totals *from, uint32_t id, hs_totals *to, uint32_t to_id,
                              uint64_t *samples);

/* Forgets all sums. Thread: holder of HS_RANK_SWEEP, with no callback inside. */
void hs_totals_clear(hs_totals *totals);

/* Forgets the sums of this number and of those that share a block with it. Thread: as above. */
void hs_totals_clear_block(hs_totals *totals, uint32_t id);

/* Records a death. Thread: holder of HS_RANK_SWEEP. Fails: HS_NO_MEMORY; nothing is recorded then. */
enum hs_status hs_totals_add_death(hs_totals *totals, uint32_t id, int64_t age_us,
                                   uint32_t collections, double objects);

/* Has any object of a number died? Thread: holder of HS_RANK_SWEEP. */
bool hs_totals_has_lifetimes(const hs_totals *totals, uint32_t id);

/* Reads how long the dead of a number lived; false, and nothing is read, when none died.
 * Thread: holder of HS_RANK_SWEEP. */
bool hs_totals_lifetimes(const hs_totals *totals, uint32_t id, struct hs_lifetimes *result);

/* Bucket of an age in microseconds. */
uint32_t hs_lifetime_bucket(int64_t age_us);

#ifdef HS_CHECKS
/* Test only: makes the block of this stripe's lane, as if its thread had met another one at a sum of this number.
 * Thread: Callback. Fails: HS_FULL where too many have such a block, HS_NO_MEMORY. */
enum hs_status hs_totals_add_lane(hs_totals *totals, uint32_t stripe, uint32_t id);

/* Is each sum a number, not below zero, and of a number that there can be? Sums need not fit together: one may have
 * been moved already. Thread: holder of HS_RANK_SWEEP, with no callback inside. */
bool hs_totals_is_valid(const hs_totals *totals);
#endif

#endif
