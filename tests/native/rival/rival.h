/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* rival: another JVMTI agent than the library under test, with which it shares no code. It can take
 * the sampling capability and give it back. Compiled into libhstest.so and into libhschaos.so, each
 * of which has one. */
#ifndef RIVAL_H
#define RIVAL_H

#include <jni.h>
#include <jvmti.h>

/* One line of a table of native methods. */
#define RIVAL_METHOD(name, signature, function) \
    { (char *)name, (char *)signature, (void *)function }

/* The agent's environment; set once, by rival_set_up. */
extern jvmtiEnv *rival;

/* Makes the agent, which counts the samples that it gets and requests their stacks. Returns JNI_OK or JNI_ERR. */
jint rival_set_up(JavaVM *vm, const jvmtiCapabilities *capabilities, jvmtiEventCallbacks callbacks);

/* Binds the native methods of a class. Returns what JNI_OnLoad is to answer. */
jint rival_bind(JavaVM *vm, const char *class_name, const JNINativeMethod *methods, jint count);

/* ---- native methods: ()I, ()I and ()J; the first two answer a JVMTI error number ---- */

/* Takes the capability and samples all threads. */
jint JNICALL rival_take_sampling(JNIEnv *jni, jclass self);

/* Gives it back, with the interval that the VM had. */
jint JNICALL rival_give_sampling_back(JNIEnv *jni, jclass self);

/* How many samples it has got. */
jlong JNICALL rival_samples(JNIEnv *jni, jclass self);

#endif
