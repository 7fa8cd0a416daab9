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

static enum hs_oom_state state(void) {
    return atomic_load(&sampler.oom.state);
}

static bool names(const char *expected) {
    char found[HS_OOM_PATH];
    return hs_sampler_report_file(&sampler, found) && strcmp(found, expected) == 0;
}

static void take_snapshot(struct hs_handle handle) {
    struct hs_buffer buffer = {0};
    cr_assert_eq(hs_sampler_snapshot(&sampler, FAKE_ENV, handle, HS_AFTER_NONE, NULL, &buffer),
                 HS_OK);
    hs_buffer_free(&buffer);
}

Test(sampler_oom, the_vm_is_watched_only_while_a_report_is_requested) {
    struct hs_handle handle = sampler_open(&sampler, 1024, 0);
    cr_assert_not(fake.is_watching);
    cr_assert_eq(hs_sampler_report_on_oom(&sampler, path), HS_OK);
    cr_assert(fake.is_watching);
    cr_assert_eq(hs_sampler_report_on_oom(&sampler, NULL), HS_OK);
    cr_assert_not(fake.is_watching);
    cr_assert_null(sampler.oom.sums, "what was reserved is back");
    hs_sampler_exhausted(&sampler, FAKE_ENV, "late", true);
    cr_assert_not(is_written(), "though there are tables, and the lock is free");
    cr_assert_eq(hs_sampler_close(&sampler, FAKE_ENV, handle), HS_OK);
}

Test(sampler_oom, what_the_vm_refuses_leaves_nothing_armed) {
    struct hs_handle handle = sampler_open(&sampler, 1024, 0);
    fake.watch_status = HS_JVMTI;
    cr_assert_eq(hs_sampler_report_on_oom(&sampler, path), HS_JVMTI);
    cr_assert_eq(sampler.vm_error, 98);
    cr_assert_null(sampler.oom.sums);
    cr_assert_not(names(path));
    hs_sampler_exhausted(&sampler, FAKE_ENV, "Java heap space", true);
    cr_assert_not(is_written());
    cr_assert_eq(hs_sampler_close(&sampler, FAKE_ENV, handle), HS_OK);
}

Test(sampler_oom, what_the_vm_refuses_leaves_armed_what_was) {
    struct hs_handle handle = sampler_open(&sampler, 1024, 0);
    cr_assert_eq(hs_sampler_report_on_oom(&sampler, path), HS_OK);
    fake.watch_status = HS_JVMTI;
    cr_assert_eq(hs_sampler_report_on_oom(&sampler, "/tmp/another"), HS_JVMTI);
    cr_assert(names(path));
    cr_assert_not_null(sampler.oom.sums);
    hs_sampler_exhausted(&sampler, FAKE_ENV, "Java heap space", true);
    cr_assert(is_written());
    cr_assert_eq(hs_sampler_close(&sampler, FAKE_ENV, handle), HS_OK);
}

Test(sampler_oom, a_path_that_cannot_be_armed_leaves_all_as_it_was) {
    char long_path[HS_OOM_PATH + 1];
    memset(long_path, 'x', sizeof long_path);
    long_path[HS_OOM_PATH] = '\0';
    cr_assert_eq(hs_sampler_report_on_oom(&sampler, long_path), HS_INVALID);
    cr_assert_not(fake.is_watching, "no report is requested");
    cr_assert_eq(hs_sampler_report_on_oom(&sampler, path), HS_OK);
    cr_assert_eq(hs_sampler_report_on_oom(&sampler, long_path), HS_INVALID);
    cr_assert(fake.is_watching);
    cr_assert(names(path));
}

Test(sampler_oom, without_memory_for_it_nothing_is_armed_nor_watched) {
    struct hs_handle handle = sampler_open(&sampler, 1024, 0);
    hs_mem_fail_at(1);
    cr_assert_eq(hs_sampler_report_on_oom(&sampler, path), HS_NO_MEMORY);
    hs_mem_fail_at(0);
    cr_assert_not(fake.is_watching);
    cr_assert_eq(state(), HS_OOM_OFF);
    cr_assert_eq(hs_sampler_close(&sampler, FAKE_ENV, handle), HS_OK);
}

