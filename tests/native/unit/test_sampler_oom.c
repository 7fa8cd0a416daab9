/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include <stdio.h>
#include <unistd.h>

#include "poll.h"
#include "running_sampler.h"

static struct hs_sampler sampler;
static char path[64];

static void set_up(void) {
    sampler_begin(&sampler);
    (void)snprintf(path, sizeof path, "/tmp/hs-sampler-oom-%d.txt", (int)getpid());
    (void)unlink(path);
}

static void tear_down(void) {
    hs_sampler_destroy(&sampler, FAKE_ENV);
    (void)unlink(path);
    cr_assert_eq(fake_outstanding(), 0);
    cr_assert_null(sampler.oom.sums);
}

TestSuite(sampler_oom, .init = set_up, .fini = tear_down);

static bool is_written(void) {
    return access(path, F_OK) == 0;
}

Test(sampler_oom, the_vm_is_watched_only_while_somebody_wants_it) {
    cr_assert_eq(hs_sampler_report_on_oom(&sampler, path), HS_OK);
    cr_assert(fake.is_watching);
    cr_assert_eq(hs_sampler_report_on_oom(&sampler, NULL), HS_OK);
    cr_assert_not(fake.is_watching);
    hs_sampler_exhausted(&sampler, FAKE_ENV, "late", true);
    cr_assert_not(is_written());
}

Test(sampler_oom, what_the_vm_refuses_leaves_nothing_armed) {
    fake.watch_status = HS_JVMTI;
    cr_assert_eq(hs_sampler_report_on_oom(&sampler, path), HS_JVMTI);
    cr_assert_eq(sampler.vm_error, 98);
    cr_assert_null(sampler.oom.sums);
}

Test(sampler_oom, is_written_at_once_by_the_thread_that_ran_out) {
    cr_assert_eq(hs_sampler_report_on_oom(&sampler, path), HS_OK);
    int32_t handle = sampler_open(&sampler, 1024, 0);
    callback(&sampler, "shop.Cart", 24);
    hs_sampler_exhausted(&sampler, FAKE_ENV, "Java heap space", true);
    cr_assert(is_written());
    cr_assert_eq(hs_sampler_close(&sampler, FAKE_ENV, handle), HS_OK);
}

Test(sampler_oom, leaves_it_to_the_sweeper_where_another_keeps_the_table) {
    cr_assert_eq(hs_sampler_report_on_oom(&sampler, path), HS_OK);
    int32_t handle = sampler_open(&sampler, 1024, 0);
    callback(&sampler, "shop.Cart", 24);
    hs_lock_acquire(&sampler.sweep); /* this thread itself: it ran out inside a sweep */
    hs_sampler_exhausted(&sampler, FAKE_ENV, "Java heap space", true);
    cr_assert_not(is_written());
    hs_lock_release(&sampler.sweep);
    cr_assert(POLL(is_written()));
    cr_assert_eq(hs_sampler_close(&sampler, FAKE_ENV, handle), HS_OK);
}

Test(sampler_oom, or_to_the_next_snapshot) {
    struct hs_buffer buffer = {0};
    cr_assert_eq(hs_sampler_report_on_oom(&sampler, path), HS_OK);
    int32_t handle = sampler_open(&sampler, 1024, 0);
    cr_assert_eq(hs_sampler_pause(&sampler, handle), HS_OK); /* no sweeper */
    hs_lock_acquire(&sampler.sweep);
    hs_sampler_exhausted(&sampler, FAKE_ENV, "Java heap space", true);
    hs_lock_release(&sampler.sweep);
    cr_assert_eq(hs_sampler_snapshot(&sampler, FAKE_ENV, handle, false, &buffer), HS_OK);
    cr_assert(is_written());
    hs_buffer_free(&buffer);
    cr_assert_eq(hs_sampler_close(&sampler, FAKE_ENV, handle), HS_OK);
}

static void take_snapshot(int32_t handle) {
    struct hs_buffer buffer = {0};
    cr_assert_eq(hs_sampler_snapshot(&sampler, FAKE_ENV, handle, false, &buffer), HS_OK);
    hs_buffer_free(&buffer);
}

Test(sampler_oom, without_samples_nothing_is_written) {
    cr_assert_eq(hs_sampler_report_on_oom(&sampler, path), HS_OK);
    hs_sampler_exhausted(&sampler, FAKE_ENV, "Java heap space", true);
    cr_assert_not(is_written(), "there are no tables");
    int32_t handle = sampler_open(&sampler, 1024, 0);
    callback(&sampler, "shop.Cart", 24);
    take_snapshot(handle);
    cr_assert_not(is_written(), "what came later is not what filled the heap");
    hs_sampler_exhausted(&sampler, FAKE_ENV, "Java heap space", true);
    cr_assert(is_written(), "still waiting for the next");
    cr_assert_eq(hs_sampler_close(&sampler, FAKE_ENV, handle), HS_OK);
}

Test(sampler_oom, what_was_due_goes_with_the_tables) {
    cr_assert_eq(hs_sampler_report_on_oom(&sampler, path), HS_OK);
    int32_t handle = sampler_open(&sampler, 1024, 0);
    cr_assert_eq(hs_sampler_pause(&sampler, handle), HS_OK); /* no sweeper */
    hs_lock_acquire(&sampler.sweep);
    hs_sampler_exhausted(&sampler, FAKE_ENV, "Java heap space", true);
    hs_lock_release(&sampler.sweep);
    cr_assert_eq(hs_sampler_close(&sampler, FAKE_ENV, handle), HS_OK);
    handle = sampler_open(&sampler, 1024, 0);
    take_snapshot(handle);
    cr_assert_not(is_written());
    cr_assert_eq(hs_sampler_close(&sampler, FAKE_ENV, handle), HS_OK);
}

Test(sampler_oom, an_array_that_is_too_large_for_any_heap_counts_for_nothing) {
    cr_assert_eq(hs_sampler_report_on_oom(&sampler, path), HS_OK);
    int32_t handle = sampler_open(&sampler, 1024, 0);
    hs_sampler_exhausted(&sampler, FAKE_ENV, "Requested array size exceeds VM limit", false);
    cr_assert_not(is_written());
    hs_sampler_exhausted(&sampler, FAKE_ENV, "Java heap space", true);
    cr_assert(is_written());
    cr_assert_eq(hs_sampler_close(&sampler, FAKE_ENV, handle), HS_OK);
}

Test(sampler_oom, has_room_for_the_sites_that_the_limits_allow_later) {
    struct hs_limits more = SAMPLER_LIMITS;
    char found[HS_OOM_PATH];
    more.sites = 4 * SAMPLER_LIMITS.sites;
    cr_assert_not(hs_sampler_report_file(&sampler, found));
    cr_assert_eq(hs_sampler_report_on_oom(&sampler, path), HS_OK);
    cr_assert(hs_sampler_report_file(&sampler, found));
    cr_assert_str_eq(found, path);
    int32_t handle = sampler_open(&sampler, 1024, 0);
    cr_assert_eq(sampler.oom.size, SAMPLER_LIMITS.sites + 1);
    cr_assert_eq(hs_sampler_close(&sampler, FAKE_ENV, handle), HS_OK);
    cr_assert_eq(hs_sampler_configure(&sampler, &more, &SAMPLER_STRATEGY, &SAMPLER_TRAITS), HS_OK);
    handle = sampler_open(&sampler, 1024, 0);
    cr_assert_eq(sampler.oom.size, more.sites + 1);
    cr_assert_eq(hs_sampler_close(&sampler, FAKE_ENV, handle), HS_OK);
}
