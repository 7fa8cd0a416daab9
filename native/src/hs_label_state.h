/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Label state: the arithmetic of opening and closing scopes (hs_label_scopes.h). Pure.
 *
 * A state is how many scopes are open << 52 | the word of the innermost set. */
#ifndef HS_LABEL_STATE_H
#define HS_LABEL_STATE_H

#include <stdint.h>

/* Most scopes of a thread, so that a state, as Java has it, is never below 0. */
enum { HS_LABEL_DEPTH_SHIFT = 52, HS_LABEL_MOST_SCOPES = 2047 };

#define HS_LABEL_WORD_MASK ((UINT64_C(1) << HS_LABEL_DEPTH_SHIFT) - 1)

static inline uint64_t hs_label_word_of(uint64_t state) {
    return state & HS_LABEL_WORD_MASK;
}

static inline uint32_t hs_label_depth_of(uint64_t state) {
    return (uint32_t)(state >> HS_LABEL_DEPTH_SHIFT);
}

/* One scope deeper. Scopes beyond HS_LABEL_MOST_SCOPES change nothing. */
static inline uint64_t hs_label_opened(uint64_t state, uint64_t word) {
    uint64_t depth = hs_label_depth_of(state);
    return depth >= HS_LABEL_MOST_SCOPES
               ? state
               : (depth + 1) << HS_LABEL_DEPTH_SHIFT | hs_label_word_of(word);
}

/* Back to the state that opening has answered; unchanged where that is no outer one: an outer scope was closed
 * before, and has ended this one. */
static inline uint64_t hs_label_closed(uint64_t state, uint64_t previous) {
    return hs_label_depth_of(state) > hs_label_depth_of(previous) ? previous : state;
}

#endif
