/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_stacks.h"

#include <criterion/criterion.h>
#include <string.h>

static struct hs_stack_id put(struct hs_stacks stacks, const struct hs_frame_id *frames,
                              uint32_t count) {
    struct hs_stack_id id = {0};
    cr_assert_eq(hs_stacks_put(stacks, frames, count, &id), HS_OK);
    cr_assert_neq(id.number, 0);
    return id;
}

Test(stacks, are_equal_when_all_frames_are) {
    static const struct {
        struct hs_frame_id frames[4];
        uint32_t count;
    } STACKS[] = {
        {{{0}}, 0},
        {{{1}}, 1},
        {{{2}}, 1},
        {{{1}, {2}}, 2},
        {{{2}, {1}}, 2},
        {{{1}, {1}}, 2},
        {{{1}, {2}, {3}}, 3},
        {{{1}, {2}, {HS_STACK_CUT}}, 3},
        {{{1}, {2}, {0}}, 3},
        {{{0}, {1}}, 2},
        {{{1}, {2}, {3}, {HS_STACK_CUT}}, 4},
    };
    enum { COUNT = sizeof STACKS / sizeof STACKS[0] };
    struct hs_stacks stacks;
    struct hs_stack_id ids[COUNT];
    cr_assert_eq(hs_stacks_new(COUNT + 1, &stacks), HS_OK);
    for (uint32_t i = 0; i < COUNT; i++) {
        ids[i] = put(stacks, STACKS[i].frames, STACKS[i].count);
        cr_assert_eq(ids[i].number, HS_STACK_UNKNOWN + 1 + i);
    }
    for (uint32_t i = 0; i < COUNT; i++) {
        uint32_t count = 77;
        cr_assert_eq(put(stacks, STACKS[i].frames, STACKS[i].count).number, ids[i].number);
        const struct hs_frame_id *frames = hs_stacks_get(stacks, ids[i], &count);
        cr_assert_not_null(frames);
        cr_assert_eq(count, STACKS[i].count);
        cr_assert(memcmp(frames, STACKS[i].frames, count * sizeof *frames) == 0);
    }
    struct hs_stack_id id = {77};
    cr_assert_eq(hs_stacks_put(stacks, (struct hs_frame_id[]){{9}}, 1, &id), HS_FULL);
    cr_assert_eq(id.number, 0);
    cr_assert(hs_intern_is_valid(stacks.table));
    hs_intern_free(stacks.table);
}

Test(stacks, the_deepest_stack_fits) {
    static struct hs_frame_id frames[HS_MAX_DEPTH + 1];
    struct hs_stacks stacks;
    cr_assert_eq(hs_stacks_new(10, &stacks), HS_OK);
    for (uint32_t i = 0; i < HS_MAX_DEPTH; i++) {
        frames[i].number = i + 1;
    }
    frames[HS_MAX_DEPTH].number = HS_STACK_CUT;
    struct hs_stack_id whole = put(stacks, frames, HS_MAX_DEPTH);
    struct hs_stack_id cut = put(stacks, frames, HS_MAX_DEPTH + 1);
    cr_assert_neq(whole.number, cut.number);
    uint32_t count;
    cr_assert_eq(hs_stacks_get(stacks, cut, &count)[HS_MAX_DEPTH].number, HS_STACK_CUT);
    cr_assert_eq(count, HS_MAX_DEPTH + 1);
    cr_assert(hs_intern_is_valid(stacks.table));
    hs_intern_free(stacks.table);
}

Test(stacks, unknown_numbers_have_no_frames) {
    struct hs_stacks stacks;
    cr_assert_eq(hs_stacks_new(10, &stacks), HS_OK);
    for (uint32_t id = 0; id < 20; id += id == 0 ? 2 : 1) {
        uint32_t count = 77;
        cr_assert_null(hs_stacks_get(stacks, (struct hs_stack_id){id}, &count));
        cr_assert_eq(count, 0);
    }
    cr_assert(hs_intern_is_valid(stacks.table));
    hs_intern_free(stacks.table);
}

