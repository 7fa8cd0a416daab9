/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Where the slices of an array begin and end (hs_passes.h), and where an element of it is by now. The application changes the
 * array meanwhile: from one slice to the next, elements may have moved to both sides, or may be gone.
 *
 * Thread: one at a time. Takes no lock, and no memory. */
#ifndef HS_SLICES_H
#define HS_SLICES_H

#include <stdbool.h>
#include <stdint.h>

/* How much of an array a slice reads, nulls included: some 30 ns each. */
enum { HS_SLICES_READ = 1 << 16 };

/* How far an element is looked for from its place, and at how many places for all elements of a pass, the first one of each not
 * counted: some 0.2 us a place. */
enum { HS_SLICES_SHIFT = 1024, HS_SLICES_LOOKS = 32 * HS_SLICES_SHIFT };

/* ---- where an element is ---- */

/* The search of one pass; starts as 0. */
struct hs_slices_search {
    int64_t shift; /* how far the element that was found last is from its index */
    uint32_t looks;
};

/* Is the element that is sought at this index, from 0 on and less than the length? */
typedef bool (*hs_slices_look)(void *context, int64_t index);

/* Looks for an element that was read at `index`: at the same distance from there as the element before, and then on both sides
 * of that. Returns where it is; -1: it is not near, or the pass has no looks left. */
int64_t hs_slices_find(struct hs_slices_search *search, int64_t index, int64_t length,
                       hs_slices_look look, void *context);

/* ---- where a slice begins ---- */

/* The slice that was read last; starts as 0. */
struct hs_slices {
    uint32_t array; /* its node; 0: none */
    int64_t begin;
    int64_t end;     /* it has read up to here */
    int64_t index;   /* where its last element that was found again was read; -1: there is none */
    int64_t place;   /* where that was found */
    int64_t tag;     /* of that */
    uint32_t others; /* elements after it, which were not found again */
};

/* The index up to which a slice may read. */
int64_t hs_slices_most(int64_t begin, int64_t length);

/* A slice has read from `begin` to `end`; nothing of it is found again yet. */
void hs_slices_read(struct hs_slices *slices, uint32_t array, int64_t begin, int64_t end);
/* Its next element is looked for again: `place` as from hs_slices_find. */
void hs_slices_see(struct hs_slices *slices, int64_t index, int64_t place, int64_t tag);

/* Where the next slice begins: behind the elements of the last one, where these are by now. `place`: where the element `index` is
 * now, as from hs_slices_find. `most`: the elements of a slice.
 *
 * There is an end: a slice that does not come to the end of the array has read `most` elements, or HS_SLICES_READ places, which
 * is more; so end >= begin + most. The next one begins at begin + most / 2 or later, even if elements have moved. So an array of n
 * places has 2 * n / most + 1 slices at most; its length does not change. */
int64_t hs_slices_next(const struct hs_slices *slices, int64_t place, uint32_t most);

#endif
