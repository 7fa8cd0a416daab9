/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Cap: at most one candidate per period is kept, each with a chance that is known.
 *
 * Time is cut into periods of random length, from half to one and a half of what was asked for. The
 * candidates of a period are numbered 1, 2, ... as they come, and which number will be kept is drawn
 * before the first comes: J, with P(J > i) = m / (m + i), where m follows from how many came in the
 * periods before. So candidate i is kept with m / ((m + i - 1) (m + i)), which is more than 0 for every
 * i and depends on nothing that the program does in this period: not on which objects these are, nor
 * on the time between them. (doc/estimator.md, section 10, has what that costs and what else was
 * tried.)
 *
 * All state that a candidate needs is one word, from which J follows by a hash; a candidate takes its
 * number with one atomic addition. When a period is over, the first to notice claims the word
 * (ROLLING), sets the end of the next period and publishes its word. Whoever comes meanwhile belongs
 * to the old period.
 *
 * Orders: `end_us` is written between the claim (acquire) and the publication (release), and read after
 * an acquiring load of the word: whoever sees a period sees an end at least as new. An end that is newer
 * than the word only keeps a thread from ending a period that is over already. Taking a number is
 * relaxed: the word carries everything. */
#ifndef HS_CAP_H
#define HS_CAP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct hs_cap {
    uint64_t period_us; /* mean */
    uint64_t seed;
    _Atomic uint64_t word;  /* number of the period, ROLLING, m, candidates so far; see hs_cap.c */
    _Atomic int64_t end_us; /* of the period, monotonic */
};

/* Thread: with no callback inside. */
void hs_cap_init(struct hs_cap *cap, uint64_t period_us, uint64_t seed);

/* A candidate comes: is it kept, and with what chance was it? Lock-free, except that a number beyond
 * 2^31 in one period is never kept.
 * Thread: Callback. */
bool hs_cap_take(struct hs_cap *cap, int64_t now_us, double *chance);

#endif
