/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_estimate.h"

#include <math.h>
#include <string.h>

#include "hs_check.h"

uint32_t hs_estimate_drawn_by(double chance) {
    float rounded = (float)chance;
    uint32_t bits;
    memcpy(&bits, &rounded, sizeof bits);
    return bits | HS_DRAWN_BY_CHANCE;
}

static double chance_of(uint32_t drawn) {
    uint32_t bits = drawn & ~HS_DRAWN_BY_CHANCE;
    float chance;
    memcpy(&chance, &bits, sizeof chance);
    return (double)chance;
}

double hs_estimate_probability(uint64_t size, uint32_t drawn) {
    if ((drawn & HS_DRAWN_BY_CHANCE) != 0) {
        return chance_of(drawn);
    }
    return drawn == 0 ? 1.0 : -expm1(-(double)size / (double)drawn);
}

uint64_t hs_estimate_since(uint64_t before, uint64_t allocated, uint64_t size) {
    uint64_t grown = allocated >= before ? allocated - before : allocated;
    return grown > size ? grown - size : 0;
}

double hs_estimate_due(uint64_t size, uint32_t interval, const struct hs_refill *refill) {
    double chance = hs_estimate_probability(size, interval);
    uint64_t most =
        refill->used != 0 && refill->used < refill->since ? refill->used : refill->since;
    if (interval == 0) {
        return 1;
    }
    if (most <= refill->room / 2) {
        uint64_t beyond = refill->ahead > most ? refill->ahead - most : 0;
        double mean = (double)interval * expm1((double)size / (double)interval);
        /* Not exp, which needs glibc 2.29. The sum may round to 0 where it is below 1e-16. */
        return beyond == 0 ? chance : 1 + expm1(-(double)beyond / mean);
    }
    /* Its first object may have been as large; more than there was room for lies outside. */
    uint64_t behind_first = refill->used > size ? refill->used - size : 0;
    uint64_t room = refill->room > refill->ahead ? refill->room : refill->ahead;
    uint64_t rest = behind_first < refill->room ? room - behind_first : room;
    uint64_t reach = rest <= UINT64_MAX - size ? size + rest : UINT64_MAX;
    return chance / hs_estimate_probability(reach, interval);
}

struct hs_weight hs_estimate_weigh(uint64_t size, uint32_t drawn, uint32_t thinning) {
    HS_DCHECK(thinning < 64);
    double kept = 1.0 / (double)(UINT64_C(1) << thinning); /* exact; ldexp takes 50 instructions */
    double p = kept * hs_estimate_probability(size, drawn);
    double bytes = (double)size;
    double w = 1.0 / p;
    double variance = w * w * (1.0 - p);
    return (struct hs_weight){
        .objects = w,
        .objects_variance = variance,
        .bytes = bytes * w,
        .bytes_variance = bytes * bytes * variance,
    };
}

uint64_t hs_estimate_bytes(uint64_t size, uint32_t drawn, uint32_t thinning) {
    double bytes = hs_estimate_weigh(size, drawn, thinning).bytes + 0.5;
    return bytes < 0x1p64 ? (uint64_t)bytes : UINT64_MAX;
}
