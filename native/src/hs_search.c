/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_search.h"

#include <string.h>

#include "hs_mem.h"

/* Classes whose loader may go, and threads that are no roots: those that may begin a path, in a search for data. */
struct candidates {
    uint32_t *nodes;
    uint32_t count;
    uint32_t capacity;
};

struct run {
    const struct hs_graph *graph;
    const struct hs_class_facts *facts;
    struct hs_link *links;
    uint32_t
        *order; /* the nodes in the order in which they were reached; from `head` on they wait */
    uint32_t head;
    uint32_t tail;
    uint32_t class_count;
    uint32_t node_count;
    enum hs_edge_strength most; /* edges are followed up to this strength */
    struct candidates candidates;
};

static bool is_reached(const struct run *run, uint32_t node) {
    return (run->links[node].from | run->links[node].edge) != 0;
}

static void reach(struct run *run, uint32_t node, uint32_t from, uint32_t edge) {
    if (!is_reached(run, node)) {
        run->links[node] = (struct hs_link){.from = from, .edge = edge};
        run->order[run->tail++] = node;
    }
}

/* Of its class; of a class node, of that class. */
static const struct hs_class_facts *facts_of(const struct run *run, uint32_t node) {
    return &run->facts[hs_graph_class_of(run->graph, node)];
}

static bool is_class(const struct run *run, uint32_t node) {
    return node <= run->class_count;
}

static bool is_passed_through(const struct run *run, uint32_t node) {
    uint16_t bits = facts_of(run, node)->bits;
    return (bits & HS_CLASS_OWN) == 0 && !(is_class(run, node) && (bits & HS_CLASS_STAYS) != 0);
}

/* What a node leads to, by edges from `least` up to the strength that counts now. */
static void expand(struct run *run, uint32_t node, enum hs_edge_strength least) {
    if (!is_passed_through(run, node)) {
        return;
    }
    struct hs_graph_edges edges = hs_graph_edges_of(run->graph, node);
    struct hs_edge edge;
    for (uint32_t number = (uint32_t)edges.next; hs_graph_next_edge(&edges, &edge);
         number = (uint32_t)edges.next) {
        if (edge.strength >= least && edge.strength <= run->most) {
            reach(run, edge.to, node, number);
        }
    }
    uint32_t class_number = hs_graph_class_of(run->graph, node);
    if (!is_class(run, node) && class_number != 0 &&
        (run->facts[class_number].bits & HS_CLASS_STAYS) == 0) {
        reach(run, class_number, node, 0);
    }
}

static void expand_waiting(struct run *run) {
    while (run->head < run->tail) {
        expand(run, run->order[run->head++], HS_EDGE_STRONG);
    }
}

/* ---- beginnings ---- */

/* Paths that begin with the static fields of a class, or with all else it refers to. */
static void begin_at_class(struct run *run, uint32_t class_node, bool with_static_fields) {
    struct hs_graph_edges edges = hs_graph_edges_of(run->graph, class_node);
    struct hs_edge edge;
    for (uint32_t number = (uint32_t)edges.next; hs_graph_next_edge(&edges, &edge);
         number = (uint32_t)edges.next) {
        if ((edge.kind == HS_EDGE_STATIC_FIELD) == with_static_fields) {
            reach(run, edge.to, class_node | HS_LINK_BEGINS, number);
        }
    }
}

static void begin_at_static_fields(struct run *run, bool of_jdk) {
    for (uint32_t n = 1; n <= run->class_count; n++) {
        uint16_t bits = run->facts[n].bits;
        if ((bits & HS_CLASS_STAYS) != 0 && (bits & HS_CLASS_OWN) == 0 &&
            ((bits & HS_CLASS_JDK) != 0) == of_jdk) {
            begin_at_class(run, n, true);
        }
    }
}

/* A class that stays and that no reference reached is a root. It has been visited by the walk if it has edges. */
static void begin_at_classes(struct run *run) {
    for (uint32_t n = 1; n <= run->class_count; n++) {
        uint16_t bits = run->facts[n].bits;
        if ((bits & HS_CLASS_STAYS) != 0 && (bits & HS_CLASS_OWN) == 0 &&
            hs_graph_edges_of(run->graph, n).next != 0) {
            reach(run, n, HS_LINK_BEGINS, 0);
            begin_at_class(run, n, false);
        }
    }
}

