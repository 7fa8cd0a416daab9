/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_cost.h"

#include <criterion/criterion.h>
#include <string.h>

static struct hs_cost cost;

static void set_up(void) {
    memset(&cost, 0, sizeof cost);
    hs_cost_renew(&cost);
}

/* Ends none of them. */
static uint32_t measured_in_a_row(void) {
    int64_t began_ns;
    uint32_t count = 0;
    while (count < 2 * HS_COST_MEASURED && hs_cost_begin(&cost, &began_ns)) {
        count++;
    }
    return count;
}

Test(cost, the_same_number_is_measured_after_a_renewal, .init = set_up) {
    cr_assert_eq(measured_in_a_row(), HS_COST_MEASURED);
    cr_assert_eq(measured_in_a_row(), 0);
    hs_cost_pass_on(&cost);
    cr_assert_eq(measured_in_a_row(), 1);
}

/* It began before the renewal. */
Test(cost, what_is_passed_on_after_a_renewal_measures_no_more, .init = set_up) {
    hs_cost_pass_on(&cost);
    cr_assert_eq(measured_in_a_row(), HS_COST_MEASURED);
}

Test(cost, an_end_adds_up, .init = set_up) {
    int64_t began_ns;
    cr_assert(hs_cost_begin(&cost, &began_ns));
    hs_cost_end(&cost, began_ns - 1000000);
    cr_assert_eq(atomic_load(&cost.count), 1);
    cr_assert_geq(atomic_load(&cost.max_ns), 900000);
    cr_assert_eq(atomic_load(&cost.total_ns), atomic_load(&cost.max_ns));
}
