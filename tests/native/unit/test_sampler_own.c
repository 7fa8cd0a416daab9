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
}

TestSuite(sampler_own, .init = set_up, .fini = tear_down);

static int32_t agree(enum hs_strategy_kind kind, uint64_t amount) {
    struct hs_strategy strategy = {.kind = kind, .amount = amount};
    int32_t terms = 0;
    cr_assert_eq(
        hs_sampler_configure(&sampler, &SAMPLER_LIMITS, &strategy, &SAMPLER_TRAITS, &terms), HS_OK);
    cr_assert_gt(terms, 0);
    return terms;
}

static enum hs_status open_own(int32_t terms, int32_t *handle) {
    return hs_sampler_open_own(&sampler, FAKE_ENV, terms, INTERVAL, handle);
}

static int64_t in_force(int value) {
    int64_t values[HS_IN_FORCE_VALUES];
    hs_sampler_in_force(&sampler, values);
    return values[value];
}

enum { RECORDINGS, HANDLE, IS_RUNNING, ITS_INTERVAL, SINCE, STRATEGY, TERMS = 14 };

Test(sampler_own, there_is_one_at_a_time) {
    int32_t first = 0;
    int32_t second = 0;
    cr_assert_eq(open_own(sampler.terms, &first), HS_OK);
    cr_assert_gt(first, 0);
    cr_assert_eq(open_own(sampler.terms, &second), HS_BUSY);
    cr_assert_eq(second, 0, "nothing was opened");
    cr_assert_eq(in_force(RECORDINGS), 1);
    cr_assert_eq(in_force(HANDLE), first);
    cr_assert_eq(in_force(IS_RUNNING), 1);
    cr_assert_eq(in_force(ITS_INTERVAL), INTERVAL);
    cr_assert_eq(hs_sampler_pause(&sampler, first), HS_OK);
    cr_assert_eq(open_own(sampler.terms, &second), HS_BUSY, "paused, it is there");
    cr_assert_eq(in_force(IS_RUNNING), 0);
    cr_assert_eq(hs_sampler_close(&sampler, FAKE_ENV, first), HS_OK);
    cr_assert_eq(in_force(HANDLE), 0);
    cr_assert_eq(open_own(sampler.terms, &second), HS_OK);
    cr_assert_neq(second, first);
    cr_assert_eq(in_force(HANDLE), second);
}

Test(sampler_own, another_recording_that_is_closed_leaves_it_there) {
    int32_t own = 0;
    int32_t more = 0;
    cr_assert_eq(open_own(sampler.terms, &own), HS_OK);
    int32_t other = sampler_open(&sampler, INTERVAL, 0);
    cr_assert_eq(hs_sampler_close(&sampler, FAKE_ENV, other), HS_OK);
    cr_assert_eq(in_force(HANDLE), own);
    cr_assert_eq(open_own(sampler.terms, &more), HS_BUSY);
    cr_assert_eq(hs_sampler_reset(&sampler, FAKE_ENV, own), HS_OK);
    cr_assert_eq(in_force(HANDLE), own);
}

Test(sampler_own, one_that_was_refused_can_be_opened_later) {
    int32_t handle = 0;
    fake.enable_status = HS_OWNED;
    cr_assert_eq(open_own(sampler.terms, &handle), HS_OWNED);
    cr_assert_eq(in_force(RECORDINGS), 0);
    cr_assert_eq(in_force(HANDLE), 0);
    fake.enable_status = HS_OK;
    cr_assert_eq(open_own(sampler.terms, &handle), HS_OK);
}

Test(sampler_own, the_end_of_the_engine_is_its_end) {
    int32_t handle = 0;
    cr_assert_eq(open_own(sampler.terms, &handle), HS_OK);
    hs_sampler_destroy(&sampler, FAKE_ENV);
    cr_assert_eq(in_force(HANDLE), 0);
    cr_assert_eq(open_own(sampler.terms, &handle), HS_OK);
}

/* Each has set its own strategy, and then each opens. */
Test(sampler_own, strategies_of_two_are_never_mixed) {
    int32_t handle = 0;
    int32_t counts = agree(HS_BY_ALLOCATIONS, 100);
    int32_t caps = agree(HS_BY_TIME, 1000);
    cr_assert_neq(counts, caps);
    cr_assert_eq(open_own(counts, &handle), HS_CHANGED);
    cr_assert_eq(hs_sampler_open(&sampler, FAKE_ENV, counts, &ALL, 0, 0, &handle), HS_CHANGED);
    cr_assert_eq(handle, 0);
    cr_assert_eq(in_force(RECORDINGS), 0);
    cr_assert_eq(in_force(TERMS), caps);
    cr_assert_eq(open_own(caps, &handle), HS_OK);
    cr_assert_eq(in_force(STRATEGY), HS_BY_TIME);
}

Test(sampler_own, what_is_refused_changes_no_terms) {
    struct hs_strategy wrong = {.kind = HS_BY_ALLOCATIONS, .amount = 0};
    int32_t handle = 0;
    int32_t terms = agree(HS_BY_ALLOCATIONS, 100);
    cr_assert_eq(sampler_configure(&sampler, &SAMPLER_LIMITS, &wrong, &SAMPLER_TRAITS), HS_INVALID);
    cr_assert_eq(open_own(terms, &handle), HS_OK);
    cr_assert_eq(sampler_configure(&sampler, &SAMPLER_LIMITS, &SAMPLER_STRATEGY, &SAMPLER_TRAITS),
                 HS_BUSY);
    cr_assert_eq(in_force(TERMS), terms);
    int32_t more = 0;
    cr_assert_eq(hs_sampler_open(&sampler, FAKE_ENV, terms, &ALL, 0, 0, &more), HS_OK,
                 "whoever comes later has the same terms");
}

Test(sampler_own, so_many_terms_that_their_numbers_begin_again) {
    int32_t handle = 0;
    sampler.terms = INT32_MAX;
    cr_assert_eq(agree(HS_BY_TIME, 1000), 1);
    cr_assert_eq(open_own(INT32_MAX, &handle), HS_CHANGED);
    cr_assert_eq(open_own(1, &handle), HS_OK);
}
