/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Owner: a Java class to which something of ours belongs, which ends with it. */
#ifndef JNI_OWNER_H
#define JNI_OWNER_H

#include <jni.h>

#include "hs_ops.h"

/* A weak reference to the class; 0 without memory. Owns: the caller. */
static inline hs_ref jni_owner_new(JNIEnv *jni, jclass class) {
    jweak owner = (*jni)->NewWeakGlobalRef(jni, class);
    if (owner == NULL) {
        (*jni)->ExceptionClear(jni);
    }
    return (hs_ref)owner;
}

static inline void jni_owner_free(JNIEnv *jni, hs_ref owner) {
    (*jni)->DeleteWeakGlobalRef(jni, (jweak)owner);
}

#endif
