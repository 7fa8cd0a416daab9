/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* The part of hs_sampler.h that keeps the default recording within its budget. Other recordings have the
 * interval that they request. */
#include "hs_clock.h"
#include "hs_sampler_parts.h"

static uint64_t get(_Atomic uint64_t *counter) {
    return atomic_load_explicit(counter, memory_order_relaxed);
}

/* The time before its count: a sample that ends in between makes the mean cost smaller, never larger. */
static struct hs_governor_reading read_counters(struct hs_sampler *sampler) {
    return (struct hs_governor_reading){
        .now_us = hs_clock_monotonic_us(),
        .cpu_ns = (uint64_t)hs_clock_ns(CLOCK_PROCESS_CPUTIME_ID),
        .measured_ns = get(&sampler->intake.cost.total_ns),
        .measured = get(&sampler->intake.cost.count),
        .samples = hs_intake_seen(&sampler->intake),
    };
}

/* Is its interval the one by which samples are taken now? */
static bool is_in_force(struct hs_sampler *sampler, const struct hs_recording *recording) {
    const struct hs_session *session =
        atomic_load_explicit(&sampler->intake.session, memory_order_relaxed);
    return session != NULL && session->interval == hs_recording_interval(recording);
}

static void look(struct hs_sampler *sampler, struct hs_recording *recording,
                 const struct hs_governor_reading *now, bool may_shrink) {
    uint32_t interval = hs_governor_look(&sampler->governor, now, recording->interval,
                                         hs_holds_overhead(&sampler->holds));
    if (interval < recording->governed && !may_shrink) {
        interval = sampler->governor.interval = recording->governed;
    }
    recording->governed = interval;
}

void hs_sampler_govern(struct hs_sampler *sampler, bool may_shrink) {
    struct hs_recording *recording = hs_liveness_find(&sampler->liveness, sampler->default_handle);
    if (recording == NULL || !recording->is_accepting || recording->interval == 0) {
        return;
    }
    struct hs_governor_reading now = read_counters(sampler);
    if (recording->governed == 0) {
        hs_governor_begin(&sampler->governor, &now, recording->interval);
        recording->governed = recording->interval;
    } else if (is_in_force(sampler, recording)) {
        look(sampler, recording, &now, may_shrink);
    } else {
        hs_governor_skip(&sampler->governor, &now);
    }
}
