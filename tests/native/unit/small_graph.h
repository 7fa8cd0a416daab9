/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* A graph of a few objects that a test writes down in any order, with classes of every sort. */
#ifndef SMALL_GRAPH_H
#define SMALL_GRAPH_H

#include <criterion/criterion.h>
#include <string.h>

#include "hs_class_facts.h"
#include "hs_graph.h"

enum {
    UNKNOWN, /* loaded since the classes were counted */
    ARRAY,
    THREAD,
    JDK,  /* of the JDK */
    SHOP, /* of the application, and stays; so does ORDER */
    ORDER,
    OWN,    /* of HeapSampler */
    PLUGIN, /* its loader may go; so may that of ADDON */
    ADDON,
    LOADER, /* a class of class loaders, which stays itself */
    VIRTUAL_THREAD,
    CLASS_COUNT = VIRTUAL_THREAD,
    FIRST_OBJECT
};

enum { LOCALS = 5, INHERITABLE = 6 };

static const struct hs_class_facts SMALL_FACTS[CLASS_COUNT + 1] = {
    [ARRAY] = {.bits = HS_CLASS_JDK | HS_CLASS_STAYS},
    [THREAD] = {.bits = HS_CLASS_JDK | HS_CLASS_STAYS | HS_CLASS_THREAD,
                .locals = {LOCALS, INHERITABLE}},
    [JDK] = {.bits = HS_CLASS_JDK | HS_CLASS_STAYS},
    [SHOP] = {.bits = HS_CLASS_STAYS},
    [ORDER] = {.bits = HS_CLASS_STAYS},
    [OWN] = {.bits = HS_CLASS_STAYS | HS_CLASS_OWN},
    [LOADER] = {.bits = HS_CLASS_JDK | HS_CLASS_STAYS | HS_CLASS_LOADER},
    [VIRTUAL_THREAD] = {.bits = HS_CLASS_JDK | HS_CLASS_STAYS | HS_CLASS_THREAD,
                        .locals = {LOCALS, INHERITABLE}},
};

enum { MOST_SMALL = 512 };

struct small_edge {
    uint32_t from;
    struct hs_edge edge;
};

struct small_graph {
    uint32_t node_count;
    uint32_t classes[MOST_SMALL]; /* of each node */
    uint32_t edge_count;
    struct small_edge edges[MOST_SMALL];
    uint32_t root_count;
    struct hs_root roots[MOST_SMALL];
};

static inline void small_clear(struct small_graph *small) {
    memset(small, 0, sizeof *small);
    small->node_count = CLASS_COUNT;
    for (uint32_t n = 1; n <= CLASS_COUNT; n++) {
        small->classes[n] = n;
    }
}

static inline uint32_t small_object(struct small_graph *small, uint32_t class_number) {
    cr_assert_lt(small->node_count + 1, MOST_SMALL);
    small->classes[++small->node_count] = class_number;
    return small->node_count;
}

static inline void small_link(struct small_graph *small, uint32_t from, uint32_t to,
                              enum hs_edge_kind kind, enum hs_edge_strength strength,
                              uint32_t index) {
    cr_assert_lt(small->edge_count, MOST_SMALL);
    small->edges[small->edge_count++] = (struct small_edge){
        .from = from, .edge = {.to = to, .kind = kind, .strength = strength, .index = index}};
}

static inline void small_field(struct small_graph *small, uint32_t from, uint32_t to,
                               uint32_t index) {
    small_link(small, from, to, HS_EDGE_FIELD, HS_EDGE_STRONG, index);
}

static inline void small_static(struct small_graph *small, uint32_t class_number, uint32_t to,
                                uint32_t index) {
    small_link(small, class_number, to, HS_EDGE_STATIC_FIELD, HS_EDGE_STRONG, index);
}

static inline void small_root(struct small_graph *small, uint32_t to, enum hs_root_kind kind,
                              int64_t thread) {
    cr_assert_lt(small->root_count, MOST_SMALL);
    small->roots[small->root_count++] = (struct hs_root){
        .to = to, .kind = kind, .thread = thread, .method = 7, .depth = 1, .slot = 2};
}

/* Each node's edges in a row, in the order in which they were written down. */
static inline struct hs_graph *small_build(const struct small_graph *small) {
    struct hs_graph *graph = NULL;
    cr_assert_eq(hs_graph_new(CLASS_COUNT, 1 << 20, &graph), HS_OK);
    for (uint32_t n = FIRST_OBJECT; n <= small->node_count; n++) {
        cr_assert_eq(hs_graph_add_node(graph, small->classes[n]), n);
    }
    for (uint32_t n = 1; n <= small->node_count; n++) {
        for (uint32_t i = 0; i < small->edge_count; i++) {
            cr_assert(small->edges[i].from != n ||
                      hs_graph_add_edge(graph, n, &small->edges[i].edge));
        }
    }
    for (uint32_t i = 0; i < small->root_count; i++) {
        cr_assert(hs_graph_add_root(graph, &small->roots[i]));
    }
    return graph;
}

#endif
