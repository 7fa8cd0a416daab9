/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_rate_limit.h"

#include <math.h>

#include "hs_hash.h"

/* The word: bits 0 to 31 candidates so far; 32 to 37 the scale, which is m in half octaves; 38 to 63 the
 * number of the period, which wraps. */
enum { SCALE_SHIFT = 32, SCALE_MASK = 63, PERIOD_SHIFT = 38 };
#define MAX_COUNT (UINT32_C(1) << 31)

/* m = 2^(scale / 2 - 2): from 1/4 to 2^29.5. Of a period that nothing is known about: 8. */
enum { FIRST_SCALE = 10, SCALE_OF_ONE = 4 };

static uint64_t period_of(uint64_t word) {
    return word >> PERIOD_SHIFT;
}

static uint32_t scale_of(uint64_t word) {
    return (uint32_t)(word >> SCALE_SHIFT) & SCALE_MASK;
}

static double m_of(uint64_t word) {
    uint32_t scale = scale_of(word);
    return ldexp(scale % 2 == 0 ? 1.0 : 1.4142135623730951, (int)(scale / 2) - SCALE_OF_ONE / 2);
}

/* In (0, 1]. */
static double unit_of(uint64_t random) {
    return (double)((random >> 11) + 1) * 0x1p-53;
}

/* J of a period; 0 stands for one that is too far away. */
static uint32_t chosen(const struct hs_rate_limit *rate_limit, uint64_t word) {
    double unit =
        unit_of(hs_hash_mix(rate_limit->seed + period_of(word) * UINT64_C(0x9E3779B97F4A7C15)));
    double number = floor(m_of(word) * (1.0 / unit - 1.0)) + 1.0;
    return number < (double)MAX_COUNT ? (uint32_t)number : 0;
}

/* 2 log2 of a number from 1 on, rounded. Not by log2, of which glibc has a new version since 2.29. */
static uint32_t half_octaves(double number) {
    int octaves;
    double rest = frexp(number, &octaves); /* from 1/2 to 1 */
    int below = rest >= 0.8408964152537145 ? 0 : rest >= 0.5946035575013605 ? 1 : 2;
    return (uint32_t)(2 * octaves - below);
}

/* The scale after a period of `count` candidates: m is half of that, and 1/4 where one came alone. More
 * candidates are believed at once, since those that come late would weigh too much; fewer by half an octave a
 * period, so that a burst after a quiet time is not far beyond m. */
static uint32_t next_scale(uint32_t scale, uint32_t count) {
    uint32_t found = count <= 1 ? 0 : half_octaves(count / 2.0) + SCALE_OF_ONE;
    uint32_t next = found >= scale ? found : scale - 1;
    return next < SCALE_MASK ? next : SCALE_MASK;
}

static uint64_t next_word(uint64_t word) {
    uint32_t count = (uint32_t)word;
    uint32_t scale =
        period_of(word) == 0 && count == 0 ? FIRST_SCALE : next_scale(scale_of(word), count);
    return (period_of(word) + 1) << PERIOD_SHIFT | (uint64_t)scale << SCALE_SHIFT;
}

/* Another kind of random number of the same period. */
static int64_t length_of(const struct hs_rate_limit *rate_limit, uint64_t period) {
    double unit = unit_of(hs_hash_mix(~rate_limit->seed ^ period * UINT64_C(0xBF58476D1CE4E5B9)));
    return (int64_t)((double)rate_limit->period_us * (0.5 + unit));
}

void hs_rate_limit_init(struct hs_rate_limit *rate_limit, uint64_t period_us, uint64_t seed) {
    rate_limit->period_us = period_us;
    rate_limit->seed = hs_hash_mix(seed);
    atomic_store_explicit(&rate_limit->word, (uint64_t)FIRST_SCALE << SCALE_SHIFT,
                          memory_order_relaxed);
    atomic_store_explicit(&rate_limit->ends_us[0], INT64_MIN, memory_order_relaxed);
    atomic_store_explicit(&rate_limit->ends_us[1], INT64_MIN, memory_order_relaxed);
}

static _Atomic int64_t *end_of(struct hs_rate_limit *rate_limit, uint64_t period) {
    return &rate_limit->ends_us[period % 2];
}

/* The period of `seen` is over: begins the next one, unless another thread has. */
static void begin_next(struct hs_rate_limit *rate_limit, uint64_t seen, int64_t now_us) {
    uint64_t period = period_of(seen);
    int64_t end = now_us + length_of(rate_limit, period + 1);
    /* acquire, pairs with the release below: a thread that finds the end of a later period here finds its word
     * below as well. A relaxed load might even come after that of the word. */
    int64_t before = atomic_load_explicit(end_of(rate_limit, period + 1), memory_order_acquire);
    uint64_t word = atomic_load_explicit(&rate_limit->word, memory_order_acquire);
    if (period_of(word) != period) {
        return; /* `before` may be the end of a period that has begun since */
    }
    (void)atomic_compare_exchange_strong_explicit(end_of(rate_limit, period + 1), &before, end,
                                                  memory_order_release, memory_order_relaxed);
    while (period_of(word) == period &&
           !atomic_compare_exchange_weak_explicit(&rate_limit->word, &word, next_word(word),
                                                  memory_order_release, memory_order_relaxed)) {
    }
}

/* Of a number that was too high, unless its period is over: the next has a word of its own. */
static void give_back(struct hs_rate_limit *rate_limit, uint64_t word) {
    uint64_t now = word;
    while (period_of(now) == period_of(word) && (uint32_t)now != 0 &&
           !atomic_compare_exchange_weak_explicit(&rate_limit->word, &now, now - 1,
                                                  memory_order_relaxed, memory_order_relaxed)) {
    }
}

enum hs_rate_limit_answer hs_rate_limit_take(struct hs_rate_limit *rate_limit, int64_t now_us,
                                             double *chance) {
    uint64_t word = atomic_load_explicit(&rate_limit->word, memory_order_acquire);
    if (now_us >= atomic_load_explicit(end_of(rate_limit, period_of(word)), memory_order_relaxed)) {
        begin_next(rate_limit, word, now_us);
    }
    word = atomic_fetch_add_explicit(&rate_limit->word, 1, memory_order_relaxed) + 1;
    uint32_t number = (uint32_t)word;
    if (number >= MAX_COUNT) {
        give_back(rate_limit, word);
        return HS_RATE_LIMIT_BURST;
    }
    double m = m_of(word);
    if (number == 0 || number != chosen(rate_limit, word)) {
        return (double)number > HS_RATE_LIMIT_EXPECTED * m ? HS_RATE_LIMIT_BURST
                                                           : HS_RATE_LIMIT_REFUSED;
    }
    *chance = m / ((m + (double)number - 1.0) * (m + (double)number));
    return HS_RATE_LIMIT_KEPT;
}
