/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* A small store with two recordings, samples of them, and their block. */
#ifndef ENCODED_STORE_H
#define ENCODED_STORE_H

#include <criterion/criterion.h>

#include "block.h"
#include "hs_encode.h"
#include "hs_mem.h"
#include "small_store.h"

enum { OFFSET_US = 1000000 }; /* wall minus monotonic */

static size_t used_before;
static struct hs_store *store;
static struct hs_session session;
static struct hs_epochs epochs;
static struct hs_buffer buffer;
static struct hs_reach *reach; /* for the views, if there is one */

static inline void set_up(void) {
    fake_reset();
    used_before = hs_mem_used();
    store = small_store();
    hs_epochs_init(&epochs, HS_Z, 0);
    memset(&session, 0, sizeof session);
    memset(&buffer, 0, sizeof buffer);
    reach = NULL;
    session.store = store;
    session.count = 2;
    session.recordings[0] = small_recording(store, 0, NULL);
    session.recordings[1] = small_recording(store, 1, NULL);
}

static inline void tear_down(void) {
    hs_reach_free(reach);
    hs_buffer_free(&buffer);
    hs_epochs_release(&epochs, &FAKE_OPS, FAKE_ENV);
    hs_recording_free(session.recordings[0]);
    hs_recording_free(session.recordings[1]);
    hs_store_free(store, &FAKE_OPS, FAKE_ENV);
    cr_assert_eq(fake_outstanding(), 0);
    cr_assert_eq(hs_mem_used(), used_before);
}

static inline struct block encode(int recording) {
    struct hs_view view = {.store = store,
                           .recording = session.recordings[recording],
                           .epochs = &epochs,
                           .reach = reach,
                           .wall_offset_us = OFFSET_US};
    for (int i = 0; i < HS_INFO_COUNT; i++) {
        view.info[i] = i == 0 ? -1 : 100 + i;
    }
    hs_buffer_free(&buffer);
    cr_assert_eq(hs_encode(&view, &buffer), HS_OK);
    return block_read(&buffer);
}

/* Counts and tracks one event for these recordings; answers its reference. */
static inline hs_ref sample(const char *class_name, int64_t java_thread, int32_t line,
                            uint64_t size, uint64_t recordings) {
    struct hs_event event = small_event(store, class_name, java_thread, size);
    event.recordings = recordings;
    event.birth = hs_epochs_now(&epochs);
    hs_session_count(&session, &event, small_stack(store, line));
    hs_ref ref = fake_ref();
    cr_assert_eq(hs_session_track(&session, &event, ref), 0);
    return ref;
}

#endif
