/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Graph: objects of the heap and the references between them, as one walk over the heap shows them (doc/holders.md).
 *
 * A node is an object that may lead to another one, or a target. The first nodes, 1 to class_count, are the classes
 * themselves (their java.lang.Class objects): node n is class n, and a node's class is such a number too; class 0 is one
 * that was loaded since the classes were counted. Node 0 is none.
 *
 * The walk reports all edges of one object in a row, so edges need no sorting: each node knows its first one, and the
 * last one of a row is marked. An array may come in slices, each a row that ends with where the next one begins. A node takes
 * 8 bytes, and so does an edge, and the end of a slice.
 *
 * Memory comes in chunks from hs_mem, which never move: small ones first, at most 2 MiB each. When there is none, nothing
 * more is added, also not what would still have room, and `has_overflown` says so: the content is true, but not complete.
 *
 * Thread: one at a time; the VM thread, or that of a child. Takes no lock. */
#ifndef HS_GRAPH_H
#define HS_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hs_status.h"

/* How one object refers to another; the numbers are in the block for Java (holders.md). */
enum hs_edge_kind {
    HS_EDGE_NONE,
    HS_EDGE_FIELD,
    HS_EDGE_STATIC_FIELD,
    HS_EDGE_ELEMENT,
    HS_EDGE_CLASS, /* an object to its class; implied, never added */
    HS_EDGE_CLASS_LOADER,
    HS_EDGE_SIGNERS,
    HS_EDGE_PROTECTION_DOMAIN,
    HS_EDGE_INTERFACE,
    HS_EDGE_SUPERCLASS,
    HS_EDGE_CONSTANT_POOL,
    HS_EDGE_OTHER,
    HS_EDGE_KIND_COUNT
};

enum hs_root_kind {
    HS_ROOT_NONE,
    HS_ROOT_STATIC_FIELD, /* made by hs_paths.h of a class that stays; the walk reports none */
    HS_ROOT_THREAD,       /* a live thread */
    HS_ROOT_LOCAL,        /* of a Java frame */
    HS_ROOT_JNI_LOCAL,
    HS_ROOT_JNI_GLOBAL,
    HS_ROOT_SYSTEM_CLASS,
    HS_ROOT_MONITOR,
    HS_ROOT_OTHER,
    HS_ROOT_FINALIZER, /* made by hs_paths.h: only the queue of finalizers leads there */
    HS_ROOT_KIND_COUNT
};

/* How the reference was found: strongly, or as the referent of a reference object. Weak and phantom referents are not
 * added. */
enum hs_edge_strength { HS_EDGE_STRONG, HS_EDGE_SOFT, HS_EDGE_FINAL };

struct hs_edge {
    uint32_t to;
    enum hs_edge_kind kind;
    enum hs_edge_strength strength;
    uint32_t
        index; /* JVMTI's of a field, the place in an array; at most HS_EDGE_MAX_INDEX, larger ones become that */
};
#define HS_EDGE_MAX_INDEX ((UINT32_C(1) << 25) - 1)

struct hs_root {
    uint32_t to;
    enum hs_root_kind kind;
    int64_t thread;  /* Java's id; 0: none */
    uint64_t method; /* the VM's number of the frame's method; 0: none */
    int32_t depth;   /* of the frame; the innermost is 0 */
    int32_t slot;
};

struct hs_graph;

/* Makes a graph with the nodes of `class_count` classes. `most_bytes` bounds what it takes, besides hs_mem's budget.
 * Owns: the caller frees. Fails: HS_NO_MEMORY. */
enum hs_status hs_graph_new(uint32_t class_count, uint64_t most_bytes, struct hs_graph **result);
void hs_graph_free(struct hs_graph *graph);

/* Bounds it anew; what it has taken stays. */
void hs_graph_set_most(struct hs_graph *graph, uint64_t most_bytes);

/* A new node; 0 without room. */
uint32_t hs_graph_add_node(struct hs_graph *graph, uint32_t class_number);

/* Adds an edge. All of one node come in a row: a second row of the same node is passed over, as the walk shows none. So
 * is an edge from or to a node that does not exist. Returns false without room. */
bool hs_graph_add_edge(struct hs_graph *graph, uint32_t from, const struct hs_edge *edge);

/* Adds edges of kind HS_EDGE_ELEMENT, at least one, to an array that a walk shows in slices, with others in between. `*end`: where its
 * slices end so far; 0: this is the first, and it has no edges yet. Returns false without room: then the slice is not added. */
bool hs_graph_add_slice(struct hs_graph *graph, uint32_t from, const struct hs_edge *edges,
                        uint32_t count, uint32_t *end);

/* Adds a root; one to a node that does not exist is passed over. Returns false without room. */
bool hs_graph_add_root(struct hs_graph *graph, const struct hs_root *root);

bool hs_graph_has_overflown(const struct hs_graph *graph);
uint32_t hs_graph_class_count(const struct hs_graph *graph);
uint32_t hs_graph_node_count(const struct hs_graph *graph); /* the highest node */
uint64_t hs_graph_edge_count(const struct hs_graph *graph);
uint32_t hs_graph_root_count(const struct hs_graph *graph);
uint64_t hs_graph_bytes(const struct hs_graph *graph);

/* The class of an object. A class node's is that class itself, not java.lang.Class. */
uint32_t hs_graph_class_of(const struct hs_graph *graph, uint32_t node);
const struct hs_root *hs_graph_root(const struct hs_graph *graph, uint32_t number); /* from 0 */

/* The edges of a node: begin, then next until it returns false. `next` is the number of the edge that comes next, which
 * fits in 32 bits; an iterator that is set to such a number begins there. */
struct hs_graph_edges {
    const struct hs_graph *graph;
    uint64_t next; /* 0: no more */
};
struct hs_graph_edges hs_graph_edges_of(const struct hs_graph *graph, uint32_t node);
bool hs_graph_next_edge(struct hs_graph_edges *edges, struct hs_edge *edge);

#endif
