/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* A store whose generations follow each other, and samples whose stacks can be recognised by their content. */
#ifndef ROTATING_STORE_H
#define ROTATING_STORE_H

#include <stdio.h>

#include "hs_check.h"
#include "hs_rotation.h"
#include "small_store.h"

enum { ROTATING_DEPTH = 12 };

static const struct hs_limits ROTATING_LIMITS = {.depth = 16,
                                                 .tracked = 64,
                                                 .stacks = 128,
                                                 .names = 1024,
                                                 .sites = 128,
                                                 .threads = 64,
                                                 .dead = 8};

/* The stack number `stack`: its frames are those lines of one method; fewer and the mark, where one finds no room. */
static inline enum hs_status rotating_stack(struct hs_store *store, uint32_t stack,
                                            struct hs_stack_id *id) {
    struct hs_frame_id frames[ROTATING_DEPTH + 1];
    uint32_t count = 0;
    struct hs_frame frame = {.flags = HS_FRAME_JDK};
    bool is_whole;
    enum hs_status status = hs_names_put(store->names, "shop.Cart", 9, &frame.class_name);
    if (status == HS_OK) {
        status = hs_names_put(store->names, "add", 3, &frame.method);
    }
    for (; count < ROTATING_DEPTH && status == HS_OK; count += status == HS_OK) {
        frame.line = (int32_t)(stack * ROTATING_DEPTH + count);
        status = hs_frames_put_within(store->frames, store->limits.names, &frame, frame.class_name,
                                      &frames[count]);
    }
    if (status == HS_FULL) {
        frames[count++].number = HS_STACK_CUT;
    }
    return status == HS_NO_MEMORY
               ? status
               : hs_stacks_put_what_fits(store->stacks, frames, count, id, &is_whole);
}

/* How many frames of the stack number `stack` this one has; the mark is not counted, but -1: another stack. */
static inline int rotating_frames(const struct hs_store *store, struct hs_stack_id id,
                                  uint32_t stack) {
    uint32_t count;
    const struct hs_frame_id *frames = hs_stacks_get(store->stacks, id, &count);
    HS_CHECK(frames != NULL);
    count -= frames[count - 1].number == HS_STACK_CUT;
    for (uint32_t i = 0; i < count; i++) {
        const struct hs_frame *frame = hs_frames_get(store->frames, frames[i]);
        uint32_t bytes;
        HS_CHECK(memcmp(hs_names_text(store->names, frame->class_name, &bytes), "shop.Cart", 9) ==
                 0);
        HS_CHECK(hs_frames_raw_class(store->frames, frames[i]).number == frame->class_name.number);
        HS_CHECK(hs_frames_origin(store->frames, frames[i]) == HS_FRAME_JDK);
        if (frame->line != (int32_t)(stack * ROTATING_DEPTH + i)) {
            return -1;
        }
    }
    return (int)count;
}

/* A callback: a sample of a class at a stack, by a thread, with labels or NULL; answers the reference it tracks. */
static inline hs_ref rotating_sample_with(const struct hs_session *session, const char *class_name,
                                          uint32_t stack, int64_t thread, uint64_t size,
                                          struct hs_label_set *labels) {
    struct hs_store *store = session->store;
    bool is_large = size >= 8000; /* is never thinned; small ones always are when that is due */
    struct hs_event event = {.now_us = 1000,
                             .java_thread = thread,
                             .size = size,
                             .labels = labels,
                             .random = is_large ? 0 : UINT32_MAX};
    char name[16];
    struct hs_stack_id id;
    (void)hs_names_put(store->names, class_name, strlen(class_name), &event.class_name);
    if (!hs_session_match(session, &event) || rotating_stack(store, stack, &id) != HS_OK) {
        return 0;
    }
    int bytes = snprintf(name, sizeof name, "t%d", (int)thread);
    if (hs_threads_put(store->threads, thread, &event.thread) == HS_OK) {
        hs_threads_set_name(store->threads, event.thread, name, (size_t)bytes);
    }
    hs_session_count(session, &event, id);
    hs_ref ref = fake_ref();
    hs_ref back = hs_session_track(session, &event, ref);
    if (back != 0) {
        fake_release(FAKE_ENV, back);
    }
    return back == ref ? 0 : ref;
}

static inline hs_ref rotating_sample_of(const struct hs_session *session, const char *class_name,
                                        uint32_t stack, int64_t thread, uint64_t size) {
    return rotating_sample_with(session, class_name, stack, thread, size, NULL);
}

static inline hs_ref rotating_sample(const struct hs_session *session, uint32_t stack,
                                     int64_t thread, uint64_t size) {
    return rotating_sample_of(session, "shop.Order", stack, thread, size);
}

#endif
