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

Test(tally, neighbours_do_not_share_a_cache_line) {
    static struct hs_tally tally;
    hs_tally_add(&tally, 3);
    cr_assert_eq(tally.lines[3].count, 1);
    cr_assert_eq((char *)&tally.lines[4].count - (char *)&tally.lines[3].count, 64);
}
