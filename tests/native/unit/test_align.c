/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* By hand what is easily said, and at the limits; test_align_all.c tries all cuts of small ones. */
#include "hs_align.h"

#include <criterion/criterion.h>
#include <string.h>

enum { MAX = HS_ALIGN_MAX };

static struct hs_align scratch;
static struct hs_align_item items[MAX];
static struct hs_java_frame frames[MAX];
static uintptr_t methods[MAX];
static struct hs_span spans[MAX];
static struct hs_align_problem problem;

/* A method is a letter; frame i has the bytecode index i. */
static void set_frames(const char *letters) {
    memset(items, 0, sizeof items);
    memset(spans, 0xAA, sizeof spans);
    problem = (struct hs_align_problem){.items = items, .frames = frames, .methods = methods};
    problem.frame_count = (uint32_t)strlen(letters);
    for (uint32_t i = 0; i < problem.frame_count; i++) {
        uintptr_t method = (uintptr_t)letters[i];
        frames[i] = (struct hs_java_frame){method * 8, (int32_t)i, {i}};
        methods[i] = method;
    }
}

static void add_item(char root, bool is_single) {
    items[problem.item_count++] =
        (struct hs_align_item){.root = (uintptr_t)root, .is_single = is_single};
}

/* Stands for `count` frames, as they are at `first`. */
static void add_known(uint32_t first, uint32_t count) {
    struct hs_align_item *item = &items[problem.item_count++];
    *item = (struct hs_align_item){.run = &frames[first], .count = count};
    item->root = methods[first + count - 1];
}

static bool solve(void) {
    return hs_align(&scratch, &problem, spans);
}

static void check_span(uint32_t i, uint32_t begin, uint32_t end) {
    cr_assert(spans[i].begin == begin && spans[i].end == end, "item %u: %u to %u", i,
              spans[i].begin, spans[i].end);
}

static void check_open(uint32_t i) {
    check_span(i, 0, 0);
}

Test(align, a_run_ends_with_its_root) {
    set_frames("abcde");
    add_item('b', false);
    add_item('e', false);
    cr_assert(solve());
    check_span(0, 0, 2);
    check_span(1, 2, 5);
}

Test(align, a_run_of_which_two_ends_are_possible_stays_open) {
    set_frames("abcbd");
    add_item('b', false);
    add_item('d', false);
    cr_assert(solve());
    check_open(0);
    check_open(1);
}

Test(align, a_single_item_stands_for_one_frame) {
    set_frames("bbd");
    add_item('b', true);
    add_item('d', false);
    cr_assert(solve());
    check_span(0, 0, 1);
    check_span(1, 1, 3);
    items[0].is_single = false;
    cr_assert(solve());
    check_open(0);
    items[0].is_single = items[1].is_single = true;
    cr_assert_not(solve());
}

Test(align, a_known_neighbour_settles_an_open_item) {
    set_frames("abcbd");
    add_known(0, 2);
    add_item('d', false);
    cr_assert(solve());
    check_span(0, 0, 2);
    check_span(1, 2, 5);
}

Test(align, a_known_run_counts_with_method_and_bytecode) {
    struct hs_java_frame run[2];
    set_frames("abcbd");
    add_known(0, 2);
    add_item('d', false);
    memcpy(run, frames, sizeof run);
    items[0].run = run;
    cr_assert(solve());
    run[1].frame.number = 77; /* a number of ours, which says nothing about the place */
    cr_assert(solve());
    run[1].bci++;
    cr_assert_not(solve());
    check_open(0);
    check_open(1);
    run[1].bci--;
    run[0].method_id++;
    cr_assert_not(solve());
}

Test(align, nothing_is_settled_when_nothing_fits) {
    set_frames("abc");
    add_item('a', false);
    add_item('b', false);
    cr_assert_not(solve());
    check_open(0);
    check_open(1);
}

Test(align, no_items_and_no_frames_fit) {
    set_frames("");
    cr_assert(solve());
    add_item('a', false);
    cr_assert_not(solve());
    set_frames("a");
    cr_assert_not(solve());
    problem.items_are_cut = true;
    cr_assert(solve());
}

Test(align, the_items_may_be_cut) {
    set_frames("abcb");
    add_item('b', true);
    cr_assert_not(solve());
    set_frames("abcd");
    add_item('b', false);
    problem.items_are_cut = true;
    cr_assert(solve());
    check_span(0, 0, 2);
    set_frames("abcb");
    add_item('b', false);
    problem.items_are_cut = true;
    cr_assert(solve());
    check_open(0);
}

