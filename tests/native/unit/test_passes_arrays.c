/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "passes_under_test.h"

TestSuite(passes_arrays, .init = set_up, .fini = tear_down, .timeout = 120);

/* Objects that it refers to are found by their tags instead. */
Test(passes_arrays, do_not_go_through_a_long_row_again) {
    heap.slow_us = SLOW_US;
    heap.is_new_slow = true;
    limits.pause_us = 1000;
    uint32_t row = chain(app, 1);
    for (int32_t i = 0; i < 250; i++) {
        fake_refer(&heap, row, app, HS_EDGE_ELEMENT, i);
    }
    uint32_t last = row;
    for (int32_t i = 0; i < LINKS; i++) {
        last = chain(last, 1);
        for (int32_t j = 0; j < 40; j++) {
            fake_refer(&heap, last, app, HS_EDGE_ELEMENT, j);
        }
    }
    fake_refer(&heap, last, heap.targets[1], HS_EDGE_FIELD, 3);
    check_outcomes(HS_HELD, HS_HELD);
    cr_assert_gt(heap.looked_up, 0);
}

/* An array with a row that is too long to be gone through again, of objects that lead to another one each. A pass has time for a
 * few new ones. Returns the first. */
static uint32_t long_row(int32_t elements) {
    heap.slow_us = SLOW_US / 4;
    heap.is_new_slow = true;
    limits.pause_us = 500;
    uint32_t array = fake_object(&heap, APP);
    uint32_t first = heap.object_count;
    fake_refer(&heap, app, array, HS_EDGE_FIELD, 1);
    for (int32_t i = 0; i < elements; i++) {
        fake_refer(&heap, array, fake_object(&heap, APP), HS_EDGE_ELEMENT, i);
    }
    for (int32_t i = 0; i < elements; i++) {
        fake_refer(&heap, chain(first + (uint32_t)i, 1), app, HS_EDGE_FIELD, 6);
    }
    return first;
}

Test(passes_arrays, elements_of_a_long_row_are_found_at_their_places) {
    enum { ELEMENTS = 120 };
    uint32_t first = long_row(ELEMENTS);
    fake_refer(&heap, first + ELEMENTS - 1, heap.targets[1], HS_EDGE_FIELD, 5);
    check_outcomes(HS_HELD, HS_HELD);
    cr_assert_leq(heap.looked_up, 2, "%d", heap.looked_up);
    cr_assert_gt(heap.walks, 5, "%d", heap.walks);
    cr_assert_eq(heap.slices, 0);
}

/* The elements move to the next index each. */
static enum hs_status follow_and_shift(void *context, struct hs_passes *passes, const int64_t *tags,
                                       uint32_t count) {
    uint32_t array = hs_trace_tag_node(passes->tags[0]) > CLASSES ? passes->row_array : 0;
    if (array != 0 && heap.large == 0) {
        for (uint32_t i = 0; i < heap.edge_count; i++) {
            struct fake_edge *edge = &heap.edges[i];
            edge->index += hs_trace_tag_node(heap.objects[edge->from].tag) == array ? 1 : 0;
        }
        heap.large = 1;
    }
    return fake_follow(context, passes, tags, count);
}

Test(passes_arrays, elements_of_a_long_row_that_have_moved_are_found_by_their_tags) {
    enum { ELEMENTS = 120 };
    uint32_t first = long_row(ELEMENTS);
    fake_refer(&heap, first + ELEMENTS - 1, heap.targets[1], HS_EDGE_FIELD, 5);
    vm.passes.follow = follow_and_shift;
    check_outcomes(HS_HELD, HS_HELD);
    cr_assert_eq(heap.large, 1, "they have moved");
    cr_assert_gt(heap.looked_up, 2, "%d", heap.looked_up);
}

/* ---- in slices ---- */

/* Below the application object, too large for one pass; its elements are at each third index. */
static uint32_t large_array(int32_t elements) {
    uint32_t array = fake_object(&heap, APP);
    fake_refer(&heap, app, array, HS_EDGE_FIELD, 1);
    for (int32_t i = 0; i < elements; i++) {
        fake_refer(&heap, array, fake_object(&heap, APP), HS_EDGE_ELEMENT, 3 * i);
    }
    heap.large_object = array;
    heap.large = limits.pause_us * 8 > 4096 ? limits.pause_us * 8 + 1 : 4097;
    return array;
}

