/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* A callback that stays inside for longer than a control call waits, as one that a debugger suspends: all
 * that was left to it is freed once it has gone. */
#include <criterion/criterion.h>

#include "hs_encode.h"
#include "poll.h"
#include "running_sampler.h"

static struct hs_sampler sampler;
static uint32_t token; /* of the callback that is stuck */

static void begin(void) {
    sampler_begin(&sampler);
}

/* What follows does not wait for it for long. */
static void get_stuck(void) {
    sampler.patience_us = 1000;
    token = hs_phaser_enter(&sampler.intake.phaser, 3);
}

static void leave(void) {
    sampler.patience_us = INT32_MAX;
    hs_phaser_exit(&sampler.intake.phaser, token);
}

static void end(size_t memory) {
    hs_sampler_destroy(&sampler, FAKE_ENV);
    /* A sweeper that was given up under load ends by itself. */
    cr_assert(POLL(fake.attached == 0 && hs_mem_used() == memory), "memory was lost");
    cr_assert_eq(fake_outstanding(), 0, "references were lost");
}

static enum hs_status open(struct hs_handle *handle) {
    static const struct hs_filter ALL;
    return hs_sampler_open(&sampler, FAKE_ENV, sampler.config_version, &ALL, 1024, 0, handle);
}

Test(sampler_stuck, places_are_free_again_once_the_callback_has_left) {
    begin();
    size_t memory = hs_mem_used();
    struct hs_handle handle;
    struct hs_handle handles[HS_MAX_RECORDINGS];
    for (int i = 0; i < HS_MAX_RECORDINGS; i++) {
        handles[i] = sampler_open(&sampler, 1024, 0);
    }
    get_stuck();
    for (int i = 0; i < HS_MAX_RECORDINGS; i++) {
        cr_assert_eq(hs_sampler_close(&sampler, FAKE_ENV, handles[i]), HS_OK);
    }
    cr_assert_eq(open(&handle), HS_TOO_MANY, "it may still use each bit");
    leave();
    cr_assert_eq(open(&handle), HS_OK);
    cr_assert_eq(hs_sampler_close(&sampler, FAKE_ENV, handle), HS_OK);
    end(memory);
}

static struct hs_handle closed_inside;

/* Control closes the recording while the stack of its sample is being found. */
static void close_inside(enum fake_call call) {
    if (call == FAKE_FIND_STACK) {
        sampler.patience_us = 1000;
        cr_assert_eq(hs_sampler_close(&sampler, FAKE_ENV, closed_inside), HS_OK);
    }
}

Test(sampler_stuck, what_the_callback_tracks_is_of_no_later_recording) {
    begin();
    size_t memory = hs_mem_used();
    closed_inside = sampler_open(&sampler, 1024, 0);
    struct hs_handle second = sampler_open(&sampler, 1024, 0);
    struct fake_report report = fake_report(&sampler.intake, "late", 16);
    report.during = close_inside;
    cr_assert_neq(fake_take_in(&report), 0);
    cr_assert_not_null(sampler.lost_recordings, "it was freed under the callback");
    sampler.patience_us = INT32_MAX;
    cr_assert_eq(hs_sampler_close(&sampler, FAKE_ENV, second), HS_OK);
    struct hs_handle third = sampler_open(&sampler, 1024, 0);
    struct hs_buffer buffer = {0};
    cr_assert_eq(hs_sampler_snapshot(&sampler, FAKE_ENV, third, HS_AFTER_NONE, NULL, &buffer),
                 HS_OK);
    struct block block = block_read(&buffer);
    cr_assert_eq(block.sections[LIVE].count, 0);
    hs_buffer_free(&buffer);
    cr_assert_eq(hs_sampler_close(&sampler, FAKE_ENV, third), HS_OK);
    end(memory);
}

Test(sampler_stuck, limits_do_not_change_while_the_old_tables_are_there) {
    begin();
    size_t memory = hs_mem_used();
    struct hs_limits other = SAMPLER_LIMITS;
    other.tracked = 17;
    struct hs_handle handle = sampler_open(&sampler, 1024, 0);
    get_stuck();
    cr_assert_eq(hs_sampler_close(&sampler, FAKE_ENV, handle), HS_OK);
    cr_assert_not_null(sampler.liveness.store, "the callback may look at it");
    cr_assert_eq(sampler_configure(&sampler, &other, &SAMPLER_STRATEGY, &SAMPLER_TRAITS), HS_STUCK);
    cr_assert_eq(sampler.limits.tracked, SAMPLER_LIMITS.tracked);
    leave();
    cr_assert_eq(sampler_configure(&sampler, &other, &SAMPLER_STRATEGY, &SAMPLER_TRAITS), HS_OK);
    handle = sampler_open(&sampler, 1024, 0);
    cr_assert_eq(sampler.liveness.store->limits.tracked, 17);
    cr_assert_eq(hs_sampler_close(&sampler, FAKE_ENV, handle), HS_OK);
    end(memory);
}

