/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* libhschaos.so: a JVMTI agent like those that an application may have beside HeapSampler. Loaded by
 * -agentpath, it listens to every event that does not slow the JVM down tenfold and counts them
 * (with the option "samples" to none, and with "owns" to samples alone, from the start);
 * chaos.NativeAgent tells it to take the allocation samples, and to give them back. */
#include <malloc.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

#include "../rival/rival.h"

enum { SIGNALS = 64 };

static _Atomic jlong events; /* of all sorts */
static _Atomic jlong tags;   /* given to objects */

static void count(void) {
    atomic_fetch_add_explicit(&events, 1, memory_order_relaxed);
}

/* ---- events ---- */

static void JNICALL on_thread(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread) {
    (void)jvmti;
    (void)jni;
    (void)thread;
    count();
}

static void JNICALL on_class(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread, jclass class) {
    (void)jni;
    (void)thread;
    char *signature;
    if ((*jvmti)->GetClassSignature(jvmti, class, &signature, NULL) == JVMTI_ERROR_NONE) {
        (void)(*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
    }
    count();
}

static void JNICALL on_class_file(jvmtiEnv *jvmti, JNIEnv *jni, jclass old, jobject loader,
                                  const char *name, jobject domain, jint length,
                                  const unsigned char *bytes, jint *new_length,
                                  unsigned char **new_bytes) {
    (void)jvmti;
    (void)jni;
    (void)old;
    (void)loader;
    (void)name;
    (void)domain;
    (void)length;
    (void)bytes;
    (void)new_length;
    (void)new_bytes;
    count();
}

static void JNICALL on_pause(jvmtiEnv *jvmti) {
    (void)jvmti;
    count();
}

static void JNICALL on_freed(jvmtiEnv *jvmti, jlong tag) {
    (void)jvmti;
    (void)tag;
    count();
}

static void JNICALL on_compiled(jvmtiEnv *jvmti, jmethodID method, jint size, const void *address,
                                jint map_length, const jvmtiAddrLocationMap *map,
                                const void *info) {
    (void)jvmti;
    (void)method;
    (void)size;
    (void)address;
    (void)map_length;
    (void)map;
    (void)info;
    count();
}

static void JNICALL on_vm_object(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread, jobject object,
                                 jclass class, jlong size) {
    (void)jni;
    (void)thread;
    (void)class;
    (void)size;
    (void)(*jvmti)->SetTag(jvmti, object, atomic_fetch_add(&tags, 1) + 1);
    count();
}

static void JNICALL on_monitor(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread, jobject object) {
    (void)jvmti;
    (void)jni;
    (void)thread;
    (void)object;
    count();
}

/* ---- loading as an agent ---- */

static const jvmtiEvent WANTED[] = {
    JVMTI_EVENT_THREAD_START,
    JVMTI_EVENT_THREAD_END,
    JVMTI_EVENT_CLASS_PREPARE,
    JVMTI_EVENT_CLASS_FILE_LOAD_HOOK,
    JVMTI_EVENT_GARBAGE_COLLECTION_START,
    JVMTI_EVENT_GARBAGE_COLLECTION_FINISH,
    JVMTI_EVENT_OBJECT_FREE,
    JVMTI_EVENT_COMPILED_METHOD_LOAD,
    JVMTI_EVENT_VM_OBJECT_ALLOC,
    JVMTI_EVENT_MONITOR_CONTENDED_ENTER,
    JVMTI_EVENT_MONITOR_CONTENDED_ENTERED,
};

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved) {
    (void)reserved;
    jvmtiCapabilities capabilities = {
        .can_tag_objects = 1,
        .can_generate_all_class_hook_events = 1,
        .can_generate_garbage_collection_events = 1,
        .can_generate_object_free_events = 1,
        .can_generate_compiled_method_load_events = 1,
        .can_generate_vm_object_alloc_events = 1,
        .can_generate_monitor_events = 1,
        .can_get_line_numbers = 1,
        .can_get_source_file_name = 1,
    };
    jvmtiEventCallbacks callbacks = {
        .ThreadStart = on_thread,
        .ThreadEnd = on_thread,
        .ClassPrepare = on_class,
        .ClassFileLoadHook = on_class_file,
        .GarbageCollectionStart = on_pause,
        .GarbageCollectionFinish = on_pause,
        .ObjectFree = on_freed,
        .CompiledMethodLoad = on_compiled,
        .VMObjectAlloc = on_vm_object,
        .MonitorContendedEnter = on_monitor,
        .MonitorContendedEntered = on_monitor,
    };
    if (rival_set_up(vm, &capabilities, callbacks) != JNI_OK) {
        return JNI_ERR;
    }
    if (options != NULL && strcmp(options, "samples") == 0) {
        return JNI_OK;
    }
    if (options != NULL && strcmp(options, "owns") == 0) {
        return rival_take_sampling(NULL, NULL) == JVMTI_ERROR_NONE ? JNI_OK : JNI_ERR;
    }
    for (size_t i = 0; i < sizeof WANTED / sizeof WANTED[0]; i++) {
        if ((*rival)->SetEventNotificationMode(rival, JVMTI_ENABLE, WANTED[i], NULL) !=
            JVMTI_ERROR_NONE) {
            return JNI_ERR;
        }
    }
    return JNI_OK;
}

/* ---- chaos.NativeAgent ---- */

static jlong JNICALL events_seen(JNIEnv *jni, jclass self) {
    (void)jni;
    (void)self;
    return atomic_load(&events);
}

/* What the system would do with each signal: two numbers for each, from signal 1 on. */
static jlongArray JNICALL signal_handlers(JNIEnv *jni, jclass self) {
    (void)self;
    jlong values[2 * SIGNALS] = {0};
    for (int i = 0; i < SIGNALS; i++) {
        struct sigaction action;
        if (sigaction(i + 1, NULL, &action) == 0) {
            values[2 * i] = (jlong)(uintptr_t)action.sa_handler; /* a union with sa_sigaction */
            values[2 * i + 1] = action.sa_flags;
        }
    }
    jlongArray array = (*jni)->NewLongArray(jni, 2 * SIGNALS);
    if (array != NULL) {
        (*jni)->SetLongArrayRegion(jni, array, 0, 2 * SIGNALS, values);
    }
    return array;
}

/* What malloc has given and not got back, in all arenas; -1 where the C library does not tell. */
static jlong JNICALL malloc_bytes(JNIEnv *jni, jclass self) {
    (void)jni;
    (void)self;
#ifdef __GLIBC__
#if __GLIBC_PREREQ(2, 33)
    struct mallinfo2 info = mallinfo2();
    return (jlong)(info.uordblks + info.hblkhd);
#endif
#endif
    return -1;
}

static const JNINativeMethod METHODS[] = {
    RIVAL_METHOD("events", "()J", events_seen),
    RIVAL_METHOD("samples", "()J", rival_samples),
    RIVAL_METHOD("takeSampling", "()I", rival_take_sampling),
    RIVAL_METHOD("giveSamplingBack", "()I", rival_give_sampling_back),
    RIVAL_METHOD("mallocBytes", "()J", malloc_bytes),
    RIVAL_METHOD("signalHandlers", "()[J", signal_handlers),
};

JNIEXPORT jint JNICALL JNI_OnLoad(JavaVM *vm, void *reserved) {
    (void)reserved;
    jint count = (jint)(sizeof METHODS / sizeof METHODS[0]);
    return rival_bind(vm, "chaos/NativeAgent", METHODS, count);
}
