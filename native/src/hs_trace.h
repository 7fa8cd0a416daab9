/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Trace: what the edges that a walk over the heap shows mean for the graph (doc/holders.md).
 *
 * The VM keeps a tag for each object. Its low half is the node in the graph, 0 for none; its high half a mark, 0 for none:
 * the object is a target, or a thread whose Java id is known. A class has its number as its node from the beginning.
 *
 * A tag costs the VM 80 bytes, and more time than all else. So a walk in one pause, in which no object moves, gives them up for the
 * objects' addresses (hs_places.h), where its caller knows these: `of_class`. That knowledge is a guess at the VM's insides, so
 * it is proved first (hs_proof.h), while tags are used. An edge that shows an object where it cannot be leaves it at tags. Later
 * such an edge ends the walk (HS_TRACE_ODD), as far as it is known where the object was: of classes, and of the last 256 others
 * that got a tag. So does an edge from an object that has no node, as no walk goes on from there.
 *
 * Not added to the graph: objects whose class leads nowhere, unless they are targets; referents of weak and phantom
 * references, and fields that may be one: those of a class that was loaded since the classes were numbered; edges from an
 * object to its class. The walk stops when the time is over, or the memory.
 *
 * Thread: one at a time; the VM may call hs_trace_see_* on another while its caller waits for the walk. Takes no lock. */
#ifndef HS_TRACE_H
#define HS_TRACE_H

#include "hs_child.h"
#include "hs_paths.h"
#include "hs_places.h"
#include "hs_proof.h"

/* The VM's memory for a tag, that of the search and of dominators for a node, and that of the search alone, in bytes; and what
 * the search for class loaders takes besides. */
enum { HS_TAG_BYTES = 80, HS_SEARCH_BYTES = 32, HS_LEAST_SEARCH_BYTES = 12, HS_LOADER_BYTES = 8 };

enum hs_trace_step { HS_TRACE_DESCEND, HS_TRACE_PASS_OVER, HS_TRACE_STOP };

/* How the walk has ended; HS_TRACE_WHOLE unless it was stopped. */
enum hs_trace_end { HS_TRACE_WHOLE, HS_TRACE_TIME, HS_TRACE_MEMORY, HS_TRACE_LEFT, HS_TRACE_ODD };

/* Objects by address. */
struct hs_trace_places {
    /* The address of a class's own object, 0 for none. Set by the caller before the walk; NULL: tags alone. Called on the
     * thread that sees edges. */
    uint64_t (*of_class)(void *context, uint32_t class_number);
    void *context;
    struct hs_proof proof;
    struct hs_places *nodes; /* NULL: not yet */
};

struct hs_trace_size {
    uint32_t classes;
    uint32_t targets;
    uint32_t threads; /* at most as many are marked */
};

/* What a field of a class's own object refers to. */
struct hs_class_value {
    uint32_t class_number;
    uint32_t field; /* JVMTI's index in java.lang.Class */
    uint32_t node;
};

struct hs_trace {
    struct hs_trace_size size;
    const struct hs_class_facts *facts; /* for each class number, 0 included */
    struct hs_graph *graph;
    uint32_t *nodes;     /* by mark - 1; 0: not reached */
    uint32_t *same_as;   /* by target: the first one that is the same object */
    int64_t *thread_ids; /* by mark - 1; 0: no thread */
    uint32_t threads;    /* marked */
    bool has_text;       /* some target is an array of bytes or chars: strings may hold it */
    bool has_loaders;    /* some target is a class loader or a class: it has a search of its own */
    int64_t deadline_us; /* of the walk, monotonic; 0: none */
    uint64_t most_bytes;
    uint64_t walk_bytes; /* what the caller takes besides, until the search */
    /* Called by the first edge, before all else; with HS_TRACE_STOP the walk ends there. NULL: nothing is. */
    enum hs_trace_step (*begin)(void *context);
    void *context;
    bool has_begun;
    struct hs_class_value *values; /* by class */
    size_t value_count;
    size_t value_room;
    uint32_t last_value;        /* the highest of their nodes */
    bool lacks_value;           /* one of them is not in the graph, for want of memory */
    bool is_short_of_time;      /* not all of them were read before the deadline */
    int64_t values_deadline_us; /* monotonic; 0: none */
    bool has_tags_alone;        /* the caller is not to set `places`: they have been odd before */
    bool is_of_moments;         /* no dominators are sought, which take memory */
    struct hs_trace_places places;
    uint64_t tagged;  /* nodes that have tags, classes aside */
    uint32_t row;     /* the node whose edges are being shown */
    bool has_unknown; /* a field was passed over that may be a weak referent */
    enum hs_trace_end end;
    uint64_t edges;                     /* shown, those that were not added included */
    struct hs_child_progress *progress; /* in a child; NULL: no watcher */
};

