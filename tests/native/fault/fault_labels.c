/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Labels without memory: a set is added whole or not at all, a sample counts even if its labels are lost, and a
 * rotation or a snapshot succeeds or says so. */
#include "fault.h"
#include "hs_encode.h"
#include "hs_rotation.h"
#include "unit/labelled.h"
#include "unit/rotating_store.h"

static enum hs_status set_round(void) {
    char bytes[LABELLED_BYTES];
    uint64_t word = 77;
    uint32_t count = labelled_bytes(1, bytes);
    enum hs_status status = hs_label_sets_add(&labelled_phaser, bytes, count, 1, &word);
    cr_assert_eq(word == 0, status != HS_OK);
    cr_assert_eq(labelled_is(hs_label_sets_find(word), 1), status == HS_OK);
    (void)hs_label_sets_remove(&labelled_phaser, word);
    cr_assert_eq(hs_label_sets_count(), 0);
    return status;
}

Test(fault_labels, a_set) {
    cr_assert_eq(fault_each(set_round, false), 1);
}

static enum hs_status table_round(void) {
    hs_labels *labels = (hs_labels *)16;
    char bytes[LABELLED_BYTES];
    enum hs_status status = hs_labels_new(&labels);
    cr_assert_eq(labels == NULL, status != HS_OK);
    for (uint32_t i = 1; status == HS_OK && i < 2000; i++) {
        struct hs_label_id id = {77};
        status = hs_labels_put(labels, bytes, labelled_bytes(i, bytes), &id);
        cr_assert_eq(id.number == 0, status != HS_OK);
    }
    cr_assert(labels == NULL || hs_labels_is_valid(labels));
    hs_labels_free(labels);
    return status;
}

Test(fault_labels, a_table) {
    cr_assert_geq(fault_each(table_round, false), 8);
}

enum { SETS = 4, STACKS = 12 };

static uint64_t words[SETS];

static uint64_t samples_in(const struct hs_session *session, const struct hs_recording *recording) {
    uint64_t samples = 0;
    for (int generation = 0; generation < 2; generation++) {
        samples +=
            small_total(recording->sums[generation].sites.totals, session->store->limits.sites)
                .samples;
    }
    return samples;
}

static void sample_all(const struct hs_session *session) {
    for (uint32_t i = 0; i < SETS * STACKS; i++) {
        hs_ref ref = rotating_sample_with(session, "shop.Order", i / SETS, 5, 24,
                                          hs_label_sets_find(words[i % SETS]));
        if (ref != 0) {
            fake_clear(ref);
        }
    }
}

static enum hs_status rotate(struct hs_session *session, struct hs_recording *const *recordings) {
    struct hs_store *next = NULL;
    enum hs_status status = hs_store_new_generation(session->store, &next);
    if (status != HS_OK) {
        return status;
    }
    if (!hs_rotation_prepare(next, recordings)) {
        hs_store_drop_generation(next);
        return HS_NO_MEMORY;
    }
    session->store = next;
    bool is_moved = hs_rotation_move_last(next, recordings);
    if (is_moved) {
        hs_rotation_end(next, recordings, &FAKE_OPS, FAKE_ENV);
    }
    return is_moved ? HS_OK : HS_NO_MEMORY;
}

static enum hs_status take_snapshot(const struct hs_session *session) {
    struct hs_buffer buffer = {0};
    struct hs_epochs epochs;
    hs_epochs_init(&epochs, HS_Z, 0);
    struct hs_view view = {
        .store = session->store, .recording = session->recordings[0], .epochs = &epochs};
    enum hs_status status = hs_encode(&view, &buffer);
    hs_buffer_free(&buffer);
    return status;
}

static enum hs_status session_round(void) {
    static const struct hs_filter ALL;
    struct hs_session session = {.count = 0};
    struct hs_recording *recordings[HS_MAX_RECORDINGS] = {NULL};
    enum hs_status status = hs_store_new(&ROTATING_LIMITS, &session.store);
    if (status == HS_OK) {
        status =
            hs_recording_new(&ALL, ROTATING_LIMITS.sites, ROTATING_LIMITS.threads, &recordings[0]);
    }
    if (status == HS_OK) {
        recordings[0]->bit = 1;
        session.recordings[session.count++] = recordings[0];
        sample_all(&session);
        for (uint32_t i = 0; i < HS_MAX_LABELS; i++) { /* then the next generation is due */
            char bytes[LABELLED_BYTES];
            struct hs_label_id id;
            (void)hs_labels_put(session.store->labels, bytes, labelled_bytes(i, bytes), &id);
        }
        uint64_t taken = hs_tally_sum(&recordings[0]->samples);
        status = rotate(&session, recordings);
        cr_assert_eq(samples_in(&session, recordings[0]), taken);
        enum hs_status encoded = take_snapshot(&session);
        status = status == HS_OK ? encoded : status;
    }
    hs_recording_free(recordings[0]);
    hs_store_free(session.store, &FAKE_OPS, FAKE_ENV);
    return status;
}

Test(fault_labels, samples_a_rotation_and_a_snapshot) {
    fake_reset();
    for (uint32_t i = 0; i < SETS; i++) {
        words[i] = labelled_add(i);
    }
    cr_assert_geq(fault_each(session_round, true), 60);
    for (uint32_t i = 0; i < SETS; i++) {
        (void)hs_label_sets_remove(&labelled_phaser, words[i]);
    }
}
