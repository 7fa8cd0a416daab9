/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Governor: the sampling interval that keeps the cost of sampling within a budget.
 *
 * The budget is a share of the processor time of the process. The cost is the number of samples times the
 * mean cost of a sample, of which some are measured (hs_cost.h). For small objects the number of samples is
 * inversely proportional to the interval, so an interval that is n times as large costs an n-th.
 *
 * Pure arithmetic: the caller reads counters and passes them in. A look is skipped until a window of time
 * is complete, which needs both HS_GOVERNOR_WINDOW_US and HS_GOVERNOR_CPU_NS: an idle process has long
 * windows, so three samples are no reason to change anything. Beside the last window there is a sum of cost
 * and processor time that forgets: with each window, an eighth of it goes.
 *
 *   the last window above the budget:          the interval grows at once, to where it uses 0.6 of the budget
 *   window and sum below 0.3 of the budget:    the interval shrinks, by a factor of 2 at most
 *   between:                                   it stays
 *
 * Sampling is most expensive at its start, when each stack is new. So there is an allowance: for the first minute,
 * a window above the budget at the requested interval changes nothing while the cost above the budget, of all such
 * windows, is no more than the budget of 10 s of processor time (at 1 %: 100 ms). It exists once: a restart does not
 * renew it.
 *
 * The distance between 0.3 and 1 exceeds the factor of 2, so that a steady load settles. The sum keeps short
 * pauses of a load from being taken for its end.
 *
 * Estimates stay unbiased: the interval depends on earlier samples alone, and each sample is weighed with
 * the interval that it was drawn with. */
#ifndef HS_GOVERNOR_H
#define HS_GOVERNOR_H

#include <stdint.h>

#define HS_GOVERNOR_LONGEST   ((uint32_t)64 << 20) /* bytes; no larger interval unless requested */
#define HS_GOVERNOR_WINDOW_US 400000
#define HS_GOVERNOR_CPU_NS    UINT64_C(50000000)

/* The allowance: how long it exists, and the processor time whose budget it is. */
#define HS_GOVERNOR_START_US     60000000
#define HS_GOVERNOR_START_CPU_NS 1e10

/* Shares are in parts per million. */
#define HS_WHOLE_SHARE 1000000u

/* Counters since any moment; none ever falls. */
struct hs_governor_reading {
    int64_t now_us;       /* monotonic */
    uint64_t cpu_ns;      /* processor time of the process */
    uint64_t samples;     /* taken */
    uint64_t measured;    /* of these, those whose cost is known */
    uint64_t measured_ns; /* their cost */
};

struct hs_governor {
    uint32_t interval;               /* the result, in bytes */
    struct hs_governor_reading last; /* at the end of the last window */
    double cost_ns;                  /* the sum */
    double cpu_ns;
    double measured; /* of the latest samples, 128 at most, for their mean cost */
    double measured_ns;
    /* These two outlast hs_governor_begin. */
    int64_t first_us;  /* when the first one began; 0: none yet */
    double allowed_ns; /* of the allowance, the part that is used */
};

/* Forgets everything but the allowance; the interval is the requested one. Before the first call, all of
 * `governor` is 0. */
void hs_governor_begin(struct hs_governor *governor, const struct hs_governor_reading *now,
                       uint32_t asked);

/* Leaves out what happened since the last call: another interval was in force. */
void hs_governor_skip(struct hs_governor *governor, const struct hs_governor_reading *now);

/* One look. Returns the interval from now on: never below `asked`, never above HS_GOVERNOR_LONGEST or
 * `asked`, whichever is larger. `budget`: more than 0, in parts per million; the whole is none, and gives
 * `asked`.
 * Thread: one at a time. */
uint32_t hs_governor_look(struct hs_governor *governor, const struct hs_governor_reading *now,
                          uint32_t asked, uint32_t budget);

/* The share of the processor time that sampling took lately, in parts per million; 0 while unknown. */
uint32_t hs_governor_share(const struct hs_governor *governor);

#endif
