/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include <criterion/criterion.h>
#include <string.h>

#include "hs_examples.h"
#include "hs_mem.h"

enum { MAX_ID = 200 };

static hs_examples *examples;
static struct hs_example seen[HS_EXAMPLES];

static void set_up(void) {
    cr_assert_eq(hs_examples_new(MAX_ID, &examples), HS_OK);
}

static void tear_down(void) {
    cr_assert(hs_examples_is_valid(examples));
    hs_examples_free(examples);
    cr_assert_eq(hs_mem_used(), 0u);
}

TestSuite(examples, .init = set_up, .fini = tear_down);

static struct hs_example span_of(unsigned char trace, unsigned char span) {
    struct hs_example result;
    memset(result.trace, trace, sizeof result.trace);
    memset(result.span, span, sizeof result.span);
    return result;
}

static void add(uint32_t site, unsigned char trace, unsigned char span) {
    struct hs_example example = span_of(trace, span);
    hs_examples_add(examples, (struct hs_site_id){site}, &example);
}

static uint32_t read_from(const hs_examples *from, uint32_t site) {
    return hs_examples_read(from, (struct hs_site_id){site}, seen);
}

/* The traces of a site, as digits, the oldest first. */
static uint32_t traces_of(const hs_examples *from, uint32_t site) {
    uint32_t digits = 0;
    uint32_t count = read_from(from, site);
    for (uint32_t i = 0; i < count; i++) {
        digits = digits * 10 + seen[i].trace[0];
    }
    return digits;
}

Test(examples, has_none_at_first) {
    cr_assert_eq(read_from(examples, 0), 0u);
    cr_assert_eq(read_from(examples, MAX_ID), 0u);
    cr_assert_eq(read_from(examples, MAX_ID + 1), 0u);
}

Test(examples, keeps_what_was_added_apart_for_each_site) {
    add(0, 1, 11);
    add(MAX_ID, 2, 12);
    cr_assert_eq(read_from(examples, 0), 1u);
    struct hs_example first = span_of(1, 11);
    cr_assert_arr_eq(&seen[0], &first, sizeof first);
    cr_assert_eq(traces_of(examples, MAX_ID), 2u);
    cr_assert_eq(read_from(examples, 1), 0u);
}

Test(examples, are_the_last_three) {
    for (unsigned char trace = 1; trace <= 8; trace++) {
        add(5, trace, trace);
    }
    cr_assert_eq(traces_of(examples, 5), 678u);
}

Test(examples, has_a_trace_once_with_its_first_span) {
    add(5, 1, 11);
    add(5, 1, 12);
    add(5, 2, 13);
    add(5, 1, 14);
    cr_assert_eq(read_from(examples, 5), 2u);
    cr_assert_eq(seen[0].span[0], 11);
    cr_assert_eq(seen[1].span[0], 13);
}

Test(examples, passes_over_a_site_that_there_is_not) {
    add(MAX_ID + 1, 1, 1);
    add(UINT32_MAX, 1, 1);
    cr_assert_eq(read_from(examples, UINT32_MAX), 0u);
}

Test(examples, takes_memory_for_the_blocks_in_use_only) {
    size_t used = hs_mem_used();
    cr_assert_not(hs_examples_has_any(examples));
    add(0, 1, 1);
    cr_assert(hs_examples_has_any(examples));
    size_t first = hs_mem_used();
    cr_assert_gt(first, used);
    add(HS_EXAMPLES_BLOCK - 1, 1, 1);
    cr_assert_eq(hs_mem_used(), first);
    add(HS_EXAMPLES_BLOCK, 1, 1);
    cr_assert_gt(hs_mem_used(), first);
    cr_assert_lt(hs_mem_used() - first, first - used, "their table is there already");
}

Test(examples, are_left_out_without_memory) {
    for (uint64_t n = 1; n <= 2; n++) {
        hs_mem_fail_at(n);
        add(0, 1, 1);
        cr_assert_eq(read_from(examples, 0), 0u);
    }
    add(0, 1, 1);
    cr_assert_eq(read_from(examples, 0), 1u);
    hs_examples *more;
    hs_mem_fail_at(1);
    cr_assert_eq(hs_examples_new(1, &more), HS_NO_MEMORY);
    cr_assert_null(more);
}

static void move(hs_examples *to, uint32_t site, uint32_t to_site) {
    hs_examples_move(examples, (struct hs_site_id){site}, to, (struct hs_site_id){to_site});
}

Test(examples, move_with_their_site_and_leave_nothing_behind) {
    hs_examples *to;
    cr_assert_eq(hs_examples_new(MAX_ID, &to), HS_OK);
    for (unsigned char trace = 1; trace <= 4; trace++) {
        add(5, trace, trace);
    }
    move(to, 5, 7);
    cr_assert_eq(traces_of(to, 7), 234u);
    cr_assert_eq(read_from(examples, 5), 0u);
    move(to, 5, 7);
    cr_assert_eq(traces_of(to, 7), 234u);
    add(5, 9, 9);
    cr_assert_eq(traces_of(examples, 5), 9u);
    hs_examples_free(to);
}

Test(examples, that_move_do_not_displace_younger_ones) {
    hs_examples *to;
    cr_assert_eq(hs_examples_new(MAX_ID, &to), HS_OK);
    add(5, 1, 1);
    add(5, 2, 2);
    struct hs_example young = span_of(8, 8);
    hs_examples_add(to, (struct hs_site_id){7}, &young);
    young = span_of(9, 9);
    hs_examples_add(to, (struct hs_site_id){7}, &young);
    move(to, 5, 7);
    cr_assert_eq(traces_of(to, 7), 892u);
    add(5, 3, 3);
    move(to, 5, 7);
    cr_assert_eq(traces_of(to, 7), 892u);
    hs_examples_free(to);
}

Test(examples, that_move_without_memory_are_lost) {
    hs_examples *to;
    cr_assert_eq(hs_examples_new(MAX_ID, &to), HS_OK);
    add(5, 1, 1);
    hs_mem_fail_at(1);
    move(to, 5, 7);
    cr_assert_eq(read_from(to, 7), 0u);
    cr_assert_eq(read_from(examples, 5), 0u);
    hs_examples_free(to);
}

Test(examples, can_be_forgotten) {
    size_t used = hs_mem_used();
    add(5, 1, 1);
    add(100, 1, 1);
    hs_examples_clear(examples);
    cr_assert_eq(hs_mem_used(), used);
    cr_assert_eq(read_from(examples, 5), 0u);
}
