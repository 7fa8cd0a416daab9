/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "jni_engine.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hs_vm.h"
#include "jni_bindings.h"

#define MAGIC "HeapSampler 1"
static const char PROPERTY[] = "heapsampler.engine";

enum { PROPERTY_BYTES = 4200 };

static bool join(JavaVM *vm, JNIEnv *jni, jclass bindings) {
    (void)hs_vm_open(vm, jni); /* without it, the natives answer HS_UNSUPPORTED */
    if (!jni_bindings_register(jni, bindings)) {
        hs_vm_close(jni);
        return false;
    }
    return true;
}

const struct jni_engine JNI_ENGINE = {.magic = MAGIC, .join = join, .leave = hs_vm_close};

/* The method of java.lang.System, which becomes *system; NULL when the VM refuses. */
static jmethodID system_method(JNIEnv *jni, jclass *system, const char *name,
                               const char *descriptor) {
    *system = (*jni)->FindClass(jni, "java/lang/System");
    return *system == NULL ? NULL : (*jni)->GetStaticMethodID(jni, *system, name, descriptor);
}

bool jni_property(JNIEnv *jni, const char *key, char *text, size_t size) {
    jclass system;
    jmethodID get =
        system_method(jni, &system, "getProperty", "(Ljava/lang/String;)Ljava/lang/String;");
    jstring name = get == NULL ? NULL : (*jni)->NewStringUTF(jni, key);
    jstring value = name == NULL ? NULL : (*jni)->CallStaticObjectMethod(jni, system, get, name);
    const char *chars = NULL;
    if (value != NULL && !(*jni)->ExceptionCheck(jni)) {
        chars = (*jni)->GetStringUTFChars(jni, value, NULL);
    }
    (*jni)->ExceptionClear(jni);
    bool is_fitting = chars != NULL && strlen(chars) < size;
    if (is_fitting) {
        memcpy(text, chars, strlen(chars) + 1);
    }
    if (chars != NULL) {
        (*jni)->ReleaseStringUTFChars(jni, value, chars);
    }
    (*jni)->DeleteLocalRef(jni, value);
    (*jni)->DeleteLocalRef(jni, name);
    (*jni)->DeleteLocalRef(jni, system);
    return is_fitting;
}

/* Nothing comes of a failure but a second copy that cannot find us. */
static void write_down(JNIEnv *jni) {
    char text[PROPERTY_BYTES];
    Dl_info info;
    bool is_known = dladdr(&JNI_ENGINE, &info) != 0 && info.dli_fname != NULL;
    (void)snprintf(text, sizeof text, "%d/%s/%llx/%s", JNI_ABI, HS_VERSION,
                   (unsigned long long)(uintptr_t)&JNI_ENGINE, is_known ? info.dli_fname : "?");
    jclass system;
    jmethodID set = system_method(jni, &system, "setProperty",
                                  "(Ljava/lang/String;Ljava/lang/String;)Ljava/lang/String;");
    jstring key = set == NULL ? NULL : (*jni)->NewStringUTF(jni, PROPERTY);
    jstring value = key == NULL ? NULL : (*jni)->NewStringUTF(jni, text);
    jobject before =
        value == NULL ? NULL : (*jni)->CallStaticObjectMethod(jni, system, set, key, value);
    (*jni)->ExceptionClear(jni);
    (*jni)->DeleteLocalRef(jni, before);
    (*jni)->DeleteLocalRef(jni, value);
    (*jni)->DeleteLocalRef(jni, key);
    (*jni)->DeleteLocalRef(jni, system);
}

/* The property may be anybody's: an address counts only if it lies in a library and what is there is
 * what must be. */
static const struct jni_engine *engine_at(const char *text) {
    char prefix[64];
    (void)snprintf(prefix, sizeof prefix, "%d/%s/", JNI_ABI, HS_VERSION);
    if (strncmp(text, prefix, strlen(prefix)) != 0) {
        return NULL;
    }
    uintptr_t address = (uintptr_t)strtoull(text + strlen(prefix), NULL, 16);
    const struct jni_engine *engine = (const struct jni_engine *)address;
    Dl_info info;
    bool is_plausible = address % _Alignof(struct jni_engine) == 0 && dladdr(engine, &info) != 0 &&
                        memcmp(engine->magic, JNI_ENGINE.magic, sizeof engine->magic) == 0;
    return is_plausible ? engine : NULL;
}

const struct jni_engine *jni_engine_of_process(JNIEnv *jni) {
    char text[PROPERTY_BYTES];
    if (!jni_property(jni, PROPERTY, text, sizeof text)) {
        write_down(jni);
        return &JNI_ENGINE;
    }
    const struct jni_engine *engine = engine_at(text);
    return engine == NULL ? &JNI_ENGINE : engine;
}
