/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* The sampler's life in time: recordings that end by themselves, failures, the death of the VM. */
#include <criterion/criterion.h>

#include "hs_encode.h"
#include "hs_sampler.h"
#include "poll.h"
#include "running_sampler.h"

enum { LARGE = 524288, SMALL = 1024, SHORT_US = 1000 };
static const int64_t LONG_US = 3600000000;

static struct hs_sampler sampler;
static size_t used_before;

static void set_up(void) {
    (void)hs_thread_state_current();
    used_before = hs_mem_used();
    sampler_begin(&sampler);
}

static void tear_down(void) {
    hs_mem_fail_at(0);
    hs_sampler_destroy(&sampler, FAKE_ENV);
    cr_assert_eq(fake_outstanding(), 0);
    cr_assert_eq(fake.attached, 0);
    cr_assert_eq(hs_mem_used(), used_before);
}

TestSuite(sampler_time, .init = set_up, .fini = tear_down);

static int64_t info(struct hs_handle handle, enum hs_info i) {
    struct hs_buffer buffer = {0};
    cr_assert_eq(hs_sampler_snapshot(&sampler, FAKE_ENV, handle, HS_AFTER_NONE, NULL, &buffer),
                 HS_OK);
    struct block block = block_read(&buffer);
    int64_t value = block_info(&block, (int)i);
    hs_buffer_free(&buffer);
    return value;
}

static bool is_sampling(struct hs_handle handle) {
    return (info(handle, HS_INFO_FLAGS) & HS_INFO_SAMPLING) != 0;
}

/* Its time is up. */
static void end(int place) {
    atomic_store(&sampler.liveness.recordings[place]->deadline_us, hs_clock_monotonic_us() - 1);
}

Test(sampler_time, a_recording_ends_by_itself) {
    struct hs_handle handle = sampler_open(&sampler, SMALL, SHORT_US);
    cr_assert(POLL(!is_sampling(handle)));
    int64_t samples = info(handle, HS_INFO_SAMPLES);
    callback(&sampler, "shop.Cart", 24);
    cr_assert_eq(info(handle, HS_INFO_SAMPLES), samples);
    cr_assert_eq(info(handle, HS_INFO_SAMPLED_US), SHORT_US);
    cr_assert_eq(hs_sampler_pause(&sampler, FAKE_ENV, handle), HS_OK);
    cr_assert_eq(info(handle, HS_INFO_SAMPLED_US), SHORT_US);
    cr_assert_eq(fake.disables, fake.enables, "on a slow machine it may end before it begins");
}

Test(sampler_time, one_that_has_ended_no_longer_holds_the_interval_down) {
    struct hs_handle lasting = sampler_open(&sampler, LARGE, 0);
    struct hs_handle ending = sampler_open(&sampler, SMALL, LONG_US);
    end(1);
    cr_assert_not(is_sampling(ending));
    hs_sweeper_wake(&sampler.sweeper);
    cr_assert(POLL(fake.interval == LARGE));
    callback(&sampler, "shop.Cart", 24);
    cr_assert_eq(info(lasting, HS_INFO_SAMPLES), 1);
}

Test(sampler_time, a_new_interval_does_not_wake_one_that_has_ended) {
    struct hs_handle handle = sampler_open(&sampler, SMALL, LONG_US);
    end(0);
    int64_t sampled_us = info(handle, HS_INFO_SAMPLED_US);
    cr_assert_eq(hs_sampler_set_interval(&sampler, FAKE_ENV, handle, LARGE), HS_OK);
    cr_assert_not(is_sampling(handle));
    cr_assert_eq(fake.disables, 1, "no recording is open any more");
    cr_assert(hs_sampler_is_primed(&sampler), "no sample will come");
    cr_assert_eq(info(handle, HS_INFO_SAMPLED_US), sampled_us);
    cr_assert_eq(sampler_resume(&sampler, handle, LARGE), HS_OK);
    cr_assert(is_sampling(handle));
}

