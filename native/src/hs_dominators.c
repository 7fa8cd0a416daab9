/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_dominators.h"

#include <string.h>

#include "hs_mem.h"

/* Nodes are numbered in the order in which a depth-first search reaches them: 1 is a node before all roots, which the
 * graph does not have. Arrays are by that number unless they say otherwise, and serve one purpose after the other:
 *
 *   number   by node: its number; 0: not reached
 *   order    the node                                 then label: see below
 *   parent   in the tree of the search                then ancestor: in the forest of linked numbers
 *   start    where the search is among the edges      then where its predecessors begin, then the semidominator
 *   dominator                                         the next number in the same bucket, then the dominator
 *
 * label: of a linked number, the one with the least semidominator on the way to the root of its tree in the forest; of a
 * number that is not linked yet, the first one of its bucket. The bucket is empty when the number is linked. */
struct run {
    const struct hs_graph *graph;
    const struct hs_class_facts *facts;
    uint32_t class_count;
    size_t elements; /* of each array */
    uint32_t last;   /* the highest number */
    uint32_t *number;
    uint32_t *order;
    uint32_t *parent;
    uint32_t *start;
    uint32_t *dominator;
    uint32_t *predecessors;
    size_t predecessor_count;
};

enum { VIRTUAL = 0, FIRST = 1 }; /* the node before all roots, and its number */

/* ---- successors ---- */

/* Where an enumeration is: the number of an edge, or one of these. Of VIRTUAL, the number of a root, then of a class. */
#define AT_CLASS UINT32_C(0)
#define AT_END   UINT32_MAX

static uint32_t first_successor(const struct run *run, uint32_t node) {
    if (node == VIRTUAL) {
        return 0;
    }
    uint16_t bits = run->facts[hs_graph_class_of(run->graph, node)].bits;
    bool is_own = (bits & HS_CLASS_OWN) != 0;
    return is_own ? AT_END : (uint32_t)hs_graph_edges_of(run->graph, node).next;
}

static uint32_t next_root(const struct run *run, uint32_t *at) {
    uint32_t roots = hs_graph_root_count(run->graph);
    while (*at < roots + run->class_count) {
        uint32_t number = (*at)++;
        if (number < roots) {
            return hs_graph_root(run->graph, number)->to;
        }
        uint32_t class_node = number - roots + 1;
        uint16_t bits = run->facts[class_node].bits;
        if ((bits & (HS_CLASS_STAYS | HS_CLASS_OWN)) == HS_CLASS_STAYS) {
            return class_node;
        }
    }
    return 0;
}

/* The next node to which this one leads strongly, or 0. */
static uint32_t next_successor(const struct run *run, uint32_t node, uint32_t *at) {
    if (node == VIRTUAL) {
        return next_root(run, at);
    }
    while (*at != AT_CLASS && *at != AT_END) {
        struct hs_graph_edges edges = {.graph = run->graph, .next = *at};
        struct hs_edge edge = {.to = 0};
        (void)hs_graph_next_edge(&edges, &edge);
        *at = (uint32_t)edges.next; /* AT_CLASS after the last one */
        if (edge.strength == HS_EDGE_STRONG) {
            return edge.to;
        }
    }
    if (*at == AT_END) {
        return 0;
    }
    *at = AT_END;
    uint32_t class_number = hs_graph_class_of(run->graph, node);
    bool leads_there = node > run->class_count && class_number != 0 &&
                       (run->facts[class_number].bits & HS_CLASS_STAYS) == 0;
    return leads_there ? class_number : 0;
}

/* ---- preparation ---- */

static void add_number(struct run *run, uint32_t node, uint32_t parent) {
    uint32_t number = ++run->last;
    run->number[node] = number;
    run->order[number] = node;
    run->parent[number] = parent;
    run->start[number] = first_successor(run, node);
}

