/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Loads the library as a JVM does, in a program of another libc: host <library> <version>
 *
 * There is a JavaVM, but it has no JVMTI, as in JVMs other than HotSpot. The library must load, bind
 * its natives nevertheless, and answer through them that it can do nothing here. tests/musl runs this
 * program, built for musl, with the library that was built for glibc. */
#include <dlfcn.h>
#include <jni.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hs_status.h"

enum { MOST_NATIVES = 64 };

static JNINativeMethod natives[MOST_NATIVES];
static jint native_count;
static char text[64]; /* of the last string that was requested */
static int object;    /* what all references refer to */

#define CHECK(condition)                                                        \
    do {                                                                        \
        if (!(condition)) {                                                     \
            fprintf(stderr, "%s:%d: not %s\n", __FILE__, __LINE__, #condition); \
            exit(1);                                                            \
        }                                                                       \
    } while (0)

static jclass JNICALL find_class(JNIEnv *jni, const char *name) {
    (void)jni;
    (void)name;
    return (jclass)&object;
}

/* No System.getProperty: the library then takes the usual name of its Java class. */
static jmethodID JNICALL get_static_method(JNIEnv *jni, jclass class, const char *name,
                                           const char *signature) {
    (void)jni;
    (void)class;
    (void)name;
    (void)signature;
    return NULL;
}

static void JNICALL exception_clear(JNIEnv *jni) {
    (void)jni;
}

static void JNICALL delete_local(JNIEnv *jni, jobject ref) {
    (void)jni;
    (void)ref;
}

static int globals; /* made, and not yet deleted */

static jobject JNICALL new_global(JNIEnv *jni, jobject of) {
    (void)jni;
    globals++;
    return of;
}

static void JNICALL delete_global(JNIEnv *jni, jobject ref) {
    (void)jni;
    globals -= ref != NULL;
}

static jfieldID JNICALL get_field(JNIEnv *jni, jclass class, const char *name,
                                  const char *signature) {
    (void)jni;
    (void)class;
    (void)name;
    (void)signature;
    return NULL;
}

static int monitors; /* entered, and not yet left */

static jint JNICALL monitor_enter(JNIEnv *jni, jobject of) {
    (void)jni;
    CHECK(of == (jobject)&object && monitors == 0);
    monitors++;
    return JNI_OK;
}

static jint JNICALL monitor_exit(JNIEnv *jni, jobject of) {
    (void)jni;
    CHECK(of == (jobject)&object && monitors == 1);
    monitors--;
    return JNI_OK;
}

static jint JNICALL register_natives(JNIEnv *jni, jclass class, const JNINativeMethod *methods,
                                     jint count) {
    (void)jni;
    (void)class;
    CHECK(count > 0 && native_count + count <= MOST_NATIVES);
    memcpy(natives + native_count, methods, (size_t)count * sizeof *methods);
    native_count += count;
    return JNI_OK;
}

static jstring JNICALL new_string(JNIEnv *jni, const char *utf) {
    (void)jni;
    CHECK(strlen(utf) < sizeof text);
    strcpy(text, utf);
    return (jstring)&object;
}

static jmethodID JNICALL get_method(JNIEnv *jni, jclass class, const char *name,
                                    const char *signature) {
    (void)jni;
    (void)class;
    (void)name;
    (void)signature;
    return (jmethodID)&object;
}

static const struct JNINativeInterface_ FUNCTIONS = {
    .FindClass = find_class,
    .GetMethodID = get_method,
    .GetStaticMethodID = get_static_method,
    .ExceptionClear = exception_clear,
    .DeleteLocalRef = delete_local,
    .NewGlobalRef = new_global,
    .DeleteGlobalRef = delete_global,
    .GetFieldID = get_field,
    .MonitorEnter = monitor_enter,
    .MonitorExit = monitor_exit,
    .RegisterNatives = register_natives,
    .NewStringUTF = new_string,
};

static JNIEnv env = &FUNCTIONS;

static jint JNICALL get_env(JavaVM *vm, void **result, jint version) {
    (void)vm;
    *result = version == JNI_VERSION_1_8 ? &env : NULL;
    return *result == NULL ? JNI_EVERSION : JNI_OK;
}

static const struct JNIInvokeInterface_ INVOKE = {.GetEnv = get_env};

/* dlsym answers an object pointer. */
static void find(void *library, const char *name, void *function) {
    void *symbol = dlsym(library, name);
    CHECK(symbol != NULL);
    memcpy(function, &symbol, sizeof symbol);
}

static void *native(const char *name) {
    for (jint i = 0; i < native_count; i++) {
        if (strcmp(natives[i].name, name) == 0) {
            return natives[i].fnPtr;
        }
    }
    fprintf(stderr, "no native %s\n", name);
    exit(1);
}

/* musl's loader takes libc.so.6 for itself. Were the file of glibc mapped, there would be two libcs. */
static void check_no_glibc(void) {
    char line[512];
    FILE *maps = fopen("/proc/self/maps", "r");
    CHECK(maps != NULL);
    while (fgets(line, sizeof line, maps) != NULL) {
        CHECK(strstr(line, "libc.so.6") == NULL && strstr(line, "ld-linux") == NULL);
    }
    (void)fclose(maps);
}

int main(int count, char **arguments) {
    JavaVM vm = &INVOKE;
    jint(JNICALL * on_load)(JavaVM *, void *);
    void(JNICALL * on_unload)(JavaVM *, void *);
    CHECK(count == 3);
    void *library = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    check_no_glibc();
    find(library, "JNI_OnLoad", &on_load);
    find(library, "JNI_OnUnload", &on_unload);
    CHECK(on_load(&vm, NULL) == JNI_VERSION_1_8 && monitors == 0);

    jstring(JNICALL * version)(JNIEnv *, jclass) =
        (jstring(JNICALL *)(JNIEnv *, jclass))(uintptr_t)native("version");
    jlong(JNICALL * pause)(JNIEnv *, jclass, jint) =
        (jlong(JNICALL *)(JNIEnv *, jclass, jint))(uintptr_t)native("pause");
    CHECK(version(&env, NULL) != NULL && strcmp(text, arguments[2]) == 0);
    CHECK(pause(&env, NULL, 1) == -(jlong)HS_UNSUPPORTED);

    on_unload(&vm, NULL);
    CHECK(globals == 0);
    CHECK(dlclose(library) == 0);
    printf("version %s, %d natives\n", text, (int)native_count);
    return 0;
}
