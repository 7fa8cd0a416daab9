/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* The end of the time or the memory. */
#include "tier.h"
#include "trace_under_test.h"

TestSuite(trace_limits, .init = set_up, .fini = tear_down);

enum { LOADER = OTHERS, UNLOADED };

/* The class LOADER is that of a class loader, and UNLOADED may go. */
static const struct hs_class_facts *facts_with_a_loader(void) {
    static struct hs_class_facts facts[CLASSES + 1];
    memcpy(facts, FAKE_FACTS, sizeof facts);
    facts[LOADER].bits = HS_CLASS_LOADER | HS_CLASS_STAYS;
    return facts;
}

/* A root, and a class that may go below it. */
static void see_loader(void) {
    const struct hs_root root = {.kind = HS_ROOT_JNI_GLOBAL};
    int64_t tag = hs_trace_mark_target(trace, 0, 0);
    int64_t unloaded = UNLOADED;
    int64_t other = APP;
    cr_assert_eq(hs_trace_see_root(trace, &root, LOADER, &tag, 8), HS_TRACE_DESCEND);
    cr_assert_eq(hs_trace_see_root(trace, &root, 0, &unloaded, 16), HS_TRACE_DESCEND);
    const struct hs_trace_edge edge = {.kind = HS_EDGE_STATIC_FIELD,
                                       .from = &unloaded,
                                       .tag = &other,
                                       .place = 24,
                                       .from_place = 16};
    cr_assert_eq(hs_trace_see_edge(trace, &edge), HS_TRACE_DESCEND);
    cr_assert_neq(hs_trace_node(trace, 0), 0);
}

/* A walk by addresses that ends with the memory: each object refers to the next one, and to as many known ones. Then the search
 * has the memory that the walk left it, within what the process may take, and that for class loaders as well if one is a target. */
static void search_after(uint64_t most_bytes, int known, uint32_t nodes, bool has_loader) {
    enum { SPACING = 56, AREA_BYTES = 256 * 1024 /* of places, which grow by one at most */ };
    const struct hs_class_facts *facts = facts_with_a_loader();
    struct hs_trace_size size = {CLASSES, has_loader ? 1 : 0, 0};
    struct hs_paths *paths = NULL;
    struct hs_path path;
    uint64_t place = SPACING;
    int64_t tag = 0;
    int64_t no_tag = 0;
    cr_assert_eq(hs_trace_new(size, facts, &trace), HS_OK);
    cr_assert_eq(hs_trace_open(trace, most_bytes), HS_OK);
    hs_mem_set_budget(hs_mem_used() + most_bytes);
    cr_assert_eq(hs_places_new(&trace->places.nodes), HS_OK);
    trace->has_loaders = has_loader;
    if (has_loader) {
        see_loader();
    }
    const struct hs_root root = {.kind = HS_ROOT_JNI_GLOBAL};
    enum hs_trace_step step = hs_trace_see_root(trace, &root, APP, &tag, place);
    while (step == HS_TRACE_DESCEND) {
        bool is_last = hs_graph_node_count(trace->graph) >= nodes;
        for (int i = 0; (i < known || is_last) && step == HS_TRACE_DESCEND; i++) {
            const struct hs_trace_edge edge = {.kind = HS_EDGE_ELEMENT,
                                               .class_tag = APP,
                                               .from_class_tag = APP,
                                               .tag = &tag,
                                               .from = &no_tag,
                                               .place = SPACING,
                                               .from_place = place};
            step = hs_trace_see_edge(trace, &edge);
        }
        const struct hs_trace_edge next = {.kind = HS_EDGE_FIELD,
                                           .class_tag = APP,
                                           .from_class_tag = APP,
                                           .tag = &tag,
                                           .from = &no_tag,
                                           .place = place + SPACING,
                                           .from_place = place};
        step = step == HS_TRACE_DESCEND ? hs_trace_see_edge(trace, &next) : step;
        place += SPACING;
    }
    cr_assert_eq(trace->end, HS_TRACE_MEMORY);
    cr_assert_leq(hs_trace_bytes(trace), most_bytes + AREA_BYTES);
    hs_trace_finish(trace);
    cr_assert_eq(hs_paths_find(trace->graph, facts, &paths), HS_OK, "of %llu bytes",
                 (unsigned long long)most_bytes);
    if (has_loader) {
        hs_paths_to(paths, hs_trace_node(trace, 0), HS_UNRESOLVED_ONLY_WEAK, &path);
        cr_assert_eq(path.outcome, HS_HELD, "of %llu bytes", (unsigned long long)most_bytes);
    }
    hs_paths_free(paths);
    hs_mem_set_budget(HS_MEM_DEFAULT_BUDGET);
    hs_trace_free(trace);
    trace = NULL;
}