/* `facts` stays the caller's, until hs_trace_free. Owns: the caller frees. Fails: HS_NO_MEMORY. */
enum hs_status hs_trace_new(struct hs_trace_size size, const struct hs_class_facts *facts,
                            struct hs_trace **result);
void hs_trace_free(struct hs_trace *trace);

/* Makes the graph, which may take as much, the VM's tags and the memory of the search included. Fails: HS_NO_MEMORY. */
enum hs_status hs_trace_open(struct hs_trace *trace, uint64_t most_bytes);

/* Begins once more with the marks and the values of classes that are there, where the walk ended at its first edge; `begin` is
 * not called any more. Fails: HS_NO_MEMORY. */
enum hs_status hs_trace_again(struct hs_trace *trace, uint64_t most_bytes);

/* The halves of a tag. */
enum { HS_TRACE_MARK_SHIFT = 32 };
static inline uint32_t hs_trace_tag_node(int64_t tag) {
    return (uint32_t)((uint64_t)tag & UINT32_MAX);
}
static inline uint32_t hs_trace_tag_mark(int64_t tag) {
    return (uint32_t)((uint64_t)tag >> HS_TRACE_MARK_SHIFT);
}

/* The tag of the object with this node. Looks through all marks. */
int64_t hs_trace_tag(const struct hs_trace *trace, uint32_t node);

/* The tag of a target, or of a thread, from the one that it has. */
int64_t hs_trace_mark_target(struct hs_trace *trace, uint32_t target, int64_t tag);
int64_t hs_trace_mark_thread(struct hs_trace *trace, int64_t java_id, int64_t tag);

/* Adds what a field of a class's own object (of java.lang.Class) refers to, which no walk shows: an edge HS_EDGE_OTHER from the
 * class, with the number of the field in java.lang.Class as its index. After the targets are marked, before the walk, by
 * ascending class; may change *tag. The walk has to visit the value. False: it leads nowhere, or there is no room, and the
 * trace lacks it. */
bool hs_trace_add_class_value(struct hs_trace *trace, uint32_t class_number, uint32_t field,
                              int64_t value_class_tag, int64_t *tag);

/* Is this the tag of such a value? */
static inline bool hs_trace_is_class_value(const struct hs_trace *trace, int64_t tag) {
    uint32_t node = hs_trace_tag_node(tag);
    return node > trace->size.classes && node <= trace->last_value;
}

/* After the walk, before the search: adds those of classes of which the walk has shown no edge; gives back the addresses. */
void hs_trace_finish(struct hs_trace *trace);

/* An edge as the VM shows it. `from` is the tag of the object that refers; not for a root. Tags of classes are those of
 * the objects' classes; 0: such a class was loaded since they were numbered. */
struct hs_trace_edge {
    enum hs_edge_kind kind;
    int32_t index;
    int64_t class_tag;
    int64_t from_class_tag;
    int64_t *tag;
    const int64_t *from;
    uint64_t place; /* the object's address as the caller believes it to be; 0: it knows none */
    uint64_t from_place; /* counts for nothing in a reference to itself, where `from` is `tag` */
};

/* May change *edge->tag. */
enum hs_trace_step hs_trace_see_edge(struct hs_trace *trace, const struct hs_trace_edge *edge);

/* `root->to` counts for nothing; the id of a marked thread is filled in. */
enum hs_trace_step hs_trace_see_root(struct hs_trace *trace, const struct hs_root *root,
                                     int64_t class_tag, int64_t *tag, uint64_t place);

/* Bytes that the walk has taken or will, its tags and the search included. */
uint64_t hs_trace_bytes(const struct hs_trace *trace);

/* The node of a target; 0 where the walk did not reach it. */
uint32_t hs_trace_node(const struct hs_trace *trace, uint32_t target);

/* What is true of a target that the search did not find where the graph lacks values of classes; `otherwise` where it has all of
 * them. */
enum hs_outcome hs_trace_lack(const struct hs_trace *trace, enum hs_outcome otherwise);

/* What is true of a target that the search did not find. */
enum hs_outcome hs_trace_outcome(const struct hs_trace *trace, bool is_one_stop);

#endif
