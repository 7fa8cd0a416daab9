/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* libhstest.so, the native half of the Java tests (io.heapsampler.heapmonitor.Native): objects that
 * JNI allocates, and an agent of its own that competes for the sampling capability, redefines classes
 * and listens to other events. Every method answers a JVMTI error number where it can fail; nothing
 * is thrown but what JNI throws. */
#include <stdatomic.h>
#include <stdbool.h>
#include <time.h>

#include "../rival/rival.h"

static _Atomic jlong vm_objects;          /* seen through VMObjectAlloc */
static _Atomic(jmethodID) counted_method; /* of the compilations() that runs now */
static _Atomic jint counted_versions;     /* of it */

/* ---- objects made by JNI ---- */

static jobject JNICALL new_object(JNIEnv *jni, jclass self, jclass class) {
    (void)self;
    jmethodID constructor = (*jni)->GetMethodID(jni, class, "<init>", "()V");
    return constructor == NULL ? NULL : (*jni)->NewObject(jni, class, constructor);
}

static jobject JNICALL alloc_object(JNIEnv *jni, jclass self, jclass class) {
    (void)self;
    return (*jni)->AllocObject(jni, class);
}

static jbyteArray JNICALL new_byte_array(JNIEnv *jni, jclass self, jint length) {
    (void)self;
    return (*jni)->NewByteArray(jni, length);
}

static jobjectArray JNICALL new_object_array(JNIEnv *jni, jclass self, jclass class, jint length) {
    (void)self;
    return (*jni)->NewObjectArray(jni, length, class, NULL);
}

static jstring JNICALL new_string(JNIEnv *jni, jclass self, jint length) {
    static const jchar LETTERS[] = {'h', 'e', 'a', 'p', 's', 'a', 'm', 'p', 'l', 'e', 'r'};
    (void)self;
    jint most = (jint)(sizeof LETTERS / sizeof LETTERS[0]);
    return (*jni)->NewString(jni, LETTERS, length < most ? length : most);
}

/* ---- a JNI critical section ---- */

static _Atomic bool is_critical;  /* one is open */
static _Atomic bool may_be_ended; /* the thread inside is to leave it */

enum { CRITICAL_MS = 20000 };

/* Nothing but the clock in between: JNI allows no calls there. It ends by itself, for no other thread can
 * enter a critical section, or load a class, once a collection waits for this one. */
static void JNICALL stay_critical(JNIEnv *jni, jclass self, jbyteArray array) {
    (void)self;
    atomic_store(&may_be_ended, false);
    void *bytes = (*jni)->GetPrimitiveArrayCritical(jni, array, NULL);
    if (bytes == NULL) {
        return;
    }
    atomic_store(&is_critical, true);
    for (int i = 0; i < CRITICAL_MS && !atomic_load(&may_be_ended); i++) {
        struct timespec moment = {.tv_nsec = 1000000};
        (void)nanosleep(&moment, NULL);
    }
    atomic_store(&is_critical, false);
    (*jni)->ReleasePrimitiveArrayCritical(jni, array, bytes, JNI_ABORT);
}

static jboolean JNICALL is_in_critical(JNIEnv *jni, jclass self) {
    (void)jni;
    (void)self;
    return atomic_load(&is_critical);
}

static void JNICALL end_critical(JNIEnv *jni, jclass self) {
    (void)jni;
    (void)self;
    atomic_store(&may_be_ended, true);
}

/* ---- other events ---- */

static void JNICALL on_vm_object(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread, jobject object,
                                 jclass class, jlong size) {
    (void)jvmti;
    (void)jni;
    (void)thread;
    (void)object;
    (void)class;
    (void)size;
    atomic_fetch_add(&vm_objects, 1);
}

static jint JNICALL listen_to_vm_objects(JNIEnv *jni, jclass self, jboolean is_on) {
    (void)jni;
    (void)self;
    return (jint)(*rival)->SetEventNotificationMode(rival, is_on ? JVMTI_ENABLE : JVMTI_DISABLE,
                                                    JVMTI_EVENT_VM_OBJECT_ALLOC, NULL);
}

static jlong JNICALL vm_objects_seen(JNIEnv *jni, jclass self) {
    (void)jni;
    (void)self;
    return atomic_load(&vm_objects);
}

