/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include <criterion/criterion.h>

#include "hs_interval.h"

/* The VM: its own word, how often it was set, and a callback that arrives while a control thread is
 * telling it, that is: when the change was announced and has not been finished. */
static struct hs_interval interval;
static uint32_t vm_word;
static int told;
static bool is_interrupted;
static uint32_t drawn_meanwhile[2];
static uint32_t changed_meanwhile;

static void set_interval(uint32_t bytes);
static const struct hs_ops OPS = {.set_interval = set_interval};

static void set_interval(uint32_t bytes) {
    told++;
    if (is_interrupted) {
        is_interrupted = false;
        drawn_meanwhile[0] = hs_interval_drawn(&interval, &OPS);
        cr_expect_eq(vm_word, bytes, "the callback has told the VM itself");
        drawn_meanwhile[1] = hs_interval_drawn(&interval, &OPS);
    }
    if (changed_meanwhile != 0) {
        uint32_t newer = changed_meanwhile;
        changed_meanwhile = 0;
        hs_interval_change(&interval, newer, &OPS);
        cr_expect_eq(vm_word, newer);
    }
    vm_word = bytes;
}

static void begin(uint32_t bytes) {
    hs_interval_set(&interval, bytes);
    vm_word = bytes;
    told = 0;
    is_interrupted = false;
    changed_meanwhile = 0;
}

Test(interval, without_a_change_steps_are_drawn_with_the_one_in_force_and_the_vm_is_not_called) {
    begin(1000);

    cr_expect_eq(hs_interval_now(&interval), 1000);
    cr_expect_eq(hs_interval_before(&interval), 1000);
    cr_expect_eq(hs_interval_drawn(&interval, &OPS), 1000);
    cr_expect_eq(told, 0);
}

Test(interval, change_tells_the_vm_once) {
    begin(1000);

    hs_interval_change(&interval, 20, &OPS);

    cr_expect_eq(vm_word, 20);
    cr_expect_eq(told, 1);
    cr_expect_eq(hs_interval_now(&interval), 20);
    cr_expect_eq(hs_interval_before(&interval), 20);
    cr_expect_eq(hs_interval_drawn(&interval, &OPS), 20);
    cr_expect_eq(told, 1);
}

Test(interval, change_to_the_same_is_none) {
    begin(1000);

    hs_interval_change(&interval, 1000, &OPS);

    cr_expect_eq(told, 0);
}

Test(interval, zero_and_the_largest_are_intervals_like_others) {
    begin(0);

    hs_interval_change(&interval, INT32_MAX, &OPS);
    cr_expect_eq(hs_interval_drawn(&interval, &OPS), INT32_MAX);
    hs_interval_change(&interval, 0, &OPS);
    cr_expect_eq(hs_interval_drawn(&interval, &OPS), 0);
    cr_expect_eq(vm_word, 0);
}

/* However long the control thread is away: one step is taken for an old one, then all are new. */
Test(interval, callback_finishes_a_change_that_was_announced) {
    begin(1000);
    is_interrupted = true;

    hs_interval_change(&interval, 20, &OPS);

    cr_expect_eq(drawn_meanwhile[0], 1000);
    cr_expect_eq(drawn_meanwhile[1], 20);
    cr_expect_eq(vm_word, 20);
    cr_expect_eq(told, 2);
    cr_expect_eq(hs_interval_now(&interval), 20);
    cr_expect_eq(hs_interval_before(&interval), 20);
}

/* A callback that is about to tell the VM while the next change runs from beginning to end. */
Test(interval, finisher_that_comes_too_late_puts_the_vm_right_again) {
    begin(1000);
    atomic_store(&interval.word, (uint64_t)1000 << 32 | 20);
    changed_meanwhile = 50;

    cr_expect_eq(hs_interval_drawn(&interval, &OPS), 1000);

    cr_expect_eq(vm_word, 50);
    cr_expect_eq(hs_interval_now(&interval), 50);
    cr_expect_eq(hs_interval_before(&interval), 50);
}
