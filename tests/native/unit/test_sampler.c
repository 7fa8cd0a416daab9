/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_sampler.h"

#include <criterion/criterion.h>

#include "hs_encode.h"
#include "poll.h"
#include "running_sampler.h"

enum { LARGE = 524288, MIDDLE = 65536, SMALL = 1024 };

static struct hs_sampler sampler;
static size_t used_before;
static struct hs_buffer buffer;

static void set_up(void) {
    (void)hs_thread_state_current();
    used_before = hs_mem_used();
    memset(&buffer, 0, sizeof buffer);
    sampler_begin(&sampler);
}

static void tear_down(void) {
    hs_buffer_free(&buffer);
    hs_sampler_destroy(&sampler, FAKE_ENV);
    cr_assert_eq(fake_outstanding(), 0, "each reference is given back");
    cr_assert_eq(fake.attached, 0, "no thread is left");
    cr_assert_eq(fake.enables, fake.disables);
    cr_assert_not(fake.is_claimed);
    cr_assert_eq(hs_mem_used(), used_before);
}

TestSuite(sampler, .init = set_up, .fini = tear_down);

static struct hs_handle record(uint32_t interval) {
    return sampler_open(&sampler, interval, 0);
}

static struct block snapshot(struct hs_handle handle, struct hs_after after) {
    hs_buffer_free(&buffer);
    cr_assert_eq(hs_sampler_snapshot(&sampler, FAKE_ENV, handle, after, NULL, &buffer), HS_OK);
    return block_read(&buffer);
}

static int64_t info(struct hs_handle handle, enum hs_info i) {
    struct block block = snapshot(handle, HS_AFTER_NONE);
    return block_info(&block, (int)i);
}

static void ok(enum hs_status status) {
    cr_assert_eq(status, HS_OK);
}

Test(sampler, is_on_while_a_recording_is_open) {
    cr_assert_eq(fake.enables, 0);
    struct hs_handle handle = record(MIDDLE);
    cr_assert_eq(fake.enables, 1);
    cr_assert_eq(fake.interval, MIDDLE);
    cr_assert_eq(fake.attached, 1);
    cr_assert_neq(callback(&sampler, "shop.Cart", 24), 0);
    ok(hs_sampler_close(&sampler, FAKE_ENV, handle));
    cr_assert_eq(fake.disables, 1);
    cr_assert_eq(fake.attached, 0);
    cr_assert_eq(fake_outstanding(), 0);
    cr_assert_eq(hs_interval_now(&sampler.intake.interval), HS_VM_DEFAULT_INTERVAL);
    cr_assert_eq(callback(&sampler, "shop.Cart", 24), 0, "a callback in flight finds nothing");
    cr_assert_eq(hs_mem_used(), used_before, "all memory is back");
}

Test(sampler, starts_again_and_again) {
    for (uint32_t i = 0; i < 5; i++) {
        struct hs_handle handle = record(MIDDLE);
        cr_assert_eq(handle.number, (int32_t)i + 1, "handles are not used twice");
        cr_assert_eq(sampler.intake.enable, i + 1);
        callback(&sampler, "shop.Cart", 24);
        ok(hs_sampler_close(&sampler, FAKE_ENV, handle));
    }
    cr_assert_eq(fake.enables, 5);
}

Test(sampler, the_smallest_interval_is_in_force) {
    struct hs_handle large = record(LARGE);
    cr_assert_eq(fake.interval, LARGE);
    struct hs_handle small = record(SMALL);
    cr_assert_eq(fake.interval, SMALL);
    struct hs_handle middle = record(MIDDLE);
    cr_assert_eq(fake.interval, SMALL);
    cr_assert_eq(fake.interval_calls, 1, "not told what it knows");
    ok(hs_sampler_close(&sampler, FAKE_ENV, small));
    cr_assert_eq(fake.interval, MIDDLE);
    ok(hs_sampler_pause(&sampler, FAKE_ENV, middle));
    cr_assert_eq(fake.interval, LARGE);
    ok(sampler_resume(&sampler, middle, SMALL));
    cr_assert_eq(fake.interval, SMALL);
    ok(hs_sampler_set_interval(&sampler, FAKE_ENV, large, 0));
    cr_assert_eq(fake.interval, 0);
    cr_assert_eq(hs_interval_now(&sampler.intake.interval), 0);
    cr_assert_eq(info(middle, HS_INFO_INTERVAL), SMALL);
    cr_assert_eq(info(middle, HS_INFO_INTERVAL_IN_FORCE), 0);
    cr_assert_eq(info(middle, HS_INFO_INTERVAL_CHANGES), 1);
    cr_assert_eq(fake.enables, 1);
}

