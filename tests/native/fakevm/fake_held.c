/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Which references hold the live objects of a snapshot: all that Java keeps are held by a JNI global, the others by
 * nothing. And FAKE_HELD, which a field of a class's own object leads to. */
#include <string.h>

#include "fake_life.h"
#include "hs_paths.h"
#include "jni_bindings.h"
#include "unit/block.h"

enum { MOST_LIVE = 256, ONE_STOP = 1, PASSES = 3, HEAD_BYTES = 72 };

typedef jbyteArray snapshot_native(JNIEnv *, jclass, jint, jint, jobject, jlong, jlongArray);
typedef jbyteArray held_native(JNIEnv *, jclass, jintArray, jintArray, jlongArray, jlongArray,
                               jobjectArray, jobjectArray, jlongArray, jlongArray);

/* Of time, in microseconds: that of a test, and one that is over before the values of classes are read. */
enum { TIME_US = 120000000, NO_TIME_US = 1 };

struct question {
    jint samples[MOST_LIVE];
    jint places[MOST_LIVE];
    jlong allocated[MOST_LIVE];
    jlong sizes[MOST_LIVE];
    uint32_t count;
};

static jlong failure;
static uint32_t asked_way = ONE_STOP;

static jobject array_of(struct fake_object *object, const void *data, uint32_t length) {
    *object = (struct fake_object){.data = data, .length = (jsize)length, .is_kept = true};
    return fake_new_ref(FAKE_LOCAL, object);
}

static void read_block(const struct fake_object *bytes, struct question *question) {
    struct hs_buffer buffer = {.data = bytes->room, .length = (size_t)bytes->length};
    struct block block = block_read(&buffer);
    cr_assert_eq(block.sections[PLACES].count, block.sections[LIVE].count);
    cr_assert_leq(block.sections[LIVE].count, (uint32_t)MOST_LIVE);
    question->count = block.sections[LIVE].count;
    for (uint32_t i = 0; i < question->count; i++) {
        const unsigned char *entry = block_entry(&block, LIVE, i, 40);
        question->samples[i] = (jint)i;
        question->places[i] = (jint)block_u32(block_entry(&block, PLACES, i, 4), 0);
        question->allocated[i] = (jlong)block_u64(entry, 16);
        question->sizes[i] = (jlong)block_u64(entry, 8);
    }
}

/* False where there is no snapshot. */
static bool take_snapshot(jint handle, struct question *question) {
    struct fake_object object = {.room = &failure};
    jobject result = array_of(&object, &failure, 1);
    object.room = &failure;
    life_before();
    jbyteArray block = ((snapshot_native *)fake_native("snapshot"))(fake_main_env(), NULL, handle,
                                                                    0, NULL, 0, result);
    bool is_there = block != NULL && !fake_env->is_pending;
    if (is_there) {
        read_block(fake_object_of(block), question);
    }
    life_after("snapshot", block);
    fake_delete_ref(result, FAKE_LOCAL);
    return is_there;
}

static size_t skip_texts(const unsigned char *data, size_t at) {
    uint32_t count = block_u32(data, at);
    for (at += 4; count > 0; count--) {
        at += 4 + block_u32(data, at);
    }
    return at;
}

/* Returns where the names are. */
static size_t skip_head(const unsigned char *data) {
    size_t at = HEAD_BYTES;
    for (int i = 0; i < 2; i++) { /* the reason, and the failure */
        at += 4 + block_u32(data, at);
    }
    return at;
}

static bool is_named(const struct fake_object *bytes, uint32_t wanted, const char *text) {
    const unsigned char *data = bytes->room;
    size_t at = skip_head(data) + 4;
    for (; wanted > 0; wanted--) {
        at += 4 + block_u32(data, at);
    }
    return block_u32(data, at) == strlen(text) && memcmp(data + at + 4, text, strlen(text)) == 0;
}

