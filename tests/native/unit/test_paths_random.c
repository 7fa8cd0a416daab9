/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Paths in graphs at random, against a search that is written down as the rules are said: for each phase its
 * beginnings, then distances that are corrected until none changes. */
#include "hs_paths.h"

#include <criterion/criterion.h>

#include "hs_mem.h"
#include "random_graph.h"

enum { PHASES = 5, NEVER = 1000 };

static struct small_graph g;
static struct small_edge references[2 * MOST_SMALL];
static uint32_t reference_count;

/* What the rules yield for each node. */
struct found {
    int phase[MOST_SMALL];    /* from 1; 0: none */
    int distance[MOST_SMALL]; /* from a beginning; in phase 4 and 5 from what was there before */
};

static bool is_root_of_kind(uint32_t node, enum hs_root_kind kind) {
    for (uint32_t i = 0; i < g.root_count; i++) {
        if (g.roots[i].to == node && g.roots[i].kind == kind) {
            return true;
        }
    }
    return false;
}

static bool is_root_in_phase(uint32_t node, int phase) {
    bool is_local =
        is_root_of_kind(node, HS_ROOT_LOCAL) || is_root_of_kind(node, HS_ROOT_JNI_LOCAL);
    bool is_other = false;
    for (int kind = HS_ROOT_NONE; kind < HS_ROOT_KIND_COUNT; kind++) {
        is_other = is_other || (kind != HS_ROOT_LOCAL && kind != HS_ROOT_JNI_LOCAL &&
                                is_root_of_kind(node, (enum hs_root_kind)kind));
    }
    return (phase == 3 && is_local) || (phase == 2 && is_other);
}

static bool stays(uint32_t node) {
    return small_has(&g, node, HS_CLASS_STAYS);
}

static bool has_references(uint32_t node) {
    for (uint32_t i = 0; i < g.edge_count; i++) {
        if (g.edges[i].from == node) {
            return true;
        }
    }
    return false;
}

/* `alive`: what a search without beginnings at classes that may go and virtual threads reaches strongly; NULL: that one. */
static bool begins_in_phase(const struct small_edge *reference, int phase,
                            const struct found *alive) {
    uint32_t from = reference->from;
    const struct hs_edge *edge = &reference->edge;
    if (small_has(&g, from, HS_CLASS_OWN)) {
        return false;
    }
    bool is_alive = alive != NULL && alive->phase[from] >= 1 && alive->phase[from] <= 3;
    if (small_is_class(from)) {
        bool is_static = edge->kind == HS_EDGE_STATIC_FIELD;
        int own_phase = is_static && !small_has(&g, from, HS_CLASS_JDK) ? 1 : 2;
        return phase == own_phase && (stays(from) || (is_static && is_alive));
    }
    bool is_locals = small_has(&g, from, HS_CLASS_THREAD) && edge->kind == HS_EDGE_FIELD &&
                     edge->strength == HS_EDGE_STRONG &&
                     (edge->index == LOCALS || edge->index == INHERITABLE);
    return phase == 1 && is_locals && (is_root_of_kind(from, HS_ROOT_THREAD) || is_alive);
}

static bool is_passed_through(uint32_t node) {
    return !small_has(&g, node, HS_CLASS_OWN) && !(small_is_class(node) && stays(node));
}

static void begin_phase(struct found *found, int phase, const struct found *alive) {
    for (uint32_t n = 1; n <= g.node_count; n++) {
        bool is_class_root = phase == 2 && small_is_class(n) && stays(n) &&
                             !small_has(&g, n, HS_CLASS_OWN) && has_references(n);
        if (found->phase[n] == 0 && (is_root_in_phase(n, phase) || is_class_root)) {
            found->distance[n] = 0;
        }
    }
    for (uint32_t i = 0; i < reference_count; i++) {
        uint32_t to = references[i].edge.to;
        if (found->phase[to] == 0 && begins_in_phase(&references[i], phase, alive)) {
            found->distance[to] = 0;
        }
    }
}