/* Slices of 25 elements. */
static void have_short_pauses(void) {
    limits.pause_us = 200;
}

Test(passes_arrays, a_large_array_comes_in_slices) {
    have_short_pauses();
    (void)large_array(60);
    fake_refer(&heap, heap.object_count - 1, heap.targets[1], HS_EDGE_FIELD, 5);
    heap.targets[heap.target_count++] = fake_object(&heap, PLAIN);
    struct hs_holders *holders = find();
    cr_assert_eq(heap.slices, 3, "%d", heap.slices);
    cr_assert_eq(next(holders).outcome, HS_HELD);
    struct hs_path path = next(holders);
    cr_assert_eq(path.outcome, HS_HELD);
    cr_assert_eq(path.step_count, 4);
    cr_assert_eq(path.steps[2].kind, HS_EDGE_ELEMENT);
    cr_assert_eq(path.steps[2].index, 3 * 59);
    cr_assert_eq(path.steps[3].index, 5);
    cr_assert_eq(next(holders).outcome, HS_UNRESOLVED_LARGE_ARRAY, "it may have moved");
    hs_holders_free(holders);
}

Test(passes_arrays, slices_begin_with_what_is_too_large_for_one_pass) {
    (void)large_array(3);
    heap.large--;
    check_outcomes(HS_HELD, HS_UNRESOLVED_ONLY_WEAK);
    cr_assert_eq(heap.slices, 0);
    heap.large++;
    check_outcomes(HS_HELD, HS_UNRESOLVED_LARGE_ARRAY);
    cr_assert_eq(heap.slices, 1);
}

/* A class with many static fields. */
Test(passes_arrays, what_is_no_array_does_not_come_in_slices) {
    heap.large_object = APP;
    heap.large = limits.pause_us * 8 + 1;
    check_outcomes(HS_HELD, HS_UNRESOLVED_ONLY_WEAK);
    cr_assert_eq(heap.slices, 0);
}

Test(passes_arrays, a_target_is_an_element_of_a_slice) {
    have_short_pauses();
    uint32_t array = large_array(40);
    fake_refer(&heap, array, heap.targets[1], HS_EDGE_ELEMENT, 200);
    fake_refer(&heap, array, heap.targets[1], HS_EDGE_ELEMENT, 201);
    check_outcomes(HS_HELD, HS_HELD);
}

/* What is below an element takes many passes, and so do objects below another one. */
Test(passes_arrays, what_a_slice_leads_to_comes_before_the_next_without_lookups) {
    heap.slow_us = SLOW_US;
    heap.is_new_slow = true;
    limits.pause_us = 1000;
    (void)large_array(4);
    uint32_t last = slow_chain_from(heap.object_count - 4, LINKS);
    fake_refer(&heap, last, heap.targets[1], HS_EDGE_FIELD, 5);
    check_outcomes(HS_HELD, HS_HELD);
    cr_assert_geq(heap.walks, 6, "%d", heap.walks);
    cr_assert_eq(heap.slices, 1);
    cr_assert_eq(heap.looked_up, 0, "%d", heap.looked_up);
}

static uint32_t moved_to;   /* the index to which the last element goes */
static uint32_t moved_when; /* after which slice */

static void move_last(struct fake_heap *moving) {
    if ((uint32_t)moving->slices == moved_when) {
        for (uint32_t i = 0; i < moving->edge_count; i++) {
            struct fake_edge *edge = &moving->edges[i];
            bool is_last = edge->from == moving->large_object && edge->index == 3 * 59;
            edge->index = is_last ? (int32_t)moved_to : edge->index;
        }
    }
}

static void check_outcome_of_moved(uint32_t to, uint32_t when, enum hs_outcome expected) {
    moved_to = to;
    moved_when = when;
    heap.while_read = move_last;
    check_outcomes(HS_HELD, expected);
}

Test(passes_arrays, an_element_that_goes_while_its_slice_is_read_is_no_step) {
    have_short_pauses();
    (void)large_array(60);
    fake_refer(&heap, heap.object_count - 1, heap.targets[1], HS_EDGE_FIELD, 5);
    check_outcome_of_moved(1, 3, HS_UNRESOLVED_LARGE_ARRAY);
}

