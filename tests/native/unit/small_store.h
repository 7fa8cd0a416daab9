/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* A small store with recordings over it, and events as a callback would make them. */
#ifndef SMALL_STORE_H
#define SMALL_STORE_H

#include <criterion/criterion.h>
#include <string.h>

#include "fake_ops.h"
#include "hs_session.h"

static const struct hs_limits SMALL_LIMITS = {
    .depth = 16, .tracked = 64, .stacks = 32, .names = 64, .sites = 8, .threads = 4, .dead = 4};

static inline struct hs_store *small_store(void) {
    struct hs_store *store;
    cr_assert_eq(hs_store_new(&SMALL_LIMITS, &store), HS_OK);
    return store;
}

static inline struct hs_name_id small_name(struct hs_store *store, const char *text) {
    struct hs_name_id id;
    cr_assert_eq(hs_names_put(store->names, text, strlen(text), &id), HS_OK);
    return id;
}

/* The stack of one frame whose line tells it from others; the class and method stay. */
static inline struct hs_stack_id small_stack(struct hs_store *store, int32_t line) {
    struct hs_frame frame = {.class_name = small_name(store, "shop.Cart"),
                             .method = small_name(store, "add"),
                             .descriptor = small_name(store, "()V"),
                             .file = small_name(store, "Cart.java"),
                             .line = line};
    struct hs_frame_id frame_id;
    struct hs_stack_id stack;
    cr_assert_eq(hs_frames_put(store->frames, &frame, frame.class_name, &frame_id), HS_OK);
    cr_assert_eq(hs_stacks_put(store->stacks, &frame_id, 1, &stack), HS_OK);
    return stack;
}

static inline struct hs_recording *small_recording(const struct hs_store *store, uint32_t place,
                                                   const struct hs_filter *filter) {
    static const struct hs_filter EVERYTHING_WANTED;
    struct hs_recording *recording;
    cr_assert_eq(hs_recording_new(filter == NULL ? &EVERYTHING_WANTED : filter, store->limits.sites,
                                  store->limits.threads, &recording),
                 HS_OK);
    recording->bit = UINT64_C(1) << place;
    recording->handle = (struct hs_handle){(int32_t)place + 1};
    return recording;
}

/* Sampled for sure (interval 0), so that it weighs 1. */
static inline struct hs_event small_event(struct hs_store *store, const char *class_name,
                                          int64_t java_thread, uint64_t size) {
    struct hs_event event = {
        .now_us = 1000, .java_thread = java_thread, .size = size, .random = UINT32_MAX};
    event.class_name = small_name(store, class_name);
    if (hs_threads_put(store->threads, java_thread, &event.thread) == HS_OK) {
        hs_threads_set_name(store->threads, event.thread, "main", 4);
    }
    return event;
}

static inline uint64_t small_drops(const struct hs_recording *recording) {
    uint64_t sum = 0;
    for (int i = 0; i < HS_DROP_COUNT; i++) {
        sum += recording->drops[i];
    }
    return sum;
}

static inline struct hs_total small_total(const hs_totals *totals, uint32_t max_id) {
    struct hs_total sum = {0};
    for (uint32_t id = 0; id <= max_id; id++) {
        struct hs_total total;
        if (hs_totals_read(totals, id, &total)) {
            sum.samples += total.samples;
            sum.sampled_bytes += total.sampled_bytes;
            sum.weight.objects += total.weight.objects;
            sum.weight.bytes += total.weight.bytes;
        }
    }
    return sum;
}

#endif