Test(stacks, the_unknown_one_is_there_from_the_beginning) {
    static const struct hs_frame_id CUT = {HS_STACK_CUT};
    struct hs_stacks stacks;
    uint32_t count;
    cr_assert_eq(hs_stacks_new(1, &stacks), HS_OK);
    cr_assert_eq(hs_stacks_get(stacks, (struct hs_stack_id){HS_STACK_UNKNOWN}, &count)->number,
                 HS_STACK_CUT);
    cr_assert_eq(count, 1);
    cr_assert_eq(put(stacks, &CUT, 1).number, HS_STACK_UNKNOWN);
    cr_assert(hs_intern_is_valid(stacks.table));
    hs_intern_free(stacks.table);
}

/* How many frames of the first `depth` numbers from `first` on are kept, the mark not counted. */
static uint32_t kept(struct hs_stacks stacks, uint32_t first, uint32_t depth) {
    struct hs_frame_id frames[HS_MAX_DEPTH];
    struct hs_stack_id id;
    uint32_t count;
    bool is_whole;
    for (uint32_t i = 0; i < depth; i++) {
        frames[i].number = first + i;
    }
    cr_assert_eq(hs_stacks_put_what_fits(stacks, frames, depth, &id, &is_whole), HS_OK);
    const struct hs_frame_id *found = hs_stacks_get(stacks, id, &count);
    count -= !is_whole;
    cr_assert(is_whole ? count == depth : found[count].number == HS_STACK_CUT);
    cr_assert_leq(count, depth);
    cr_assert(memcmp(found, frames, count * sizeof *frames) == 0, "leaf first");
    return count;
}

/* Of 64: 56 whole ones with the unknown one, 4 of 16 frames, 4 of 4 frames. */
Test(stacks, keep_what_there_is_room_for) {
    enum { ROOM = 64, STACKS = 100, DEPTH = 40 };
    struct hs_stacks stacks;
    cr_assert_eq(hs_stacks_new(ROOM, &stacks), HS_OK);
    for (uint32_t i = 0; i < STACKS; i++) {
        uint32_t expected = i < 55 ? DEPTH : i < 59 ? 16 : i < 63 ? 4 : 0;
        cr_assert_eq(kept(stacks, 1000 * (i + 1), DEPTH), expected, "stack %u", i);
    }
    cr_assert_eq(kept(stacks, 1000, DEPTH), DEPTH, "one that is there stays whole");
    cr_assert_eq(kept(stacks, 1000 * 200, 4), 0, "a short one is not cut to what it is");
    cr_assert_eq(kept(stacks, 1000 * 60, 30), 4,
                 "a stack with the same first frames becomes the same");
    cr_assert(hs_intern_is_valid(stacks.table));
    hs_intern_free(stacks.table);
}

Test(stacks, the_walker_finds_what_is_no_stack) {
    static const struct {
        uint32_t frames[3];
        uint32_t bytes;
        bool is_valid;
    } STACKS[] = {
        {{0}, 0, true},      {{1, 9}, 8, true},  {{9, 1, HS_STACK_CUT}, 12, true},
        {{1, 10}, 8, false}, {{0, 1}, 8, false}, {{HS_STACK_CUT, 1}, 8, false},
        {{1, 2}, 7, false},
    };
    for (size_t i = 0; i < sizeof STACKS / sizeof STACKS[0]; i++) {
        struct hs_stacks stacks;
        uint32_t id;
        cr_assert_eq(hs_stacks_new(10, &stacks), HS_OK);
        cr_assert(hs_stacks_is_valid(stacks, 10));
        cr_assert_eq(hs_intern_put(stacks.table, STACKS[i].frames, STACKS[i].bytes, &id), HS_OK);
        cr_assert_eq(hs_stacks_is_valid(stacks, 10), STACKS[i].is_valid, "stack %zu", i);
        hs_intern_free(stacks.table);
    }
}

Test(stacks, the_walker_wants_the_unknown_stack_first) {
    struct hs_stacks stacks;
    cr_assert_eq(hs_intern_new(10, &stacks.table), HS_OK);
    (void)put(stacks, (struct hs_frame_id[]){{1}}, 1);
    cr_assert_not(hs_stacks_is_valid(stacks, 10));
    hs_intern_free(stacks.table);
}
