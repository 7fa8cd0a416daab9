/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* A generator with a seed that is in the test (splitmix64), so that a statistical test gives the
 * same answer every time. Not the mixer of hs_hash.h: a test must not lean on what it tests. */
#ifndef SEEDED_H
#define SEEDED_H

#include <math.h>
#include <stdint.h>

struct seeded {
    uint64_t state;
};

static inline uint64_t seeded_next(struct seeded *seeded) {
    uint64_t z = seeded->state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

static inline uint32_t seeded_u32(struct seeded *seeded) {
    return (uint32_t)(seeded_next(seeded) >> 32);
}

/* Uniform below `bound`. */
static inline uint32_t seeded_below(struct seeded *seeded, uint32_t bound) {
    return (uint32_t)((uint64_t)seeded_u32(seeded) * bound >> 32);
}

/* Uniform in (0, 1]. */
static inline double seeded_unit(struct seeded *seeded) {
    return ((double)(seeded_next(seeded) >> 11) + 1.0) / 9007199254740992.0;
}

/* Exponential with this mean. */
static inline double seeded_exponential(struct seeded *seeded, double mean) {
    return -mean * log(seeded_unit(seeded));
}

#endif
