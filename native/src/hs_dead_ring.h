/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Dead ring: the samples that were found dead last, with their stacks and times, oldest first.
 *
 * The ring has a fixed size, and a new one takes the place of the oldest. All calls: holder of HS_RANK_SWEEP. */
#ifndef HS_DEAD_RING_H
#define HS_DEAD_RING_H

#include "hs_sample.h"
#include "hs_status.h"

struct hs_dead {
    struct hs_sample sample;
    int64_t seen_alive_us; /* monotonic; the object died between these two */
    int64_t found_dead_us;
    uint32_t thinning;
    uint32_t collections; /* lived through */
};

typedef struct hs_dead_ring hs_dead_ring;

/* Owns: the caller frees. Fails: HS_NO_MEMORY. `capacity` may be 0. */
enum hs_status hs_dead_ring_new(uint32_t capacity, hs_dead_ring **result);
void hs_dead_ring_free(hs_dead_ring *dead_ring);

/* Adds one; *forgotten receives the recordings that lost a sample by it. */
void hs_dead_ring_add(hs_dead_ring *dead_ring, const struct hs_dead *dead, uint64_t *forgotten);

/* How many there are, and the i-th, 0 being the oldest. */
uint32_t hs_dead_ring_count(const hs_dead_ring *dead_ring);
struct hs_dead *hs_dead_ring_get(hs_dead_ring *dead_ring, uint32_t i);

/* Forgets all samples. */
void hs_dead_ring_clear(hs_dead_ring *dead_ring);

/* Takes the bits out of every sample. */
void hs_dead_ring_forget(hs_dead_ring *dead_ring, uint64_t recordings);

#endif
