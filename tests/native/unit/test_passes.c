/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "fake_heap.h"
#include "hs_clock.h"
#include "hs_mem.h"

enum { LINKS = 20, SLOW_US = 400, WIDTH = 200 };

static struct fake_heap heap;
static struct hs_holders_vm vm;
static struct hs_holders_limits limits;
static size_t used_before;
static uint32_t app;

/* A class's static field holds an application object, whose field holds the target; another target is held by nothing. */
static void set_up(void) {
    make_up_time();
    used_before = hs_mem_used();
    fake_heap_init(&heap);
    vm = fake_vm_of(&heap);
    app = fake_object(&heap, APP);
    heap.targets[heap.target_count++] = fake_object(&heap, PLAIN);
    heap.targets[heap.target_count++] = fake_object(&heap, PLAIN);
    fake_root(&heap, APP, (struct hs_root){.kind = HS_ROOT_SYSTEM_CLASS});
    fake_refer(&heap, APP, app, HS_EDGE_STATIC_FIELD, 4);
    fake_refer(&heap, app, heap.targets[0], HS_EDGE_FIELD, 2);
    limits = (struct hs_holders_limits){.pause_us = 10000,
                                        .time_us = 20000000,
                                        .memory = UINT64_C(1) << 30,
                                        .ways = 1 << HS_WAY_PASSES};
}

static void tear_down(void) {
    cr_assert_eq(hs_mem_used(), used_before);
    cr_assert_eq(heap.closed, heap.opened, "tags are off");
}

static struct hs_holders *find(void) {
    struct hs_holders *holders = NULL;
    cr_assert_eq(hs_holders_find(&limits, heap.target_count, &vm, NULL, &holders), HS_OK);
    return holders;
}

static struct hs_path next(struct hs_holders *holders) {
    struct hs_path path;
    cr_assert(hs_holders_next(holders, &path));
    return path;
}

/* The outcomes of the two targets. */
static void check_outcomes(enum hs_outcome first, enum hs_outcome second) {
    struct hs_holders *holders = find();
    enum hs_outcome outcome = next(holders).outcome;
    cr_assert_eq(outcome, first, "%d", (int)outcome);
    outcome = next(holders).outcome;
    cr_assert_eq(outcome, second, "%d", (int)outcome);
    hs_holders_free(holders);
}

/* A row of objects from `from` on; returns the last. */
static uint32_t chain(uint32_t from, uint32_t length) {
    for (uint32_t i = 0; i < length; i++) {
        uint32_t link = fake_object(&heap, APP);
        fake_refer(&heap, from, link, HS_EDGE_FIELD, (int32_t)(i % 2));
        from = link;
    }
    return from;
}

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

/* As many links, with edges that take 16 ms each, or only the first of them; returns the last one. */
static uint32_t slow_chain(int32_t links) {
    uint32_t last = app;
    heap.slow_us = SLOW_US;
    for (int32_t i = 0; i < links; i++) {
        last = chain(last, 1);
        for (int32_t j = 0; j < 40; j++) {
            fake_refer(&heap, last, app, HS_EDGE_ELEMENT, j);
        }
    }
    return last;
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

Test(passes, a_large_array_is_not_followed_but_said) {
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
Test(passes, a_wide_array_takes_several) {
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

Test(passes, a_wide_array_is_followed_although_a_pass_came_to_no_new_element) {
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

/* Objects that it refers to are found by their tags instead. */
Test(passes, do_not_go_through_a_long_row_again) {
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

/* If only to look at those that have nodes takes a whole pass, there is no end. */
Test(passes, a_wide_array_without_progress_is_not_followed) {
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

/* ---- the controller ---- */

static struct hs_passes_share share(uint32_t objects, int64_t work_us) {
    return (struct hs_passes_share){objects, work_us};
}

/* With 10 ms for each pass, of which the VM takes nothing. */
static struct hs_passes_share next_share(struct hs_passes_share now, int64_t pause_us,
                                         int64_t lookup_us, bool was_cut) {
    const struct hs_passes_course course = {pause_us, 0, lookup_us, was_cut};
    return hs_passes_next_share(now, 10000, &course);
}

Test(passes, shares_grow_while_pauses_are_short) {
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

Test(passes, shares_shrink_when_pauses_are_long) {
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
Test(passes, shares_leave_time_for_the_vm) {
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

/* What passes with this estimate expect of the VM in the end, where it takes as long as `tail_us`. */
static int64_t tail_after(int64_t estimate_us, int tail_us) {
    const struct hs_trace_size size = {CLASSES, heap.target_count, 1};
    struct hs_trace *trace = NULL;
    heap.tail_us = tail_us;
    cr_assert_eq(hs_trace_new(size, FAKE_FACTS, &trace), HS_OK);
    cr_assert_eq(hs_trace_open(trace, limits.memory), HS_OK);
    heap.opened++;
    cr_assert_eq(vm.mark(&heap, trace), HS_OK);
    struct hs_passes passes = {.trace = trace,
                               .pause_us = limits.pause_us,
                               .deadline_us = hs_clock_monotonic_us() + limits.time_us,
                               .tail_us = estimate_us};
    cr_assert_eq(hs_passes_run(&passes, &vm.passes), HS_OK);
    cr_assert_geq(passes.tails, 2, "%u", passes.tails);
    hs_passes_free(&passes);
    hs_trace_free(trace);
    vm.close(&heap);
    return passes.tail_us;
}

Test(passes, measure_what_the_vm_takes) {
    (void)slow_chain(10);
    cr_assert_geq(tail_after(0, 3000), 3000);
    int64_t tail = tail_after(1000000, 0);
    cr_assert_lt(tail, 1000000, "%lld", (long long)tail);
}

/* The VM's own work at the end of each is longer than the caller allows: after a few passes they stop; where it is more than
 * half of that, after some more, since on a busy machine it is also the time that a thread waits. */
Test(passes, end_when_none_can_be_short) {
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
