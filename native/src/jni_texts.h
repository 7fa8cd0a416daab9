/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Texts: copies of the strings of a Java array, as modified UTF-8. Giving them back needs no call of the VM, which might
 * refuse. Thread: Control. */
#ifndef JNI_TEXTS_H
#define JNI_TEXTS_H

#include <jni.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct jni_texts {
    char **texts;
    uint32_t count;
    size_t size; /* allocated elements */
};

/* Into an empty one. Owns: the caller calls jni_texts_free, also after a failure. Fails: false without memory, or
 * for an element that is NULL; no exception is left. */
bool jni_texts_get(JNIEnv *jni, jobjectArray array, struct jni_texts *texts);
void jni_texts_free(struct jni_texts *texts);

#endif
