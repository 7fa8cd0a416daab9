/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Threads add, some of them on the same line, while another reads: nothing is lost, and a sum that was
 * read never becomes less. */
#include "crew.h"
#include "hs_tally.h"

enum { ADDERS = 4, ROUNDS = 200000 };

static struct hs_tally tally;
static _Atomic int adders_left;

static void add(int number) {
    for (int i = 0; i < ROUNDS; i++) {
        hs_tally_add(&tally, (uint32_t)number / 2); /* two share a line */
    }
    adders_left--;
}

static void read_on(int number) {
    uint64_t last = 0;
    (void)number;
    while (adders_left > 0) {
        uint64_t sum = hs_tally_sum(&tally);
        HS_CHECK(sum >= last && sum <= (uint64_t)ADDERS * ROUNDS);
        last = sum;
    }
}

Test(stress_tally, nothing_is_lost) {
    crew_work *const works[] = {add, add, add, add, read_on};
    memset(&tally, 0, sizeof tally);
    adders_left = ADDERS;
    crew_each(ADDERS + 1, works);
    cr_assert_eq(hs_tally_sum(&tally), (uint64_t)ADDERS * ROUNDS);
}