static void begin_at_locals(struct run *run, uint32_t thread) {
    const struct hs_class_facts *facts = facts_of(run, thread);
    if (is_class(run, thread) || (facts->bits & HS_CLASS_OWN) != 0) {
        return;
    }
    struct hs_graph_edges edges = hs_graph_edges_of(run->graph, thread);
    struct hs_edge edge;
    for (uint32_t number = (uint32_t)edges.next; hs_graph_next_edge(&edges, &edge);
         number = (uint32_t)edges.next) {
        if (edge.strength == HS_EDGE_STRONG && hs_search_is_locals(facts, &edge)) {
            reach(run, edge.to, thread | HS_LINK_BEGINS, number);
        }
    }
}

static void begin_at_locals_of_roots(struct run *run) {
    for (uint32_t i = 0; i < hs_graph_root_count(run->graph); i++) {
        const struct hs_root *root = hs_graph_root(run->graph, i);
        if (root->kind == HS_ROOT_THREAD) {
            begin_at_locals(run, root->to);
        }
    }
}

static void begin_at_candidates(struct run *run, bool at_classes) {
    for (uint32_t i = 0; i < run->candidates.count; i++) {
        uint32_t node = run->candidates.nodes[i];
        if (is_class(run, node) && at_classes) {
            begin_at_class(run, node, true);
        } else if (!is_class(run, node) && !at_classes) {
            begin_at_locals(run, node);
        }
    }
}

/* The groups of roots, by phase and by order in it. */
enum group { THREADS, JNI_GLOBALS, OTHER_ROOTS, LOCALS };

static enum group group_of(enum hs_root_kind kind) {
    switch (kind) {
    case HS_ROOT_THREAD: return THREADS;
    case HS_ROOT_JNI_GLOBAL: return JNI_GLOBALS;
    case HS_ROOT_LOCAL:
    case HS_ROOT_JNI_LOCAL: return LOCALS;
    default: return OTHER_ROOTS;
    }
}

static void begin_at_roots(struct run *run, enum group group) {
    for (uint32_t i = 0; i < hs_graph_root_count(run->graph); i++) {
        const struct hs_root *root = hs_graph_root(run->graph, i);
        if (group_of(root->kind) == group) {
            reach(run, root->to, 0, i + 1);
        }
    }
}

/* Goes on from all that is reached, by edges of one strength more. */
static void follow_also(struct run *run, enum hs_edge_strength strength) {
    run->most = strength;
    uint32_t reached = run->tail;
    for (uint32_t i = 0; i < reached; i++) {
        expand(run, run->order[i], strength);
    }
    expand_waiting(run);
}

static void run_strong_phases(struct run *run) {
    run->most = HS_EDGE_STRONG;
    begin_at_static_fields(run, false);
    begin_at_candidates(run, true);
    begin_at_locals_of_roots(run);
    begin_at_candidates(run, false);
    expand_waiting(run);

    begin_at_static_fields(run, true);
    begin_at_roots(run, THREADS);
    begin_at_roots(run, JNI_GLOBALS);
    begin_at_roots(run, OTHER_ROOTS);
    begin_at_classes(run);
    expand_waiting(run);

    begin_at_roots(run, LOCALS);
    expand_waiting(run);
}

/* ---- candidates ---- */

static bool has_static_fields(const struct run *run, uint32_t class_node) {
    struct hs_graph_edges edges = hs_graph_edges_of(run->graph, class_node);
    struct hs_edge edge;
    while (hs_graph_next_edge(&edges, &edge)) {
        if (edge.kind == HS_EDGE_STATIC_FIELD) {
            return true;
        }
    }
    return false;
}

static bool has_locals(const struct run *run, uint32_t thread) {
    struct hs_graph_edges edges = hs_graph_edges_of(run->graph, thread);
    struct hs_edge edge;
    while (hs_graph_next_edge(&edges, &edge)) {
        if (hs_search_is_locals(facts_of(run, thread), &edge)) {
            return true;
        }
    }
    return false;
}

