/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Threads bring candidates with a clock that they share: no period keeps two, and what is kept stands
 * for all. */
#include <math.h>

#include "crew.h"
#include "hs_cap.h"

enum { THREADS = 4, ROUNDS = 400000, PERIOD = 50 };

static struct hs_cap cap;
static _Atomic int64_t clock_us;
static double estimates[THREADS];
static double variances[THREADS];
static uint32_t kept[THREADS];

static void bring(int number) {
    for (int i = 0; i < ROUNDS; i++) {
        double chance;
        int64_t now = i % 8 == 0 ? atomic_fetch_add(&clock_us, 1) : atomic_load(&clock_us);
        if (hs_cap_take(&cap, now, &chance) == HS_CAP_KEPT) {
            HS_CHECK(chance > 0.0 && chance <= 1.0);
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
    hs_cap_init(&cap, PERIOD, 1);
    crew_all(THREADS, bring);
    for (int i = 0; i < THREADS; i++) {
        estimate += estimates[i];
        variance += variances[i];
        total += kept[i];
    }
    /* Periods are half of the mean at least. */
    cr_assert_leq(total, (uint32_t)(atomic_load(&clock_us) * 2 / PERIOD) + 1);
    /* The told error is not too small, but leans to the low side, as weights do: within 8 of it. */
    cr_assert_leq(fabs(estimate - (double)THREADS * ROUNDS), 8.0 * sqrt(variance), "%.0f +- %.0f",
                  estimate, sqrt(variance));
}
