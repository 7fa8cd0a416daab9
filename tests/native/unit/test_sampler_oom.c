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
    cr_assert_eq(hs_sampler_report_on_oom(&sampler, path, 64), HS_OK);
    cr_assert(fake.is_watching);
    cr_assert_eq(hs_sampler_report_on_oom(&sampler, NULL, 0), HS_OK);
    cr_assert_not(fake.is_watching);
    hs_sampler_exhausted(&sampler, FAKE_ENV, "late");
    cr_assert_not(is_written());
}

Test(sampler_oom, what_the_vm_refuses_leaves_nothing_armed) {
    fake.watch_status = HS_JVMTI;
    cr_assert_eq(hs_sampler_report_on_oom(&sampler, path, 64), HS_JVMTI);
    cr_assert_eq(sampler.vm_error, 98);
    cr_assert_null(sampler.oom.sums);
}

Test(sampler_oom, is_written_at_once_by_the_thread_that_ran_out) {
    cr_assert_eq(hs_sampler_report_on_oom(&sampler, path, 64), HS_OK);
    int32_t handle = sampler_open(&sampler, 1024, 0);
    callback(&sampler, "shop.Cart", 24);
    hs_sampler_exhausted(&sampler, FAKE_ENV, "Java heap space");
    cr_assert(is_written());
    cr_assert_eq(hs_sampler_close(&sampler, FAKE_ENV, handle), HS_OK);
}

Test(sampler_oom, leaves_it_to_the_sweeper_where_another_keeps_the_table) {
    cr_assert_eq(hs_sampler_report_on_oom(&sampler, path, 64), HS_OK);
    int32_t handle = sampler_open(&sampler, 1024, 0);
    callback(&sampler, "shop.Cart", 24);
    hs_lock_acquire(&sampler.sweep); /* this thread itself: it ran out inside a sweep */
    hs_sampler_exhausted(&sampler, FAKE_ENV, "Java heap space");
    cr_assert_not(is_written());
    hs_lock_release(&sampler.sweep);
    cr_assert(POLL(is_written()));
    cr_assert_eq(hs_sampler_close(&sampler, FAKE_ENV, handle), HS_OK);
}

Test(sampler_oom, or_to_the_next_snapshot) {
    struct hs_buffer buffer = {0};
    cr_assert_eq(hs_sampler_report_on_oom(&sampler, path, 64), HS_OK);
    int32_t handle = sampler_open(&sampler, 1024, 0);
    cr_assert_eq(hs_sampler_pause(&sampler, handle), HS_OK); /* no sweeper */
    hs_lock_acquire(&sampler.sweep);
    hs_sampler_exhausted(&sampler, FAKE_ENV, "Java heap space");
    hs_lock_release(&sampler.sweep);
    cr_assert_eq(hs_sampler_snapshot(&sampler, FAKE_ENV, handle, false, &buffer), HS_OK);
    cr_assert(is_written());
    hs_buffer_free(&buffer);
    cr_assert_eq(hs_sampler_close(&sampler, FAKE_ENV, handle), HS_OK);
}

Test(sampler_oom, without_samples_nothing_is_written) {
    cr_assert_eq(hs_sampler_report_on_oom(&sampler, path, 64), HS_OK);
    hs_sampler_exhausted(&sampler, FAKE_ENV, "Java heap space");
    cr_assert_not(is_written(), "there are no tables");
}
