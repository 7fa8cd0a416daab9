/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Signals from everywhere while the thread starts and stops. */
#include "crew.h"
#include "hs_mem.h"
#include "hs_sweeper.h"
#include "unit/fake_ops.h"
#include "unit/poll.h"

enum { ROUNDS = 150 };

enum { PATIENCE_US = 100000000 };

static struct hs_sweeper sweeper;
static _Atomic bool is_over;
static int worked; /* plain: there is one sweeper at a time, and stop joins it */

static void work(void *context, void *env) {
    HS_CHECK(env == FAKE_ENV);
    ++*(int *)context;
}

static void wake(int number) {
    (void)number;
    while (!is_over) {
        hs_sweeper_wake(&sweeper);
        sched_yield();
    }
}

static void start_and_stop(int number) {
    (void)number;
    for (int i = 0; i < ROUNDS; i++) {
        uint64_t before = sweeper.rounds;
        HS_CHECK(hs_sweeper_start(&sweeper, &FAKE_OPS, work, &worked, PATIENCE_US) == HS_OK);
        HS_CHECK(i % 3 != 0 || POLL(sweeper.rounds > before + 1));
        hs_sweeper_stop(&sweeper, PATIENCE_US);
        HS_CHECK((uint64_t)worked == sweeper.rounds);
    }
    is_over = true;
}

Test(stress_sweeper, one_thread_at_a_time_and_none_in_the_end) {
    crew_work *const works[] = {wake, wake, start_and_stop};
    fake_reset();
    memset(&sweeper, 0, sizeof sweeper);
    is_over = false;
    worked = 0;
    size_t before = hs_mem_used();
    crew_each(3, works);
    cr_assert_eq(fake.attaches, ROUNDS);
    cr_assert_eq(fake.attached, 0);
    cr_assert_eq(hs_mem_used(), before);
}
