/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Copies of the Java classes and an agent come and go on threads of their own: each that has been counted
 * finds the engine open, the strategy in force is that of the open recordings, and when all have
 * left, everything is given back. The VM is the few functions that opening and closing call; what all others do
 * is for fault_vm. */
#include <sched.h>

#include "crew.h"
#include "hs_mem.h"
#include "hs_vm.h"

enum { THREADS = 2, ROUNDS = 100000, RECORD_EVERY = 256 };

/* An environment that stays (hs_vm_gc_calls.h). */
enum { KEPT = 1 };

static _Atomic long globals; /* references */
static _Atomic long weaks;
static _Atomic long environments;
static _Atomic long attached;
static _Atomic long recorded;
static _Atomic bool is_over;
static jvmtiEventCallbacks
    told; /* of the first environment; later ones in its place have the same */
static const struct JNINativeInterface_ *jni_table;
static const struct jvmtiInterface_1_ *jvmti_table;
static int object; /* what all references lead to, except for those to classes */

/* ---- JNI ---- */

static jclass JNICALL find(JNIEnv *jni, const char *name) {
    (void)jni;
    (void)name;
    return (jclass)(void *)&object;
}

/* Memory of its own, so that what is used after its end shows. */
static jobject JNICALL new_global(JNIEnv *jni, jobject ref) {
    (void)jni;
    int *made = malloc(sizeof *made);
    HS_CHECK(made != NULL && ref == (jobject)(void *)&object);
    *made = 1;
    globals++;
    return (jobject)(void *)made;
}

static void JNICALL delete_global(JNIEnv *jni, jobject ref) {
    (void)jni;
    globals -= ref != NULL;
    free((void *)ref);
}

static jboolean JNICALL is_instance(JNIEnv *jni, jobject ref, jclass class) {
    (void)jni;
    HS_CHECK(ref != NULL && *(const int *)(const void *)class == 1);
    return JNI_FALSE;
}

static jobject JNICALL alloc(JNIEnv *jni, jclass class) {
    (void)jni;
    HS_CHECK(*(const int *)(const void *)class == 1);
    return (jobject)(void *)&object;
}

static jweak JNICALL new_weak(JNIEnv *jni, jobject ref) {
    (void)jni;
    weaks++;
    return ref;
}

static void JNICALL delete_weak(JNIEnv *jni, jweak ref) {
    (void)jni;
    HS_CHECK(ref != NULL);
    weaks--;
}

static jboolean JNICALL is_same(JNIEnv *jni, jobject a, jobject b) {
    (void)jni;
    return a == b;
}

static void JNICALL delete_local(JNIEnv *jni, jobject ref) {
    (void)jni;
    (void)ref;
}

static void JNICALL clear(JNIEnv *jni) {
    (void)jni;
}

static jfieldID JNICALL get_field(JNIEnv *jni, jclass class, const char *name, const char *type) {
    (void)jni;
    (void)class;
    (void)name;
    (void)type;
    return (jfieldID)(void *)&object;
}

static jmethodID JNICALL get_method(JNIEnv *jni, jclass class, const char *name, const char *type) {
    (void)jni;
    (void)class;
    (void)name;
    (void)type;
    return (jmethodID)(void *)&object;
}

static const struct JNINativeInterface_ JNI = {
    .FindClass = find,
    .NewGlobalRef = new_global,
    .DeleteGlobalRef = delete_global,
    .DeleteLocalRef = delete_local,
    .ExceptionClear = clear,
    .GetFieldID = get_field,
    .GetMethodID = get_method,
    .IsInstanceOf = is_instance,
    .AllocObject = alloc,
    .NewWeakGlobalRef = new_weak,
    .DeleteWeakGlobalRef = delete_weak,
    .IsSameObject = is_same,
};

/* ---- JVMTI ---- */

