/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Passes: the walk over the heap in many short pauses of this process, where there can be no child (doc/holders.md).
 *
 * The first pass shows all roots, and goes no further. Each later one goes down from some objects, to objects that no pass
 * has followed, until its time is over; then it ends before the next object, so the edges of one object are always of one
 * moment. The objects that were found and not followed are the frontier. In its order: classes of the application, for
 * their static fields; threads, for their thread-locals; other classes; what was found from these; what the roots lead to,
 * locals among them. A pass begins not at them, since to find an object again costs a look at all tags, but at a class or a root
 * above them, and goes through objects that were followed before. Where that way is too long, it begins at the object that one was
 * found from. Where the way has led there no more, it begins at the object itself.
 *
 * A controller chooses the time and the number of objects of each pass by the pause of the one before. Of a pause it takes
 * off what the VM itself does at the end of a pass (the tail: before JDK 19 a look through the heap), estimated first and
 * then measured; passes whose tails are too long come to an end. What no pass can
 * cut: the roots, finding them included, and the edges of one object.
 *
 * Arrays with more elements than fit into a pause come last, in slices: the VM's part reads some elements without a pause, a pass
 * shows these and goes down from them, and the VM's part reads them again. An edge counts only if the array had the object
 * both times, at any index. All that a slice leads to is followed before the next slice. The elements of a slice need not be found
 * again by their tags. What such an array holds in the end is not known to be all that it held: an object that
 * moves inside of it from a slice that was not yet read to one that was is not seen. So objects that were not reached are LARGE_ARRAY
 * if there was one.
 *
 * Between passes the application goes on. A reference that it moves from an object that was not yet followed to one that
 * was is not seen.
 *
 * Thread: one at a time; the VM may call hs_passes_see_* on another while its caller waits. Takes no lock. */
#ifndef HS_PASSES_H
#define HS_PASSES_H

#include "hs_trace.h"

/* Objects that one pass begins at, at most, and those that it goes through once more. */
enum { HS_PASSES_FRONTIER = 1024, HS_PASSES_OPEN = 1024 };

struct hs_passes_slice {
    uint32_t array;    /* its node; 0: none is being read */
    uint32_t searched; /* the node where the search for it ended, and where the next one goes on */
    int64_t tag;       /* of the array */
    uint32_t next;     /* the index from which on the VM's part reads */
    bool is_last;      /* so the VM's part says: there is nothing after it, or the array is gone */
    uint32_t most;     /* elements that it reads */
    uint32_t count;    /* that it has read: each with its index, and its node once it is shown */
    uint32_t indexes[HS_PASSES_FRONTIER];
    uint32_t nodes[HS_PASSES_FRONTIER]; /* 0: leads nowhere, or is not there any more */
    uint32_t end;                       /* as in hs_graph_add_slice */
};

/* Where an element of an array was seen: the VM's part finds it there without a look at all tags. */
struct hs_passes_place {
    uint32_t array; /* its node */
    int64_t tag;    /* of the array */
    uint32_t index;
};

/* What a pass has for its work. */
struct hs_passes_share {
    uint32_t objects; /* that it begins at */
    int64_t work_us;  /* from its first edge on */
};

struct hs_passes {
    /* Set by the caller; the rest is 0. */
    struct hs_trace *trace; /* open, its targets are marked */
    int64_t pause_us;       /* each pause at most */
    int64_t deadline_us;    /* of all, monotonic */
    int64_t
        tail_us; /* what the VM does at the end of a pass: an estimate, which passes then correct */
    uint32_t grows_at; /* the VM's table of tags grows in one step with this one; 0: not known */
    /* Figures. */
    uint32_t count;  /* of passes, that of the roots included */
    uint32_t large;  /* arrays that come in slices */
    uint32_t sliced; /* of which all were read */
    uint32_t
        hidden; /* virtual threads, or such that have not begun or have ended: their stacks were not seen */
    int64_t longest_us;
    int64_t pauses_us;
    int64_t least_tail_us; /* of those that were measured */
    uint32_t tails;        /* of passes that were cut */
    bool is_too_long;
    const struct hs_passes_vm
        *vm; /* NULL: no object is at hand but classes, and what these refer to */
    /* The frontier. */
    uint16_t *states;  /* by node */
    uint32_t *parents; /* by node: the one that it was found from; 0: a root */
    size_t room;       /* of both */
    uint32_t next[4];  /* by range of nodes: those before are done */
    uint32_t next_root;
    uint32_t first_new; /* the first node that was found after the roots */
    int64_t tags[HS_PASSES_FRONTIER];
    uint32_t places[HS_PASSES_FRONTIER]; /* of an element of an array: its index and one; 0: none */
    uint32_t row_array; /* whose row was searched last for elements, and from where on it goes on */
    struct hs_graph_edges row_left;
    uint32_t open[HS_PASSES_OPEN]; /* nodes that the pass goes through once more */
    uint32_t open_count;
    uint32_t ways;      /* that lead through them, or directly from where it begins */
    uint32_t lookups;   /* of where it begins: objects that are not at hand */
    uint32_t picked_to; /* the frontier was looked through up to this node */
    bool is_direct;     /* it goes through none: the one before came to nothing new so */
    struct hs_passes_slice slice;
    /* The pass that goes on. */
    struct hs_passes_share share;
    int64_t began_us;
    int64_t ended_us;
    int64_t first_us;   /* when it saw its first edge */
    int64_t stop_at_us; /* 0: it has seen none yet */
    bool has_new;       /* it has seen what no other has */
    int64_t cut_us;     /* when it was cut */
    uint32_t row;       /* the node whose edges are being shown; 0: none yet */
    uint32_t row_edges;
    bool is_again;  /* they were shown before */
    uint32_t rows;  /* that were not */
    uint32_t edges; /* since the last look at the clock */
    bool is_for_roots;
    bool is_for_slice; /* it begins at a slice of an array */
    bool is_cut;       /* its time was over before its work */
    bool has_grown;    /* the table of tags, between two passes */
    uint32_t growths;  /* how often that was tried */
};