static bool has_lost_any(void) {
    hs_lock_acquire(&sampler.control);
    bool has_lost = sampler.lost_recordings != NULL || sampler.lost_sessions != NULL;
    hs_lock_release(&sampler.control);
    return has_lost;
}

/* Each end of a recording takes a session, of which one is reserved. */
static void use_up_memory(void) {
    hs_mem_set_budget(hs_mem_used());
}

static void get_memory_back(void) {
    hs_mem_set_budget(HS_MEM_DEFAULT_BUDGET);
}

Test(sampler_stuck, the_spare_session_comes_back_from_a_callback_that_has_left) {
    begin();
    size_t memory = hs_mem_used();
    struct hs_handle handles[3];
    for (int i = 0; i < 3; i++) {
        handles[i] = sampler_open(&sampler, 1024, 0);
    }
    get_stuck();
    use_up_memory();
    cr_assert_eq(hs_sampler_pause(&sampler, FAKE_ENV, handles[0]), HS_OK);
    leave();
    for (int i = 0; i < 3; i++) {
        cr_assert_eq(hs_sampler_close(&sampler, FAKE_ENV, handles[i]), HS_OK, "%d", i);
    }
    get_memory_back();
    end(memory);
}

Test(sampler_stuck, a_recording_that_cannot_be_paused_goes_on) {
    begin();
    size_t memory = hs_mem_used();
    struct hs_handle handles[3];
    for (int i = 0; i < 3; i++) {
        handles[i] = sampler_open(&sampler, 1024, 0);
    }
    hs_sweeper_stop(&sampler.sweeper, INT32_MAX); /* which might make another session */
    get_stuck();
    use_up_memory();
    cr_assert_eq(hs_sampler_pause(&sampler, FAKE_ENV, handles[0]), HS_OK);
    cr_assert_eq(hs_sampler_pause(&sampler, FAKE_ENV, handles[1]), HS_NO_MEMORY);
    cr_assert(hs_liveness_find(&sampler.liveness, handles[1])->is_accepting);
    get_memory_back();
    cr_assert_eq(hs_sampler_pause(&sampler, FAKE_ENV, handles[1]), HS_OK);
    cr_assert_not_null(sampler.spare, "and it is replaced");
    use_up_memory();
    cr_assert_eq(hs_sampler_pause(&sampler, FAKE_ENV, handles[2]), HS_OK, "no session is needed");
    get_memory_back();
    leave();
    end(memory);
}

/* No caller could end it afterwards. */
Test(sampler_stuck, what_the_last_holder_leaves_without_memory_ends_when_there_is_some) {
    const struct hs_hold hold = {.interval = 1024, .keeps = true, .name = "application"};
    begin();
    size_t memory = hs_mem_used();
    struct hs_hold_id id;
    bool is_closed;
    struct hs_handle first = sampler_open(&sampler, 2048, 0);
    (void)sampler_open(&sampler, 2048, 0);
    cr_assert_eq(hs_sampler_hold(&sampler, FAKE_ENV, sampler.config_version, 1024, &hold, &id),
                 HS_OK);
    get_stuck();
    hs_sampler_lock(&sampler);
    struct hs_session *spare = sampler.spare; /* as if a callback had kept it */
    sampler.spare = NULL;
    use_up_memory(); /* before the sweeper can make another one */
    hs_sampler_leave(&sampler);
    (void)hs_sampler_release(&sampler, FAKE_ENV, id, &is_closed);
    cr_assert_eq(atomic_load(&fake.interval), 1024, "not yet");
    get_memory_back();
    cr_assert(POLL(atomic_load(&fake.interval) == 2048));
    hs_mem_free(spare, sizeof *spare);
    leave();
    cr_assert_eq(hs_sampler_close(&sampler, FAKE_ENV, first), HS_OK);
    end(memory);
}

/* Its last hold was released without memory to close the recording: its samples have no owner. */
Test(sampler_stuck, what_could_not_be_closed_is_closed_before_the_next_hold) {
    const struct hs_hold hold = {.interval = 1024, .name = "application"};
    begin();
    size_t memory = hs_mem_used();
    struct hs_hold_id id;
    bool is_closed;
    struct hs_handle first = sampler_open(&sampler, 2048, 0);
    (void)sampler_open(&sampler, 2048, 0);
    cr_assert_eq(hs_sampler_hold(&sampler, FAKE_ENV, sampler.config_version, 1024, &hold, &id),
                 HS_OK);
    struct hs_handle released = sampler.default_handle;
    get_stuck();
    hs_sampler_lock(&sampler);
    struct hs_session *spare = sampler.spare; /* as if a callback had kept it */
    sampler.spare = NULL;
    use_up_memory();
    hs_sampler_leave(&sampler);
    (void)hs_sampler_release(&sampler, FAKE_ENV, id, &is_closed);
    cr_assert_not(is_closed);
    get_memory_back();
    cr_assert_eq(hs_sampler_hold(&sampler, FAKE_ENV, sampler.config_version, 1024, &hold, &id),
                 HS_OK);
    cr_assert_neq(sampler.default_handle.number, released.number, "it has its samples");
    hs_mem_free(spare, sizeof *spare);
    leave();
    cr_assert_eq(hs_sampler_close(&sampler, FAKE_ENV, first), HS_OK);
    end(memory);
}