Test(sampler_time, the_interval_of_one_that_has_ended_does_not_come_into_force) {
    struct hs_handle lasting = sampler_open(&sampler, LARGE, 0);
    struct hs_handle ended = sampler_open(&sampler, LARGE, LONG_US);
    end(1);
    cr_assert_eq(hs_sampler_set_interval(&sampler, FAKE_ENV, ended, SMALL), HS_OK);
    cr_assert_eq(fake.interval, LARGE);
    callback(&sampler, "shop.Cart", 24);
    cr_assert_eq(info(ended, HS_INFO_SAMPLES), 0);
    cr_assert_eq(info(lasting, HS_INFO_SAMPLES), 1);
}

Test(sampler_time, when_all_have_ended_control_still_works) {
    struct hs_handle handle = sampler_open(&sampler, SMALL, LONG_US);
    end(0);
    cr_assert_not(is_sampling(handle));
    hs_sweeper_wake(&sampler.sweeper);
    cr_assert(POLL(fake.interval > SMALL));
    struct hs_handle next = sampler_open(&sampler, SMALL, 0);
    cr_assert_eq(fake.interval, SMALL);
    cr_assert(is_sampling(next));
    cr_assert_eq(hs_sampler_close(&sampler, FAKE_ENV, next), HS_OK);
    cr_assert_eq(fake.enables, fake.disables, "no recording is open any more");
}

Test(sampler_time, one_that_has_ended_can_be_resumed) {
    struct hs_handle handle = sampler_open(&sampler, SMALL, LONG_US);
    end(0);
    cr_assert_not(is_sampling(handle));
    cr_assert_eq(sampler_resume(&sampler, handle, SMALL), HS_OK);
    cr_assert(is_sampling(handle), "for another stretch");
}

Test(sampler_time, a_resumed_recording_gets_its_whole_time_again) {
    struct hs_handle handle = sampler_open(&sampler, SMALL, LONG_US);
    int64_t deadline = sampler.liveness.recordings[0]->deadline_us;
    cr_assert_eq(hs_sampler_pause(&sampler, FAKE_ENV, handle), HS_OK);
    cr_assert(POLL(hs_clock_monotonic_us() > deadline - LONG_US + 1000));
    cr_assert_eq(sampler_resume(&sampler, handle, SMALL), HS_OK);
    cr_assert_gt(sampler.liveness.recordings[0]->deadline_us, deadline);
}

/* "After a failure nothing has changed": nor has the time that was sampled. */
Test(sampler_time, a_resume_that_failed_has_sampled_no_time) {
    struct hs_handle handle = sampler_open(&sampler, SMALL, LONG_US);
    cr_assert_eq(hs_sampler_pause(&sampler, FAKE_ENV, handle), HS_OK);
    int64_t sampled_us = info(handle, HS_INFO_SAMPLED_US);
    int64_t deadline = sampler.liveness.recordings[0]->deadline_us;
    fake.enable_status = HS_OWNED;
    for (int i = 0; i < 10; i++) { /* each takes some microseconds */
        cr_assert_eq(sampler_resume(&sampler, handle, LARGE), HS_OWNED);
    }
    cr_assert_not(is_sampling(handle));
    cr_assert_eq(info(handle, HS_INFO_SAMPLED_US), sampled_us);
    cr_assert_eq(info(handle, HS_INFO_INTERVAL), SMALL);
    cr_assert_eq(info(handle, HS_INFO_INTERVAL_CHANGES), 0);
    cr_assert_eq(sampler.liveness.recordings[0]->deadline_us, deadline);
    fake.enable_status = HS_OK;
    cr_assert_eq(sampler_resume(&sampler, handle, SMALL), HS_OK);
    cr_assert(is_sampling(handle));
}

