/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_garbage.h"

#include <criterion/criterion.h>

#include "hs_estimate.h"

enum { KIB = 1024, MIB = 1024 * 1024 };

static struct hs_garbage garbage;

static void begin(uint64_t bound) {
    hs_garbage_init(&garbage, bound, 0);
}

Test(garbage, without_a_bound_nothing_is_charged_and_there_is_always_room) {
    begin(0);
    cr_assert_eq(hs_garbage_charge(&garbage, 1 << 30, 512 * KIB, 20), HS_GARBAGE_NOTHING);
    cr_assert_eq(hs_garbage_extra(&garbage, UINT64_C(1) << 40), 0);
    hs_garbage_change(&garbage, HS_GARBAGE_NOTHING, HS_GARBAGE_NOTHING);
    cr_assert_eq(hs_garbage_charged(&garbage), 0);
    cr_assert(hs_garbage_has_room(&garbage, HS_GARBAGE_NOTHING, 0));
}

Test(garbage, what_is_smaller_holds_nothing) {
    hs_garbage_init(&garbage, 8 * MIB, MIB);
    cr_assert_eq(hs_garbage_charge(&garbage, MIB - 8, 512 * KIB, 0), HS_GARBAGE_NOTHING);
    cr_assert_eq(hs_garbage_extra(&garbage, MIB - 8), 0);
    cr_assert_not(hs_garbage_counts(&garbage, MIB - 8));
    cr_assert_eq(hs_garbage_charge(&garbage, MIB, 512 * KIB, 0), 20);
    cr_assert_eq(hs_garbage_extra(&garbage, MIB), 0);
    cr_assert(hs_garbage_counts(&garbage, MIB));
    cr_assert_eq(hs_garbage_extra(&garbage, 8 * MIB), 0, "no other sample pays for it");
    cr_assert_eq(hs_garbage_extra(&garbage, 8 * MIB + 8), 1,
                 "it would be more than the bound by itself");
    begin(0);
    cr_assert_not(hs_garbage_counts(&garbage, MIB), "without a bound nothing does");
}

Test(garbage, an_object_is_charged_16_kib_or_its_size) {
    begin(8 * MIB);
    cr_assert_eq(hs_garbage_charge(&garbage, 24, 512 * KIB, 0), 14);
    cr_assert_eq(hs_garbage_charge(&garbage, 16 * KIB, 512 * KIB, 0), 14);
    cr_assert_eq(hs_garbage_charge(&garbage, 16 * KIB + 8, 512 * KIB, 0), 15);
    cr_assert_eq(hs_garbage_charge(&garbage, 1 * MIB, 512 * KIB, 0), 20);
    cr_assert_eq(hs_garbage_charge(&garbage, UINT64_C(1) << 34, 512 * KIB, 0), 23,
                 "the bound at most");
    begin(9 * MIB);
    cr_assert_eq(hs_garbage_charge(&garbage, 100 * MIB, 0, 0), 23, "never more than the bound");
}

Test(garbage, what_stands_for_less_is_charged_what_it_stands_for) {
    begin(8 * MIB);
    cr_assert_eq(hs_garbage_charge(&garbage, 64, 512, 0), 9);
    cr_assert_eq(hs_garbage_charge(&garbage, 64, 512, 3), 12);
    cr_assert_eq(hs_garbage_charge(&garbage, 64, 512, 24), 14);
    cr_assert_eq(hs_garbage_charge(&garbage, 64, 0, 0), 6,
                 "all are sampled: each stands for itself");
    cr_assert_eq(hs_garbage_charge(&garbage, 4096, 512, 1), 13);
    cr_assert_eq(hs_garbage_charge(&garbage, 1, 0, 0), 1,
                 "an exponent of 0 says that it is not charged");
}

Test(garbage, what_was_drawn_by_chance_is_charged_what_it_stands_for) {
    begin(8 * MIB);
    cr_assert_eq(hs_garbage_charge(&garbage, 64, hs_estimate_drawn_by(1.0), 0), 6,
                 "only for itself");
    cr_assert_eq(hs_garbage_charge(&garbage, 64, hs_estimate_drawn_by(0.1), 0), 10);
    cr_assert_eq(hs_garbage_charge(&garbage, 64, hs_estimate_drawn_by(1e-9), 0), 14);
    cr_assert_eq(hs_garbage_charge(&garbage, 64, hs_estimate_drawn_by(1e-30), 0), 14);
}

