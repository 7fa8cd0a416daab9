/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* The VM as hs_vm* see it, for many threads at a time: the tables of JNI and JVMTI, with the calls of a sample.
 * References are those of unit/fake_ops.h, which aborts when one is used after it was given back.
 * What fails, and all other calls, are for fault_vm. */
#ifndef TABLED_VM_H
#define TABLED_VM_H

#include <jni.h>
#include <jvmti.h>

#include "unit/fake_ops.h"
#include "unit/seeded.h"

enum { TABLED_CLASSES = 4, TABLED_METHODS = 8, TABLED_DEPTH = 12 };

struct tabled_class {
    const char *signature;
    const char *file; /* NULL: the VM has none */
};

static const struct tabled_class TABLED_CLASS[TABLED_CLASSES] = {
    {"Lshop/Cart;", "Cart.java"},
    {"Lshop/Order;", "Order.java"},
    {"[B", NULL},
    {"Ljava/lang/String;", "String.java"},
};

/* A method id is the address of one: the cell that leads to the Method. */
static uintptr_t tabled_methods[TABLED_METHODS] = {1, 2, 3, 4, 5, 6, 7, 8};

struct tabled_thread {
    jlong id;
    uint32_t leaf;  /* the method that it stands in */
    uint32_t depth; /* frames, 1 to TABLED_DEPTH */
};

/* An object that is being sampled: its trackers show here. */
struct tabled_object {
    hs_ref weak;
};

static _Thread_local struct tabled_thread *tabled_current;
static const struct JNINativeInterface_ *tabled_jni; /* a JNIEnv, the same for all threads */
static const struct JNIInvokeInterface_ *tabled_invoke;
static const struct jvmtiInterface_1_ *tabled_jvmti;
static jvmtiEventCallbacks tabled_told;
static _Atomic bool tabled_is_sampling;
static _Atomic long tabled_lent;
static struct tabled_object tabled_canary;               /* what AllocObject makes */
static _Atomic unsigned char tabled_class_of[FAKE_REFS]; /* number + 1 */

/* ---- JNI ---- */

static inline int tabled_class_number(const void *object) {
    const struct tabled_class *class = object;
    bool is_class = class >= TABLED_CLASS && class < TABLED_CLASS + TABLED_CLASSES;
    return is_class ? (int)(class - TABLED_CLASS) : -1;
}

static jclass JNICALL tabled_find_class(JNIEnv *jni, const char *name) {
    (void)jni;
    bool is_virtual = strcmp(name, "java/lang/BaseVirtualThread") == 0;
    return is_virtual ? NULL : (jclass)(void *)&tabled_canary;
}

static jobject JNICALL tabled_same_ref(JNIEnv *jni, jobject ref) {
    (void)jni;
    return ref;
}

static void JNICALL tabled_forget_ref(JNIEnv *jni, jobject ref) {
    (void)jni;
    (void)ref;
}

static void JNICALL tabled_clear(JNIEnv *jni) {
    (void)jni;
}

static jfieldID JNICALL tabled_field(JNIEnv *jni, jclass class, const char *name,
                                     const char *type) {
    (void)jni;
    (void)class;
    (void)type;
    return strcmp(name, "tid") == 0 ? (jfieldID)(void *)tabled_methods : NULL;
}

static jmethodID JNICALL tabled_method_of(JNIEnv *jni, jclass class, const char *name,
                                          const char *descriptor) {
    (void)jni;
    (void)class;
    (void)name;
    (void)descriptor;
    return (jmethodID)(void *)tabled_methods;
}

static jlong JNICALL tabled_long(JNIEnv *jni, jobject object, jfieldID field) {
    (void)jni;
    (void)field;
    return ((const struct tabled_thread *)(const void *)object)->id;
}

static jobject JNICALL tabled_alloc(JNIEnv *jni, jclass class) {
    (void)jni;
    (void)class;
    return (jobject)(void *)&tabled_canary;
}

static jweak JNICALL tabled_new_weak(JNIEnv *jni, jobject object) {
    (void)jni;
    int number = tabled_class_number(object);
    if ((void *)object == &tabled_canary) {
        return (jweak)fake_new_garbage(FAKE_ENV);
    }
    hs_ref ref = fake_ref();
    if (number >= 0) {
        atomic_store(&tabled_class_of[fake_index(ref)], (unsigned char)(number + 1));
    } else {
        ((struct tabled_object *)(void *)object)->weak = ref;
    }
    return (jweak)ref;
}

static void JNICALL tabled_delete_weak(JNIEnv *jni, jweak ref) {
    (void)jni;
    fake_release(FAKE_ENV, (hs_ref)ref);
}