static void JNICALL on_compiled(jvmtiEnv *jvmti, jmethodID method, jint size, const void *address,
                                jint map_length, const jvmtiAddrLocationMap *map,
                                const void *info) {
    (void)jvmti;
    (void)size;
    (void)address;
    (void)map_length;
    (void)map;
    (void)info;
    if (method == atomic_load(&counted_method)) {
        atomic_fetch_add(&counted_versions, 1);
    }
}

/* How many compiled versions of a method there are now; below 0: a JVMTI error. */
static jint JNICALL compilations(JNIEnv *jni, jclass self, jobject method) {
    (void)self;
    atomic_store(&counted_method, (*jni)->FromReflectedMethod(jni, method));
    atomic_store(&counted_versions, 0);
    jvmtiError error = (*rival)->SetEventNotificationMode(rival, JVMTI_ENABLE,
                                                          JVMTI_EVENT_COMPILED_METHOD_LOAD, NULL);
    if (error == JVMTI_ERROR_NONE) {
        error = (*rival)->GenerateEvents(rival, JVMTI_EVENT_COMPILED_METHOD_LOAD);
        (void)(*rival)->SetEventNotificationMode(rival, JVMTI_DISABLE,
                                                 JVMTI_EVENT_COMPILED_METHOD_LOAD, NULL);
    }
    return error == JVMTI_ERROR_NONE ? atomic_load(&counted_versions) : -(jint)error;
}

static jint JNICALL redefine(JNIEnv *jni, jclass self, jclass class, jbyteArray bytes) {
    (void)self;
    jbyte *content = (*jni)->GetByteArrayElements(jni, bytes, NULL);
    if (content == NULL) {
        return JVMTI_ERROR_OUT_OF_MEMORY;
    }
    jvmtiClassDefinition definition = {
        .klass = class,
        .class_byte_count = (*jni)->GetArrayLength(jni, bytes),
        .class_bytes = (const unsigned char *)content,
    };
    jvmtiError error = (*rival)->RedefineClasses(rival, 1, &definition);
    (*jni)->ReleaseByteArrayElements(jni, bytes, content, JNI_ABORT);
    return (jint)error;
}

/* ---- loading ---- */

static const JNINativeMethod METHODS[] = {
    RIVAL_METHOD("newObject", "(Ljava/lang/Class;)Ljava/lang/Object;", new_object),
    RIVAL_METHOD("allocObject", "(Ljava/lang/Class;)Ljava/lang/Object;", alloc_object),
    RIVAL_METHOD("newByteArray", "(I)[B", new_byte_array),
    RIVAL_METHOD("newObjectArray", "(Ljava/lang/Class;I)[Ljava/lang/Object;", new_object_array),
    RIVAL_METHOD("newString", "(I)Ljava/lang/String;", new_string),
    RIVAL_METHOD("stayCritical", "([B)V", stay_critical),
    RIVAL_METHOD("isCritical", "()Z", is_in_critical),
    RIVAL_METHOD("endCritical", "()V", end_critical),
    RIVAL_METHOD("takeSampling", "()I", rival_take_sampling),
    RIVAL_METHOD("giveSamplingBack", "()I", rival_give_sampling_back),
    RIVAL_METHOD("sampledByOther", "()J", rival_samples),
    RIVAL_METHOD("listenToVmObjects", "(Z)I", listen_to_vm_objects),
    RIVAL_METHOD("vmObjectsSeen", "()J", vm_objects_seen),
    RIVAL_METHOD("compilations", "(Ljava/lang/reflect/Executable;)I", compilations),
    RIVAL_METHOD("redefine", "(Ljava/lang/Class;[B)I", redefine),
};

static jint set_up_agent(JavaVM *vm) {
    jvmtiCapabilities wanted = {
        .can_redefine_classes = 1,
        .can_generate_vm_object_alloc_events = 1,
        .can_generate_compiled_method_load_events = 1,
    };
    jvmtiEventCallbacks callbacks = {
        .VMObjectAlloc = on_vm_object,
        .CompiledMethodLoad = on_compiled,
    };
    return rival_set_up(vm, &wanted, callbacks);
}

JNIEXPORT jint JNICALL JNI_OnLoad(JavaVM *vm, void *reserved) {
    (void)reserved;
    jint count = (jint)(sizeof METHODS / sizeof METHODS[0]);
    return set_up_agent(vm) == JNI_OK
               ? rival_bind(vm, "io/heapsampler/heapmonitor/Native", METHODS, count)
               : JNI_ERR;
}
