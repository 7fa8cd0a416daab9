/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Departed: the last samples that were found dead, with their stacks and times, oldest first.
 *
 * A ring of fixed size; the eldest makes room. All calls: holder of HS_RANK_SWEEP. */
#ifndef HS_DEPARTED_H
#define HS_DEPARTED_H

#include "hs_sample.h"
#include "hs_status.h"

struct hs_dead {
    struct hs_sample sample;
    int64_t seen_alive_us; /* monotonic; the object died between these two */
    int64_t found_dead_us;
    uint32_t thinning;
    uint32_t collections; /* lived through */
};

typedef struct hs_departed hs_departed;

/* Owns: the caller frees. Fails: HS_NO_MEMORY. `capacity` may be 0. */
enum hs_status hs_departed_new(uint32_t capacity, hs_departed **result);
void hs_departed_free(hs_departed *departed);

/* Adds one; *forgotten receives the recordings that lost a sample by it. */
void hs_departed_add(hs_departed *departed, const struct hs_dead *dead, uint64_t *forgotten);

/* How many there are, and the i-th, 0 being the oldest. */
uint32_t hs_departed_count(const hs_departed *departed);
struct hs_dead *hs_departed_get(hs_departed *departed, uint32_t i);

/* Forgets all samples. */
void hs_departed_clear(hs_departed *departed);

/* Takes the bits out of every sample. */
void hs_departed_forget(hs_departed *departed, uint64_t recordings);

#endif
