/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_classes.h"

#include <criterion/criterion.h>
#include <pthread.h>

#include "fake_ops.h"
#include "hs_clock.h"
#include "hs_mem.h"
#include "poll.h"

/* Far beyond need where no callback is stuck. */
enum { PATIENCE_US = 10000000, SHORT_US = 10000 };

/* The object behind a fake reference has the reference's own number. */
static _Atomic int comparisons;

static bool is_same(void *env, uintptr_t object, hs_ref ref) {
    comparisons++;
    return !fake_is_cleared(env, ref) && object == ref;
}

static hs_classes *classes;
static struct hs_phaser phaser;

static void set_up(void) {
    fake_reset();
    memset(&phaser, 0, sizeof phaser);
    comparisons = 0;
    cr_assert_eq(hs_classes_new(&classes), HS_OK);
}

static void tear_down(void) {
    hs_classes_clear(classes, &FAKE_OPS, FAKE_ENV);
    hs_classes_free(classes);
    hs_classes_free(NULL);
    cr_assert_eq(fake_outstanding(), 0);
}

TestSuite(classes, .init = set_up, .fini = tear_down);

/* Whatever is found is also found in its slot, and nothing else is found there. */
static uint32_t find(uint32_t hash, hs_ref object) {
    uint16_t hint = UINT16_MAX;
    uint32_t name = hs_classes_find(classes, hash, is_same, FAKE_ENV, object, &hint).number;
    if (name == 0) {
        cr_assert_eq(hint, UINT16_MAX);
    } else {
        cr_assert_eq(hs_classes_try(classes, hint, is_same, FAKE_ENV, object).number, name);
        cr_assert_eq(hs_classes_try(classes, hint, is_same, FAKE_ENV, object + 1).number, 0);
    }
    return name;
}

static hs_ref add(uint32_t hash, uint32_t name) {
    hs_ref ref = fake_ref();
    cr_assert(hs_classes_put(classes, hash, ref, (struct hs_name_id){name}));
    return ref;
}

Test(classes, are_found_by_hash_and_comparison) {
    cr_assert_eq(find(5, 16), 0);
    cr_assert_eq(comparisons, 0);
    hs_ref first = add(5, 50);
    hs_ref second = add(5, 51);
    hs_ref third = add(6, 60);
    cr_assert_eq(find(5, first), 50);
    cr_assert_eq(find(5, second), 51);
    cr_assert_eq(find(6, third), 60);
    cr_assert_eq(find(5, third), 0, "the object of another hash");
    cr_assert_eq(find(7, first), 0);
}

Test(classes, another_hash_costs_no_comparison) {
    for (uint32_t i = 0; i < 2000; i++) {
        add(i, i + 1);
    }
    comparisons = 0;
    for (uint32_t i = 2000; i < 4000; i++) {
        cr_assert_eq(find(i, 16), 0);
    }
    cr_assert_eq(comparisons, 0);
}

Test(classes, what_finds_no_room_stays_with_the_caller) {
    hs_ref refs[100];
    uint32_t taken = 0;
    for (uint32_t i = 0; i < 100; i++) {
        refs[i] = fake_ref();
        if (hs_classes_put(classes, 5, refs[i], (struct hs_name_id){i + 1})) {
            cr_assert_eq(taken, i, "full once, full for good");
            taken++;
        } else {
            fake_release(FAKE_ENV, refs[i]);
        }
    }
    cr_assert_gt(taken, 1);
    cr_assert_lt(taken, 100);
    for (uint32_t i = 0; i < taken; i++) {
        cr_assert_eq(find(5, refs[i]), i + 1);
    }
}

Test(classes, purge_gives_back_exactly_the_unloaded) {
    enum { COUNT = 300 };
    hs_ref refs[COUNT];
    for (uint32_t i = 0; i < COUNT; i++) {
        refs[i] = add(i, i + 1);
    }
    hs_classes_purge(classes, &FAKE_OPS, FAKE_ENV, &phaser, PATIENCE_US);
    cr_assert_eq(fake_outstanding(), COUNT, "nothing to purge");
    for (uint32_t i = 0; i < COUNT; i += 7) {
        fake_clear(refs[i]);
    }
    hs_classes_purge(classes, &FAKE_OPS, FAKE_ENV, &phaser, PATIENCE_US);
    for (uint32_t i = 0; i < COUNT; i++) {
        cr_assert_eq(fake_is_released(refs[i]), i % 7 == 0, "class %u", i);
        cr_assert_eq(find(i, refs[i]), i % 7 == 0 ? 0 : i + 1, "class %u", i);
    }
}

Test(classes, many_unloaded_ones_go_in_batches) {
    enum { COUNT = 200 };
    hs_ref refs[COUNT];
    for (uint32_t i = 0; i < COUNT; i++) {
        refs[i] = add(i, i + 1);
        fake_clear(refs[i]);
    }
    uint32_t rounds = 0;
    for (uint32_t left = COUNT; left > 0; left = fake_outstanding()) {
        hs_classes_purge(classes, &FAKE_OPS, FAKE_ENV, &phaser, PATIENCE_US);
        cr_assert_lt(fake_outstanding(), left, "each round gets on");
        rounds++;
    }
    cr_assert_leq(rounds, 10);
}

