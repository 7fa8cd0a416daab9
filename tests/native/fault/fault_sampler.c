/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Every control call with every allocation failing once, also those of the sweeper's thread. After a
 * failure nothing has changed, and the same call works when there is memory again. */
#include "fault.h"
#include "hs_encode.h"
#include "hs_sampler.h"
#include "unit/running_sampler.h"

static const struct hs_filter ALL;
static struct hs_sampler sampler;
static enum hs_status first_failure;

/* A missing sweeper thread is a want of memory as well: its record. */
static enum hs_status note(enum hs_status status) {
    if (status == HS_NO_THREAD) {
        status = HS_NO_MEMORY;
    }
    if (first_failure == HS_OK) {
        first_failure = status;
    }
    return status;
}

static void assert_clean(void) {
    cr_assert_eq(fake_outstanding(), 0, "references were lost");
    cr_assert_eq(fake.attached, 0, "the sweeper was left behind");
    cr_assert_eq(fake.enables, fake.disables, "sampling was left on");
    cr_assert_not(fake.is_claimed, "others cannot sample");
}

static enum hs_status open_round(void) {
    struct hs_handle handle = {0};
    first_failure = HS_OK;
    sampler_begin(&sampler);
    if (note(hs_sampler_open(&sampler, FAKE_ENV, sampler.config_version, &ALL, 1024, 0, &handle)) ==
        HS_OK) {
        callback(&sampler, "shop.Cart", 24);
    } else {
        cr_assert_eq(hs_interval_now(&sampler.intake.interval), HS_VM_DEFAULT_INTERVAL);
        cr_assert_null(atomic_load(&sampler.intake.session));
        assert_clean();
        cr_assert_eq(
            hs_sampler_open(&sampler, FAKE_ENV, sampler.config_version, &ALL, 1024, 0, &handle),
            HS_OK, "again");
    }
    hs_sampler_destroy(&sampler, FAKE_ENV);
    assert_clean();
    return first_failure;
}

static void set_up(void) {
    (void)hs_thread_state_current();
    fake_reset();
}

Test(fault_sampler, open, .init = set_up) {
    cr_assert_geq(fault_each(open_round, true), 20);
}

static struct hs_handle handle_of_round;

static enum hs_status pause_call(void) {
    return hs_sampler_pause(&sampler, FAKE_ENV, handle_of_round);
}

static enum hs_status interval_call(void) {
    return hs_sampler_set_interval(&sampler, FAKE_ENV, handle_of_round, 64);
}

static enum hs_status reset_call(void) {
    return hs_sampler_reset(&sampler, FAKE_ENV, handle_of_round);
}

static enum hs_status close_call(void) {
    return hs_sampler_close(&sampler, FAKE_ENV, handle_of_round);
}

static enum hs_status second_open_call(void) {
    struct hs_handle handle;
    return hs_sampler_open(&sampler, FAKE_ENV, sampler.config_version, &ALL, 64, 0, &handle);
}

static enum hs_status snapshot_call(void) {
    struct hs_buffer buffer = {0};
    enum hs_status status =
        hs_sampler_snapshot(&sampler, FAKE_ENV, handle_of_round, HS_AFTER_FORCED, NULL, &buffer);
    hs_buffer_free(&buffer);
    return status;
}

static int64_t samples_of(struct hs_handle handle) {
    struct hs_buffer buffer = {0};
    cr_assert_eq(hs_sampler_snapshot(&sampler, FAKE_ENV, handle, HS_AFTER_NONE, NULL, &buffer),
                 HS_OK);
    struct block block = block_read(&buffer);
    int64_t samples = block_info(&block, HS_INFO_SAMPLES);
    hs_buffer_free(&buffer);
    return samples;
}

