/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "crew.h"
#include "hs_lock.h"

enum { THREADS = 4, ROUNDS = 20000 };

static struct hs_lock control;
static struct hs_lock sweep;
static long under_control; /* plain: the lock is all that guards it */
static long under_sweep;
static _Atomic long tries_that_took;

static void count(int number) {
    (void)number;
    for (int i = 0; i < ROUNDS; i++) {
        hs_lock_acquire(&control);
        under_control++;
        hs_lock_acquire(&sweep);
        under_sweep++;
        hs_lock_release(&sweep);
        hs_lock_release(&control);
        hs_lock_acquire(&sweep);
        under_sweep++;
        hs_lock_release(&sweep);
    }
}

static void try(int number) {
    (void)number;
    for (int i = 0; i < ROUNDS; i++) {
        if (hs_lock_try(&control)) {
            under_control++;
            tries_that_took++;
            hs_lock_release(&control);
        }
    }
}

Test(stress_lock, only_one_is_inside) {
    crew_work *const works[] = {count, count, try, try};
    under_control = under_sweep = 0;
    tries_that_took = 0;
    cr_assert_eq(hs_lock_init(&control, HS_RANK_CONTROL), HS_OK);
    cr_assert_eq(hs_lock_init(&sweep, HS_RANK_SWEEP), HS_OK);
    crew_each(THREADS, works);
    cr_assert_eq(under_control, 2 * ROUNDS + tries_that_took);
    cr_assert_eq(under_sweep, 4 * ROUNDS);
    hs_lock_destroy(&control);
    hs_lock_destroy(&sweep);
}
