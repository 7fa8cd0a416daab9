/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_bias.h"

#include <stdbool.h>

#include "hs_estimate.h"

#define MARGIN       ((uint64_t)64 << 20)
#define KIBI_SQUARED ((uint64_t)1 << 20)

/* s / (1 - exp(-s / T)) to 1 in 40,000 where s is below T / 4, without the exponential function:
 * the beginning of its series, T + s / 2 + s^2 / 12 T. */
static uint64_t bytes_of(uint64_t size, uint32_t interval) {
    if (size < interval / 4) {
        return interval + size / 2 + size * size / (UINT64_C(12) * interval);
    }
    return (uint64_t)((double)size / hs_estimate_probability(size, interval) + 0.5);
}

/* A step is longer than 64 intervals once in 10^28; the object at its end and what the VM has missed
 * come on top. */
static bool is_plausible(uint64_t counted, uint64_t size, uint32_t interval) {
    return counted <= UINT64_C(64) * interval + size + MARGIN;
}

/* From a sample back to the one before it. Of that one's object, s bytes of weight w, T + s - w are passed in
 * the mean until it is found. Where counting began with it, nothing could be found. */
static struct hs_density density_of(const struct hs_thread_state *self, uint64_t size,
                                    uint32_t interval, uint64_t counted) {
    bool may_find = self->stands_for != 0;
    uint64_t most = (uint64_t)HS_BIAS_LONGEST * interval;
    uint64_t rest = may_find ? self->stands_for - self->sampled : 0;
    uint64_t within = may_find && rest < interval ? interval - rest : 0;
    uint64_t length = (counted > size ? counted - size : 0) + within;
    length = (length < most ? length : most) * HS_DENSITY_UNIT / interval;
    return (struct hs_density){.samples = may_find, .length = length};
}

void hs_bias_add(struct hs_bias *bias, struct hs_thread_state *self, uint64_t size,
                 uint32_t interval, uint64_t allocated) {
    uint64_t before = self->allocated;
    bool is_next = before != 0 && self->sampled_at == interval && allocated >= before &&
                   is_plausible(allocated - before, size, interval);
    self->density = (struct hs_density){0};
    if (is_next && interval != 0) {
        self->density = density_of(self, size, interval, allocated - before);
    }
    if (is_next) {
        hs_tally_add_to(&bias->sums, self->stripe, HS_BIAS_COUNTED, allocated - before);
        hs_tally_add_to(&bias->sums, self->stripe, HS_BIAS_ESTIMATED, self->stands_for);
        /* (1 - p) w^2 with p = size / w. */
        uint64_t variance = self->stands_for * (self->stands_for - self->sampled);
        hs_tally_add_to(&bias->sums, self->stripe, HS_BIAS_VARIANCE,
                        (variance + KIBI_SQUARED - 1) / KIBI_SQUARED);
    }
    self->allocated = allocated;
    self->sampled_at = interval;
    self->sampled = is_next ? size : 0;
    self->stands_for = is_next ? bytes_of(size, interval) : 0;
}
