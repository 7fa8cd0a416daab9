/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Callbacks without memory: an event is counted whole or not at all, and never lost in silence. */
#include "fault.h"
#include "unit/small_store.h"

enum { EVENTS = 6 };

static enum hs_status count_events(const struct hs_session *session) {
    enum hs_status result = HS_OK;
    for (int32_t i = 0; i < EVENTS; i++) {
        struct hs_store *store = session->store;
        struct hs_event event = {.java_thread = i, .size = 24};
        struct hs_stack_id stack = {0};
        struct hs_frame_id frame = {(uint32_t)i};
        enum hs_status named = hs_names_put(store->names, "shop.Cart", 9, &event.class_name);
        enum hs_status thread = hs_threads_put(store->threads, i, &event.thread);
        enum hs_status walked = hs_stacks_put(store->stacks, &frame, 1, &stack);
        cr_assert(hs_session_match(session, &event));
        if (walked == HS_OK) {
            hs_session_count(session, &event, stack);
        } else {
            hs_session_drop(session, &event, HS_DROP_NATIVE_MEMORY);
        }
        bool is_short = named == HS_NO_MEMORY || thread == HS_NO_MEMORY || walked != HS_OK;
        result = is_short ? HS_NO_MEMORY : result;
    }
    return result;
}

static enum hs_status session_round(void) {
    uint64_t (*const drops_of)(const struct hs_recording *) = small_drops;
    struct hs_session session = {.count = 0};
    struct hs_recording *recording = NULL;
    static const struct hs_filter ALL;
    enum hs_status status = hs_store_new(&SMALL_LIMITS, &session.store);
    if (status == HS_OK) {
        status = hs_recording_new(&ALL, SMALL_LIMITS.sites, SMALL_LIMITS.threads, &recording);
    }
    if (status == HS_OK) {
        recording->bit = 1;
        session.recordings[session.count++] = recording;
        status = count_events(&session);
        uint64_t dropped = recording->drops[HS_DROP_NATIVE_MEMORY];
        struct hs_total sites = small_total(recording->sums[0].sites.totals, SMALL_LIMITS.sites);
        struct hs_total threads =
            small_total(recording->sums[0].threads.totals, SMALL_LIMITS.threads);
        cr_assert_eq(hs_tally_sum(&recording->samples) + dropped, EVENTS,
                     "counted, or said to be dropped");
        cr_assert_eq(threads.samples, hs_tally_sum(&recording->samples), "by thread");
        cr_assert_eq(sites.samples, hs_tally_sum(&recording->samples), "by site");
        cr_assert(status == HS_OK || drops_of(recording) > 0 ||
                  hs_tally_sum(&recording->samples) == EVENTS);
    }
    hs_recording_free(recording);
    hs_store_free(session.store, &FAKE_OPS, FAKE_ENV);
    return status;
}

Test(fault_session, an_event_is_counted_whole_or_not_at_all) {
    cr_assert_geq(fault_each(session_round, true), 25);
}
