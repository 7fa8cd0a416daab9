/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_dominators.h"

#include "hs_clock.h"
#include "hs_mem.h"

/* A node, by its number in the order in which a depth-first search reaches them: 1 is a node before all roots, which the
 * graph does not have. Fields serve one purpose after the other, since they are most of the memory; in one struct, since
 * most of the time goes into lines of it that are not in a cache. */
struct vertex {
    uint32_t
        parent; /* in the tree of the search; then the ancestor in the forest of linked numbers; then a place */
    uint32_t label; /* the node; then as below; then the size of the subtree */
    uint32_t
        start; /* where the search is among the edges; then where its predecessors begin; then the semidominator */
    uint32_t
        dominator; /* count of predecessors; then the next number in the same bucket; then the dominator */
};
/* The label of a linked number is the one with the least semidominator on the way to the root of its tree in the forest;
 * of a number that is not linked yet, the first one of its bucket. The bucket is empty when the number is linked. */

struct run {
    const struct hs_graph *graph;
    const struct hs_class_facts *facts;
    int64_t deadline_us;
    uint32_t class_count;
    uint32_t node_count;
    uint32_t last; /* the highest number */
    uint32_t work; /* since the clock was read */
    bool is_late;
    uint64_t edge_count;
    uint32_t *numbers; /* by node; 0: not reached. Later its place */
    struct vertex *vertices;
    uint32_t *predecessors;
    uint32_t *sizes; /* by place */
};

enum { VIRTUAL = 0, FIRST = 1 }; /* the node before all roots, and its number */

/* Numbers, or edges, from one look at the clock to the next: about 1 ms. */
enum { LOOK_EVERY = 8192 };

static bool is_late(struct run *run) {
    if (++run->work == LOOK_EVERY) {
        run->work = 0;
        run->is_late = hs_clock_monotonic_us() >= run->deadline_us;
    }
    return run->is_late;
}

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
    run->numbers[node] = number;
    run->vertices[number] =
        (struct vertex){.parent = parent, .label = node, .start = first_successor(run, node)};
}

/* The way from the first number to the one at hand is in `parent`, so there is no stack. Returns false when it is late. */
static bool number_nodes(struct run *run) {
    add_number(run, VIRTUAL, 0);
    uint32_t at = FIRST;
    while (at != 0 && !is_late(run)) {
        struct vertex *vertex = &run->vertices[at];
        uint32_t node = next_successor(run, vertex->label, &vertex->start);
        if (node == 0) {
            at = vertex->parent;
            continue;
        }
        if (run->numbers[node] == 0) {
            add_number(run, node, at);
            at = run->last;
        }
        run->vertices[run->numbers[node]].dominator++;
        run->edge_count++;
    }
    return !run->is_late;
}

/* Their places are in the order of the numbers; filling one's moves `start` from its end to its beginning. The nodes
 * are visited in the order of the graph, which is kinder to caches. */
static bool fill_predecessors(struct run *run) {
    uint32_t sum = 0;
    for (uint32_t number = FIRST; number <= run->last; number++) {
        sum += run->vertices[number].dominator;
        run->vertices[number].start = sum;
    }
    for (uint32_t node = VIRTUAL; node <= run->node_count; node++) {
        if (run->numbers[node] == 0) {
            continue;
        }
        uint32_t at = first_successor(run, node);
        for (uint32_t to = next_successor(run, node, &at); to != 0;
             to = next_successor(run, node, &at)) {
            run->predecessors[--run->vertices[run->numbers[to]].start] = run->numbers[node];
            if (is_late(run)) {
                return false;
            }
        }
    }
    return true;
}

/* ---- dominators ---- */

/* The number with the least semidominator on the way from a linked number to the root of its tree, the root excluded.
 * Numbers from `linked` on are linked. All on the way are tied to the root. The way up is turned round meanwhile, so
 * there is no stack. */
static uint32_t least_on_way(struct vertex *vertices, uint32_t number, uint32_t linked) {
    uint32_t below = 0;
    uint32_t at = number;
    while (vertices[at].parent >= linked) {
        uint32_t above = vertices[at].parent;
        vertices[at].parent = below;
        below = at;
        at = above;
    }
    uint32_t root = vertices[at].parent;
    uint32_t label = vertices[at].label;
    uint32_t semi = vertices[label].start;
    while (below != 0) {
        struct vertex *vertex = &vertices[below];
        uint32_t own_semi = vertices[vertex->label].start;
        if (semi < own_semi) {
            vertex->label = label;
        } else {
            label = vertex->label;
            semi = own_semi;
        }
        below = vertex->parent;
        vertex->parent = root;
    }
    return label;
}

static uint32_t semidominator(const struct run *run, uint32_t number, uint32_t end) {
    struct vertex *vertices = run->vertices;
    uint32_t least = vertices[number].parent;
    for (uint32_t i = vertices[number].start; i < end; i++) {
        uint32_t candidate = run->predecessors[i];
        if (candidate > number) {
            candidate = vertices[least_on_way(vertices, candidate, number + 1)].start;
        }
        least = candidate < least ? candidate : least;
    }
    return least;
}

