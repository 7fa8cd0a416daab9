/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Waiting in tests: for a condition with a deadline, never for a time and luck. */
#ifndef TEST_POLL_H
#define TEST_POLL_H

#include <sched.h>

#include "hs_clock.h"

/* Polls `condition` for at most `timeout_us`; its last value is the answer. */
#define POLL_FOR(timeout_us, condition)                                              \
    __extension__({                                                                  \
        int64_t poll_end_ = hs_clock_monotonic_us() + (timeout_us);                  \
        _Bool poll_done_;                                                            \
        while (!(poll_done_ = (condition)) && hs_clock_monotonic_us() < poll_end_) { \
            sched_yield();                                                           \
        }                                                                            \
        poll_done_;                                                                  \
    })

/* What must come: a minute is for a machine under load. */
#define POLL(condition) POLL_FOR(60000000, condition)

/* What must not come: its absence is watched for a while. Can miss a fault, never find a false one. */
#define STAYS_FALSE(condition) (!POLL_FOR(20000, condition))

#endif
