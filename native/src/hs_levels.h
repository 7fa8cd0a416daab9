/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Levels: by how many halvings the live table is thinned, in one word, so that each look is at a pair that
 * was. In its lower half the level of all entries. In its upper half that of those which hold garbage, where
 * not all do (hs_garbage.h): they pass the higher one of the two. */
#ifndef HS_LEVELS_H
#define HS_LEVELS_H

#include <stdbool.h>
#include <stdint.h>

enum { HS_MAX_LEVEL = 24, HS_GARBAGE_SHIFT = 16, HS_ONE_GARBAGE = 1 << HS_GARBAGE_SHIFT };

static inline uint32_t hs_levels_of_all(uint32_t levels) {
    return levels & (HS_ONE_GARBAGE - 1);
}

static inline uint32_t hs_levels_of_garbage(uint32_t levels) {
    uint32_t all = hs_levels_of_all(levels);
    uint32_t held = levels >> HS_GARBAGE_SHIFT;
    return held > all ? held : all;
}

static inline uint32_t hs_levels_raise_garbage(uint32_t levels) {
    return (hs_levels_of_garbage(levels) + 1) << HS_GARBAGE_SHIFT | hs_levels_of_all(levels);
}

/* One down, if there is one. */
static inline uint32_t hs_levels_lower_all(uint32_t levels) {
    return hs_levels_of_all(levels) > 0 ? levels - 1 : levels;
}

static inline uint32_t hs_levels_lower_garbage(uint32_t levels) {
    return levels >> HS_GARBAGE_SHIFT > 0 ? levels - HS_ONE_GARBAGE : levels;
}

/* Does a sample with this random number stay at this level? */
static inline bool hs_level_passes(uint32_t random, uint32_t level) {
    return level == 0 || random >> (32 - level) == 0;
}

#endif