/* FAKE_HELD, in the block from there on. No failure makes it look as if nothing held it. */
static void check_watched(const struct fake_object *bytes, size_t at, enum hs_outcome expected) {
    enum { HELD_STEPS = 3, STEP_BYTES = 16, ROOT_BYTES = 20 };
    const unsigned char *data = bytes->room;
    uint32_t word = block_u32(data, at + 4);
    uint32_t outcome = word & 0xFF;
    cr_assert_eq(block_u32(data, at), UINT32_C(1) << 31);
    cr_assert_neq(outcome, (uint32_t)HS_UNRESOLVED_ONLY_WEAK, "it is held");
    at += 8;
    if (outcome == HS_HELD) {
        cr_assert_eq(word >> 16, HELD_STEPS, "%u steps", word >> 16);
        size_t step = at + ROOT_BYTES + STEP_BYTES; /* the class comes first */
        cr_assert_eq(block_u32(data, step) & 0xFF, HS_EDGE_FIELD);
        cr_assert(!life.is_whole || is_named(bytes, block_u32(data, step + 8), "reflectionData"));
        at += ROOT_BYTES + HELD_STEPS * STEP_BYTES;
    }
    cr_assert(!life.is_whole || outcome == (uint32_t)expected, "%u", outcome);
    cr_assert_eq(at, (size_t)bytes->length);
}

/* What a fault left unknown is said, never a path that is none. */
static void check_held(const struct fake_object *bytes, uint32_t count, enum hs_outcome watched) {
    const unsigned char *data = bytes->room;
    uint32_t outcomes[HS_OUTCOME_COUNT] = {0};
    cr_assert(memcmp(data, "HHLD\1\0\0\0", 8) == 0);
    uint32_t way = block_u32(data, 8);
    size_t at = skip_texts(data, skip_head(data));
    cr_assert_eq(block_u32(data, at), count + 1);
    at += 4;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t word = block_u32(data, at + 4);
        uint32_t outcome = word & 0xFF;
        cr_assert_eq(block_u32(data, at), i);
        cr_assert_lt(outcome, (uint32_t)HS_OUTCOME_COUNT);
        outcomes[outcome]++;
        at += 8;
        if (outcome == HS_HELD) {
            cr_assert_eq(word >> 8 & 0xFF, HS_ROOT_JNI_GLOBAL);
            cr_assert_eq(word >> 16, 1, "the root alone");
            at += 20 + 16;
        }
    }
    check_watched(bytes, at, watched);
    cr_assert(way == asked_way || (way == 0 && !life.is_whole), "%.*s",
              (int)block_u32(data, HEAD_BYTES), (const char *)data + HEAD_BYTES + 4);
    bool is_known = life.is_whole && watched == HS_HELD;
    cr_assert(!is_known || outcomes[HS_HELD] + outcomes[HS_UNRESOLVED_ONLY_WEAK] == count);
    cr_assert(!life.is_whole || outcomes[HS_UNRESOLVED_ONLY_WEAK] == 0 || is_known);
    cr_assert(!life.is_whole || outcomes[HS_HELD] > 0);
}

static void search(jint handle, jlong time_us, enum hs_outcome watched) {
    static struct question question;
    const jlong limits[] = {60000000, time_us, INT64_C(1) << 30, (jlong)1 << asked_way};
    static struct fake_object *const NO_LOADERS[2];
    static struct fake_object *const WATCHED[1] = {&FAKE_HELD_REFERENCE};
    struct fake_object objects[8];
    question.count = 0;
    if (!take_snapshot(handle, &question)) {
        return;
    }
    jobject arrays[] = {array_of(&objects[0], question.samples, question.count),
                        array_of(&objects[1], question.places, question.count),
                        array_of(&objects[2], question.allocated, question.count),
                        array_of(&objects[3], question.sizes, question.count),
                        array_of(&objects[4], (const void *)WATCHED, 1),
                        array_of(&objects[5], (const void *)NO_LOADERS, 2),
                        array_of(&objects[6], limits, 4),
                        array_of(&objects[7], &failure, 1)};
    objects[7].room = &failure;
    life_before();
    jbyteArray block = ((held_native *)fake_native("heldBy"))(
        fake_main_env(), NULL, arrays[0], arrays[1], arrays[2], arrays[3], arrays[4], arrays[5],
        arrays[6], arrays[7]);
    if (block != NULL && !fake_env->is_pending) {
        check_held(fake_object_of(block), question.count, watched);
    }
    cr_assert_not(fake_has_heap_env());
    life_after("heldBy", block);
    cr_assert(!life.is_whole || failure == 0);
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) {
        fake_delete_ref(arrays[i], FAKE_LOCAL);
    }
}

void life_held_by(jint handle) {
    search(handle, TIME_US, HS_HELD);
}

void life_held_by_passes(jint handle) {
    asked_way = PASSES;
    fake_expect_passes(true);
    search(handle, TIME_US, HS_HELD);
    fake_expect_passes(false);
    asked_way = ONE_STOP;
}

void life_held_by_without_time(jint handle) {
    search(handle, NO_TIME_US, HS_UNRESOLVED_TIME);
}