/* All in the bucket of `of` get a dominator, or another number that has the same one. */
static void empty_bucket(struct vertex *vertices, uint32_t of, uint32_t linked) {
    uint32_t number = vertices[of].label;
    vertices[of].label = 0;
    while (number != 0) {
        uint32_t next = vertices[number].dominator;
        uint32_t least = least_on_way(vertices, number, linked);
        vertices[number].dominator = vertices[least].start < vertices[number].start ? least : of;
        number = next;
    }
}

static bool find_dominators(struct run *run) {
    struct vertex *vertices = run->vertices;
    for (uint32_t number = FIRST; number <= run->last; number++) {
        vertices[number].label = 0;
    }
    uint32_t end = (uint32_t)run->edge_count;
    for (uint32_t number = run->last; number > FIRST; number--) {
        uint32_t parent = vertices[number].parent;
        uint32_t semi = semidominator(run, number, end);
        end = vertices[number].start;
        vertices[number].start = semi;
        vertices[number].dominator = vertices[semi].label;
        vertices[semi].label = number;
        vertices[number].label = number; /* linked */
        empty_bucket(vertices, parent, number);
        if (is_late(run)) {
            return false;
        }
    }
    for (uint32_t number = FIRST + 1; number <= run->last; number++) {
        uint32_t dominator = vertices[number].dominator;
        if (dominator != vertices[number].start) {
            vertices[number].dominator = vertices[dominator].dominator;
        }
    }
    return true;
}

/* ---- the result ---- */

/* The place of each number in `start`; meanwhile that of its next child in `parent`, the size of its subtree in `label`. */
static void place_vertices(struct run *run) {
    struct vertex *vertices = run->vertices;
    for (uint32_t number = FIRST; number <= run->last; number++) {
        vertices[number].label = 1;
    }
    for (uint32_t number = run->last; number > FIRST; number--) {
        vertices[vertices[number].dominator].label += vertices[number].label;
    }
    vertices[FIRST].start = 1;
    vertices[FIRST].parent = 2;
    for (uint32_t number = FIRST + 1; number <= run->last; number++) {
        struct vertex *vertex = &vertices[number];
        uint32_t *next = &vertices[vertex->dominator].parent;
        vertex->start = *next;
        vertex->parent = *next + 1;
        *next += vertex->label;
    }
    for (uint32_t number = FIRST; number <= run->last; number++) {
        run->sizes[vertices[number].start] = vertices[number].label;
    }
    for (uint32_t node = 0; node <= run->node_count; node++) {
        uint32_t number = run->numbers[node];
        run->numbers[node] = number == 0 ? 0 : vertices[number].start;
    }
}

static size_t elements_of(uint32_t node_count) {
    return (size_t)node_count + 2; /* one before all roots; and they begin with 1 */
}

static void free_predecessors(struct run *run) {
    hs_mem_free(run->predecessors, (size_t)run->edge_count * sizeof *run->predecessors);
    run->predecessors = NULL;
}

static bool run_all(struct run *run) {
    size_t elements = elements_of(run->node_count);
    run->numbers = hs_mem_new_array(elements, sizeof *run->numbers);
    run->vertices = hs_mem_new_array(elements, sizeof *run->vertices);
    if (run->numbers == NULL || run->vertices == NULL || !number_nodes(run)) {
        return false;
    }
    if (run->edge_count != 0) {
        bool fits = run->edge_count <= UINT32_MAX;
        size_t count = fits ? (size_t)run->edge_count : 0; /* of which there is no memory */
        run->predecessors = hs_mem_new_array(count, sizeof *run->predecessors);
        if (run->predecessors == NULL || !fill_predecessors(run)) {
            return false;
        }
    }
    if (!find_dominators(run)) {
        return false;
    }
    free_predecessors(run);
    run->sizes = hs_mem_new_array(elements, sizeof *run->sizes);
    if (run->sizes == NULL) {
        return false;
    }
    place_vertices(run);
    return true;
}

bool hs_dominators_find(struct hs_dominators *dominators, const struct hs_graph *graph,
                        const struct hs_class_facts *facts, int64_t deadline_us) {
    struct run run = {.graph = graph,
                      .facts = facts,
                      .deadline_us = deadline_us,
                      .class_count = hs_graph_class_count(graph),
                      .node_count = hs_graph_node_count(graph)};
    bool is_found = hs_graph_root_count(graph) < UINT32_MAX - run.class_count && run_all(&run);
    free_predecessors(&run);
    hs_mem_free(run.vertices, elements_of(run.node_count) * sizeof *run.vertices);
    *dominators = (struct hs_dominators){
        .places = run.numbers, .sizes = run.sizes, .node_count = run.node_count};
    if (!is_found) {
        hs_dominators_free(dominators);
    }
    return is_found;
}

void hs_dominators_free(struct hs_dominators *dominators) {
    size_t bytes = elements_of(dominators->node_count) * sizeof(uint32_t);
    hs_mem_free(dominators->places, bytes);
    hs_mem_free(dominators->sizes, bytes);
    *dominators = (struct hs_dominators){.node_count = 0};
}
