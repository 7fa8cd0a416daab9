/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* The native half of io.heapsampler.bench.NativeTools: what HeapSampler is compared with.
 *
 * The empty callback: the price of the JVM's own way to a sample.
 *
 * The minimal agent: what JEP 331 describes and most agents do. The callback walks the stack, copies
 * it, makes a weak reference and puts both into a table under one lock; the first sample after a
 * collection looks through the table and lets the dead go. Nothing is named or counted.
 *
 * The forced interval: some profilers have a smallest interval that is too great to measure with, or
 * round the one requested. All environments share one function table, so that SetHeapSamplingInterval
 * can be replaced for whatever library calls it. */
#include <jni.h>
#include <jvmti.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH = 128, TRACKED = 65536, DEFAULT_INTERVAL = 512 * 1024, COUNTERS = 64, LINE = 64 };

/* Without work, and with; the same numbers as in NativeTools. */
enum { EMPTY = 0, MINIMAL = 1 };

struct tracked {
    jweak object;
    jlong size;
    jint count;
    jvmtiFrameInfo *frames;
};

static struct {
    jvmtiEnv *jvmti;
    jint work;
    jint depth;
    pthread_mutex_t lock; /* guards what follows it */
    jlong samples;
    jlong deepest; /* frames of the deepest stack since the start */
    int used;
    struct tracked table[TRACKED];
} agent = {.depth = DEPTH, .lock = PTHREAD_MUTEX_INITIALIZER};

static atomic_bool has_collected;

/* Samples of the empty callback, a line for each thread as long as there are enough. */
static struct { _Alignas(LINE) atomic_long samples; } counters[COUNTERS];
static atomic_uint threads;
static _Thread_local unsigned my_counter = COUNTERS;

static atomic_long forced_interval = -1;
static jvmtiError(JNICALL *set_interval)(jvmtiEnv *, jint);

static void count(void) {
    if (my_counter == COUNTERS) {
        my_counter = atomic_fetch_add(&threads, 1) % COUNTERS;
    }
    atomic_fetch_add_explicit(&counters[my_counter].samples, 1, memory_order_relaxed);
}

/* Lets the dead go. The caller holds the lock. */
static void compact(JNIEnv *jni) {
    int kept = 0;
    for (int i = 0; i < agent.used; i++) {
        struct tracked *entry = &agent.table[i];
        if ((*jni)->IsSameObject(jni, entry->object, NULL)) {
            (*jni)->DeleteWeakGlobalRef(jni, entry->object);
            free(entry->frames);
        } else {
            agent.table[kept++] = *entry;
        }
    }
    agent.used = kept;
}

static void track(JNIEnv *jni, jobject object, jlong size, const jvmtiFrameInfo *frames,
                  jint frame_count) {
    jweak weak = (*jni)->NewWeakGlobalRef(jni, object);
    size_t bytes = (size_t)frame_count * sizeof *frames;
    jvmtiFrameInfo *copy = malloc(bytes == 0 ? 1 : bytes);
    if (weak == NULL || copy == NULL) {
        free(copy);
        return;
    }
    memcpy(copy, frames, bytes);
    (void)pthread_mutex_lock(&agent.lock);
    if (atomic_exchange(&has_collected, false)) {
        compact(jni);
    }
    agent.samples++;
    agent.deepest = frame_count > agent.deepest ? frame_count : agent.deepest;
    if (agent.used < TRACKED) {
        struct tracked entry = {weak, size, frame_count, copy};
        agent.table[agent.used++] = entry;
        copy = NULL;
        weak = NULL;
    }
    (void)pthread_mutex_unlock(&agent.lock);
    if (weak != NULL) {
        (*jni)->DeleteWeakGlobalRef(jni, weak);
        free(copy);
    }
}

static void JNICALL on_sample(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread, jobject object,
                              jclass class, jlong size) {
    (void)thread;
    (void)class;
    if (agent.work == EMPTY) {
        count();
        return;
    }
    jvmtiFrameInfo frames[DEPTH];
    jint frame_count = 0;
    if ((*jvmti)->GetStackTrace(jvmti, NULL, 0, agent.depth, frames, &frame_count) ==
        JVMTI_ERROR_NONE) {
        track(jni, object, size, frames, frame_count);
    }
}

static void JNICALL on_collected(jvmtiEnv *jvmti) {
    (void)jvmti;
    atomic_store(&has_collected, true);
}

static jvmtiError turn(jvmtiEventMode mode) {
    jvmtiError error =
        (*agent.jvmti)
            ->SetEventNotificationMode(agent.jvmti, mode, JVMTI_EVENT_SAMPLED_OBJECT_ALLOC, NULL);
    return error != JVMTI_ERROR_NONE || agent.work == EMPTY
               ? error
               : (*agent.jvmti)
                     ->SetEventNotificationMode(agent.jvmti, mode,
                                                JVMTI_EVENT_GARBAGE_COLLECTION_FINISH, NULL);
}

