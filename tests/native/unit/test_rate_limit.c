/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_rate_limit.h"

#include <criterion/criterion.h>
#include <math.h>

#include "seeded.h"

enum { PERIOD = 1000 };

Test(rate_limit, keeps_at_most_one_per_period_and_periods_vary_by_a_half) {
    struct hs_rate_limit rate_limit;
    double chance;
    int64_t began[10001];
    uint32_t periods = 0;
    uint32_t kept_in_period = 0;
    uint32_t kept = 0;
    hs_rate_limit_init(&rate_limit, PERIOD, 5);
    for (int64_t now = 0; periods < 10000; now += 10) {
        bool is_kept = hs_rate_limit_take(&rate_limit, now, &chance) == HS_RATE_LIMIT_KEPT;
        uint64_t word = atomic_load(&rate_limit.word);
        if ((uint32_t)word == 1) { /* the first of a new period */
            began[periods++] = now;
            kept_in_period = 0;
        }
        kept_in_period += is_kept;
        kept += is_kept;
        cr_assert_leq(kept_in_period, 1);
    }
    double sum = 0.0;
    for (uint32_t i = 1; i < periods; i++) {
        int64_t length = began[i] - began[i - 1];
        cr_assert(length >= PERIOD / 2 && length <= PERIOD * 3 / 2 + 10);
        sum += (double)length;
    }
    /* Uniform lengths have the deviation 289; the mean of 10,000 is within 5 of 2.9. Rounded up to the
     * next candidate: 5 more on average. */
    cr_assert_leq(fabs(sum / (periods - 1) - PERIOD - 5), 5 * 2.9);
    cr_assert_gt(kept, periods / 2, "two of three periods keep one");
}

Test(rate_limit, a_lone_candidate_is_nearly_always_kept) {
    struct hs_rate_limit rate_limit;
    double chance = 0.0;
    uint32_t kept = 0;
    hs_rate_limit_init(&rate_limit, PERIOD, 6);
    for (int i = 0; i < 1000; i++) {
        bool is_kept =
            hs_rate_limit_take(&rate_limit, (int64_t)i * 2 * PERIOD, &chance) == HS_RATE_LIMIT_KEPT;
        if (i >= 10) { /* the rate is known by then */
            kept += is_kept;
            cr_assert(!is_kept || fabs(chance - 0.8) < 1e-12);
        }
    }
    cr_assert_geq(kept, 730, "0.8 of 990, deviation 13: false alarm 1e-6");
}

Test(rate_limit, goes_on_however_many_come) {
    struct hs_rate_limit rate_limit;
    double chance;
    hs_rate_limit_init(&rate_limit, PERIOD, 7);
    (void)hs_rate_limit_take(&rate_limit, 0, &chance);
    atomic_fetch_add(&rate_limit.word, (UINT64_C(1) << 31) - 3);
    for (int i = 0; i < 10; i++) {
        (void)hs_rate_limit_take(&rate_limit, 1, &chance);
        cr_assert_leq((uint32_t)atomic_load(&rate_limit.word), UINT32_C(1) << 31);
    }
    bool is_kept = false;
    for (int64_t now = 2 * PERIOD; !is_kept && now < 100 * PERIOD; now += PERIOD / 100) {
        is_kept = hs_rate_limit_take(&rate_limit, now, &chance) == HS_RATE_LIMIT_KEPT;
    }
    cr_assert(is_kept, "later periods keep again");
}

/* Two sites: one allocates all the time, in bursts and pauses; the other once after each pause of
 * several periods, where a cap that keeps what comes first would prefer it. */
struct sums {
    double truth[2];
    double estimate[2];
    double variance[2];
    uint32_t in_bursts;
};

static void candidate(struct hs_rate_limit *rate_limit, int64_t now, int site, struct sums *sums) {
    double chance;
    enum hs_rate_limit_answer answer = hs_rate_limit_take(rate_limit, now, &chance);
    sums->truth[site] += 1.0;
    sums->in_bursts += answer == HS_RATE_LIMIT_BURST;
    if (answer == HS_RATE_LIMIT_KEPT) {
        sums->estimate[site] += 1.0 / chance;
        sums->variance[site] += (1.0 - chance) / (chance * chance);
    }
}

