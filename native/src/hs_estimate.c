/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_estimate.h"

#include <math.h>

double hs_estimate_probability(uint64_t size, uint32_t interval) {
    return interval == 0 ? 1.0 : -expm1(-(double)size / (double)interval);
}

struct hs_weight hs_estimate_weigh(uint64_t size, uint32_t interval, uint32_t thinning) {
    double p = ldexp(hs_estimate_probability(size, interval), -(int)thinning);
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
