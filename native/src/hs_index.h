/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Index: from a tag of 64 bits to what is tied to it, in two steps through memory.
 *
 * Several things may be tied to one tag; a lookup compares them with the rest of its key and
 * looks on. What is tied must stay where it is and as it is as long as the index; the index does not
 * own it. Append-only and bounded, except for hs_index_replace.
 *
 * Orders: a slot's tag is set once, by compare-and-swap, and what is tied to it after that, with
 * release; a look reads it with acquire, so it sees all of what it finds. The tag is relaxed, since it
 * says nothing about what is tied: a look that comes in between finds nothing there and goes on. A mark says nothing
 * either, and may be lost where something else is tied at the same time. */
#ifndef HS_INDEX_H
#define HS_INDEX_H

#include <stdbool.h>
#include <stdint.h>

#include "hs_check.h"
#include "hs_status.h"

typedef struct hs_index hs_index;

/* An index of at most `max` (1 to 2^24) ties. Owns: the caller frees. Fails: HS_NO_MEMORY, HS_INVALID. */
enum hs_status hs_index_new(uint32_t max, hs_index **result);

/* Thread: one that no other uses the index beside. Harmless for NULL. */
void hs_index_free(hs_index *index);

/* Where to look for a tag first. Thread: Any. */
uint32_t hs_index_first(const hs_index *index, uint64_t tag);

/* The next thing that is tied to the tag, from *at on; *at says where that was, *at + 1 is where to look
 * on. NULL: there is no other. Thread: Any; lock-free. */
const void *hs_index_look(const hs_index *index, uint64_t tag, uint32_t *at);

/* The next thing that is tied to any tag, from place *at on, 0 at first; else as above. */
const void *hs_index_next(const hs_index *index, uint32_t *at, uint64_t *tag, bool *is_marked);

/* Ties something to the tag, which is not 0. What is tied has an even address, and is not marked. Two threads that tie
 * equal things at once both do so.
 * Thread: Any; lock-free. Fails: HS_FULL. */
enum hs_status hs_index_tie(hs_index *index, uint64_t tag, const void *what);

/* Ties something else to the tag that was found at `at`. Thread: Any. */
void hs_index_replace(hs_index *index, uint32_t at, const void *what);

/* Marks what was found at `at`. Thread: Any; lock-free. */
void hs_index_mark(hs_index *index, uint32_t at);

#ifdef HS_CHECKS
/* Are as many places taken as there are ties, and is each of them found from its tag?
 * Thread: one that no other uses the index beside. */
bool hs_index_is_valid(const hs_index *index);
#endif

#endif
