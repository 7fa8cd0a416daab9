/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* What ends or reads a rotation that is open. */
#include "rotating_sampler.h"

TestSuite(sampler_rotation_open, .init = set_up, .fini = tear_down);

/* A rotation in progress, of which no callback is in the way any more. */
static void leave_rotation_open(void) {
    uint32_t token = hs_phaser_enter(&sampler.intake.phaser, 5);
    (void)fill_and_rotate();
    cr_assert_not_null(sampler.liveness.store->previous);
    hs_phaser_exit(&sampler.intake.phaser, token);
}

Test(sampler_rotation_open, a_pause_ends_it) {
    leave_rotation_open();
    size_t used = hs_mem_used();
    be_patient();
    cr_assert_eq(hs_sampler_pause(&sampler, FAKE_ENV, handle), HS_OK);
    cr_assert_null(sampler.liveness.store->previous);
    cr_assert_lt(hs_mem_used(), used, "its memory is free");
    (void)snapshot();
    cr_assert_eq(sampler_resume(&sampler, handle, 0), HS_OK);
    sample_once(session_of());
    (void)snapshot();
}

Test(sampler_rotation_open, a_pause_with_a_stuck_callback_does_not_end_it) {
    uint32_t token = hs_phaser_enter(&sampler.intake.phaser, 5);
    struct hs_session *stuck = fill_and_rotate();
    struct hs_store *previous = stuck->store;
    cr_assert_eq(hs_sampler_pause(&sampler, FAKE_ENV, handle), HS_OK);
    cr_assert_eq(sampler.liveness.store->previous, previous);
    sample_once(stuck);
    (void)snapshot();
    hs_phaser_exit(&sampler.intake.phaser, token);
    cr_assert_eq(hs_sampler_pause(&sampler, FAKE_ENV, handle), HS_OK);
    cr_assert_null(sampler.liveness.store->previous, "the next call ends it");
    (void)snapshot();
}

/* The time of its recording is up, which the background thread notices, but only a control call ends sampling. */
Test(sampler_rotation_open, a_new_interval_after_the_last_recording_ends_it) {
    leave_rotation_open();
    be_patient();
    atomic_store(&hs_liveness_find(&sampler.liveness, handle)->deadline_us, 1);
    cr_assert_eq(hs_sampler_set_interval(&sampler, FAKE_ENV, handle, 64), HS_OK);
    cr_assert_null(session_of(), "sampling has ended");
    cr_assert_null(sampler.liveness.store->previous);
    (void)snapshot();
}

Test(sampler_rotation_open, the_last_holder_ends_it_when_it_leaves) {
    const struct hs_hold hold = {.keeps = true, .name = "application"};
    struct hs_hold_id id;
    bool is_closed;
    cr_assert_eq(hs_sampler_hold(&sampler, FAKE_ENV, sampler.config_version, 0, &hold, &id), HS_OK);
    cr_assert_eq(hs_sampler_close(&sampler, FAKE_ENV, handle), HS_OK);
    handle = sampler.default_handle;
    leave_rotation_open();
    cr_assert_eq(hs_sampler_release(&sampler, FAKE_ENV, id, &is_closed), HS_OK);
    cr_assert_not(is_closed);
    cr_assert_null(sampler.liveness.store->previous);
    (void)snapshot();
}

/* Sums take blocks of memory, so tables of more than one block. */
static void enlarge_tables(void) {
    struct hs_limits large = ROTATING_LIMITS;
    large.stacks = large.sites = 8 * HS_TOTALS_BLOCK;
    large.names = 16384;
    be_patient();
    cr_assert_eq(hs_sampler_close(&sampler, FAKE_ENV, handle), HS_OK);
    cr_assert_eq(sampler_configure(&sampler, &large, &SAMPLER_STRATEGY, &SAMPLER_TRAITS), HS_OK);
    handle = sampler_open(&sampler, 0, 0);
    sampler.patience_us = PATIENCE_US;
}

