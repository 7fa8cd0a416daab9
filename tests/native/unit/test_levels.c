/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_levels.h"

#include <criterion/criterion.h>

/* Levels of which the first is for all, the second for those that hold garbage. */
static uint32_t levels_of(uint32_t all, uint32_t held) {
    return held << HS_GARBAGE_SHIFT | all;
}

Test(levels, what_holds_garbage_passes_the_higher_one) {
    cr_assert_eq(hs_levels_of_all(levels_of(2, 5)), 2);
    cr_assert_eq(hs_levels_of_garbage(levels_of(2, 5)), 5);
    cr_assert_eq(hs_levels_of_garbage(levels_of(7, 5)), 7);
    cr_assert_eq(hs_levels_of_garbage(0), 0);
}

Test(levels, raised_it_is_above_that_of_all) {
    cr_assert_eq(hs_levels_raise_garbage(0), levels_of(0, 1));
    cr_assert_eq(hs_levels_raise_garbage(levels_of(2, 5)), levels_of(2, 6));
    cr_assert_eq(hs_levels_raise_garbage(levels_of(7, 5)), levels_of(7, 8));
}

Test(levels, each_falls_by_one_and_not_below_0) {
    cr_assert_eq(hs_levels_lower_all(levels_of(2, 5)), levels_of(1, 5));
    cr_assert_eq(hs_levels_lower_all(levels_of(0, 5)), levels_of(0, 5));
    cr_assert_eq(hs_levels_lower_garbage(levels_of(2, 5)), levels_of(2, 4));
    cr_assert_eq(hs_levels_lower_garbage(levels_of(2, 0)), levels_of(2, 0));
}

Test(levels, a_level_wants_as_many_zeros) {
    cr_assert(hs_level_passes(UINT32_MAX, 0));
    for (uint32_t level = 1; level <= HS_MAX_LEVEL; level++) {
        cr_assert(hs_level_passes(UINT32_MAX >> level, level));
        cr_assert_not(hs_level_passes(UINT32_MAX >> (level - 1), level));
    }
}
