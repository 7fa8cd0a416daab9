/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Stacks: a sequence of frame numbers, leaf first, as one number.
 *
 * Two stacks are the same when all their frames are. A stack that was cut at the depth limit ends
 * with HS_STACK_CUT and so differs from a whole one. The empty stack has a number, too. */
#ifndef HS_STACKS_H
#define HS_STACKS_H

#include "hs_intern.h"

#define HS_STACK_CUT UINT32_C(0xFFFFFFFF)

/* Most frames a stack may have; bounds the scratch space that a callback keeps on its own stack. */
#define HS_MAX_DEPTH 1024

typedef struct hs_intern hs_stacks;

static inline enum hs_status hs_stacks_new(uint32_t max_stacks, hs_stacks **result) {
    return hs_intern_new(max_stacks, result);
}

/* Thread: Callback. Fails: HS_FULL, HS_NO_MEMORY. */
static inline enum hs_status hs_stacks_put(hs_stacks *stacks, const uint32_t *frames,
                                           uint32_t count, uint32_t *id) {
    return hs_intern_put(stacks, frames, count * (uint32_t)sizeof *frames, id);
}

/* The frames of a stack; NULL if the number was never given. Thread: Any. Owns: the table. */
static inline const uint32_t *hs_stacks_get(const hs_stacks *stacks, uint32_t id, uint32_t *count) {
    const uint32_t *frames = hs_intern_key(stacks, id, count);
    *count /= (uint32_t)sizeof *frames;
    return frames;
}

#endif
