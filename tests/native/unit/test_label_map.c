/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_label_map.h"

#include <criterion/criterion.h>

#include "hs_mem.h"

enum { FIRST_LEVEL = 4096, ALL_LEVELS = 4096 + 65536 + 1048576 };

/* Opens a scope where none is open; returns whether no labels were lost by it. */
static bool open(int64_t thread) {
    bool is_lost;
    cr_assert_eq(hs_label_map_open(thread, (uint64_t)thread << 12 | 2, &is_lost), 0);
    return !is_lost;
}

static bool is_open(int64_t thread) {
    uint64_t state = hs_label_map_state(thread);
    cr_assert(state == 0 ||
                  state == (UINT64_C(1) << HS_LABEL_DEPTH_SHIFT | (uint64_t)thread << 12 | 2),
              "the labels of another thread");
    return state != 0;
}

Test(label_map, takes_no_memory_before_its_first_thread) {
    size_t used = hs_mem_used();
    cr_assert_not(hs_label_map_is_used());
    cr_assert_eq(hs_label_map_state(7), 0);
    hs_label_map_close(7, 0);
    cr_assert_eq(hs_mem_used(), used);
    cr_assert(open(7));
    cr_assert(hs_label_map_is_used());
    cr_assert_eq(hs_mem_used(), used + (size_t)FIRST_LEVEL * 16);
    hs_label_map_close(7, 0);
}

Test(label_map, scopes_nest) {
    bool is_lost;
    cr_assert_eq(hs_label_map_open(7, 0x1002, &is_lost), 0);
    uint64_t inner = hs_label_map_open(7, 0x1003, &is_lost);
    cr_assert_eq(hs_label_word_of(inner), 0x1002);
    cr_assert_eq(hs_label_word_of(hs_label_map_state(7)), 0x1003);
    cr_assert_eq(hs_label_map_count(), 1);
    hs_label_map_close(7, inner);
    cr_assert_eq(hs_label_map_state(7), inner);
    hs_label_map_close(7, inner);
    cr_assert_eq(hs_label_map_state(7), inner, "twice is once");
    hs_label_map_close(7, 0);
    cr_assert_eq(hs_label_map_state(7), 0);
    cr_assert_eq(hs_label_map_count(), 0, "its place is free");
}

Test(label_map, an_outer_scope_ends_the_inner_ones) {
    bool is_lost;
    (void)hs_label_map_open(7, 0x1002, &is_lost);
    uint64_t inner = hs_label_map_open(7, 0x1003, &is_lost);
    hs_label_map_close(7, 0);
    cr_assert_eq(hs_label_map_count(), 0);
    hs_label_map_close(7, inner);
    cr_assert_eq(hs_label_map_state(7), 0);
}

Test(label_map, a_thread_without_an_id_has_no_labels) {
    bool is_lost;
    cr_assert_eq(hs_label_map_open(-1, 0x1002, &is_lost), 0);
    cr_assert_eq(hs_label_map_open(0, 0x1002, &is_lost), 0);
    cr_assert_eq(hs_label_map_state(-1), 0);
    cr_assert_eq(hs_label_map_state(0), 0);
    hs_label_map_close(-1, 0);
    hs_label_map_close(0, 0);
    cr_assert_eq(hs_label_map_count(), 0);
}

/* Threads that end in order leave every place free, however many there were. */
Test(label_map, places_are_used_again) {
    enum { AT_A_TIME = 1000, THREADS = 300000 };
    size_t used = 0;
    for (int64_t thread = 1; thread <= THREADS; thread++) {
        cr_assert(open(thread));
        if (thread > AT_A_TIME) {
            cr_assert(is_open(thread - AT_A_TIME));
            hs_label_map_close(thread - AT_A_TIME, 0);
        }
        used = thread == THREADS / 2 ? hs_mem_used() : used;
    }
    cr_assert_eq(hs_label_map_count(), (uint32_t)AT_A_TIME);
    cr_assert_eq(hs_mem_used(), used);
}

/* More than all levels have room for: some threads lose their labels, none gets another's; and each loss is
 * reported. */
Test(label_map, a_full_map_displaces) {
    enum { THREADS = ALL_LEVELS + ALL_LEVELS / 4 };
    uint32_t lost = 0;
    for (int64_t thread = 1; thread <= THREADS; thread++) {
        lost += !open(thread);
        cr_assert(is_open(thread), "the newest has its labels");
    }
    uint32_t opened = 0;
    for (int64_t thread = 1; thread <= THREADS; thread++) {
        opened += is_open(thread);
    }
    cr_assert_eq(opened + lost, (uint32_t)THREADS);
    cr_assert_eq(hs_label_map_count(), opened);
    cr_assert_gt(opened, ALL_LEVELS / 10 * 9);
    /* One that was displaced opens its next scope as its first. */
    for (int64_t thread = 1; thread <= THREADS; thread++) {
        if (!is_open(thread)) {
            hs_label_map_close(thread, 0);
            (void)open(thread);
            cr_assert(is_open(thread));
            break;
        }
    }
    for (int64_t thread = 1; thread <= THREADS; thread++) {
        hs_label_map_close(thread, 0);
    }
    cr_assert_eq(hs_label_map_count(), 0);
    cr_assert(open(THREADS + 1));
}

/* Threads that died inside a scope: their entries give way to others, and no thread gets their labels. */
Test(label_map, stale_entries_give_way) {
    enum { DEAD = 2 * ALL_LEVELS, ALIVE = 100 };
    for (int64_t thread = 1; thread <= DEAD; thread++) {
        (void)open(thread);
    }
    for (int64_t thread = DEAD + 1; thread <= DEAD + ALIVE; thread++) {
        (void)open(thread);
        cr_assert(is_open(thread));
        cr_assert_eq(hs_label_map_state(thread + ALIVE), 0);
        hs_label_map_close(thread, 0);
        cr_assert_not(is_open(thread));
    }
}

Test(label_map, without_memory_a_thread_has_no_labels) {
    bool is_lost;
    hs_mem_fail_at(1);
    cr_assert_eq(hs_label_map_open(7, 0x1002, &is_lost), 0);
    cr_assert(is_lost);
    cr_assert_eq(hs_label_map_state(7), 0);
    hs_label_map_close(7, 0);
    cr_assert(open(7), "now there is some");
    hs_label_map_close(7, 0);
}

/* The second level cannot be made: places of the first one are taken from others. */
Test(label_map, without_memory_for_a_level_the_others_serve) {
    uint32_t lost = 0;
    cr_assert(open(1));
    hs_mem_set_budget(hs_mem_used());
    for (int64_t thread = 2; thread <= 2 * FIRST_LEVEL; thread++) {
        lost += !open(thread);
        cr_assert_leq(hs_label_map_count(), (uint32_t)FIRST_LEVEL);
    }
    cr_assert_gt(lost, (uint32_t)FIRST_LEVEL / 2);
    uint32_t opened = 0;
    for (int64_t thread = 1; thread <= 2 * FIRST_LEVEL; thread++) {
        opened += is_open(thread);
    }
    cr_assert_eq(opened, hs_label_map_count());
    hs_mem_set_budget(HS_MEM_DEFAULT_BUDGET);
}
