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
 * number with one atomic addition. When a period is over, each thread that notices sets the end of the
 * next one and then tries to exchange the word; one succeeds. So nobody waits for anybody, and no thread
 * that loses the processor makes a period longer: its last candidates would weigh far too much.
 *
 * Orders: there are two ends, for odd and even periods. That of the next period is set before its word is
 * published (release) and read after the word was loaded (acquire): whoever sees a period sees its end,
 * or that of the one after the next, which is later and only keeps it from ending a period that is over
 * already. A thread that comes late sets no end, since its compare-and-swap expects one that is gone: what it
 * expects is read before it sees that the period has not ended (acquire, of what was set with release).
 * Taking a number is relaxed: the word carries everything. */
#ifndef HS_CAP_H
#define HS_CAP_H

#include <stdatomic.h>
#include <stdint.h>

struct hs_cap {
    uint64_t period_us; /* mean */
    uint64_t seed;
    _Atomic uint64_t word;      /* number of the period, m, candidates so far; see hs_cap.c */
    _Atomic int64_t ends_us[2]; /* of the even and the odd period, monotonic */
};

/* Thread: with no callback inside. */
void hs_cap_init(struct hs_cap *cap, uint64_t period_us, uint64_t seed);

/* Where number i is beyond so many times m, all from there on are kept in 1 of 17 periods at most: few bursts
 * may well be missed, and then nothing stands for them and no error tells it. */
enum { HS_CAP_EXPECTED = 16 };

enum hs_cap_answer {
    HS_CAP_KEPT,
    HS_CAP_REFUSED,
    HS_CAP_BURST /* refused, beyond HS_CAP_EXPECTED times m */
};

/* A candidate comes: is it kept, and with what chance was it? Lock-free, except that a number beyond
 * 2^31 in one period is never kept.
 * Thread: Callback. */
enum hs_cap_answer hs_cap_take(struct hs_cap *cap, int64_t now_us, double *chance);

#endif
