/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* NativeBindings.heldBy: from Java arrays to hs_vm_holders.h, and back as a block. */
#ifndef JNI_HELD_H
#define JNI_HELD_H

#include <jni.h>

#include "hs_status.h"

struct hs_sampler;

/* The arguments of NativeBindings.heldBy, as it documents them. */
struct jni_question {
    jintArray samples;
    jintArray places;
    jlongArray allocated;
    jlongArray sizes;
    jobjectArray watched;
    jobjectArray loaders;
    jlongArray limits;
};

/* `*block` is a local reference; NULL after a failure, with an exception pending where the heap has no room for it.
 * Thread: Control. Fails: HS_BUSY, HS_INVALID, HS_NO_MEMORY. */
enum hs_status jni_held_find(JNIEnv *jni, struct hs_sampler *sampler,
                             const struct jni_question *asked, jbyteArray *block);

#endif
