/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* A sampler over the fake VM, and what hs_vm.c does for it in a callback. */
#ifndef RUNNING_SAMPLER_H
#define RUNNING_SAMPLER_H

#include "block.h"
#include "fake_ops.h"
#include "hs_clock.h"
#include "hs_mem.h"
#include "hs_sampler.h"
#include "hs_step.h"

static const struct hs_limits SAMPLER_LIMITS = {
    .depth = 16, .tracked = 256, .stacks = 64, .names = 64, .sites = 64, .threads = 16, .dead = 32};
static const struct hs_strategy SAMPLER_STRATEGY = {.kind = HS_BY_BYTES};
static const struct hs_vm_traits SAMPLER_TRAITS = {
    .collector = HS_Z, .born_old_bytes = 0, .feature = 21};

/* As a hold resumes the process-wide sampler. */
static inline enum hs_status sampler_resume(struct hs_sampler *sampler, int32_t handle,
                                            uint32_t interval) {
    hs_lock_acquire(&sampler->control);
    enum hs_status status = hs_sampler_change_locked(sampler, handle, interval, true);
    hs_sampler_leave(sampler);
    return status;
}

static inline uint32_t callback_name(struct hs_store *store, const char *text) {
    uint32_t id;
    (void)hs_names_put(store->names, text, strlen(text), &id);
    return id;
}

/* The middle of a callback; answers the reference it leaves behind, or 0. */
static inline hs_ref callback_inside(struct hs_sampler *sampler, const struct hs_session *session,
                                     const char *class_name, uint64_t size) {
    struct hs_store *store = session->store;
    struct hs_step *step = hs_step_current();
    struct hs_event event = {
        .now_us = hs_clock_monotonic_us(),
        .java_thread = 7,
        .size = size,
        .drawn = step->interval,
        .class_name = callback_name(store, class_name),
        .random = hs_step_random(step),
        .birth = hs_epochs_now(&sampler->census.epochs),
    };
    uint32_t frame = 0;
    uint32_t stack = 0;
    if (!hs_session_match(session, &event)) {
        return 0;
    }
    if (hs_threads_put(store->threads, 7, &event.thread) == HS_OK) {
        hs_threads_set_name(store->threads, event.thread, "main", 4);
    }
    (void)hs_stacks_put(store->stacks, &frame, 1, &stack);
    hs_session_count(session, &event, stack);
    hs_ref ref = fake_ref();
    hs_ref back = hs_session_track(session, &event, ref);
    if (back != 0) {
        fake_release(FAKE_ENV, back);
    }
    return back == ref ? 0 : ref;
}

/* One sampled allocation. */
static inline hs_ref callback(struct hs_sampler *sampler, const char *class_name, uint64_t size) {
    hs_ref ref = 0;
    struct hs_step *step = hs_step_current();
    uint32_t token = hs_phaser_enter(&sampler->intake.phaser, step->stripe);
    const struct hs_session *session =
        atomic_load_explicit(&sampler->intake.session, memory_order_seq_cst);
    if (session != NULL) {
        ref = callback_inside(sampler, session, class_name, size);
    }
    hs_phaser_exit(&sampler->intake.phaser, token);
    return ref;
}

static inline enum hs_status sampler_configure(struct hs_sampler *sampler,
                                               const struct hs_limits *limits,
                                               const struct hs_strategy *strategy,
                                               const struct hs_vm_traits *traits) {
    int32_t terms = 0;
    enum hs_status status =
        hs_sampler_configure(sampler, FAKE_ENV, limits, strategy, traits, &terms);
    cr_assert_eq(terms > 0, status == HS_OK);
    return status;
}

static inline void sampler_begin(struct hs_sampler *sampler) {
    fake_reset();
    (void)hs_step_current(); /* stays with this thread, not with the sampler */
    cr_assert_eq(hs_sampler_init(sampler, &FAKE_OPS), HS_OK);
    cr_assert_eq(sampler_configure(sampler, &SAMPLER_LIMITS, &SAMPLER_STRATEGY, &SAMPLER_TRAITS),
                 HS_OK);
    atomic_store(&sampler->intake.lookup.has_layout,
                 true); /* as on a VM that says how buffers are used */
}

static inline int32_t sampler_open(struct hs_sampler *sampler, uint32_t interval,
                                   int64_t duration_us) {
    static const struct hs_filter ALL;
    int32_t handle = 0;
    cr_assert_eq(
        hs_sampler_open(sampler, FAKE_ENV, sampler->terms, &ALL, interval, duration_us, &handle),
        HS_OK);
    cr_assert_gt(handle, 0);
    return handle;
}

#endif