/* In the middle of a rotation, the n-th call for memory fails. */
Test(sampler_rotation_open, a_snapshot_is_whole_or_fails) {
    int failures = 0;
    enlarge_tables();
    for (uint64_t n = 1; n < 12; n++) {
        uint32_t token = hs_phaser_enter(&sampler.intake.phaser, 5);
        (void)fill_and_rotate();
        struct hs_buffer buffer = {0};
        hs_mem_fail_at(n);
        enum hs_status status =
            hs_sampler_snapshot(&sampler, FAKE_ENV, handle, HS_AFTER_NONE, NULL, &buffer);
        hs_mem_fail_at(0);
        cr_assert(status == HS_OK || status == HS_NO_MEMORY);
        if (status == HS_OK) {
            struct block block = block_read(&buffer);
            cr_assert_eq(samples_in(&block), next_stack, "call %d", (int)n);
        }
        failures += status != HS_OK;
        hs_buffer_free(&buffer);
        (void)snapshot();
        hs_phaser_exit(&sampler.intake.phaser, token);
        rotate();
    }
    cr_assert_gt(failures, 0);
}

static int64_t entries_live(void) {
    int64_t values[HS_STATUS_VALUES];
    hs_sampler_status(&sampler, values);
    return values[HS_FIGURE_TRACKED];
}

/* Objects that stay are in either generation. */
Test(sampler_rotation_open, after_a_reset_no_entry_is_left) {
    uint32_t token = hs_phaser_enter(&sampler.intake.phaser, 5);
    (void)rotating_sample(session_of(), next_stack++, 7, 8000);
    (void)fill_and_rotate();
    (void)rotating_sample(session_of(), next_stack++, 7, 8000);
    (void)snapshot();
    cr_assert_eq(entries_live(), 2);
    cr_assert_eq(hs_sampler_reset(&sampler, FAKE_ENV, handle), HS_OK);
    next_stack = 0;
    (void)snapshot();
    cr_assert_eq(entries_live(), 0, "the snapshot has swept");
    (void)rotating_sample(session_of(), next_stack++, 7, 8000);
    cr_assert_eq(entries_live(), 1);
    hs_phaser_exit(&sampler.intake.phaser, token);
    (void)snapshot();
    cr_assert_eq(entries_live(), 1);
}

/* Tables that are kept are emptied in the middle of a rotation, which leaves most of them behind after a reset. */
Test(sampler_rotation_open, an_emptied_store_has_no_entry) {
    struct hs_keeper_id kept;
    cr_assert_eq(hs_sampler_keep_tables(&sampler, FAKE_ENV, 0, &kept), HS_OK);
    sampler.next_rotation_us = INT64_MAX;
    while (!hs_store_fills_up(session_of()->store)) {
        sample_once(session_of());
        (void)snapshot(); /* so that nothing is thinned */
    }
    cr_assert_eq(hs_sampler_reset(&sampler, FAKE_ENV, handle), HS_OK);
    (void)rotating_sample(session_of(), next_stack++, 7, 8000);
    leave_rotation_open();
    struct hs_store *store = sampler.liveness.store;
    cr_assert_eq(hs_sampler_close(&sampler, FAKE_ENV, handle), HS_OK);
    cr_assert_eq(sampler.liveness.store, store, "there is room, so it is kept");
    cr_assert_null(store->previous);
    cr_assert_eq(entries_live(), 0);
    cr_assert_eq(hs_dead_ring_count(store->dead_ring), 0);
    next_stack = 0;
    be_patient();
    handle = sampler_open(&sampler, 0, 0);
    (void)snapshot();
    cr_assert_neq(rotating_sample(session_of(), next_stack++, 7, 8000), 0);
    (void)snapshot();
    cr_assert_eq(entries_live(), 1);
    hs_sampler_drop_tables(&sampler, FAKE_ENV, kept);
}
