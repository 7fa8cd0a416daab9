/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_frames.h"

#include <criterion/criterion.h>
#include <string.h>

#include "hs_mem.h"

static hs_frames *make(uint32_t max_frames) {
    hs_frames *frames;
    cr_assert_eq(hs_frames_new(max_frames, &frames), HS_OK);
    return frames;
}

static struct hs_frame frame_at(int32_t line) {
    return (struct hs_frame){
        .class_name = 1, .method = 2, .descriptor = 3, .file = 4, .line = line};
}

static uint32_t put(hs_frames *frames, struct hs_frame_key key, struct hs_frame frame,
                    uint32_t raw_class) {
    uint32_t id = 0;
    cr_assert_eq(hs_frames_put(frames, &key, &frame, raw_class, &id), HS_OK);
    cr_assert_neq(id, 0);
    cr_assert_eq(hs_frames_find(frames, &key), id, "the newest is always known");
    return id;
}

Test(frames, an_empty_cache_knows_nothing) {
    hs_frames *frames = make(10);
    struct hs_frame_key zero = {0, 0, 0, 0};
    struct hs_frame_key some = {4096, 1, 7, 0};
    cr_assert_eq(hs_frames_find(frames, &zero), 0);
    cr_assert_eq(hs_frames_find(frames, &some), 0);
    cr_assert_null(hs_frames_get(frames, 0));
    cr_assert_null(hs_frames_get(frames, 1));
    cr_assert_null(hs_frames_get(frames, 11));
    cr_assert_eq(hs_frames_raw_class(frames, 0), 0);
    cr_assert_eq(hs_frames_raw_class(frames, 1), 0);
    cr_assert_eq(hs_frames_raw_class(frames, 11), 0);
    cr_assert_eq(hs_frames_raw_class(frames, UINT32_MAX), 0);
    cr_assert_eq(hs_frames_end(frames), 1);
    hs_frames_free(frames);
    hs_frames_free(NULL);
}

Test(frames, the_whole_key_counts) {
    static const struct hs_frame_key KEYS[] = {
        {4096, 1, 7, 0},        {4096, 1, 8, 0}, {4096, 2, 7, 0},           {8192, 1, 7, 0},
        {4096, 1, -1, 0},       {4096, 1, 0, 0}, {4096, UINTPTR_MAX, 7, 0}, {4096, 0, 7, 0},
        {UINTPTR_MAX, 1, 7, 0}, {4097, 1, 7, 0}};
    enum { COUNT = sizeof KEYS / sizeof KEYS[0] };
    hs_frames *frames = make(COUNT);
    uint32_t ids[COUNT];
    for (int i = 0; i < COUNT; i++) {
        cr_assert_eq(hs_frames_find(frames, &KEYS[i]), 0, "key %d", i);
        ids[i] = put(frames, KEYS[i], frame_at(100 + i), 0);
    }
    for (int i = 0; i < COUNT; i++) {
        cr_assert_eq(hs_frames_find(frames, &KEYS[i]), ids[i], "key %d", i);
        cr_assert_eq(hs_frames_get(frames, ids[i])->line, 100 + i);
    }
    hs_frames_free(frames);
}

Test(frames, a_forgotten_key_is_unknown_and_its_frame_stays) {
    hs_frames *frames = make(10);
    struct hs_frame_key key = {4096, 1, 7, 3};
    uint32_t id = put(frames, key, frame_at(10), 5);
    hs_frames_forget(frames);
    cr_assert_eq(hs_frames_find(frames, &key), 0);
    cr_assert_eq(hs_frames_get(frames, id)->line, 10);
    cr_assert_eq(hs_frames_raw_class(frames, id), 5);
    cr_assert_eq(put(frames, key, frame_at(10), 5), id);
    hs_frames_free(frames);
}

/* A class was redefined: same method, same bytecode index, another line. */
Test(frames, another_version_is_another_frame) {
    hs_frames *frames = make(10);
    struct hs_frame_key old = {4096, 1, 7, 0};
    struct hs_frame_key new = {4096, 2, 7, 0};
    uint32_t before = put(frames, old, frame_at(10), 0);
    cr_assert_eq(hs_frames_find(frames, &new), 0);
    uint32_t after = put(frames, new, frame_at(11), 0);
    cr_assert_neq(before, after);
    cr_assert_eq(hs_frames_find(frames, &old), before);
    cr_assert_eq(hs_frames_find(frames, &new), after);
    hs_frames_free(frames);
}

Test(frames, equal_content_is_one_frame_and_the_first_raw_name_stays) {
    hs_frames *frames = make(10);
    uint32_t first = put(frames, (struct hs_frame_key){4096, 1, 7, 0}, frame_at(10), 21);
    uint32_t second = put(frames, (struct hs_frame_key){4096, 1, 9, 0}, frame_at(10), 22);
    cr_assert_eq(first, second);
    cr_assert_eq(hs_frames_raw_class(frames, first), 21);
    cr_assert_eq(hs_frames_end(frames), 2);
    hs_frames_free(frames);
}

