/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Bindings: the natives of the Java class NativeBindings. Its Javadoc is the contract.
 *
 * Nothing here throws but what the VM throws by itself for want of memory (a pending
 * OutOfMemoryError); refusals are numbers, which Java turns into exceptions. */
#ifndef JNI_BINDINGS_H
#define JNI_BINDINGS_H

#include <jni.h>
#include <stdbool.h>

/* Must equal NativeBindings.ABI. */
enum { JNI_ABI = 13 };

/* Binds the natives to the class; false, with an exception pending, when they do not fit. */
bool jni_bindings_register(JNIEnv *jni, jclass bindings);

#endif
