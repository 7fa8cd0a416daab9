/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* A rotation without memory loses nothing: what could not be moved is moved when there is some. */
#include "fault.h"
#include "unit/rotating_store.h"

static uint64_t samples_of(const struct hs_recording *recording) {
    uint64_t sum = 0;
    for (int i = 0; i < 2; i++) {
        sum += small_total(recording->sums[i].sites.totals, ROTATING_LIMITS.sites).samples;
    }
    return sum;
}

/* The n-th call fails. Without memory the old store stays, or what was moved by then is in the new one. Returns whether
 * there were this many calls. */
static bool rotate(struct hs_store **store, struct hs_recording *const *recordings, uint64_t n) {
    struct hs_store *next = NULL;
    bool is_moved = false;
    hs_mem_fail_at(n);
    if (hs_store_new_generation(*store, &next) == HS_OK) {
        if (hs_rotation_prepare(next, recordings)) {
            *store = next;
            is_moved = hs_rotation_move(next, recordings);
        } else {
            hs_store_drop_generation(next);
            next = NULL;
        }
    }
    bool has_struck = fault_has_struck(n);
    cr_assert(has_struck || is_moved);
    if (next != NULL && !is_moved) {
        cr_assert(hs_rotation_move(next, recordings), "now there is memory");
    }
    return has_struck;
}

static struct hs_session session;
static struct hs_recording *recordings[HS_MAX_RECORDINGS];

static bool rotation_round(uint64_t n) {
    size_t before = hs_mem_used();
    cr_assert_eq(hs_store_new(&ROTATING_LIMITS, &session.store), HS_OK);
    recordings[0] = session.recordings[0] = small_recording(session.store, 0, NULL);
    session.count = 1;
    for (uint32_t i = 0; !hs_store_fills_up(session.store); i++) {
        (void)rotating_sample(&session, i, i, 24);
    }
    uint64_t samples = samples_of(recordings[0]);
    bool has_struck = rotate(&session.store, recordings, n);
    cr_assert_eq(samples_of(recordings[0]), samples);
    if (session.store->previous != NULL) {
        hs_rotation_end(session.store, recordings, &FAKE_OPS, FAKE_ENV);
        const hs_totals *sites = recordings[0]->sums[session.store->code_generation].sites.totals;
        cr_assert_eq(small_total(sites, ROTATING_LIMITS.sites).samples, samples);
    }
    hs_recording_free(recordings[0]);
    hs_store_free(session.store, &FAKE_OPS, FAKE_ENV);
    cr_assert_eq(fake_outstanding(), 0);
    cr_assert_eq(hs_mem_used(), before);
    return has_struck;
}

Test(fault_rotation, loses_nothing) {
    uint64_t calls = 0;
    fake_reset();
    while (rotation_round(calls + 1)) {
        calls++;
        cr_assert_lt(calls, 1000);
    }
    cr_assert_gt(calls, 10);
}
