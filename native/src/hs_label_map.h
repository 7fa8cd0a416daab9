/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Label map: which virtual threads have a scope of labels open, by Java thread id (hs_label_scopes.h).
 *
 * One for the process. Three levels of buckets with 8 places each: 4,096 places, 65,536 and 1,048,576. A level is made
 * when a thread finds no free place in its buckets of those before, and stays. Where all three buckets are full, the
 * thread takes the place of another one, which has no labels until it opens its next scope. So threads that died with
 * an open scope use up no place for good. An id is never used twice, so what they leave is never another thread's.
 *
 * Orders: a place is the thread's whose id it holds, and only that thread reads or writes the state beside it. Another
 * one may take it at any moment: by compare-and-swap of the id, which it marks as BUSY until the state is its own. The
 * owner marks it in the same way before it writes, so a thread that has lost its place writes nothing; a thread that
 * meets the mark goes elsewhere. The state is stored (release) after the id was exchanged, so a reader that loads
 * (acquire) another's state finds another id when it then looks at the id again. A virtual thread goes from carrier to
 * carrier through the scheduler of the VM, which orders what it did before. Checked in all interleavings by
 * tests/model/labels.pml. */
#ifndef HS_LABEL_MAP_H
#define HS_LABEL_MAP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hs_check.h"
#include "hs_label_state.h"

enum { HS_LABEL_LEVELS = 3, HS_LABEL_PLACES = 8 };

/* Set once, before the first place is taken. Relaxed: the thread whose place it is has set it or seen it. */
extern _Atomic bool hs_label_map_has_any;

/* Has any virtual thread opened a scope yet? Thread: Any. */
static inline bool hs_label_map_is_used(void) {
    return atomic_load_explicit(&hs_label_map_has_any, memory_order_relaxed);
}

/* The state of the running virtual thread, 0 where it has no place. Thread: Callback. */
uint64_t hs_label_map_state(int64_t java_thread);

/* Opens a scope of the running virtual thread; the state before. `*is_lost`: for want of room another thread has lost
 * its labels, or this one gets none.
 * Thread: Any; takes memory for a level, at most three times in the life of the process. */
uint64_t hs_label_map_open(int64_t java_thread, uint64_t word, bool *is_lost);

/* Closes that scope. Harmless where the thread has no place. */
void hs_label_map_close(int64_t java_thread, uint64_t previous);

#ifdef HS_CHECKS
/* How many places are taken, and the memory that the levels keep. No other thread may use the map meanwhile. */
uint32_t hs_label_map_count(void);
size_t hs_label_map_bytes(void);
#endif

#endif