Test(trace_limits, leaves_memory_for_the_search) {
    const uint64_t step = tier_is_long() ? 400000 : 1400000;
    for (uint64_t most = 24 << 20; most <= 28 << 20; most += step) {
        search_after(most, 1, UINT32_MAX, false);
        search_after(most, 30, UINT32_MAX, false);
        search_after(most, 1, UINT32_MAX, true);
    }
}

/* An array whose elements are all known takes no node any more. */
Test(trace_limits, one_row_of_edges_leaves_memory_for_the_search) {
    search_after(28 << 20, 1, 600000, false);
    search_after(28 << 20, 1, 500000, true);
}

static enum hs_trace_step step_after(int64_t deadline_us, uint64_t most_bytes, uint32_t edges) {
    struct hs_trace_size size = {CLASSES, 0, 0};
    const struct hs_root root = {.kind = HS_ROOT_JNI_GLOBAL};
    enum hs_trace_step step = HS_TRACE_DESCEND;
    cr_assert_eq(hs_trace_new(size, FAKE_FACTS, &trace), HS_OK);
    cr_assert_eq(hs_trace_open(trace, most_bytes), HS_OK);
    trace->deadline_us = deadline_us;
    for (uint32_t i = 0; i < edges && step != HS_TRACE_STOP; i++) {
        int64_t tag = 0;
        step = hs_trace_see_root(trace, &root, APP, &tag, 0);
    }
    return step;
}

Test(trace_limits, ends_when_the_time_is_over) {
    cr_assert_eq(step_after(1, UINT64_C(1) << 30, 2000), HS_TRACE_STOP);
    cr_assert_eq(trace->end, HS_TRACE_TIME);
    cr_assert_eq(hs_trace_outcome(trace, true), HS_UNRESOLVED_PAUSE);
    cr_assert_eq(hs_trace_outcome(trace, false), HS_UNRESOLVED_TIME);
}

Test(trace_limits, ends_when_the_memory_is_used_up_the_tags_included) {
    enum { MOST = 1 << 20 };
    cr_assert_eq(step_after(0, MOST, MOST), HS_TRACE_STOP);
    cr_assert_eq(trace->end, HS_TRACE_MEMORY);
    cr_assert_eq(hs_trace_outcome(trace, false), HS_UNRESOLVED_MEMORY);
    cr_assert_lt(hs_graph_node_count(trace->graph), MOST / (HS_TAG_BYTES + HS_SEARCH_BYTES));
    int64_t tag = 0;
    cr_assert_eq(hs_trace_see_root(trace, &(struct hs_root){.kind = HS_ROOT_OTHER}, APP, &tag, 0),
                 HS_TRACE_STOP, "and it stays so");
}

/* Else the search would get no memory, and not one path would be found. The graph grows in blocks: some budgets end in one. */
Test(trace_limits, never_takes_more_than_its_memory_for_nodes_and_roots) {
    for (uint64_t most = UINT64_C(1) << 20; most < UINT64_C(16) << 20; most += 700000) {
        cr_assert_eq(step_after(0, most, UINT32_MAX), HS_TRACE_STOP);
        cr_assert_eq(trace->end, HS_TRACE_MEMORY);
        cr_assert_leq(hs_trace_bytes(trace), most);
        hs_trace_free(trace);
        trace = NULL;
    }
}

Test(trace_limits, never_takes_more_than_its_memory_for_edges) {
    for (uint64_t most = UINT64_C(1) << 20; most < UINT64_C(16) << 20; most += 700000) {
        int64_t tag = 0;
        cr_assert_eq(step_after(0, most, 0), HS_TRACE_DESCEND);
        cr_assert_eq(
            hs_trace_see_root(trace, &(struct hs_root){.kind = HS_ROOT_OTHER}, APP, &tag, 0),
            HS_TRACE_DESCEND);
        const struct hs_trace_edge edge = {.kind = HS_EDGE_ELEMENT,
                                           .class_tag = APP,
                                           .from_class_tag = APP,
                                           .tag = &tag,
                                           .from = &tag};
        enum hs_trace_step step = HS_TRACE_DESCEND;
        while (step != HS_TRACE_STOP) {
            step = hs_trace_see_edge(trace, &edge);
        }
        cr_assert_eq(trace->end, HS_TRACE_MEMORY);
        cr_assert_leq(hs_trace_bytes(trace), most);
        hs_trace_free(trace);
        trace = NULL;
    }
}

/* No dominators are sought in a graph of several moments. */
Test(trace_limits, counts_no_memory_for_dominators_where_none_are_sought) {
    (void)step_after(0, 1 << 20, 1000);
    uint64_t bytes = hs_trace_bytes(trace);
    trace->is_of_moments = true;
    uint64_t less = (uint64_t)(HS_SEARCH_BYTES - HS_LEAST_SEARCH_BYTES) *
                    (hs_graph_node_count(trace->graph) + 1);
    cr_assert_eq(hs_trace_bytes(trace), bytes - less);
}
