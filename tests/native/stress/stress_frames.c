/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Frames that many threads put at once: each has one number, and what stands beside it is there as soon as
 * the number is. */
#include "crew.h"
#include "hs_frames.h"

enum { THREADS = 4, ROUNDS = 30000, LINES = 2000, RAW_CLASS = 7 };

static hs_frames *frames;

static void put(int number) {
    static const uint32_t ORIGINS[] = {0, HS_FRAME_OWN, HS_FRAME_JDK};
    struct seeded seeded = {(uint64_t)number + 5};
    for (int i = 0; i < ROUNDS; i++) {
        struct hs_frame frame = {.class_name = {1}, .line = (int32_t)seeded_below(&seeded, LINES)};
        struct hs_frame_id id;
        frame.flags = ORIGINS[frame.line % 3];
        HS_CHECK(hs_frames_put(frames, &frame, (struct hs_name_id){RAW_CLASS}, &id) == HS_OK);
        HS_CHECK(hs_frames_get(frames, id)->line == frame.line);
        HS_CHECK(hs_frames_raw_class(frames, id).number == RAW_CLASS);
        HS_CHECK(hs_frames_origin(frames, id) == frame.flags);
    }
}

Test(stress_frames, what_stands_beside_a_number_is_there_with_it) {
    cr_assert_eq(hs_frames_new(THREADS * LINES, &frames), HS_OK);
    crew_all(THREADS, put);
    cr_assert(hs_frames_is_valid(frames, UINT32_MAX));
    hs_frames_free(frames);
}
