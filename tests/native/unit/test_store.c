/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_store.h"

#include <criterion/criterion.h>

#include "hs_mem.h"
#include "small_store.h"

Test(store, keeps_to_its_limits) {
    fake_reset();
    struct hs_store *store = small_store();
    cr_assert(memcmp(&store->limits, &SMALL_LIMITS, sizeof SMALL_LIMITS) == 0);
    cr_assert_eq(hs_intern_capacity(store->names), SMALL_LIMITS.names);
    cr_assert_eq(hs_intern_capacity(store->stacks), SMALL_LIMITS.stacks);
    cr_assert_eq(hs_intern_capacity(store->sites), SMALL_LIMITS.sites);
    cr_assert_eq(hs_live_capacity(store->live), SMALL_LIMITS.tracked);
    cr_assert_eq(hs_departed_count(store->departed), 0);
    hs_store_free(store, &FAKE_OPS, FAKE_ENV);
}

Test(store, gives_every_reference_and_every_byte_back) {
    fake_reset();
    size_t before = hs_mem_used();
    struct hs_store *store = small_store();
    struct hs_sample sample = {.recordings = 1, .size = 24};
    hs_ref displaced;
    for (uint32_t i = 0; i < 5; i++) {
        cr_assert(hs_classes_put(store->classes, i, fake_ref(), i + 1));
        cr_assert_eq(hs_live_add(store->live, fake_ref(), &sample, 0, &displaced), HS_OK);
        (void)small_stack(store, (int32_t)i);
        (void)small_event(store, "shop.Cart", (int64_t)i, 24);
    }
    cr_assert_eq(fake_outstanding(), 10);
    hs_store_free(store, &FAKE_OPS, FAKE_ENV);
    cr_assert_eq(fake_outstanding(), 0);
    cr_assert_eq(hs_mem_used(), before);
    hs_store_free(NULL, &FAKE_OPS, FAKE_ENV);
}

Test(store, limits_of_zero_are_refused_but_for_tracked_and_dead) {
    size_t before = hs_mem_used();
    struct hs_limits odd[5];
    struct hs_store *store;
    for (int i = 0; i < 5; i++) {
        odd[i] = SMALL_LIMITS;
    }
    odd[0].stacks = 0;
    odd[1].names = 0;
    odd[2].sites = 0;
    odd[3].threads = 0;
    odd[4].names = (1 << 24) + 1;
    for (int i = 0; i < 5; i++) {
        store = (struct hs_store *)16;
        cr_assert_eq(hs_store_new(&odd[i], &store), HS_INVALID, "limits %d", i);
        cr_assert_null(store);
        cr_assert_eq(hs_mem_used(), before, "nothing is left behind");
    }
    struct hs_limits none = SMALL_LIMITS;
    none.tracked = 0;
    none.dead = 0;
    cr_assert_eq(hs_store_new(&none, &store), HS_OK);
    hs_store_free(store, &FAKE_OPS, FAKE_ENV);
    cr_assert_eq(hs_mem_used(), before);
}

Test(store, does_not_fit_into_a_budget_that_is_too_small) {
    size_t before = hs_mem_used();
    struct hs_store *store = small_store();
    size_t bytes = hs_mem_used() - before;
    hs_store_free(store, &FAKE_OPS, FAKE_ENV);
    hs_mem_set_budget(before + bytes - 1);
    cr_assert_eq(hs_store_new(&SMALL_LIMITS, &store), HS_NO_MEMORY);
    cr_assert_null(store);
    cr_assert_eq(hs_mem_used(), before);
    hs_mem_set_budget(before + bytes);
    cr_assert_eq(hs_store_new(&SMALL_LIMITS, &store), HS_OK);
    hs_store_free(store, &FAKE_OPS, FAKE_ENV);
    hs_mem_set_budget(HS_MEM_DEFAULT_BUDGET);
}
