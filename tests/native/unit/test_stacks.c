/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_stacks.h"

#include <criterion/criterion.h>
#include <string.h>

static uint32_t put(hs_stacks *stacks, const uint32_t *frames, uint32_t count) {
    uint32_t id = 0;
    cr_assert_eq(hs_stacks_put(stacks, frames, count, &id), HS_OK);
    cr_assert_neq(id, 0);
    return id;
}

Test(stacks, are_equal_when_all_frames_are) {
    static const struct {
        uint32_t frames[4];
        uint32_t count;
    } STACKS[] = {
        {{0}, 0},
        {{1}, 1},
        {{2}, 1},
        {{1, 2}, 2},
        {{2, 1}, 2},
        {{1, 1}, 2},
        {{1, 2, 3}, 3},
        {{1, 2, HS_STACK_CUT}, 3},
        {{HS_STACK_CUT}, 1},
        {{1, 2, 0}, 3},
        {{0, 1}, 2},
        {{1, 2, 3, HS_STACK_CUT}, 4},
    };
    enum { COUNT = sizeof STACKS / sizeof STACKS[0] };
    hs_stacks *stacks;
    uint32_t ids[COUNT];
    cr_assert_eq(hs_stacks_new(COUNT, &stacks), HS_OK);
    for (uint32_t i = 0; i < COUNT; i++) {
        ids[i] = put(stacks, STACKS[i].frames, STACKS[i].count);
        cr_assert_eq(ids[i], i + 1);
    }
    for (uint32_t i = 0; i < COUNT; i++) {
        uint32_t count = 77;
        cr_assert_eq(put(stacks, STACKS[i].frames, STACKS[i].count), ids[i]);
        const uint32_t *frames = hs_stacks_get(stacks, ids[i], &count);
        cr_assert_not_null(frames);
        cr_assert_eq(count, STACKS[i].count);
        cr_assert(memcmp(frames, STACKS[i].frames, count * sizeof *frames) == 0);
    }
    uint32_t id = 77;
    cr_assert_eq(hs_stacks_put(stacks, (uint32_t[]){9}, 1, &id), HS_FULL);
    cr_assert_eq(id, 0);
    hs_intern_free(stacks);
}

Test(stacks, the_deepest_stack_fits) {
    static uint32_t frames[HS_MAX_DEPTH + 1];
    hs_stacks *stacks;
    cr_assert_eq(hs_stacks_new(10, &stacks), HS_OK);
    for (uint32_t i = 0; i < HS_MAX_DEPTH; i++) {
        frames[i] = i + 1;
    }
    frames[HS_MAX_DEPTH] = HS_STACK_CUT;
    uint32_t whole = put(stacks, frames, HS_MAX_DEPTH);
    uint32_t cut = put(stacks, frames, HS_MAX_DEPTH + 1);
    cr_assert_neq(whole, cut);
    uint32_t count;
    cr_assert_eq(hs_stacks_get(stacks, cut, &count)[HS_MAX_DEPTH], HS_STACK_CUT);
    cr_assert_eq(count, HS_MAX_DEPTH + 1);
    hs_intern_free(stacks);
}

Test(stacks, unknown_numbers_have_no_frames) {
    hs_stacks *stacks;
    cr_assert_eq(hs_stacks_new(10, &stacks), HS_OK);
    for (uint32_t id = 0; id < 20; id++) {
        uint32_t count = 77;
        cr_assert_null(hs_stacks_get(stacks, id, &count));
        cr_assert_eq(count, 0);
    }
    hs_intern_free(stacks);
}
