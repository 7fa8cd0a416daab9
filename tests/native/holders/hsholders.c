/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* libhsholders.so, the native half of tests/holders (holders.Native): references of JNI that keep objects alive.
 * Leaves the exceptions of the methods that it calls pending. */
#include <jni.h>
#include <stdint.h>

JNIEXPORT jlong JNICALL Java_holders_Native_newGlobal(JNIEnv *jni, jclass self, jobject object) {
    (void)self;
    return (jlong)(intptr_t)(*jni)->NewGlobalRef(jni, object);
}

JNIEXPORT void JNICALL Java_holders_Native_deleteGlobal(JNIEnv *jni, jclass self, jlong handle) {
    (void)self;
    (*jni)->DeleteGlobalRef(jni, (jobject)(intptr_t)handle);
}

JNIEXPORT jlong JNICALL Java_holders_Native_newWeakGlobal(JNIEnv *jni, jclass self,
                                                          jobject object) {
    (void)self;
    return (jlong)(intptr_t)(*jni)->NewWeakGlobalRef(jni, object);
}

JNIEXPORT jobject JNICALL Java_holders_Native_get(JNIEnv *jni, jclass self, jlong handle) {
    (void)self;
    return (*jni)->NewLocalRef(jni, (jweak)(intptr_t)handle);
}

JNIEXPORT void JNICALL Java_holders_Native_deleteWeakGlobal(JNIEnv *jni, jclass self,
                                                            jlong handle) {
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

JNIEXPORT void JNICALL Java_holders_Native_withLocal(JNIEnv *jni, jclass self, jobject make,
                                                     jobject then) {
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