Test(sampler, the_vm_gets_no_interval_that_leads_far) {
    enum { HUGE_INTERVAL = 1 << 30 };
    struct hs_handle handle = record(HUGE_INTERVAL);
    int64_t values[HS_STATUS_VALUES];
    cr_assert_eq(fake.interval, HS_LONGEST_INTERVAL);
    cr_assert_eq(info(handle, HS_INFO_INTERVAL), HUGE_INTERVAL);
    cr_assert_eq(info(handle, HS_INFO_INTERVAL_IN_FORCE), HUGE_INTERVAL);
    hs_sampler_status(&sampler, values);
    cr_assert_eq(values[HS_FIGURE_INTERVAL], HUGE_INTERVAL);
    ok(hs_sampler_set_interval(&sampler, FAKE_ENV, handle, HS_LONGEST_INTERVAL));
    cr_assert_eq(fake.interval_calls, 0, "not told what it knows");
    ok(hs_sampler_set_interval(&sampler, FAKE_ENV, handle, HS_LONGEST_INTERVAL - 1));
    cr_assert_eq(fake.interval, HS_LONGEST_INTERVAL - 1);
    ok(hs_sampler_set_interval(&sampler, FAKE_ENV, handle, HUGE_INTERVAL));
    cr_assert_eq(fake.interval, HS_LONGEST_INTERVAL);
}

Test(sampler, the_interval_of_a_paused_recording_waits) {
    struct hs_handle running = record(LARGE);
    struct hs_handle paused = record(MIDDLE);
    ok(hs_sampler_pause(&sampler, FAKE_ENV, paused));
    ok(hs_sampler_set_interval(&sampler, FAKE_ENV, paused, SMALL));
    cr_assert_eq(fake.interval, LARGE);
    ok(hs_sampler_pause(&sampler, FAKE_ENV, running));
    cr_assert_eq(fake.disables, 1, "no recording is open");
    ok(sampler_resume(&sampler, paused, SMALL));
    cr_assert_eq(fake.interval, SMALL);
    cr_assert_eq(fake.enables, 2);
}

Test(sampler, unknown_handles_are_closed) {
    struct hs_handle handle = record(MIDDLE);
    static const int32_t UNKNOWN[] = {0, -1, 2, INT32_MAX};
    for (int i = 0; i < 4; i++) {
        struct hs_handle h = {UNKNOWN[i]};
        cr_assert_eq(hs_sampler_pause(&sampler, FAKE_ENV, h), HS_CLOSED);
        cr_assert_eq(sampler_resume(&sampler, h, 0), HS_CLOSED);
        cr_assert_eq(hs_sampler_set_interval(&sampler, FAKE_ENV, h, 0), HS_CLOSED);
        cr_assert_eq(hs_sampler_reset(&sampler, FAKE_ENV, h), HS_CLOSED);
        cr_assert_eq(hs_sampler_close(&sampler, FAKE_ENV, h), HS_CLOSED);
        cr_assert_eq(hs_sampler_snapshot(&sampler, FAKE_ENV, h, HS_AFTER_FORCED, NULL, &buffer),
                     HS_CLOSED);
    }
    cr_assert_eq(fake.forced, 0);
    ok(hs_sampler_close(&sampler, FAKE_ENV, handle));
    cr_assert_eq(hs_sampler_close(&sampler, FAKE_ENV, handle), HS_CLOSED);
}

