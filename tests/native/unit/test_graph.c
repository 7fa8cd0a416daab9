/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_graph.h"

#include <criterion/criterion.h>

#include "hs_mem.h"
#include "seeded.h"

enum { MIB = 1 << 20, ENOUGH = 64 * MIB };

static struct hs_graph *graph_new(uint32_t class_count) {
    struct hs_graph *graph = NULL;
    cr_assert_eq(hs_graph_new(class_count, ENOUGH, &graph), HS_OK);
    return graph;
}

static void add_field(struct hs_graph *graph, uint32_t from, uint32_t to, uint32_t index) {
    const struct hs_edge edge = {.to = to, .kind = HS_EDGE_FIELD, .index = index};
    cr_assert(hs_graph_add_edge(graph, from, &edge));
}

static uint32_t edges_of(const struct hs_graph *graph, uint32_t node) {
    struct hs_graph_edges edges = hs_graph_edges_of(graph, node);
    struct hs_edge edge;
    uint32_t count = 0;
    while (hs_graph_next_edge(&edges, &edge)) {
        count++;
    }
    return count;
}

Test(graph, begins_with_a_node_for_each_class) {
    struct hs_graph *graph = graph_new(3);
    cr_assert_eq(hs_graph_class_count(graph), 3);
    cr_assert_eq(hs_graph_node_count(graph), 3);
    cr_assert_eq(hs_graph_edge_count(graph), 0);
    cr_assert_eq(hs_graph_root_count(graph), 0);
    for (uint32_t n = 1; n <= 3; n++) {
        cr_assert_eq(hs_graph_class_of(graph, n), n);
        cr_assert_eq(edges_of(graph, n), 0);
    }
    cr_assert_eq(hs_graph_add_node(graph, 2), 4);
    cr_assert_eq(hs_graph_add_node(graph, 0), 5);
    cr_assert_eq(hs_graph_class_of(graph, 4), 2);
    cr_assert_eq(hs_graph_class_of(graph, 5), 0);
    hs_graph_free(graph);
}

Test(graph, keeps_every_kind_strength_and_index) {
    struct hs_graph *graph = graph_new(1);
    const uint32_t indexes[] = {0, 1, HS_EDGE_MAX_INDEX - 1, HS_EDGE_MAX_INDEX};
    struct hs_edge edge = {.to = 1};
    for (int kind = HS_EDGE_NONE; kind < HS_EDGE_KIND_COUNT; kind++) {
        for (int strength = HS_EDGE_STRONG; strength <= HS_EDGE_FINAL; strength++) {
            for (uint32_t i = 0; i < 4; i++) {
                edge.kind = (enum hs_edge_kind)kind;
                edge.strength = (enum hs_edge_strength)strength;
                edge.index = indexes[i];
                cr_assert(hs_graph_add_edge(graph, 1, &edge));
            }
        }
    }
    struct hs_graph_edges edges = hs_graph_edges_of(graph, 1);
    for (int kind = HS_EDGE_NONE; kind < HS_EDGE_KIND_COUNT; kind++) {
        for (int strength = HS_EDGE_STRONG; strength <= HS_EDGE_FINAL; strength++) {
            for (uint32_t i = 0; i < 4; i++) {
                cr_assert(hs_graph_next_edge(&edges, &edge));
                cr_assert_eq(edge.to, 1);
                cr_assert_eq((int)edge.kind, kind);
                cr_assert_eq((int)edge.strength, strength);
                cr_assert_eq(edge.index, indexes[i]);
            }
        }
    }
    cr_assert_not(hs_graph_next_edge(&edges, &edge));
    cr_assert_not(hs_graph_next_edge(&edges, &edge));
    hs_graph_free(graph);
}

Test(graph, an_index_that_is_too_large_becomes_the_largest) {
    struct hs_graph *graph = graph_new(1);
    add_field(graph, 1, 1, HS_EDGE_MAX_INDEX + 1);
    add_field(graph, 1, 1, UINT32_MAX);
    struct hs_graph_edges edges = hs_graph_edges_of(graph, 1);
    struct hs_edge edge;
    while (hs_graph_next_edge(&edges, &edge)) {
        cr_assert_eq(edge.index, HS_EDGE_MAX_INDEX);
        cr_assert_eq(edge.kind, HS_EDGE_FIELD);
    }
    cr_assert_eq(hs_graph_edge_count(graph), 2);
    hs_graph_free(graph);
}

