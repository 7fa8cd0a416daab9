/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_slices.h"

/* ---- where an element is ---- */

static bool is_at(int64_t place, int64_t length, hs_slices_look look, void *context) {
    return place >= 0 && place < length && look(context, place);
}

int64_t hs_slices_find(struct hs_slices_search *search, int64_t index, int64_t length,
                       hs_slices_look look, void *context) {
    int64_t expected = index + search->shift;
    int64_t place = expected;
    bool is_found = is_at(place, length, look, context);
    for (int64_t by = 1; !is_found && by <= HS_SLICES_SHIFT && search->looks + 2 <= HS_SLICES_LOOKS;
         by++) {
        search->looks += 2;
        place = expected - by;
        is_found = is_at(place, length, look, context);
        if (!is_found) {
            place = expected + by;
            is_found = is_at(place, length, look, context);
        }
    }
    search->shift = is_found ? place - index : search->shift;
    return is_found ? place : -1;
}

/* ---- where a slice begins ---- */

int64_t hs_slices_most(int64_t begin, int64_t length) {
    return length - begin > HS_SLICES_READ ? begin + HS_SLICES_READ : length;
}

void hs_slices_read(struct hs_slices *slices, uint32_t array, int64_t begin, int64_t end) {
    *slices =
        (struct hs_slices){.array = array, .begin = begin, .end = end, .index = -1, .place = -1};
}

void hs_slices_see(struct hs_slices *slices, int64_t index, int64_t place, int64_t tag) {
    if (place < 0) {
        slices->others++;
        return;
    }
    slices->index = index;
    slices->place = place;
    slices->tag = tag;
    slices->others = 0;
}

/* Elements that were not found again may have been removed: then those after them have moved back. */
int64_t hs_slices_next(const struct hs_slices *slices, int64_t place, uint32_t most) {
    int64_t now = place >= 0 ? place : slices->place;
    int64_t shift = slices->index < 0 ? 0 : now - slices->index;
    int64_t next = slices->end + shift - slices->others;
    int64_t least = slices->begin + (most + 1) / 2;
    return next > least ? next : least;
}
