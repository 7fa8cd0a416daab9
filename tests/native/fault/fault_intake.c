/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Samples without memory, from the thread's step to the sums: each is counted or dropped, the thread leaves the
 * phaser, and no reference is held. */
#include <pthread.h>

#include "fault.h"
#include "unit/fake_intake.h"
#include "unit/small_store.h"

enum { SAMPLES = 3 };

static struct hs_epochs epochs;
static struct hs_sweeper sweeper;
static struct hs_intake intake;

/* On a thread that is not known yet. */
static void *take_samples_in(void *argument) {
    const struct hs_recording *recording = argument;
    static const char *const NAMES[SAMPLES] = {"shop.Cart", "shop.Item", "shop.Cart"};
    for (uint64_t i = 0; i < SAMPLES; i++) {
        struct fake_report report = fake_report(&intake, NAMES[i], 24);
        (void)fake_take_in(&report);
        uint64_t lost = recording->drops[HS_DROP_NATIVE_MEMORY];
        cr_assert_eq(hs_tally_sum(&recording->samples) + lost, i + 1, "counted once or dropped");
        cr_assert_eq(fake_inside(&intake), 0);
    }
    return NULL;
}

static void check_sums(const struct hs_recording *recording, const struct hs_store *store) {
    uint64_t counted = hs_tally_sum(&recording->samples);
    cr_assert_eq(small_total(recording->sums[0].sites.totals, SMALL_LIMITS.sites).samples, counted);
    cr_assert_eq(small_total(recording->sums[0].threads.totals, SMALL_LIMITS.threads).samples,
                 counted);
    cr_assert_eq(fake_outstanding(), hs_live_count(store->live));
    cr_assert_leq(hs_live_count(store->live), counted, "not counted, so not tracked");
}

static enum hs_status intake_round(void) {
    static const struct hs_filter ALL;
    struct hs_session session = {.count = 0};
    struct hs_recording *recording = NULL;
    fake_reset();
    hs_epochs_init(&epochs, HS_Z, 0);
    hs_intake_init(&intake, &FAKE_OPS, &epochs, &sweeper);
    hs_interval_set(&intake.interval, 0);
    enum hs_status status = hs_store_new(&SMALL_LIMITS, &session.store);
    if (status == HS_OK) {
        status = hs_recording_new(&ALL, SMALL_LIMITS.sites, SMALL_LIMITS.threads, &recording);
    }
    if (status == HS_OK) {
        pthread_t thread;
        recording->bit = 1;
        session.recordings[session.count++] = recording;
        atomic_store(&intake.session, &session);
        cr_assert_eq(pthread_create(&thread, NULL, take_samples_in, recording), 0);
        cr_assert_eq(pthread_join(thread, NULL), 0);
        check_sums(recording, session.store);
        status = small_drops(recording) > 0 ? HS_NO_MEMORY : HS_OK;
    }
    hs_recording_free(recording);
    hs_store_free(session.store, &FAKE_OPS, FAKE_ENV);
    cr_assert_eq(fake_outstanding(), 0);
    return status;
}

Test(fault_intake, a_sample_is_counted_whole_or_dropped) {
    cr_assert_geq(fault_each(intake_round, true), 25);
}
