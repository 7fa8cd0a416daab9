/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_phaser.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <string.h>

#include "poll.h"

enum { SOON_US = 2000, LATE_US = 30000000 };

static struct hs_phaser phaser;
static _Atomic bool is_returned;
static _Atomic bool has_left;
static bool was_left_at_return;
static bool answer;

static void set_up(void) {
    memset(&phaser, 0, sizeof phaser);
    is_returned = false;
    has_left = false;
    was_left_at_return = false;
    answer = false;
}

Test(phaser, wait_returns_at_once_when_no_thread_is_inside, .init = set_up) {
    cr_assert(hs_phaser_wait(&phaser, 0));
    uint32_t token = hs_phaser_enter(&phaser, 1);
    hs_phaser_exit(&phaser, token);
    cr_assert(hs_phaser_wait(&phaser, 0));
}

Test(phaser, a_look_passes_when_all_of_its_time_have_left, .init = set_up) {
    struct hs_phaser_look look;
    uint32_t first = hs_phaser_enter(&phaser, 1);
    hs_phaser_begin_look(&look);
    cr_assert_not(hs_phaser_look(&phaser, &look));
    uint32_t second = hs_phaser_enter(&phaser, 2); /* after the beginning, where none was */
    hs_phaser_exit(&phaser, first);
    cr_assert(hs_phaser_look(&phaser, &look), "the first has left");
    cr_assert(hs_phaser_look(&phaser, &look), "and so it stays");
    hs_phaser_begin_look(&look);
    cr_assert_not(hs_phaser_look(&phaser, &look), "another look, another time");
    hs_phaser_exit(&phaser, second);
    cr_assert(hs_phaser_look(&phaser, &look));
}

/* The phase decides where a thread counts itself; a look sees both counts. */
Test(phaser, a_look_sees_all_stripes_in_both_phases, .init = set_up) {
    for (uint32_t stripe = 0; stripe < 2 * HS_PHASER_STRIPES; stripe++) {
        struct hs_phaser_look look;
        atomic_store(&phaser.phase, stripe / HS_PHASER_STRIPES);
        uint32_t token = hs_phaser_enter(&phaser, stripe);
        hs_phaser_begin_look(&look);
        cr_assert_not(hs_phaser_look(&phaser, &look), "stripe %u", stripe);
        hs_phaser_exit(&phaser, token);
        cr_assert(hs_phaser_look(&phaser, &look));
    }
}

Test(phaser, timeout_returns_false_whatever_the_stripe, .init = set_up) {
    for (uint32_t stripe = 0; stripe < 3 * HS_PHASER_STRIPES; stripe++) {
        uint32_t token = hs_phaser_enter(&phaser, stripe);
        int64_t start = hs_clock_monotonic_us();
        cr_assert_not(hs_phaser_wait(&phaser, SOON_US), "stripe %u", stripe);
        cr_assert_geq(hs_clock_monotonic_us() - start, SOON_US);
        hs_phaser_exit(&phaser, token);
        cr_assert(hs_phaser_wait(&phaser, SOON_US), "stripe %u", stripe);
    }
}

Test(phaser, takes_any_number_as_a_stripe, .init = set_up) {
    uint32_t token = hs_phaser_enter(&phaser, UINT32_MAX);
    cr_assert_not(hs_phaser_wait(&phaser, SOON_US));
    hs_phaser_exit(&phaser, token);
    cr_assert(hs_phaser_wait(&phaser, SOON_US));
}

Test(phaser, one_of_several_inside_is_enough_to_wait_for, .init = set_up) {
    uint32_t tokens[5];
    for (uint32_t i = 0; i < 5; i++) {
        tokens[i] = hs_phaser_enter(&phaser, 3);
    }
    for (uint32_t i = 0; i < 5; i++) {
        cr_assert_not(hs_phaser_wait(&phaser, SOON_US));
        hs_phaser_exit(&phaser, tokens[i]);
    }
    cr_assert(hs_phaser_wait(&phaser, SOON_US));
}

Test(phaser, threads_that_came_after_a_wait_that_timed_out_are_waited_for_too, .init = set_up) {
    uint32_t first = hs_phaser_enter(&phaser, 0);
    cr_assert_not(hs_phaser_wait(&phaser, SOON_US));
    uint32_t second = hs_phaser_enter(&phaser, 0);
    hs_phaser_exit(&phaser, first);
    cr_assert_not(hs_phaser_wait(&phaser, SOON_US));
    hs_phaser_exit(&phaser, second);
    cr_assert(hs_phaser_wait(&phaser, SOON_US));
}

static void *wait_long(void *unused) {
    answer = hs_phaser_wait(&phaser, LATE_US);
    was_left_at_return = has_left;
    is_returned = true;
    return unused;
}

Test(phaser, wait_returns_only_after_the_one_inside_has_left, .init = set_up) {
    pthread_t waiter;
    uint32_t token = hs_phaser_enter(&phaser, 7);
    cr_assert_eq(pthread_create(&waiter, NULL, wait_long, NULL), 0);
    cr_assert(POLL(atomic_load(&phaser.phase) != 0));
    cr_assert(STAYS_FALSE(is_returned));
    has_left = true;
    hs_phaser_exit(&phaser, token);
    cr_assert_eq(pthread_join(waiter, NULL), 0);
    cr_assert(answer);
    cr_assert(was_left_at_return);
}

/* Someone who enters once the wait has begun must not hold it up: callbacks come all the time. */
Test(phaser, wait_is_not_held_up_by_who_comes_after_the_second_flip, .init = set_up) {
    pthread_t waiter;
    uint32_t before = hs_phaser_enter(&phaser, 7);
    cr_assert_eq(pthread_create(&waiter, NULL, wait_long, NULL), 0);
    cr_assert(POLL(atomic_load(&phaser.phase) == 1));
    uint32_t between = hs_phaser_enter(&phaser, 7);
    hs_phaser_exit(&phaser, before);
    cr_assert(POLL(atomic_load(&phaser.phase) == 2));
    uint32_t after = hs_phaser_enter(&phaser, 7);
    cr_assert(STAYS_FALSE(is_returned), "the one in between is waited for");
    hs_phaser_exit(&phaser, between);
    cr_assert(POLL(is_returned));
    cr_assert_eq(pthread_join(waiter, NULL), 0);
    cr_assert(answer);
    hs_phaser_exit(&phaser, after);
}

/* The second half of hs_phaser_enter, for a thread that was delayed after its first half. */
static void count_in(uint32_t stripe, uint32_t parity) {
    atomic_fetch_add(&phaser.stripes[stripe].inside[parity], 1);
}

/* A thread reads the phase, is delayed over a whole wait, and counts itself only then. It may use
 * what is published now, so the next wait has to see it, and every further one. */
Test(phaser, a_delayed_thread_is_seen_by_each_later_wait, .init = set_up) {
    for (int waits = 0; waits < 4; waits++) {
        uint32_t parity = atomic_load(&phaser.phase) & 1;
        for (int i = 0; i < waits; i++) {
            cr_assert(hs_phaser_wait(&phaser, SOON_US));
        }
        count_in(2, parity);
        cr_assert_not(hs_phaser_wait(&phaser, SOON_US), "after %d waits", waits);
        cr_assert_not(hs_phaser_wait(&phaser, SOON_US), "after %d waits, again", waits);
        hs_phaser_exit(&phaser, 2 << 1 | parity);
        cr_assert(hs_phaser_wait(&phaser, SOON_US));
    }
}