static void run_phase(struct found *found, int phase) {
    int most = phase <= 3 ? HS_EDGE_STRONG : phase == 4 ? HS_EDGE_SOFT : HS_EDGE_FINAL;
    for (bool has_changed = true; has_changed;) {
        has_changed = false;
        for (uint32_t i = 0; i < reference_count; i++) {
            uint32_t from = references[i].from;
            uint32_t to = references[i].edge.to;
            int before = found->phase[from] != 0 ? 0 : found->distance[from];
            if (is_passed_through(from) && (int)references[i].edge.strength <= most &&
                found->phase[to] == 0 && before + 1 < found->distance[to]) {
                found->distance[to] = before + 1;
                has_changed = true;
            }
        }
    }
    for (uint32_t n = 1; n <= g.node_count; n++) {
        if (found->phase[n] == 0 && found->distance[n] < NEVER) {
            found->phase[n] = phase;
        }
    }
}

static void search(struct found *found, const struct found *alive) {
    for (uint32_t n = 0; n < MOST_SMALL; n++) {
        found->phase[n] = 0;
        found->distance[n] = NEVER;
    }
    for (int phase = 1; phase <= PHASES; phase++) {
        begin_phase(found, phase, alive);
        run_phase(found, phase);
    }
}

/* ---- is it a path of this graph? ---- */

static bool is_step(const struct small_edge *reference, const struct hs_path_step *step) {
    const struct hs_edge *edge = &reference->edge;
    return (int)edge->kind == step->kind && edge->index == step->index &&
           g.classes[reference->from] == step->from_class &&
           g.classes[edge->to] == step->to_class && edge->strength != HS_EDGE_FINAL &&
           (edge->strength == HS_EDGE_SOFT) == ((step->flags & HS_STEP_SOFT) != 0) &&
           small_is_class(edge->to) == ((step->flags & HS_STEP_CLASS) != 0);
}

/* Where a step may lead from a set of nodes; several times if it is repeated. */
static void take_step(const struct hs_path_step *step, const bool *from, bool *to) {
    bool is_repeated = (step->flags & HS_STEP_REPEATED) != 0;
    bool from_there[MOST_SMALL];
    memcpy(from_there, from, sizeof from_there);
    memset(to, 0, sizeof from_there);
    for (bool has_changed = true; has_changed;) {
        has_changed = false;
        for (uint32_t i = 0; i < reference_count; i++) {
            uint32_t target = references[i].edge.to;
            if (from_there[references[i].from] && is_step(&references[i], step) && !to[target]) {
                to[target] = true;
                from_there[target] = from_there[target] || is_repeated;
                has_changed = is_repeated;
            }
        }
    }
}

static bool is_beginning(const struct hs_path *path, uint32_t node) {
    switch (path->root.kind) {
    case HS_ROOT_FINALIZER:
        for (uint32_t i = 0; i < g.edge_count; i++) {
            if (g.edges[i].edge.to == node && g.edges[i].edge.strength == HS_EDGE_FINAL) {
                return true;
            }
        }
        return false;
    case HS_ROOT_THREAD:
        return small_has(&g, node, HS_CLASS_THREAD) &&
               (path->root.thread == 0 || path->root.thread == node);
    case HS_ROOT_SYSTEM_CLASS:
        return is_root_of_kind(node, HS_ROOT_SYSTEM_CLASS) || (small_is_class(node) && stays(node));
    default: return is_root_of_kind(node, path->root.kind);
    }
}

/* Follows all paths that look like this one. */
static bool leads_to(const struct hs_path *path, uint32_t target) {
    const struct hs_path_step *first = &path->steps[0];
    bool at[MOST_SMALL] = {false};
    bool next[MOST_SMALL];
    for (uint32_t n = 1; n <= g.node_count; n++) {
        at[n] = path->root.kind == HS_ROOT_STATIC_FIELD
                    ? n == first->from_class
                    : is_beginning(path, n) && g.classes[n] == first->to_class &&
                          small_is_class(n) == ((first->flags & HS_STEP_CLASS) != 0);
    }
    if (path->root.kind == HS_ROOT_STATIC_FIELD) {
        take_step(first, at, next);
        memcpy(at, next, sizeof at);
    }
    for (uint32_t i = 1; i < path->step_count; i++) {
        take_step(&path->steps[i], at, next);
        memcpy(at, next, sizeof at);
    }
    return at[target];
}