Test(sampler, takes_a_fixed_number_of_recordings_and_no_more) {
    static const struct hs_filter ALL;
    struct hs_handle handles[HS_MAX_RECORDINGS];
    struct hs_handle more;
    for (int i = 0; i < HS_MAX_RECORDINGS; i++) {
        handles[i] = record(MIDDLE);
    }
    cr_assert_eq(hs_sampler_open(&sampler, FAKE_ENV, sampler.config_version, &ALL, 0, 0, &more),
                 HS_TOO_MANY);
    cr_assert_eq(fake.interval, MIDDLE);
    callback(&sampler, "shop.Cart", 24);
    cr_assert_eq(info(handles[63], HS_INFO_SAMPLES), 1);
    ok(hs_sampler_close(&sampler, FAKE_ENV, handles[5]));
    handles[5] = record(SMALL);
    cr_assert_eq(info(handles[5], HS_INFO_SAMPLES), 0, "a used place starts empty");
    callback(&sampler, "shop.Cart", 24);
    struct block block = snapshot(handles[5], HS_AFTER_NONE);
    cr_assert_eq(block.sections[LIVE].count, 1, "not what its forerunner saw");
}

Test(sampler, when_the_vm_refuses_nothing_has_changed) {
    static const struct hs_filter ALL;
    struct hs_handle handle;
    fake.enable_status = HS_OWNED;
    cr_assert_eq(
        hs_sampler_open(&sampler, FAKE_ENV, sampler.config_version, &ALL, SMALL, 0, &handle),
        HS_OWNED);
    cr_assert_eq(sampler.vm_error, 98);
    cr_assert_eq(fake.attaches, 0, "a thread was started for nothing");
    cr_assert_eq(hs_mem_used(), used_before);
    cr_assert_eq(hs_interval_now(&sampler.intake.interval), HS_VM_DEFAULT_INTERVAL);
    cr_assert_null(atomic_load(&sampler.intake.session));
    fake.enable_status = HS_JVMTI;
    cr_assert_eq(
        hs_sampler_open(&sampler, FAKE_ENV, sampler.config_version, &ALL, SMALL, 0, &handle),
        HS_JVMTI);
    cr_assert_not(fake.is_claimed, "others cannot sample");
    cr_assert_eq(fake.attached, 0);
    cr_assert_eq(hs_mem_used(), used_before);
    cr_assert_null(atomic_load(&sampler.intake.session));
    fake.enable_status = HS_OK;
    fake.refuses_attach = true;
    cr_assert_eq(
        hs_sampler_open(&sampler, FAKE_ENV, sampler.config_version, &ALL, SMALL, 0, &handle),
        HS_NO_THREAD);
    cr_assert_not(fake.is_claimed, "others cannot sample");
    cr_assert_eq(hs_mem_used(), used_before);
    cr_assert_eq(fake.enables, 0);
    fake.refuses_attach = false;
    cr_assert_eq(info(record(SMALL), HS_INFO_INTERVAL_IN_FORCE), SMALL);
}

Test(sampler, when_the_vm_refuses_to_resume_the_recording_stays_paused) {
    struct hs_handle handle = record(MIDDLE);
    callback(&sampler, "shop.Cart", 24);
    ok(hs_sampler_pause(&sampler, FAKE_ENV, handle));
    fake.enable_status = HS_OWNED;
    cr_assert_eq(sampler_resume(&sampler, handle, SMALL), HS_OWNED);
    cr_assert_eq(fake.attached, 0);
    struct block block = snapshot(handle, HS_AFTER_NONE);
    cr_assert_eq(block_info(&block, HS_INFO_FLAGS), 0);
    cr_assert_eq(block_info(&block, HS_INFO_INTERVAL), MIDDLE);
    cr_assert_eq(block_info(&block, HS_INFO_INTERVAL_CHANGES), 0);
    cr_assert_eq(block_info(&block, HS_INFO_SAMPLES), 1);
}

