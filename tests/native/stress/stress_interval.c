/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* A control thread changes the interval while threads draw steps and ask with which. The VM's word is
 * ours. Each change is to the next number, so a step that was weighed with a wrong interval shows
 * which change that was. */
#include <sched.h>

#include "crew.h"
#include "hs_clock.h"
#include "hs_interval.h"
#include "hs_phaser.h"

enum { DRAWERS = 3, CHANGES = 20000, ROUNDS = 500, HASTY_CHANGES = 8, MOST_US = 1000000 };

static struct hs_interval interval;
static struct hs_phaser phaser;
static _Atomic uint32_t vm_word;
static _Atomic bool is_over;
static bool is_slow; /* the VM, which gives the others time for a whole change */

/* The VM's word is a plain one: nothing is ordered by it. */
static void set_interval(uint32_t bytes) {
    if (is_slow) {
        sched_yield();
    }
    atomic_store_explicit(&vm_word, bytes, memory_order_relaxed);
}

static const struct hs_ops OPS = {.set_interval = set_interval};

/* Draws a step, asks with which interval: the two numbers. */
static void draw(int number, uint32_t *drawn, uint32_t *told) {
    *drawn = atomic_load_explicit(&vm_word, memory_order_relaxed);
    uint32_t token = hs_phaser_enter(&phaser, (uint32_t)number);
    *told = hs_interval_drawn(&interval, &OPS);
    hs_phaser_exit(&phaser, token);
}

static void draw_on(int number) {
    uint32_t last_wrong = 0;
    while (!atomic_load_explicit(&is_over, memory_order_relaxed)) {
        uint32_t drawn, told;
        draw(number, &drawn, &told);
        uint32_t change = drawn > told ? drawn : told;
        HS_CHECK(drawn == told || change > last_wrong); /* once per change, and no more */
        last_wrong = drawn == told ? last_wrong : change;
    }
}

static void draw_in_disorder(int number) {
    uint32_t drawn, told;
    while (!atomic_load_explicit(&is_over, memory_order_relaxed)) {
        draw(number, &drawn, &told);
    }
}

static void change(int number) {
    int64_t end = hs_clock_monotonic_us() + MOST_US;
    (void)number;
    for (uint32_t i = 1; i <= CHANGES && hs_clock_monotonic_us() < end; i++) {
        hs_interval_change(&interval, i, &OPS);
        HS_CHECK(hs_interval_now(&interval) == i);
        HS_CHECK(hs_phaser_wait(&phaser, 30000000));
        if (i % 16 == 0) {
            sched_yield(); /* few processors: let the others draw */
        }
    }
    atomic_store_explicit(&is_over, true, memory_order_relaxed);
}

static void change_in_haste(int number) {
    (void)number;
    for (uint32_t i = 1; i <= HASTY_CHANGES; i++) {
        hs_interval_change(&interval, i, &OPS);
    }
    atomic_store_explicit(&is_over, true, memory_order_relaxed);
}

static void run(crew_work *drawer, crew_work *control) {
    crew_work *const works[DRAWERS + 1] = {drawer, drawer, drawer, control};
    memset(&phaser, 0, sizeof phaser);
    hs_interval_set(&interval, 0);
    vm_word = 0;
    is_over = false;
    crew_each(DRAWERS + 1, works);
    cr_assert_eq(vm_word, hs_interval_now(&interval), "the VM has the one in force");
    cr_assert_eq(hs_interval_before(&interval), hs_interval_now(&interval),
                 "and none is announced");
}

Test(stress_interval, a_thread_gets_a_wrong_one_at_most_once_per_change) {
    is_slow = false;
    run(draw_on, change);
}

/* No thread waits for callbacks to leave, so finishers of different changes meet. */
Test(stress_interval, after_changes_in_haste_the_vm_has_the_last_one) {
    int64_t end = hs_clock_monotonic_us() + MOST_US;
    is_slow = true;
    for (int round = 0; round < ROUNDS && hs_clock_monotonic_us() < end; round++) {
        run(draw_in_disorder, change_in_haste);
    }
}
