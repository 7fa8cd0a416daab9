/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_paths.h"

#include <string.h>

#include "hs_dominators.h"
#include "hs_mem.h"
#include "hs_search.h"

enum { HALF = HS_MAX_STEPS / 2 };

struct hs_paths {
    const struct hs_graph *graph;
    const struct hs_class_facts *facts;
    struct hs_search data;
    struct hs_search loaders; /* made for the first target that wants it */
    struct hs_dominators dominators;
};

enum hs_status hs_paths_find(const struct hs_graph *graph, const struct hs_class_facts *facts,
                             struct hs_paths **result) {
    struct hs_paths *paths = hs_mem_new(sizeof *paths);
    if (paths == NULL) {
        return HS_NO_MEMORY;
    }
    paths->graph = graph;
    paths->facts = facts;
    enum hs_status status = hs_search_run(&paths->data, HS_SEARCH_DATA, graph, facts);
    if (status != HS_OK) {
        hs_paths_free(paths);
        return status;
    }
    *result = paths;
    return HS_OK;
}

void hs_paths_free(struct hs_paths *paths) {
    if (paths != NULL) {
        hs_search_free(&paths->data);
        hs_search_free(&paths->loaders);
        hs_dominators_free(&paths->dominators);
        hs_mem_free(paths, sizeof *paths);
    }
}

bool hs_paths_find_dominators(struct hs_paths *paths, int64_t deadline_us) {
    return hs_paths_has_dominators(paths) ||
           hs_dominators_find(&paths->dominators, paths->graph, paths->facts, deadline_us);
}

bool hs_paths_has_dominators(const struct hs_paths *paths) {
    return paths->dominators.places != NULL;
}

/* ---- telling ---- */

/* A path as it is put together, from the target back to the root. */
struct telling {
    const struct hs_paths *paths;
    struct hs_search *search;
    uint32_t target;
    uint64_t count;
    struct hs_path_step last[HS_MAX_STEPS]; /* the last steps, backwards */
    struct hs_path_step ring[HALF];         /* the most recent ones: the first of the path */
};

static void tell(struct telling *telling, const struct hs_path_step *step) {
    if (telling->count < HS_MAX_STEPS) {
        telling->last[telling->count] = *step;
    }
    telling->ring[telling->count % HALF] = *step;
    telling->count++;
}

static uint8_t flags_of_node(const struct telling *telling, uint32_t node) {
    const struct hs_paths *paths = telling->paths;
    int flags = node <= hs_graph_class_count(paths->graph) ? HS_STEP_CLASS : 0;
    if (hs_paths_has_dominators(paths) &&
        hs_dominators_is(&paths->dominators, node, telling->target)) {
        flags |= HS_STEP_DOMINATES;
    }
    return (uint8_t)flags;
}

/* The step from a root. */
static void tell_root(struct telling *telling, uint32_t node) {
    struct hs_path_step step = {.kind = HS_EDGE_NONE};
    step.flags = flags_of_node(telling, node);
    step.to_class = hs_graph_class_of(telling->paths->graph, node);
    tell(telling, &step);
}

/* One link of the search. */
struct link_step {
    struct hs_path_step step;
    uint32_t from;
    bool begins; /* the path begins here; `step` counts only with `by_edge` */
    bool by_edge;
    bool is_final;
};

/* A class that was loaded since has no number. As an object it is one of java.lang.Class, whose fields have other names. */
static uint32_t class_that_refers(const struct hs_graph *graph, uint32_t from,
                                  enum hs_edge_kind kind) {
    bool is_of_object = kind == HS_EDGE_FIELD || kind == HS_EDGE_ELEMENT || kind == HS_EDGE_CLASS ||
                        kind == HS_EDGE_OTHER;
    bool has_number = is_of_object || from <= hs_graph_class_count(graph);
    return has_number ? hs_graph_class_of(graph, from) : 0;
}

