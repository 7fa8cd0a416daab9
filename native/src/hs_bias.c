/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_bias.h"

#include "hs_estimate.h"

/* s / (1 - exp(-s / T)) to 1 in 40,000 where s is at most T / 4, without the exponential function:
 * the beginning of its series, T + s / 2 + s^2 / 12 T. */
static uint64_t bytes_of(uint64_t size, uint32_t interval) {
    if (size <= interval / 4) {
        return interval + size / 2 + size * size / (UINT64_C(12) * interval);
    }
    return (uint64_t)((double)size / hs_estimate_probability(size, interval) + 0.5);
}

void hs_bias_add(struct hs_bias *bias, struct hs_step *step, uint64_t size, uint32_t interval,
                 uint64_t allocated) {
    uint64_t before = step->allocated;
    step->allocated = allocated;
    if (before == 0 || allocated < before) {
        return;
    }
    uint64_t bytes = bytes_of(size, interval);
    hs_tally_add_many(&bias->counted, step->stripe, allocated - before);
    hs_tally_add_many(&bias->estimated, step->stripe, bytes);
    /* (1 - p) w^2 with p = size / w. */
    hs_tally_add_many(&bias->variance, step->stripe, (bytes >> 10) * ((bytes - size) >> 10));
}
