/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* The controller: what each pass has for its work. */
#include "hs_clock.h"
#include "passes_under_test.h"

TestSuite(passes_share, .init = set_up, .fini = tear_down, .timeout = 120);

static struct hs_passes_share share(uint32_t objects, int64_t work_us) {
    return (struct hs_passes_share){objects, work_us};
}

/* With 10 ms for each pass, of which the VM takes nothing. */
static struct hs_passes_share next_share(struct hs_passes_share now, int64_t pause_us,
                                         int64_t lookup_us, bool was_cut) {
    const struct hs_passes_course course = {pause_us, 0, lookup_us, was_cut};
    return hs_passes_next_share(now, 10000, &course);
}

Test(passes_share, shares_grow_while_pauses_are_short) {
    struct hs_passes_share now = share(16, 1250);
    now = next_share(now, 300, 10, false);
    cr_assert_eq(now.objects, 32, "all was done in a short time");
    cr_assert_eq(now.work_us, 1250);
    now = next_share(now, 1400, 10, true);
    cr_assert_eq(now.objects, 32);
    cr_assert_gt(now.work_us, 1250, "there is more to do, and time");
    for (int i = 0; i < 100; i++) {
        now = next_share(now, 300, 10, i % 2 == 0);
    }
    cr_assert_eq(now.objects, HS_PASSES_FRONTIER);
    cr_assert_eq(now.work_us, 5000, "half of a pause; the rest is for what cannot be cut");
}

Test(passes_share, shares_shrink_when_pauses_are_long) {
    struct hs_passes_share now = share(512, 5000);
    now = next_share(now, 12000, 10, true);
    cr_assert_eq(now.objects, 384);
    cr_assert_eq(now.work_us, 4375);
    now = next_share(now, 5000, 12000, false);
    cr_assert_eq(now.objects, 288, "finding the objects took too long");
    for (int i = 0; i < 100; i++) {
        now = next_share(now, 12000, 12000, true);
    }
    cr_assert_eq(now.objects, 16);
    cr_assert_eq(now.work_us, 1250);
}

/* What the VM does at the end of a pass is a part of its pause. */
Test(passes_share, shares_leave_time_for_the_vm) {
    struct hs_passes_course course = {.pause_us = 300, .tail_us = 4000, .was_cut = true};
    struct hs_passes_share now = share(16, 1250);
    for (int i = 0; i < 100; i++) {
        now = hs_passes_next_share(now, 10000, &course);
    }
    cr_assert_eq(now.work_us, 3000, "half of what the VM leaves");
    course.tail_us = 20000;
    now = hs_passes_next_share(now, 10000, &course);
    cr_assert_eq(now.work_us, 1250, "one long tail does not end all work");
}

/* Passes with these estimates; the VM's table of tags grows with this node. */
static struct hs_passes run_passes(int64_t tail_us, uint32_t grows_at) {
    const struct hs_trace_size size = {CLASSES, heap.target_count, 1};
    struct hs_trace *trace = NULL;
    cr_assert_eq(hs_trace_new(size, FAKE_FACTS, &trace), HS_OK);
    cr_assert_eq(hs_trace_open(trace, limits.memory), HS_OK);
    heap.opened++;
    cr_assert_eq(vm.mark(&heap, trace), HS_OK);
    struct hs_passes passes = {.trace = trace,
                               .pause_us = limits.pause_us,
                               .deadline_us = hs_clock_monotonic_us() + limits.time_us,
                               .tail_us = tail_us,
                               .grows_at = grows_at};
    cr_assert_eq(hs_passes_run(&passes, &vm.passes), HS_OK);
    hs_passes_free(&passes);
    hs_trace_free(trace);
    vm.close(&heap);
    return passes;
}

/* What passes with this estimate expect of the VM in the end, where it takes as long as `tail_us`. */
static int64_t tail_after(int64_t estimate_us, int tail_us) {
    heap.tail_us = tail_us;
    const struct hs_passes passes = run_passes(estimate_us, 0);
    cr_assert_geq(passes.tails, 2, "%u", passes.tails);
    return passes.tail_us;
}

