/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Label scopes: which set of labels a thread has in force, from open to close (doc/labels.md).
 *
 * The *state* of a thread is one number: how many scopes are open << 52 | the word of the innermost set
 * (hs_label_sets.h). Opening answers the state before, and closing gets it back, so the thread's own stack is what
 * keeps the outer sets. A thread without a scope has the state 0.
 *
 * A platform thread has its state in its record, together with its Java id: where a native thread attaches again it is
 * another Java thread, and has no labels. Virtual threads have theirs in hs_label_map. Only the running thread opens
 * and closes its scopes, and only its own samples read them, so nothing of a record is shared. */
#ifndef HS_LABEL_SCOPES_H
#define HS_LABEL_SCOPES_H

#include "hs_label_map.h"
#include "hs_thread_state.h"

/* The word of the set that a sample of this Java thread gets; 0: none. `self`: the record of the running platform
 * thread, which carries it. Thread: Callback. */
static inline uint64_t hs_label_scopes_word(const struct hs_thread_state *self,
                                            int64_t java_thread) {
    if (self->label_thread == java_thread) {
        return hs_label_word_of(self->label_state);
    }
    return hs_label_map_is_used() ? hs_label_word_of(hs_label_map_state(java_thread)) : 0;
}

/* Opens a scope of the running platform thread; the state before. Thread: Any. */
static inline uint64_t hs_label_scopes_open(struct hs_thread_state *self, int64_t java_thread,
                                            uint64_t word) {
    if (self->label_thread != java_thread) {
        self->label_thread = java_thread;
        self->label_state = 0;
    }
    uint64_t previous = self->label_state;
    self->label_state = hs_label_opened(previous, word);
    return previous;
}

/* Closes that scope. No other Java thread has opened one on this record since, or its scopes were closed before. */
static inline void hs_label_scopes_close(struct hs_thread_state *self, uint64_t previous) {
    self->label_state = hs_label_closed(self->label_state, previous);
}

#endif
