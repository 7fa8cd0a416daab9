/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Tally: a few counters that many threads add to without meeting: each has a cache line of its own, as far
 * as they go round. A thread that adds to several of them writes one line. */
#ifndef HS_TALLY_H
#define HS_TALLY_H

#include <stdatomic.h>
#include <stdint.h>

enum { HS_TALLY_LINES = 16, HS_TALLY_COUNTS = 8 };

/* As long as a cache line. If only the first count is used, no two threads write one line, wherever the tally
 * lies; otherwise it has to begin at a line. */
struct hs_tally_line {
    _Atomic uint64_t counts[HS_TALLY_COUNTS]; /* relaxed */
};

struct hs_tally {
    struct hs_tally_line lines[HS_TALLY_LINES];
};

/* Adds to the counter `which`, below HS_TALLY_COUNTS. `stripe` is any number, best one per thread.
 * Thread: Callback. */
static inline void hs_tally_add_to(struct hs_tally *tally, uint32_t stripe, uint32_t which,
                                   uint64_t amount) {
    atomic_fetch_add_explicit(&tally->lines[stripe % HS_TALLY_LINES].counts[which], amount,
                              memory_order_relaxed);
}

/* Adds one to the first counter. */
static inline void hs_tally_add(struct hs_tally *tally, uint32_t stripe) {
    hs_tally_add_to(tally, stripe, 0, 1);
}

/* The sum of a counter. Thread: Any. What is added meanwhile may be missing. */
static inline uint64_t hs_tally_sum_of(const struct hs_tally *tally, uint32_t which) {
    uint64_t sum = 0;
    for (int i = 0; i < HS_TALLY_LINES; i++) {
        sum += atomic_load_explicit(&tally->lines[i].counts[which], memory_order_relaxed);
    }
    return sum;
}

/* The sum of the first counter. */
static inline uint64_t hs_tally_sum(const struct hs_tally *tally) {
    return hs_tally_sum_of(tally, 0);
}

#endif
