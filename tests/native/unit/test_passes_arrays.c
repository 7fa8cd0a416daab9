/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "passes_under_test.h"

TestSuite(passes_arrays, .init = set_up, .fini = tear_down, .timeout = 120);

Test(passes_arrays, a_large_array_is_not_followed_but_said) {
    uint32_t array = fake_object(&heap, APP);
    fake_refer(&heap, app, array, HS_EDGE_FIELD, 1);
    fake_refer(&heap, array, heap.targets[1], HS_EDGE_ELEMENT, 7);
    heap.large_object = array;
    heap.large = limits.pause_us * 400;
    check_outcomes(HS_HELD, HS_HELD);
    heap.large++;
    check_outcomes(HS_HELD, HS_UNRESOLVED_LARGE_ARRAY);
}

/* Its elements get their nodes in passes that are cut; its edges are in their order. */
Test(passes_arrays, a_wide_array_takes_several) {
    heap.slow_us = SLOW_US;
    heap.is_new_slow = true;
    limits.pause_us = 100000;
    uint32_t array = fake_object(&heap, APP);
    fake_refer(&heap, app, array, HS_EDGE_FIELD, 1);
    for (int32_t i = 0; i < WIDTH; i++) {
        fake_refer(&heap, array, fake_object(&heap, APP), HS_EDGE_ELEMENT, i);
    }
    fake_refer(&heap, heap.object_count - 1, heap.targets[1], HS_EDGE_FIELD, 5);
    heap.large_object = array;
    heap.large = limits.pause_us * 8 + 1;
    struct hs_holders *holders = find();
    cr_assert_geq(heap.walks, 6, "%d", heap.walks);
    (void)next(holders);
    struct hs_path path = next(holders);
    cr_assert_eq(path.outcome, HS_HELD);
    cr_assert_eq(path.step_count, 4);
    cr_assert_eq(path.steps[2].kind, HS_EDGE_ELEMENT);
    cr_assert_eq(path.steps[2].index, WIDTH - 1);
    hs_holders_free(holders);
}

/* One of the passes for its elements waits for the processor, and comes to no new one. */
static enum hs_status follow_and_wait_once(void *context, struct hs_passes *passes,
                                           const int64_t *tags, uint32_t count) {
    heap.is_new_slow = heap.walks != 5;
    return fake_follow(context, passes, tags, count);
}

Test(passes_arrays, a_wide_array_is_followed_although_a_pass_came_to_no_new_element) {
    heap.slow_us = SLOW_US;
    limits.pause_us = 20000;
    uint32_t array = fake_object(&heap, APP);
    fake_refer(&heap, app, array, HS_EDGE_FIELD, 1);
    for (int32_t i = 0; i < WIDTH; i++) {
        fake_refer(&heap, array, fake_object(&heap, APP), HS_EDGE_ELEMENT, i);
    }
    fake_refer(&heap, array, heap.targets[1], HS_EDGE_ELEMENT, WIDTH);
    heap.large_object = array;
    heap.large = limits.pause_us * 8 + 1;
    vm.passes.follow = follow_and_wait_once;
    check_outcomes(HS_HELD, HS_HELD);
    cr_assert_gt(heap.walks, 6, "%d", heap.walks);
}

/* If only to look at those that have nodes takes a whole pass, there is no end. */
Test(passes_arrays, a_wide_array_without_progress_is_not_followed) {
    heap.slow_us = SLOW_US;
    limits.pause_us = 20000;
    uint32_t array = fake_object(&heap, APP);
    fake_refer(&heap, app, array, HS_EDGE_FIELD, 1);
    for (int32_t i = 0; i < WIDTH; i++) {
        fake_refer(&heap, array, fake_object(&heap, APP), HS_EDGE_ELEMENT, i);
    }
    fake_refer(&heap, array, heap.targets[1], HS_EDGE_ELEMENT, WIDTH);
    heap.large_object = array;
    heap.large = limits.pause_us * 8 + 1;
    check_outcomes(HS_HELD, HS_UNRESOLVED_LARGE_ARRAY);
}

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
