/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* The native of NativeBindings for the process context of OpenTelemetry (doc/otel-context.md, section 6). It works in every state
 * of the engine, and takes none of its locks. */
#ifndef JNI_OTEL_H
#define JNI_OTEL_H

#include <jni.h>
#include <stdbool.h>

/* As jni_bindings_register, which calls it. */
bool jni_otel_register(JNIEnv *jni, jclass bindings);

#endif
