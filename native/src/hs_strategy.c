/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_strategy.h"

#include "hs_estimate.h"

#define MAX_MEAN      ((uint64_t)INT32_MAX)
#define MAX_PERIOD_US ((uint64_t)3600 * 1000000)

bool hs_strategy_is_valid(const struct hs_strategy *strategy) {
    switch (strategy->kind) {
    case HS_BY_BYTES: return true;
    case HS_BY_ALLOCATIONS: return strategy->amount >= 1 && strategy->amount <= MAX_MEAN;
    case HS_BY_TIME: return strategy->amount >= 1 && strategy->amount <= MAX_PERIOD_US;
    case HS_STRATEGY_COUNT: break;
    }
    return false;
}

/* The first sample of a thread is reached by bytes, with the interval of before. It is kept with the
 * chance that this gave it: so it stands for what the thread has allocated until then, of which the VM
 * reported nothing else. From then on the interval is 0, and every allocation comes here. */
static bool picks_by_count(uint64_t mean, struct hs_thread_state *self, uint32_t *drawn) {
    bool is_picked = *drawn != 0;
    if (*drawn == 0) {
        if (self->gap == 0) {
            hs_thread_state_draw_gap(self, mean);
        }
        is_picked = --self->gap == 0;
        *drawn = hs_estimate_drawn_by(1.0 / (double)mean);
    }
    if (is_picked) {
        hs_thread_state_draw_gap(self, mean);
    }
    return is_picked;
}

/* Sampled at a shorter interval with the chance p, kept with q / p: so with q, as at the longer one. So a
 * longer interval holds for each thread at once, also for the step that it has drawn before. */
static bool picks_by_bytes(uint32_t wanted, struct hs_thread_state *self, uint64_t size,
                           uint32_t *drawn) {
    if (wanted <= *drawn) {
        return true;
    }
    double share = hs_estimate_probability(size, wanted) / hs_estimate_probability(size, *drawn);
    *drawn = wanted;
    return (double)hs_thread_state_random(self) < share * 0x1p32;
}

bool hs_strategy_picks(const struct hs_strategy *strategy, uint32_t interval,
                       struct hs_thread_state *self, uint64_t size, uint32_t *drawn) {
    return strategy->kind == HS_BY_ALLOCATIONS ? picks_by_count(strategy->amount, self, drawn)
                                               : picks_by_bytes(interval, self, size, drawn);
}

bool hs_strategy_keeps(const struct hs_strategy *strategy, struct hs_rate_limit *rate_limit,
                       int64_t now_us, uint64_t size, uint32_t *drawn, enum hs_drop *cause) {
    if (strategy->kind != HS_BY_TIME) {
        return true;
    }
    double chance;
    enum hs_rate_limit_answer answer = hs_rate_limit_take(rate_limit, now_us, &chance);
    if (answer != HS_RATE_LIMIT_KEPT) {
        *cause = answer == HS_RATE_LIMIT_BURST ? HS_DROP_BURST : HS_DROP_CAPPED;
        return false;
    }
    *drawn = hs_estimate_drawn_by(hs_estimate_probability(size, *drawn) * chance);
    return true;
}
