/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include <criterion/criterion.h>

#include "hs_mem.h"
#include "hs_places.h"

static struct hs_places *places;
static size_t used_before;

static void set_up(void) {
    used_before = hs_mem_used();
    cr_assert_eq(hs_places_new(&places), HS_OK);
}

static void tear_down(void) {
    hs_places_free(places);
    cr_assert_eq(hs_mem_used(), used_before);
}

TestSuite(places, .init = set_up, .fini = tear_down, .timeout = 60);

Test(places, a_number_is_found_at_its_address_alone) {
    cr_assert_eq(hs_places_get(places, 4096), 0);
    cr_assert(hs_places_put(places, 4096, 7));
    cr_assert_eq(hs_places_get(places, 4096), 7);
    cr_assert_eq(hs_places_get(places, 4104), 0);
    cr_assert_eq(hs_places_get(places, 4096 + (1 << 20)), 0, "the same place in the next MiB");
    cr_assert_eq(hs_places_get(places, 4096 + (UINT64_C(1) << 34)), 0, "in the next 16 GiB");
    cr_assert(hs_places_put(places, 4096 + (1 << 20), 8));
    cr_assert(hs_places_put(places, 4096 + (UINT64_C(1) << 34), UINT32_MAX));
    cr_assert_eq(hs_places_get(places, 4096), 7);
    cr_assert_eq(hs_places_get(places, 4096 + (1 << 20)), 8);
    cr_assert_eq(hs_places_get(places, 4096 + (UINT64_C(1) << 34)), UINT32_MAX);
}

/* The first place has no bit set, and must not look free. */
Test(places, the_first_and_the_last_address_have_places) {
    uint64_t last = (UINT64_C(1) << 48) - 8;
    cr_assert(hs_places_put(places, 0, 1));
    cr_assert(hs_places_put(places, last, 2));
    cr_assert_eq(hs_places_get(places, 0), 1);
    cr_assert_eq(hs_places_get(places, last), 2);
}

Test(places, what_is_no_address_of_an_object_has_none) {
    for (int i = 1; i < 8; i++) {
        cr_assert_not(hs_places_put(places, 4096 + (uint64_t)i, 1));
        cr_assert_eq(hs_places_get(places, 4096 + (uint64_t)i), 0);
    }
    cr_assert_not(hs_places_put(places, UINT64_C(1) << 48, 1));
    cr_assert_eq(hs_places_get(places, UINT64_MAX - 7), 0);
}

/* Each place of a MiB, as in a heap of the smallest objects, and some far away. */
Test(places, a_full_area_keeps_all) {
    uint64_t base = UINT64_C(0x7f1234500000);
    for (uint32_t i = 0; i < 1 << 17; i++) {
        uint32_t at = i * 7919 % (1 << 17);
        cr_assert(hs_places_put(places, base + (uint64_t)at * 8, at + 1));
    }
    for (uint32_t i = 0; i < 1 << 17; i++) {
        cr_assert_eq(hs_places_get(places, base + (uint64_t)i * 8), i + 1);
    }
    cr_assert_eq(hs_places_get(places, base - 8), 0);
    cr_assert_eq(hs_places_get(places, base + (1 << 20)), 0);
    cr_assert_lt(hs_places_bytes(places), 14 * (1 << 17) + 400 * 1024);
}

Test(places, without_memory_nothing_is_put_and_nothing_lost) {
    bool has_failed = false;
    uint32_t put = 0;
    for (uint64_t n = 1; n < 20; n++) {
        hs_mem_fail_at(n);
        for (int i = 0; i < 100; i++) {
            bool is_put = hs_places_put(places, (uint64_t)put * 8, put + 1);
            has_failed = has_failed || !is_put;
            put += is_put ? 1 : 0;
        }
    }
    hs_mem_fail_at(0);
    cr_assert(has_failed);
    for (uint32_t i = 0; i < put; i++) {
        cr_assert_eq(hs_places_get(places, (uint64_t)i * 8), i + 1);
    }
    cr_assert_eq(hs_places_get(places, (uint64_t)put * 8), 0);
}
