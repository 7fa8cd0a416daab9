/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Tally: a counter that many threads add to without meeting: each has a cache line of its own, as far
 * as they go round. */
#ifndef HS_TALLY_H
#define HS_TALLY_H

#include <stdatomic.h>
#include <stdint.h>

#define HS_TALLY_LINES 16

/* As long as a cache line, so that no two counts share one, wherever the tally lies. */
struct hs_tally_line {
    _Atomic uint64_t count; /* relaxed */
    uint64_t unused[7];
};

struct hs_tally {
    struct hs_tally_line lines[HS_TALLY_LINES];
};

/* Adds. `stripe` is any number, best one per thread. Thread: Callback. */
static inline void hs_tally_add_many(struct hs_tally *tally, uint32_t stripe, uint64_t amount) {
    atomic_fetch_add_explicit(&tally->lines[stripe % HS_TALLY_LINES].count, amount,
                              memory_order_relaxed);
}

/* Adds one. As hs_tally_add_many. */
static inline void hs_tally_add(struct hs_tally *tally, uint32_t stripe) {
    hs_tally_add_many(tally, stripe, 1);
}

/* Thread: Any. What is added meanwhile may be missing. */
static inline uint64_t hs_tally_sum(const struct hs_tally *tally) {
    uint64_t sum = 0;
    for (int i = 0; i < HS_TALLY_LINES; i++) {
        sum += atomic_load_explicit(&tally->lines[i].count, memory_order_relaxed);
    }
    return sum;
}

#endif
