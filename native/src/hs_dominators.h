/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Dominators: without which objects others could not be reached (doc/holders.md).
 *
 * Node d dominates node n if each path of strong references from the roots to n goes through d; n itself does. Roots are
 * those of the graph, and the classes that stay. As in a search (hs_search.h), own objects and own classes are not passed
 * through, and an object leads to its class unless that stays.
 *
 * The algorithm is Lengauer's and Tarjan's of 1979, with path compression: its time is bounded by edges times the logarithm of
 * nodes. Those that iterate, such as that of Cooper, Harvey and Kennedy, or that climb the tree, such as Semi-NCA, take
 * quadratic time for a doubly linked list, or for a list whose values are also in an array (doc/holders.md).
 *
 * Thread: one at a time. Takes memory of hs_mem: 20 bytes for each node and 4 for each edge while it runs, 8 bytes for
 * each node afterwards. */
#ifndef HS_DOMINATORS_H
#define HS_DOMINATORS_H

#include <stdbool.h>
#include <stdint.h>

#include "hs_class_facts.h"
#include "hs_graph.h"

/* In the tree of dominators, numbered so that each subtree is a row of numbers. */
struct hs_dominators {
    uint32_t *places; /* of each node; 0: no strong path leads there */
    uint32_t *sizes;  /* of each place: nodes in its subtree */
    uint32_t node_count;
};

/* Returns false without memory, with more than 2^32 edges, or when the monotonic clock reaches the deadline (INT64_MAX:
 * none); then there is nothing to free. Owns: the caller calls hs_dominators_free. */
bool hs_dominators_find(struct hs_dominators *dominators, const struct hs_graph *graph,
                        const struct hs_class_facts *facts, int64_t deadline_us);

/* Harmless for one that is all 0. */
void hs_dominators_free(struct hs_dominators *dominators);

/* Does this node dominate the target? No, where no strong path leads to the target. */
static inline bool hs_dominators_is(const struct hs_dominators *dominators, uint32_t node,
                                    uint32_t target) {
    uint32_t place = dominators->places[node];
    return place != 0 && dominators->places[target] >= place &&
           dominators->places[target] - place < dominators->sizes[place];
}

#endif