static bool has_flag(const struct hs_path *path, uint8_t flag) {
    for (uint32_t i = 0; i < path->step_count; i++) {
        if ((path->steps[i].flags & flag) != 0) {
            return true;
        }
    }
    return false;
}

/* ---- does it agree? ---- */

static int phase_of(const struct hs_path *path) {
    const struct hs_path_step *second = &path->steps[1];
    switch (path->root.kind) {
    case HS_ROOT_FINALIZER: return 5;
    case HS_ROOT_STATIC_FIELD:
        return (SMALL_FACTS[path->steps[0].from_class].bits & HS_CLASS_JDK) != 0 ? 2 : 1;
    case HS_ROOT_THREAD:
        return path->step_count > 1 && second->kind == HS_EDGE_FIELD &&
                       (second->index == LOCALS || second->index == INHERITABLE)
                   ? 1
                   : 2;
    case HS_ROOT_LOCAL:
    case HS_ROOT_JNI_LOCAL: return 3;
    default: return 2;
    }
}

/* Steps behind the beginning, to which the object of a thread or of a class belongs. */
static int length_of(const struct hs_path *path) {
    bool by_locals = path->root.kind == HS_ROOT_THREAD && phase_of(path) == 1;
    bool by_class = (path->steps[0].flags & HS_STEP_CLASS) != 0 &&
                    (SMALL_FACTS[path->steps[0].to_class].bits & HS_CLASS_STAYS) != 0 &&
                    path->root.kind != HS_ROOT_STATIC_FIELD && path->step_count > 1;
    return (int)path->step_count - (by_locals || by_class ? 2 : 1);
}

static uint32_t compared;

static void compare(struct hs_paths *paths, uint32_t node, const struct found *found,
                    bool is_unique) {
    struct hs_path path;
    hs_paths_to(paths, node, HS_UNRESOLVED_ONLY_WEAK, &path);
    int phase = found->phase[node];
    cr_assert_eq(path.outcome == HS_HELD, phase != 0, "node %u: phase %d", node, phase);
    if (phase == 0) {
        return;
    }
    compared++;
    cr_assert(leads_to(&path, node), "node %u: no such path", node);
    cr_assert_eq(has_flag(&path, HS_STEP_SOFT) && phase < 4, false, "node %u", node);
    cr_assert_not(has_flag(&path, HS_STEP_CUT));
    int told = phase_of(&path);
    if (phase == 5) {
        cr_assert_eq(told, 5, "node %u: begins in phase %d", node, told);
    } else if (phase == 4) {
        cr_assert(has_flag(&path, HS_STEP_SOFT), "node %u", node);
        cr_assert_lt(told, 4);
    } else {
        cr_assert_eq(told, phase, "node %u: begins in phase %d, not %d", node, told, phase);
        int length = length_of(&path);
        if (is_unique && !has_flag(&path, HS_STEP_REPEATED)) {
            cr_assert_eq(length, found->distance[node], "node %u: %d steps, not %d", node, length,
                         found->distance[node]);
        }
    }
}

static void compare_all(bool is_unique) {
    size_t used_before = hs_mem_used();
    struct hs_graph *graph = small_build(&g);
    struct hs_paths *paths = NULL;
    cr_assert_eq(hs_paths_find(graph, SMALL_FACTS, &paths), HS_OK);
    cr_assert(hs_paths_find_dominators(paths, INT64_MAX));
    struct found loaders;
    struct found data;
    search(&loaders, NULL);
    search(&data, &loaders);
    for (int times = 0; times < 2; times++) { /* the second time rows are shortened */
        for (uint32_t n = g.node_count; n > 0; n--) {
            bool is_loader = small_is_class(n) || small_has(&g, n, HS_CLASS_LOADER);
            compare(paths, n, is_loader ? &loaders : &data, is_unique);
        }
    }
    hs_paths_free(paths);
    hs_graph_free(graph);
    cr_assert_eq(hs_mem_used(), used_before);
}

Test(paths_random, paths_agree_with_the_rules) {
    struct seeded seeded = {29};
    for (uint32_t round = 0; round < 4000; round++) {
        bool is_unique = round % 2 == 0;
        random_graph(&g, &seeded, is_unique);
        reference_count = small_references(&g, references);
        compare_all(is_unique);
    }
    cr_assert_gt(compared, 50000, "%u", compared);
}
