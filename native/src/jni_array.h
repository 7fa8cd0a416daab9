/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* A Java array that a snapshot is written to block by block (hs_buffer.h), since it may be large.
 *
 * The array is made while the snapshot has both locks. Where the heap is full then, another agent may be called back
 * on this thread, and call HeapSampler: that would wait for itself, so each native asks first.
 * Thread: Control, one at a time. */
#ifndef JNI_ARRAY_H
#define JNI_ARRAY_H

#include <jni.h>
#include <stdbool.h>

#include "hs_buffer.h"

struct jni_array {
    struct hs_sink sink;
    JNIEnv *jni;
    jbyteArray array;  /* a local reference; NULL until it is made */
    jthrowable thrown; /* where it could not be made; kept, for other calls of JNI follow */
};

/* Nothing is made yet: the sink makes the array when its length is known. */
struct jni_array jni_array_begin(JNIEnv *jni);

/* The array where the snapshot is whole; else NULL, and what was thrown is thrown again. */
jbyteArray jni_array_end(struct jni_array *to, bool is_whole);

/* Is the calling thread, whose JNIEnv this is, in the midst of making one? Thread: Any. */
bool jni_array_is_being_made_by(JNIEnv *jni);

#endif
