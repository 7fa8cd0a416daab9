/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_dead_ring.h"

#include <criterion/criterion.h>

#include "hs_mem.h"

static hs_dead_ring *make(uint32_t capacity) {
    hs_dead_ring *dead_ring;
    cr_assert_eq(hs_dead_ring_new(capacity, &dead_ring), HS_OK);
    cr_assert_eq(hs_dead_ring_count(dead_ring), 0);
    return dead_ring;
}

static uint64_t add(hs_dead_ring *dead_ring, uint32_t number, uint64_t recordings) {
    struct hs_dead dead = {
        .sample = {.recordings = recordings, .site = {number}, .size = number * 8},
        .seen_alive_us = number,
        .found_dead_us = number + 1,
        .thinning = number % 5,
        .collections = number + 2,
    };
    uint64_t forgotten = 77;
    hs_dead_ring_add(dead_ring, &dead, &forgotten);
    return forgotten;
}

static void assert_numbers(hs_dead_ring *dead_ring, uint32_t first, uint32_t count) {
    cr_assert_eq(hs_dead_ring_count(dead_ring), count);
    for (uint32_t i = 0; i < count; i++) {
        const struct hs_dead *dead = hs_dead_ring_get(dead_ring, i);
        cr_assert_eq(dead->sample.site.bits, first + i);
        cr_assert_eq(dead->sample.size, (first + i) * 8);
        cr_assert_eq(dead->seen_alive_us, first + i);
        cr_assert_eq(dead->found_dead_us, first + i + 1);
        cr_assert_eq(dead->thinning, (first + i) % 5);
        cr_assert_eq(dead->collections, first + i + 2);
    }
}

Test(dead_ring, the_oldest_comes_first_and_goes_first) {
    static const uint32_t CAPACITIES[] = {1, 2, 3, 7, 64};
    size_t before = hs_mem_used();
    for (int c = 0; c < 5; c++) {
        uint32_t capacity = CAPACITIES[c];
        hs_dead_ring *dead_ring = make(capacity);
        for (uint32_t i = 0; i < 5 * capacity; i++) {
            uint64_t forgotten = add(dead_ring, i, UINT64_C(1) << (i % 64));
            uint64_t wanted = i < capacity ? 0 : UINT64_C(1) << ((i - capacity) % 64);
            cr_assert_eq(forgotten, wanted, "the recordings of the one that went");
            uint32_t count = i < capacity ? i + 1 : capacity;
            assert_numbers(dead_ring, i + 1 - count, count);
        }
        hs_dead_ring_free(dead_ring);
    }
    hs_dead_ring_free(NULL);
    cr_assert_eq(hs_mem_used(), before);
}

Test(dead_ring, a_ring_without_room_forgets_at_once) {
    hs_dead_ring *dead_ring = make(0);
    cr_assert_eq(add(dead_ring, 1, 5), 5);
    cr_assert_eq(hs_dead_ring_count(dead_ring), 0);
    hs_dead_ring_forget(dead_ring, 5);
    hs_dead_ring_free(dead_ring);
}

Test(dead_ring, forgetting_takes_the_bits_out_of_every_sample) {
    hs_dead_ring *dead_ring = make(4);
    for (uint32_t i = 0; i < 6; i++) { /* wrapped around */
        add(dead_ring, i, 7);
    }
    hs_dead_ring_forget(dead_ring, 2);
    assert_numbers(dead_ring, 2, 4);
    for (uint32_t i = 0; i < 4; i++) {
        cr_assert_eq(hs_dead_ring_get(dead_ring, i)->sample.recordings, 5);
    }
    cr_assert_eq(add(dead_ring, 6, 2), 5, "the forgotten are those that were left");
    cr_assert_eq(hs_dead_ring_get(dead_ring, 3)->sample.recordings, 2);
    hs_dead_ring_free(dead_ring);
}