static struct link_step describe(const struct telling *telling, uint32_t node) {
    const struct hs_graph *graph = telling->paths->graph;
    struct hs_link link = telling->search->links[node];
    struct link_step result = {.from = link.from & ~HS_LINK_BEGINS};
    result.begins = (link.from & HS_LINK_BEGINS) != 0 || result.from == 0;
    if (result.from == 0) {
        return result;
    }
    struct hs_path_step *step = &result.step;
    step->kind = HS_EDGE_CLASS;
    step->flags = flags_of_node(telling, node);
    step->from_class = hs_graph_class_of(graph, result.from);
    step->to_class = hs_graph_class_of(graph, node);
    if (link.edge != 0) {
        struct hs_graph_edges edges = {.graph = graph, .next = link.edge};
        struct hs_edge edge = {.to = 0};
        (void)hs_graph_next_edge(&edges, &edge);
        step->kind = (uint8_t)edge.kind;
        step->from_class = class_that_refers(graph, result.from, edge.kind);
        step->index = edge.index;
        step->flags |= edge.strength == HS_EDGE_SOFT ? HS_STEP_SOFT : 0;
        step->flags |= edge.to != node ? HS_STEP_REPEATED : 0; /* shortened before */
        result.is_final = edge.strength == HS_EDGE_FINAL;
        result.begins = result.begins || result.is_final;
        result.by_edge = true;
    }
    return result;
}

static bool are_alike(const struct hs_path_step *a, const struct hs_path_step *b) {
    int same = HS_STEP_SOFT | HS_STEP_CLASS;
    return a->kind == b->kind && a->index == b->index && a->from_class == b->from_class &&
           a->to_class == b->to_class && (a->flags & same) == (b->flags & same);
}

/* A row of alike links becomes one, for each node of the row: from the object before it, by the first edge, which leads
 * to another node than this one. So the next target behind it need not go through the row again. */
static void shorten(const struct telling *telling, uint32_t node, struct link_step *described) {
    struct hs_link *links = telling->search->links;
    uint32_t first = node;
    struct link_step before = describe(telling, described->from);
    while (!before.begins && are_alike(&before.step, &described->step)) {
        first = described->from;
        described->from = before.from;
        before = describe(telling, described->from);
    }
    if (first == node) {
        return;
    }
    described->step.flags |= HS_STEP_REPEATED;
    struct hs_link link = links[first];
    while (node != first) {
        uint32_t next = links[node].from;
        links[node] = link;
        node = next;
    }
}

/* The thread's number, if it is a root. */
static int64_t number_of_thread(const struct telling *telling, uint32_t thread) {
    const struct hs_graph *graph = telling->paths->graph;
    struct hs_link link = telling->search->links[thread];
    uint32_t first = link.from == 0 && link.edge != 0 ? link.edge - 1 : 0; /* most often this one */
    uint32_t count = hs_graph_root_count(graph);
    for (uint32_t i = 0; i < count; i++) {
        const struct hs_root *root = hs_graph_root(graph, (first + i) % count);
        if (root->kind == HS_ROOT_THREAD && root->to == thread) {
            return root->thread;
        }
    }
    return 0;
}

/* The beginning of the path: its root, and the steps up to `node`. */
static struct hs_root tell_beginning(struct telling *telling, uint32_t node,
                                     const struct link_step *described) {
    const struct hs_graph *graph = telling->paths->graph;
    struct hs_link link = telling->search->links[node];
    struct hs_root root = {.kind = HS_ROOT_NONE};
    if (described->is_final) {
        root.kind = HS_ROOT_FINALIZER;
        tell_root(telling, node);
    } else if (described->by_edge) {
        bool is_class = described->from <= hs_graph_class_count(graph);
        bool is_static_field = described->step.kind == HS_EDGE_STATIC_FIELD;
        tell(telling, &described->step);
        if (is_class && is_static_field) {
            root.kind = HS_ROOT_STATIC_FIELD;
        } else if (is_class) {
            root.kind = HS_ROOT_SYSTEM_CLASS;
            tell_root(telling, described->from);
        } else {
            root.kind = HS_ROOT_THREAD;
            root.thread = number_of_thread(telling, described->from);
            tell_root(telling, described->from);
        }
    } else if (link.from == HS_LINK_BEGINS) {
        root.kind = HS_ROOT_SYSTEM_CLASS;
        tell_root(telling, node);
    } else {
        root = *hs_graph_root(graph, link.edge - 1);
        root.to = 0;
        tell_root(telling, node);
    }
    return root;
}

