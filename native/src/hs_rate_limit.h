/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Rate limit: keeps at most one candidate per period, each with a known chance.
 *
 * Time is cut into periods of random length, from half to one and a half of the wanted period. The candidates of
 * a period are numbered 1, 2, ... as they come. J, the number that will be kept, is drawn before the first one
 * comes, with P(J > i) = m / (m + i), where m follows from how many came in the periods before. So candidate i is
 * kept with the chance m / ((m + i - 1) (m + i)). This is above 0 for every i, and it depends on nothing that the
 * program does in this period: neither on the objects nor on the time between them. doc/estimator.md, section 10,
 * says what that costs and what else was tried.
 *
 * All that a candidate needs is in one word, from which J follows by a hash. A candidate takes its number with
 * one atomic addition. When a period is over, each thread that notices it sets the end of the next one and then
 * tries to exchange the word; one thread succeeds. So no thread waits for another, and a thread that loses the
 * processor does not make a period longer: the last candidates would weigh far too much.
 *
 * Orders: there are two ends, for odd and for even periods. A thread sets the end of the next period before it
 * publishes its word (release), and reads an end after it has loaded the word (acquire). So a thread that sees a
 * period sees its end, or the end of the period after the next one. That is later, and only prevents it from
 * ending a period that is over already. A late thread sets no end: its compare-and-swap expects an end that is
 * gone, because it reads what it expects before it sees that the period has not ended (acquire, of the value set
 * with release). Taking a number is relaxed, since the word carries everything. */
#ifndef HS_RATE_LIMIT_H
#define HS_RATE_LIMIT_H

#include <stdatomic.h>
#include <stdint.h>

struct hs_rate_limit {
    uint64_t period_us; /* mean */
    uint64_t seed;
    _Atomic uint64_t word; /* number of the period, m, candidates so far; see hs_rate_limit.c */
    _Atomic int64_t ends_us[2]; /* of the even and the odd period, monotonic */
};

/* Thread: with no callback inside. */
void hs_rate_limit_init(struct hs_rate_limit *rate_limit, uint64_t period_us, uint64_t seed);

/* Where number i is beyond this many times m, all from there on are kept in 1 of 17 periods at most: few bursts
 * may well be missed, and then nothing stands for them and no error tells it. */
enum { HS_RATE_LIMIT_EXPECTED = 16 };

enum hs_rate_limit_answer {
    HS_RATE_LIMIT_KEPT,
    HS_RATE_LIMIT_REFUSED,
    HS_RATE_LIMIT_BURST /* refused, beyond HS_RATE_LIMIT_EXPECTED times m */
};

/* A candidate comes: is it kept, and with what chance was it? Lock-free, except that a number beyond
 * 2^31 in one period is never kept.
 * Thread: Callback. */
enum hs_rate_limit_answer hs_rate_limit_take(struct hs_rate_limit *rate_limit, int64_t now_us,
                                             double *chance);

#endif
