/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_frames.h"

#include <criterion/criterion.h>
#include <string.h>

static hs_frames *make(uint32_t max_frames) {
    hs_frames *frames;
    cr_assert_eq(hs_frames_new(max_frames, &frames), HS_OK);
    return frames;
}

static struct hs_frame frame_at(int32_t line) {
    return (struct hs_frame){
        .class_name = {1}, .method = {2}, .descriptor = {3}, .file = {4}, .line = line};
}

static struct hs_frame_id put(hs_frames *frames, struct hs_frame frame, uint32_t raw_class) {
    struct hs_frame_id id = {0};
    cr_assert_eq(hs_frames_put(frames, &frame, (struct hs_name_id){raw_class}, &id), HS_OK);
    cr_assert_neq(id.number, 0);
    return id;
}

Test(frames, an_empty_table_knows_nothing) {
    hs_frames *frames = make(10);
    cr_assert_null(hs_frames_get(frames, (struct hs_frame_id){0}));
    cr_assert_null(hs_frames_get(frames, (struct hs_frame_id){1}));
    cr_assert_null(hs_frames_get(frames, (struct hs_frame_id){11}));
    cr_assert_eq(hs_frames_raw_class(frames, (struct hs_frame_id){0}).number, 0);
    cr_assert_eq(hs_frames_raw_class(frames, (struct hs_frame_id){1}).number, 0);
    cr_assert_eq(hs_frames_raw_class(frames, (struct hs_frame_id){11}).number, 0);
    cr_assert_eq(hs_frames_raw_class(frames, (struct hs_frame_id){UINT32_MAX}).number, 0);
    cr_assert_eq(hs_frames_end(frames), 1);
    cr_assert(hs_frames_is_valid(frames, UINT32_MAX));
    hs_frames_free(frames);
    hs_frames_free(NULL);
}

Test(frames, equal_content_is_one_frame_and_the_first_raw_name_stays) {
    hs_frames *frames = make(10);
    struct hs_frame_id first = put(frames, frame_at(10), 21);
    struct hs_frame_id second = put(frames, frame_at(10), 22);
    cr_assert_eq(first.number, second.number);
    cr_assert_eq(hs_frames_raw_class(frames, first).number, 21);
    cr_assert_eq(hs_frames_end(frames), 2);
    cr_assert(hs_frames_is_valid(frames, UINT32_MAX));
    hs_frames_free(frames);
}

/* The first time there may have been no room for it. */
Test(frames, a_raw_name_that_comes_later_is_kept) {
    hs_frames *frames = make(10);
    struct hs_frame_id id = put(frames, frame_at(10), 0);
    cr_assert_eq(put(frames, frame_at(10), 22).number, id.number);
    cr_assert_eq(hs_frames_raw_class(frames, id).number, 22);
    cr_assert(hs_frames_is_valid(frames, UINT32_MAX));
    hs_frames_free(frames);
}

Test(frames, each_part_of_the_content_counts) {
    hs_frames *frames = make(20);
    struct hs_frame base = {{1}, {2}, {3}, {4}, 5, 0};
    struct hs_frame others[6] = {base, base, base, base, base, base};
    others[0].class_name.number = 9;
    others[1].method.number = 9;
    others[2].descriptor.number = 9;
    others[3].file.number = 0;
    others[4].line = -1;
    others[5].flags = HS_FRAME_NATIVE | HS_FRAME_HIDDEN;
    struct hs_frame_id id = put(frames, base, 0);
    for (uint32_t i = 0; i < 6; i++) {
        struct hs_frame_id other = put(frames, others[i], 0);
        cr_assert_eq(other.number, id.number + 1 + i);
        cr_assert(memcmp(hs_frames_get(frames, other), &others[i], sizeof base) == 0);
    }
    cr_assert(hs_frames_is_valid(frames, UINT32_MAX));
    hs_frames_free(frames);
}

