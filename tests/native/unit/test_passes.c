/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_clock.h"
#include "passes_under_test.h"

TestSuite(passes, .init = set_up, .fini = tear_down, .timeout = 120);

Test(passes, a_path_is_found) {
    struct hs_holders *holders = find();
    const struct hs_holders_figures *figures = hs_holders_figures(holders);
    cr_assert_eq(figures->way, HS_WAY_PASSES);
    cr_assert_not(figures->has_dominators, "the graph is of several moments");
    cr_assert_leq(figures->longest_pause_us, figures->pauses_us);
    struct hs_path path = next(holders);
    cr_assert_eq(path.outcome, HS_HELD);
    cr_assert_eq(path.root.kind, HS_ROOT_STATIC_FIELD);
    cr_assert_eq(path.step_count, 2);
    cr_assert_eq(path.steps[0].from_class, APP);
    cr_assert_eq(path.steps[1].index, 2);
    cr_assert_eq(path.steps[1].to_class, PLAIN);
    cr_assert_eq(next(holders).outcome, HS_UNRESOLVED_ONLY_WEAK);
    cr_assert_not(hs_holders_next(holders, &path));
    hs_holders_free(holders);
}

Test(passes, come_last_of_all_ways) {
    limits.ways = 0;
    limits.pause_us = 1000;
    heap.described.is_copied = false;
    heap.described.used = UINT64_C(200) << 20;
    heap.described.feature = 25;
    struct hs_holders *holders = find();
    cr_assert_eq(hs_holders_figures(holders)->way, HS_WAY_PASSES);
    cr_assert_eq(next(holders).outcome, HS_HELD);
    hs_holders_free(holders);
}

/* The objects that a pass leaves are followed by later ones, each with all its edges. */
Test(passes, that_are_cut_go_on) {
    heap.slow_us = SLOW_US;
    limits.pause_us = 1000;
    uint32_t last = chain(app, LINKS);
    for (int32_t i = 0; i < 100; i++) {
        fake_refer(&heap, last, app, HS_EDGE_ELEMENT, i);
    }
    uint32_t further = chain(last, LINKS);
    fake_refer(&heap, further, heap.targets[1], HS_EDGE_FIELD, 3);
    struct hs_holders *holders = find();
    cr_assert_geq(heap.walks, 3);
    cr_assert_eq(next(holders).outcome, HS_HELD);
    struct hs_path path = next(holders);
    cr_assert_eq(path.outcome, HS_HELD);
    cr_assert_eq(path.step_count, 2 * LINKS + 2);
    hs_holders_free(holders);
}

/* To find an object by its tag takes longer than a pass. */
Test(passes, go_on_from_a_class_through_what_was_followed) {
    fake_refer(&heap, slow_chain(LINKS), heap.targets[1], HS_EDGE_FIELD, 3);
    heap.is_new_slow = true;
    limits.pause_us = 1000;
    check_outcomes(HS_HELD, HS_HELD);
    cr_assert_geq(heap.walks, 5, "%d", heap.walks);
    cr_assert_eq(heap.looked_up, 0, "%d", heap.looked_up);
}

static uint64_t edges_by(enum hs_holders_way way) {
    limits.ways = UINT32_C(1) << way;
    struct hs_holders *holders = find();
    uint64_t edges = hs_holders_figures(holders)->edges;
    cr_assert_eq(hs_holders_figures(holders)->way, way);
    hs_holders_free(holders);
    return edges;
}

/* Also where the last object of a pass is the first that the next one goes through. */
Test(passes, add_each_edge_once) {
    fake_refer(&heap, slow_chain(LINKS), heap.targets[1], HS_EDGE_FIELD, 3);
    heap.is_new_slow = true;
    limits.pause_us = 1000000;
    uint64_t edges = edges_by(HS_WAY_ONE_STOP);
    limits.pause_us = 1000;
    cr_assert_eq(edges_by(HS_WAY_PASSES), edges);
    cr_assert_geq(heap.walks, 6, "%d", heap.walks);
}

/* So no pass gets anywhere from above. */
Test(passes, go_on_where_the_way_from_above_takes_a_whole_pass) {
    fake_refer(&heap, slow_chain(LINKS), heap.targets[1], HS_EDGE_FIELD, 3);
    limits.pause_us = 1000;
    check_outcomes(HS_HELD, HS_HELD);
    cr_assert_gt(heap.looked_up, 0);
}

/* 300 links are more than a pass goes through: one of them is found by its tag. */
Test(passes, a_long_way_from_above_is_not_gone_through) {
    heap.slow_us = SLOW_US;
    heap.is_new_slow = true;
    limits.pause_us = 1000;
    fake_refer(&heap, chain(app, 300), heap.targets[1], HS_EDGE_FIELD, 3);
    check_outcomes(HS_HELD, HS_HELD);
    cr_assert_geq(heap.looked_up, 1, "%d", heap.looked_up);
}

