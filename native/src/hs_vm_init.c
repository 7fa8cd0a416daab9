/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* The part of hs_vm.h for a library that comes before the VM lives: an environment of its own, which
 * waits for that and goes. */
#include "hs_vm.h"

/* Written by Agent_OnLoad, before the VM starts the thread that reads it. */
static struct {
    JavaVM *vm;
    void (*then)(JavaVM *vm, JNIEnv *jni);
} waiting;

static void JNICALL on_init(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread) {
    (void)thread;
    (void)(*jvmti)->DisposeEnvironment(jvmti);
    waiting.then(waiting.vm, jni);
}

enum hs_status hs_vm_await_init(JavaVM *vm, void (*then)(JavaVM *vm, JNIEnv *jni)) {
    jvmtiEventCallbacks callbacks = {.VMInit = on_init};
    jvmtiEnv *jvmti = NULL;
    if ((*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_11) != JNI_OK || jvmti == NULL) {
        return HS_UNSUPPORTED;
    }
    waiting.vm = vm;
    waiting.then = then;
    jvmtiError error = (*jvmti)->SetEventCallbacks(jvmti, &callbacks, (jint)sizeof callbacks);
    if (error == JVMTI_ERROR_NONE) {
        error = (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_VM_INIT, NULL);
    }
    if (error != JVMTI_ERROR_NONE) {
        (void)(*jvmti)->DisposeEnvironment(jvmti);
        return HS_JVMTI;
    }
    return HS_OK;
}