Test(sampler, limits_change_only_when_nothing_is_open) {
    struct hs_limits limits = SAMPLER_LIMITS;
    limits.tracked = 5;
    struct hs_handle handle = record(MIDDLE);
    cr_assert_eq(sampler_configure(&sampler, &limits, &SAMPLER_STRATEGY, &SAMPLER_TRAITS), HS_BUSY);
    cr_assert_eq(info(handle, HS_INFO_BUDGET), SAMPLER_LIMITS.tracked);
    ok(hs_sampler_close(&sampler, FAKE_ENV, handle));
    ok(sampler_configure(&sampler, &limits, &SAMPLER_STRATEGY, &SAMPLER_TRAITS));
    cr_assert_eq(info(record(MIDDLE), HS_INFO_BUDGET), 5);
}

Test(sampler, what_is_configured_is_reported) {
    struct hs_vm_traits traits = {.collector = HS_G1, .born_old_bytes = 1 << 20, .feature = 25};
    ok(sampler_configure(&sampler, &SAMPLER_LIMITS, &SAMPLER_STRATEGY, &traits));
    cr_assert(sampler.intake.counts_always, "JDK 25");
    struct hs_handle handle = record(MIDDLE);
    cr_assert_eq(info(handle, HS_INFO_COLLECTOR), HS_G1);
    cr_assert_eq(info(handle, HS_INFO_BORN_OLD), 1 << 20);
    cr_assert_eq(info(handle, HS_INFO_FEATURE), 25);
    cr_assert_eq(info(handle, HS_INFO_DEPTH), SAMPLER_LIMITS.depth);
    ok(hs_sampler_close(&sampler, FAKE_ENV, handle));
    ok(sampler_configure(&sampler, &SAMPLER_LIMITS, &SAMPLER_STRATEGY, &SAMPLER_TRAITS));
    cr_assert_not(sampler.intake.counts_always);
}

Test(sampler, where_buffers_are_not_known_a_flag_says_that_unused_ones_may_count) {
    struct hs_handle handle = record(MIDDLE);
    atomic_store(&sampler.intake.lookup.has_layout, false);
    cr_assert_eq(info(handle, HS_INFO_FLAGS) & HS_INFO_UNUSED_COUNTED, HS_INFO_UNUSED_COUNTED);
    sampler.intake.lookup.layout.thread_refills = 336;
    atomic_store(&sampler.intake.lookup.has_layout, true);
    cr_assert_eq(info(handle, HS_INFO_FLAGS) & HS_INFO_UNUSED_COUNTED, 0);
    sampler.intake.lookup.layout.thread_refills = UINT32_MAX;
    cr_assert_eq(info(handle, HS_INFO_FLAGS) & HS_INFO_UNUSED_COUNTED, HS_INFO_UNUSED_COUNTED);
    sampler.intake.counts_always = true; /* JDK 25 */
    cr_assert_eq(info(handle, HS_INFO_FLAGS) & HS_INFO_UNUSED_COUNTED, 0);
}

Test(sampler, where_the_heap_has_no_room_for_a_canary_a_flag_says_so) {
    struct hs_handle handle = record(MIDDLE);
    cr_assert_eq(info(handle, HS_INFO_FLAGS) & HS_INFO_NO_CANARY, 0);
    fake.used_heap = HS_WHOLE_HEAP;
    fake_collect();
    cr_assert_eq(info(handle, HS_INFO_FLAGS) & HS_INFO_NO_CANARY, HS_INFO_NO_CANARY);
    fake.used_heap = 0;
    cr_assert_eq(info(handle, HS_INFO_FLAGS) & HS_INFO_NO_CANARY, 0);
}

Test(sampler, under_g1_only_what_is_humongous_is_said_to_be_held) {
    static const struct {
        struct hs_vm_traits traits;
        uint64_t from;
        uint64_t bytes;
    } CASES[] = {
        {{.collector = HS_G1, .born_old_bytes = 1 << 20}, 1 << 20, 1 << 24},
        {{.collector = HS_G1, .born_old_bytes = 0}, 0, 0}, /* where that begins is not known */
        {{.collector = HS_Z_GENERATIONAL, .born_old_bytes = 0}, 0, 1 << 24},
    };
    struct hs_limits limits = SAMPLER_LIMITS;
    limits.garbage_bytes = 1 << 24;
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        ok(sampler_configure(&sampler, &limits, &SAMPLER_STRATEGY, &CASES[i].traits));
        cr_assert_eq(sampler.limits.garbage_from, CASES[i].from);
        cr_assert_eq(sampler.limits.garbage_bytes, CASES[i].bytes);
    }
}

