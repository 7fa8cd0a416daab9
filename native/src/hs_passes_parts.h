/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* What hs_passes.c, a pass and the sequence of all, hs_passes_frontier.c, where passes begin, and hs_passes_slices.c, arrays that are
 * read in slices, have in common. */
#ifndef HS_PASSES_PARTS_H
#define HS_PASSES_PARTS_H

#include "hs_passes.h"

/* Of a node. */
enum {
    IS_DONE = 1,      /* its edges were shown, or it has none, or it is gone */
    IS_LARGE = 2,     /* an array that comes in slices */
    IS_MARKED = 4,    /* its tag has a mark */
    IS_PICKED = 8,    /* this pass begins there */
    IS_FOUND = 16,    /* so, and the object exists */
    IS_GONE = 32,     /* no object has its tag any more */
    IS_OPEN = 64,     /* followed, but this pass goes through it once more */
    IS_LOST = 128,    /* the way from above does not lead there */
    IS_LONG = 256,    /* it has too many edges to be gone through once more */
    IS_PASSED = 512,  /* this pass begins there, and has shown its edges */
    IS_SLICED = 1024, /* a large array whose slices are not all read */
    IS_ELEMENT = 2048 /* of the slice that was read last */
};

static inline void hs_passes_set_large(struct hs_passes *passes, uint32_t node) {
    passes->states[node] |= IS_LARGE | IS_SLICED;
    passes->large++;
}

/* Does its array come first? An element that the array has no more does not wait for it. */
static inline bool hs_passes_waits(const struct hs_passes *passes, uint32_t node) {
    uint32_t parent = passes->parents[node];
    return parent != 0 && (passes->states[parent] & IS_SLICED) != 0 &&
           (passes->states[node] & (IS_ELEMENT | IS_LOST)) == 0;
}

/* After the roots were seen. */
void hs_passes_begin_frontier(struct hs_passes *passes);

/* Chooses where the next pass begins: passes->tags. Returns how many; 0: the frontier is empty. */
uint32_t hs_passes_pick(struct hs_passes *passes);

/* Goes on to the next slice: passes->slice, when there is nothing else left. False: all of all arrays have been read. */
bool hs_passes_next_slice(struct hs_passes *passes);

/* The index of an element of the slice, and one; 0: it is none. */
uint32_t hs_passes_place_in_slice(const struct hs_passes *passes, uint32_t node);

/* An edge to an element of the slice that was read: sets what follows from it. `before`: the node that it had. */
void hs_passes_show_element(struct hs_passes *passes, const struct hs_trace_edge *edge,
                            uint32_t before);

/* After the pass of a slice: adds its edges to the graph. */
void hs_passes_settle_slice(struct hs_passes *passes);

/* After a pass that began there. */
void hs_passes_settle(struct hs_passes *passes, uint32_t count);

#endif
