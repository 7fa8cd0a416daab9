/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* The two clocks, in microseconds. Monotonic for ages, wall for what a user reads. */
#ifndef HS_CLOCK_H
#define HS_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline int64_t hs_clock_ns(clockid_t clock) {
    struct timespec t;
    return clock_gettime(clock, &t) == 0 ? (int64_t)t.tv_sec * 1000000000 + t.tv_nsec : 0;
}

static inline int64_t hs_clock_monotonic_us(void) {
    return hs_clock_ns(CLOCK_MONOTONIC) / 1000;
}

static inline int64_t hs_clock_wall_us(void) {
    return hs_clock_ns(CLOCK_REALTIME) / 1000;
}

#endif
