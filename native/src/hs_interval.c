/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_interval.h"

static uint64_t word_of(uint32_t before, uint32_t now) {
    return (uint64_t)before << 32 | now;
}

void hs_interval_set(struct hs_interval *interval, uint32_t bytes) {
    atomic_store_explicit(&interval->word, word_of(bytes, bytes), memory_order_relaxed);
}

uint32_t hs_interval_now(const struct hs_interval *interval) {
    return (uint32_t)atomic_load_explicit(&interval->word, memory_order_relaxed);
}

uint32_t hs_interval_before(const struct hs_interval *interval) {
    return (uint32_t)(atomic_load_explicit(&interval->word, memory_order_relaxed) >> 32);
}

/* Tells the VM, then takes the announcement down, unless another thread has. Again when the interval
 * has changed in between. The release is for the call before it: a thread that sees the end of the announcement
 * draws with the new interval. */
static void finish(struct hs_interval *interval, uint64_t word, const struct hs_ops *ops) {
    uint32_t now;
    do {
        now = (uint32_t)word;
        ops->set_interval(now);
    } while (!atomic_compare_exchange_strong_explicit(&interval->word, &word, word_of(now, now),
                                                      memory_order_release, memory_order_relaxed) &&
             (uint32_t)word != now);
}

void hs_interval_change(struct hs_interval *interval, uint32_t bytes, const struct hs_ops *ops) {
    uint32_t old = hs_interval_now(interval);
    if (bytes == old) {
        return;
    }
    uint64_t announced = word_of(old, bytes);
    atomic_store_explicit(&interval->word, announced, memory_order_relaxed);
    /* Before the VM's own word; pairs with the fence in hs_interval_drawn: a thread that drew with
     * the new interval finds the announcement or what comes after it. */
    atomic_thread_fence(memory_order_seq_cst);
    finish(interval, announced, ops);
}

uint32_t hs_interval_drawn(struct hs_interval *interval, const struct hs_ops *ops) {
    atomic_thread_fence(memory_order_acquire);
    /* Acquire, pairs with the release in finish: the next step is drawn after that. */
    uint64_t word = atomic_load_explicit(&interval->word, memory_order_acquire);
    uint32_t before = (uint32_t)(word >> 32);
    if (before != (uint32_t)word) {
        finish(interval, word, ops);
    }
    return before;
}

bool hs_interval_is_every(const struct hs_interval *interval) {
    atomic_thread_fence(memory_order_acquire); /* as in hs_interval_drawn */
    return atomic_load_explicit(&interval->word, memory_order_acquire) == 0;
}