Test(garbage, what_is_a_large_part_of_the_bound_is_thinned_further) {
    begin(8 * MIB); /* a sixteenth: 512 KiB */
    cr_assert_eq(hs_garbage_extra(&garbage, 24), 0);
    cr_assert_eq(hs_garbage_extra(&garbage, 512 * KIB), 0);
    cr_assert_eq(hs_garbage_extra(&garbage, 512 * KIB + 8), 1);
    cr_assert_eq(hs_garbage_extra(&garbage, 16 * MIB), 5);
    cr_assert_eq(hs_garbage_extra(&garbage, UINT64_C(1) << 40), 8, "at most");
    begin(16 * KIB);
    cr_assert_eq(hs_garbage_extra(&garbage, 16 * KIB), 0,
                 "what each is charged anyway is not large");
    cr_assert_eq(hs_garbage_extra(&garbage, 17 * KIB), 1);
}

Test(garbage, the_sum_follows_each_change) {
    begin(8 * MIB);
    hs_garbage_change(&garbage, HS_GARBAGE_NOTHING, 14);
    hs_garbage_change(&garbage, HS_GARBAGE_NOTHING, 20);
    cr_assert_eq(hs_garbage_charged(&garbage), 16 * KIB + MIB);
    hs_garbage_change(&garbage, 14, 15);
    cr_assert_eq(hs_garbage_charged(&garbage), 32 * KIB + MIB);
    hs_garbage_change(&garbage, 20, HS_GARBAGE_NOTHING);
    hs_garbage_change(&garbage, 15, HS_GARBAGE_NOTHING);
    cr_assert_eq(hs_garbage_charged(&garbage), 0);
}

Test(garbage, there_is_room_up_to_the_bound_and_half_of_it_for_each_level_that_has_risen) {
    begin(64 * KIB);
    for (int i = 0; i < 4; i++) {
        cr_assert(hs_garbage_has_room(&garbage, 14, 0));
        hs_garbage_change(&garbage, HS_GARBAGE_NOTHING, 14);
    }
    cr_assert(hs_garbage_has_room(&garbage, HS_GARBAGE_NOTHING, 0), "not over the bound");
    cr_assert_not(hs_garbage_has_room(&garbage, 14, 0));
    cr_assert_not(hs_garbage_has_room(&garbage, 1, 0));
    cr_assert(hs_garbage_has_room(&garbage, 15, 1));
    cr_assert_not(hs_garbage_has_room(&garbage, 16, 1));
    cr_assert(hs_garbage_has_room(&garbage, 16, 2));
}

Test(garbage, low_is_a_quarter_of_the_bound) {
    begin(64 * KIB);
    cr_assert(hs_garbage_is_low(&garbage, 16 * KIB));
    cr_assert_not(hs_garbage_is_low(&garbage, 16 * KIB + 1));
}

Test(garbage, a_note_stays_in_force_and_what_requests_a_sweep_makes_one_due) {
    begin(64 * KIB);
    cr_assert_not(hs_garbage_is_in_force(&garbage));
    cr_assert_not(hs_garbage_take_due(&garbage));
    hs_garbage_note(&garbage);
    cr_assert(hs_garbage_is_in_force(&garbage));
    cr_assert_not(hs_garbage_take_due(&garbage));
    hs_garbage_ask_for_sweep(&garbage);
    hs_garbage_ask_for_sweep(&garbage);
    cr_assert(hs_garbage_take_due(&garbage));
    cr_assert_not(hs_garbage_take_due(&garbage));
    cr_assert(hs_garbage_is_in_force(&garbage));
}

Test(garbage, the_walker_compares_the_sum_with_the_charges) {
    hs_garbage_init(&garbage, 1 << 20, 0);
    cr_assert(hs_garbage_is_valid(&garbage, 0));
    hs_garbage_change(&garbage, HS_GARBAGE_NOTHING, 5);
    cr_assert(hs_garbage_is_valid(&garbage, 32));
    cr_assert_not(hs_garbage_is_valid(&garbage, 33));
    garbage.bound = 0;
    cr_assert_not(hs_garbage_is_valid(&garbage, 32), "where nothing is held, nothing is charged");
}