static jvmtiError JNICALL capabilities(jvmtiEnv *jvmti, const jvmtiCapabilities *wanted) {
    (void)jvmti;
    (void)wanted;
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL set_callbacks(jvmtiEnv *jvmti, const jvmtiEventCallbacks *callbacks,
                                        jint bytes) {
    (void)jvmti;
    (void)bytes;
    if (told.ThreadStart == NULL) {
        told = *callbacks;
    }
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL set_mode(jvmtiEnv *jvmti, jvmtiEventMode mode, jvmtiEvent event,
                                   jthread thread, ...) {
    (void)jvmti;
    (void)mode;
    (void)event;
    (void)thread;
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL set_interval(jvmtiEnv *jvmti, jint interval) {
    (void)jvmti;
    (void)interval;
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL dispose(jvmtiEnv *jvmti) {
    free(jvmti);
    environments--;
    return JVMTI_ERROR_NONE;
}

/* So the version is not known. */
static jvmtiError JNICALL no_property(jvmtiEnv *jvmti, const char *key, char **value) {
    (void)jvmti;
    (void)key;
    (void)value;
    return JVMTI_ERROR_NOT_AVAILABLE;
}

static const struct jvmtiInterface_1_ JVMTI = {
    .AddCapabilities = capabilities,
    .RelinquishCapabilities = capabilities,
    .SetEventCallbacks = set_callbacks,
    .SetEventNotificationMode = set_mode,
    .SetHeapSamplingInterval = set_interval,
    .DisposeEnvironment = dispose,
    .GetSystemProperty = no_property,
};

/* Memory of its own, so that what is used after its end shows. */
static jint JNICALL get_env(JavaVM *vm, void **env, jint version) {
    (void)vm;
    cr_assert_eq(version, JVMTI_VERSION_11);
    const struct jvmtiInterface_1_ **made = malloc(sizeof(void *));
    HS_CHECK(made != NULL);
    *made = jvmti_table;
    *env = (void *)made;
    environments++;
    return JNI_OK;
}

static jint JNICALL attach(JavaVM *vm, void **env, void *arguments) {
    (void)vm;
    (void)arguments;
    *env = &jni_table;
    attached++;
    return JNI_OK;
}

static jint JNICALL detach(JavaVM *vm) {
    (void)vm;
    attached--;
    return JNI_OK;
}

static const struct JNIInvokeInterface_ INVOKE = {
    .GetEnv = get_env, .AttachCurrentThreadAsDaemon = attach, .DetachCurrentThread = detach};

/* ---- those who come and go ---- */

static const struct JNIInvokeInterface_ *vm = &INVOKE;

/* Each has a strategy of its own. Every second hold is left to the last that leaves. */
static void record(int number, bool closes) {
    static const struct hs_hold HOLD = {.interval = 4096, .name = "recorder"};
    static const struct hs_limits LIMITS = {.depth = 8,
                                            .tracked = 16,
                                            .stacks = 16,
                                            .names = 16,
                                            .sites = 16,
                                            .threads = 16,
                                            .dead = 16};
    static const struct hs_vm_traits TRAITS = {.collector = HS_G1, .feature = 21};
    struct hs_sampler *sampler = hs_vm_sampler();
    struct hs_strategy mine = {HS_BY_TIME, 1000 + (uint64_t)number};
    struct hs_config_version config_version = {0};
    struct hs_hold_id id = {0};
    enum hs_status status =
        hs_sampler_configure(sampler, &jni_table, &LIMITS, &mine, &TRAITS, &config_version);
    (void)sched_yield(); /* the other's turn */
    if (status == HS_OK) {
        status = hs_sampler_hold(sampler, &jni_table, config_version, 4096, &HOLD, &id);
    }
    HS_CHECK(status == HS_OK || status == HS_BUSY || status == HS_STUCK || status == HS_CHANGED);
    if (status == HS_OK) {
        int64_t values[HS_STATUS_VALUES];
        hs_sampler_status(sampler, values);
        recorded++;
        HS_CHECK(values[HS_FIGURES + 6] == (int64_t)mine.amount);
        if (closes) {
            bool is_closed;
            HS_CHECK(hs_sampler_release(sampler, &jni_table, id, &is_closed) == HS_OK && is_closed);
        }
    }
}

static void come_and_go(int number) {
    for (int i = 0; i < ROUNDS; i++) {
        HS_CHECK(hs_vm_open(&vm, &jni_table, "io.heapsampler") == HS_OK);
        HS_CHECK(hs_vm_sampler() != NULL);
        HS_CHECK(atomic_load(&environments) == 1 + KEPT);
        if (i % RECORD_EVERY == 0) {
            record(number, i % (2 * RECORD_EVERY) == 0);
        }
        hs_vm_close(&jni_table);
    }
    is_over = true;
}

/* Threads of the application begin: the VM has called before an environment was given back, and the callback
 * is under way while that is done. */
static void begin_threads(int number) {
    (void)number;
    while (!is_over) {
        told.ThreadStart(NULL, &jni_table, (jthread)(void *)&object);
    }
}

Test(stress_vm, a_counted_user_finds_it_open_and_the_last_one_ends_it) {
    crew_work *const works[THREADS + 1] = {come_and_go, come_and_go, begin_threads};
    jni_table = &JNI;
    jvmti_table = &JVMTI;
    cr_assert_eq(hs_vm_open(&vm, &jni_table, "io.heapsampler"), HS_OK);
    hs_vm_close(&jni_table);
    size_t before = hs_mem_used();
    crew_each(THREADS + 1, works);
    cr_assert_null(hs_vm_sampler());
    cr_assert_eq(globals, 2, "%ld global references; two classes are kept for good", globals);
    cr_assert_eq(weaks, 0, "%ld weak references", weaks);
    cr_assert_eq(environments, KEPT, "%ld environments", environments);
    cr_assert_eq(attached, 0, "%ld threads", attached);
    cr_assert_eq(hs_mem_used(), before);
    cr_assert_gt(recorded, 0);
}
