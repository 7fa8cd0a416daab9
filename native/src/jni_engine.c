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

/* What Java knows by its text (LoadFailure). Where there is no memory for it, the VM's own stays. */
static void throw_refusal(JNIEnv *jni, enum hs_status status) {
    char text[128];
    (void)snprintf(text, sizeof text, "the engine could not be opened: %s",
                   hs_status_text((int)status));
    jclass error = (*jni)->FindClass(jni, "java/lang/UnsatisfiedLinkError");
    if (error != NULL) {
        (void)(*jni)->ThrowNew(jni, error, text);
        (*jni)->DeleteLocalRef(jni, error);
    }
}

static enum jni_joined join(JavaVM *vm, JNIEnv *jni, jclass bindings, const char *package) {
    enum hs_status status = hs_vm_open(vm, jni, package);
    if (status != HS_OK && status != HS_UNSUPPORTED) {
        throw_refusal(jni, status);
        return JNI_REFUSED;
    }
    if (!jni_bindings_register(jni, bindings)) {
        if (status == HS_OK) {
            hs_vm_close(jni);
        }
        return JNI_REFUSED;
    }
    return status == HS_OK ? JNI_COUNTED : JNI_BOUND;
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

static bool is_in(const char *file, uintptr_t address) {
    Dl_info info;
    return dladdr((const void *)address, &info) != 0 && info.dli_fname != NULL &&
           strcmp(info.dli_fname, file) == 0;
}

/* Any code can set the property: an address counts only if it lies in the library that is named beside it,
 * and what is there is what must be. In any other there may be nothing at the address: a library has gaps. */
static const struct jni_engine *engine_at(const char *text) {
    char *end;
    uintptr_t address = (uintptr_t)strtoull(text, &end, 16);
    const struct jni_engine *engine = (const struct jni_engine *)address;
    bool is_plausible = *end == '/' && address % _Alignof(struct jni_engine) == 0 &&
                        is_in(end + 1, address) && is_in(end + 1, address + sizeof *engine - 1) &&
                        memcmp(engine->magic, JNI_ENGINE.magic, sizeof engine->magic) == 0;
    return is_plausible ? engine : NULL;
}

static const struct jni_engine *find_or_write_down(JNIEnv *jni) {
    char text[PROPERTY_BYTES];
    char prefix[64];
    (void)snprintf(prefix, sizeof prefix, "%d/%s/", JNI_ABI, HS_VERSION);
    const struct jni_engine *engine = NULL;
    if (jni_property(jni, PROPERTY, text, sizeof text)) {
        if (strncmp(text, prefix, strlen(prefix)) != 0) {
            return NULL;
        }
        engine = engine_at(text + strlen(prefix));
    }
    if (engine == NULL) {
        write_down(jni);
        engine = &JNI_ENGINE;
    }
    return engine;
}

const struct jni_engine *jni_engine_of_process(JNIEnv *jni) {
    jclass system = (*jni)->FindClass(jni, "java/lang/System");
    bool is_held = system != NULL && (*jni)->MonitorEnter(jni, system) == JNI_OK;
    (*jni)->ExceptionClear(jni);
    const struct jni_engine *engine = find_or_write_down(jni);
    if (is_held) {
        (void)(*jni)->MonitorExit(jni, system);
    }
    (*jni)->DeleteLocalRef(jni, system);
    return engine;
}
