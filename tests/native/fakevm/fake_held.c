/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Which references hold the live objects of a snapshot: all that Java keeps are held by a JNI global, the others by
 * nothing. */
#include <string.h>

#include "fake_life.h"
#include "hs_paths.h"
#include "jni_bindings.h"
#include "unit/block.h"

enum { MOST_LIVE = 256, ONE_STOP = 1, HEAD_BYTES = 72 };

typedef jbyteArray snapshot_native(JNIEnv *, jclass, jint, jint, jobject, jlong, jlongArray);
typedef jbyteArray held_native(JNIEnv *, jclass, jintArray, jintArray, jlongArray, jlongArray,
                               jobjectArray, jobjectArray, jlongArray, jlongArray);

struct question {
    jint samples[MOST_LIVE];
    jint places[MOST_LIVE];
    jlong allocated[MOST_LIVE];
    jlong sizes[MOST_LIVE];
    uint32_t count;
};

static jlong failure;

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

/* What a fault left unknown is said, never a path that is none. */
static void check_held(const struct fake_object *bytes, uint32_t count) {
    const unsigned char *data = bytes->room;
    uint32_t outcomes[HS_OUTCOME_COUNT] = {0};
    cr_assert(memcmp(data, "HHLD\1\0\0\0", 8) == 0);
    uint32_t way = block_u32(data, 8);
    size_t at = HEAD_BYTES;
    for (int i = 0; i < 2; i++) { /* the reason, and the failure */
        at += 4 + block_u32(data, at);
    }
    at = skip_texts(data, at);
    cr_assert_eq(block_u32(data, at), count);
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
    cr_assert_eq(at, (size_t)bytes->length);
    cr_assert(way == ONE_STOP || (way == 0 && !life.is_whole), "%.*s",
              (int)block_u32(data, HEAD_BYTES), (const char *)data + HEAD_BYTES + 4);
    cr_assert(!life.is_whole || outcomes[HS_HELD] + outcomes[HS_UNRESOLVED_ONLY_WEAK] == count);
    cr_assert(!life.is_whole || outcomes[HS_HELD] > 0);
}

void life_held_by(jint handle) {
    static struct question question;
    static const jlong LIMITS[] = {60000000, 120000000, INT64_C(1) << 30, 1 << ONE_STOP};
    static struct fake_object *const NO_LOADERS[2];
    struct fake_object objects[8];
    question.count = 0;
    if (!take_snapshot(handle, &question)) {
        return;
    }
    jobject arrays[] = {array_of(&objects[0], question.samples, question.count),
                        array_of(&objects[1], question.places, question.count),
                        array_of(&objects[2], question.allocated, question.count),
                        array_of(&objects[3], question.sizes, question.count),
                        array_of(&objects[4], NULL, 0),
                        array_of(&objects[5], (const void *)NO_LOADERS, 2),
                        array_of(&objects[6], LIMITS, 4),
                        array_of(&objects[7], &failure, 1)};
    objects[7].room = &failure;
    life_before();
    jbyteArray block = ((held_native *)fake_native("heldBy"))(
        fake_main_env(), NULL, arrays[0], arrays[1], arrays[2], arrays[3], arrays[4], arrays[5],
        arrays[6], arrays[7]);
    if (block != NULL && !fake_env->is_pending) {
        check_held(fake_object_of(block), question.count);
    }
    cr_assert_not(fake_has_heap_env());
    life_after("heldBy", block);
    cr_assert(!life.is_whole || failure == 0);
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) {
        fake_delete_ref(arrays[i], FAKE_LOCAL);
    }
}
