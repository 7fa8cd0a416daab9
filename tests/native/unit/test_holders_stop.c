/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* One stop, and what follows it. */
#include "holders_under_test.h"

TestSuite(holders_stop, .init = set_up, .fini = tear_down, .timeout = 120);

enum { MANY_EDGES = 1024 }; /* after which a walk looks at the clock */

static enum hs_status walks_long(void *context, struct hs_trace *trace) {
    (void)usleep(SLOW_US);
    for (int i = 0; i < MANY_EDGES; i++) {
        (void)fake_show(&heap, trace, &heap.edges[0]);
    }
    return fake_walk(context, trace);
}

/* A stop that takes longer than its estimate, and the try after it. */
static struct hs_holders *find_after_stop(void) {
    struct hs_holders *next = NULL;
    limits.pause_us = SLOW_US / 2;
    vm.walk = walks_long;
    struct hs_holders *holders = find();
    cr_assert_eq(hs_holders_figures(holders)->way, HS_WAY_ONE_STOP);
    check_unresolved(holders, HS_UNRESOLVED_PAUSE);
    vm.walk = fake_walk;
    if (hs_holders_may_find_more(holders)) {
        cr_assert_eq(hs_holders_find(&limits, heap.target_count, &vm, holders, &next), HS_OK);
        cr_assert_geq(hs_holders_figures(next)->longest_pause_us, SLOW_US);
        cr_assert_geq(hs_holders_figures(next)->pauses_us,
                      hs_holders_figures(next)->longest_pause_us);
        cr_assert_gt(hs_holders_figures(next)->time_us, hs_holders_figures(holders)->time_us);
    }
    hs_holders_free(holders);
    return next;
}

Test(holders_stop, another_way_follows_a_stop_that_ended_unfinished) {
    for (int way = HS_WAY_CHILD; way <= HS_WAY_PASSES; way++) {
        if (way == HS_WAY_CHILD && is_emulated()) {
            continue;
        }
        limits.ways = 1 << HS_WAY_ONE_STOP | UINT32_C(1) << way;
        struct hs_holders *holders = find_after_stop();
        cr_assert_not_null(holders);
        const struct hs_holders_figures *figures = hs_holders_figures(holders);
        cr_assert_eq((int)figures->way, way, "%s", figures->reason);
        cr_assert(strstr(figures->reason, "one stop: unfinished after ") != NULL, "%s",
                  figures->reason);
        cr_assert(strstr(figures->reason, " ms, 25 ms allowed") != NULL, "%s", figures->reason);
        cr_assert_not(hs_holders_may_find_more(holders));
        check_paths(holders);
        hs_holders_free(holders);
        check_nothing_left();
    }
}

/* The stop that was too long is not made again, however the try in between ended. */
Test(holders_stop, no_later_try_stops_once_more) {
    limits.ways = 1 << HS_WAY_ONE_STOP | 1 << HS_WAY_PASSES;
    struct hs_holders *second = find_after_stop();
    struct hs_holders *third = NULL;
    cr_assert_not_null(second);
    cr_assert_eq(hs_holders_find(&limits, heap.target_count, &vm, second, &third), HS_OK);
    const struct hs_holders_figures *figures = hs_holders_figures(third);
    cr_assert_eq(figures->way, HS_WAY_PASSES);
    cr_assert(strstr(figures->reason, "one stop: unfinished after ") != NULL, "%s",
              figures->reason);
    check_paths(third);
    cr_assert_eq(figures->held, 1);
    hs_holders_free(second);
    hs_holders_free(third);
}

/* Two objects may have become one by then. */
Test(holders_stop, no_path_counts_where_a_place_is_odd_and_tags_find_them_again) {
    struct hs_holders *again = NULL;
    limits.ways = 1 << HS_WAY_ONE_STOP;
    fake_root(&heap, TEXT, (struct hs_root){.kind = HS_ROOT_SYSTEM_CLASS});
    fake_refer(&heap, TEXT, WEAK, HS_EDGE_CONSTANT_POOL, 40);
    fake_prove(&heap);
    heap.odd = WEAK;
    struct hs_holders *holders = find();
    check_unresolved(holders, HS_UNRESOLVED_NOT_POSSIBLE);
    cr_assert_str_eq(hs_holders_figures(holders)->failure,
                     "the JVM showed an object at a place that it cannot have; search again");
    cr_assert(hs_holders_may_find_more(holders));
    heap.described.used = 150000000;
    check_none(find(), HS_UNRESOLVED_NOT_POSSIBLE, "one stop: about 1200 ms, 1000 ms allowed");
    heap.described.used = 1000;
    cr_assert_eq(hs_holders_find(&limits, heap.target_count, &vm, holders, &again), HS_OK);
    check_paths(again);
    hs_holders_free(holders);
    hs_holders_free(again);
}

/* An edge that was not seen may lead around any object. */
Test(holders_stop, a_stop_that_was_cut_knows_no_dominators) {
    limits.ways = 1 << HS_WAY_ONE_STOP;
    limits.pause_us = SLOW_US / 2;
    vm.walk = walks_long;
    struct hs_holders *holders = find();
    cr_assert_not(hs_holders_figures(holders)->has_dominators);
    hs_holders_free(holders);
}

Test(holders_stop, no_other_way_follows_where_none_is_possible) {
    limits.ways = 1 << HS_WAY_ONE_STOP;
    cr_assert_null(find_after_stop());
    limits.ways = 0;
    heap.described.is_copied = false;
    vm.passes = (struct hs_passes_vm){0};
    cr_assert_null(find_after_stop());
    limits.time_us = SLOW_US / 4; /* it is over */
    vm = fake_vm_of(&heap);
    cr_assert_null(find_after_stop());
}