Test(passes_arrays, an_element_that_goes_to_a_slice_that_was_read_is_not_called_free) {
    have_short_pauses();
    (void)large_array(60);
    fake_refer(&heap, heap.object_count - 1, heap.targets[1], HS_EDGE_FIELD, 5);
    check_outcome_of_moved(1, 1, HS_UNRESOLVED_LARGE_ARRAY);
}

Test(passes_arrays, an_element_that_goes_to_a_later_slice_is_found_there) {
    have_short_pauses();
    (void)large_array(60);
    fake_refer(&heap, heap.object_count - 1, heap.targets[1], HS_EDGE_FIELD, 5);
    check_outcome_of_moved(500, 3, HS_UNRESOLVED_LARGE_ARRAY);
    fake_refer(&heap, heap.large_object, fake_object(&heap, APP), HS_EDGE_ELEMENT, 600);
    heap.slices = 0;
    check_outcome_of_moved(500, 2, HS_HELD);
}

/* Of the slice that was read last, but was not followed yet: it is found by its tag. */
static enum hs_status follow_and_move(void *context, struct hs_passes *passes, const int64_t *tags,
                                      uint32_t count) {
    if (heap.slices == 1) {
        for (uint32_t i = 0; i < heap.edge_count; i++) {
            struct fake_edge *edge = &heap.edges[i];
            edge->index = edge->from == heap.large_object ? edge->index + 1 : edge->index;
        }
        heap.slices = 2;
    }
    return fake_follow(context, passes, tags, count);
}

Test(passes_arrays, an_element_that_has_moved_is_found_by_its_tag) {
    heap.slow_us = SLOW_US;
    heap.is_new_slow = true;
    limits.pause_us = 1000;
    (void)large_array(4);
    uint32_t first = heap.object_count - 4;
    for (uint32_t i = 0; i < 4; i++) {
        fake_refer(&heap, slow_chain_from(first + i, 3), heap.targets[1], HS_EDGE_FIELD, 5);
    }
    vm.passes.follow = follow_and_move;
    check_outcomes(HS_HELD, HS_HELD);
    cr_assert_gt(heap.looked_up, 0);
}

Test(passes_arrays, a_slice_may_have_another_large_array) {
    have_short_pauses();
    uint32_t outer = fake_object(&heap, APP);
    uint32_t inner = large_array(30);
    heap.edges[heap.edge_count - 31].from = outer; /* instead of the application object */
    heap.edges[heap.edge_count - 31].kind = HS_EDGE_ELEMENT;
    fake_refer(&heap, app, outer, HS_EDGE_FIELD, 1);
    fake_refer(&heap, heap.object_count - 1, heap.targets[1], HS_EDGE_FIELD, 5);
    check_outcomes(HS_HELD, HS_HELD);
    cr_assert_eq(heap.slices, 2, "%d", heap.slices);
    (void)inner;
}

Test(passes_arrays, a_large_array_that_is_gone_is_not_waited_for) {
    heap.gone = large_array(30);
    check_outcomes(HS_HELD, HS_UNRESOLVED_LARGE_ARRAY);
    cr_assert_eq(heap.slices, 0);
}

/* Targets of the slices that were read before are found. */
Test(passes_arrays, slices_end_with_the_memory) {
    enum hs_outcome outcome = HS_UNRESOLVED_NOT_POSSIBLE;
    bool has_ended_between = false;
    have_short_pauses();
    uint32_t array = large_array(100);
    uint32_t element = heap.object_count - 100;
    heap.targets[0] = element;
    fake_refer(&heap, heap.object_count - 1, heap.targets[1], HS_EDGE_FIELD, 5);
    for (limits.memory = 1 << 10; outcome != HS_HELD; limits.memory += 64) {
        struct hs_holders *holders = find();
        enum hs_outcome first = next(holders).outcome;
        outcome = next(holders).outcome;
        has_ended_between =
            has_ended_between || (first == HS_HELD && outcome == HS_UNRESOLVED_MEMORY);
        hs_holders_free(holders);
    }
    cr_assert(has_ended_between);
    (void)array;
}
