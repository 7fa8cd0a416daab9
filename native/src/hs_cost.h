/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Cost: the processor time that samples take.
 *
 * Wall time would be cheaper to read, but on a busy machine a thread now and then loses the processor inside
 * a sample, and a few such samples outweigh thousands of others. The clock of a thread is a system call, so
 * only the first HS_COST_MEASURED samples after each hs_cost_renew are measured: at a low rate each sample, at
 * a high rate as many as the mean needs. The price of the clock itself is left out. */
#ifndef HS_COST_H
#define HS_COST_H

#include <stdatomic.h>
#include <stdbool.h>

#include "hs_clock.h"

enum { HS_COST_MEASURED = 64, HS_COST_RENEWED_AFTER_US = 400000 };

/* Relaxed. */
struct hs_cost {
    _Atomic uint64_t total_ns;
    _Atomic uint64_t count;
    _Atomic uint64_t max_ns;
    _Atomic uint32_t left;    /* samples still to be measured, at most HS_COST_MEASURED */
    _Atomic int64_t clock_ns; /* price of reading the clock */
    _Atomic int64_t renewed_us;
};

/* More samples are to be measured, unless they were renewed a moment ago. Thread: Any. */
static inline void hs_cost_renew(struct hs_cost *cost) {
    int64_t now_us = hs_clock_monotonic_us();
    int64_t since_us = now_us - atomic_load_explicit(&cost->renewed_us, memory_order_relaxed);
    if (since_us < HS_COST_RENEWED_AFTER_US) {
        return;
    }
    int64_t least = INT64_MAX;
    for (int i = 0; i < 3; i++) {
        int64_t began_ns = hs_clock_ns(CLOCK_THREAD_CPUTIME_ID);
        int64_t took = hs_clock_ns(CLOCK_THREAD_CPUTIME_ID) - began_ns;
        least = took < least ? took : least;
    }
    atomic_store_explicit(&cost->renewed_us, now_us, memory_order_relaxed);
    atomic_store_explicit(&cost->clock_ns, least, memory_order_relaxed);
    atomic_store_explicit(&cost->left, HS_COST_MEASURED, memory_order_relaxed);
}

/* Is the sample that begins now measured? Then `*began_ns` is for hs_cost_end, or hs_cost_pass_on follows.
 * Thread: Callback. */
static inline bool hs_cost_begin(struct hs_cost *cost, int64_t *began_ns) {
    uint32_t left = atomic_load_explicit(&cost->left, memory_order_relaxed);
    do {
        if (left == 0) {
            return false;
        }
    } while (!atomic_compare_exchange_weak_explicit(&cost->left, &left, left - 1,
                                                    memory_order_relaxed, memory_order_relaxed));
    *began_ns = hs_clock_ns(CLOCK_THREAD_CPUTIME_ID);
    return true;
}

/* It was none after all, as most are where the interval in force is longer than the VM's: another one is measured.
 * Thread: Callback, the same. */
static inline void hs_cost_pass_on(struct hs_cost *cost) {
    uint32_t left = atomic_load_explicit(&cost->left, memory_order_relaxed);
    /* It may have begun before they were renewed. */
    while (left < HS_COST_MEASURED &&
           !atomic_compare_exchange_weak_explicit(&cost->left, &left, left + 1,
                                                  memory_order_relaxed, memory_order_relaxed)) {
    }
}

/* Thread: Callback, the same. */
static inline void hs_cost_end(struct hs_cost *cost, int64_t began_ns) {
    int64_t took = hs_clock_ns(CLOCK_THREAD_CPUTIME_ID) - began_ns -
                   atomic_load_explicit(&cost->clock_ns, memory_order_relaxed);
    uint64_t ns = took > 0 ? (uint64_t)took : 0;
    atomic_fetch_add_explicit(&cost->total_ns, ns, memory_order_relaxed);
    atomic_fetch_add_explicit(&cost->count, 1, memory_order_relaxed);
    uint64_t max = atomic_load_explicit(&cost->max_ns, memory_order_relaxed);
    while (ns > max && !atomic_compare_exchange_weak_explicit(
                           &cost->max_ns, &max, ns, memory_order_relaxed, memory_order_relaxed)) {
    }
}

#endif