/* Another interval can wait for memory. */
Test(sampler_stuck, the_governor_leaves_the_spare_session_alone) {
    begin();
    size_t memory = hs_mem_used();
    struct hs_handle handle = sampler_open(&sampler, 1024, 0);
    get_stuck();
    hs_sampler_lock(&sampler);
    struct hs_recording *recording = hs_liveness_find(&sampler.liveness, handle);
    recording->governed = 4096;
    use_up_memory();
    hs_sampler_renew_session(&sampler);
    cr_assert_not_null(sampler.spare);
    get_memory_back();
    hs_sampler_renew_session(&sampler);
    cr_assert_eq(atomic_load(&sampler.intake.session)->interval, 4096);
    recording->governed = 0;
    hs_sampler_leave(&sampler);
    leave();
    end(memory);
}

/* So can other tables. */
Test(sampler_stuck, a_rotation_leaves_the_spare_session_alone) {
    struct hs_store *next;
    begin();
    size_t memory = hs_mem_used();
    (void)sampler_open(&sampler, 1024, 0);
    hs_sweeper_stop(&sampler.sweeper, INT32_MAX);
    get_stuck();
    hs_sampler_lock(&sampler);
    struct hs_store *store = sampler.liveness.store;
    cr_assert_eq(hs_store_new_generation(store, &next), HS_OK);
    use_up_memory();
    cr_assert_not(hs_sampler_exchange_store(&sampler, next));
    cr_assert_not_null(sampler.spare);
    cr_assert_eq(sampler.liveness.store, store);
    get_memory_back();
    hs_store_drop_generation(next);
    hs_sampler_leave(&sampler);
    leave();
    end(memory);
}

static int64_t flags(struct hs_handle handle) {
    struct hs_buffer buffer = {0};
    cr_assert_eq(hs_sampler_snapshot(&sampler, FAKE_ENV, handle, HS_AFTER_NONE, NULL, &buffer),
                 HS_OK);
    struct block block = block_read(&buffer);
    int64_t flags = block_info(&block, HS_INFO_FLAGS);
    hs_buffer_free(&buffer);
    return flags;
}

Test(sampler_stuck, a_snapshot_says_that_a_thread_does_not_return_from_learning) {
    begin();
    size_t memory = hs_mem_used();
    struct hs_handle handle = sampler_open(&sampler, 1024, 0);
    _Atomic int64_t *entered_us = &sampler.intake.lookup.rooms[1].entered_us;
    atomic_store(entered_us, hs_clock_monotonic_us());
    cr_assert_eq(flags(handle) & HS_INFO_STUCK, 0, "not yet");
    atomic_store(entered_us, 1);
    cr_assert_eq(flags(handle) & HS_INFO_STUCK, HS_INFO_STUCK);
    atomic_store(entered_us, 0);
    cr_assert_eq(flags(handle) & HS_INFO_STUCK, 0);
    end(memory);
}

/* Without another control call. */
Test(sampler_stuck, background_thread_frees_what_was_lost) {
    begin();
    size_t memory = hs_mem_used();
    struct hs_handle first = sampler_open(&sampler, 1024, 0);
    struct hs_handle second = sampler_open(&sampler, 1024, 0);
    get_stuck();
    cr_assert_eq(hs_sampler_close(&sampler, FAKE_ENV, first), HS_OK);
    cr_assert(has_lost_any());
    leave();
    hs_sweeper_wake(&sampler.sweeper);
    cr_assert(POLL(!has_lost_any()));
    cr_assert_eq(hs_sampler_close(&sampler, FAKE_ENV, second), HS_OK);
    end(memory);
}

/* The first wait of a call may use it up. */
Test(sampler_stuck, patience_is_that_of_the_whole_call) {
    begin();
    get_stuck();
    hs_sampler_lock(&sampler);
    cr_assert_not(hs_sampler_drain(&sampler));
    cr_assert_eq(hs_sampler_patience(&sampler), 0);
    cr_assert_not(hs_sampler_drain(&sampler));
    hs_lock_release(&sampler.control);
    leave();
    hs_sampler_lock(&sampler);
    cr_assert_gt(hs_sampler_patience(&sampler), 0, "the next call has its own");
    cr_assert(hs_sampler_drain(&sampler));
    hs_lock_release(&sampler.control);
    end(hs_mem_used());
}