/* Its reset is a start where no other recording samples: the first recording's time is up, and the other is gone. */
Test(sampler_time, a_reset_that_failed_begins_no_new_time) {
    struct hs_handle handle = sampler_open(&sampler, SMALL, LONG_US);
    struct hs_handle other = sampler_open(&sampler, LARGE, 0);
    end(0);
    cr_assert_eq(hs_sampler_close(&sampler, FAKE_ENV, other), HS_OK);
    cr_assert_eq(fake.disables, 1);
    int64_t sampled_us = info(handle, HS_INFO_SAMPLED_US);
    int64_t deadline = sampler.liveness.recordings[0]->deadline_us;
    fake.enable_status = HS_OWNED;
    for (int i = 0; i < 10; i++) { /* as above */
        cr_assert_eq(hs_sampler_reset(&sampler, FAKE_ENV, handle), HS_OWNED);
    }
    cr_assert_eq(sampler.liveness.recordings[0]->deadline_us, deadline);
    cr_assert_not(is_sampling(handle), "its time stays up");
    cr_assert_eq(info(handle, HS_INFO_SAMPLED_US), sampled_us);
    fake.enable_status = HS_OK;
    cr_assert_eq(hs_sampler_reset(&sampler, FAKE_ENV, handle), HS_OK);
    cr_assert(is_sampling(handle), "for a whole time again");
}

Test(sampler_time, a_pause_needs_no_memory) {
    struct hs_handle handle = sampler_open(&sampler, SMALL, LONG_US);
    hs_mem_set_budget(0);
    enum hs_status status = hs_sampler_pause(&sampler, FAKE_ENV, handle);
    hs_mem_set_budget(HS_MEM_DEFAULT_BUDGET);
    cr_assert_eq(status, HS_OK);
    cr_assert_not(is_sampling(handle));
    cr_assert_eq(fake.disables, 1);
}

/* Closing gives memory back: it is what one does when there is none left. */
Test(sampler_time, closing_needs_no_memory) {
    struct hs_handle first = sampler_open(&sampler, SMALL, 0);
    struct hs_handle last = sampler_open(&sampler, LARGE, 0);
    hs_mem_set_budget(0);
    enum hs_status first_status = hs_sampler_close(&sampler, FAKE_ENV, first);
    enum hs_status last_status = hs_sampler_close(&sampler, FAKE_ENV, last);
    hs_mem_set_budget(HS_MEM_DEFAULT_BUDGET);
    cr_assert_eq(first_status, HS_OK);
    cr_assert_eq(last_status, HS_OK);
}

Test(sampler_time, a_thread_is_primed_when_its_step_is_of_the_interval_in_force) {
    bool is_late;
    struct hs_thread_state *self = hs_thread_state_current();
    struct hs_handle handle = sampler_open(&sampler, SMALL, 0);
    cr_assert_not(hs_sampler_is_primed(&sampler));
    (void)hs_thread_state_reach(self, sampler.intake.enable,
                                hs_interval_now(&sampler.intake.interval), false, &is_late);
    cr_assert(hs_sampler_is_primed(&sampler));
    cr_assert_eq(hs_sampler_set_interval(&sampler, FAKE_ENV, handle, LARGE), HS_OK);
    cr_assert_not(hs_sampler_is_primed(&sampler));
    (void)hs_thread_state_reach(self, sampler.intake.enable,
                                hs_interval_now(&sampler.intake.interval), false, &is_late);
    cr_assert(hs_sampler_is_primed(&sampler));
    cr_assert_eq(hs_sampler_pause(&sampler, FAKE_ENV, handle), HS_OK);
    cr_assert_eq(sampler_resume(&sampler, handle, LARGE), HS_OK);
    cr_assert_not(hs_sampler_is_primed(&sampler), "of an earlier enable");
}

