/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

#include "rival.h"

#include <stdatomic.h>

enum { OTHER_INTERVAL = 1024, VM_DEFAULT_INTERVAL = 524288, DEPTH = 128 };

jvmtiEnv *rival;
static _Atomic jlong samples;

/* Requests the stack, as any sampler does: the VM then makes an id for each method on it. */
static void JNICALL on_sample(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread, jobject object,
                              jclass class, jlong size) {
    (void)jni;
    (void)object;
    (void)class;
    (void)size;
    jvmtiFrameInfo frames[DEPTH];
    jint count;
    (void)(*jvmti)->GetStackTrace(jvmti, thread, 0, DEPTH, frames, &count);
    atomic_fetch_add_explicit(&samples, 1, memory_order_relaxed);
}

jint rival_set_up(JavaVM *vm, const jvmtiCapabilities *capabilities,
                  jvmtiEventCallbacks callbacks) {
    callbacks.SampledObjectAlloc = on_sample;
    if ((*vm)->GetEnv(vm, (void **)&rival, JVMTI_VERSION_11) != JNI_OK ||
        (*rival)->AddCapabilities(rival, capabilities) != JVMTI_ERROR_NONE ||
        (*rival)->SetEventCallbacks(rival, &callbacks, (jint)sizeof callbacks) !=
            JVMTI_ERROR_NONE) {
        return JNI_ERR;
    }
    return JNI_OK;
}

jint rival_bind(JavaVM *vm, const char *class_name, const JNINativeMethod *methods, jint count) {
    JNIEnv *jni;
    if ((*vm)->GetEnv(vm, (void **)&jni, JNI_VERSION_1_8) != JNI_OK) {
        return JNI_ERR;
    }
    jclass class = (*jni)->FindClass(jni, class_name);
    if (class == NULL || (*jni)->RegisterNatives(jni, class, methods, count) != JNI_OK) {
        return JNI_ERR;
    }
    return JNI_VERSION_1_8;
}

jint JNICALL rival_take_sampling(JNIEnv *jni, jclass self) {
    (void)jni;
    (void)self;
    jvmtiCapabilities sampling = {.can_generate_sampled_object_alloc_events = 1};
    jvmtiError error = (*rival)->AddCapabilities(rival, &sampling);
    if (error == JVMTI_ERROR_NONE) {
        error = (*rival)->SetHeapSamplingInterval(rival, OTHER_INTERVAL);
    }
    if (error == JVMTI_ERROR_NONE) {
        error = (*rival)->SetEventNotificationMode(rival, JVMTI_ENABLE,
                                                   JVMTI_EVENT_SAMPLED_OBJECT_ALLOC, NULL);
    }
    return (jint)error;
}

jint JNICALL rival_give_sampling_back(JNIEnv *jni, jclass self) {
    (void)jni;
    (void)self;
    jvmtiCapabilities sampling = {.can_generate_sampled_object_alloc_events = 1};
    jvmtiError error = (*rival)->SetEventNotificationMode(rival, JVMTI_DISABLE,
                                                          JVMTI_EVENT_SAMPLED_OBJECT_ALLOC, NULL);
    if (error == JVMTI_ERROR_NONE) {
        error = (*rival)->SetHeapSamplingInterval(rival, VM_DEFAULT_INTERVAL);
    }
    if (error == JVMTI_ERROR_NONE) {
        error = (*rival)->RelinquishCapabilities(rival, &sampling);
    }
    return (jint)error;
}

jlong JNICALL rival_samples(JNIEnv *jni, jclass self) {
    (void)jni;
    (void)self;
    return atomic_load(&samples);
}
