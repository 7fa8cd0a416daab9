/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* The process-wide sampler keeps to its budget; what others request is left alone. */
#include "hs_encode.h"
#include "poll.h"
#include "running_sampler.h"

enum { INTERVAL = 65536, MAX_OVERHEAD = 16, OVERHEAD = 17 };

static struct hs_sampler sampler;

static void set_up(void) {
    sampler_begin(&sampler);
    sampler.governor.first_us = -HS_GOVERNOR_START_US; /* the allowance for the start is over */
}

static void tear_down(void) {
    hs_sampler_destroy(&sampler, FAKE_ENV);
    cr_assert_eq(fake_outstanding(), 0);
}

TestSuite(sampler_governor, .init = set_up, .fini = tear_down);

static struct hs_hold_id hold(uint32_t interval, uint32_t overhead) {
    struct hs_hold wanted = {.interval = interval, .overhead = overhead, .name = "application"};
    struct hs_hold_id id = {0};
    cr_assert_eq(
        hs_sampler_hold(&sampler, FAKE_ENV, sampler.config_version, interval, &wanted, &id), HS_OK);
    return id;
}

static int64_t in_force(int value) {
    int64_t values[HS_STATUS_VALUES];
    hs_sampler_status(&sampler, values);
    return values[HS_FIGURES + value];
}

/* The sweeper has gone round, from the beginning to the end, since the call. */
static void let_sweep(void) {
    uint64_t rounds = atomic_load(&sampler.sweeper.rounds);
    hs_sweeper_wake(&sampler.sweeper);
    cr_assert(POLL(atomic_load(&sampler.sweeper.rounds) > rounds));
    rounds = atomic_load(&sampler.sweeper.rounds);
    hs_sweeper_wake(&sampler.sweeper);
    cr_assert(POLL(atomic_load(&sampler.sweeper.rounds) > rounds));
}

/* As if the last look of the governor was a second ago, in which one processor was busy, and samples took
 * this part of its time. */
static void charge(double share) {
    enum { SAMPLES = 1000 };
    hs_lock_acquire(&sampler.control);
    sampler.governor.last.now_us -= 1000000;
    sampler.governor.last.cpu_ns -= UINT64_C(1000000000); /* may wrap, as the difference does */
    atomic_fetch_add(&sampler.intake.cost.total_ns, (uint64_t)(share * 1e9));
    atomic_fetch_add(&sampler.intake.cost.count, SAMPLES);
    hs_tally_add_to(&sampler.intake.lookup.counts, 0, HS_LOOKUP_OWNERS_COUNT, SAMPLES);
    hs_lock_release(&sampler.control);
}

static void spend_since_last_look(double share) {
    charge(share);
    let_sweep();
}

static void spend(double share) {
    let_sweep();
    spend_since_last_look(share);
}

static int64_t info(struct hs_handle handle, enum hs_info i) {
    struct hs_buffer buffer = {0};
    cr_assert_eq(hs_sampler_snapshot(&sampler, FAKE_ENV, handle, HS_AFTER_NONE, NULL, &buffer),
                 HS_OK);
    struct block block = block_read(&buffer);
    int64_t value = block_info(&block, (int)i);
    hs_buffer_free(&buffer);
    return value;
}

Test(sampler_governor, one_per_cent_is_the_budget_and_the_smallest_that_is_requested_counts) {
    cr_assert_eq(in_force(MAX_OVERHEAD), HS_DEFAULT_OVERHEAD);
    (void)hold(INTERVAL, 0);
    cr_assert_eq(in_force(MAX_OVERHEAD), HS_DEFAULT_OVERHEAD);
    (void)hold(INTERVAL, 50000);
    cr_assert_eq(in_force(MAX_OVERHEAD), 50000, "no holder requests less");
    struct hs_hold_id careful = hold(INTERVAL, 5000);
    cr_assert_eq(in_force(MAX_OVERHEAD), 5000);
    bool is_closed;
    cr_assert_eq(hs_sampler_release(&sampler, FAKE_ENV, careful, &is_closed), HS_OK);
    cr_assert_eq(in_force(MAX_OVERHEAD), 50000);
}

Test(sampler_governor, expensive_samples_make_the_interval_longer) {
    (void)hold(INTERVAL, 0);
    cr_assert_eq(fake.interval, INTERVAL);
    spend(0.06);
    cr_assert_geq(fake.interval, 5 * INTERVAL);
    cr_assert_leq(fake.interval, 11 * INTERVAL);
    cr_assert_gt(in_force(OVERHEAD), HS_DEFAULT_OVERHEAD, "that is why");
    cr_assert_leq(in_force(OVERHEAD), 60000);
    cr_assert_eq(info(sampler.default_handle, HS_INFO_INTERVAL), INTERVAL, "it is still requested");
    cr_assert_eq(info(sampler.default_handle, HS_INFO_INTERVAL_IN_FORCE), fake.interval);
}

Test(sampler_governor, what_is_spent_before_the_first_tick_counts) {
    (void)hold(INTERVAL, 0);
    spend_since_last_look(0.06);
    cr_assert_geq(fake.interval, 5 * INTERVAL);
}