/* Of a weak reference, the second one, to NULL or to a class. */
static jboolean JNICALL tabled_is_same(JNIEnv *jni, jobject a, jobject b) {
    (void)jni;
    if (b == NULL) {
        return fake_is_cleared(FAKE_ENV, (hs_ref)a);
    }
    return !fake_is_cleared(FAKE_ENV, (hs_ref)b) &&
           atomic_load(&tabled_class_of[fake_index((hs_ref)b)]) == tabled_class_number(a) + 1;
}

static const struct JNINativeInterface_ TABLED_JNI = {
    .FindClass = tabled_find_class,
    .NewGlobalRef = tabled_same_ref,
    .DeleteGlobalRef = tabled_forget_ref,
    .DeleteLocalRef = tabled_forget_ref,
    .ExceptionClear = tabled_clear,
    .GetFieldID = tabled_field,
    .GetMethodID = tabled_method_of,
    .GetLongField = tabled_long,
    .AllocObject = tabled_alloc,
    .NewWeakGlobalRef = tabled_new_weak,
    .DeleteWeakGlobalRef = tabled_delete_weak,
    .IsSameObject = tabled_is_same,
};

/* ---- JVMTI ---- */

static inline char *tabled_lend(const void *content, size_t bytes) {
    void *lent = malloc(bytes);
    if (lent == NULL) {
        abort();
    }
    tabled_lent++;
    return memcpy(lent, content, bytes);
}