/* What another agent has set in the threads while it sampled is not taken for ours. */
Test(sampler_time, a_refusal_because_of_another_agent_is_remembered) {
    static const struct hs_filter ALL;
    struct hs_handle handle = {0};
    struct hs_handle first = sampler_open(&sampler, SMALL, 0);
    cr_assert_not(sampler.intake.has_rival);
    fake.enable_status = HS_NO_THREAD;
    cr_assert_eq(hs_sampler_close(&sampler, FAKE_ENV, first), HS_OK);
    cr_assert_eq(
        hs_sampler_open(&sampler, FAKE_ENV, sampler.config_version, &ALL, SMALL, 0, &handle),
        HS_NO_THREAD);
    cr_assert_not(sampler.intake.has_rival, "that was something else");
    fake.enable_status = HS_OWNED;
    cr_assert_eq(
        hs_sampler_open(&sampler, FAKE_ENV, sampler.config_version, &ALL, SMALL, 0, &handle),
        HS_OWNED);
    cr_assert(sampler.intake.has_rival);
    fake.enable_status = HS_OK;
    (void)sampler_open(&sampler, SMALL, 0);
    cr_assert(sampler.intake.has_rival, "it may come again");
}

Test(sampler_time, status_before_during_and_after) {
    int64_t values[HS_STATUS_VALUES];
    hs_sampler_status(&sampler, values);
    cr_assert_eq(values[HS_FIGURE_SAMPLING], 0);
    cr_assert_eq(values[HS_FIGURE_INTERVAL], HS_VM_DEFAULT_INTERVAL);
    cr_assert_eq(values[HS_FIGURE_RECORDINGS], 0);
    cr_assert_eq(values[HS_FIGURE_TRACKED], 0);
    cr_assert_eq(values[HS_FIGURE_MAX_TRACKED], SAMPLER_LIMITS.tracked);
    struct hs_handle handle = sampler_open(&sampler, SMALL, 0);
    sampler_open(&sampler, LARGE, 0);
    callback(&sampler, "shop.Cart", 24);
    atomic_fetch_add(&sampler.liveness.recordings[0]->drops[HS_DROP_OWN], 2);
    atomic_fetch_add(&sampler.liveness.recordings[1]->drops[HS_DROP_OWN], 3);
    hs_lookup_count(&sampler.intake.lookup, 0, HS_LOOKUP_MISMATCHES);
    hs_lookup_count(&sampler.intake.lookup, 5, HS_LOOKUP_MISMATCHES);
    hs_sampler_status(&sampler, values);
    cr_assert_eq(values[HS_FIGURE_SAMPLING], 1);
    cr_assert_eq(values[HS_FIGURE_INTERVAL], SMALL);
    cr_assert_eq(values[HS_FIGURE_RECORDINGS], 2);
    cr_assert_eq(values[HS_FIGURE_TRACKED], 1);
    cr_assert_gt(values[HS_FIGURE_MEMORY], (int64_t)used_before);
    cr_assert_geq(values[HS_FIGURE_MEMORY_PEAK], values[HS_FIGURE_MEMORY]);
    cr_assert_eq(values[HS_FIGURE_DEPTH], SAMPLER_LIMITS.depth);
    cr_assert_eq(values[HS_FIGURE_LOOKS_UP], 0, "no VM, so no stacks to look up");
    cr_assert_eq(values[HS_FIGURE_LOOKUPS + HS_LOOKUP_MISMATCHES], 2);
    cr_assert_eq(values[HS_FIGURE_DROPS + HS_DROP_OWN], 5);
    cr_assert_eq(hs_sampler_close(&sampler, FAKE_ENV, handle), HS_OK);
    hs_sampler_status(&sampler, values);
    cr_assert_eq(values[HS_FIGURE_INTERVAL], LARGE);
    cr_assert_eq(values[HS_FIGURE_RECORDINGS], 1);
}

Test(sampler_time, after_the_death_of_the_vm_nothing_starts) {
    static const struct hs_filter ALL;
    struct hs_handle handle = {0};
    hs_sampler_vm_death(&sampler);
    cr_assert_eq(
        hs_sampler_open(&sampler, FAKE_ENV, sampler.config_version, &ALL, SMALL, 0, &handle),
        HS_VM_DEAD);
    cr_assert_eq(fake.attaches, 0);
    cr_assert_eq(hs_mem_used(), used_before);
}

