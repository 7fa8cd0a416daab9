/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_sweeper.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <unistd.h>

#include "fake_ops.h"
#include "hs_mem.h"
#include "hs_thread_state.h"
#include "poll.h"

enum { PATIENCE_US = 100000000, NO_PATIENCE_US = 1000 };

static struct hs_sweeper sweeper;
static _Atomic int worked;
static _Atomic bool was_hidden;
static _Atomic bool had_signals_blocked;
static void *_Atomic seen_env;
static void *_Atomic seen_context;
static int context;
static _Atomic bool holds_work;

/* Takes its time in the first round, so that who does not wait for it is seen not to. */
static void work(void *argument, void *env) {
    while (holds_work) {
        sched_yield();
    }
    const struct timespec a_while = {.tv_nsec = 10000000};
    if (worked == 0) {
        (void)nanosleep(&a_while, NULL);
    }
    sigset_t blocked;
    sigemptyset(&blocked);
    (void)pthread_sigmask(SIG_SETMASK, NULL, &blocked);
    had_signals_blocked = sigismember(&blocked, SIGTERM) == 1 && sigismember(&blocked, SIGINT) == 1;
    was_hidden = hs_thread_state_current()->is_hidden;
    seen_context = argument;
    seen_env = env;
    worked++;
}

static void set_up(void) {
    fake_reset();
    memset(&sweeper, 0, sizeof sweeper);
    worked = 0;
}

TestSuite(sweeper, .init = set_up);

static void start(void) {
    cr_assert_eq(hs_sweeper_start(&sweeper, &FAKE_OPS, work, &context, PATIENCE_US), HS_OK);
}

Test(sweeper, works_when_it_is_woken) {
    size_t before = hs_mem_used();
    start();
    cr_assert_eq(fake.attached, 1, "known to the VM when start returns");
    cr_assert_eq(worked, 1, "and has looked for the first time");
    for (int i = 1; i <= 5; i++) {
        int done = worked;
        hs_sweeper_wake(&sweeper);
        cr_assert(POLL(worked > done));
    }
    cr_assert_eq(seen_context, &context);
    cr_assert_eq(seen_env, FAKE_ENV);
    cr_assert(was_hidden, "what it allocates is not sampled");
    cr_assert(had_signals_blocked);
    hs_sweeper_stop(&sweeper, PATIENCE_US);
    cr_assert_eq(fake.attached, 0);
    cr_assert_eq(sweeper.rounds, (uint64_t)worked);
    cr_assert_eq(hs_mem_used(), before, "its thread left nothing behind");
}

Test(sweeper, works_by_itself_once_in_a_period) {
    start();
    cr_assert(POLL(worked > 1));
    hs_sweeper_stop(&sweeper, PATIENCE_US);
}

static _Atomic int ticked;

static void tick(void *seen) {
    cr_assert_eq(seen, &context);
    ticked++;
}

Test(sweeper, ticks_between_rounds_and_no_more_after_its_end) {
    ticked = 0;
    sweeper.tick = tick;
    start();
    cr_assert(POLL(ticked >= 3));
    hs_sweeper_stop(&sweeper, PATIENCE_US);
    int done = ticked;
    cr_assert(STAYS_FALSE(ticked != done));
    sweeper.tick = NULL;
}

Test(sweeper, the_caller_keeps_its_signals) {
    sigset_t before;
    sigset_t after;
    sigemptyset(&before);
    sigemptyset(&after);
    (void)pthread_sigmask(SIG_SETMASK, NULL, &before);
    start();
    (void)pthread_sigmask(SIG_SETMASK, NULL, &after);
    for (int s = 1; s < 32; s++) {
        cr_assert_eq(sigismember(&before, s), sigismember(&after, s), "signal %d", s);
    }
    hs_sweeper_stop(&sweeper, PATIENCE_US);
}

