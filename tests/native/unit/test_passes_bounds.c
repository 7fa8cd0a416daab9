/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* What bounds one pass, of objects that the test makes known itself. */
#include "fake_heap.h"
#include "hs_clock.h"
#include "hs_mem.h"
#include "hs_passes_parts.h"

enum { MOST_KNOWN = 1 << 20, PAUSE_US = 20000, ROW = 64 };

static struct hs_trace *trace;
static struct hs_passes passes;

/* All classes are done. */
static void set_up(void) {
    make_up_time();
    const struct hs_trace_size size = {CLASSES, 0, 0};
    cr_assert_eq(hs_trace_new(size, FAKE_FACTS, &trace), HS_OK);
    cr_assert_eq(hs_trace_open(trace, UINT64_C(1) << 30), HS_OK);
    passes = (struct hs_passes){.trace = trace, .pause_us = PAUSE_US, .room = MOST_KNOWN};
    passes.share = (struct hs_passes_share){HS_PASSES_FRONTIER, PAUSE_US / 4};
    passes.states = hs_mem_new_array(MOST_KNOWN, sizeof *passes.states);
    passes.parents = hs_mem_new_array(MOST_KNOWN, sizeof *passes.parents);
    for (uint32_t i = 1; i <= CLASSES; i++) {
        passes.states[i] = IS_DONE;
    }
}

static void tear_down(void) {
    hs_passes_free(&passes);
    hs_trace_free(trace);
}

static uint32_t node(uint32_t parent, uint16_t state) {
    uint32_t added = hs_graph_add_node(trace->graph, APP);
    cr_assert(added != 0 && added < MOST_KNOWN);
    passes.parents[added] = parent;
    passes.states[added] = state;
    return added;
}

/* As an element of the array that a pass begins at. */
static enum hs_trace_step show_first(uint32_t to) {
    int64_t tag = to;
    const int64_t no_tag = 0;
    const struct hs_trace_edge edge = {
        .kind = HS_EDGE_ELEMENT, .class_tag = APP, .tag = &tag, .from = &no_tag};
    return hs_passes_see_edge(&passes, &edge, 16);
}

/* As many references to the class. */
static enum hs_trace_step show_row(uint32_t from, int edges) {
    int64_t tag = from;
    int64_t to = APP;
    const struct hs_trace_edge edge = {
        .kind = HS_EDGE_FIELD, .class_tag = APP, .from_class_tag = APP, .tag = &to, .from = &tag};
    enum hs_trace_step step = HS_TRACE_DESCEND;
    for (int i = 0; i < edges && step != HS_TRACE_STOP; i++) {
        step = hs_passes_see_edge(&passes, &edge, 16);
    }
    return step;
}

/* Objects of which each takes a ms: how many does a pass show? */
static int rows_shown(uint16_t state) {
    int rows = 0;
    hs_passes_begin(&passes);
    (void)show_first(node(0, IS_PICKED | IS_DONE));
    while (rows < 1000 && show_row(node(0, state), ROW) != HS_TRACE_STOP) {
        let_pass(1000);
        rows++;
    }
    cr_assert(passes.is_cut);
    hs_passes_end(&passes);
    return rows;
}

TestSuite(passes_bounds, .init = set_up, .fini = tear_down, .timeout = 60);

Test(passes_bounds, a_pass_with_new_objects_ends_with_its_share) {
    int rows = rows_shown(0);
    cr_assert_leq(rows, PAUSE_US / 4 / 1000 + 1, "%d", rows);
}

Test(passes_bounds, a_pass_through_known_objects_leaves_time_for_new_ones_and_the_vm) {
    int rows = rows_shown(IS_DONE | IS_OPEN);
    cr_assert_leq(rows, PAUSE_US / 2 / 1000 + 1, "%d", rows);
    passes.tail_us = PAUSE_US / 2;
    hs_passes_begin(&passes);
    (void)show_first(node(0, IS_PICKED | IS_DONE));
    int64_t known_us = passes.stop_at_us - passes.first_us;
    cr_assert_leq(known_us + PAUSE_US / 8 + passes.tail_us, PAUSE_US, "%lld", (long long)known_us);
    passes.tail_us = 2 * PAUSE_US;
    hs_passes_begin(&passes);
    (void)show_first(node(0, IS_PICKED | IS_DONE));
    cr_assert_eq(passes.stop_at_us - passes.first_us, PAUSE_US / 8, "it comes to something");
}