static struct sums run(struct seeded *seeded) {
    struct sums sums = {{0}, {0}, {0}, 0};
    struct hs_rate_limit rate_limit;
    int64_t now = 0;
    hs_rate_limit_init(&rate_limit, PERIOD, seeded_next(seeded));
    for (int burst = 0; burst < 40; burst++) {
        double gap = burst % 2 == 0 ? 10.0 : 300.0; /* rates that change by a factor of 30 */
        candidate(&rate_limit, now, 1, &sums);
        for (int i = 0; i < 200; i++) {
            now += (int64_t)seeded_exponential(seeded, gap);
            candidate(&rate_limit, now, 0, &sums);
        }
        now += 5 * PERIOD;
    }
    return sums;
}

/* runs = 300, seed 11. The mean error of each site, in units of its own standard error, within 4.5:
 * false alarm 1.4e-5. The reported variance is not less than the true one (candidates of one period
 * exclude each other, which it leaves out): a ratio of at most 1.2, of which 1 is what is right where they
 * do not. */
Test(rate_limit, is_unbiased_for_all_arrival_times_and_its_error_is_not_too_small) {
    enum { RUNS = 300 };
    struct seeded seeded = {11};
    double error[2] = {0}, square[2] = {0}, told[2] = {0};
    for (int i = 0; i < RUNS; i++) {
        struct sums sums = run(&seeded);
        for (int site = 0; site < 2; site++) {
            double e = sums.estimate[site] - sums.truth[site];
            error[site] += e;
            square[site] += e * e;
            told[site] += sums.variance[site];
        }
    }
    for (int site = 0; site < 2; site++) {
        double z = error[site] / sqrt(square[site]);
        cr_assert_leq(fabs(z), 4.5, "site %d: %.2f standard errors off", site, z);
        cr_assert_leq(square[site] / told[site], 1.2, "site %d: true variance is %.3f of that told",
                      site, square[site] / told[site]);
    }
}

/* 100 candidates a period, where 8 are expected at first: seed 12. */
Test(rate_limit, a_steady_rate_has_no_bursts) {
    struct seeded seeded = {12};
    struct sums sums = {{0}, {0}, {0}, 0};
    struct hs_rate_limit rate_limit;
    int64_t now = 0;
    hs_rate_limit_init(&rate_limit, PERIOD, 1);
    for (int i = 0; i < 20000; i++) {
        now += 5 + (int64_t)seeded_exponential(&seeded, 5.0);
        candidate(&rate_limit, now, 0, &sums);
    }
    cr_assert_eq(sums.in_bursts, 0);
}

/* Quiet periods of one candidate, then one of 1,000, and so on: 60 runs, seed 13. A reader of an interval
 * of 1.96 standard errors has the truth above it too often: measured in 32 % of 500 runs, and in 84 %
 * where the scale falls by 1 octave a period. The bound of 50 % is between these. The interval is wrong for such
 * bursts, and most of their candidates are beyond 16 m and counted as such. */
Test(rate_limit, a_burst_after_quiet_periods_is_missed_less_often_and_told) {
    enum { RUNS = 60, ROUNDS = 40, QUIET = 10, BURST = 1000 };
    struct seeded seeded = {13};
    uint32_t too_low = 0;
    for (int i = 0; i < RUNS; i++) {
        struct sums sums = {{0}, {0}, {0}, 0};
        struct hs_rate_limit rate_limit;
        int64_t now = 0;
        hs_rate_limit_init(&rate_limit, PERIOD, seeded_next(&seeded));
        for (int round = 0; round < ROUNDS * (QUIET + 1); round++) {
            int count = round % (QUIET + 1) == QUIET ? BURST : 1;
            now += 2 * PERIOD;
            for (int k = 0; k < count; k++) {
                candidate(&rate_limit, now, 0, &sums);
            }
        }
        cr_assert_geq(sums.in_bursts, ROUNDS * BURST / 2);
        too_low += sums.truth[0] > sums.estimate[0] + 1.96 * sqrt(sums.variance[0]);
    }
    cr_assert_leq(too_low, RUNS / 2, "%u of %d runs", too_low, (int)RUNS);
}