Test(sweeper, stops_at_once_after_a_last_round) {
    /* A loaded machine may delay one, or some, of this many. */
    int64_t quickest_us = INT64_MAX;
    for (int i = 0; i < 10 && quickest_us > HS_SWEEPER_PERIOD_MS * 1000 / 2; i++) {
        worked = 0;
        int64_t start_us = hs_clock_monotonic_us();
        start();
        hs_sweeper_stop(&sweeper, PATIENCE_US);
        int64_t took_us = hs_clock_monotonic_us() - start_us;
        cr_assert(worked == 2 || took_us > HS_SWEEPER_PERIOD_MS * 1000,
                  "what has died needs no reference any more");
        quickest_us = took_us < quickest_us ? took_us : quickest_us;
    }
    cr_assert_leq(quickest_us, HS_SWEEPER_PERIOD_MS * 1000 / 2);
    int done = worked;
    uint32_t signals = sweeper.signals;
    hs_sweeper_wake(&sweeper); /* a late signal of the VM thread */
    cr_assert_eq(sweeper.signals, signals, "no system call without a waiter");
    cr_assert(STAYS_FALSE(worked != done));
    hs_sweeper_stop(&sweeper, PATIENCE_US);
    cr_assert_eq(fake.attached, 0);
}

Test(sweeper, an_abandoned_one_does_no_more) {
    int64_t start_us = hs_clock_monotonic_us();
    start();
    hs_sweeper_abandon(&sweeper);
    hs_sweeper_stop(&sweeper, PATIENCE_US);
    int64_t took_us = hs_clock_monotonic_us() - start_us;
    cr_assert(worked == 1 || took_us > HS_SWEEPER_PERIOD_MS * 1000, "there is no VM to ask");
    cr_assert_eq(fake.attached, 0);
}

/* The lowest number that is free. */
static int next_descriptor(void) {
    int lowest = dup(0);
    int descriptor = lowest;
    close(descriptor);
    return lowest;
}

Test(sweeper, starts_again_and_opens_no_descriptor) {
    int descriptor = next_descriptor();
    for (int i = 0; i < 20; i++) {
        start();
        int done = worked;
        hs_sweeper_wake(&sweeper);
        cr_assert(POLL(worked > done));
        hs_sweeper_stop(&sweeper, PATIENCE_US);
    }
    cr_assert_eq(fake.attaches, 20);
    cr_assert_eq(fake.attached, 0);
    cr_assert_eq(next_descriptor(), descriptor);
}

Test(sweeper, without_an_attached_thread_there_is_none) {
    size_t before = hs_mem_used();
    fake.refuses_attach = true;
    cr_assert_eq(hs_sweeper_start(&sweeper, &FAKE_OPS, work, &context, PATIENCE_US), HS_NO_THREAD);
    cr_assert_not(sweeper.is_running);
    cr_assert_eq(hs_mem_used(), before);
    hs_sweeper_wake(&sweeper);
    hs_sweeper_stop(&sweeper, PATIENCE_US);
    cr_assert_eq(worked, 0);
    fake.refuses_attach = false;
    start();
    hs_sweeper_stop(&sweeper, PATIENCE_US);
}

Test(sweeper, without_memory_there_is_none) {
    hs_mem_fail_at(1);
    cr_assert_eq(hs_sweeper_start(&sweeper, &FAKE_OPS, work, &context, PATIENCE_US), HS_NO_MEMORY);
    hs_mem_fail_at(2); /* the record of its thread */
    cr_assert_eq(hs_sweeper_start(&sweeper, &FAKE_OPS, work, &context, PATIENCE_US), HS_NO_THREAD);
    hs_mem_fail_at(0);
    cr_assert_eq(fake.attaches, 0);
    cr_assert_not(sweeper.is_running);
}