Test(sampler, paused_it_keeps_what_it_has_and_takes_no_more) {
    struct hs_handle paused = record(MIDDLE);
    struct hs_handle running = record(MIDDLE);
    callback(&sampler, "shop.Cart", 24);
    ok(hs_sampler_pause(&sampler, FAKE_ENV, paused));
    ok(hs_sampler_pause(&sampler, FAKE_ENV, paused));
    callback(&sampler, "shop.Cart", 24);
    struct block block = snapshot(paused, HS_AFTER_NONE);
    cr_assert_eq(block_info(&block, HS_INFO_SAMPLES), 1);
    cr_assert_eq(block_info(&block, HS_INFO_FLAGS), 0);
    cr_assert_eq(block.sections[LIVE].count, 1);
    block = snapshot(running, HS_AFTER_NONE);
    cr_assert_eq(block_info(&block, HS_INFO_SAMPLES), 2);
    cr_assert_eq(block_info(&block, HS_INFO_FLAGS), HS_INFO_SAMPLING);
    ok(sampler_resume(&sampler, paused, MIDDLE));
    callback(&sampler, "shop.Cart", 24);
    cr_assert_eq(info(paused, HS_INFO_SAMPLES), 2);
    cr_assert_eq(info(paused, HS_INFO_FLAGS), HS_INFO_SAMPLING);
}

Test(sampler, a_pause_does_not_count_as_time_sampled) {
    struct hs_handle handle = record(MIDDLE);
    ok(hs_sampler_pause(&sampler, FAKE_ENV, handle));
    int64_t sampled = info(handle, HS_INFO_SAMPLED_US);
    int64_t start = hs_clock_monotonic_us();
    cr_assert(POLL(hs_clock_monotonic_us() > start + 2000));
    cr_assert_eq(info(handle, HS_INFO_SAMPLED_US), sampled);
    ok(sampler_resume(&sampler, handle, MIDDLE));
    cr_assert(POLL(info(handle, HS_INFO_SAMPLED_US) > sampled));
    cr_assert_leq(info(handle, HS_INFO_OPENED_US), info(handle, HS_INFO_TAKEN_US));
}

Test(sampler, reset_forgets_one_recordings_samples_only) {
    struct hs_handle first = record(MIDDLE);
    struct hs_handle second = record(LARGE);
    callback(&sampler, "shop.Cart", 24);
    ok(hs_sampler_reset(&sampler, FAKE_ENV, first));
    struct block block = snapshot(first, HS_AFTER_NONE);
    cr_assert_eq(block_info(&block, HS_INFO_SAMPLES), 0);
    cr_assert_eq(block.sections[SITES].count, 0);
    cr_assert_eq(block.sections[LIVE].count, 0);
    cr_assert_eq(block_info(&block, HS_INFO_FLAGS), HS_INFO_SAMPLING);
    cr_assert_eq(block_info(&block, HS_INFO_INTERVAL), MIDDLE);
    block = snapshot(second, HS_AFTER_NONE);
    cr_assert_eq(block_info(&block, HS_INFO_SAMPLES), 1);
    cr_assert_eq(block.sections[LIVE].count, 1);
    callback(&sampler, "shop.Cart", 24);
    cr_assert_eq(info(first, HS_INFO_SAMPLES), 1);
    cr_assert_eq(fake.enables, 1);
}

