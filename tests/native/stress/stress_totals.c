/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include <string.h>

#include "crew.h"
#include "hs_mem.h"
#include "hs_totals.h"

enum { THREADS = 4, ROUNDS = 40000, IDS = 700 };

static hs_totals *totals;
static _Atomic int adders_left;

/* Halves and small integers: their sums are exact, in whatever order. */
static const struct hs_weight WEIGHT = {1.5, 0.5, 24.0, 8.0};

static void add(int number) {
    struct seeded seeded = {(uint64_t)number + 1};
    for (int i = 0; i < ROUNDS; i++) {
        uint32_t id = seeded_below(&seeded, IDS);
        HS_CHECK(hs_totals_add(totals, (uint32_t)number, id, 16, &WEIGHT, NULL) == HS_OK);
    }
    adders_left--;
}

/* Sums only grow, and no sample shows before its number does in the end. */
static void read_and_bury(int number) {
    static uint64_t seen[IDS];
    struct hs_total total;
    (void)number;
    memset(seen, 0, sizeof seen);
    while (adders_left > 0) {
        for (uint32_t id = 0; id < IDS; id++) {
            if (hs_totals_read(totals, id, &total)) {
                HS_CHECK(total.samples >= seen[id]);
                HS_CHECK(total.weight.objects >= 0.0);
                seen[id] = total.samples;
            }
            HS_CHECK(hs_totals_add_death(totals, id, 1000, 1, 1.0) == HS_OK);
        }
    }
}

enum { FEW = 3 };

static void add_to_few(int number) {
    for (uint32_t i = 0; i < ROUNDS; i++) {
        HS_CHECK(hs_totals_add(totals, (uint32_t)number, i % FEW, 16, &WEIGHT, NULL) == HS_OK);
    }
}

Test(stress_totals, no_sample_is_lost_where_all_add) {
    cr_assert_eq(hs_totals_new(FEW, 1, &totals), HS_OK);
    crew_all(THREADS, add_to_few);
    double objects = 0.0;
    for (uint32_t id = 0; id < FEW; id++) {
        struct hs_total total = {0};
        cr_assert(hs_totals_read(totals, id, &total));
        objects += total.weight.objects;
    }
    cr_assert_eq(objects, 1.5 * THREADS * ROUNDS);
    cr_assert(hs_totals_is_valid(totals));
    hs_totals_free(totals);
}

/* When threads meet is chance, so they go on until they have. */
Test(stress_totals, threads_that_meet_make_another_lane) {
    enum { MOST_CREWS = 200 };
    struct hs_total total = {0};
    uint64_t crews = 0;
    cr_assert_eq(hs_totals_new(FEW, HS_TOTALS_MAX_LANES, &totals), HS_OK);
    cr_assert_eq(hs_totals_reserve(totals, 0, 0), HS_OK);
    size_t used = hs_mem_used();
    while (hs_mem_used() == used && crews < MOST_CREWS) {
        crew_all(THREADS, add_to_few);
        crews++;
    }
    cr_assert_gt(hs_mem_used(), used, "after %d crews", (int)crews);
    cr_assert(hs_totals_read(totals, 0, &total));
    cr_assert_eq(total.samples, crews * THREADS * ((ROUNDS + FEW - 1) / FEW));
    cr_assert(hs_totals_is_valid(totals));
    hs_totals_free(totals);
}

enum { BLOCKS = 3000 };

/* The thread that makes a block is slow, so the others catch up: a race for each of them. */
static void add_to_each_block(int number) {
    for (uint32_t i = 0; i < BLOCKS; i++) {
        HS_CHECK(hs_totals_add(totals, (uint32_t)number, i * HS_TOTALS_BLOCK, 16, &WEIGHT, NULL) ==
                 HS_OK);
    }
}

Test(stress_totals, a_race_for_a_block_has_one_winner) {
    size_t before = hs_mem_used();
    cr_assert_eq(hs_totals_new(BLOCKS * HS_TOTALS_BLOCK, 1, &totals), HS_OK);
    crew_all(THREADS, add_to_each_block);
    for (uint32_t i = 0; i < BLOCKS; i++) {
        struct hs_total total = {0};
        cr_assert(hs_totals_read(totals, i * HS_TOTALS_BLOCK, &total));
        cr_assert_eq(total.samples, THREADS);
    }
    cr_assert(hs_totals_is_valid(totals));
    hs_totals_free(totals);
    cr_assert_eq(hs_mem_used(), before);
}

Test(stress_totals, no_sample_is_lost) {
    crew_work *const works[] = {add, add, add, add, read_and_bury};
    size_t before = hs_mem_used();
    adders_left = THREADS;
    cr_assert_eq(hs_totals_new(IDS, HS_TOTALS_MAX_LANES, &totals), HS_OK);
    crew_each(THREADS + 1, works);
    struct hs_total sum = {0};
    for (uint32_t id = 0; id < IDS; id++) {
        struct hs_total total = {0};
        cr_assert(hs_totals_read(totals, id, &total));
        cr_assert_eq(total.sampled_bytes, total.samples * 16);
        cr_assert_eq(total.weight.objects, 1.5 * (double)total.samples);
        cr_assert_eq(total.weight.objects_variance, 0.5 * (double)total.samples);
        cr_assert_eq(total.weight.bytes, 24.0 * (double)total.samples);
        cr_assert_eq(total.weight.bytes_variance, 8.0 * (double)total.samples);
        sum.samples += total.samples;
    }
    cr_assert_eq(sum.samples, THREADS * ROUNDS);
    cr_assert(hs_totals_is_valid(totals));
    hs_totals_free(totals);
    cr_assert_eq(hs_mem_used(), before);
}

/* While some add, another moves what there is to another table, again and again. */
static hs_totals *target;

static void add_to_be_moved(int number) {
    for (int i = 0; i < ROUNDS; i++) {
        HS_CHECK(hs_totals_add(totals, (uint32_t)number, 1, 16, &WEIGHT, NULL) == HS_OK);
    }
    adders_left--;
}

static void move_all(int number) {
    uint64_t samples = 0;
    (void)number;
    while (adders_left > 0) {
        HS_CHECK(hs_totals_move(totals, 1, target, 2, &samples) == HS_OK);
    }
    HS_CHECK(hs_totals_move(totals, 1, target, 2, &samples) == HS_OK);
    HS_CHECK(samples == (uint64_t)THREADS * ROUNDS);
}

Test(stress_totals, no_sample_is_lost_where_sums_are_moved) {
    crew_work *const works[] = {add_to_be_moved, add_to_be_moved, add_to_be_moved, add_to_be_moved,
                                move_all};
    struct hs_total total;
    adders_left = THREADS;
    cr_assert_eq(hs_totals_new(THREADS, HS_TOTALS_MAX_LANES, &totals), HS_OK);
    cr_assert_eq(hs_totals_new(THREADS, HS_TOTALS_MAX_LANES, &target), HS_OK);
    crew_each(THREADS + 1, works);
    cr_assert_not(hs_totals_has(totals, 1));
    cr_assert(hs_totals_read(target, 2, &total));
    cr_assert_eq(total.samples, (uint64_t)THREADS * ROUNDS);
    cr_assert_eq(total.sampled_bytes, (uint64_t)16 * THREADS * ROUNDS);
    cr_assert_eq(total.weight.bytes, 24.0 * THREADS * ROUNDS);
    cr_assert(hs_totals_is_valid(totals));
    hs_totals_free(totals);
    cr_assert(hs_totals_is_valid(target));
    hs_totals_free(target);
}