Test(frames, a_full_table_refuses_what_is_new) {
    hs_frames *frames = make(1);
    struct hs_frame other = frame_at(11);
    struct hs_frame_id known = put(frames, frame_at(10), 0);
    struct hs_frame_id id = {77};
    cr_assert_eq(hs_frames_put(frames, &other, (struct hs_name_id){5}, &id), HS_FULL);
    cr_assert_eq(id.number, 0);
    cr_assert_eq(put(frames, frame_at(10), 0).number, known.number, "known content needs no room");
    cr_assert(hs_frames_is_valid(frames, UINT32_MAX));
    hs_frames_free(frames);
}

Test(frames, their_number_shows_whose_code_they_are) {
    enum { COUNT = 64 };
    hs_frames *frames;
    cr_assert_eq(hs_frames_new(COUNT, &frames), HS_OK);
    static const uint32_t ORIGINS[] = {0, HS_FRAME_OWN, HS_FRAME_JDK};
    cr_assert_eq(hs_frames_origin(frames, (struct hs_frame_id){0}), 0);
    cr_assert_eq(hs_frames_origin(frames, (struct hs_frame_id){COUNT + 1}), 0,
                 "there is no such number");
    cr_assert_eq(hs_frames_origin(frames, (struct hs_frame_id){UINT32_MAX}), 0);
    for (int32_t i = 1; i <= COUNT; i++) {
        struct hs_frame frame = {.class_name = {1}, .line = i};
        frame.flags = ORIGINS[i % 3] | HS_FRAME_HIDDEN | 7 << HS_FRAME_FIRST_LINE_SHIFT;
        struct hs_frame_id id = put(frames, frame, 0);
        cr_assert_eq(hs_frames_origin(frames, id), ORIGINS[i % 3], "frame %d", i);
    }
    for (uint32_t i = 1; i <= COUNT; i++) {
        struct hs_frame_id id = {i};
        uint32_t origin = hs_frames_get(frames, id)->flags & HS_FRAME_ORIGIN;
        cr_assert_eq(hs_frames_origin(frames, id), origin, "frame %u", i);
    }
    cr_assert(hs_frames_is_valid(frames, UINT32_MAX));
    hs_frames_free(frames);
}

Test(frames, the_walker_finds_names_that_there_are_not) {
    static const struct hs_frame FRAME = {{1}, {2}, {3}, {4}, 10, HS_FRAME_JDK};
    enum { NAMES_END = 6 };
    for (int broken = 0; broken < 5; broken++) {
        hs_frames *frames;
        struct hs_frame frame = FRAME;
        struct hs_name_id *names[] = {&frame.class_name, &frame.method, &frame.descriptor,
                                      &frame.file};
        struct hs_frame_id id;
        cr_assert_eq(hs_frames_new(10, &frames), HS_OK);
        if (broken < 4) {
            names[broken]->number = NAMES_END;
        }
        cr_assert_eq(
            hs_frames_put(frames, &frame, (struct hs_name_id){broken == 4 ? NAMES_END : 5}, &id),
            HS_OK);
        cr_assert_not(hs_frames_is_valid(frames, NAMES_END), "%d", broken);
        cr_assert(hs_frames_is_valid(frames, NAMES_END + 1), "%d", broken);
        hs_frames_free(frames);
    }
}

Test(frames, the_walker_finds_an_origin_that_is_another_frames) {
    static const struct hs_frame FRAME = {{1}, {2}, {3}, {4}, 10, HS_FRAME_JDK};
    hs_frames *frames;
    struct hs_frame_id id;
    cr_assert_eq(hs_frames_new(10, &frames), HS_OK);
    cr_assert_eq(hs_frames_put(frames, &FRAME, (struct hs_name_id){1}, &id), HS_OK);
    ((struct hs_frame *)(uintptr_t)hs_frames_get(frames, id))->flags = HS_FRAME_OWN;
    cr_assert_not(hs_frames_is_valid(frames, 6));
    hs_frames_free(frames);
}