Test(sampler, reset_keeps_the_filter_and_a_pause) {
    const char *classes[] = {"shop.Cart"};
    struct hs_filter filter = {.classes = classes, .class_count = 1};
    struct hs_handle handle;
    ok(hs_sampler_open(&sampler, FAKE_ENV, sampler.config_version, &filter, SMALL, 0, &handle));
    ok(hs_sampler_pause(&sampler, FAKE_ENV, handle));
    ok(hs_sampler_reset(&sampler, FAKE_ENV, handle));
    cr_assert_eq(info(handle, HS_INFO_FLAGS), 0);
    cr_assert_eq(fake.enables, 1);
    ok(sampler_resume(&sampler, handle, SMALL));
    callback(&sampler, "shop.Order", 24);
    callback(&sampler, "shop.Cart", 24);
    cr_assert_eq(info(handle, HS_INFO_SAMPLES), 1);
}

Test(sampler, what_only_a_closed_recording_knew_is_given_back) {
    const char *classes[] = {"shop.Cart"};
    struct hs_filter filter = {.classes = classes, .class_count = 1};
    struct hs_handle all = record(MIDDLE);
    struct hs_handle carts;
    ok(hs_sampler_open(&sampler, FAKE_ENV, sampler.config_version, &filter, MIDDLE, 0, &carts));
    ok(hs_sampler_pause(&sampler, FAKE_ENV, all));
    hs_ref own = callback(&sampler, "shop.Cart", 24);
    ok(sampler_resume(&sampler, all, MIDDLE));
    hs_ref shared = callback(&sampler, "shop.Cart", 24);
    ok(hs_sampler_close(&sampler, FAKE_ENV, carts));
    cr_assert_eq(info(all, HS_INFO_SAMPLES), 1);
    cr_assert(fake_is_released(own));
    cr_assert_not(fake_is_released(shared));
}

Test(sampler, a_snapshot_knows_the_dead_and_the_living) {
    struct hs_handle handle = record(MIDDLE);
    hs_ref dying = callback(&sampler, "shop.Cart", 24);
    callback(&sampler, "shop.Cart", 24);
    struct block block = snapshot(handle, HS_AFTER_NONE);
    cr_assert_eq(block.sections[LIVE].count, 2);
    fake_clear(dying);
    block = snapshot(handle, HS_AFTER_FORCED);
    cr_assert_eq(fake.forced, 1);
    cr_assert_eq(block_info(&block, HS_INFO_FLAGS),
                 HS_INFO_SAMPLING | HS_INFO_GC_ASKED | HS_INFO_GC_DONE);
    cr_assert_eq(block.sections[LIVE].count, 1);
    cr_assert_eq(block.sections[DEAD].count, 1);
    cr_assert_eq(block.sections[LIFETIMES].count, 1);
    cr_assert_eq(block_info(&block, HS_INFO_DEATHS), 1);
    cr_assert_eq(block_info(&block, HS_INFO_TRACKED), 1);
    cr_assert_geq(block_info(&block, HS_INFO_COLLECTIONS), 1);
    cr_assert_eq(block_u32(block_entry(&block, LIVE, 0, 40), 28), 1 << 8, "live for sure");
    fake.ignores_forced = HS_LIVENESS_TRIES;
    block = snapshot(handle, HS_AFTER_FORCED);
    cr_assert_eq(block_info(&block, HS_INFO_FLAGS), HS_INFO_SAMPLING | HS_INFO_GC_ASKED);
}

Test(sampler, a_snapshot_after_an_expected_collection_forces_none) {
    struct hs_handle handle = record(MIDDLE);
    cr_assert_neq(callback(&sampler, "shop.Cart", 24), 0);
    struct hs_after after = HS_AFTER_NONE;
    ok(hs_sampler_expect_collection(&sampler, FAKE_ENV, handle, &after));
    fake_collect();
    struct block block = snapshot(handle, after);
    cr_assert_eq(fake.forced, 0);
    cr_assert_eq(block_info(&block, HS_INFO_FLAGS),
                 HS_INFO_SAMPLING | HS_INFO_GC_ASKED | HS_INFO_GC_DONE);
    cr_assert_eq(block_u32(block_entry(&block, LIVE, 0, 40), 28), 1 << 8, "live for sure");
    ok(hs_sampler_close(&sampler, FAKE_ENV, handle));
    cr_assert_eq(hs_sampler_expect_collection(&sampler, FAKE_ENV, handle, &after), HS_CLOSED);
    cr_assert_eq(after.number, HS_AFTER_FORCED.number);
}