/* An event may come at any time: it finds what was named before, or what is named now. */
Test(sampler_oom, what_is_due_goes_to_the_file_that_was_named_last) {
    struct hs_handle handle = sampler_open(&sampler, 1024, 0);
    cr_assert_eq(hs_sampler_report_on_oom(&sampler, "/tmp/another"), HS_OK);
    cr_assert_eq(hs_sampler_pause(&sampler, FAKE_ENV, handle), HS_OK); /* no sweeper */
    hs_lock_acquire(&sampler.sweep);
    hs_sampler_exhausted(&sampler, FAKE_ENV, "Java heap space", true);
    hs_lock_release(&sampler.sweep);
    cr_assert_eq(hs_sampler_report_on_oom(&sampler, path), HS_OK);
    take_snapshot(handle);
    cr_assert(is_written());
    cr_assert_eq(hs_sampler_close(&sampler, FAKE_ENV, handle), HS_OK);
}

Test(sampler_oom, is_written_at_once_by_the_thread_that_ran_out) {
    cr_assert_eq(hs_sampler_report_on_oom(&sampler, path), HS_OK);
    struct hs_handle handle = sampler_open(&sampler, 1024, 0);
    callback(&sampler, "shop.Cart", 24);
    hs_sampler_exhausted(&sampler, FAKE_ENV, "Java heap space", true);
    cr_assert(is_written());
    cr_assert_eq(hs_sampler_close(&sampler, FAKE_ENV, handle), HS_OK);
}

Test(sampler_oom, leaves_it_to_the_sweeper_where_another_keeps_the_table) {
    cr_assert_eq(hs_sampler_report_on_oom(&sampler, path), HS_OK);
    struct hs_handle handle = sampler_open(&sampler, 1024, 0);
    callback(&sampler, "shop.Cart", 24);
    hs_lock_acquire(&sampler.sweep); /* this thread itself: it ran out inside a sweep */
    hs_sampler_exhausted(&sampler, FAKE_ENV, "Java heap space", true);
    cr_assert_not(is_written());
    hs_lock_release(&sampler.sweep);
    cr_assert(POLL(is_written()));
    cr_assert_eq(hs_sampler_close(&sampler, FAKE_ENV, handle), HS_OK);
}

Test(sampler_oom, or_to_the_next_snapshot) {
    cr_assert_eq(hs_sampler_report_on_oom(&sampler, path), HS_OK);
    struct hs_handle handle = sampler_open(&sampler, 1024, 0);
    cr_assert_eq(hs_sampler_pause(&sampler, FAKE_ENV, handle), HS_OK); /* no sweeper */
    hs_lock_acquire(&sampler.sweep);
    hs_sampler_exhausted(&sampler, FAKE_ENV, "Java heap space", true);
    hs_lock_release(&sampler.sweep);
    cr_assert_not(is_written());
    take_snapshot(handle);
    cr_assert(is_written());
    cr_assert_eq(hs_sampler_close(&sampler, FAKE_ENV, handle), HS_OK);
}

Test(sampler_oom, without_samples_nothing_is_due) {
    cr_assert_eq(hs_sampler_report_on_oom(&sampler, path), HS_OK);
    hs_sampler_exhausted(&sampler, FAKE_ENV, "Java heap space", true);
    cr_assert_eq(state(), HS_OOM_ARMED, "there are no tables: at once it waits for the next");
    struct hs_handle handle = sampler_open(&sampler, 1024, 0);
    callback(&sampler, "shop.Cart", 24);
    take_snapshot(handle);
    cr_assert_not(is_written(), "what came later is not what filled the heap");
    hs_sampler_exhausted(&sampler, FAKE_ENV, "Java heap space", true);
    cr_assert(is_written(), "still waiting for the next");
    cr_assert_eq(hs_sampler_close(&sampler, FAKE_ENV, handle), HS_OK);
}

Test(sampler_oom, what_was_due_goes_with_the_tables) {
    cr_assert_eq(hs_sampler_report_on_oom(&sampler, path), HS_OK);
    struct hs_handle handle = sampler_open(&sampler, 1024, 0);
    cr_assert_eq(hs_sampler_pause(&sampler, FAKE_ENV, handle), HS_OK); /* no sweeper */
    hs_lock_acquire(&sampler.sweep);
    hs_sampler_exhausted(&sampler, FAKE_ENV, "Java heap space", true);
    hs_lock_release(&sampler.sweep);
    cr_assert_eq(state(), HS_OOM_READY);
    cr_assert_eq(hs_sampler_close(&sampler, FAKE_ENV, handle), HS_OK);
    cr_assert_eq(state(), HS_OOM_ARMED);
    handle = sampler_open(&sampler, 1024, 0);
    take_snapshot(handle);
    cr_assert_not(is_written());
    cr_assert_eq(hs_sampler_close(&sampler, FAKE_ENV, handle), HS_OK);
}

