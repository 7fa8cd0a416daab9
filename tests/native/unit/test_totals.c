/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_totals.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "hs_mem.h"

static hs_totals *make(uint32_t max_id) {
    hs_totals *totals;
    cr_assert_eq(hs_totals_new(max_id, 1, &totals), HS_OK);
    return totals;
}

static const struct hs_weight WEIGHT = {
    .objects = 3.0, .objects_variance = 5.0, .bytes = 48.0, .bytes_variance = 1280.0};

Test(totals, add_up_by_number) {
    static const uint32_t IDS[] = {0, 1, 127, 128, 129, 255, 256, 999, 1000};
    size_t before = hs_mem_used();
    hs_totals *totals = make(1000);
    for (uint32_t i = 0; i < 9; i++) {
        for (uint32_t n = 0; n <= i; n++) {
            cr_assert_eq(hs_totals_add(totals, 0, IDS[i], 16, &WEIGHT, NULL), HS_OK);
        }
    }
    for (uint32_t i = 0; i < 9; i++) {
        struct hs_total total;
        memset(&total, 0xFF, sizeof total);
        cr_assert(hs_totals_read(totals, IDS[i], &total));
        cr_assert_eq(total.samples, i + 1, "number %u", IDS[i]);
        cr_assert_eq(total.sampled_bytes, 16 * (i + 1));
        cr_assert_eq(total.weight.objects, 3.0 * (i + 1));
        cr_assert_eq(total.weight.objects_variance, 5.0 * (i + 1));
        cr_assert_eq(total.weight.bytes, 48.0 * (i + 1));
        cr_assert_eq(total.weight.bytes_variance, 1280.0 * (i + 1));
    }
    cr_assert(hs_totals_is_valid(totals));
    hs_totals_free(totals);
    hs_totals_free(NULL);
    cr_assert_eq(hs_mem_used(), before);
}

Test(totals, densities_add_up_over_lanes) {
    static const struct hs_density DENSITY = {.samples = 1, .length = 50000};
    static const struct hs_density UNKNOWN = {.samples = 1, .length = 0};
    hs_totals *totals = NULL;
    struct hs_total total;
    cr_assert_eq(hs_totals_new(1000, HS_TOTALS_MAX_LANES, &totals), HS_OK);
    for (uint32_t stripe = 0; stripe < 9; stripe++) {
        cr_assert_eq(hs_totals_add_lane(totals, stripe, 7), HS_OK);
        cr_assert_eq(hs_totals_add(totals, stripe, 7, 16, &WEIGHT, &DENSITY), HS_OK);
    }
    cr_assert_eq(hs_totals_add(totals, 0, 7, 16, &WEIGHT, &UNKNOWN), HS_OK);
    cr_assert_eq(hs_totals_add(totals, 0, 7, 16, &WEIGHT, NULL), HS_OK);
    cr_assert(hs_totals_read(totals, 7, &total));
    cr_assert_eq(total.samples, 11);
    cr_assert_eq(total.density.samples, 9);
    cr_assert_eq(total.density.length, 9 * 50000);
    cr_assert(hs_totals_is_valid(totals));
    hs_totals_free(totals);
}

Test(totals, of_other_numbers_there_are_none) {
    hs_totals *totals = make(200);
    struct hs_total total;
    cr_assert_eq(hs_totals_add(totals, 0, 5, 16, &WEIGHT, NULL), HS_OK);
    static const uint32_t NONE[] = {0, 4, 6, 128, 200, 201, 255, 256, UINT32_MAX};
    for (int i = 0; i < 9; i++) {
        cr_assert_not(hs_totals_read(totals, NONE[i], &total), "number %u", NONE[i]);
        struct hs_lifetimes lifetimes;
        cr_assert_not(hs_totals_lifetimes(totals, NONE[i], &lifetimes));
    }
    cr_assert(hs_totals_is_valid(totals));
    hs_totals_free(totals);
}

