/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* A sampler over the fake VM, and samples that it takes in. */
#ifndef RUNNING_SAMPLER_H
#define RUNNING_SAMPLER_H

#include "block.h"
#include "fake_intake.h"
#include "hs_clock.h"
#include "hs_mem.h"
#include "hs_sampler_parts.h"
#include "hs_thread_state.h"

static const struct hs_limits SAMPLER_LIMITS = {
    .depth = 16, .tracked = 256, .stacks = 64, .names = 64, .sites = 64, .threads = 16, .dead = 32};
static const struct hs_strategy SAMPLER_STRATEGY = {.kind = HS_BY_BYTES};
static const struct hs_vm_traits SAMPLER_TRAITS = {
    .collector = HS_Z, .born_old_bytes = 0, .feature = 21};

/* As a hold resumes the process-wide sampler. */
static inline enum hs_status sampler_resume(struct hs_sampler *sampler, struct hs_handle handle,
                                            uint32_t interval) {
    hs_lock_acquire(&sampler->control);
    enum hs_status status = hs_sampler_change_locked(sampler, handle, interval, true);
    hs_sampler_leave(sampler);
    return status;
}

/* One sampled allocation. Returns the reference that it leaves behind, or 0. */
static inline hs_ref callback(struct hs_sampler *sampler, const char *class_name, uint64_t size) {
    struct fake_report report = fake_report(&sampler->intake, class_name, size);
    return fake_take_in(&report);
}

static inline enum hs_status sampler_configure(struct hs_sampler *sampler,
                                               const struct hs_limits *limits,
                                               const struct hs_strategy *strategy,
                                               const struct hs_vm_traits *traits) {
    struct hs_config_version config_version = {0};
    enum hs_status status =
        hs_sampler_configure(sampler, FAKE_ENV, limits, strategy, traits, &config_version);
    cr_assert_eq(config_version.number > 0, status == HS_OK);
    return status;
}

static inline void sampler_begin(struct hs_sampler *sampler) {
    fake_reset();
    (void)hs_thread_state_current(); /* stays with this thread, not with the sampler */
    cr_assert_eq(hs_sampler_init(sampler, &FAKE_OPS), HS_OK);
    cr_assert_eq(sampler_configure(sampler, &SAMPLER_LIMITS, &SAMPLER_STRATEGY, &SAMPLER_TRAITS),
                 HS_OK);
    atomic_store(&sampler->intake.lookup.has_layout,
                 true); /* as on a VM that says how buffers are used */
}

static inline struct hs_handle sampler_open(struct hs_sampler *sampler, uint32_t interval,
                                            int64_t duration_us) {
    static const struct hs_filter ALL;
    struct hs_handle handle = {0};
    cr_assert_eq(hs_sampler_open(sampler, FAKE_ENV, sampler->config_version, &ALL, interval,
                                 duration_us, &handle),
                 HS_OK);
    cr_assert_gt(handle.number, 0);
    return handle;
}

#endif
