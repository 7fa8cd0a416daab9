/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* The frame cache under contention for few lines: whatever it answers belongs to the key. */
#include "crew.h"
#include "hs_clock.h"
#include "hs_frames.h"
#include "hs_hash.h"

enum { THREADS = 4, ROUNDS = 30000, METHODS = 40000 };

static hs_frames *frames;
static _Atomic uint64_t hits;

/* The line of the frame follows from the key. */
static int32_t line_of(const struct hs_frame_key *key) {
    return (int32_t)(key->method * 4 + key->version * 2 + (uintptr_t)key->bci);
}

static struct hs_frame_key random_key(struct seeded *seeded) {
    /* Half of all draws among few keys, which are then displaced by the others. */
    uint32_t range = seeded_below(seeded, 2) == 0 ? 64 : METHODS;
    return (struct hs_frame_key){.method = 1 + seeded_below(seeded, range),
                                 .version = seeded_below(seeded, 2),
                                 .bci = (int32_t)seeded_below(seeded, 2)};
}

static void look_up(int number) {
    struct seeded seeded = {(uint64_t)number + 5};
    uint64_t found = 0;
    for (int i = 0; i < ROUNDS; i++) {
        struct hs_frame_key key = random_key(&seeded);
        uint32_t id = hs_frames_find(frames, &key);
        if (id != 0) {
            HS_CHECK(hs_frames_get(frames, id)->line == line_of(&key));
            found++;
            continue;
        }
        struct hs_frame frame = {.class_name = 1, .line = line_of(&key)};
        frame.flags = frame.line % 3 == 0 ? HS_FRAME_OWN : HS_FRAME_JDK;
        HS_CHECK(hs_frames_put(frames, &key, &frame, 7, &id) == HS_OK);
        HS_CHECK(hs_frames_get(frames, id)->line == line_of(&key));
        HS_CHECK(hs_frames_raw_class(frames, id) == 7);
        HS_CHECK(hs_frames_origin(frames, id) == frame.flags);
    }
    hits += found;
}

enum { RIVALS = 6, SETS = 8192, MOST_US = 1000000 };

static struct hs_frame_key rivals[RIVALS];

/* Keys of one set of the cache, which has fewer lines than they are. Leans on how hs_frames.c chooses
 * a set; were that to change, this test would only be less hard. */
static void find_rivals(void) {
    uint32_t count = 0;
    for (uintptr_t method = 1; count < RIVALS; method++) {
        if (hs_hash_mix(hs_hash_word(method, 0)) % SETS == 0) {
            rivals[count++] = (struct hs_frame_key){.method = method, .version = 1, .bci = 0};
        }
    }
}

static void compete(int number) {
    struct seeded seeded = {(uint64_t)number + 9};
    int64_t end = hs_clock_monotonic_us() + MOST_US;
    for (int i = 0; i < 20 * ROUNDS && (i % 1024 != 0 || hs_clock_monotonic_us() < end); i++) {
        const struct hs_frame_key *key = &rivals[seeded_below(&seeded, RIVALS)];
        uint32_t id = hs_frames_find(frames, key);
        struct hs_frame frame = {.class_name = 1, .line = line_of(key)};
        HS_CHECK(id != 0 || hs_frames_put(frames, key, &frame, 7, &id) == HS_OK);
        HS_CHECK(hs_frames_get(frames, id)->line == line_of(key));
    }
}

Test(stress_frames, a_hit_is_of_its_key_where_lines_change_all_the_time) {
    find_rivals();
    cr_assert_eq(hs_frames_new(THREADS * RIVALS, &frames), HS_OK);
    crew_all(THREADS, compete);
    hs_frames_free(frames);
}

Test(stress_frames, a_hit_is_always_of_its_key) {
    hits = 0;
    cr_assert_eq(hs_frames_new(THREADS * METHODS * 4, &frames), HS_OK);
    crew_all(THREADS, look_up);
    cr_assert_gt(hits, ROUNDS, "the cache is of use");
    hs_frames_free(frames);
}
