/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* What the VM calls when the library comes and goes with a class loader. The name of the Java class to
 * bind is in the system property "heapsampler.bindings", set by the loader just before: so the class
 * may have been moved to another package. Without the property (someone else loaded the library) it is
 * the usual name. */
#include <string.h>

#include "jni_engine.h"

static const char PROPERTY[] = "heapsampler.bindings";
static const char USUAL_NAME[] = "io.heapsampler.internal.NativeBindings";
static const char INTERNAL[] = ".internal";

enum { NAME_BYTES = 512 };

/* Where the class that came with this copy of the library was counted; NULL: nowhere. Written by the
 * thread that loads or unloads it, of which the VM has one at a time. */
static const struct jni_engine *engine;

/* "io.heapsampler" of "io.heapsampler.internal.NativeBindings". */
static void read_own_package(const char *name, char package[NAME_BYTES]) {
    const char *dot = strrchr(name, '.');
    size_t bytes = dot == NULL ? 0 : (size_t)(dot - name);
    size_t suffix = sizeof INTERNAL - 1;
    if (bytes > suffix && memcmp(name + bytes - suffix, INTERNAL, suffix) == 0) {
        bytes -= suffix;
    }
    memcpy(package, name, bytes);
    package[bytes] = '\0';
}

static bool bind(JavaVM *vm, JNIEnv *jni) {
    char name[NAME_BYTES];
    if (!jni_property(jni, PROPERTY, name, sizeof name)) {
        memcpy(name, USUAL_NAME, sizeof USUAL_NAME);
    }
    char package[NAME_BYTES];
    read_own_package(name, package);
    for (char *c = name; *c != '\0'; c++) {
        if (*c == '.') {
            *c = '/';
        }
    }
    jclass bindings = (*jni)->FindClass(jni, name);
    if (bindings == NULL) {
        return false;
    }
    const struct jni_engine *found = jni_engine_of_process(jni);
    enum jni_joined joined = found == NULL ? JNI_REFUSED : found->join(vm, jni, bindings, package);
    engine = joined == JNI_COUNTED ? found : NULL;
    (*jni)->DeleteLocalRef(jni, bindings);
    return joined != JNI_REFUSED;
}

JNIEXPORT jint JNICALL JNI_OnLoad(JavaVM *vm, void *reserved) {
    (void)reserved;
    JNIEnv *jni;
    if ((*vm)->GetEnv(vm, (void **)&jni, JNI_VERSION_1_8) != JNI_OK) {
        return JNI_ERR;
    }
    return bind(vm, jni) ? JNI_VERSION_1_8 : JNI_ERR;
}

JNIEXPORT void JNICALL JNI_OnUnload(JavaVM *vm, void *reserved) {
    (void)reserved;
    JNIEnv *jni;
    bool is_known = (*vm)->GetEnv(vm, (void **)&jni, JNI_VERSION_1_8) == JNI_OK;
    if (engine != NULL) {
        engine->leave(is_known ? jni : NULL);
        engine = NULL;
    }
}
