/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Cost: time that callbacks took; measured for one sample in 16. */
#ifndef HS_COST_H
#define HS_COST_H

#include <stdatomic.h>

#include "hs_clock.h"

/* Relaxed. */
struct hs_cost {
    _Atomic uint64_t total_ns;
    _Atomic uint64_t count;
    _Atomic uint64_t max_ns;
};

/* One that began at this time of the monotonic clock is over. Thread: Callback. */
static inline void hs_cost_add(struct hs_cost *cost, int64_t began_ns) {
    int64_t took = hs_clock_ns(CLOCK_MONOTONIC) - began_ns;
    uint64_t ns = took > 0 ? (uint64_t)took : 0;
    atomic_fetch_add_explicit(&cost->total_ns, ns, memory_order_relaxed);
    atomic_fetch_add_explicit(&cost->count, 1, memory_order_relaxed);
    uint64_t max = atomic_load_explicit(&cost->max_ns, memory_order_relaxed);
    while (ns > max && !atomic_compare_exchange_weak_explicit(
                           &cost->max_ns, &max, ns, memory_order_relaxed, memory_order_relaxed)) {
    }
}

#endif