Test(passes_share, measure_what_the_vm_takes) {
    (void)slow_chain(10);
    cr_assert_geq(tail_after(0, 3000), 3000);
    int64_t tail = tail_after(1000000, 0);
    cr_assert_lt(tail, 1000000, "%lld", (long long)tail);
}

/* The VM's own work at the end of each is longer than the caller allows: after a few passes they stop; where it is more than
 * half of that, after some more, since on a busy machine it is also the time that a thread waits. */
Test(passes_share, end_when_none_can_be_short) {
    fake_refer(&heap, slow_chain(40), heap.targets[1], HS_EDGE_FIELD, 3);
    heap.tail_us = 3000;
    limits.pause_us = 2000;
    check_outcomes(HS_HELD, HS_UNRESOLVED_PAUSE);
    cr_assert_leq(heap.walks, 8, "%d", heap.walks);
    heap.walks = 0;
    limits.pause_us = 5000;
    check_outcomes(HS_HELD, HS_UNRESOLVED_PAUSE);
    cr_assert_geq(heap.walks, 16, "%d", heap.walks);
    cr_assert_leq(heap.walks, 20, "%d", heap.walks);
    heap.tail_us = 0;
    check_outcomes(HS_HELD, HS_HELD);
}

/* ---- the VM's table of tags ---- */

Test(passes_share, the_table_grows_between_two_passes) {
    cr_assert_eq(hs_passes_tags_to_add(0, 400000, 10000), 0, "not known where");
    cr_assert_eq(hs_passes_tags_to_add(400000, 389999, 10000), 0, "not yet");
    cr_assert_eq(hs_passes_tags_to_add(400000, 390000, 10000), 10000 + 50000,
                 "the next pass may come there; some tags may be gone");
    cr_assert_eq(hs_passes_tags_to_add(400000, 399999, 10000), 1 + 50000);
    cr_assert_eq(hs_passes_tags_to_add(400000, 400000, 10000), 0, "it has");
    cr_assert_eq(hs_passes_tags_to_add(400000, 390000, 100000), 0, "it is short beside the pause");
}

enum { GROWTH_US = 40000 };

static int growths;
static int growths_in_vain; /* as many come first */
static uint32_t added;

static int64_t grow_table(void *context, uint32_t most) {
    const struct fake_heap *fake = context;
    cr_assert_null(fake->passes, "no pass is under way");
    added = most;
    return ++growths > growths_in_vain ? GROWTH_US : 0;
}

Test(passes_share, the_table_grows_once) {
    (void)slow_chain(40);
    vm.passes.grow_table = grow_table;
    (void)run_passes(0, CLASSES + 20);
    cr_assert_eq(growths, 1, "%d", growths);
    cr_assert_geq(added, 20 - 8, "%u", added);
    cr_assert_leq(added, 20 + (CLASSES + 20) / 8, "%u", added);
    (void)run_passes(0, 0);
    cr_assert_eq(growths, 1, "it is not known where");
}

/* New objects die before the table is full, or the VM has no memory. */
Test(passes_share, the_table_is_tried_again_where_it_has_not_grown) {
    (void)slow_chain(40);
    vm.passes.grow_table = grow_table;
    growths_in_vain = 1;
    (void)run_passes(0, CLASSES + 20);
    cr_assert_eq(growths, 2, "%d", growths);
    growths = 0;
    growths_in_vain = 100;
    (void)run_passes(0, CLASSES + 30);
    cr_assert_eq(growths, 3, "%d", growths);
}

/* A collection waits for it. */
Test(passes_share, the_growth_of_the_table_is_a_pause) {
    (void)slow_chain(40);
    vm.passes.grow_table = grow_table;
    const struct hs_passes passes = run_passes(0, CLASSES + 20);
    cr_assert_eq(growths, 1);
    cr_assert_geq(passes.longest_us, GROWTH_US);
    cr_assert_geq(passes.pauses_us, GROWTH_US);
}