/* The sweeper alone moves the interval, since it publishes what is in force then. */
Test(sampler_governor, another_hold_moves_no_interval) {
    (void)hold(INTERVAL, 0);
    charge(0.06);
    (void)hold(INTERVAL, 0);
    hs_lock_acquire(&sampler.control);
    const struct hs_recording *recording =
        hs_liveness_find(&sampler.liveness, sampler.default_handle);
    uint32_t interval = hs_recording_interval(recording);
    hs_lock_release(&sampler.control);
    cr_assert_eq(interval, fake.interval);
}

Test(sampler_governor, beyond_the_longest_interval_of_the_vm_samples_are_thinned) {
    (void)hold(HS_LONGEST_INTERVAL, 0);
    spend(0.06);
    cr_assert_eq(fake.interval, HS_LONGEST_INTERVAL);
    cr_assert_geq(info(sampler.default_handle, HS_INFO_INTERVAL_IN_FORCE),
                  5 * (int64_t)HS_LONGEST_INTERVAL);
}

Test(sampler_governor, an_interval_that_is_requested_is_in_force_at_once) {
    (void)hold(INTERVAL, 0);
    spend(0.06);
    cr_assert_gt(fake.interval, INTERVAL);
    cr_assert_eq(hs_sampler_set_interval(&sampler, FAKE_ENV, sampler.default_handle, 2 * INTERVAL),
                 HS_OK);
    cr_assert_eq(fake.interval, 2 * INTERVAL);
    spend(0.06);
    cr_assert_gt(fake.interval, 2 * INTERVAL, "and costs too much again");
}

Test(sampler_governor, another_holder_does_not_move_it) {
    (void)hold(INTERVAL, 0);
    spend(0.06);
    uint32_t governed = fake.interval;
    (void)hold(2 * INTERVAL, 0);
    cr_assert_eq(fake.interval, governed);
    cr_assert_eq(hs_sampler_reset(&sampler, FAKE_ENV, sampler.default_handle), HS_OK);
    cr_assert_eq(fake.interval, governed);
}

Test(sampler_governor, every_allocation_stays_every_allocation) {
    (void)hold(0, 0);
    spend(0.5);
    cr_assert_eq(fake.interval, 0);
    cr_assert_eq(in_force(OVERHEAD), 0, "there is none to keep to");
}

Test(sampler_governor, a_recording_has_the_interval_that_it_requests) {
    struct hs_handle recording = sampler_open(&sampler, 1024, 0);
    spend(0.5);
    cr_assert_eq(fake.interval, 1024);
    (void)hold(INTERVAL, 0);
    spend(0.5);
    cr_assert_eq(fake.interval, 1024);
    cr_assert_eq(hs_sampler_close(&sampler, FAKE_ENV, recording), HS_OK);
    cr_assert_eq(fake.interval, INTERVAL, "what the recording cost is no reason for another");
}

static int lost_sessions(void) {
    int count = 0;
    hs_lock_acquire(&sampler.control);
    for (const struct hs_session *s = sampler.lost_sessions; s != NULL; s = s->next_lost) {
        count++;
    }
    hs_lock_release(&sampler.control);
    return count;
}

/* As one that a debugger suspends. What each change replaces is kept for it, so changes must come to an end. */
Test(sampler_governor, beside_a_stuck_callback_the_interval_only_grows) {
    (void)hold(INTERVAL, 0);
    uint32_t token = hs_phaser_enter(&sampler.intake.phaser, 3);
    uint32_t interval = INTERVAL;
    for (int i = 0; i < 2; i++) {
        spend(0.02);
        cr_assert_gt(fake.interval, interval, "the budget is kept");
        interval = fake.interval;
    }
    int lost = lost_sessions();
    cr_assert_leq(lost, 2);
    for (int i = 0; i < 20; i++) {
        spend(0);
    }
    cr_assert_eq(fake.interval, interval, "it does not shrink");
    cr_assert_eq(lost_sessions(), lost);
    for (int i = 0; i < 3; i++) {
        spend(0.5);
    }
    interval = sampler.governor.interval;
    cr_assert_eq(interval, HS_GOVERNOR_LONGEST, "nor grow without end");
    cr_assert_leq(lost_sessions(), 14);
    hs_phaser_exit(&sampler.intake.phaser, token);
    for (int i = 0; i < 40; i++) {
        spend(0);
    }
    cr_assert_lt(sampler.governor.interval, interval, "once it has left, it shrinks");
    cr_assert_eq(lost_sessions(), 0);
}

/* 5 % more than the budget, of a second each time; 100 ms are allowed. */
Test(sampler_governor, the_allowance_for_the_start_is_one_for_the_process) {
    bool is_closed;
    sampler.governor.first_us = 0;
    struct hs_hold_id id = hold(INTERVAL, 0);
    spend(0.06);
    cr_assert_eq(fake.interval, INTERVAL);
    cr_assert_gt(in_force(OVERHEAD), HS_DEFAULT_OVERHEAD);
    cr_assert_eq(hs_sampler_release(&sampler, FAKE_ENV, id, &is_closed), HS_OK);
    cr_assert(is_closed);
    id = hold(INTERVAL, 0);
    spend(0.06);
    spend(0.06);
    cr_assert_gt(fake.interval, INTERVAL, "the second start has what the first one left");
}
