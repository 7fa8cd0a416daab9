/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* What hs_passes.c, a pass and the sequence of all, and hs_passes_frontier.c, where passes begin, have in common. */
#ifndef HS_PASSES_PARTS_H
#define HS_PASSES_PARTS_H

#include "hs_passes.h"

/* Of a node. */
enum {
    IS_DONE = 1,     /* its edges were shown, or it has none, or it is gone */
    IS_LARGE = 2,    /* an array that is not followed */
    IS_MARKED = 4,   /* its tag has a mark */
    IS_PICKED = 8,   /* this pass begins there */
    IS_FOUND = 16,   /* so, and the object exists */
    IS_GONE = 32,    /* no object has its tag any more */
    IS_WIDE = 64,    /* an array whose elements get their nodes first */
    IS_SHOWN = 128,  /* so, and they have them */
    IS_OPEN = 256,   /* followed, but this pass goes through it once more */
    IS_LOST = 512,   /* the way from above does not lead there */
    IS_LONG = 1024,  /* it has too many edges to be gone through once more */
    IS_PASSED = 2048 /* this pass begins there, and has shown its edges */
};

/* An array that is not followed. */
static inline void hs_passes_set_large(struct hs_passes *passes, uint32_t node) {
    passes->states[node] |= IS_LARGE;
    passes->large++;
}

/* After the roots were seen. */
void hs_passes_begin_frontier(struct hs_passes *passes);

/* Chooses where the next pass begins: passes->tags. Returns how many; 0: the frontier is empty. */
uint32_t hs_passes_pick(struct hs_passes *passes);

/* After a pass that began there. `nodes_before`: of the graph. */
void hs_passes_settle(struct hs_passes *passes, uint32_t count, uint32_t nodes_before);

#endif