/* Attaching runs Java code, which may wait for a monitor that the starting thread holds. */
Test(sweeper, a_thread_that_is_not_attached_in_time_does_nothing_later) {
    size_t before = hs_mem_used();
    fake.holds_attach = true;
    cr_assert_eq(hs_sweeper_start(&sweeper, &FAKE_OPS, work, &context, NO_PATIENCE_US),
                 HS_NOT_ATTACHED);
    cr_assert_not(sweeper.is_running);
    hs_sweeper_stop(&sweeper, PATIENCE_US);
    fake.holds_attach = false;
    cr_assert(POLL(fake.attaches == 1 && fake.attached == 0), "it detaches again");
    cr_assert_eq(worked, 0);
    start();
    cr_assert_eq(worked, 1, "by the second one alone");
    hs_sweeper_stop(&sweeper, PATIENCE_US);
    cr_assert(POLL(hs_mem_used() == before));
}

static void *start_another(void *status) {
    *(enum hs_status *)status = hs_sweeper_start(&sweeper, &FAKE_OPS, work, &context, PATIENCE_US);
    return NULL;
}

/* The orders of the second one are none for the first. */
Test(sweeper, a_thread_that_is_attached_when_another_one_works_does_nothing) {
    pthread_t starter;
    enum hs_status status;
    fake.holds_attach = true;
    cr_assert_eq(hs_sweeper_start(&sweeper, &FAKE_OPS, work, &context, NO_PATIENCE_US),
                 HS_NOT_ATTACHED);
    cr_assert_eq(pthread_create(&starter, NULL, start_another, &status), 0);
    cr_assert(POLL(atomic_load(&sweeper.order) == HS_SWEEPER_RUN));
    int64_t start_us = hs_clock_monotonic_us();
    fake.holds_attach = false;
    pthread_join(starter, NULL);
    cr_assert_eq(status, HS_OK);
    cr_assert(POLL(fake.attaches == 2 && fake.attached == 1));
    int rounds = worked;
    int64_t took_us = hs_clock_monotonic_us() - start_us;
    cr_assert(rounds == 1 || took_us > HS_SWEEPER_PERIOD_MS * 1000, "by the second one alone");
    hs_sweeper_stop(&sweeper, PATIENCE_US);
}

Test(sweeper, a_first_round_that_does_not_end_is_not_awaited_forever) {
    size_t before = hs_mem_used();
    holds_work = true;
    cr_assert_eq(hs_sweeper_start(&sweeper, &FAKE_OPS, work, &context, 100 * NO_PATIENCE_US),
                 HS_NOT_ATTACHED);
    cr_assert_not(sweeper.is_running);
    holds_work = false;
    cr_assert(POLL(hs_mem_used() == before && fake.attached == 0));
    cr_assert_leq(worked, 1, "no other round");
    start();
    hs_sweeper_stop(&sweeper, PATIENCE_US);
    cr_assert(POLL(hs_mem_used() == before && fake.attached == 0));
}

Test(sweeper, a_thread_that_does_not_detach_is_not_awaited_forever) {
    size_t before = hs_mem_used();
    start();
    fake.holds_detach = true;
    hs_sweeper_stop(&sweeper, NO_PATIENCE_US);
    cr_assert_not(sweeper.is_running);
    int done = worked;
    start();
    cr_assert_eq(fake.attached, 2, "another one works meanwhile");
    cr_assert_eq(worked, done + 1);
    fake.holds_detach = false;
    cr_assert(POLL(fake.attached == 1));
    hs_sweeper_stop(&sweeper, PATIENCE_US);
    cr_assert(POLL(hs_mem_used() == before && fake.attached == 0));
}

Test(sweeper, signals_before_it_was_ever_started_are_harmless) {
    hs_sweeper_wake(&sweeper);
    hs_sweeper_abandon(&sweeper);
    hs_sweeper_stop(&sweeper, PATIENCE_US);
    start();
    hs_sweeper_stop(&sweeper, PATIENCE_US);
}

Test(sweeper, abandoned_it_ends_by_itself) {
    start();
    hs_sweeper_abandon(&sweeper);
    cr_assert(POLL(fake.attached == 0));
    hs_sweeper_stop(&sweeper, PATIENCE_US); /* still joins */
}