Test(totals, numbers_beyond_the_bound_are_refused) {
    hs_totals *totals = make(127);
    size_t used = hs_mem_used();
    cr_assert_eq(hs_totals_add(totals, 0, 128, 16, &WEIGHT, NULL), HS_NO_MEMORY);
    cr_assert_eq(hs_totals_add_death(totals, 128, 0, 0, 1.0), HS_NO_MEMORY);
    cr_assert_eq(hs_mem_used(), used);
    cr_assert(hs_totals_is_valid(totals));
    hs_totals_free(totals);
}

Test(totals, a_weight_without_variance_adds_none) {
    hs_totals *totals = make(0);
    struct hs_weight exact = hs_estimate_weigh(24, 0, 0);
    struct hs_total total;
    for (int i = 0; i < 10; i++) {
        cr_assert_eq(hs_totals_add(totals, 0, 0, 24, &exact, NULL), HS_OK);
    }
    cr_assert(hs_totals_read(totals, 0, &total));
    cr_assert_eq(total.weight.objects, 10.0);
    cr_assert_eq(total.weight.bytes, 240.0);
    cr_assert_eq(total.weight.objects_variance, 0.0);
    cr_assert_eq(total.weight.bytes_variance, 0.0);
    cr_assert(hs_totals_is_valid(totals));
    hs_totals_free(totals);
}

Test(totals, memory_comes_with_the_first_use_of_a_block) {
    hs_totals *totals = make(100000);
    size_t used = hs_mem_used();
    cr_assert_eq(hs_totals_add(totals, 0, 70000, 16, &WEIGHT, NULL), HS_OK);
    size_t block = hs_mem_used() - used;
    cr_assert_gt(block, 0);
    cr_assert_eq(
        hs_totals_add(totals, 0, 70000 / HS_TOTALS_BLOCK * HS_TOTALS_BLOCK, 16, &WEIGHT, NULL),
        HS_OK);
    cr_assert_eq(hs_mem_used(), used + block);
    cr_assert(hs_totals_is_valid(totals));
    hs_totals_free(totals);
}

Test(totals, room_made_before_lets_an_addition_succeed_without_memory) {
    hs_totals *totals = make(300);
    struct hs_total total;
    cr_assert_eq(hs_totals_reserve(totals, 0, 301), HS_NO_MEMORY, "beyond the bound");
    hs_mem_fail_at(1);
    cr_assert_eq(hs_totals_reserve(totals, 0, 300), HS_NO_MEMORY);
    cr_assert_eq(hs_totals_reserve(totals, 0, 300), HS_OK);
    cr_assert_not(hs_totals_read(totals, 300, &total), "room is no sample");
    hs_mem_fail_at(1);
    cr_assert_eq(hs_totals_reserve(totals, 0, 300), HS_OK);
    cr_assert_eq(hs_totals_add(totals, 0, 300, 16, &WEIGHT, NULL), HS_OK);
    hs_mem_fail_at(0);
    cr_assert(hs_totals_is_valid(totals));
    hs_totals_free(totals);
}

Test(lifetimes, ages_fall_into_powers_of_two_milliseconds) {
    static const struct {
        int64_t age_us;
        uint32_t bucket;
    } AGES[] = {
        {INT64_MIN, 0}, {-1, 0},   {0, 0},    {999, 0},  {1000, 1}, {1999, 1},
        {2000, 2},      {3999, 2}, {4000, 3}, {7999, 3}, {8000, 4}, {INT64_MAX, 31},
    };
    for (size_t i = 0; i < sizeof AGES / sizeof AGES[0]; i++) {
        cr_assert_eq(hs_lifetime_bucket(AGES[i].age_us), AGES[i].bucket, "%lld us",
                     (long long)AGES[i].age_us);
    }
    for (uint32_t i = 1; i < HS_LIFETIME_AGES; i++) {
        int64_t start_us = ((int64_t)1 << (i - 1)) * 1000;
        cr_assert_eq(hs_lifetime_bucket(start_us - 1), i - 1);
        cr_assert_eq(hs_lifetime_bucket(start_us), i);
    }
    cr_assert_eq(hs_lifetime_bucket(((int64_t)1 << 40) * 1000), 31);
}

