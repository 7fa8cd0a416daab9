/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "jni_held.h"

#include "hs_clock.h"
#include "hs_mem.h"
#include "hs_vm_held.h"
#include "hs_vm_passes.h"

enum { LIMIT_COUNT = 4, LOADER_COUNT = 2, SOME_REFS = 64, MOST_TRIES = 3 };

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

/* An answer, and its block. */
struct answer {
    struct hs_holders *holders; /* NULL: none yet */
    struct hs_buffer block;
};

static void drop(struct answer *answer) {
    hs_holders_free(answer->holders);
    hs_buffer_free(&answer->block);
    *answer = (struct answer){0};
}

/* In a frame of local references. `before`: the try before this one; NULL: none. */
static enum hs_status find(JNIEnv *jni, struct hs_sampler *sampler,
                           const struct jni_question *asked, const struct keys *keys,
                           const struct hs_holders_limits *limits, const struct hs_holders *before,
                           struct answer *answer) {
    const struct hs_vm_question question = {
        .keys = keys->keys,
        .key_count = keys->count,
        .watched = asked->watched,
        .watched_count = (uint32_t)(*jni)->GetArrayLength(jni, asked->watched),
        .loaders = {get_loader(jni, asked, 0), get_loader(jni, asked, 1)},
    };
    struct hs_vm_holders self;
    struct hs_holders_vm vm;
    hs_vm_holders_begin(jni, sampler, &question, &self, &vm);
    hs_vm_passes_add(&self, &vm);
    enum hs_status status =
        self.is_gone == NULL ? HS_NO_MEMORY
                             : hs_holders_find(limits, question.key_count + question.watched_count,
                                               &vm, before, &answer->holders);
    if (status == HS_OK) {
        status = hs_vm_held_write(&self, answer->holders, keys->indexes, &answer->block);
    }
    hs_vm_passes_forget(&self);
    hs_vm_holders_end(&self);
    return status;
}

static enum hs_status find_in_frame(JNIEnv *jni, struct hs_sampler *sampler,
                                    const struct jni_question *asked, const struct keys *keys,
                                    const struct hs_holders_limits *limits,
                                    const struct hs_holders *before, struct answer *answer) {
    if ((*jni)->PushLocalFrame(jni, SOME_REFS) != JNI_OK) {
        (*jni)->ExceptionClear(jni);
        return HS_NO_MEMORY;
    }
    enum hs_status status = find(jni, sampler, asked, keys, limits, before, answer);
    (void)(*jni)->PopLocalFrame(jni, NULL);
    return status;
}

/* A compiler's thread works on in a pause of the VM, and takes locks. Where one had such a lock at the fork, the next fork
 * nearly always finds it free. The answer is that of the try that found most, and the last of those. */
static enum hs_status find_in_tries(JNIEnv *jni, struct hs_sampler *sampler,
                                    const struct jni_question *asked, const struct keys *keys,
                                    struct hs_buffer *block) {
    struct hs_holders_limits limits = {0};
    struct answer tries[MOST_TRIES] = {0};
    const struct hs_holders *last = NULL;
    struct answer *best = NULL;
    enum hs_status status = read_limits(jni, asked, &limits);
    int64_t end_us = hs_clock_monotonic_us() + limits.time_us;
    bool goes_on = status == HS_OK;
    int count = 0;
    for (; goes_on && count < MOST_TRIES && limits.time_us > 0; count++) {
        struct answer *next = &tries[count];
        status = find_in_frame(jni, sampler, asked, keys, &limits, last, next);
        goes_on = status == HS_OK && hs_holders_may_find_more(next->holders);
        if (status == HS_OK) {
            last = next->holders;
            bool is_best = best == NULL || hs_holders_figures(last)->held >=
                                               hs_holders_figures(best->holders)->held;
            best = is_best ? next : best;
        }
        limits.time_us = end_us - hs_clock_monotonic_us();
    }
    if (best != NULL) {
        hs_vm_held_set_times(&best->block, hs_holders_figures(last));
        *block = best->block;
        best->block = (struct hs_buffer){0};
        status = HS_OK;
    }
    while (count > 0) {
        drop(&tries[--count]);
    }
    return status;
}

/* Not as a snapshot's array (jni_array.h): nothing is held here. */
static jbyteArray new_block(JNIEnv *jni, const struct hs_buffer *buffer) {
    if (buffer->length > INT32_MAX) {
        return NULL;
    }
    jsize length = (jsize)buffer->length;
    jbyteArray block = (*jni)->NewByteArray(jni, length);
    if (block != NULL) {
        (*jni)->SetByteArrayRegion(jni, block, 0, length, (const jbyte *)buffer->data);
    }
    return block;
}

/* The array is made when the frame is popped, and outlives it. */
enum hs_status jni_held_find(JNIEnv *jni, struct hs_sampler *sampler,
                             const struct jni_question *asked, jbyteArray *block) {
    struct keys keys = {0};
    struct hs_buffer buffer = {0};
    enum hs_status status = read_keys(jni, asked, &keys);
    *block = NULL;
    if (status == HS_OK) {
        status = find_in_tries(jni, sampler, asked, &keys, &buffer);
    }
    if (status == HS_OK) {
        *block = new_block(jni, &buffer);
        status = *block == NULL ? HS_NO_MEMORY : HS_OK;
    }
    hs_buffer_free(&buffer);
    free_keys(&keys);
    return status;
}