/* The path from the first number to the one at hand is in `parent`, so there is no stack. */
static void number_nodes(struct run *run) {
    add_number(run, VIRTUAL, 0);
    uint32_t at = FIRST;
    while (at != 0) {
        uint32_t node = next_successor(run, run->order[at], &run->start[at]);
        if (node == 0) {
            at = run->parent[at];
        } else if (run->number[node] == 0) {
            add_number(run, node, at);
            at = run->last;
        }
    }
}

/* Counts the predecessors of each number in `start`; with `fills`, puts them into their places. */
static uint64_t each_predecessor(struct run *run, bool fills) {
    uint64_t count = 0;
    for (uint32_t number = FIRST; number <= run->last; number++) {
        uint32_t node = run->order[number];
        uint32_t at = first_successor(run, node);
        for (uint32_t to = next_successor(run, node, &at); to != 0;
             to = next_successor(run, node, &at)) {
            uint32_t *start = &run->start[run->number[to]];
            if (fills) {
                run->predecessors[--*start] = number;
            } else {
                ++*start;
            }
            count++;
        }
    }
    return count;
}

static enum hs_status find_predecessors(struct run *run) {
    memset(run->start, 0, run->elements * sizeof *run->start);
    uint64_t count = each_predecessor(run, false);
    if (count > UINT32_MAX) {
        return HS_NO_MEMORY;
    }
    run->predecessor_count = (size_t)count + 1; /* an array of none would be no memory */
    run->predecessors = hs_mem_new_array(run->predecessor_count, sizeof *run->predecessors);
    if (run->predecessors == NULL) {
        return HS_NO_MEMORY;
    }
    uint32_t sum = 0;
    for (uint32_t number = FIRST; number <= run->last; number++) {
        sum += run->start[number];
        run->start[number] = sum; /* their end; filling moves it to their beginning */
    }
    (void)each_predecessor(run, true);
    return HS_OK;
}

/* ---- dominators ---- */

/* The number with the least semidominator on the way from a linked number to the root of its tree, the root excluded.
 * Numbers from `linked` on are linked. All on the way are tied to the root. The way up is turned round meanwhile, so
 * there is no stack. */
static uint32_t least_on_way(struct run *run, uint32_t number, uint32_t linked) {
    uint32_t *ancestor = run->parent;
    uint32_t *label = run->order;
    const uint32_t *semi = run->start;
    uint32_t below = 0;
    uint32_t at = number;
    while (ancestor[at] >= linked) {
        uint32_t above = ancestor[at];
        ancestor[at] = below;
        below = at;
        at = above;
    }
    uint32_t root = ancestor[at];
    while (below != 0) {
        uint32_t next = ancestor[below];
        if (semi[label[at]] < semi[label[below]]) {
            label[below] = label[at];
        }
        ancestor[below] = root;
        at = below;
        below = next;
    }
    return label[number];
}

static uint32_t semidominator(struct run *run, uint32_t number, uint32_t end) {
    uint32_t least = run->parent[number];
    for (uint32_t i = run->start[number]; i < end; i++) {
        uint32_t predecessor = run->predecessors[i];
        uint32_t candidate = predecessor <= number
                                 ? predecessor
                                 : run->start[least_on_way(run, predecessor, number + 1)];
        least = candidate < least ? candidate : least;
    }
    return least;
}

/* All in the bucket of `of` get a dominator, or another number that has the same one. */
static void empty_bucket(struct run *run, uint32_t of, uint32_t linked) {
    const uint32_t *semi = run->start;
    uint32_t number = run->order[of];
    run->order[of] = 0;
    while (number != 0) {
        uint32_t next = run->dominator[number];
        uint32_t least = least_on_way(run, number, linked);
        run->dominator[number] = semi[least] < semi[number] ? least : of;
        number = next;
    }
}