Test(align, the_frames_may_be_cut) {
    set_frames("abc");
    add_item('b', false);
    add_item('x', false);
    cr_assert_not(solve());
    problem.frames_are_cut = true;
    cr_assert(solve());
    check_open(0); /* it could also reach further than the frames */
    check_open(1);
    set_frames("abcd");
    problem.frames_are_cut = true;
    add_known(0, 2);
    add_item('c', true);
    add_item('x', false);
    add_item('y', true);
    cr_assert(solve());
    check_span(0, 0, 2);
    check_span(1, 2, 3);
    check_open(2);
    check_open(3);
}

/* A known run of which the frames show the beginning only. */
Test(align, a_known_run_may_be_cut) {
    struct hs_java_frame run[4];
    set_frames("abcd");
    memcpy(run, frames, sizeof run);
    problem.frame_count = 3;
    problem.frames_are_cut = true;
    add_item('a', true);
    items[problem.item_count++] = (struct hs_align_item){.root = 'd', .run = run + 1, .count = 3};
    cr_assert(solve());
    check_span(0, 0, 1);
    check_open(1);
    run[2].bci = 99;
    cr_assert_not(solve());
    problem.frames_are_cut = false;
    run[2].bci = 2;
    cr_assert_not(solve());
}

/* Where the run of the first item may reach beyond the frames, the second may lie behind them all:
 * the frame that looks like it may not be its own. */
Test(align, what_may_lie_behind_the_frames_stays_open) {
    set_frames("ab");
    add_item('a', false);
    add_item('b', true);
    problem.frames_are_cut = true;
    cr_assert(solve());
    check_open(0);
    check_open(1);
}

/* ---- limits ---- */

static void set_many(uint32_t frame_count) {
    set_frames("");
    problem.frame_count = frame_count;
    for (uint32_t i = 0; i < frame_count; i++) {
        frames[i] = (struct hs_java_frame){4096 + i, (int32_t)i, {i}};
        methods[i] = 4096 + i;
    }
}

Test(align, as_many_items_and_frames_as_there_may_be) {
    set_many(MAX);
    for (uint32_t i = 0; i < MAX; i++) {
        items[problem.item_count++] = (struct hs_align_item){.root = methods[i]};
    }
    cr_assert(solve());
    for (uint32_t i = 0; i < MAX; i++) {
        check_span(i, i, i + 1);
    }
    problem.frames_are_cut = problem.items_are_cut = true;
    cr_assert(solve());
    items[MAX - 1].root++;
    problem.frames_are_cut = problem.items_are_cut = false;
    cr_assert_not(solve());
}

/* All alike: forced only by the number. */
Test(align, as_many_frames_as_items) {
    set_many(MAX);
    for (uint32_t i = 0; i < MAX; i++) {
        methods[i] = 8;
        items[problem.item_count++] = (struct hs_align_item){.root = 8};
    }
    cr_assert(solve());
    for (uint32_t i = 0; i < MAX; i++) {
        check_span(i, i, i + 1);
    }
    problem.item_count--;
    cr_assert(solve());
    for (uint32_t i = 0; i < MAX - 1; i++) {
        check_open(i);
    }
}

Test(align, the_longest_run) {
    static const uint32_t COUNTS[] = {HS_ALIGN_MAX_RUN - 1, HS_ALIGN_MAX_RUN, HS_ALIGN_MAX_RUN + 1};
    for (int i = 0; i < 3; i++) {
        set_many(COUNTS[i] + 1);
        items[0] = (struct hs_align_item){.root = methods[COUNTS[i] - 1]};
        items[1] = (struct hs_align_item){.root = methods[COUNTS[i]]};
        problem.item_count = 2;
        cr_assert_eq(solve(), COUNTS[i] <= HS_ALIGN_MAX_RUN, "a run of %u", COUNTS[i]);
        if (COUNTS[i] <= HS_ALIGN_MAX_RUN) {
            check_span(0, 0, COUNTS[i]);
            check_span(1, COUNTS[i], COUNTS[i] + 1);
        } else {
            check_open(0);
        }
    }
}

/* This many frames cannot belong to one item, however many follow. */
Test(align, a_run_that_would_be_too_long_is_not_cut) {
    for (uint32_t left = HS_ALIGN_MAX_RUN - 1; left <= HS_ALIGN_MAX_RUN + 1; left++) {
        set_many(left);
        problem.frames_are_cut = true;
        items[0] = (struct hs_align_item){.root = methods[0]};
        items[1] = (struct hs_align_item){.root = 1}; /* no frame's: it reaches further than they */
        problem.item_count = 2;
        cr_assert_eq(solve(), left <= HS_ALIGN_MAX_RUN, "%u frames", left);
        check_span(0, 0, left == HS_ALIGN_MAX_RUN ? 1 : 0);
        check_open(1);
    }
}
