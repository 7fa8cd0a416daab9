/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* A sampler whose tables fill up. */
#ifndef ROTATING_SAMPLER_H
#define ROTATING_SAMPLER_H

#include <criterion/criterion.h>

#include "hs_encode.h"
#include "rotating_store.h"
#include "running_sampler.h"

/* Enough for a rotation, and little to wait for a callback that is stuck. */
enum { PATIENCE_US = 10000 };

static struct hs_sampler sampler;
static struct hs_handle handle;
static uint32_t next_stack;

static inline void set_up(void) {
    sampler_begin(&sampler);
    cr_assert_eq(sampler_configure(&sampler, &ROTATING_LIMITS, &SAMPLER_STRATEGY, &SAMPLER_TRAITS),
                 HS_OK);
    handle = sampler_open(&sampler, 0, 0);
    sampler.patience_us = PATIENCE_US;
    next_stack = 0;
}

/* A start of the sweeper's thread takes longer under load. */
static inline void be_patient(void) {
    sampler.patience_us = INT32_MAX;
}

static inline void tear_down(void) {
    hs_sampler_destroy(&sampler, FAKE_ENV);
    cr_assert_eq(fake_outstanding(), 0);
}

static inline struct hs_session *session_of(void) {
    return atomic_load(&sampler.intake.session);
}

static inline void sample_once(struct hs_session *session) {
    hs_ref ref = rotating_sample(session, next_stack++, 7, 24);
    if (ref != 0) {
        fake_clear(ref);
    }
}

static inline void fill(void) {
    while (!hs_store_fills_up(session_of()->store)) {
        sample_once(session_of());
    }
}

/* As the sweeper does in its round, and does not while the lock is taken. */
static inline void rotate(void) {
    hs_sampler_lock(&sampler);
    sampler.next_rotation_us = 0; /* without a rest */
    hs_sampler_rotate(&sampler, FAKE_ENV);
    hs_sampler_leave(&sampler);
}

/* The same when a table has just filled up; answers the session before. */
static inline struct hs_session *fill_and_rotate_locked(void) {
    fill();
    struct hs_session *before = session_of();
    sampler.next_rotation_us = 0;
    hs_sampler_rotate(&sampler, FAKE_ENV);
    return before;
}

static inline struct hs_session *fill_and_rotate(void) {
    hs_sampler_lock(&sampler);
    struct hs_session *before = fill_and_rotate_locked();
    hs_sampler_leave(&sampler);
    return before;
}

static inline uint64_t samples_in(const struct block *block) {
    uint64_t samples = 0;
    for (uint32_t i = 0; i < block->sections[SITES].count; i++) {
        samples += block_u64(block_entry(block, SITES, i, 64), 8);
    }
    return samples;
}

/* Takes a snapshot, of which the sums must be those of all samples; answers the flags. */
static inline int64_t snapshot(void) {
    struct hs_buffer buffer = {0};
    cr_assert_eq(hs_sampler_snapshot(&sampler, FAKE_ENV, handle, HS_AFTER_NONE, NULL, &buffer),
                 HS_OK);
    struct block block = block_read(&buffer);
    cr_assert_eq(samples_in(&block), next_stack);
    cr_assert_eq(block_info(&block, HS_INFO_SAMPLES), next_stack);
    int64_t flags = block_info(&block, HS_INFO_FLAGS);
    hs_buffer_free(&buffer);
    return flags;
}

#endif