static void find_dominators(struct run *run) {
    uint32_t *label = run->order;
    memset(label, 0, run->elements * sizeof *label);
    uint32_t end = (uint32_t)(run->predecessor_count - 1);
    for (uint32_t number = run->last; number > FIRST; number--) {
        uint32_t parent = run->parent[number];
        uint32_t semi = semidominator(run, number, end);
        end = run->start[number];
        run->start[number] = semi;
        run->dominator[number] = label[semi];
        label[semi] = number;
        label[number] = number; /* linked */
        empty_bucket(run, parent, number);
    }
    for (uint32_t number = FIRST + 1; number <= run->last; number++) {
        if (run->dominator[number] != run->start[number]) {
            run->dominator[number] = run->dominator[run->dominator[number]];
        }
    }
}

/* ---- the result ---- */

/* Sizes of the subtrees in `order`, places in `start`; in `parent` the place of the next child. */
static void place(struct run *run) {
    uint32_t *size = run->order;
    uint32_t *next = run->parent;
    for (uint32_t number = FIRST; number <= run->last; number++) {
        size[number] = 1;
    }
    for (uint32_t number = run->last; number > FIRST; number--) {
        size[run->dominator[number]] += size[number];
    }
    run->start[FIRST] = 1;
    next[FIRST] = 2;
    for (uint32_t number = FIRST + 1; number <= run->last; number++) {
        uint32_t dominator = run->dominator[number];
        run->start[number] = next[dominator];
        next[dominator] += size[number];
        next[number] = run->start[number] + 1;
    }
}

/* By node: places in `dominator`, sizes in `number`. */
static void sort_by_node(struct run *run, uint32_t node_count) {
    for (uint32_t node = 0; node <= node_count; node++) {
        uint32_t number = run->number[node];
        run->dominator[node] = number == 0 ? 0 : run->start[number];
        run->number[node] = number == 0 ? 0 : run->order[number];
    }
}

static uint32_t *new_array(const struct run *run) {
    return hs_mem_new_array(run->elements, sizeof(uint32_t));
}

static void free_array(const struct run *run, uint32_t *array) {
    hs_mem_free(array, run->elements * sizeof *array);
}

static enum hs_status run_all(struct run *run, uint32_t node_count) {
    run->number = new_array(run);
    run->order = new_array(run);
    run->parent = new_array(run);
    run->start = new_array(run);
    if (run->number == NULL || run->order == NULL || run->parent == NULL || run->start == NULL) {
        return HS_NO_MEMORY;
    }
    number_nodes(run);
    enum hs_status status = find_predecessors(run);
    run->dominator = status == HS_OK ? new_array(run) : NULL;
    if (run->dominator == NULL) {
        return HS_NO_MEMORY;
    }
    find_dominators(run);
    place(run);
    sort_by_node(run, node_count);
    return HS_OK;
}

enum hs_status hs_dominators_find(struct hs_dominators *dominators, const struct hs_graph *graph,
                                  const struct hs_class_facts *facts) {
    uint32_t node_count = hs_graph_node_count(graph);
    struct run run = {.graph = graph,
                      .facts = facts,
                      .class_count = hs_graph_class_count(graph),
                      .elements = (size_t)node_count + 2};
    enum hs_status status = HS_NO_MEMORY;
    if (hs_graph_root_count(graph) < UINT32_MAX - run.class_count) {
        status = run_all(&run, node_count);
    }
    free_array(&run, run.order);
    free_array(&run, run.parent);
    free_array(&run, run.start);
    hs_mem_free(run.predecessors, run.predecessor_count * sizeof *run.predecessors);
    *dominators = (struct hs_dominators){
        .places = run.dominator, .sizes = run.number, .node_count = node_count};
    if (status != HS_OK) {
        hs_dominators_free(dominators);
    }
    return status;
}

void hs_dominators_free(struct hs_dominators *dominators) {
    size_t bytes = ((size_t)dominators->node_count + 2) * sizeof(uint32_t);
    hs_mem_free(dominators->places, bytes);
    hs_mem_free(dominators->sizes, bytes);
    *dominators = (struct hs_dominators){.node_count = 0};
}
