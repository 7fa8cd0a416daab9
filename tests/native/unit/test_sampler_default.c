/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Those who share the engine: an agent and copies of the Java classes, each of which sets terms and then opens
 * recordings, or the one process-wide sampler. */
#include "running_sampler.h"

enum { INTERVAL = 4096 };

static const struct hs_filter ALL;
static struct hs_sampler sampler;

static void set_up(void) {
    sampler_begin(&sampler);
}

static void tear_down(void) {
    hs_sampler_destroy(&sampler, FAKE_ENV);
    cr_assert_eq(fake_outstanding(), 0);
    cr_assert_eq(fake.enables, fake.disables);
    cr_assert_not(fake.is_claimed);
}

TestSuite(sampler_own, .init = set_up, .fini = tear_down);

static struct hs_config_version agree(enum hs_strategy_kind kind, uint64_t amount) {
    struct hs_strategy strategy = {.kind = kind, .amount = amount};
    struct hs_config_version config_version = {0};
    cr_assert_eq(hs_sampler_configure(&sampler, FAKE_ENV, &SAMPLER_LIMITS, &strategy,
                                      &SAMPLER_TRAITS, &config_version),
                 HS_OK);
    cr_assert_gt(config_version.number, 0);
    return config_version;
}

static enum hs_status hold(const char *name, uint32_t interval, bool keeps, struct hs_hold_id *id) {
    struct hs_hold wanted = {.interval = interval, .keeps = keeps};
    (void)snprintf(wanted.name, sizeof wanted.name, "%s", name);
    return hs_sampler_hold(&sampler, FAKE_ENV, sampler.config_version, INTERVAL, &wanted, id);
}

/* One that must be granted. */
static struct hs_hold_id held(const char *name, uint32_t interval, bool keeps) {
    struct hs_hold_id id = {0};
    cr_assert_eq(hold(name, interval, keeps, &id), HS_OK);
    cr_assert_gt(id.number, 0);
    return id;
}

/* Returns whether the process-wide sampler was closed. */
static bool release(struct hs_hold_id id) {
    bool is_closed;
    cr_assert_eq(hs_sampler_release(&sampler, FAKE_ENV, id, &is_closed), HS_OK);
    return is_closed;
}

static enum hs_status open_own(struct hs_config_version config_version, struct hs_hold_id *id) {
    struct hs_hold wanted = {.interval = INTERVAL, .keeps = true, .name = "application"};
    return hs_sampler_hold(&sampler, FAKE_ENV, config_version, INTERVAL, &wanted, id);
}

static int64_t in_force(int value) {
    int64_t values[HS_STATUS_VALUES];
    hs_sampler_status(&sampler, values);
    return values[HS_FIGURES + value];
}

enum {
    RECORDINGS,
    HANDLE,
    IS_RUNNING,
    ITS_INTERVAL,
    SINCE,
    STRATEGY,
    TERMS = 14,
    HAS_RUN,
    HOLDERS = 18,
};

static void check_holder(int place, const char *name) {
    int64_t values[HS_STATUS_VALUES];
    hs_sampler_status(&sampler, values);
    const int64_t *names = values + HS_FIGURES + HOLDERS + 1;
    cr_assert_str_eq((const char *)(names + place * (HS_HOLD_NAME / 8)), name);
}

Test(sampler_own, holders_share_one_recording_that_ends_with_the_last_of_them) {
    cr_assert_eq(in_force(HAS_RUN), 0);
    struct hs_hold_id doctor = held("doctor", HS_NO_WISH, false);
    int64_t handle = in_force(HANDLE);
    struct hs_hold_id application = held("application", HS_NO_WISH, true);
    cr_assert_eq(in_force(RECORDINGS), 1);
    cr_assert_eq(in_force(HANDLE), handle);
    cr_assert_eq(in_force(HOLDERS), 2);
    check_holder(0, "doctor");
    check_holder(1, "application");
    cr_assert_not(release(application));
    cr_assert_eq(in_force(IS_RUNNING), 1, "the doctor still wants samples");
    check_holder(0, "doctor");
    cr_assert_not(release(doctor));
    cr_assert_eq(in_force(IS_RUNNING), 0);
    cr_assert_eq(in_force(HANDLE), handle, "the application keeps its samples");
    bool is_closed;
    cr_assert_eq(hs_sampler_release(&sampler, FAKE_ENV, doctor, &is_closed), HS_CLOSED);
    cr_assert_eq(in_force(HAS_RUN), 1);
}

Test(sampler_own, without_a_holder_that_keeps_them_the_samples_go_with_the_last) {
    struct hs_hold_id first = held("doctor", HS_NO_WISH, false);
    struct hs_hold_id second = held("agent", HS_NO_WISH, false);
    cr_assert_not(release(first));
    cr_assert_eq(in_force(IS_RUNNING), 1);
    cr_assert(release(second));
    cr_assert_eq(in_force(HANDLE), 0);
    cr_assert_eq(in_force(RECORDINGS), 0);
    cr_assert_eq(in_force(HAS_RUN), 1);
}

