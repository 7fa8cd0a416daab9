/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* A session of two recordings whose store is filled and rotated by hand. Include once in a program. */
#ifndef ROTATED_SESSION_H
#define ROTATED_SESSION_H

#include <criterion/criterion.h>

#include "hs_liveness.h"
#include "hs_mem.h"
#include "hs_rotation.h"
#include "rotating_store.h"

static size_t used_before;
static struct hs_session session;
static struct hs_recording *recordings[HS_MAX_RECORDINGS];

static inline void make_store(const struct hs_limits *limits) {
    fake_reset();
    cr_assert_eq(hs_store_new(limits, &session.store), HS_OK);
    session.count = 2;
    for (uint32_t i = 0; i < 2; i++) {
        recordings[i] = session.recordings[i] = small_recording(session.store, i, NULL);
    }
}

static inline void set_up(void) {
    used_before = hs_mem_used();
    memset(&session, 0, sizeof session);
    memset(recordings, 0, sizeof recordings);
    make_store(&ROTATING_LIMITS);
}

static inline void tear_down(void) {
    hs_recording_free(recordings[0]);
    hs_recording_free(recordings[1]);
    hs_store_free(session.store, &FAKE_OPS, FAKE_ENV);
    cr_assert_eq(fake_outstanding(), 0);
    cr_assert_eq(hs_mem_used(), used_before);
}

/* Samples at new stacks until a table fills up; answers the next stack. */
static inline uint32_t fill(uint32_t stack) {
    while (!hs_store_fills_up(session.store)) {
        hs_ref ref = rotating_sample(&session, stack, stack % 20, 24);
        if (ref != 0) {
            fake_clear(ref);
        }
        stack++;
    }
    return stack;
}

static inline void sweep(void) {
    struct hs_liveness liveness = {.ops = &FAKE_OPS, .store = session.store};
    memcpy(liveness.recordings, recordings, sizeof recordings);
    hs_epochs_init(&liveness.epochs, HS_Z, 0);
    hs_liveness_take(&liveness, FAKE_ENV);
    hs_epochs_release(&liveness.epochs, &FAKE_OPS, FAKE_ENV);
}

static inline struct hs_store *next_generation(void) {
    struct hs_store *next = NULL;
    cr_assert_eq(hs_store_new_generation(session.store, &next), HS_OK);
    cr_assert_eq(next->previous, session.store);
    cr_assert(hs_rotation_prepare(next, recordings));
    session.store = next;
    return next;
}

static inline void rotate(void) {
    struct hs_store *store = next_generation();
    cr_assert(hs_rotation_move(store, recordings));
    hs_rotation_end(store, recordings, &FAKE_OPS, FAKE_ENV);
    cr_assert_null(store->previous);
    cr_assert_not(hs_store_fills_up(store), "it has room again");
}

#endif
