/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* An intake with one recording, in which each sample weighs 1, and a report of a sample for it. */
#ifndef HS_INTAKE_UNDER_TEST_H
#define HS_INTAKE_UNDER_TEST_H

#include "hs_intake.h"

#include "fake_intake.h"
#include "hs_mem.h"
#include "small_store.h"

enum { SIZE = 24 };

static struct hs_epochs epochs;
static struct hs_sweeper sweeper;
static struct hs_intake intake;
static struct hs_session session;
static struct hs_recording *recording;
static struct hs_thread_state *self;
static struct fake_report report;
static size_t used_before;

static void publish(struct hs_session *next) {
    atomic_store(&intake.session, next);
}

/* One recording without a filter, at interval 0: each sample weighs 1. */
static void set_up(void) {
    fake_reset();
    self = hs_thread_state_current(); /* of this thread, for as long as it lives */
    used_before = hs_mem_used();
    hs_epochs_init(&epochs, HS_Z, 0);
    memset(&sweeper, 0, sizeof sweeper);
    hs_intake_init(&intake, &FAKE_OPS, &epochs, &sweeper);
    hs_interval_set(&intake.interval, 0);
    atomic_store(&intake.enable, 1);
    hs_thread_state_begin(self, 1, 0);
    session = (struct hs_session){.store = small_store()};
    recording = small_recording(session.store, 0, NULL);
    session.recordings[session.count++] = recording;
    publish(&session);
    report = fake_report(&intake, "shop.Cart", SIZE);
}

static void tear_down(void) {
    hs_recording_free(recording);
    hs_store_free(session.store, &FAKE_OPS, FAKE_ENV);
    cr_assert_eq(fake_outstanding(), 0);
    cr_assert_eq(hs_mem_used(), used_before);
}

/* Holds after each sample, counted or dropped. */
static void check_left(void) {
    cr_assert_eq(fake_inside(&intake), 0, "it has not left the phaser");
    cr_assert_eq(fake_outstanding(), hs_live_count(session.store->live), "a reference is held");
}

#endif