Test(lifetimes, deaths_are_counted_in_estimated_objects) {
    hs_totals *totals = make(500);
    cr_assert_eq(hs_totals_add_death(totals, 300, 0, 0, 1.5), HS_OK);
    cr_assert_eq(hs_totals_add_death(totals, 300, 999, 14, 2.0), HS_OK);
    cr_assert_eq(hs_totals_add_death(totals, 300, 1500, 15, 4.0), HS_OK);
    cr_assert_eq(hs_totals_add_death(totals, 300, INT64_MAX, 16, 8.0), HS_OK);
    cr_assert_eq(hs_totals_add_death(totals, 300, -5, UINT32_MAX, 16.0), HS_OK);
    struct hs_lifetimes lifetimes;
    cr_assert(hs_totals_lifetimes(totals, 300, &lifetimes));
    cr_assert_eq(lifetimes.deaths, 5);
    for (int i = 0; i < HS_LIFETIME_AGES; i++) {
        double wanted = i == 0 ? 19.5 : i == 1 ? 4.0 : i == 31 ? 8.0 : 0.0;
        cr_assert_eq(lifetimes.by_age[i], wanted, "bucket %d", i);
    }
    for (int i = 0; i < HS_LIFETIME_COLLECTIONS; i++) {
        double wanted = i == 0 ? 1.5 : i == 14 ? 2.0 : i == 15 ? 28.0 : 0.0;
        cr_assert_eq(lifetimes.by_collections[i], wanted, "collections %d", i);
    }
    cr_assert_not(hs_totals_lifetimes(totals, 301, &lifetimes), "no object of its neighbour died");
    struct hs_total total;
    cr_assert_not(hs_totals_read(totals, 300, &total), "a death is no sample");
    cr_assert(hs_totals_is_valid(totals));
    hs_totals_free(totals);
}

Test(lifetimes, are_freed_with_the_totals) {
    size_t before = hs_mem_used();
    hs_totals *totals = make(500);
    for (uint32_t id = 0; id <= 500; id += 3) {
        cr_assert_eq(hs_totals_add_death(totals, id, 0, 0, 1.0), HS_OK);
    }
    cr_assert(hs_totals_is_valid(totals));
    hs_totals_free(totals);
    cr_assert_eq(hs_mem_used(), before);
}

Test(totals, lanes_are_summed) {
    static const uint32_t STRIPES[] = {0, 1, 2, 3, 4, 1000, UINT32_MAX};
    enum { COUNT = sizeof STRIPES / sizeof STRIPES[0] };
    size_t before = hs_mem_used();
    hs_totals *totals;
    struct hs_total total;
    cr_assert_eq(hs_totals_new(300, HS_TOTALS_MAX_LANES, &totals), HS_OK);
    for (int i = 0; i < COUNT; i++) {
        cr_assert_eq(hs_totals_add_lane(totals, STRIPES[i], 300), HS_OK);
        cr_assert_eq(hs_totals_add(totals, STRIPES[i], 300, 16, &WEIGHT, NULL), HS_OK);
        cr_assert(hs_totals_read(totals, 300, &total));
        cr_assert_eq(total.samples, (uint64_t)i + 1, "stripe %u", STRIPES[i]);
    }
    cr_assert_eq(total.sampled_bytes, COUNT * 16);
    cr_assert_float_eq(total.weight.bytes, COUNT * WEIGHT.bytes, 1e-9);
    cr_assert_not(hs_totals_read(totals, 299, &total), "its neighbour has none");
    cr_assert_eq(hs_totals_add_death(totals, 300, 0, 0, 1.0), HS_OK);
    struct hs_lifetimes lifetimes;
    cr_assert(hs_totals_lifetimes(totals, 300, &lifetimes));
    cr_assert_eq(lifetimes.deaths, 1);
    cr_assert(hs_totals_is_valid(totals));
    hs_totals_free(totals);
    cr_assert_eq(hs_mem_used(), before);
}

