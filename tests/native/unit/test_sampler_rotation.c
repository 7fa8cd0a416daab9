/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* A sampler whose tables fill up. */
#include <criterion/criterion.h>

#include "hs_encode.h"
#include "rotating_store.h"
#include "running_sampler.h"

static struct hs_sampler sampler;
static int32_t handle;
static uint32_t next_stack;

static void set_up(void) {
    sampler_begin(&sampler);
    cr_assert_eq(sampler_configure(&sampler, &ROTATING_LIMITS, &SAMPLER_STRATEGY, &SAMPLER_TRAITS),
                 HS_OK);
    handle = sampler_open(&sampler, 0, 0);
    sampler.patience_us =
        10000; /* enough for a rotation, and little to wait for one that is stuck */
    next_stack = 0;
}

static void tear_down(void) {
    hs_sampler_destroy(&sampler, FAKE_ENV);
    cr_assert_eq(fake_outstanding(), 0);
}

TestSuite(sampler_rotation, .init = set_up, .fini = tear_down);

static struct hs_session *session_of(void) {
    return atomic_load(&sampler.intake.session);
}

static void sample_once(struct hs_session *session) {
    hs_ref ref = rotating_sample(session, next_stack++, 7, 24);
    if (ref != 0) {
        fake_clear(ref);
    }
}

static void fill(void) {
    while (!hs_store_fills_up(session_of()->store)) {
        sample_once(session_of());
    }
}

/* As the sweeper does in its round, and does not while the lock is taken. */
static void rotate(void) {
    hs_sampler_lock(&sampler);
    sampler.next_rotation_us = 0; /* without a rest */
    hs_sampler_rotate(&sampler, FAKE_ENV);
    hs_sampler_leave(&sampler);
}

/* The same when a table has just filled up; answers the session before. */
static struct hs_session *fill_and_rotate(void) {
    hs_sampler_lock(&sampler);
    fill();
    struct hs_session *before = session_of();
    sampler.next_rotation_us = 0;
    hs_sampler_rotate(&sampler, FAKE_ENV);
    hs_sampler_leave(&sampler);
    return before;
}

/* Takes a snapshot, of which the sums must be those of all samples; answers the flags. */
static int64_t snapshot(void) {
    struct hs_buffer buffer = {0};
    cr_assert_eq(hs_sampler_snapshot(&sampler, FAKE_ENV, handle, false, NULL, &buffer), HS_OK);
    struct block block = block_read(&buffer);
    uint64_t samples = 0;
    for (uint32_t i = 0; i < block.sections[SITES].count; i++) {
        samples += block_u64(block_entry(&block, SITES, i, 64), 8);
    }
    cr_assert_eq(samples, next_stack);
    cr_assert_eq(block_info(&block, HS_INFO_SAMPLES), next_stack);
    int64_t flags = block_info(&block, HS_INFO_FLAGS);
    hs_buffer_free(&buffer);
    return flags;
}

Test(sampler_rotation, callbacks_get_the_next_generation_when_a_table_fills_up) {
    struct hs_store *first = session_of()->store;
    rotate();
    cr_assert_eq(session_of()->store, first, "there is room");
    for (int round = 0; round < 50; round++) {
        uint32_t generation = session_of()->store->code_generation;
        (void)fill_and_rotate();
        cr_assert_neq(session_of()->store->code_generation, generation);
        cr_assert_null(session_of()->store->previous);
        cr_assert_eq(sampler.census.store, session_of()->store);
        cr_assert_eq(snapshot() & HS_INFO_NO_TABLES, 0);
    }
}

/* It is told once for each generation, so that the sweeper is not woken for each sample. */
Test(sampler_rotation, the_sweeper_is_told_once) {
    hs_sampler_lock(&sampler);
    cr_assert_not(hs_store_tells_that_it_fills_up(session_of()->store));
    fill();
    cr_assert(hs_store_tells_that_it_fills_up(session_of()->store));
    cr_assert_not(hs_store_tells_that_it_fills_up(session_of()->store));
    hs_sampler_leave(&sampler);
}

/* Where code in use alone fills a table, rotations do not follow each other without end. */
Test(sampler_rotation, rests_after_each) {
    (void)fill_and_rotate();
    hs_sampler_lock(&sampler);
    cr_assert_gt(sampler.next_rotation_us, 0);
    sampler.next_rotation_us = INT64_MAX;
    fill();
    uint32_t generation = session_of()->store->code_generation;
    hs_sampler_rotate(&sampler, FAKE_ENV);
    cr_assert_eq(session_of()->store->code_generation, generation);
    hs_sampler_leave(&sampler);
    rotate();
    cr_assert_neq(session_of()->store->code_generation, generation);
}

/* Its tables are kept, and what it adds to them is in the next snapshot. */
Test(sampler_rotation, a_stuck_callback_only_delays) {
    uint32_t token = hs_phaser_enter(&sampler.intake.phaser, 5);
    struct hs_session *stuck = fill_and_rotate();
    cr_assert_neq(session_of(), stuck);
    cr_assert_eq(session_of()->store->previous, stuck->store);
    for (int i = 0; i < 20; i++) {
        sample_once(stuck);
        (void)snapshot();
        sample_once(session_of());
        (void)snapshot();
    }
    (void)fill_and_rotate();
    cr_assert_eq(session_of()->store->previous, stuck->store, "there is no third generation");
    hs_phaser_exit(&sampler.intake.phaser, token);
    rotate();
    cr_assert_null(session_of()->store->previous);
    (void)snapshot();
    rotate();
    cr_assert_not(hs_store_fills_up(session_of()->store));
}

/* The tables stay as they are, and it is said so, until there is memory. */
Test(sampler_rotation, without_memory_the_old_tables_stay) {
    hs_sampler_lock(&sampler);
    fill();
    struct hs_store *before = session_of()->store;
    hs_mem_set_budget(hs_mem_used() + 1000);
    sampler.next_rotation_us = 0;
    hs_sampler_rotate(&sampler, FAKE_ENV);
    cr_assert_eq(session_of()->store, before);
    cr_assert(sampler.lacks_tables);
    hs_mem_set_budget(HS_MEM_DEFAULT_BUDGET);
    hs_sampler_leave(&sampler);
    rotate();
    cr_assert_neq(session_of()->store, before);
    cr_assert_eq(snapshot() & HS_INFO_NO_TABLES, 0);
}

/* Sums go with the recording, tables with the last one. */
Test(sampler_rotation, recordings_come_and_go_in_the_middle) {
    uint32_t token = hs_phaser_enter(&sampler.intake.phaser, 5);
    (void)fill_and_rotate();
    cr_assert_not_null(session_of()->store->previous);
    int32_t other = sampler_open(&sampler, 0, 0);
    sample_once(session_of());
    (void)snapshot();
    cr_assert_eq(hs_sampler_close(&sampler, FAKE_ENV, other), HS_OK);
    (void)snapshot();
    hs_phaser_exit(&sampler.intake.phaser, token);
    cr_assert_eq(hs_sampler_reset(&sampler, FAKE_ENV, handle), HS_OK);
    next_stack = 0;
    (void)snapshot();
    rotate();
    cr_assert_eq(hs_sampler_close(&sampler, FAKE_ENV, handle), HS_OK);
    cr_assert_null(sampler.census.store);
}
