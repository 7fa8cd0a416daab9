/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Copies of the Java classes and an agent come and go on threads of their own: whoever has been counted
 * finds the engine open, and when all have left, everything is given back. The VM is the few functions
 * that opening and closing call; what all others do is for fault_vm. */
#include "crew.h"
#include "hs_vm.h"

enum { THREADS = 2, ROUNDS = 100000 };

static _Atomic long globals; /* references */
static _Atomic long environments;
static const struct JNINativeInterface_ *jni_table;
static const struct jvmtiInterface_1_ *jvmti_table;
static int object; /* what all references lead to */

/* ---- JNI ---- */

static jclass JNICALL find(JNIEnv *jni, const char *name) {
    (void)jni;
    (void)name;
    return (jclass)(void *)&object;
}

static jobject JNICALL new_global(JNIEnv *jni, jobject ref) {
    (void)jni;
    globals++;
    return ref;
}

static void JNICALL delete_global(JNIEnv *jni, jobject ref) {
    (void)jni;
    globals -= ref != NULL;
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

static const struct JNINativeInterface_ JNI = {
    .FindClass = find,
    .NewGlobalRef = new_global,
    .DeleteGlobalRef = delete_global,
    .DeleteLocalRef = delete_local,
    .ExceptionClear = clear,
    .GetFieldID = get_field,
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
    (void)callbacks;
    (void)bytes;
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

static const struct jvmtiInterface_1_ JVMTI = {
    .AddCapabilities = capabilities,
    .RelinquishCapabilities = capabilities,
    .SetEventCallbacks = set_callbacks,
    .SetEventNotificationMode = set_mode,
    .SetHeapSamplingInterval = set_interval,
    .DisposeEnvironment = dispose,
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

static const struct JNIInvokeInterface_ INVOKE = {.GetEnv = get_env};

/* ---- those who come and go ---- */

static const struct JNIInvokeInterface_ *vm = &INVOKE;

static void come_and_go(int number) {
    (void)number;
    for (int i = 0; i < ROUNDS; i++) {
        HS_CHECK(hs_vm_open(&vm, &jni_table, "io.heapsampler") == HS_OK);
        HS_CHECK(hs_vm_sampler() != NULL);
        HS_CHECK(atomic_load(&environments) == 1);
        hs_vm_close(&jni_table);
    }
}

Test(stress_vm, whoever_is_counted_finds_it_open_and_the_last_one_ends_it) {
    jni_table = &JNI;
    jvmti_table = &JVMTI;
    crew_all(THREADS, come_and_go);
    cr_assert_null(hs_vm_sampler());
    cr_assert_eq(globals, 0, "%ld global references", globals);
    cr_assert_eq(environments, 0, "%ld environments", environments);
}