static jvmtiError JNICALL tabled_take_back(jvmtiEnv *jvmti, unsigned char *memory) {
    (void)jvmti;
    tabled_lent -= memory != NULL;
    free(memory);
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL tabled_capabilities(jvmtiEnv *jvmti, const jvmtiCapabilities *wanted) {
    (void)jvmti;
    (void)wanted;
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL tabled_callbacks(jvmtiEnv *jvmti, const jvmtiEventCallbacks *callbacks,
                                           jint bytes) {
    (void)jvmti;
    (void)bytes;
    if (callbacks->NativeMethodBind ==
        NULL) { /* of the environment beside it, which has no work here */
        tabled_told = *callbacks;
    }
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL tabled_mode(jvmtiEnv *jvmti, jvmtiEventMode mode, jvmtiEvent event,
                                      jthread thread, ...) {
    (void)jvmti;
    (void)thread;
    if (event == JVMTI_EVENT_SAMPLED_OBJECT_ALLOC) {
        tabled_is_sampling = mode == JVMTI_ENABLE;
        fake.enables += mode == JVMTI_ENABLE;
        fake.disables += mode == JVMTI_DISABLE;
    }
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL tabled_interval(jvmtiEnv *jvmti, jint interval) {
    (void)jvmti;
    fake.interval = (uint32_t)interval;
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL tabled_dispose(jvmtiEnv *jvmti) {
    (void)jvmti;
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL tabled_hash(jvmtiEnv *jvmti, jobject object, jint *hash) {
    (void)jvmti;
    *hash = 31 * tabled_class_number(object);
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL tabled_signature(jvmtiEnv *jvmti, jclass class, char **signature,
                                           char **generic) {
    (void)jvmti;
    (void)generic;
    const char *text = TABLED_CLASS[tabled_class_number(class)].signature;
    *signature = tabled_lend(text, strlen(text) + 1);
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL tabled_file(jvmtiEnv *jvmti, jclass class, char **file) {
    (void)jvmti;
    const char *text = TABLED_CLASS[tabled_class_number(class)].file;
    if (text == NULL) {
        return JVMTI_ERROR_ABSENT_INFORMATION;
    }
    *file = tabled_lend(text, strlen(text) + 1);
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL tabled_thread_info(jvmtiEnv *jvmti, jthread thread,
                                             jvmtiThreadInfo *info) {
    (void)jvmti;
    char name[32];
    const struct tabled_thread *told = (const void *)thread;
    int bytes = snprintf(name, sizeof name, "worker-%ld", (long)told->id);
    *info = (jvmtiThreadInfo){.name = tabled_lend(name, (size_t)bytes + 1)};
    return JVMTI_ERROR_NONE;
}

/* Of the calling thread: from its leaf on, one method calls the next. */
static jvmtiError JNICALL tabled_stack(jvmtiEnv *jvmti, jthread thread, jint start, jint max,
                                       jvmtiFrameInfo *infos, jint *count) {
    (void)jvmti;
    (void)thread;
    jint depth = (jint)tabled_current->depth - start;
    *count = depth < max ? depth : max;
    for (jint i = 0; i < *count; i++) {
        uint32_t method = (tabled_current->leaf + (uint32_t)(start + i)) % TABLED_METHODS;
        infos[i] = (jvmtiFrameInfo){.method = (jmethodID)(void *)&tabled_methods[method],
                                    .location = (jlocation)method};
    }
    return JVMTI_ERROR_NONE;
}

static inline int tabled_method_number(jmethodID method) {
    return (int)((const uintptr_t *)(const void *)method - tabled_methods);
}

static jvmtiError JNICALL tabled_class_of_method(jvmtiEnv *jvmti, jmethodID method, jclass *class) {
    (void)jvmti;
    int number = tabled_method_number(method) % TABLED_CLASSES;
    *class = (jclass)(uintptr_t)&TABLED_CLASS[number];
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL tabled_method_name(jvmtiEnv *jvmti, jmethodID method, char **name,
                                             char **descriptor, char **generic) {
    (void)jvmti;
    (void)generic;
    char text[] = {'m', (char)('0' + tabled_method_number(method)), 0};
    *name = tabled_lend(text, sizeof text);
    *descriptor = tabled_lend("()V", 4);
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL tabled_lines(jvmtiEnv *jvmti, jmethodID method, jint *count,
                                       jvmtiLineNumberEntry **lines) {
    (void)jvmti;
    jvmtiLineNumberEntry line = {.line_number = (jint)(1 + tabled_method_number(method))};
    *count = 1;
    *lines = (jvmtiLineNumberEntry *)(void *)tabled_lend(&line, sizeof line);
    return JVMTI_ERROR_NONE;
}

/* With its events, as in a pause. */
static inline void tabled_collect(void) {
    tabled_told.GarbageCollectionStart(&tabled_jvmti);
    fake_collect();
    tabled_told.GarbageCollectionFinish(&tabled_jvmti);
}

static jvmtiError JNICALL tabled_force(jvmtiEnv *jvmti) {
    (void)jvmti;
    fake.forced++;
    tabled_collect();
    return JVMTI_ERROR_NONE;
}

/* So the version is not known. */
static jvmtiError JNICALL tabled_property(jvmtiEnv *jvmti, const char *key, char **value) {
    (void)jvmti;
    (void)key;
    (void)value;
    return JVMTI_ERROR_NOT_AVAILABLE;
}

static const struct jvmtiInterface_1_ TABLED_JVMTI = {
    .Deallocate = tabled_take_back,
    .AddCapabilities = tabled_capabilities,
    .RelinquishCapabilities = tabled_capabilities,
    .SetEventCallbacks = tabled_callbacks,
    .SetEventNotificationMode = tabled_mode,
    .SetHeapSamplingInterval = tabled_interval,
    .DisposeEnvironment = tabled_dispose,
    .GetSystemProperty = tabled_property,
    .GetObjectHashCode = tabled_hash,
    .GetClassSignature = tabled_signature,
    .GetSourceFileName = tabled_file,
    .GetThreadInfo = tabled_thread_info,
    .GetStackTrace = tabled_stack,
    .GetMethodDeclaringClass = tabled_class_of_method,
    .GetMethodName = tabled_method_name,
    .GetLineNumberTable = tabled_lines,
    .ForceGarbageCollection = tabled_force,
};

/* ---- the VM ---- */

static jint JNICALL tabled_get_env(JavaVM *vm, void **env, jint version) {
    (void)vm;
    (void)version;
    *env = &tabled_jvmti;
    return JNI_OK;
}

static jint JNICALL tabled_attach(JavaVM *vm, void **env, void *arguments) {
    (void)vm;
    (void)arguments;
    *env = &tabled_jni;
    fake.attached++;
    return JNI_OK;
}

static jint JNICALL tabled_detach(JavaVM *vm) {
    (void)vm;
    fake.attached--;
    return JNI_OK;
}

static const struct JNIInvokeInterface_ TABLED_INVOKE = {
    .GetEnv = tabled_get_env,
    .AttachCurrentThreadAsDaemon = tabled_attach,
    .DetachCurrentThread = tabled_detach,
};

static inline void tabled_reset(void) {
    fake_reset();
    tabled_jni = &TABLED_JNI;
    tabled_invoke = &TABLED_INVOKE;
    tabled_jvmti = &TABLED_JVMTI;
}

/* The calling thread, as `self`, allocates an object of the class somewhere, and its sample point is
 * reached. Answers the weak reference that was made; 0: none. */
static inline hs_ref tabled_sample(struct tabled_thread *self, struct seeded *seeded,
                                   uint64_t size) {
    struct tabled_object object = {0};
    const struct tabled_class *class = &TABLED_CLASS[seeded_below(seeded, TABLED_CLASSES)];
    self->leaf = (uint32_t)seeded_below(seeded, TABLED_METHODS);
    self->depth = 1 + (uint32_t)seeded_below(seeded, 2) * (TABLED_DEPTH - 1);
    tabled_current = self;
    tabled_told.SampledObjectAlloc(&tabled_jvmti, &tabled_jni, (jthread)(void *)self,
                                   (jobject)(void *)&object, (jclass)(uintptr_t) class,
                                   (jlong)size);
    return object.weak;
}

#endif