Test(graph, rows_end_where_the_next_node_begins) {
    struct hs_graph *graph = graph_new(4);
    add_field(graph, 2, 1, 0);
    add_field(graph, 2, 3, 1);
    add_field(graph, 1, 2, 0);
    add_field(graph, 4, 4, 0);
    add_field(graph, 4, 4, 0); /* a parallel edge, and to itself */
    cr_assert_eq(edges_of(graph, 1), 1);
    cr_assert_eq(edges_of(graph, 2), 2);
    cr_assert_eq(edges_of(graph, 3), 0);
    cr_assert_eq(edges_of(graph, 4), 2);
    hs_graph_free(graph);
}

Test(graph, passes_over_a_second_row_of_a_node) {
    struct hs_graph *graph = graph_new(2);
    add_field(graph, 1, 2, 0);
    add_field(graph, 2, 1, 0);
    add_field(graph, 1, 1, 7); /* a second row of 1 */
    add_field(graph, 2, 2, 1); /* still the row of 2 */
    cr_assert_eq(edges_of(graph, 1), 1);
    cr_assert_eq(edges_of(graph, 2), 2);
    cr_assert_eq(hs_graph_edge_count(graph), 3);
    cr_assert_not(hs_graph_has_overflown(graph));
    hs_graph_free(graph);
}

Test(graph, passes_over_nodes_that_do_not_exist) {
    struct hs_graph *graph = graph_new(1);
    add_field(graph, 0, 1, 0);
    add_field(graph, 1, 0, 0);
    add_field(graph, 2, 1, 0);
    add_field(graph, 1, 2, 0);
    add_field(graph, UINT32_MAX, UINT32_MAX, 0);
    cr_assert(hs_graph_add_root(graph, &(struct hs_root){.to = 0, .kind = HS_ROOT_OTHER}));
    cr_assert(hs_graph_add_root(graph, &(struct hs_root){.to = 2, .kind = HS_ROOT_OTHER}));
    cr_assert_eq(hs_graph_edge_count(graph), 0);
    cr_assert_eq(hs_graph_root_count(graph), 0);
    hs_graph_free(graph);
}

Test(graph, keeps_roots_in_order) {
    struct hs_graph *graph = graph_new(1);
    for (int32_t i = 0; i < 5000; i++) {
        const struct hs_root root = {.to = 1,
                                     .kind = HS_ROOT_LOCAL,
                                     .thread = INT64_MAX - i,
                                     .method = UINT64_MAX - (uint64_t)i,
                                     .depth = i,
                                     .slot = -i};
        cr_assert(hs_graph_add_root(graph, &root));
    }
    cr_assert_eq(hs_graph_root_count(graph), 5000);
    for (int32_t i = 0; i < 5000; i++) {
        const struct hs_root *root = hs_graph_root(graph, (uint32_t)i);
        cr_assert_eq(root->kind, HS_ROOT_LOCAL);
        cr_assert_eq(root->thread, INT64_MAX - i);
        cr_assert_eq(root->method, UINT64_MAX - (uint64_t)i);
        cr_assert_eq(root->depth, i);
        cr_assert_eq(root->slot, -i);
    }
    hs_graph_free(graph);
}

/* Across small and large chunks, of which the last small one ends at 2^18 - 2^10. */
enum { MANY = 1100000 };

