/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_tally.h"

#include <criterion/criterion.h>

Test(tally, sums_whatever_the_stripe) {
    static struct hs_tally tally;
    cr_assert_eq(hs_tally_sum(&tally), 0);
    for (uint32_t stripe = 0; stripe < 1000; stripe++) {
        hs_tally_add(&tally, stripe);
        hs_tally_add(&tally, UINT32_MAX - stripe);
        cr_assert_eq(hs_tally_sum(&tally), 2 * (stripe + 1));
    }
}

Test(tally, counters_of_a_thread_lie_in_one_line_and_do_not_mix) {
    static _Alignas(64) struct hs_tally tally;
    for (uint32_t which = 0; which < HS_TALLY_COUNTS; which++) {
        hs_tally_add_to(&tally, 5, which, 10 + which);
        hs_tally_add_to(&tally, 6, which, 1);
        cr_assert_eq((uintptr_t)&tally.lines[5].counts[which] / 64,
                     (uintptr_t)&tally.lines[5] / 64);
    }
    for (uint32_t which = 0; which < HS_TALLY_COUNTS; which++) {
        cr_assert_eq(hs_tally_sum_of(&tally, which), 11 + which);
    }
    cr_assert_eq(hs_tally_sum(&tally), 11);
}

Test(tally, neighbours_do_not_share_a_cache_line) {
    static struct hs_tally tally;
    hs_tally_add(&tally, 3);
    cr_assert_eq(tally.lines[3].counts[0], 1);
    cr_assert_eq((char *)&tally.lines[4].counts - (char *)&tally.lines[3].counts, 64);
}