/* It struck while there were no tables, and another thread has the lock that would tell. */
Test(sampler_oom, what_was_due_before_the_tables_came_is_forgotten) {
    cr_assert_eq(hs_sampler_report_on_oom(&sampler, path), HS_OK);
    hs_lock_acquire(&sampler.sweep);
    hs_sampler_exhausted(&sampler, FAKE_ENV, "Java heap space", true);
    hs_lock_release(&sampler.sweep);
    cr_assert_eq(state(), HS_OOM_READY);
    struct hs_handle handle = sampler_open(&sampler, 1024, 0);
    take_snapshot(handle);
    cr_assert_not(is_written());
    cr_assert_eq(state(), HS_OOM_ARMED);
    cr_assert_eq(hs_sampler_close(&sampler, FAKE_ENV, handle), HS_OK);
}

Test(sampler_oom, an_array_that_is_too_large_for_any_heap_counts_for_nothing) {
    cr_assert_eq(hs_sampler_report_on_oom(&sampler, path), HS_OK);
    struct hs_handle handle = sampler_open(&sampler, 1024, 0);
    hs_sampler_exhausted(&sampler, FAKE_ENV, "Requested array size exceeds VM limit", false);
    cr_assert_not(is_written());
    hs_sampler_exhausted(&sampler, FAKE_ENV, "Java heap space", true);
    cr_assert(is_written());
    cr_assert_eq(hs_sampler_close(&sampler, FAKE_ENV, handle), HS_OK);
}

Test(sampler_oom, has_room_for_the_sites_that_the_limits_allow_later) {
    struct hs_limits more = SAMPLER_LIMITS;
    more.sites = 4 * SAMPLER_LIMITS.sites;
    cr_assert_not(names(path));
    cr_assert_eq(hs_sampler_report_on_oom(&sampler, path), HS_OK);
    cr_assert(names(path));
    struct hs_handle handle = sampler_open(&sampler, 1024, 0);
    cr_assert_eq(sampler.oom.size, SAMPLER_LIMITS.sites + 1);
    cr_assert_eq(hs_sampler_close(&sampler, FAKE_ENV, handle), HS_OK);
    cr_assert_eq(sampler_configure(&sampler, &more, &SAMPLER_STRATEGY, &SAMPLER_TRAITS), HS_OK);
    handle = sampler_open(&sampler, 1024, 0);
    cr_assert_eq(sampler.oom.size, more.sites + 1);
    cr_assert_eq(hs_sampler_close(&sampler, FAKE_ENV, handle), HS_OK);
}

/* Two copies of the Java classes share the engine, and neither sees what the other does in between. */
Test(sampler_oom, a_file_that_another_has_set_is_not_replaced) {
    const char *others = "/tmp/another";
    cr_assert_eq(hs_sampler_replace_report(&sampler, others, path, HS_MAX_HOLDS), HS_CHANGED);
    cr_assert_eq(hs_sampler_replace_report(&sampler, NULL, others, HS_MAX_HOLDS), HS_OK);
    cr_assert_eq(hs_sampler_replace_report(&sampler, NULL, path, HS_MAX_HOLDS), HS_CHANGED);
    cr_assert_eq(hs_sampler_replace_report(&sampler, path, NULL, HS_MAX_HOLDS), HS_CHANGED);
    cr_assert(names(others));
    cr_assert_eq(hs_sampler_replace_report(&sampler, others, path, HS_MAX_HOLDS), HS_OK);
    cr_assert(names(path));
    cr_assert_eq(hs_sampler_replace_report(&sampler, path, NULL, HS_MAX_HOLDS), HS_OK);
    cr_assert_not(names(path));
}

Test(sampler_oom, a_report_does_not_end_under_a_new_holder) {
    struct hs_hold wanted = {.interval = HS_NO_WISH, .name = "another"};
    struct hs_hold_id id;
    bool is_closed;
    cr_assert_eq(hs_sampler_report_on_oom(&sampler, path), HS_OK);
    cr_assert_eq(hs_sampler_hold(&sampler, FAKE_ENV, sampler.config_version, 1024, &wanted, &id),
                 HS_OK);
    cr_assert_eq(hs_sampler_replace_report(&sampler, path, NULL, 0), HS_CHANGED);
    cr_assert(names(path));
    cr_assert_eq(hs_sampler_release(&sampler, FAKE_ENV, id, &is_closed), HS_OK);
    cr_assert_eq(hs_sampler_replace_report(&sampler, path, NULL, 0), HS_OK);
    cr_assert_not(names(path));
}