Test(frames, each_part_of_the_content_counts) {
    hs_frames *frames = make(20);
    struct hs_frame base = {1, 2, 3, 4, 5, 0};
    struct hs_frame others[6] = {base, base, base, base, base, base};
    others[0].class_name = 9;
    others[1].method = 9;
    others[2].descriptor = 9;
    others[3].file = 0;
    others[4].line = -1;
    others[5].flags = HS_FRAME_NATIVE | HS_FRAME_HIDDEN;
    uint32_t id = put(frames, (struct hs_frame_key){16, 0, 0, 0}, base, 0);
    for (uint32_t i = 0; i < 6; i++) {
        uint32_t other = put(frames, (struct hs_frame_key){32 + i, 0, 0, 0}, others[i], 0);
        cr_assert_eq(other, id + 1 + i);
        cr_assert(memcmp(hs_frames_get(frames, other), &others[i], sizeof base) == 0);
    }
    hs_frames_free(frames);
}

Test(frames, a_full_table_refuses_and_remembers_nothing) {
    hs_frames *frames = make(1);
    struct hs_frame_key key = {4096, 1, 7, 0};
    struct hs_frame other = frame_at(11);
    put(frames, (struct hs_frame_key){16, 1, 7, 0}, frame_at(10), 0);
    uint32_t id = 77;
    cr_assert_eq(hs_frames_put(frames, &key, &other, 5, &id), HS_FULL);
    cr_assert_eq(id, 0);
    cr_assert_eq(hs_frames_find(frames, &key), 0);
    put(frames, key, frame_at(10), 0); /* known content needs no room */
    hs_frames_free(frames);
}

Test(frames, whose_code_they_are_is_told_by_their_number) {
    enum { COUNT = 64 };
    hs_frames *frames;
    cr_assert_eq(hs_frames_new(COUNT, &frames), HS_OK);
    static const uint32_t ORIGINS[] = {0, HS_FRAME_OWN, HS_FRAME_JDK};
    cr_assert_eq(hs_frames_origin(frames, 0), 0);
    cr_assert_eq(hs_frames_origin(frames, COUNT + 1), 0, "there is no such number");
    cr_assert_eq(hs_frames_origin(frames, UINT32_MAX), 0);
    for (int32_t i = 1; i <= COUNT; i++) {
        struct hs_frame frame = {.class_name = 1, .line = i};
        frame.flags = ORIGINS[i % 3] | HS_FRAME_HIDDEN | 7 << HS_FRAME_FIRST_LINE_SHIFT;
        struct hs_frame_key key = {.method = 8, .bci = i};
        uint32_t id;
        cr_assert_eq(hs_frames_put(frames, &key, &frame, 0, &id), HS_OK);
        cr_assert_eq(hs_frames_origin(frames, id), ORIGINS[i % 3], "frame %d", i);
    }
    for (uint32_t id = 1; id <= COUNT; id++) {
        uint32_t origin = hs_frames_get(frames, id)->flags & HS_FRAME_ORIGIN;
        cr_assert_eq(hs_frames_origin(frames, id), origin, "frame %u", id);
    }
    hs_frames_free(frames);
}

/* Many more keys than the cache has lines (32,768): whatever it still answers is right. */
Test(frames, what_was_displaced_is_unknown_and_never_wrong) {
    enum { COUNT = 100000 };
    size_t before = hs_mem_used();
    hs_frames *frames = make(COUNT);
    static uint32_t ids[COUNT];
    for (uint32_t i = 0; i < COUNT; i++) {
        struct hs_frame_key key = {0x7f0000000000 + 8 * (uintptr_t)(i / 4), i % 2, (int32_t)(i % 4),
                                   0};
        ids[i] = put(frames, key, frame_at((int32_t)i), 0);
    }
    uint32_t known = 0;
    for (uint32_t i = 0; i < COUNT; i++) {
        struct hs_frame_key key = {0x7f0000000000 + 8 * (uintptr_t)(i / 4), i % 2, (int32_t)(i % 4),
                                   0};
        uint32_t id = hs_frames_find(frames, &key);
        cr_assert(id == 0 || id == ids[i]);
        known += id != 0;
    }
    cr_assert_lt(known, COUNT, "the cache is bounded");
    cr_assert_gt(known, 20000, "and well used: %u", known);
    hs_frames_free(frames);
    cr_assert_eq(hs_mem_used(), before);
}

Test(frames, an_entry_of_another_epoch_makes_room) {
    hs_frames *frames = make(10);
    for (uint32_t epoch = 0; epoch < 10; epoch++) {
        struct hs_frame_key key = {4096, 1, 7, epoch};
        cr_assert_eq(hs_frames_find(frames, &key), 0, "what was learned before is not believed");
        put(frames, key, frame_at(7), 0);
    }
    struct hs_frame_key first = {4096, 1, 7, 0};
    cr_assert_eq(hs_frames_find(frames, &first), 0, "nobody asks for it again");
    cr_assert_eq(hs_frames_end(frames), 2, "the frame is the same");
    hs_frames_free(frames);
}
