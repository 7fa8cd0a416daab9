/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "jni_array.h"

#include <stdatomic.h>
#include <stdint.h>

/* Of the thread that makes an array; NULL: none does. Written by that thread, with both locks. Relaxed: a thread only
 * asks whether it is itself. */
static _Atomic(JNIEnv *) maker;

static bool open_array(struct hs_sink *sink, size_t bytes) {
    struct jni_array *to = (struct jni_array *)sink;
    if (bytes <= INT32_MAX) {
        atomic_store_explicit(&maker, to->jni, memory_order_relaxed);
        to->array = (*to->jni)->NewByteArray(to->jni, (jsize)bytes);
        atomic_store_explicit(&maker, NULL, memory_order_relaxed);
        to->thrown = (*to->jni)->ExceptionOccurred(to->jni);
        (*to->jni)->ExceptionClear(to->jni);
    }
    return to->array != NULL;
}

static void write_array(struct hs_sink *sink, size_t at, const void *bytes, size_t count) {
    struct jni_array *to = (struct jni_array *)sink;
    (*to->jni)->SetByteArrayRegion(to->jni, to->array, (jsize)at, (jsize)count, bytes);
}

struct jni_array jni_array_begin(JNIEnv *jni) {
    return (struct jni_array){.sink = {open_array, write_array}, .jni = jni};
}

jbyteArray jni_array_end(struct jni_array *to, bool is_whole) {
    JNIEnv *jni = to->jni;
    if (to->thrown != NULL) {
        (void)(*jni)->Throw(jni, to->thrown);
        (*jni)->DeleteLocalRef(jni, to->thrown);
    }
    if (is_whole || to->array == NULL) {
        return to->array;
    }
    (*jni)->DeleteLocalRef(jni, to->array);
    return NULL;
}

bool jni_array_is_being_made_by(JNIEnv *jni) {
    return atomic_load_explicit(&maker, memory_order_relaxed) == jni;
}
