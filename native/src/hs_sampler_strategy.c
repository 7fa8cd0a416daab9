/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* The part of hs_sampler.h that chooses among what the VM reports; doc/estimator.md, section 10. */
#include "hs_clock.h"
#include "hs_estimate.h"
#include "hs_sampler.h"

#define MAX_MEAN      ((uint64_t)INT32_MAX)
#define MAX_PERIOD_US ((uint64_t)3600 * 1000000)

static bool is_in_range(const struct hs_strategy *strategy) {
    switch (strategy->kind) {
    case HS_BY_BYTES: return true;
    case HS_BY_ALLOCATIONS: return strategy->amount >= 1 && strategy->amount <= MAX_MEAN;
    case HS_BY_TIME: return strategy->amount >= 1 && strategy->amount <= MAX_PERIOD_US;
    case HS_STRATEGY_COUNT: break;
    }
    return false;
}

enum hs_status hs_sampler_set_strategy(struct hs_sampler *sampler,
                                       const struct hs_strategy *strategy) {
    if (!is_in_range(strategy)) {
        return HS_INVALID;
    }
    sampler->strategy = *strategy;
    hs_cap_init(&sampler->cap, strategy->amount, (uint64_t)hs_clock_ns(CLOCK_MONOTONIC));
    return HS_OK;
}

/* The first sample of a thread is reached by bytes, with the interval of before. It is kept with the
 * chance that this gave it: so it stands for what the thread has allocated until then, of which the VM
 * reported nothing else. From then on the interval is 0, and every allocation comes here. */
static bool picks_by_count(const struct hs_sampler *sampler, struct hs_step *step,
                           uint32_t *drawn) {
    uint64_t mean = sampler->strategy.amount;
    bool is_picked = *drawn != 0;
    if (*drawn == 0) {
        if (step->gap == 0) {
            hs_step_draw_gap(step, mean);
        }
        is_picked = --step->gap == 0;
        *drawn = hs_estimate_drawn_by(1.0 / (double)mean);
    }
    if (is_picked) {
        hs_step_draw_gap(step, mean);
    }
    return is_picked;
}

/* Sampled at a shorter interval with the chance p, kept with q / p: so with q, as at the longer one. So a
 * longer interval holds for each thread at once, also for the step that it has drawn before. */
static bool picks_by_bytes(const struct hs_session *session, struct hs_step *step, uint64_t size,
                           uint32_t *drawn) {
    uint32_t wanted = session->interval;
    if (wanted <= *drawn) {
        return true;
    }
    double share = hs_estimate_probability(size, wanted) / hs_estimate_probability(size, *drawn);
    *drawn = wanted;
    return (double)hs_step_random(step) < share * 0x1p32;
}

bool hs_sampler_picks(const struct hs_sampler *sampler, const struct hs_session *session,
                      struct hs_step *step, uint64_t size, uint32_t *drawn) {
    return sampler->strategy.kind == HS_BY_ALLOCATIONS ? picks_by_count(sampler, step, drawn)
                                                       : picks_by_bytes(session, step, size, drawn);
}

bool hs_sampler_keeps(struct hs_sampler *sampler, int64_t now_us, uint64_t size, uint32_t *drawn,
                      enum hs_drop *cause) {
    if (sampler->strategy.kind != HS_BY_TIME) {
        return true;
    }
    double chance;
    enum hs_cap_answer answer = hs_cap_take(&sampler->cap, now_us, &chance);
    if (answer != HS_CAP_KEPT) {
        *cause = answer == HS_CAP_BURST ? HS_DROP_BURST : HS_DROP_CAPPED;
        return false;
    }
    *drawn = hs_estimate_drawn_by(hs_estimate_probability(size, *drawn) * chance);
    return true;
}
