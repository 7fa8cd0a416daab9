/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_departed.h"

#include <criterion/criterion.h>

#include "hs_mem.h"

static hs_departed *make(uint32_t capacity) {
    hs_departed *departed;
    cr_assert_eq(hs_departed_new(capacity, &departed), HS_OK);
    cr_assert_eq(hs_departed_count(departed), 0);
    return departed;
}

static uint64_t add(hs_departed *departed, uint32_t number, uint64_t recordings) {
    struct hs_dead dead = {
        .sample = {.recordings = recordings, .site = number, .size = number * 8},
        .seen_alive_us = number,
        .found_dead_us = number + 1,
        .thinning = number % 5,
        .collections = number + 2,
    };
    uint64_t forgotten = 77;
    hs_departed_add(departed, &dead, &forgotten);
    return forgotten;
}

static void assert_numbers(hs_departed *departed, uint32_t first, uint32_t count) {
    cr_assert_eq(hs_departed_count(departed), count);
    for (uint32_t i = 0; i < count; i++) {
        const struct hs_dead *dead = hs_departed_get(departed, i);
        cr_assert_eq(dead->sample.site, first + i);
        cr_assert_eq(dead->sample.size, (first + i) * 8);
        cr_assert_eq(dead->seen_alive_us, first + i);
        cr_assert_eq(dead->found_dead_us, first + i + 1);
        cr_assert_eq(dead->thinning, (first + i) % 5);
        cr_assert_eq(dead->collections, first + i + 2);
    }
}

Test(departed, the_oldest_comes_first_and_goes_first) {
    static const uint32_t CAPACITIES[] = {1, 2, 3, 7, 64};
    size_t before = hs_mem_used();
    for (int c = 0; c < 5; c++) {
        uint32_t capacity = CAPACITIES[c];
        hs_departed *departed = make(capacity);
        for (uint32_t i = 0; i < 5 * capacity; i++) {
            uint64_t forgotten = add(departed, i, UINT64_C(1) << (i % 64));
            uint64_t wanted = i < capacity ? 0 : UINT64_C(1) << ((i - capacity) % 64);
            cr_assert_eq(forgotten, wanted, "the recordings of the one that went");
            uint32_t count = i < capacity ? i + 1 : capacity;
            assert_numbers(departed, i + 1 - count, count);
        }
        hs_departed_free(departed);
    }
    hs_departed_free(NULL);
    cr_assert_eq(hs_mem_used(), before);
}

Test(departed, a_ring_without_room_forgets_at_once) {
    hs_departed *departed = make(0);
    cr_assert_eq(add(departed, 1, 5), 5);
    cr_assert_eq(hs_departed_count(departed), 0);
    hs_departed_forget(departed, 5);
    hs_departed_free(departed);
}

Test(departed, forgetting_takes_the_bits_out_of_every_sample) {
    hs_departed *departed = make(4);
    for (uint32_t i = 0; i < 6; i++) { /* wrapped around */
        add(departed, i, 7);
    }
    hs_departed_forget(departed, 2);
    assert_numbers(departed, 2, 4);
    for (uint32_t i = 0; i < 4; i++) {
        cr_assert_eq(hs_departed_get(departed, i)->sample.recordings, 5);
    }
    cr_assert_eq(add(departed, 6, 2), 5, "the forgotten are those that were left");
    cr_assert_eq(hs_departed_get(departed, 3)->sample.recordings, 2);
    hs_departed_free(departed);
}