static void die_with_the_canary(hs_ref canary) {
    (void)canary;
    fake.after_garbage = NULL;
    hs_sampler_vm_death(&sampler);
}

Test(sampler_time, a_vm_that_dies_during_the_start_is_not_sampled) {
    static const struct hs_filter ALL;
    struct hs_handle handle = {0};
    fake.after_garbage = die_with_the_canary;
    cr_assert_eq(
        hs_sampler_open(&sampler, FAKE_ENV, sampler.config_version, &ALL, SMALL, 0, &handle),
        HS_VM_DEAD);
    cr_assert_eq(fake.enables, 0);
    cr_assert_null(atomic_load(&sampler.intake.session));
    cr_assert_eq(fake.attached, 0);
    cr_assert_eq(hs_mem_used(), used_before);
}

Test(sampler_time, after_the_death_of_the_vm_a_close_still_gives_back) {
    struct hs_handle handle = sampler_open(&sampler, SMALL, 0);
    struct hs_session *session = atomic_load(&sampler.intake.session);
    callback(&sampler, "shop.Cart", 24);
    hs_sampler_vm_death(&sampler);
    cr_assert_eq(atomic_load(&sampler.last), session, "given up, and not lost");
    cr_assert(POLL(fake.attached == 0), "the sweeper ends by itself");
    cr_assert_eq(callback(&sampler, "shop.Cart", 24), 0);
    cr_assert_eq(hs_sampler_close(&sampler, FAKE_ENV, handle), HS_OK);
    cr_assert_eq(fake.disables, 0, "there is nothing to turn off any more");
    hs_mem_free(session, sizeof *session); /* a callback may have been in it: given up */
}

Test(sampler_time, after_the_death_of_the_vm_it_is_never_called) {
    static const struct hs_filter ALL;
    struct hs_handle second = {0};
    struct hs_handle handle = sampler_open(&sampler, SMALL, 0);
    struct hs_session *session = atomic_load(&sampler.intake.session);
    hs_sampler_vm_death(&sampler);
    cr_assert_eq(hs_sampler_open(&sampler, FAKE_ENV, sampler.config_version, &ALL, 16, 0, &second),
                 HS_VM_DEAD);
    cr_assert_eq(hs_sampler_set_interval(&sampler, FAKE_ENV, handle, 32), HS_OK);
    cr_assert_eq(hs_sampler_reset(&sampler, FAKE_ENV, handle), HS_OK);
    cr_assert_eq(fake.interval_calls, 0);
    cr_assert_eq(fake.interval, SMALL);
    cr_assert_null(atomic_load(&sampler.intake.session), "no sample is accepted any more");
    cr_assert_eq(hs_sampler_close(&sampler, FAKE_ENV, handle), HS_OK);
    hs_mem_free(session, sizeof *session); /* as above */
}

/* The VM dies while a control thread is telling it the interval, and goes on sampling for a while. */
static void die_meanwhile(void) {
    fake.during_interval = NULL;
    hs_sampler_vm_death(&sampler);
}

Test(sampler_time, session_published_while_the_vm_died_outlives_no_recording) {
    struct hs_handle first = sampler_open(&sampler, LARGE, 0);
    struct hs_session *lost = atomic_load(&sampler.intake.session);
    fake.during_interval = die_meanwhile;
    struct hs_handle second = sampler_open(&sampler, SMALL, 0);
    cr_assert_eq(hs_sampler_close(&sampler, FAKE_ENV, second), HS_OK);
    cr_assert_null(atomic_load(&sampler.intake.session),
                   "it would lead to a recording that is freed");
    cr_assert_eq(callback(&sampler, "shop.Cart", 24), 0);
    cr_assert_eq(hs_sampler_close(&sampler, FAKE_ENV, first), HS_OK);
    hs_mem_free(lost, sizeof *lost); /* as above */
}