Test(classes, a_purged_place_is_used_again) {
    for (uint32_t round = 0; round < 100; round++) {
        hs_ref ref = add(5, round + 1);
        cr_assert_eq(find(5, ref), round + 1);
        fake_clear(ref);
        cr_assert_eq(find(5, ref), 0, "the object is gone");
        hs_classes_purge(classes, &FAKE_OPS, FAKE_ENV, &phaser, PATIENCE_US);
        cr_assert(fake_is_released(ref));
    }
}

static void *purge(void *unused) {
    hs_classes_purge(classes, &FAKE_OPS, FAKE_ENV, &phaser, PATIENCE_US);
    return unused;
}

Test(classes, purge_gives_nothing_back_while_a_callback_may_hold_it) {
    pthread_t purger;
    hs_ref ref = add(5, 50);
    fake_clear(ref);
    uint32_t token = hs_phaser_enter(&phaser, 0);
    cr_assert_eq(pthread_create(&purger, NULL, purge, NULL), 0);
    cr_assert(POLL(atomic_load(&phaser.phase) != 0), "it waits");
    cr_assert(STAYS_FALSE(fake_is_released(ref)));
    /* The place is free already; a new tenant is not what was purged. */
    hs_ref next = add(5, 51);
    cr_assert_eq(find(5, next), 51);
    hs_phaser_exit(&phaser, token);
    cr_assert_eq(pthread_join(purger, NULL), 0);
    cr_assert(fake_is_released(ref));
    cr_assert_not(fake_is_released(next));
}

Test(classes, what_a_callback_stuck_inside_may_see_is_given_back_later) {
    hs_ref ref = add(5, 50);
    fake_clear(ref);
    uint32_t token = hs_phaser_enter(&phaser, 0);
    int64_t began_us = hs_clock_monotonic_us();
    hs_classes_purge(classes, &FAKE_OPS, FAKE_ENV, &phaser, SHORT_US);
    cr_assert_lt(hs_clock_monotonic_us() - began_us, 1000000,
                 "its patience, and what a busy machine adds");
    cr_assert_not(fake_is_released(ref));
    hs_phaser_exit(&phaser, token);
    hs_classes_purge(classes, &FAKE_OPS, FAKE_ENV, &phaser, PATIENCE_US);
    cr_assert(fake_is_released(ref));
}

Test(classes, what_a_callback_stuck_inside_may_have_seen_is_given_back_by_clear) {
    hs_ref refs[100]; /* more than one batch */
    for (uint32_t i = 0; i < 100; i++) {
        refs[i] = add(i * 16, i + 1);
        fake_clear(refs[i]);
    }
    uint32_t token = hs_phaser_enter(&phaser, 0);
    hs_classes_purge(classes, &FAKE_OPS, FAKE_ENV, &phaser, SHORT_US);
    hs_classes_purge(classes, &FAKE_OPS, FAKE_ENV, &phaser, SHORT_US);
    hs_phaser_exit(&phaser, token);
    hs_classes_clear(classes, &FAKE_OPS, FAKE_ENV);
    for (uint32_t i = 0; i < 100; i++) {
        cr_assert(fake_is_released(refs[i]));
    }
    cr_assert_eq(fake_outstanding(), 0);
}

Test(classes, clear_gives_everything_back_once) {
    hs_ref refs[50];
    for (uint32_t i = 0; i < 50; i++) {
        refs[i] = add(i, i + 1);
    }
    fake_clear(refs[3]);
    hs_classes_clear(classes, &FAKE_OPS, FAKE_ENV);
    cr_assert_eq(fake_outstanding(), 0);
    for (uint32_t i = 0; i < 50; i++) {
        cr_assert_eq(find(i, refs[i]), 0);
    }
    hs_classes_clear(classes, &FAKE_OPS, FAKE_ENV);
}

/* Any number will do for a hint: a class is found there, or nothing is. */
Test(classes, a_wrong_hint_finds_nothing_or_the_class) {
    hs_ref first = add(7, 1);
    hs_ref second = add(7, 2);
    uint32_t found[3] = {0};
    for (uint32_t hint = 0; hint <= UINT16_MAX; hint++) {
        uint32_t name = hs_classes_try(classes, hint, is_same, FAKE_ENV, first).number;
        cr_assert(name == 0 || name == 1);
        found[name]++;
        name = hs_classes_try(classes, hint, is_same, FAKE_ENV, second).number;
        cr_assert(name == 0 || name == 2);
        found[name]++;
    }
    cr_assert_geq(found[1], 1);
    cr_assert_geq(found[2], 1);
    fake_clear(first);
    for (uint32_t hint = 0; hint <= UINT16_MAX; hint++) {
        cr_assert_eq(hs_classes_try(classes, hint, is_same, FAKE_ENV, first).number, 0);
    }
}