/* Turns the steps round, and cuts them if there are too many. */
static void finish(const struct telling *telling, struct hs_path *path) {
    uint64_t count = telling->count;
    uint32_t kept = count <= HS_MAX_STEPS ? (uint32_t)count : HS_MAX_STEPS;
    uint32_t beginning = count <= HS_MAX_STEPS ? 0 : HALF;
    for (uint32_t i = 0; i < beginning; i++) {
        path->steps[i] = telling->ring[(count - 1 - i) % HALF];
    }
    if (beginning != 0) {
        path->steps[beginning - 1].flags |= HS_STEP_CUT;
    }
    for (uint32_t i = beginning; i < kept; i++) {
        path->steps[i] = telling->last[kept - 1 - i];
    }
    path->step_count = kept;
}

static void tell_path(struct telling *telling, struct hs_path *path) {
    uint32_t node = telling->target;
    struct link_step described = describe(telling, node);
    while (!described.begins) {
        shorten(telling, node, &described);
        tell(telling, &described.step);
        node = described.from;
        described = describe(telling, node);
    }
    path->root = tell_beginning(telling, node, &described);
    path->outcome = HS_HELD;
    finish(telling, path);
}

static bool is_loader(const struct hs_paths *paths, uint32_t node) {
    uint16_t bits = paths->facts[hs_graph_class_of(paths->graph, node)].bits;
    return node <= hs_graph_class_count(paths->graph) || (bits & HS_CLASS_LOADER) != 0;
}

/* The search that this target wants; NULL without memory. */
static struct hs_search *search_for(struct hs_paths *paths, uint32_t node) {
    if (paths->data.is_for_both || !is_loader(paths, node)) {
        return &paths->data;
    }
    bool is_made =
        paths->loaders.links != NULL ||
        hs_search_run(&paths->loaders, HS_SEARCH_LOADERS, paths->graph, paths->facts) == HS_OK;
    return is_made ? &paths->loaders : NULL;
}

void hs_paths_to(struct hs_paths *paths, uint32_t node, enum hs_outcome otherwise,
                 struct hs_path *path) {
    memset(path, 0, sizeof *path);
    path->outcome = otherwise;
    if (node == 0 || node > hs_graph_node_count(paths->graph)) {
        return;
    }
    struct telling telling = {.paths = paths, .target = node, .search = search_for(paths, node)};
    if (telling.search == NULL) {
        path->outcome = HS_UNRESOLVED_MEMORY;
    } else if (hs_search_has_reached(telling.search, node)) {
        tell_path(&telling, path);
    }
}

/* ---- as bytes ---- */

enum { HEAD_BYTES = 40, STEP_BYTES = 16, KNOWN_FLAGS = 31 };

static void write_step(const struct hs_path_step *step, struct hs_buffer *buffer) {
    hs_buffer_u32(buffer, (uint32_t)step->kind | (uint32_t)step->flags << 8);
    hs_buffer_u32(buffer, step->index);
    hs_buffer_u32(buffer, step->from_class);
    hs_buffer_u32(buffer, step->to_class);
}

