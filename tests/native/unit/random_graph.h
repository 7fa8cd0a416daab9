/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Small graphs at random, and what the references in them are, in one list. */
#ifndef RANDOM_GRAPH_H
#define RANDOM_GRAPH_H

#include "seeded.h"
#include "small_graph.h"

enum { MOST_OBJECTS = 24 };

static inline void random_edge(struct small_graph *small, struct seeded *seeded, bool is_unique) {
    uint32_t from = seeded_below(seeded, small->node_count) + 1;
    uint32_t to = seeded_below(seeded, small->node_count) + 1;
    /* Most lead from objects to objects. */
    if (seeded_below(seeded, 4) != 0) {
        from = CLASS_COUNT + 1 + seeded_below(seeded, small->node_count - CLASS_COUNT);
    }
    if (seeded_below(seeded, 8) != 0) {
        to = CLASS_COUNT + 1 + seeded_below(seeded, small->node_count - CLASS_COUNT);
    }
    uint32_t index = is_unique ? 100 + small->edge_count : seeded_below(seeded, 2);
    enum hs_edge_kind kind = HS_EDGE_FIELD;
    enum hs_edge_strength strength = HS_EDGE_STRONG;
    if (from <= CLASS_COUNT) {
        kind = seeded_below(seeded, 3) != 0 ? HS_EDGE_STATIC_FIELD : HS_EDGE_CONSTANT_POOL;
    } else if (seeded_below(seeded, 4) == 0) {
        index = LOCALS + seeded_below(seeded, 2);
    } else if (seeded_below(seeded, 6) == 0) {
        strength = seeded_below(seeded, 2) == 0 ? HS_EDGE_SOFT : HS_EDGE_FINAL;
    }
    small_link(small, from, to, kind, strength, index);
}

/* `is_unique`: no two steps are alike, except locals of threads. */
static inline void random_graph(struct small_graph *small, struct seeded *seeded, bool is_unique) {
    small_clear(small);
    uint32_t objects = 1 + seeded_below(seeded, MOST_OBJECTS);
    for (uint32_t i = 0; i < objects; i++) {
        (void)small_object(small, seeded_below(seeded, CLASS_COUNT + 1));
    }
    uint32_t edges = seeded_below(seeded, 3 * objects);
    for (uint32_t i = 0; i < edges; i++) {
        random_edge(small, seeded, is_unique);
    }
    uint32_t roots = seeded_below(seeded, 4);
    for (uint32_t i = 0; i < roots; i++) {
        uint32_t to = 1 + seeded_below(seeded, small->node_count);
        enum hs_root_kind kind =
            (enum hs_root_kind)(HS_ROOT_THREAD + seeded_below(seeded, HS_ROOT_OTHER - 1));
        bool is_thread = (SMALL_FACTS[small->classes[to]].bits & HS_CLASS_THREAD) != 0;
        small_root(small, to, kind != HS_ROOT_THREAD || is_thread ? kind : HS_ROOT_LOCAL, to);
    }
}

static inline bool small_is_class(uint32_t node) {
    return node <= CLASS_COUNT;
}

static inline bool small_has(const struct small_graph *small, uint32_t node, uint16_t bit) {
    return (SMALL_FACTS[small->classes[node]].bits & bit) != 0;
}

/* All references: those of the graph, then each object to its class if that may go. */
static inline uint32_t small_references(const struct small_graph *small,
                                        struct small_edge *references) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < small->edge_count; i++) {
        references[count++] = small->edges[i];
    }
    for (uint32_t n = FIRST_OBJECT; n <= small->node_count; n++) {
        if (small->classes[n] != UNKNOWN && !small_has(small, n, HS_CLASS_STAYS)) {
            references[count++] = (struct small_edge){
                .from = n, .edge = {.to = small->classes[n], .kind = HS_EDGE_CLASS}};
        }
    }
    return count;
}

#endif
