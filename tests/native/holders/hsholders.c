/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* libhsholders.so, the native half of tests/holders (holders.Native): references of JNI that keep objects alive.
 * Leaves the exceptions of the methods that it calls pending. */
#include <jni.h>
#include <stdint.h>

static jlong JNICALL new_global(JNIEnv *jni, jclass self, jobject object) {
    (void)self;
    return (jlong)(intptr_t)(*jni)->NewGlobalRef(jni, object);
}

static void JNICALL delete_global(JNIEnv *jni, jclass self, jlong handle) {
    (void)self;
    (*jni)->DeleteGlobalRef(jni, (jobject)(intptr_t)handle);
}

static jlong JNICALL new_weak_global(JNIEnv *jni, jclass self, jobject object) {
    (void)self;
    return (jlong)(intptr_t)(*jni)->NewWeakGlobalRef(jni, object);
}

static jobject JNICALL get(JNIEnv *jni, jclass self, jlong handle) {
    (void)self;
    return (*jni)->NewLocalRef(jni, (jweak)(intptr_t)handle);
}

static void JNICALL delete_weak_global(JNIEnv *jni, jclass self, jlong handle) {
    (void)self;
    (*jni)->DeleteWeakGlobalRef(jni, (jweak)(intptr_t)handle);
}

/* The method of an object's class; NULL with an exception. */
static jmethodID method_of(JNIEnv *jni, jobject object, const char *name, const char *signature) {
    jclass class = (*jni)->GetObjectClass(jni, object);
    jmethodID method = (*jni)->GetMethodID(jni, class, name, signature);
    (*jni)->DeleteLocalRef(jni, class);
    return method;
}

static void JNICALL with_local(JNIEnv *jni, jclass self, jobject make, jobject then) {
    (void)self;
    jmethodID get = method_of(jni, make, "get", "()Ljava/lang/Object;");
    if (get == NULL) {
        return;
    }
    jobject local = (*jni)->CallObjectMethod(jni, make, get);
    if ((*jni)->ExceptionCheck(jni)) {
        return;
    }
    jmethodID run = method_of(jni, then, "run", "()V");
    if (run != NULL) {
        (*jni)->CallVoidMethod(jni, then, run);
    }
    (*jni)->DeleteLocalRef(jni, local);
}

#define METHOD(name, signature, function) \
    { (char *)name, (char *)signature, (void *)function }

static const JNINativeMethod METHODS[] = {
    METHOD("newGlobal", "(Ljava/lang/Object;)J", new_global),
    METHOD("deleteGlobal", "(J)V", delete_global),
    METHOD("newWeakGlobal", "(Ljava/lang/Object;)J", new_weak_global),
    METHOD("get", "(J)Ljava/lang/Object;", get),
    METHOD("deleteWeakGlobal", "(J)V", delete_weak_global),
    METHOD("withLocal", "(Ljava/util/function/Supplier;Ljava/lang/Runnable;)V", with_local),
};

JNIEXPORT jint JNICALL JNI_OnLoad(JavaVM *vm, void *reserved) {
    JNIEnv *jni;
    (void)reserved;
    if ((*vm)->GetEnv(vm, (void **)&jni, JNI_VERSION_10) != JNI_OK) {
        return JNI_ERR;
    }
    jclass class = (*jni)->FindClass(jni, "holders/Native");
    jint count = (jint)(sizeof METHODS / sizeof METHODS[0]);
    return class != NULL && (*jni)->RegisterNatives(jni, class, METHODS, count) == JNI_OK
               ? JNI_VERSION_10
               : JNI_ERR;
}