Test(sampler_own, samples_of_before_outlast_a_holder_that_keeps_none) {
    (void)release(held("application", HS_NO_WISH, true));
    int64_t handle = in_force(HANDLE);
    cr_assert_not(release(held("doctor", HS_NO_WISH, false)));
    cr_assert_eq(in_force(HANDLE), handle);
    cr_assert_eq(hs_sampler_close(&sampler, FAKE_ENV, (struct hs_handle){(int32_t)handle}), HS_OK);
    cr_assert(release(held("doctor", HS_NO_WISH, false)), "they were given up");
}

Test(sampler_own, a_hold_can_decide_at_its_end_that_the_samples_stay) {
    struct hs_hold_id tool = held("tool", HS_NO_WISH, false);
    struct hs_hold_id doctor = held("doctor", HS_NO_WISH, false);
    int64_t handle = in_force(HANDLE);
    cr_assert_eq(hs_sampler_release_keeping(&sampler, FAKE_ENV, tool), HS_OK);
    cr_assert_eq(hs_sampler_release_keeping(&sampler, FAKE_ENV, tool), HS_CLOSED);
    cr_assert_not(release(doctor));
    cr_assert_eq(in_force(HANDLE), handle);
    cr_assert_eq(in_force(IS_RUNNING), 0);
}

Test(sampler_own, a_hold_that_is_gone_keeps_no_samples) {
    struct hs_hold_id tool = held("tool", HS_NO_WISH, false);
    struct hs_hold_id doctor = held("doctor", HS_NO_WISH, false);
    cr_assert_not(release(tool));
    cr_assert_eq(hs_sampler_release_keeping(&sampler, FAKE_ENV, tool), HS_CLOSED);
    cr_assert(release(doctor));
}

Test(sampler_own, after_a_reset_only_holders_of_now_keep_samples) {
    struct hs_hold_id application = held("application", HS_NO_WISH, true);
    struct hs_hold_id doctor = held("doctor", HS_NO_WISH, false);
    cr_assert_not(release(application));
    cr_assert_eq(hs_sampler_reset(&sampler, FAKE_ENV, sampler.default_handle), HS_OK);
    cr_assert(release(doctor));
    cr_assert_eq(in_force(HANDLE), 0);
}

Test(sampler_own, the_smallest_interval_of_all_holders_is_in_force) {
    struct hs_hold_id agent = held("agent", INTERVAL, false);
    struct hs_hold_id fine = held("application", INTERVAL / 2, true);
    cr_assert_eq(in_force(ITS_INTERVAL), INTERVAL / 2);
    struct hs_hold_id none = held("doctor", HS_NO_WISH, false);
    cr_assert_eq(in_force(ITS_INTERVAL), INTERVAL / 2);
    (void)release(fine);
    cr_assert_eq(in_force(ITS_INTERVAL), INTERVAL);
    (void)release(agent);
    cr_assert_eq(in_force(ITS_INTERVAL), HS_VM_DEFAULT_INTERVAL);
    cr_assert_eq(hs_sampler_set_interval(&sampler, FAKE_ENV, sampler.default_handle, 77), HS_OK);
    (void)release(held("agent", INTERVAL, false));
    cr_assert_eq(in_force(ITS_INTERVAL), 77, "it was set for all");
    (void)release(none);
}

Test(sampler_own, it_is_not_closed_while_it_is_held) {
    struct hs_hold_id id = held("doctor", HS_NO_WISH, false);
    struct hs_handle handle = {(int32_t)in_force(HANDLE)};
    cr_assert_eq(hs_sampler_close(&sampler, FAKE_ENV, handle), HS_BUSY);
    cr_assert_eq(in_force(IS_RUNNING), 1);
    cr_assert(release(id));
    cr_assert_eq(hs_sampler_close(&sampler, FAKE_ENV, handle), HS_CLOSED);
}

Test(sampler_own, holds_are_bounded) {
    struct hs_hold_id id = {0};
    for (int i = 0; i < HS_MAX_HOLDS; i++) {
        (void)held("doctor", HS_NO_WISH, false);
    }
    cr_assert_eq(hold("one more", HS_NO_WISH, false, &id), HS_FULL);
    cr_assert_eq(id.number, 0);
    cr_assert_eq(in_force(HOLDERS), HS_MAX_HOLDS);
}

/* A class loader was collected, and no code can close what its classes held. */
Test(sampler_own, a_hold_goes_with_the_class_that_took_it) {
    struct hs_hold wanted = {.interval = HS_NO_WISH, .owner = fake_ref(), .name = "doctor"};
    struct hs_hold_id id = {0};
    struct hs_hold_id agent = held("agent", HS_NO_WISH, false);
    cr_assert_eq(
        hs_sampler_hold(&sampler, FAKE_ENV, sampler.config_version, INTERVAL, &wanted, &id), HS_OK);
    hs_sampler_release_orphans(&sampler, FAKE_ENV);
    cr_assert_eq(in_force(HOLDERS), 2);
    fake_clear(wanted.owner);
    hs_sampler_release_orphans(&sampler, FAKE_ENV);
    cr_assert_eq(in_force(HOLDERS), 1);
    check_holder(0, "agent");
    cr_assert(release(agent));
}

