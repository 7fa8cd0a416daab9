/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* The native half of io.heapsampler.bench.Native.
 *
 * The bare price: what a sample costs with the public interface alone. The callback walks the stack,
 * makes a weak reference and deletes the one it made RING samples ago; nothing is inspected, named,
 * counted or kept. With weak references one thread samples at a time, since `bare.ring` is not locked. Without them
 * threads may sample at once; then some samples are not counted.
 *
 * The watch: measures every callback of another library in one thread. It puts itself between the
 * JVM and a library that is loaded later, by replacing SetEventCallbacks in the function table that
 * all environments share.
 *
 * Clocks and counters that Java does not offer. */
#include <jni.h>
#include <jvmti.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

enum { RING = 65536, DEPTH = 128, DEFAULT_INTERVAL = 512 * 1024 };

/* What the callback does: the same numbers as in Native. */
enum { EMPTY = 0, WALK = 1, ALL = 2 };

static struct {
    jvmtiEnv *jvmti;
    jint work;
    /* These two: written in callbacks, read when they are over; relaxed, load and store apart. */
    _Atomic jlong samples;
    _Atomic jlong frames; /* of the last stack */
    jweak ring[RING];
} bare;

enum { WINDOWS = 4, CALLBACKS = 1 << 20, MAX_NANOS = (1 << 30) - 1 };

static struct {
    jvmtiError(JNICALL *set_event_callbacks)(jvmtiEnv *, const jvmtiEventCallbacks *, jint);
    jvmtiEventSampledObjectAlloc watched;
    _Atomic int window; /* where callbacks are noted; 0: nowhere */
    int counts[WINDOWS];
    /* Nanoseconds; the sign bit: the scheduler took the processor away; the next: it waited. */
    uint32_t callbacks[WINDOWS][CALLBACKS];
} watch;

static _Thread_local int is_watched;

static jlong nanos(clockid_t clock) {
    struct timespec t;
    return clock_gettime(clock, &t) == 0 ? (jlong)t.tv_sec * 1000000000 + t.tv_nsec : 0;
}

static void JNICALL watched_sample(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread, jobject object,
                                   jclass class, jlong size) {
    int window = is_watched ? watch.window : 0;
    if (window == 0) {
        watch.watched(jvmti, jni, thread, object, class, size);
        return;
    }
    struct rusage before = {0};
    struct rusage after = {0};
    (void)getrusage(RUSAGE_THREAD, &before);
    jlong began = nanos(CLOCK_MONOTONIC);
    watch.watched(jvmti, jni, thread, object, class, size);
    jlong took = nanos(CLOCK_MONOTONIC) - began;
    (void)getrusage(RUSAGE_THREAD, &after);
    if (window == watch.window && watch.counts[window] < CALLBACKS) {
        uint32_t note = took < MAX_NANOS ? (uint32_t)took : MAX_NANOS;
        note |= after.ru_nivcsw != before.ru_nivcsw ? UINT32_C(1) << 31 : 0;
        note |= after.ru_nvcsw != before.ru_nvcsw ? UINT32_C(1) << 30 : 0;
        watch.callbacks[window][watch.counts[window]++] = note;
    }
}

static jvmtiError JNICALL set_event_callbacks(jvmtiEnv *jvmti, const jvmtiEventCallbacks *callbacks,
                                              jint size) {
    jvmtiEventCallbacks mine = {0};
    memcpy(&mine, callbacks, (size_t)size < sizeof mine ? (size_t)size : sizeof mine);
    if (mine.SampledObjectAlloc != NULL) {
        watch.watched = mine.SampledObjectAlloc;
        mine.SampledObjectAlloc = watched_sample;
    }
    return watch.set_event_callbacks(jvmti, &mine, (jint)sizeof mine);
}

/* Before the library to watch is loaded. */
JNIEXPORT void JNICALL Java_io_heapsampler_bench_Native_watchNextLibrary(JNIEnv *jni,
                                                                         jclass class) {
    (void)jni;
    (void)class;
    struct jvmtiInterface_1_ *table = (struct jvmtiInterface_1_ *)*bare.jvmti;
    watch.set_event_callbacks = table->SetEventCallbacks;
    table->SetEventCallbacks = set_event_callbacks;
}

/* Watches the callbacks of the calling thread. */
JNIEXPORT void JNICALL Java_io_heapsampler_bench_Native_watchThread(JNIEnv *jni, jclass class) {
    (void)jni;
    (void)class;
    is_watched = 1;
}

/* Notes callbacks in this window from now on; those under way at a change are not noted. */
JNIEXPORT void JNICALL Java_io_heapsampler_bench_Native_window(JNIEnv *jni, jclass class,
                                                               jint window) {
    (void)jni;
    (void)class;
    watch.window = window;
}