static const jvmtiCapabilities wanted = {.can_generate_sampled_object_alloc_events = 1,
                                         .can_generate_garbage_collection_events = 1};

static jvmtiError get_environment(JNIEnv *jni) {
    JavaVM *vm = NULL;
    if (agent.jvmti != NULL) {
        return JVMTI_ERROR_NONE;
    }
    if ((*jni)->GetJavaVM(jni, &vm) != JNI_OK ||
        (*vm)->GetEnv(vm, (void **)&agent.jvmti, JVMTI_VERSION_11) != JNI_OK) {
        return JVMTI_ERROR_INTERNAL;
    }
    jvmtiEventCallbacks callbacks = {.SampledObjectAlloc = on_sample,
                                     .GarbageCollectionFinish = on_collected};
    return (*agent.jvmti)->SetEventCallbacks(agent.jvmti, &callbacks, (jint)sizeof callbacks);
}

/* Answers a jvmtiError. */
JNIEXPORT jint JNICALL Java_io_heapsampler_bench_NativeTools_start(JNIEnv *jni, jclass class,
                                                                   jint work, jint interval) {
    (void)class;
    jvmtiError error = get_environment(jni);
    if (error == JVMTI_ERROR_NONE) {
        agent.work = work;
        agent.deepest = 0;
        error = (*agent.jvmti)->AddCapabilities(agent.jvmti, &wanted);
    }
    if (error == JVMTI_ERROR_NONE) {
        error = (*agent.jvmti)->SetHeapSamplingInterval(agent.jvmti, interval);
    }
    return (jint)(error == JVMTI_ERROR_NONE ? turn(JVMTI_ENABLE) : error);
}

/* Stops sampling and gives the capability back; the minimal agent lets all objects go. */
JNIEXPORT void JNICALL Java_io_heapsampler_bench_NativeTools_stop(JNIEnv *jni, jclass class) {
    (void)class;
    (void)turn(JVMTI_DISABLE);
    (void)(*agent.jvmti)->SetHeapSamplingInterval(agent.jvmti, DEFAULT_INTERVAL);
    (void)(*agent.jvmti)->RelinquishCapabilities(agent.jvmti, &wanted);
    (void)pthread_mutex_lock(&agent.lock);
    for (int i = 0; i < agent.used; i++) {
        (*jni)->DeleteWeakGlobalRef(jni, agent.table[i].object);
        free(agent.table[i].frames);
    }
    agent.used = 0;
    (void)pthread_mutex_unlock(&agent.lock);
}

/* Samples of both kinds since the library was loaded. */
JNIEXPORT jlong JNICALL Java_io_heapsampler_bench_NativeTools_samples(JNIEnv *jni, jclass class) {
    (void)jni;
    (void)class;
    jlong sum = 0;
    for (int i = 0; i < COUNTERS; i++) {
        sum += atomic_load(&counters[i].samples);
    }
    (void)pthread_mutex_lock(&agent.lock);
    sum += agent.samples;
    (void)pthread_mutex_unlock(&agent.lock);
    return sum;
}

/* Objects that the minimal agent tracks, dead ones not yet let go included. */
JNIEXPORT jlong JNICALL Java_io_heapsampler_bench_NativeTools_tracked(JNIEnv *jni, jclass class) {
    (void)jni;
    (void)class;
    (void)pthread_mutex_lock(&agent.lock);
    jlong used = agent.used;
    (void)pthread_mutex_unlock(&agent.lock);
    return used;
}

/* Frames of the deepest stack that the minimal agent has walked since it was started. */
JNIEXPORT jlong JNICALL Java_io_heapsampler_bench_NativeTools_deepest(JNIEnv *jni, jclass class) {
    (void)jni;
    (void)class;
    (void)pthread_mutex_lock(&agent.lock);
    jlong deepest = agent.deepest;
    (void)pthread_mutex_unlock(&agent.lock);
    return deepest;
}

static jvmtiError JNICALL set_forced_interval(jvmtiEnv *jvmti, jint interval) {
    long forced = atomic_load(&forced_interval);
    return set_interval(jvmti, forced < 0 ? interval : (jint)forced);
}

/* Whatever interval a library requests from now on, it gets this one; negative: what it requests. */
JNIEXPORT void JNICALL Java_io_heapsampler_bench_NativeTools_forceInterval(JNIEnv *jni,
                                                                           jclass class,
                                                                           jlong interval) {
    (void)class;
    atomic_store(&forced_interval, (long)interval);
    if (set_interval == NULL && get_environment(jni) == JVMTI_ERROR_NONE) {
        struct jvmtiInterface_1_ *table = (struct jvmtiInterface_1_ *)*agent.jvmti;
        set_interval = table->SetHeapSamplingInterval;
        table->SetHeapSamplingInterval = set_forced_interval;
    }
}