Test(passes_bounds, a_pass_that_came_late_to_new_objects_has_an_eighth_of_a_pause) {
    passes.share.work_us = 0;
    hs_passes_begin(&passes);
    (void)show_first(node(0, IS_PICKED | IS_DONE));
    int64_t before = hs_clock_monotonic_us();
    cr_assert_neq(show_row(node(0, 0), 1), HS_TRACE_STOP);
    int64_t after = hs_clock_monotonic_us();
    cr_assert_geq(passes.stop_at_us, before + PAUSE_US / 8);
    cr_assert_leq(passes.stop_at_us, after + PAUSE_US / 8);
}

/* A look at all tags compares each with each that is wanted, some 1 ns each time. */
Test(passes_bounds, fewer_objects_are_looked_up_among_more) {
    enum { SOME = 2000, MANY = 700000 };
    hs_passes_begin_frontier(&passes);
    for (int i = 0; i < SOME; i++) {
        (void)node(0, 0);
    }
    cr_assert_eq(hs_passes_pick(&passes), HS_PASSES_FRONTIER);
    while (hs_graph_node_count(trace->graph) < MANY) {
        (void)node(0, 0);
    }
    passes.states[passes.first_new] = 0;
    uint32_t count = hs_passes_pick(&passes);
    cr_assert_eq(count, PAUSE_US * 1000 / MANY, "%u", count);
}

Test(passes_bounds, some_are_looked_up_in_any_case) {
    hs_passes_begin_frontier(&passes);
    passes.pause_us = 1;
    for (int i = 0; i < 1000; i++) {
        (void)node(0, 0);
    }
    cr_assert_eq(hs_passes_pick(&passes), 16);
}

static bool has_all(void *context, uint32_t node) {
    return context == &passes && node != 0;
}

/* The VM's part keeps references to roots. */
Test(passes_bounds, what_needs_no_lookup_does_not_count_as_one) {
    const struct hs_passes_vm vm = {.context = &passes, .is_at_hand = has_all};
    hs_passes_begin_frontier(&passes);
    passes.pause_us = 1;
    passes.vm = &vm;
    for (int i = 0; i < 1000; i++) {
        (void)node(0, 0);
    }
    cr_assert_eq(hs_passes_pick(&passes), 1000);
}

/* The objects that led to the frontier no longer do, and have many references: those that were seen are not asked again. */
Test(passes_bounds, a_pass_that_meets_nothing_new_ends) {
    enum { ROOTS = 200 };
    uint32_t roots[ROOTS];
    uint32_t children[ROOTS];
    uint32_t shown = 0;
    passes.pause_us = 500;
    for (int i = 0; i < ROOTS; i++) {
        roots[i] = node(0, IS_DONE);
    }
    hs_passes_begin_frontier(&passes);
    for (int i = 0; i < ROOTS; i++) {
        children[i] = node(roots[i], 0);
    }
    uint32_t count = hs_passes_pick(&passes);
    cr_assert_eq(count, ROOTS);
    for (uint32_t i = 0; i < count; i++) {
        hs_passes_found(&passes, passes.tags[i]);
    }
    hs_passes_begin(&passes);
    while (shown < ROOTS && show_first(roots[shown]) == HS_TRACE_DESCEND &&
           show_row(roots[shown], ROW + 6) != HS_TRACE_STOP) {
        let_pass(1000);
        shown++;
    }
    hs_passes_end(&passes);
    cr_assert(shown > 0 && shown < 4, "%u", shown);
    hs_passes_settle(&passes, count);
    cr_assert_eq(hs_passes_pick(&passes), ROOTS);
    for (uint32_t i = 0; i < ROOTS; i++) {
        cr_assert_eq(passes.tags[i], i < shown ? children[i] : roots[i], "%u", i);
    }
}

/* The way to the last one does not fit in. */
Test(passes_bounds, as_many_objects_are_gone_through_as_there_is_room_for) {
    enum { LONG = 200, WAYS = HS_PASSES_OPEN / LONG + 1 };
    uint32_t last = APP;
    hs_passes_begin_frontier(&passes);
    for (int i = 0; i < WAYS; i++) {
        last = APP;
        for (int j = 0; j < LONG; j++) {
            last = node(last, IS_DONE);
        }
        (void)node(last, 0);
    }
    cr_assert_eq(hs_passes_pick(&passes), 2);
    cr_assert_eq(passes.open_count, HS_PASSES_OPEN);
    cr_assert_eq(passes.tags[0], APP);
    cr_assert_eq(passes.tags[1], last);
}

Test(passes_bounds, begins_again_at_roots_and_at_what_was_followed) {
    uint32_t root = node(0, 0);
    cr_assert(hs_passes_begins_again(&passes, root));
    cr_assert(hs_passes_begins_again(&passes, node(root, IS_DONE)));
    cr_assert_not(hs_passes_begins_again(&passes, node(root, 0)), "its edges come now");
}
