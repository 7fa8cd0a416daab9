/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Paths: which references keep objects alive, as a person would tell it (doc/holders.md).
 *
 * Breadth first, in phases; each node belongs to the first phase that reaches it, by the shortest path there:
 *   1. static fields of the application's classes, and thread-locals
 *   2. static fields of the JDK's classes, JNI globals, threads, monitors, all other roots
 *   3. locals of Java frames, and of native ones
 *   4. from all of these on, also through soft references
 *   5. also through the queue of finalizers (HS_EDGE_FINAL)
 * Objects of own classes are never passed through. A node leads to its class, and so to the class loader, unless that
 * stays for ever. A static field is a root where its class is in the graph; but for a target that is a class loader or a
 * class, only if the class's loader stays for ever (paths through what the loader itself loaded explain nothing).
 *
 * Thread: one at a time. Takes memory of hs_mem: 8 bytes for each node, and 12 more for dominators. */
#ifndef HS_PATHS_H
#define HS_PATHS_H

#include "hs_buffer.h"
#include "hs_graph.h"

/* What is known of a class; bits. */
enum {
    HS_CLASS_LEAF = 1,    /* its instances refer to no object but their class */
    HS_CLASS_JDK = 2,     /* of the boot or platform loader */
    HS_CLASS_STAYS = 4,   /* its loader stays for ever: boot, platform, or application */
    HS_CLASS_OWN = 8,     /* HeapSampler's, or an agent's that only looks */
    HS_CLASS_SOFT = 16,   /* a class of references of this kind; `referent` is valid */
    HS_CLASS_WEAK = 32,   /* likewise, phantom ones too */
    HS_CLASS_FINAL = 64,  /* likewise: java.lang.ref.FinalReference */
    HS_CLASS_THREAD = 128, /* `locals` is valid */
    HS_CLASS_LOADER = 256, /* a subclass of ClassLoader, or java.lang.Class itself */
    HS_CLASS_TEXT = 512,  /* java.lang.String: a leaf unless some target is an array of bytes or chars */
};

struct hs_class_facts {
    uint16_t bits;
    uint16_t referent;  /* JVMTI's index of the field */
    uint16_t locals[2]; /* of threadLocals and inheritableThreadLocals */
};

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
    HS_STEP_DOMINATES = 1, /* the target is unreachable without the object that this step leads to */
    HS_STEP_SOFT = 2,
    HS_STEP_REPEATED = 4, /* stands for several in a row that are alike, as in a linked list */
    HS_STEP_CUT = 8,      /* after this one some were left out */
};
enum { HS_MAX_STEPS = 128 };

struct hs_path_step {
    uint8_t kind; /* hs_edge_kind; of the first step of a path, which the root leads to, HS_EDGE_NONE, but for
                     HS_ROOT_STATIC_FIELD HS_EDGE_STATIC_FIELD */
    uint8_t flags;
    uint32_t index;     /* as in hs_edge */
    uint32_t from_class; /* of the object that refers; for a static field that class itself */
    uint32_t to_class;
};

struct hs_path {
    enum hs_outcome outcome;
    struct hs_root root; /* `to` counts for nothing */
    uint32_t step_count; /* 0 unless HS_HELD */
    struct hs_path_step steps[HS_MAX_STEPS];
};

struct hs_paths;

/* Searches. `facts` has an element for each class number, 0 included. `is_whole`: the walk was complete; if not, what is
 * not reached gets the outcome `otherwise`. With `wants_dominators` they are computed as well if there is memory (Cooper,
 * Harvey and Kennedy 2001, on all strong edges and roots), else the flag stays 0 everywhere.
 * Owns: the caller frees. Keeps `graph` and `facts` until then. Fails: HS_NO_MEMORY. */
enum hs_status hs_paths_find(const struct hs_graph *graph, const struct hs_class_facts *facts,
                             bool wants_dominators, struct hs_paths **result);
void hs_paths_free(struct hs_paths *paths);

bool hs_paths_has_dominators(const struct hs_paths *paths);

/* The path to a node: HS_HELD, or the outcome `otherwise`. */
void hs_paths_to(struct hs_paths *paths, uint32_t node, enum hs_outcome otherwise, struct hs_path *path);

/* A path as bytes, for a pipe, and back. Numbers are the machine's. Read returns false where the bytes are not such a
 * path, and then leaves nothing to be used in *path; *at moves behind it. */
void hs_path_write(const struct hs_path *path, struct hs_buffer *buffer);
bool hs_path_read(const unsigned char *bytes, size_t length, size_t *at, struct hs_path *path);

#endif
