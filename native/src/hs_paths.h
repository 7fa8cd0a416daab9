/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Paths: which references keep objects alive, as a person would choose them (doc/holders.md). The search is in hs_search.h.
 *
 * What a path says beyond the search: fields of threads that lead to thread-locals begin with the root HS_ROOT_THREAD and
 * the thread; its number is 0 where the thread is no root itself (a virtual thread). Behind a reference of HS_EDGE_FINAL
 * the path begins anew, with the root HS_ROOT_FINALIZER. Alike steps in a row become one, HS_STEP_REPEATED. Of a path with
 * more than HS_MAX_STEPS steps the beginning and the end stay, half of them each.
 *
 * Thread: one at a time. Takes memory of hs_mem: 12 bytes for each node while it searches, 8 afterwards; the same
 * again for the first target that is a class loader or a class, unless all classes stay. Dominators: hs_dominators.h. */
#ifndef HS_PATHS_H
#define HS_PATHS_H

#include "hs_buffer.h"
#include "hs_class_facts.h"
#include "hs_graph.h"

enum hs_outcome {
    HS_HELD, /* there is a path */
    HS_UNRESOLVED_PAUSE,
    HS_UNRESOLVED_TIME,
    HS_UNRESOLVED_MEMORY,
    HS_UNRESOLVED_LARGE_ARRAY,
    HS_UNRESOLVED_DIED,
    HS_UNRESOLVED_ONLY_WEAK, /* the walk was complete, and no phase reached it */
    HS_UNRESOLVED_NOT_POSSIBLE,
    HS_OUTCOME_COUNT
};

enum {
    HS_STEP_DOMINATES = 1, /* the target is unreachable without this step's object */
    HS_STEP_SOFT = 2,
    HS_STEP_REPEATED = 4, /* stands for several in a row that are alike, as in a linked list */
    HS_STEP_CUT = 8,      /* after this one some were left out */
    HS_STEP_CLASS = 16,   /* leads to a class itself, `to_class`, not to an instance of it */
};
enum { HS_MAX_STEPS = 128 };

struct hs_path_step {
    uint8_t
        kind; /* hs_edge_kind; of the first step, from the root: HS_EDGE_NONE, or HS_EDGE_STATIC_FIELD */
    uint8_t flags;
    uint32_t index;      /* as in hs_edge */
    uint32_t from_class; /* of the object that refers; where a class refers, that class itself */
    uint32_t to_class;   /* of the object that the step leads to; of several, the last */
};

struct hs_path {
    enum hs_outcome outcome;
    struct hs_root root; /* `to` counts for nothing */
    uint32_t step_count; /* 0 unless HS_HELD */
    struct hs_path_step steps[HS_MAX_STEPS];
};

struct hs_paths;

/* Searches. `facts` has an element for each class number, 0 included.
 * Owns: the caller frees. Keeps `graph` and `facts` until then. Fails: HS_NO_MEMORY. */
enum hs_status hs_paths_find(const struct hs_graph *graph, const struct hs_class_facts *facts,
                             struct hs_paths **result);
void hs_paths_free(struct hs_paths *paths);

/* Finds the dominators before the deadline (monotonic; INT64_MAX: none): it takes several times as long as the search.
 * Returns whether they are there; without memory or time they are not, and the flag stays 0
 * everywhere. */
bool hs_paths_find_dominators(struct hs_paths *paths, int64_t deadline_us);

bool hs_paths_has_dominators(const struct hs_paths *paths);

/* The path to a node: HS_HELD; if there is none, the outcome `otherwise`, which is HS_UNRESOLVED_ONLY_WEAK after a walk
 * that was complete; HS_UNRESOLVED_MEMORY where the search for class loaders found none. Shortens rows of alike links in
 * `paths`, so that a list of a million nodes is walked once, not for each target. */
void hs_paths_to(struct hs_paths *paths, uint32_t node, enum hs_outcome otherwise,
                 struct hs_path *path);

/* A path as bytes, for a pipe, and back. Read moves *at behind the path. It returns false where the bytes are cut, or are
 * not such a path; then *at stays, and *path is HS_UNRESOLVED_NOT_POSSIBLE without steps. What it cannot know is whether a
 * class, a thread or a method has such a number: the caller checks class numbers. */
void hs_path_write(const struct hs_path *path, struct hs_buffer *buffer);
bool hs_path_read(const unsigned char *bytes, size_t length, size_t *at, struct hs_path *path);

#endif