Test(graph, large_ones_are_what_was_added) {
    size_t used = hs_mem_used();
    struct hs_graph *graph = graph_new(10);
    struct seeded added = {1};
    for (uint32_t i = 11; i <= MANY; i++) {
        cr_assert_eq(hs_graph_add_node(graph, seeded_below(&added, 11)), i);
    }
    for (uint32_t i = 1; i <= MANY; i++) {
        for (uint32_t n = i % 3; n > 0; n--) {
            uint32_t to = seeded_below(&added, MANY) + 1;
            add_field(graph, i, to, seeded_below(&added, 1000));
        }
    }
    struct seeded found = {1};
    for (uint32_t i = 11; i <= MANY; i++) {
        cr_assert_eq(hs_graph_class_of(graph, i), seeded_below(&found, 11));
    }
    for (uint32_t i = 1; i <= MANY; i++) {
        struct hs_graph_edges edges = hs_graph_edges_of(graph, i);
        struct hs_edge edge;
        for (uint32_t n = i % 3; n > 0; n--) {
            cr_assert(hs_graph_next_edge(&edges, &edge));
            cr_assert_eq(edge.to, seeded_below(&found, MANY) + 1);
            cr_assert_eq(edge.index, seeded_below(&found, 1000));
        }
        cr_assert_not(hs_graph_next_edge(&edges, &edge));
    }
    cr_assert_eq(hs_graph_node_count(graph), MANY);
    cr_assert_eq(hs_graph_bytes(graph), hs_mem_used() - used);
    uint64_t content = 8 * (MANY + hs_graph_edge_count(graph));
    cr_assert_lt(hs_graph_bytes(graph), content + 5 * MIB, "two chunks may be nearly empty");
    hs_graph_free(graph);
    cr_assert_eq(hs_mem_used(), used);
}

Test(graph, a_small_one_takes_little) {
    struct hs_graph *graph = graph_new(100);
    cr_assert_lt(hs_graph_bytes(graph), 32 * 1024);
    hs_graph_free(graph);
}

Test(graph, stays_within_its_bytes) {
    struct hs_graph *graph = NULL;
    cr_assert_eq(hs_graph_new(10, 100, &graph), HS_NO_MEMORY);
    cr_assert_eq(hs_graph_new(10, 4096, &graph), HS_NO_MEMORY);
    cr_assert_eq(hs_graph_new(10, MIB, &graph), HS_OK);
    uint32_t nodes = 10;
    while (hs_graph_add_node(graph, 1) != 0) {
        nodes++;
    }
    cr_assert_gt(nodes, 50000);
    cr_assert_eq(hs_graph_node_count(graph), nodes);
    cr_assert_leq(hs_graph_bytes(graph), MIB);
    cr_assert(hs_graph_has_overflown(graph));
    hs_graph_free(graph);
}

Test(graph, a_lower_bound_takes_nothing_away_and_lets_nothing_in) {
    struct hs_graph *graph = NULL;
    const struct hs_edge edge = {.to = 1, .kind = HS_EDGE_ELEMENT};
    cr_assert_eq(hs_graph_new(2, MIB, &graph), HS_OK);
    hs_graph_set_most(graph, 100);
    uint64_t bytes = hs_graph_bytes(graph);
    while (hs_graph_add_edge(graph, 2, &edge)) {
    }
    cr_assert_eq(hs_graph_bytes(graph), bytes);
    cr_assert_eq(edges_of(graph, 2), hs_graph_edge_count(graph));
    hs_graph_free(graph);
}

Test(graph, nothing_is_added_after_an_overflow) {
    struct hs_graph *graph = NULL;
    cr_assert_eq(hs_graph_new(1, MIB, &graph), HS_OK);
    while (hs_graph_add_node(graph, 1) != 0) {
    }
    const struct hs_edge edge = {.to = 1, .kind = HS_EDGE_FIELD};
    const struct hs_root root = {.to = 1, .kind = HS_ROOT_OTHER};
    cr_assert_not(hs_graph_add_edge(graph, 1, &edge));
    cr_assert_not(hs_graph_add_root(graph, &root));
    cr_assert_eq(hs_graph_edge_count(graph), 0);
    cr_assert_eq(edges_of(graph, 1), 0);
    hs_graph_free(graph);
}

Test(graph, a_row_that_overflows_keeps_its_beginning) {
    struct hs_graph *graph = NULL;
    cr_assert_eq(hs_graph_new(2, MIB, &graph), HS_OK);
    const struct hs_edge edge = {.to = 1, .kind = HS_EDGE_ELEMENT};
    while (hs_graph_add_edge(graph, 2, &edge)) {
    }
    cr_assert_gt(hs_graph_edge_count(graph), 50000);
    cr_assert_eq(edges_of(graph, 2), hs_graph_edge_count(graph));
    hs_graph_free(graph);
}

Test(graph, freeing_none_does_nothing) {
    hs_graph_free(NULL);
}
