/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_lock.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <signal.h>

static struct hs_lock control;
static struct hs_lock sweep;

static void set_up(void) {
    cr_assert_eq(hs_lock_init(&control, HS_RANK_CONTROL), HS_OK);
    cr_assert_eq(hs_lock_init(&sweep, HS_RANK_SWEEP), HS_OK);
}

Test(lock, excludes_others_while_it_is_held, .init = set_up) {
    hs_lock_acquire(&control);
    cr_assert_eq(pthread_mutex_trylock(&control.mutex), EBUSY);
    hs_lock_release(&control);
    cr_assert_eq(pthread_mutex_trylock(&control.mutex), 0);
    pthread_mutex_unlock(&control.mutex);
    hs_lock_destroy(&control);
    hs_lock_destroy(&sweep);
}

Test(lock, may_be_taken_in_the_order_of_ranks_again_and_again, .init = set_up) {
    for (int i = 0; i < 3; i++) {
        hs_lock_acquire(&control);
        hs_lock_acquire(&sweep);
        hs_lock_release(&sweep);
        hs_lock_acquire(&sweep);
        hs_lock_release(&sweep);
        hs_lock_release(&control);
        hs_lock_acquire(&sweep);
        hs_lock_release(&sweep);
    }
}

Test(lock, may_be_released_in_any_order, .init = set_up) {
    hs_lock_acquire(&control);
    hs_lock_acquire(&sweep);
    hs_lock_release(&control);
    hs_lock_release(&sweep);
    hs_lock_acquire(&control);
    hs_lock_release(&control);
}

static void *take_control(void *unused) {
    hs_lock_acquire(&control);
    hs_lock_release(&control);
    return unused;
}

Test(lock, ranks_are_those_of_the_thread, .init = set_up) {
    pthread_t thread;
    hs_lock_acquire(&sweep);
    cr_assert_eq(pthread_create(&thread, NULL, take_control, NULL), 0);
    cr_assert_eq(pthread_join(thread, NULL), 0);
    hs_lock_release(&sweep);
}

static bool was_taken;

static void *try_control(void *unused) {
    was_taken = hs_lock_try(&control);
    if (was_taken) {
        hs_lock_release(&control);
    }
    return unused;
}

static bool can_another_take_it(void) {
    pthread_t thread;
    cr_assert_eq(pthread_create(&thread, NULL, try_control, NULL), 0);
    cr_assert_eq(pthread_join(thread, NULL), 0);
    return was_taken;
}

Test(lock, trying_takes_a_free_lock_and_does_not_wait, .init = set_up) {
    cr_assert(can_another_take_it());
    hs_lock_acquire(&control);
    cr_assert_not(can_another_take_it());
    hs_lock_release(&control);
    cr_assert(hs_lock_try(&control));
    cr_assert_not(can_another_take_it());
    hs_lock_acquire(&sweep);
    hs_lock_release(&sweep);
    hs_lock_release(&control);
    cr_assert(can_another_take_it());
}

#ifndef NDEBUG
Test(lock, trying_in_the_wrong_order_aborts, .init = set_up, .signal = SIGABRT) {
    hs_lock_acquire(&sweep);
    (void)hs_lock_try(&control);
}

Test(lock, a_lower_rank_after_a_higher_one_aborts, .init = set_up, .signal = SIGABRT) {
    hs_lock_acquire(&sweep);
    hs_lock_acquire(&control);
}

Test(lock, an_equal_rank_aborts, .init = set_up, .signal = SIGABRT) {
    struct hs_lock other;
    cr_assert_eq(hs_lock_init(&other, HS_RANK_SWEEP), HS_OK);
    hs_lock_acquire(&sweep);
    hs_lock_acquire(&other);
}

Test(lock, the_rank_is_still_held_after_an_inner_one_was_released, .init = set_up,
     .signal = SIGABRT) {
    struct hs_lock other;
    cr_assert_eq(hs_lock_init(&other, HS_RANK_CONTROL), HS_OK);
    hs_lock_acquire(&control);
    hs_lock_acquire(&sweep);
    hs_lock_release(&sweep);
    hs_lock_acquire(&other);
}
#endif
