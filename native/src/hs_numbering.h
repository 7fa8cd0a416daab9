/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Numbering: dense numbers for some of the ids of a table, in the order of the ids.
 *
 * Mark all ids first, then query numbers. Takes less than 2 bits for each id.
 * Thread: one at a time. */
#ifndef HS_NUMBERING_H
#define HS_NUMBERING_H

#include <stdbool.h>
#include <stdint.h>

#include "hs_check.h"

#define HS_NO_NUMBER UINT32_MAX

struct hs_numbering {
    uint64_t *marks;  /* a bit for each id */
    uint32_t *before; /* how many are marked before each word of marks */
    uint32_t end;     /* of the ids */
    uint32_t count;   /* of those that are marked; from hs_numbering_settle on */
};

/* None is marked of ids from 0 on below `end`.
 * Owns: the caller calls hs_numbering_free, also after a failure. Fails: false, without memory. */
bool hs_numbering_new(struct hs_numbering *numbering, uint32_t end);
void hs_numbering_free(struct hs_numbering *numbering);

/* Marks an id; true when it was not marked, and lies below the end. */
bool hs_numbering_mark(struct hs_numbering *numbering, uint32_t id);

/* Makes the numbers; none is marked afterwards. */
void hs_numbering_settle(struct hs_numbering *numbering);

/* The number of an id, or HS_NO_NUMBER. */
uint32_t hs_numbering_of(const struct hs_numbering *numbering, uint32_t id);

/* The first marked id from this one on, or HS_NO_NUMBER: the ids in the order of their numbers. */
uint32_t hs_numbering_next(const struct hs_numbering *numbering, uint32_t id);

#endif
