/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Threads bring candidates with a clock that they share: no period keeps two, none is lost or counted twice,
 * and what is kept stands for all. */
#include <math.h>

#include "crew.h"
#include "hs_rate_limit.h"

enum { THREADS = 4, ROUNDS = 400000, PERIOD = 50, MOST_PERIODS = 1 << 14 };

static struct hs_rate_limit rate_limit;
static _Atomic int64_t clock_us;
static _Atomic uint32_t kept_in[MOST_PERIODS];
static _Atomic uint32_t unknown; /* kept while a period ended */
static double estimates[THREADS];
static double variances[THREADS];
static uint32_t kept[THREADS];

/* Its number is in the highest bits of the word (hs_rate_limit.c). */
static uint32_t period(void) {
    return (uint32_t)(atomic_load(&rate_limit.word) >> 38);
}

static void bring(int number) {
    for (int i = 0; i < ROUNDS; i++) {
        double chance;
        int64_t now = i % 8 == 0 ? atomic_fetch_add(&clock_us, 1) : atomic_load(&clock_us);
        uint32_t before = period();
        if (hs_rate_limit_take(&rate_limit, now, &chance) == HS_RATE_LIMIT_KEPT) {
            uint32_t after = period();
            HS_CHECK(chance > 0.0 && chance <= 1.0);
            HS_CHECK(after < MOST_PERIODS);
            if (before == after) {
                kept_in[after]++;
            } else {
                unknown++;
            }
            kept[number]++;
            estimates[number] += 1.0 / chance;
            variances[number] += (1.0 - chance) / (chance * chance);
        }
    }
}

Test(stress_cap, no_period_keeps_two_and_what_is_kept_stands_for_all) {
    double estimate = 0.0;
    double variance = 0.0;
    uint32_t total = 0;
    hs_rate_limit_init(&rate_limit, PERIOD, 1);
    crew_all(THREADS, bring);
    for (int i = 0; i < THREADS; i++) {
        estimate += estimates[i];
        variance += variances[i];
        total += kept[i];
    }
    uint32_t periods = period() + 1;
    for (uint32_t i = 0; i < periods; i++) {
        cr_assert_leq(kept_in[i], 1, "period %u keeps %u", i, kept_in[i]);
    }
    cr_log_info("%u kept in %u periods, %u of them at an end; %.0f +- %.0f", total, periods,
                unknown, estimate, sqrt(variance));
    cr_assert_leq(total, periods);
    /* The told error is 2.5 % and not too small (test_cap). Within 5 of it: false alarm 6e-7, were it normal; it
     * leans to the low side, as weights do. Seen: 0.7. */
    cr_assert_leq(fabs(estimate - (double)THREADS * ROUNDS), 5.0 * sqrt(variance), "%.0f +- %.0f",
                  estimate, sqrt(variance));
}
