/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "jni_held.h"

#include "hs_mem.h"
#include "hs_vm_held.h"
#include "jni_array.h"

enum { LIMIT_COUNT = 4, LOADER_COUNT = 2, SOME_REFS = 64 };

/* The targets that are live objects. */
struct keys {
    uint32_t count;
    struct hs_live_key *keys;
    uint32_t *indexes; /* in LIVE */
};

static void free_keys(struct keys *keys) {
    hs_mem_free(keys->keys,
                keys->keys == NULL ? 0 : ((size_t)keys->count + 1) * sizeof *keys->keys);
    hs_mem_free(keys->indexes,
                keys->indexes == NULL ? 0 : ((size_t)keys->count + 1) * sizeof *keys->indexes);
}

static bool are_as_long(JNIEnv *jni, const struct jni_question *asked, jsize length) {
    return (*jni)->GetArrayLength(jni, asked->places) == length &&
           (*jni)->GetArrayLength(jni, asked->allocated) == length &&
           (*jni)->GetArrayLength(jni, asked->sizes) == length &&
           (*jni)->GetArrayLength(jni, asked->limits) == LIMIT_COUNT &&
           (*jni)->GetArrayLength(jni, asked->loaders) == LOADER_COUNT;
}

static bool get_int(JNIEnv *jni, jintArray array, jsize i, uint32_t *value) {
    jint number = 0;
    (*jni)->GetIntArrayRegion(jni, array, i, 1, &number);
    *value = (uint32_t)number;
    return !(*jni)->ExceptionCheck(jni);
}

static bool get_long(JNIEnv *jni, jlongArray array, jsize i, int64_t *value) {
    jlong number = 0;
    (*jni)->GetLongArrayRegion(jni, array, i, 1, &number);
    *value = number;
    return !(*jni)->ExceptionCheck(jni);
}

/* One by one: they are a few thousand. */
static bool read_key(JNIEnv *jni, const struct jni_question *asked, jsize i, struct keys *keys) {
    struct hs_live_key *key = &keys->keys[i];
    int64_t size = 0;
    bool is_read = get_int(jni, asked->samples, i, &keys->indexes[i]) &&
                   get_int(jni, asked->places, i, &key->place) &&
                   get_long(jni, asked->allocated, i, &key->allocated_us) &&
                   get_long(jni, asked->sizes, i, &size);
    key->size = (uint64_t)size;
    return is_read;
}

static enum hs_status read_keys(JNIEnv *jni, const struct jni_question *asked, struct keys *keys) {
    jsize length = (*jni)->GetArrayLength(jni, asked->samples);
    if (!are_as_long(jni, asked, length)) {
        return HS_INVALID;
    }
    keys->count = (uint32_t)length;
    keys->keys = hs_mem_new_array((size_t)length + 1, sizeof *keys->keys);
    keys->indexes = hs_mem_new_array((size_t)length + 1, sizeof *keys->indexes);
    if (keys->keys == NULL || keys->indexes == NULL) {
        return HS_NO_MEMORY;
    }
    bool is_read = true;
    for (jsize i = 0; i < length && is_read; i++) {
        is_read = read_key(jni, asked, i, keys);
    }
    (*jni)->ExceptionClear(jni);
    return is_read ? HS_OK : HS_INVALID;
}

static enum hs_status read_limits(JNIEnv *jni, const struct jni_question *asked,
                                  struct hs_holders_limits *limits) {
    jlong values[LIMIT_COUNT] = {0};
    (*jni)->GetLongArrayRegion(jni, asked->limits, 0, LIMIT_COUNT, values);
    (*jni)->ExceptionClear(jni);
    if (values[0] <= 0 || values[1] <= 0 || values[2] <= 0 || values[3] < 0) {
        return HS_INVALID;
    }
    *limits =
        (struct hs_holders_limits){values[0], values[1], (uint64_t)values[2], (uint32_t)values[3]};
    return HS_OK;
}

static jobject get_loader(JNIEnv *jni, const struct jni_question *asked, jsize i) {
    jobject loader = (*jni)->GetObjectArrayElement(jni, asked->loaders, i);
    (*jni)->ExceptionClear(jni);
    return loader;
}

/* In a frame of local references. */
static enum hs_status find(JNIEnv *jni, struct hs_sampler *sampler,
                           const struct jni_question *asked, const struct keys *keys,
                           const struct hs_holders_limits *limits, struct hs_buffer *buffer) {
    const struct hs_vm_question question = {
        .keys = keys->keys,
        .key_count = keys->count,
        .watched = asked->watched,
        .watched_count = (uint32_t)(*jni)->GetArrayLength(jni, asked->watched),
        .loaders = {get_loader(jni, asked, 0), get_loader(jni, asked, 1)},
    };
    struct hs_vm_holders self;
    struct hs_holders_vm vm;
    struct hs_holders *holders = NULL;
    hs_vm_holders_begin(jni, sampler, &question, &self, &vm);
    enum hs_status status =
        self.is_gone == NULL
            ? HS_NO_MEMORY
            : hs_holders_find(limits, question.key_count + question.watched_count, &vm, &holders);
    if (status == HS_OK) {
        status = hs_vm_held_write(&self, holders, keys->indexes, buffer);
    }
    hs_holders_free(holders);
    hs_vm_holders_end(&self);
    return status;
}

static enum hs_status find_in_frame(JNIEnv *jni, struct hs_sampler *sampler,
                                    const struct jni_question *asked, const struct keys *keys,
                                    struct hs_buffer *buffer) {
    struct hs_holders_limits limits;
    enum hs_status status = read_limits(jni, asked, &limits);
    if (status != HS_OK) {
        return status;
    }
    if ((*jni)->PushLocalFrame(jni, SOME_REFS) != JNI_OK) {
        (*jni)->ExceptionClear(jni);
        return HS_NO_MEMORY;
    }
    status = find(jni, sampler, asked, keys, &limits, buffer);
    (void)(*jni)->PopLocalFrame(jni, NULL);
    return status;
}

/* The array is made when the frame is popped, and outlives it. */
enum hs_status jni_held_find(JNIEnv *jni, struct hs_sampler *sampler,
                             const struct jni_question *asked, jbyteArray *block) {
    struct keys keys = {0};
    struct hs_buffer buffer = {0};
    struct jni_array to = jni_array_begin(jni);
    struct hs_buffer sent = {.sink = &to.sink};
    enum hs_status status = read_keys(jni, asked, &keys);
    if (status == HS_OK) {
        status = find_in_frame(jni, sampler, asked, &keys, &buffer);
    }
    if (status == HS_OK) {
        hs_buffer_expect(&sent, buffer.length);
        hs_buffer_bytes(&sent, buffer.data, buffer.length);
        hs_buffer_end(&sent);
        status = sent.has_failed ? HS_NO_MEMORY : HS_OK;
    }
    hs_buffer_free(&sent);
    hs_buffer_free(&buffer);
    free_keys(&keys);
    *block = jni_array_end(&to, status == HS_OK);
    return status;
}