/* Pauses before the start are no collections that it may have missed. */
Test(sampler, what_is_born_first_counts_the_first_collection) {
    struct hs_epochs *epochs = &sampler.liveness.epochs;
    hs_epochs_pause(epochs);
    struct hs_handle handle = record(MIDDLE);
    cr_assert_eq(hs_epochs_now(epochs).collections, hs_epochs_collections(epochs));
    ok(hs_sampler_pause(&sampler, FAKE_ENV, handle));
    hs_epochs_pause(epochs);
    fake_collect();
    ok(sampler_resume(&sampler, handle, MIDDLE));
    cr_assert_eq(hs_epochs_now(epochs).collections, hs_epochs_collections(epochs));
    cr_assert_eq(hs_epochs_collections(epochs), 1, "the one while it was off is counted already");
}

Test(sampler, a_collection_before_the_start_is_none_of_the_recording) {
    struct hs_handle old = record(MIDDLE);
    ok(hs_sampler_pause(&sampler, FAKE_ENV, old));
    hs_epochs_pause(&sampler.liveness.epochs);
    fake_collect();
    struct hs_handle fresh = record(MIDDLE);
    cr_assert_eq(info(fresh, HS_INFO_COLLECTIONS), 0);
    cr_assert_eq(info(old, HS_INFO_COLLECTIONS), 1);
}

Test(sampler, threads_that_began_before_the_start_are_none_of_the_recording) {
    atomic_fetch_add(&sampler.intake.births, 2);
    struct hs_handle old = record(MIDDLE);
    atomic_fetch_add(&sampler.intake.births, 3);
    struct hs_handle fresh = record(MIDDLE);
    cr_assert_eq(info(old, HS_INFO_BIRTHS), 3);
    cr_assert_eq(info(fresh, HS_INFO_BIRTHS), 0);
}

Test(sampler, a_collection_wakes_the_sweeper_which_finds_the_dead) {
    struct hs_handle handle = record(MIDDLE);
    hs_ref ref = callback(&sampler, "shop.Cart", 24);
    fake_clear(ref);
    hs_sweeper_wake(&sampler.sweeper);
    cr_assert(POLL(fake_is_released(ref)));
    cr_assert_eq(info(handle, HS_INFO_DEATHS), 1);
}

Test(sampler, when_it_goes_off_it_gives_back_what_is_dead) {
    struct hs_handle handle = record(MIDDLE);
    hs_ref dead = callback(&sampler, "shop.Cart", 24);
    hs_ref alive = callback(&sampler, "shop.Cart", 24);
    fake_clear(dead);
    ok(hs_sampler_pause(&sampler, FAKE_ENV, handle));
    cr_assert(fake_is_released(dead), "each collection to come would look at it");
    cr_assert_not(fake_is_released(alive));
}

Test(sampler, unloaded_classes_are_purged_by_the_sweeper) {
    record(MIDDLE);
    hs_ref class_ref = fake_ref();
    cr_assert(
        hs_classes_put(sampler.liveness.store->classes, 5, class_ref, (struct hs_name_id){1}));
    fake_clear(class_ref);
    hs_sweeper_wake(&sampler.sweeper);
    cr_assert(POLL(fake_is_released(class_ref)));
}

static struct hs_handle paused_inside;
static int64_t waited_us;

static void pause_inside(enum fake_call call) {
    if (call == FAKE_FIND_STACK) {
        int64_t start = hs_clock_monotonic_us();
        ok(hs_sampler_pause(&sampler, FAKE_ENV, paused_inside));
        waited_us = hs_clock_monotonic_us() - start;
    }
}

Test(sampler, pause_waits_for_a_callback_that_is_inside) {
    paused_inside = record(MIDDLE);
    sampler.patience_us = 1000000;
    struct fake_report report = fake_report(&sampler.intake, "shop.Cart", 24);
    report.during = pause_inside;
    cr_assert_neq(fake_take_in(&report), 0, "nothing was freed");
    cr_assert_geq(waited_us, 1000000, "it was patient");
}
