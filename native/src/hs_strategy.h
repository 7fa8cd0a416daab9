/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Strategy: how samples are chosen among those that the VM reports; doc/estimator.md, section 10. One holds for
 * all recordings. It can change while none is open. */
#ifndef HS_STRATEGY_H
#define HS_STRATEGY_H

#include <stdbool.h>
#include <stdint.h>

#include "hs_rate_limit.h"
#include "hs_status.h"
#include "hs_thread_state.h"

/* The numbers are pinned: they are in snapshots, and Java knows them as SamplingStrategy.Kind. */
enum hs_strategy_kind {
    HS_BY_BYTES = 0,       /* as the VM draws: each recording has its interval */
    HS_BY_ALLOCATIONS = 1, /* each allocation with the chance 1 / amount; the interval is 0 */
    HS_BY_TIME = 2,        /* by bytes, of these at most one per `amount` microseconds */
    HS_STRATEGY_COUNT = 3,
};

struct hs_strategy {
    enum hs_strategy_kind kind;
    uint64_t amount; /* for HS_BY_BYTES without meaning */
};

/* Is it one of these kinds, with an amount in its range? */
bool hs_strategy_is_valid(const struct hs_strategy *strategy);

/* The first question to a sample that the VM has reported: is it chosen, as far as allocations are counted, or the
 * `interval` in force is longer than that of its step? `*drawn` is the latter, and becomes what hs_estimate.h
 * wants. A sample that is not chosen counts nowhere.
 * Thread: Callback, after hs_thread_state_reach. */
bool hs_strategy_picks(const struct hs_strategy *strategy, uint32_t interval,
                       struct hs_thread_state *self, uint64_t size, uint32_t *drawn);

/* The last question, to a sample that a recording wants: is it kept, as far as samples are capped? `*drawn` as
 * above. If it is not kept, `*cause` is the reason; otherwise it does not change.
 * Thread: Callback. */
bool hs_strategy_keeps(const struct hs_strategy *strategy, struct hs_rate_limit *rate_limit,
                       int64_t now_us, uint64_t size, uint32_t *drawn, enum hs_drop *cause);

#endif
