/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Search: through which reference each node of a graph is reached first (doc/holders.md).
 *
 * Breadth first, in phases; each node belongs to the first phase that reaches it, by the shortest way there:
 *   1. static fields of the application's classes, and thread-locals
 *   2. static fields of the JDK's classes, threads, JNI globals, all other roots; at equal length the first of these
 *   3. locals of Java frames, and of native ones
 *   4. from all of these on, also through soft references
 *   5. also through the queue of finalizers (HS_EDGE_FINAL)
 *
 * Objects of own classes, and these classes, are never passed through. A node leads to its class, and so to the class
 * loader, unless that stays indefinitely. A class that stays is not passed through either: its static fields are roots by
 * themselves, and what else it refers to begins with the class, as a root of kind HS_ROOT_SYSTEM_CLASS, in phase 2.
 *
 * A class whose loader may go, and a thread that is no root (a virtual one), begin paths in phase 1 as well, but only
 * if a search without them reaches them strongly: what a dead loader's class holds is dead. And only in a search for
 * data: that a class loader is held by a static field of its own class explains nothing, so HS_SEARCH_LOADERS has no such
 * beginnings. There, such a class is passed through like any object.
 *
 * Thread: one at a time. Takes memory of hs_mem: 12 bytes for each node while it runs, 8 afterwards. */
#ifndef HS_SEARCH_H
#define HS_SEARCH_H

#include <stdbool.h>
#include <stdint.h>

#include "hs_class_facts.h"
#include "hs_graph.h"
#include "hs_status.h"

enum hs_search_kind { HS_SEARCH_DATA, HS_SEARCH_LOADERS };

/* How a node is reached. All 0: it is not. Otherwise:
 *   from      edge
 *   a node    a number       by this edge of that node
 *   a node    0              from an instance to its class
 *   0         n + 1          by root n
 *   ... with HS_LINK_BEGINS:
 *   a node    a number       by this edge, with which the path begins: of a class, or to the locals of a thread
 *   0         0              a class that stays */
struct hs_link {
    uint32_t from;
    uint32_t edge;
};
#define HS_LINK_BEGINS (UINT32_C(1) << 31)

struct hs_search {
    struct hs_link *links; /* of each node, 0 included */
    uint32_t node_count;
    bool is_for_both; /* the other kind of search would find the same */
};

/* Owns: the caller calls hs_search_free. Fails: HS_NO_MEMORY, and then there is nothing to free. */
enum hs_status hs_search_run(struct hs_search *search, enum hs_search_kind kind,
                             const struct hs_graph *graph, const struct hs_class_facts *facts);

/* Harmless for one that is all 0. */
void hs_search_free(struct hs_search *search);

static inline bool hs_search_has_reached(const struct hs_search *search, uint32_t node) {
    return (search->links[node].from | search->links[node].edge) != 0;
}

/* Is this edge of an instance a field of a thread that leads to its thread-locals? */
static inline bool hs_search_is_locals(const struct hs_class_facts *of_class,
                                       const struct hs_edge *edge) {
    return (of_class->bits & HS_CLASS_THREAD) != 0 && edge->kind == HS_EDGE_FIELD &&
           (edge->index == of_class->locals[0] || edge->index == of_class->locals[1]);
}

#endif
