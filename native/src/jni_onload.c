/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* What the VM calls when the library comes and goes. The name of the Java class to bind stands in
 * the system property "heapsampler.bindings", set by the loader just before: so the class may have
 * been moved to another package. Without the property (someone else loaded the library) it is the
 * usual name. */
#include <string.h>

#include "hs_vm.h"
#include "jni_bindings.h"

static const char PROPERTY[] = "heapsampler.bindings";
static const char USUAL_NAME[] = "io.heapsampler.internal.NativeBindings";
static const char INTERNAL[] = ".internal";

enum { NAME_BYTES = 512 };

/* The class name with dots, into `name`; false when none could be read. */
static bool bindings_name(JNIEnv *jni, char *name) {
    jclass system = (*jni)->FindClass(jni, "java/lang/System");
    jmethodID get = system == NULL
                        ? NULL
                        : (*jni)->GetStaticMethodID(jni, system, "getProperty",
                                                    "(Ljava/lang/String;)Ljava/lang/String;");
    jstring key = get == NULL ? NULL : (*jni)->NewStringUTF(jni, PROPERTY);
    jstring value = key == NULL ? NULL : (*jni)->CallStaticObjectMethod(jni, system, get, key);
    const char *text = NULL;
    if (value != NULL && !(*jni)->ExceptionCheck(jni)) {
        text = (*jni)->GetStringUTFChars(jni, value, NULL);
    }
    (*jni)->ExceptionClear(jni);
    const char *chosen = text == NULL ? USUAL_NAME : text;
    size_t bytes = strlen(chosen);
    bool is_fitting = bytes < NAME_BYTES;
    if (is_fitting) {
        memcpy(name, chosen, bytes + 1);
    }
    if (text != NULL) {
        (*jni)->ReleaseStringUTFChars(jni, value, text);
    }
    (*jni)->DeleteLocalRef(jni, value);
    (*jni)->DeleteLocalRef(jni, key);
    (*jni)->DeleteLocalRef(jni, system);
    return is_fitting;
}

/* "io.heapsampler" of "io.heapsampler.internal.NativeBindings". */
static void set_own_package(const char *name) {
    const char *dot = strrchr(name, '.');
    size_t bytes = dot == NULL ? 0 : (size_t)(dot - name);
    size_t suffix = sizeof INTERNAL - 1;
    if (bytes > suffix && memcmp(name + bytes - suffix, INTERNAL, suffix) == 0) {
        bytes -= suffix;
    }
    hs_vm_set_own_package(name, bytes);
}

static bool bind(JNIEnv *jni) {
    char name[NAME_BYTES];
    if (!bindings_name(jni, name)) {
        return false;
    }
    set_own_package(name);
    for (char *c = name; *c != '\0'; c++) {
        if (*c == '.') {
            *c = '/';
        }
    }
    jclass bindings = (*jni)->FindClass(jni, name);
    bool is_bound = bindings != NULL && jni_bindings_register(jni, bindings);
    (*jni)->DeleteLocalRef(jni, bindings);
    return is_bound;
}

/* Where there is no JVMTI the natives are bound all the same: they answer HS_UNSUPPORTED, which is a
 * better message than a failed load. */
JNIEXPORT jint JNICALL JNI_OnLoad(JavaVM *vm, void *reserved) {
    (void)reserved;
    JNIEnv *jni;
    if ((*vm)->GetEnv(vm, (void **)&jni, JNI_VERSION_1_8) != JNI_OK) {
        return JNI_ERR;
    }
    (void)hs_vm_open(vm, jni);
    if (!bind(jni)) {
        hs_vm_close(jni);
        return JNI_ERR;
    }
    return JNI_VERSION_1_8;
}

JNIEXPORT void JNICALL JNI_OnUnload(JavaVM *vm, void *reserved) {
    (void)reserved;
    JNIEnv *jni;
    if ((*vm)->GetEnv(vm, (void **)&jni, JNI_VERSION_1_8) == JNI_OK) {
        hs_vm_close(jni);
    }
}
