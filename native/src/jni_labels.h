/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* The natives of NativeBindings for labels (doc/labels.md). They work in every state of the engine, and take none of
 * its locks: those that open and close take none at all. */
#ifndef JNI_LABELS_H
#define JNI_LABELS_H

#include <jni.h>
#include <stdbool.h>

/* As jni_bindings_register, which calls it. */
bool jni_labels_register(JNIEnv *jni, jclass bindings);

#endif