/* Edges of one object take much longer than a pause may. */
Test(passes, leave_the_application_half_of_the_time) {
    fake_refer(&heap, slow_chain(LINKS), heap.targets[1], HS_EDGE_FIELD, 3);
    limits.pause_us = 1000;
    struct hs_holders *holders = find();
    const struct hs_holders_figures *figures = hs_holders_figures(holders);
    cr_assert_geq(figures->time_us, figures->pauses_us * 3 / 2, "%lld",
                  (long long)figures->pauses_us);
    hs_holders_free(holders);
}

/* Once some of a chain is known, the application takes off the links between what is known. */
static enum hs_status follow_and_unlink(void *context, struct hs_passes *passes,
                                        const int64_t *tags, uint32_t count) {
    enum hs_status status = fake_follow(context, passes, tags, count);
    for (uint32_t i = 0; heap.walks == 4 && i < heap.edge_count; i++) {
        struct fake_edge *edge = &heap.edges[i];
        bool is_known = edge->from > CLASSES && heap.objects[edge->from].tag != 0 &&
                        heap.objects[edge->to].tag != 0;
        edge->from = is_known ? MOST_OBJECTS : edge->from;
    }
    return status;
}

Test(passes, find_an_object_itself_where_no_way_leads_to_it_any_more) {
    fake_refer(&heap, slow_chain(LINKS), heap.targets[1], HS_EDGE_FIELD, 3);
    heap.is_new_slow = true;
    limits.pause_us = 1000;
    vm.passes.follow = follow_and_unlink;
    check_outcomes(HS_HELD, HS_HELD);
    cr_assert_geq(heap.looked_up, 1);
    cr_assert_leq(heap.looked_up, 2, "%d", heap.looked_up);
}

/* Before JDK 19 the VM looks through the heap after each pass. */
Test(passes, that_cannot_be_short_are_refused) {
    heap.described.used = 30000000;
    check_outcomes(HS_UNRESOLVED_PAUSE, HS_UNRESOLVED_PAUSE);
    struct hs_holders *holders = find();
    cr_assert_eq(hs_holders_figures(holders)->way, HS_WAY_NONE);
    cr_assert_str_eq(hs_holders_figures(holders)->reason,
                     "each short pass: about 12 ms, 10 ms allowed");
    hs_holders_free(holders);
    heap.described.collector = HS_Z;
    heap.described.used = 4500000;
    check_outcomes(HS_HELD, HS_UNRESOLVED_ONLY_WEAK);
    heap.described.used = 5500000;
    check_outcomes(HS_UNRESOLVED_PAUSE, HS_UNRESOLVED_PAUSE);
    heap.described.feature = 21;
    check_outcomes(HS_HELD, HS_UNRESOLVED_ONLY_WEAK);
}

/* The VM shows stacks of virtual threads only in one walk from the roots. */
Test(passes, a_thread_that_is_not_listed_may_hold_the_rest) {
    fake_refer(&heap, app, fake_object(&heap, THREAD), HS_EDGE_FIELD, 1);
    check_outcomes(HS_HELD, HS_UNRESOLVED_NOT_POSSIBLE);
}

Test(passes, what_the_roots_lead_to_is_followed) {
    uint32_t thread = fake_object(&heap, THREAD);
    uint32_t local = fake_object(&heap, APP);
    heap.thread = thread;
    heap.thread_id = 42;
    fake_root(&heap, thread, (struct hs_root){.kind = HS_ROOT_THREAD});
    fake_root(&heap, local, (struct hs_root){.kind = HS_ROOT_LOCAL, .thread = 7, .slot = 3});
    uint32_t values = fake_object(&heap, APP);
    fake_refer(&heap, thread, values, HS_EDGE_FIELD, 5);
    fake_refer(&heap, values, heap.targets[1], HS_EDGE_FIELD, 1);
    heap.targets[heap.target_count++] = fake_object(&heap, PLAIN);
    fake_refer(&heap, local, heap.targets[2], HS_EDGE_FIELD, 1);
    struct hs_holders *holders = find();
    (void)next(holders);
    struct hs_path path = next(holders);
    cr_assert_eq(path.root.kind, HS_ROOT_THREAD);
    cr_assert_eq(path.root.thread, 42);
    path = next(holders);
    cr_assert_eq(path.root.kind, HS_ROOT_LOCAL);
    cr_assert_eq(path.root.slot, 3);
    hs_holders_free(holders);
}

Test(passes, referents_count_as_in_other_ways) {
    uint32_t weak = fake_object(&heap, WEAK);
    fake_refer(&heap, app, weak, HS_EDGE_FIELD, 1);
    fake_refer(&heap, weak, heap.targets[1], HS_EDGE_FIELD, REFERENT);
    check_outcomes(HS_HELD, HS_UNRESOLVED_ONLY_WEAK);
    uint32_t soft = fake_object(&heap, SOFT);
    fake_refer(&heap, app, soft, HS_EDGE_FIELD, 1);
    fake_refer(&heap, soft, heap.targets[1], HS_EDGE_FIELD, REFERENT);
    struct hs_holders *holders = find();
    (void)next(holders);
    struct hs_path path = next(holders);
    cr_assert_eq(path.outcome, HS_HELD);
    cr_assert((path.steps[path.step_count - 1].flags & HS_STEP_SOFT) != 0);
    hs_holders_free(holders);
}