/* As during a forced collection, for seconds. */
Test(sampler_own, the_status_does_not_wait_for_a_control_thread) {
    struct hs_hold_id id = held("application", HS_NO_WISH, true);
    hs_lock_acquire(&sampler.control);
    int64_t handle = in_force(HANDLE);
    cr_assert_gt(handle, 0);
    cr_assert_eq(in_force(IS_RUNNING), 1);
    check_holder(0, "application");
    hs_lock_release(&sampler.control);
    (void)release(id);
    cr_assert_eq(in_force(IS_RUNNING), 0);
}

Test(sampler_own, another_recording_that_is_closed_leaves_it_there) {
    struct hs_hold_id id = {0};
    cr_assert_eq(open_own(sampler.config_version, &id), HS_OK);
    struct hs_handle own = {(int32_t)in_force(HANDLE)};
    struct hs_handle other = sampler_open(&sampler, INTERVAL, 0);
    cr_assert_eq(hs_sampler_close(&sampler, FAKE_ENV, other), HS_OK);
    cr_assert_eq(in_force(HANDLE), own.number);
    cr_assert_eq(hs_sampler_reset(&sampler, FAKE_ENV, own), HS_OK);
    cr_assert_eq(in_force(HANDLE), own.number);
}

Test(sampler_own, one_that_was_refused_can_be_opened_later) {
    struct hs_hold_id id = {0};
    fake.enable_status = HS_OWNED;
    cr_assert_eq(open_own(sampler.config_version, &id), HS_OWNED);
    cr_assert_eq(in_force(RECORDINGS), 0);
    cr_assert_eq(in_force(HANDLE), 0);
    cr_assert_eq(in_force(HOLDERS), 0);
    cr_assert_eq(in_force(HAS_RUN), 0);
    fake.enable_status = HS_OK;
    cr_assert_eq(open_own(sampler.config_version, &id), HS_OK);
}

Test(sampler_own, the_end_of_the_engine_is_its_end) {
    struct hs_hold_id id = {0};
    cr_assert_eq(open_own(sampler.config_version, &id), HS_OK);
    hs_sampler_destroy(&sampler, FAKE_ENV);
    cr_assert_eq(in_force(HANDLE), 0);
    cr_assert_eq(in_force(HOLDERS), 0);
    cr_assert_eq(open_own(sampler.config_version, &id), HS_OK);
}

/* Each has set its own strategy, and then each opens. */
Test(sampler_own, strategies_of_two_are_never_mixed) {
    struct hs_hold_id id = {0};
    struct hs_handle handle = {0};
    struct hs_config_version counts = agree(HS_BY_ALLOCATIONS, 100);
    struct hs_config_version caps = agree(HS_BY_TIME, 1000);
    cr_assert_neq(counts.number, caps.number);
    cr_assert_eq(open_own(counts, &id), HS_CHANGED);
    cr_assert_eq(hs_sampler_open(&sampler, FAKE_ENV, counts, &ALL, 0, 0, &handle), HS_CHANGED);
    cr_assert_eq(handle.number, 0);
    cr_assert_eq(in_force(RECORDINGS), 0);
    cr_assert_eq(in_force(TERMS), caps.number);
    cr_assert_eq(open_own(caps, &id), HS_OK);
    cr_assert_eq(in_force(STRATEGY), HS_BY_TIME);
}

Test(sampler_own, what_is_refused_changes_no_terms) {
    struct hs_strategy wrong = {.kind = HS_BY_ALLOCATIONS, .amount = 0};
    struct hs_hold_id id = {0};
    struct hs_config_version config_version = agree(HS_BY_ALLOCATIONS, 100);
    cr_assert_eq(sampler_configure(&sampler, &SAMPLER_LIMITS, &wrong, &SAMPLER_TRAITS), HS_INVALID);
    cr_assert_eq(open_own(config_version, &id), HS_OK);
    cr_assert_eq(sampler_configure(&sampler, &SAMPLER_LIMITS, &SAMPLER_STRATEGY, &SAMPLER_TRAITS),
                 HS_BUSY);
    cr_assert_eq(in_force(TERMS), config_version.number);
    struct hs_handle more = {0};
    cr_assert_eq(hs_sampler_open(&sampler, FAKE_ENV, config_version, &ALL, 0, 0, &more), HS_OK,
                 "a later caller has the same configuration");
}

Test(sampler_own, numbers_of_terms_wrap_round) {
    struct hs_hold_id id = {0};
    struct hs_config_version last = {INT32_MAX};
    sampler.config_version = last;
    struct hs_config_version first = agree(HS_BY_TIME, 1000);
    cr_assert_eq(first.number, 1);
    cr_assert_eq(open_own(last, &id), HS_CHANGED);
    cr_assert_eq(open_own(first, &id), HS_OK);
}