/* Two recordings with a sample each; then `call`, with its n-th allocation failing. */
static void one_call(fault_round *call, uint64_t n, bool *has_struck) {
    size_t before = hs_mem_used();
    sampler_begin(&sampler);
    handle_of_round = sampler_open(&sampler, 1024, 0);
    struct hs_handle other = sampler_open(&sampler, 4096, 0);
    callback(&sampler, "shop.Cart", 24);
    hs_mem_fail_at(n);
    enum hs_status status = call();
    *has_struck = fault_has_struck(n);
    cr_assert(status == HS_OK || (*has_struck && status == HS_NO_MEMORY), "call %d", (int)n);
    if (status != HS_OK) {
        cr_assert_eq(samples_of(handle_of_round), 1, "nothing has changed");
        cr_assert_eq(fake.interval, 1024);
        callback(&sampler, "shop.Cart", 24);
        cr_assert_eq(samples_of(handle_of_round), 2, "it goes on");
        cr_assert_eq(call(), HS_OK, "and works when there is memory");
    }
    cr_assert_geq(samples_of(other), 1, "the other recording is as it was");
    hs_sampler_destroy(&sampler, FAKE_ENV);
    assert_clean();
    cr_assert_eq(hs_mem_used(), before);
}

static void each_call(fault_round *call) {
    bool has_struck = true;
    for (uint64_t n = 1; has_struck; n++) {
        one_call(call, n, &has_struck);
        cr_assert_lt(n, 1000);
    }
}

Test(fault_sampler, pause, .init = set_up) {
    each_call(pause_call);
}

Test(fault_sampler, set_interval, .init = set_up) {
    each_call(interval_call);
}

Test(fault_sampler, reset, .init = set_up) {
    each_call(reset_call);
}

/* One that has ended by itself, where no other recording samples; then its reset, with the n-th allocation failing. */
static void one_reset_after_the_end(uint64_t n, bool *has_struck) {
    sampler_begin(&sampler);
    handle_of_round = sampler_open(&sampler, 1024, INT64_C(3600000000));
    struct hs_handle other = sampler_open(&sampler, 4096, 0);
    struct hs_recording *recording = sampler.liveness.recordings[0];
    callback(&sampler, "shop.Cart", 24);
    int64_t end_us = hs_clock_monotonic_us() - 1;
    atomic_store(&recording->deadline_us, end_us);
    cr_assert_eq(hs_sampler_close(&sampler, FAKE_ENV, other), HS_OK);
    int64_t since_us = recording->accepting_since_us;
    hs_mem_fail_at(n);
    enum hs_status status = note(reset_call());
    *has_struck = fault_has_struck(n);
    cr_assert(status == HS_OK || (*has_struck && status == HS_NO_MEMORY), "call %d", (int)n);
    if (status != HS_OK) {
        cr_assert_eq(samples_of(handle_of_round), 1, "nothing has changed");
        cr_assert(recording->is_accepting);
        cr_assert_eq(recording->deadline_us, end_us, "its time stays up");
        cr_assert_eq(recording->accepting_since_us, since_us);
        cr_assert_eq(recording->accepted_us, 0, "nor is it counted twice");
        cr_assert_eq(fake.enables, fake.disables);
        cr_assert_eq(reset_call(), HS_OK, "and works when there is memory");
    }
    cr_assert_eq(samples_of(handle_of_round), 0);
    hs_sampler_destroy(&sampler, FAKE_ENV);
    assert_clean();
}

Test(fault_sampler, reset_after_the_end, .init = set_up) {
    uint64_t failures = 0;
    bool has_struck = true;
    for (uint64_t n = 1; has_struck; n++) {
        first_failure = HS_OK;
        one_reset_after_the_end(n, &has_struck);
        failures += first_failure != HS_OK;
        cr_assert_lt(n, 1000);
    }
    cr_assert_geq(failures, 4, "of the tables and of the sweeper's thread");
}

Test(fault_sampler, close, .init = set_up) {
    each_call(close_call);
}

Test(fault_sampler, second_open, .init = set_up) {
    each_call(second_open_call);
}

Test(fault_sampler, snapshot, .init = set_up) {
    each_call(snapshot_call);
}