Test(totals, sums_and_lifetimes_move_to_another_table) {
    hs_totals *old;
    hs_totals *new;
    struct hs_total total;
    uint64_t samples = 0;
    const struct hs_density density = {.samples = 2, .length = 70};
    size_t before = hs_mem_used();
    cr_assert_eq(hs_totals_new(10, HS_TOTALS_MAX_LANES, &old), HS_OK);
    cr_assert_eq(hs_totals_new(300, HS_TOTALS_MAX_LANES, &new), HS_OK);
    cr_assert_not(hs_totals_has(old, 3));
    for (uint32_t stripe = 0; stripe < 8; stripe++) {
        cr_assert_eq(hs_totals_add_lane(old, stripe, 3), HS_OK);
        cr_assert_eq(hs_totals_add(old, stripe, 3, 16, &WEIGHT, stripe == 0 ? &density : NULL),
                     HS_OK);
        cr_assert_eq(hs_totals_add(old, stripe, 4, 16, &WEIGHT, NULL), HS_OK);
    }
    for (uint32_t id = 3; id <= 4; id++) {
        cr_assert(hs_totals_has(old, id));
        cr_assert_eq(hs_totals_add_death(old, id, 5000, 2, 1.5), HS_OK);
        cr_assert_eq(hs_totals_move(old, id, new, 200, &samples), HS_OK, "both become one");
        cr_assert_not(hs_totals_has(old, id));
    }
    cr_assert_eq(samples, 16);
    cr_assert_not(hs_totals_read(old, 3, &total));
    cr_assert(hs_totals_read(new, 200, &total));
    cr_assert_eq(total.samples, 16);
    cr_assert_eq(total.sampled_bytes, 16 * 16);
    cr_assert_eq(total.weight.objects, 16 * WEIGHT.objects);
    cr_assert_eq(total.weight.bytes_variance, 16 * WEIGHT.bytes_variance);
    cr_assert_eq(total.density.samples, 2);
    cr_assert_eq(total.density.length, 70);
    struct hs_lifetimes lifetimes;
    cr_assert(hs_totals_lifetimes(new, 200, &lifetimes));
    cr_assert_eq(lifetimes.deaths, 2);
    cr_assert_eq(lifetimes.by_collections[2], 3.0);
    cr_assert_not(hs_totals_lifetimes(old, 3, &lifetimes));
    hs_totals_clear(new);
    cr_assert_not(hs_totals_has(new, 200));
    cr_assert(hs_totals_is_valid(old));
    hs_totals_free(old);
    cr_assert(hs_totals_is_valid(new));
    hs_totals_free(new);
    cr_assert_eq(hs_mem_used(), before);
}

Test(totals, the_walker_finds_what_is_no_sum) {
    static const double ODD[] = {-1.0, (double)INFINITY, (double)NAN};
    for (size_t i = 0; i < sizeof ODD / sizeof ODD[0]; i++) {
        for (int field = 0; field < 5; field++) {
            hs_totals *totals = make(1000);
            struct hs_weight weight = WEIGHT;
            double *fields[] = {&weight.objects, &weight.objects_variance, &weight.bytes,
                                &weight.bytes_variance};
            double objects = field == 4 ? ODD[i] : 1.0;
            cr_assert_eq(hs_totals_add(totals, 0, 7, 16, &weight, NULL), HS_OK);
            cr_assert(hs_totals_is_valid(totals));
            if (field < 4) {
                *fields[field] = ODD[i] * 1e9;
            }
            cr_assert_eq(hs_totals_add(totals, 0, 7, 16, &weight, NULL), HS_OK);
            cr_assert_eq(hs_totals_add_death(totals, 7, 5000, 2, objects), HS_OK);
            cr_assert_not(hs_totals_is_valid(totals), "%zu, %d", i, field);
            hs_totals_free(totals);
        }
    }
}

Test(lifetimes, take_room_by_the_buckets_that_they_have) {
    hs_totals *totals = make(500);
    cr_assert_eq(hs_totals_reserve(totals, 0, 300), HS_OK);
    size_t used = hs_mem_used();
    cr_assert_eq(hs_totals_add_death(totals, 300, 0, 0, 1.0), HS_OK);
    cr_assert_leq(hs_mem_used() - used, 32);
    used = hs_mem_used();
    cr_assert_eq(hs_totals_add_death(totals, 300, 0, 0, 1.0), HS_OK);
    cr_assert_eq(hs_mem_used(), used, "no other bucket, no other room");
    hs_totals_free(totals);
}

