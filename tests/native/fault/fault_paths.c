/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Graph and search without memory: each says so, and what it has said stays true. */
#include "fault.h"
#include "hs_paths.h"
#include "unit/small_graph.h"

enum { NODES = 8000 };

/* Returns HS_NO_MEMORY once a node, an edge or a root found no room. */
static enum hs_status fill(struct hs_graph *graph) {
    enum hs_status status = HS_OK;
    uint32_t last = SHOP;
    for (uint32_t i = 0; i < NODES; i++) {
        uint32_t node = hs_graph_add_node(graph, ORDER);
        const struct hs_edge edge = {.to = node, .kind = HS_EDGE_STATIC_FIELD, .index = i};
        const struct hs_root root = {.to = node, .kind = HS_ROOT_LOCAL};
        bool is_added =
            node != 0 && hs_graph_add_edge(graph, last, &edge) && hs_graph_add_root(graph, &root);
        cr_assert_eq(is_added, !hs_graph_has_overflown(graph));
        status = is_added ? status : HS_NO_MEMORY;
        last = is_added ? node : last;
    }
    return status;
}

static enum hs_status graph_round(void) {
    struct hs_graph *graph = NULL;
    enum hs_status status = hs_graph_new(CLASS_COUNT, 1 << 24, &graph);
    if (status == HS_OK) {
        status = fill(graph);
        uint64_t edges = 0;
        for (uint32_t n = 1; n <= hs_graph_node_count(graph); n++) {
            struct hs_graph_edges row = hs_graph_edges_of(graph, n);
            struct hs_edge edge;
            while (hs_graph_next_edge(&row, &edge)) {
                cr_assert_leq(edge.to, hs_graph_node_count(graph));
                edges++;
            }
        }
        cr_assert_eq(edges, hs_graph_edge_count(graph));
    }
    hs_graph_free(graph);
    return status;
}

Test(fault_paths, a_graph_keeps_what_it_has) {
    cr_assert_geq(fault_each(graph_round, false), 13);
}

/* Built before, so that each failure is one of the search. */
static struct hs_graph *graph;
static uint32_t order, loader;

static void build(void) {
    static struct small_graph g;
    small_clear(&g);
    uint32_t shop = small_object(&g, SHOP);
    loader = small_object(&g, LOADER);
    order = small_object(&g, ORDER);
    small_static(&g, SHOP, shop, 0);
    small_field(&g, shop, loader, 0);
    small_field(&g, loader, PLUGIN, 0);
    small_static(&g, PLUGIN, order, 0);
    graph = small_build(&g);
}

static enum hs_status paths_round(void) {
    struct hs_paths *paths = NULL;
    enum hs_status status = hs_paths_find(graph, SMALL_FACTS, &paths);
    if (status == HS_OK) {
        (void)hs_paths_find_dominators(paths, INT64_MAX);
        struct hs_path path;
        hs_paths_to(paths, order, HS_UNRESOLVED_ONLY_WEAK, &path);
        cr_assert_eq(path.outcome, HS_HELD);
        hs_paths_to(paths, loader, HS_UNRESOLVED_ONLY_WEAK, &path);
        cr_assert(path.outcome == HS_HELD || path.outcome == HS_UNRESOLVED_MEMORY);
        bool is_whole = path.outcome == HS_HELD && hs_paths_has_dominators(paths);
        status = is_whole ? HS_OK : HS_NO_MEMORY;
        hs_paths_to(paths, loader, HS_UNRESOLVED_ONLY_WEAK, &path);
        cr_assert_eq(path.outcome, HS_HELD, "the next one tries again");
        hs_paths_to(paths, order, HS_UNRESOLVED_ONLY_WEAK, &path);
        cr_assert_eq(path.outcome, HS_HELD);
    }
    hs_paths_free(paths);
    return status;
}

Test(fault_paths, a_search_says_that_it_lacks_memory) {
    build();
    cr_assert_geq(fault_each(paths_round, false), 10);
    hs_graph_free(graph);
}
