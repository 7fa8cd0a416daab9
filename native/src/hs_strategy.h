/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Strategy: by what samples are chosen. One for all recordings; it can change while none is open. */
#ifndef HS_STRATEGY_H
#define HS_STRATEGY_H

#include <stdint.h>

/* The numbers are pinned: they stand in snapshots, and Java knows them as Strategy.Kind. */
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

#endif
