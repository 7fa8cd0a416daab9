/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* A snapshot without memory returns HS_NO_MEMORY and leaves the tables as they were. */
#include "fault.h"
#include "hs_encode.h"
#include "unit/block.h"
#include "unit/small_store.h"

static struct hs_store *store;
static struct hs_recording *recording;
static struct hs_epochs epochs;

static enum hs_status encode_round(void) {
    struct hs_buffer buffer = {0};
    struct hs_view view = {.store = store, .recording = recording, .epochs = &epochs};
    enum hs_status status = hs_encode(&view, &buffer);
    if (status == HS_OK) {
        struct block block = block_read(&buffer);
        cr_assert_eq(block.sections[SITES].count, 8);
        cr_assert_eq(block.sections[LIVE].count, SMALL_LIMITS.tracked);
    }
    hs_buffer_free(&buffer);
    return status;
}

static void fill_store(void) {
    struct hs_session session = {.store = store, .count = 1, .recordings = {recording}};
    for (uint32_t i = 0; i < SMALL_LIMITS.tracked; i++) {
        struct hs_event event = small_event(store, "shop.Cart", i % 3, 24);
        cr_assert(hs_session_match(&session, &event));
        hs_session_count(&session, &event, small_stack(store, (int32_t)(i % 8)));
        cr_assert_eq(hs_session_track(&session, &event, fake_ref()), 0);
    }
}

Test(fault_encode, a_snapshot) {
    fake_reset();
    store = small_store();
    recording = small_recording(store, 0, NULL);
    hs_epochs_init(&epochs, HS_Z, 0);
    fill_store();
    cr_assert_geq(fault_each(encode_round, false), 11);
    cr_assert_eq(hs_live_count(store->live), SMALL_LIMITS.tracked);
    hs_recording_free(recording);
    hs_store_free(store, &FAKE_OPS, FAKE_ENV);
    cr_assert_eq(fake_outstanding(), 0);
}

static enum hs_status buffer_round(void) {
    struct hs_buffer buffer = {0};
    for (uint32_t i = 0; i < 200000; i++) {
        hs_buffer_u32(&buffer, i);
    }
    hs_buffer_align(&buffer);
    hs_buffer_patch_u32(&buffer, 0, 7);
    enum hs_status status = buffer.has_failed ? HS_NO_MEMORY : HS_OK;
    cr_assert_leq(buffer.length, buffer.capacity);
    hs_buffer_free(&buffer);
    return status;
}

Test(fault_encode, a_growing_buffer) {
    cr_assert_geq(fault_each(buffer_round, false), 4);
}
