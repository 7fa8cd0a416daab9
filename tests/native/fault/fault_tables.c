/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* The tables, one by one: made, filled and freed with every allocation failing once. */
#include "fault.h"
#include "unit/small_store.h"

static char long_key[200000];

static enum hs_status intern_round(void) {
    hs_intern *table = (hs_intern *)16;
    enum hs_status status = hs_intern_new(100, &table);
    cr_assert_eq(table == NULL, status != HS_OK);
    for (uint32_t i = 0; status == HS_OK && i < 5; i++) {
        uint32_t id = 77;
        long_key[0] = (char)i;
        status = hs_intern_put(table, long_key, (uint32_t)sizeof long_key, &id); /* a chunk each */
        cr_assert_eq(id, status == HS_OK ? i + 1 : 0);
        cr_assert_eq(hs_intern_find(table, long_key, (uint32_t)sizeof long_key), id);
    }
    hs_intern_free(table);
    return status;
}

Test(fault_tables, intern) {
    cr_assert_eq(fault_each(intern_round, false), 3 + 5 + 1);
}

/* What failed for want of memory works once there is some: no room was lost for good. */
Test(fault_tables, an_intern_table_recovers) {
    hs_intern *table;
    uint32_t id;
    cr_assert_eq(hs_intern_new(2, &table), HS_OK);
    for (int i = 0; i < 10; i++) {
        hs_mem_fail_at(1);
        cr_assert_eq(hs_intern_put(table, "a", 1, &id), HS_NO_MEMORY);
        cr_assert_eq(id, 0);
    }
    cr_assert_eq(hs_intern_put(table, "a", 1, &id), HS_OK);
    cr_assert_eq(hs_intern_put(table, "b", 1, &id), HS_OK);
    hs_intern_free(table);
}

static enum hs_status frames_round(void) {
    hs_frames *frames = (hs_frames *)16;
    enum hs_status status = hs_frames_new(100, &frames);
    cr_assert_eq(frames == NULL, status != HS_OK);
    if (status == HS_OK) {
        struct hs_frame frame = {{1}, {2}, {3}, {4}, 5, 0};
        struct hs_frame_id id = {77};
        status = hs_frames_put(frames, &frame, (struct hs_name_id){9}, &id);
        cr_assert_eq(hs_frames_get(frames, id) == NULL, status != HS_OK);
    }
    hs_frames_free(frames);
    return status;
}

Test(fault_tables, frames) {
    cr_assert_geq(fault_each(frames_round, false), 6);
}

static enum hs_status methods_round(void) {
    hs_methods *methods = (hs_methods *)16;
    enum hs_status status = hs_methods_new(&methods);
    cr_assert_eq(methods == NULL, status != HS_OK);
    hs_methods_free(methods);
    return status;
}

Test(fault_tables, methods) {
    cr_assert_eq(fault_each(methods_round, false), 2);
}

static enum hs_status threads_round(void) {
    hs_threads *threads = (hs_threads *)16;
    enum hs_status status = hs_threads_new(100, &threads);
    cr_assert_eq(threads == NULL, status != HS_OK);
    if (status == HS_OK) {
        struct hs_thread_id id = {77};
        status = hs_threads_put(threads, 7, &id);
        cr_assert_eq(hs_threads_find(threads, 7).number, id.number);
        if (status == HS_OK) {
            hs_threads_set_name(threads, id, "main", 4);
            status = hs_threads_name(threads, id).number == 0 ? HS_NO_MEMORY
                                                              : HS_OK; /* it is nameless */
        }
    }
    hs_threads_free(threads);
    return status;
}

Test(fault_tables, threads) {
    cr_assert_geq(fault_each(threads_round, false), 6);
}

static enum hs_status classes_round(void) {
    hs_classes *classes = (hs_classes *)16;
    enum hs_status status = hs_classes_new(&classes);
    cr_assert_eq(classes == NULL, status != HS_OK);
    if (status == HS_OK) {
        hs_classes_free(classes);
    }
    return status;
}

static enum hs_status live_round(void) {
    hs_live *live = (hs_live *)16;
    enum hs_status status = hs_live_new(100, 0, 0, &live);
    cr_assert_eq(live == NULL, status != HS_OK);
    hs_live_free(live);
    return status;
}

static enum hs_status departed_round(void) {
    hs_dead_ring *dead_ring = (hs_dead_ring *)16;
    enum hs_status status = hs_dead_ring_new(100, &dead_ring);
    cr_assert_eq(dead_ring == NULL, status != HS_OK);
    hs_dead_ring_free(dead_ring);
    return status;
}

Test(fault_tables, classes_live_and_departed) {
    cr_assert_eq(fault_each(classes_round, false), 1);
    cr_assert_eq(fault_each(live_round, false), 2);
    cr_assert_eq(fault_each(departed_round, false), 1);
}

static enum hs_status totals_round(void) {
    hs_totals *totals = (hs_totals *)16;
    struct hs_weight weight = {1.0, 0.0, 24.0, 0.0};
    struct hs_total total;
    enum hs_status status = hs_totals_new(1000, 1, &totals);
    cr_assert_eq(totals == NULL, status != HS_OK);
    if (status == HS_OK) {
        status = hs_totals_add(totals, 0, 5, 24, &weight, NULL);
        cr_assert_eq(hs_totals_read(totals, 5, &total), status == HS_OK);
    }
    if (status == HS_OK) {
        status = hs_totals_add_death(totals, 500, 1000, 1, 1.0);
        struct hs_lifetimes lifetimes;
        cr_assert_eq(hs_totals_lifetimes(totals, 500, &lifetimes), status == HS_OK);
    }
    hs_totals_free(totals);
    return status;
}

Test(fault_tables, totals) {
    cr_assert_eq(fault_each(totals_round, false), 4);
}

static enum hs_status recording_round(void) {
    static const char *const CLASSES[] = {"shop.Cart", "byte[]"};
    static const int64_t THREADS[] = {1, 2, 3};
    struct hs_filter filter = {.threads = THREADS,
                               .thread_count = 3,
                               .classes = CLASSES,
                               .class_count = 2,
                               .packages = CLASSES,
                               .package_count = 1};
    struct hs_recording *recording = (struct hs_recording *)16;
    enum hs_status status = hs_recording_new(&filter, 100, 100, &recording);
    cr_assert_eq(recording == NULL, status != HS_OK);
    hs_recording_free(recording);
    return status;
}

Test(fault_tables, recording) {
    cr_assert_eq(fault_each(recording_round, false), 8);
}

static enum hs_status store_round(void) {
    struct hs_store *store = (struct hs_store *)16;
    enum hs_status status = hs_store_new(&SMALL_LIMITS, &store);
    cr_assert_eq(store == NULL, status != HS_OK);
    hs_store_free(store, &FAKE_OPS, FAKE_ENV);
    return status;
}

Test(fault_tables, store) {
    cr_assert_geq(fault_each(store_round, false), 15);
}