Test(lifetimes, a_death_without_memory_is_not_recorded) {
    hs_totals *totals = make(500);
    struct hs_lifetimes lifetimes;
    cr_assert_eq(hs_totals_add_death(totals, 300, 0, 0, 1.0), HS_OK);
    hs_mem_fail_at(1);
    cr_assert_eq(hs_totals_add_death(totals, 300, 5000, 0, 2.0), HS_NO_MEMORY);
    cr_assert(hs_totals_lifetimes(totals, 300, &lifetimes));
    cr_assert_eq(lifetimes.deaths, 1);
    cr_assert_eq(lifetimes.by_collections[0], 1.0);
    hs_totals_free(totals);
}

Test(lifetimes, a_move_without_memory_leaves_them) {
    hs_totals *old = make(500);
    hs_totals *new = make(500);
    struct hs_lifetimes lifetimes;
    uint64_t samples = 0;
    cr_assert_eq(hs_totals_add(old, 0, 1, 16, &WEIGHT, NULL), HS_OK);
    cr_assert_eq(hs_totals_add_death(old, 1, 0, 0, 1.0), HS_OK);
    cr_assert_eq(hs_totals_add_death(new, 2, 5000, 1, 2.0), HS_OK);
    hs_mem_fail_at(1);
    cr_assert_eq(hs_totals_move(old, 1, new, 2, &samples), HS_NO_MEMORY);
    cr_assert_eq(samples, 0);
    cr_assert(hs_totals_lifetimes(old, 1, &lifetimes));
    cr_assert_eq(hs_totals_move(old, 1, new, 2, &samples), HS_OK);
    cr_assert_eq(samples, 1);
    cr_assert_not(hs_totals_has(old, 1));
    cr_assert(hs_totals_lifetimes(new, 2, &lifetimes));
    cr_assert_eq(lifetimes.deaths, 2);
    cr_assert_eq(lifetimes.by_age[hs_lifetime_bucket(0)], 1.0);
    cr_assert_eq(lifetimes.by_age[hs_lifetime_bucket(5000)], 2.0);
    hs_totals_free(old);
    hs_totals_free(new);
}

/* As "(other)" in a rotation: whatever is moved there, it needs no memory. */
Test(totals, with_all_room_made_neither_a_move_nor_a_death_needs_memory) {
    hs_totals *old = make(500);
    hs_totals *new = make(500);
    struct hs_lifetimes lifetimes;
    uint64_t samples = 0;
    for (uint64_t n = 1; n <= 2; n++) {
        hs_mem_fail_at(n);
        cr_assert_eq(hs_totals_reserve_all(new, 0), HS_NO_MEMORY);
        hs_mem_fail_at(0);
        hs_totals_clear(new);
    }
    cr_assert_eq(hs_totals_reserve_all(new, 0), HS_OK);
    cr_assert_not(hs_totals_has(new, 0), "room is no sum");
    cr_assert_not(hs_totals_lifetimes(new, 0, &lifetimes), "and no death");
    for (uint32_t i = 0; i < HS_LIFETIME_AGES; i++) {
        cr_assert_eq(hs_totals_add(old, i, i, 16, &WEIGHT, NULL), HS_OK);
        cr_assert_eq(hs_totals_add_death(old, i, (int64_t)1000 << i, i, 1.0), HS_OK);
    }
    hs_mem_fail_at(1);
    for (uint32_t i = 0; i < HS_LIFETIME_AGES; i++) {
        cr_assert_eq(hs_totals_move(old, i, new, 0, &samples), HS_OK);
    }
    cr_assert_eq(hs_totals_add_death(new, 0, INT64_MAX, 3, 1.0), HS_OK);
    hs_mem_fail_at(0);
    cr_assert_eq(samples, HS_LIFETIME_AGES);
    cr_assert(hs_totals_lifetimes(new, 0, &lifetimes));
    cr_assert_eq(lifetimes.deaths, HS_LIFETIME_AGES + 1);
    cr_assert(hs_totals_is_valid(new));
    hs_totals_free(old);
    hs_totals_free(new);
}