Test(passes, end_with_the_time) {
    heap.slow_us = 5 * SLOW_US; /* so the roots take all of it */
    limits.time_us = 1000;
    uint32_t last = chain(app, LINKS);
    fake_refer(&heap, last, heap.targets[1], HS_EDGE_FIELD, 3);
    struct hs_holders *holders = find();
    (void)next(holders);
    cr_assert_eq(next(holders).outcome, HS_UNRESOLVED_TIME);
    hs_holders_free(holders);
}

Test(passes, end_with_the_memory) {
    enum hs_outcome outcome = HS_UNRESOLVED_NOT_POSSIBLE; /* not even a graph without nodes */
    bool has_ended = false;
    for (limits.memory = 64; outcome != HS_HELD; limits.memory += 64) {
        struct hs_holders *holders = find();
        outcome = next(holders).outcome;
        cr_assert(outcome == HS_HELD || outcome == HS_UNRESOLVED_MEMORY ||
                  outcome == HS_UNRESOLVED_NOT_POSSIBLE);
        has_ended = has_ended || outcome == HS_UNRESOLVED_MEMORY;
        hs_holders_free(holders);
    }
    cr_assert(has_ended);
}

/* Of as many objects as the first tables have no room for. */
Test(passes, tables_count_as_memory_and_grow) {
    enum { MORE = 40000 };
    const struct hs_trace_size size = {CLASSES, 0, 0};
    struct hs_trace *trace = NULL;
    cr_assert_eq(hs_trace_new(size, FAKE_FACTS, &trace), HS_OK);
    cr_assert_eq(hs_trace_open(trace, limits.memory), HS_OK);
    heap.opened++;
    struct hs_passes passes = {.trace = trace,
                               .pause_us = limits.pause_us,
                               .deadline_us = hs_clock_monotonic_us() + limits.time_us};
    uint64_t before = hs_mem_used();
    cr_assert_eq(hs_passes_run(&passes, &vm.passes), HS_OK);
    uint64_t tables = passes.room * (sizeof *passes.states + sizeof *passes.parents);
    cr_assert_eq(trace->walk_bytes, tables);
    cr_assert_leq(tables, 1 << 20, "%llu", (unsigned long long)tables);
    cr_assert_geq(hs_trace_bytes(trace), tables);
    cr_assert_geq(hs_mem_used(), before + tables);
    const struct hs_root root = {.kind = HS_ROOT_JNI_GLOBAL};
    for (uint32_t i = 0; i < MORE; i++) {
        int64_t tag = 0;
        cr_assert_neq(hs_passes_see_root(&passes, &root, APP, &tag, 16), HS_TRACE_STOP);
        cr_assert_lt(hs_trace_tag_node(tag), passes.room);
    }
    cr_assert_eq(trace->end, HS_TRACE_WHOLE);
    hs_passes_free(&passes);
    cr_assert_eq(trace->walk_bytes, 0);
    hs_trace_free(trace);
    vm.close(&heap);
}

Test(passes, an_object_that_is_gone_is_not_waited_for) {
    uint32_t gone = fake_object(&heap, APP);
    heap.gone = gone;
    fake_root(&heap, gone, (struct hs_root){.kind = HS_ROOT_JNI_GLOBAL});
    check_outcomes(HS_HELD, HS_UNRESOLVED_ONLY_WEAK);
}

static enum hs_status refuse(void *context, struct hs_passes *passes, const int64_t *tags,
                             uint32_t count) {
    (void)context;
    (void)passes;
    (void)tags;
    (void)count;
    return HS_JVMTI;
}

Test(passes, that_the_vm_refuses_are_said) {
    heap.walk_fails = HS_JVMTI;
    check_outcomes(HS_UNRESOLVED_NOT_POSSIBLE, HS_UNRESOLVED_NOT_POSSIBLE);
    heap.walk_fails = HS_OK;
    vm.passes.follow = refuse;
    check_outcomes(HS_UNRESOLVED_NOT_POSSIBLE, HS_UNRESOLVED_NOT_POSSIBLE);
}

Test(passes, without_memory_there_is_an_answer_or_none) {
    bool is_whole = false;
    for (uint64_t n = 1; !is_whole; n++) {
        struct hs_holders *holders = NULL;
        hs_mem_fail_at(n);
        enum hs_status status = hs_holders_find(&limits, heap.target_count, &vm, NULL, &holders);
        cr_assert(status == HS_OK || (status == HS_NO_MEMORY && holders == NULL));
        is_whole = status == HS_OK && next(holders).outcome == HS_HELD && n > 20;
        hs_holders_free(holders);
        cr_assert_eq(hs_mem_used(), used_before);
        cr_assert_lt(n, 200);
    }
    hs_mem_fail_at(0);
}