/* The VM's part. Both show edges to hs_passes_see_*, in one pause, until that says HS_TRACE_STOP, and call
 * hs_passes_begin and hs_passes_end just before and after that pause. Fail: HS_JVMTI, HS_NO_MEMORY. */
struct hs_passes_vm {
    void *context;
    enum hs_status (*see_roots)(void *context, struct hs_passes *passes);
    /* Goes down from the objects with these tags. For each that still exists it calls hs_passes_found before the pause; of
     * elements of an array (hs_passes_place), for those that it still has near that place. It shows them as elements of an array
     * without a tag. */
    enum hs_status (*follow)(void *context, struct hs_passes *passes, const int64_t *tags,
                             uint32_t count);
    /* Reads elements of passes->slice.array, and calls hs_passes_read for each that is not null; sets `next` and `is_last`. Shows
     * these as elements, from 0 on, of an array without a tag, and goes down from them. After the pause it calls
     * hs_passes_unread for those that the array has no more at that index or near it. No pause where it has read nothing. */
    enum hs_status (*follow_slice)(void *context, struct hs_passes *passes);
    /* Does it keep a reference to this object (hs_passes_begins_again), so that it can begin there without a look at all tags?
     * NULL: no. */
    bool (*is_at_hand)(void *context, uint32_t node);
    /* Tags new objects, which then go, until the table of tags has grown: as many as these at most. Returns for how long the
     * application may have had to wait meanwhile; 0: the table has not grown. NULL: it cannot. */
    int64_t (*grow_table)(void *context, uint32_t most);
};

/* Goes through the heap until all is seen, the time is over, or the memory: trace->end. Sleeps after each pass as long as
 * its pause, less the time in which its objects were looked up. Thread: Control. Fails: as the VM's part, or HS_NO_MEMORY. Afterwards the caller calls hs_passes_free, before
 * the search. */
enum hs_status hs_passes_run(struct hs_passes *passes, const struct hs_passes_vm *vm);
void hs_passes_free(struct hs_passes *passes);

/* What is true of a target that the search did not find. */
enum hs_outcome hs_passes_outcome(const struct hs_passes *passes);

/* For the VM's part. */
void hs_passes_found(struct hs_passes *passes, int64_t tag);
/* An element that is not null. False: the slice has no room for another one. */
bool hs_passes_read(struct hs_passes *passes, uint32_t index);
/* The array has no more the element of this number, from 0 on in the order of hs_passes_read. */
void hs_passes_unread(struct hs_passes *passes, uint32_t element);
/* Is the object of this number, from 0 on in the order of the tags, an element of a long array, and where? */
bool hs_passes_place(const struct hs_passes *passes, uint32_t number,
                     struct hs_passes_place *place);
/* This pass begins at that node: may later ones do so too? Not at one whose edges it shows for the first time, unless that is a
 * root. */
bool hs_passes_begins_again(const struct hs_passes *passes, uint32_t node);
void hs_passes_begin(struct hs_passes *passes);
void hs_passes_end(struct hs_passes *passes);

/* As hs_trace_see_*; `bytes`: the size of the object that the edge leads to. */
enum hs_trace_step hs_passes_see_edge(struct hs_passes *passes, const struct hs_trace_edge *edge,
                                      int64_t bytes);
enum hs_trace_step hs_passes_see_root(struct hs_passes *passes, const struct hs_root *root,
                                      int64_t class_tag, int64_t *tag, int64_t bytes);

/* The longest tail with which passes are worth their pauses: the rest of a pause is for the work, and for what cannot be cut. */
static inline int64_t hs_passes_most_tail_us(int64_t pause_us) {
    return pause_us / 2;
}

/* Tags to add before a pass at most, so that the VM's table of tags, with as many nodes, does not grow in it; 0: none yet, or none
 * any more, or the growth is short beside `pause_us`. */
uint32_t hs_passes_tags_to_add(uint32_t grows_at, uint32_t nodes, int64_t pause_us);

/* How a pass went. */
struct hs_passes_course {
    int64_t pause_us;
    int64_t tail_us;   /* that the next one is expected to have */
    int64_t lookup_us; /* how long finding its objects took */
    bool was_cut;
};

/* What the next pass has, by what the one before had, and how that went. `most_us`: a pause at most. */
struct hs_passes_share hs_passes_next_share(struct hs_passes_share share, int64_t most_us,
                                            const struct hs_passes_course *course);

#endif