Test(totals, another_lane_is_made_only_where_threads_meet) {
    hs_totals *totals;
    cr_assert_eq(hs_totals_new(500, HS_TOTALS_MAX_LANES, &totals), HS_OK);
    cr_assert_eq(hs_totals_add(totals, 0, 300, 16, &WEIGHT, NULL), HS_OK);
    size_t used = hs_mem_used();
    for (uint32_t stripe = 1; stripe < 8; stripe++) {
        cr_assert_eq(hs_totals_reserve(totals, stripe, 300), HS_OK);
        cr_assert_eq(hs_totals_add(totals, stripe, 300, 16, &WEIGHT, NULL), HS_OK);
    }
    cr_assert_eq(hs_mem_used(), used, "no two threads were at it at once");
    hs_totals_free(totals);
}

/* However many threads meet; and there is room again once sums were forgotten. */
Test(totals, few_blocks_have_more_lanes) {
    enum { BLOCKS = 64, MOST = BLOCKS / HS_TOTALS_LANE_SHARE + HS_TOTALS_MAX_LANES - 1 };
    hs_totals *totals;
    cr_assert_eq(hs_totals_new(BLOCKS * HS_TOTALS_BLOCK - 1, HS_TOTALS_MAX_LANES, &totals), HS_OK);
    for (int round = 0; round < 3; round++) {
        uint32_t made = 0;
        for (uint32_t id = 0; id < BLOCKS * HS_TOTALS_BLOCK; id += HS_TOTALS_BLOCK) {
            for (uint32_t stripe = 1; stripe < HS_TOTALS_MAX_LANES; stripe++) {
                enum hs_status status = hs_totals_add_lane(totals, stripe, id);
                cr_assert(status == HS_OK || (status == HS_FULL && made == MOST));
                made += status == HS_OK;
                cr_assert_eq(hs_totals_add(totals, stripe, id, 16, &WEIGHT, NULL), HS_OK);
            }
        }
        cr_assert_eq(made, MOST);
        cr_assert_eq(hs_totals_add_lane(totals, 1, 0), HS_OK, "it is there");
        for (uint32_t id = 0; id < BLOCKS * HS_TOTALS_BLOCK; id += HS_TOTALS_BLOCK) {
            struct hs_total total;
            cr_assert(hs_totals_read(totals, id, &total));
            cr_assert_eq(total.samples, HS_TOTALS_MAX_LANES - 1);
            if (round == 0) {
                hs_totals_clear_block(totals, id);
            }
        }
        hs_totals_clear(totals);
    }
    hs_totals_free(totals);
}

Test(totals, one_block_is_forgotten) {
    hs_totals *totals;
    struct hs_total total;
    cr_assert_eq(hs_totals_new(1000, HS_TOTALS_MAX_LANES, &totals), HS_OK);
    size_t used = hs_mem_used();
    for (uint32_t id = 2 * HS_TOTALS_BLOCK; id < 3 * HS_TOTALS_BLOCK; id++) {
        cr_assert_eq(hs_totals_add_lane(totals, id, id), HS_OK);
        cr_assert_eq(hs_totals_add(totals, id, id, 16, &WEIGHT, NULL), HS_OK);
        cr_assert(hs_totals_has(totals, id));
        cr_assert_eq(hs_totals_add_death(totals, id, 0, 0, 1.0), HS_OK);
    }
    hs_totals_clear_block(totals, 2 * HS_TOTALS_BLOCK + 5);
    cr_assert_eq(hs_mem_used(), used);
    cr_assert_eq(hs_totals_add(totals, 0, 1, 16, &WEIGHT, NULL), HS_OK);
    cr_assert_eq(hs_totals_add(totals, 0, 3 * HS_TOTALS_BLOCK, 16, &WEIGHT, NULL), HS_OK);
    hs_totals_clear_block(totals, 2 * HS_TOTALS_BLOCK);
    cr_assert(hs_totals_read(totals, 1, &total));
    cr_assert(hs_totals_read(totals, 3 * HS_TOTALS_BLOCK, &total));
    cr_assert_not(hs_totals_has(totals, 2 * HS_TOTALS_BLOCK));
    hs_totals_free(totals);
}