/* Before the search: a thread that is a root is marked in `links`. */
static bool is_candidate(const struct run *run, uint32_t node) {
    uint16_t bits = facts_of(run, node)->bits;
    if (is_class(run, node)) {
        return (bits & (HS_CLASS_OWN | HS_CLASS_STAYS)) == 0 && has_static_fields(run, node);
    }
    return (bits & HS_CLASS_THREAD) != 0 && !is_reached(run, node) && has_locals(run, node);
}

static void mark_threads(struct run *run, uint32_t mark) {
    for (uint32_t i = 0; i < hs_graph_root_count(run->graph); i++) {
        const struct hs_root *root = hs_graph_root(run->graph, i);
        if (root->kind == HS_ROOT_THREAD) {
            run->links[root->to].edge = mark;
        }
    }
}

static uint32_t each_candidate(const struct run *run, uint32_t *nodes) {
    uint32_t count = 0;
    for (uint32_t node = 1; node <= run->node_count; node++) {
        if (is_candidate(run, node)) {
            if (nodes != NULL) {
                nodes[count] = node;
            }
            count++;
        }
    }
    return count;
}

static enum hs_status find_candidates(struct run *run) {
    struct candidates *candidates = &run->candidates;
    mark_threads(run, 1);
    candidates->capacity = each_candidate(run, NULL);
    if (candidates->capacity != 0) {
        candidates->nodes = hs_mem_new_array(candidates->capacity, sizeof *candidates->nodes);
        if (candidates->nodes == NULL) {
            return HS_NO_MEMORY;
        }
        candidates->count = each_candidate(run, candidates->nodes);
    }
    mark_threads(run, 0);
    return HS_OK;
}

/* Keeps those that a search without them reaches, and forgets that search. */
static void choose_candidates(struct run *run) {
    struct candidates *candidates = &run->candidates;
    uint32_t found = candidates->count;
    candidates->count = 0;
    run_strong_phases(run);
    for (uint32_t i = 0; i < found; i++) {
        if (is_reached(run, candidates->nodes[i])) {
            candidates->nodes[candidates->count++] = candidates->nodes[i];
        }
    }
    memset(run->links, 0, ((size_t)run->node_count + 1) * sizeof *run->links);
    run->head = 0;
    run->tail = 0;
}

/* ---- the search ---- */

static enum hs_status run_all(struct run *run, enum hs_search_kind kind, bool *is_for_both) {
    *is_for_both = false;
    if (kind == HS_SEARCH_DATA) {
        enum hs_status status = find_candidates(run);
        if (status != HS_OK) {
            return status;
        }
        if (run->candidates.count != 0) {
            choose_candidates(run);
        }
        *is_for_both = run->candidates.count == 0;
    }
    run_strong_phases(run);
    follow_also(run, HS_EDGE_SOFT);
    follow_also(run, HS_EDGE_FINAL);
    return HS_OK;
}

enum hs_status hs_search_run(struct hs_search *search, enum hs_search_kind kind,
                             const struct hs_graph *graph, const struct hs_class_facts *facts) {
    struct run run = {.graph = graph,
                      .facts = facts,
                      .class_count = hs_graph_class_count(graph),
                      .node_count = hs_graph_node_count(graph)};
    size_t elements = (size_t)run.node_count + 1;
    *search = (struct hs_search){.node_count = run.node_count};
    run.links = hs_mem_new_array(elements, sizeof *run.links);
    run.order = hs_mem_new_array(elements, sizeof *run.order);
    enum hs_status status = HS_NO_MEMORY;
    if (run.links != NULL && run.order != NULL) {
        status = run_all(&run, kind, &search->is_for_both);
    }
    hs_mem_free(run.candidates.nodes, run.candidates.capacity * sizeof *run.candidates.nodes);
    hs_mem_free(run.order, elements * sizeof *run.order);
    search->links = run.links;
    if (status != HS_OK) {
        hs_search_free(search);
    }
    return status;
}

void hs_search_free(struct hs_search *search) {
    hs_mem_free(search->links, ((size_t)search->node_count + 1) * sizeof *search->links);
    *search = (struct hs_search){.node_count = 0};
}