/* What was noted in a window. */
JNIEXPORT jintArray JNICALL Java_io_heapsampler_bench_Native_callbacks(JNIEnv *jni, jclass class,
                                                                       jint window) {
    (void)class;
    jintArray result = (*jni)->NewIntArray(jni, watch.counts[window]);
    if (result != NULL) {
        (*jni)->SetIntArrayRegion(jni, result, 0, watch.counts[window],
                                  (const jint *)watch.callbacks[window]);
    }
    return result;
}

static void JNICALL on_sample(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread, jobject object,
                              jclass class, jlong size) {
    (void)thread;
    (void)class;
    (void)size;
    jvmtiFrameInfo frames[DEPTH];
    jint count = 0;
    if (bare.work >= WALK &&
        (*jvmti)->GetStackTrace(jvmti, NULL, 0, DEPTH, frames, &count) == JVMTI_ERROR_NONE) {
        atomic_store_explicit(&bare.frames, count, memory_order_relaxed);
    }
    jlong samples = atomic_load_explicit(&bare.samples, memory_order_relaxed);
    if (bare.work >= ALL) {
        jweak *place = &bare.ring[samples % RING];
        if (*place != NULL) {
            (*jni)->DeleteWeakGlobalRef(jni, *place);
        }
        *place = (*jni)->NewWeakGlobalRef(jni, object);
    }
    atomic_store_explicit(&bare.samples, samples + 1, memory_order_relaxed);
}

JNIEXPORT jint JNICALL JNI_OnLoad(JavaVM *vm, void *reserved) {
    (void)reserved;
    jvmtiEventCallbacks callbacks = {.SampledObjectAlloc = on_sample};
    if ((*vm)->GetEnv(vm, (void **)&bare.jvmti, JVMTI_VERSION_11) != JNI_OK ||
        (*bare.jvmti)->SetEventCallbacks(bare.jvmti, &callbacks, (jint)sizeof callbacks) !=
            JVMTI_ERROR_NONE) {
        return JNI_ERR;
    }
    return JNI_VERSION_1_8;
}

static jvmtiError turn(jvmtiEventMode mode) {
    return (*bare.jvmti)
        ->SetEventNotificationMode(bare.jvmti, mode, JVMTI_EVENT_SAMPLED_OBJECT_ALLOC, NULL);
}

/* Samples at this interval, 0: every allocation. Answers a jvmtiError. */
JNIEXPORT jint JNICALL Java_io_heapsampler_bench_Native_start(JNIEnv *jni, jclass class, jint work,
                                                              jint interval) {
    (void)jni;
    (void)class;
    jvmtiCapabilities sampling = {.can_generate_sampled_object_alloc_events = 1};
    bare.work = work;
    jvmtiError error = (*bare.jvmti)->AddCapabilities(bare.jvmti, &sampling);
    if (error == JVMTI_ERROR_NONE) {
        error = (*bare.jvmti)->SetHeapSamplingInterval(bare.jvmti, interval);
    }
    if (error == JVMTI_ERROR_NONE) {
        error = turn(JVMTI_ENABLE);
    }
    return (jint)error;
}

JNIEXPORT void JNICALL Java_io_heapsampler_bench_Native_stop(JNIEnv *jni, jclass class) {
    (void)jni;
    (void)class;
    jvmtiCapabilities sampling = {.can_generate_sampled_object_alloc_events = 1};
    (void)turn(JVMTI_DISABLE);
    (void)(*bare.jvmti)->SetHeapSamplingInterval(bare.jvmti, DEFAULT_INTERVAL);
    (void)(*bare.jvmti)->RelinquishCapabilities(bare.jvmti, &sampling);
}

JNIEXPORT jlong JNICALL Java_io_heapsampler_bench_Native_samples(JNIEnv *jni, jclass class) {
    (void)jni;
    (void)class;
    return atomic_load_explicit(&bare.samples, memory_order_relaxed);
}

JNIEXPORT jlong JNICALL Java_io_heapsampler_bench_Native_frames(JNIEnv *jni, jclass class) {
    (void)jni;
    (void)class;
    return atomic_load_explicit(&bare.frames, memory_order_relaxed);
}

JNIEXPORT jlong JNICALL Java_io_heapsampler_bench_Native_threadCpuNanos(JNIEnv *jni, jclass class) {
    (void)jni;
    (void)class;
    return nanos(CLOCK_THREAD_CPUTIME_ID);
}

JNIEXPORT jlong JNICALL Java_io_heapsampler_bench_Native_processCpuNanos(JNIEnv *jni,
                                                                         jclass class) {
    (void)jni;
    (void)class;
    return nanos(CLOCK_PROCESS_CPUTIME_ID);
}

/* Bytes that malloc keeps free in its arenas. They are resident, apart from those that it has never given out. */
JNIEXPORT jlong JNICALL Java_io_heapsampler_bench_Native_mallocFreeBytes(JNIEnv *jni,
                                                                         jclass class) {
    (void)jni;
    (void)class;
    return (jlong)mallinfo2().fordblks;
}
