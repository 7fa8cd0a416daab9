/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Stacks: a sequence of frame numbers, leaf first, as one number.
 *
 * Two stacks are the same when all their frames are. A stack that was cut, at the depth limit or because the
 * table was nearly full, ends with HS_STACK_CUT and so differs from a whole one. The empty stack has a
 * number as well. */
#ifndef HS_STACKS_H
#define HS_STACKS_H

#include <stdbool.h>

#include "hs_check.h"
#include "hs_ids.h"
#include "hs_intern.h"

/* In the place of a frame's number. */
#define HS_STACK_CUT UINT32_C(0xFFFFFFFF)

/* The number of the stack that has no frame but the cut mark: nothing is known of it. In the table from the
 * beginning. */
#define HS_STACK_UNKNOWN 1

/* Most frames a stack may have; bounds the scratch space that a callback keeps on its own stack. */
#define HS_MAX_DEPTH 1024

struct hs_stacks {
    hs_intern *table;
};

/* Owns: the caller frees the table with hs_intern_free. Fails: HS_NO_MEMORY, HS_INVALID. */
enum hs_status hs_stacks_new(uint32_t max_stacks, struct hs_stacks *result);

/* Adds a stack. Thread: Callback. Fails: HS_FULL, HS_NO_MEMORY. */
static inline enum hs_status hs_stacks_put(struct hs_stacks stacks,
                                           const struct hs_frame_id *frames, uint32_t count,
                                           struct hs_stack_id *id) {
    return hs_intern_put(stacks.table, frames, count * (uint32_t)sizeof *frames, &id->number);
}

/* Adds as much of a stack as there is room for: all of it; its first 16 or 4 frames and the cut mark; or no
 * frame (HS_STACK_UNKNOWN). An eighth of the table is for stacks that have been shortened, half of that for
 * those of 4 frames. `*is_whole` says whether it is all.
 * Thread: Callback. Fails: HS_NO_MEMORY. */
enum hs_status hs_stacks_put_what_fits(struct hs_stacks stacks, const struct hs_frame_id *frames,
                                       uint32_t count, struct hs_stack_id *id, bool *is_whole);

/* The frames of a stack; NULL if the number was never given. Thread: Any. Owns: the table. */
static inline const struct hs_frame_id *hs_stacks_get(struct hs_stacks stacks,
                                                      struct hs_stack_id id, uint32_t *count) {
    const struct hs_frame_id *frames = hs_intern_key(stacks.table, id.number, count);
    *count /= (uint32_t)sizeof *frames;
    return frames;
}

#ifdef HS_CHECKS
/* Is the table valid, is each stack made of frames below `frames_end`, with the cut mark at the end only, and is
 * HS_STACK_UNKNOWN the mark alone? Thread: as hs_intern_is_valid. */
bool hs_stacks_is_valid(struct hs_stacks stacks, uint32_t frames_end);
#endif

#endif