void hs_path_write(const struct hs_path *path, struct hs_buffer *buffer) {
    hs_buffer_u32(buffer, (uint32_t)path->outcome);
    hs_buffer_u32(buffer, (uint32_t)path->root.kind);
    hs_buffer_u64(buffer, (uint64_t)path->root.thread);
    hs_buffer_u64(buffer, path->root.method);
    hs_buffer_u32(buffer, (uint32_t)path->root.depth);
    hs_buffer_u32(buffer, (uint32_t)path->root.slot);
    hs_buffer_u32(buffer, path->step_count);
    hs_buffer_u32(buffer, 0);
    for (uint32_t i = 0; i < path->step_count; i++) {
        write_step(&path->steps[i], buffer);
    }
}

static uint32_t u32_at(const unsigned char *bytes) {
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
           (uint32_t)bytes[3] << 24;
}

static uint64_t u64_at(const unsigned char *bytes) {
    return u32_at(bytes) | (uint64_t)u32_at(bytes + 4) << 32;
}

/* The first step is the root's, and no other one is such a step. */
static bool is_kind_at(uint32_t kind, uint32_t step, enum hs_root_kind root) {
    if (step == 0) {
        uint32_t first = root == HS_ROOT_STATIC_FIELD ? HS_EDGE_STATIC_FIELD : HS_EDGE_NONE;
        return kind == first;
    }
    return kind != HS_EDGE_NONE && kind < HS_EDGE_KIND_COUNT;
}

static bool read_step(const unsigned char *bytes, uint32_t number, struct hs_path *path) {
    uint32_t word = u32_at(bytes);
    uint32_t index = u32_at(bytes + 4);
    if (!is_kind_at(word & UINT8_MAX, number, path->root.kind) || word >> 8 > KNOWN_FLAGS ||
        index > HS_EDGE_MAX_INDEX) {
        return false;
    }
    path->steps[number] = (struct hs_path_step){.kind = (uint8_t)word,
                                                .flags = (uint8_t)(word >> 8),
                                                .index = index,
                                                .from_class = u32_at(bytes + 8),
                                                .to_class = u32_at(bytes + 12)};
    return true;
}

static bool is_head(uint32_t outcome, uint32_t root, uint32_t step_count, uint32_t zero) {
    if (outcome >= HS_OUTCOME_COUNT || zero != 0) {
        return false;
    }
    if (outcome != HS_HELD) {
        return root == HS_ROOT_NONE && step_count == 0;
    }
    return root != HS_ROOT_NONE && root < HS_ROOT_KIND_COUNT && step_count > 0 &&
           step_count <= HS_MAX_STEPS;
}

static bool read_path(const unsigned char *bytes, size_t length, struct hs_path *path) {
    if (length < HEAD_BYTES) {
        return false;
    }
    uint32_t outcome = u32_at(bytes);
    uint32_t root = u32_at(bytes + 4);
    uint32_t step_count = u32_at(bytes + 32);
    if (!is_head(outcome, root, step_count, u32_at(bytes + 36)) ||
        (length - HEAD_BYTES) / STEP_BYTES < step_count) {
        return false;
    }
    path->outcome = (enum hs_outcome)outcome;
    path->root = (struct hs_root){.kind = (enum hs_root_kind)root,
                                  .thread = (int64_t)u64_at(bytes + 8),
                                  .method = u64_at(bytes + 16),
                                  .depth = (int32_t)u32_at(bytes + 24),
                                  .slot = (int32_t)u32_at(bytes + 28)};
    path->step_count = step_count;
    for (uint32_t i = 0; i < step_count; i++) {
        if (!read_step(bytes + HEAD_BYTES + (size_t)i * STEP_BYTES, i, path)) {
            return false;
        }
    }
    return true;
}

bool hs_path_read(const unsigned char *bytes, size_t length, size_t *at, struct hs_path *path) {
    memset(path, 0, sizeof *path);
    bool is_read = *at <= length && read_path(bytes + *at, length - *at, path);
    if (is_read) {
        *at += HEAD_BYTES + (size_t)path->step_count * STEP_BYTES;
    } else {
        memset(path, 0, sizeof *path);
        path->outcome = HS_UNRESOLVED_NOT_POSSIBLE;
    }
    return is_read;
}
