/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_vm.h"

#include <pthread.h>
#include <string.h>

#include "hs_intake_sample.h"
#include "hs_vm_classes.h"
#include "hs_vm_counts.h"
#include "hs_vm_discover.h"
#include "hs_vm_events.h"
#include "hs_vm_gc_calls.h"
#include "hs_vm_heap.h"
#include "hs_vm_stack.h"
#include "hs_vm_thread.h"
#include "hs_vm_traits.h"
#include "hs_vm_values.h"

/* Held while a user comes or goes: an agent that attaches does not wait for a class loader. No Java
 * code runs under it. Before every hs_lock. */
static pthread_mutex_t door = PTHREAD_MUTEX_INITIALIZER;

/* One per library. What is below `users` is written behind the door, before events are requested, and
 * constant while `is_open` is set. A callback of an earlier life may still be on its way out, beyond all
 * patience: so whatever it could look at stays valid. */
static struct {
    _Atomic bool is_open;
    uint32_t users;   /* see hs_vm_open; behind the door */
    bool has_sampler; /* initialised, for good */
    JavaVM *vm;
    jvmtiEnv *jvmti;              /* one that was given back answers so */
    struct hs_vm_classes classes; /* for good, once they were found */
    struct hs_vm_heap heap;
    _Atomic bool has_discovered; /* it was found out whether stacks can be looked up */
    char own_package[256];
    size_t own_bytes;
    struct hs_sampler sampler;
} state;

struct hs_sampler *hs_vm_sampler(void) {
    /* acquire: pairs with the release in set_up. */
    bool is_open = atomic_load_explicit(&state.is_open, memory_order_acquire);
    return is_open ? &state.sampler : NULL;
}

struct hs_intake *hs_vm_intake(void) {
    return &state.sampler.intake;
}

/* ---- what the intake queries about a sample ---- */

/* A sample as the VM reports it. Its parts are set one by one: the text is large, and seldom needed. */
struct vm_report {
    struct hs_report report;
    JNIEnv *jni;
    jthread thread;
    jobject object;
    jclass class;
    struct hs_vm_access vm; /* from `begin` on */
    struct hs_vm_text text; /* the name of the class, where it has no number */
};

static struct vm_report *vm_report_of(struct hs_report *report) {
    return (struct vm_report *)(void *)report;
}

/* In place: a sample has no time to fill it elsewhere and copy it. */
static void fill_access(struct hs_vm_access *vm, JNIEnv *jni, struct hs_thread_state *self) {
    struct hs_intake *intake = &state.sampler.intake;
    uint64_t enable = atomic_load_explicit(&intake->enable, memory_order_relaxed);
    vm->jvmti = state.jvmti;
    vm->jni = jni;
    vm->feature = state.sampler.traits.feature;
    vm->own_package = state.own_package;
    vm->own_bytes = state.own_bytes;
    vm->lookup = &intake->lookup;
    vm->self = self;
    vm->java_thread_field = state.classes.java_thread;
    vm->virtual_class = state.classes.virtual;
    vm->random = 0;
    vm->epoch = enable << 32 | hs_epochs_collections(intake->epochs);
}

void hs_vm_access_of(JNIEnv *jni, struct hs_vm_access *access) {
    fill_access(access, jni, NULL);
}

static void begin(struct hs_report *report, struct hs_thread_state *self) {
    struct vm_report *mine = vm_report_of(report);
    fill_access(&mine->vm, mine->jni, self);
}

static bool is_due(struct hs_report *report, struct hs_bias *bias, uint32_t drawn) {
    struct vm_report *mine = vm_report_of(report);
    return hs_vm_is_due(&mine->vm, bias, mine->thread, mine->object, report->size, drawn);
}

static enum hs_status name_class(struct hs_report *report, struct hs_store *store,
                                 struct hs_intake_class *class) {
    struct vm_report *mine = vm_report_of(report);
    enum hs_status status =
        hs_vm_class_name(&mine->vm, store, mine->class, report->size, &class->name, &mine->text);
    class->text = mine->text.text;
    class->bytes = (uint32_t)mine->text.bytes;
    return status;
}

/* The fields of classes are kept for good, so this works in every state. */
int64_t hs_vm_thread_id(JNIEnv *jni, jobject thread) {
    jfieldID field = state.classes.thread_id;
    return field == NULL ? -1 : (*jni)->GetLongField(jni, thread, field);
}

static int64_t thread_id(struct hs_report *report) {
    struct vm_report *mine = vm_report_of(report);
    return hs_vm_thread_id(mine->jni, mine->thread);
}

static enum hs_status find_stack(struct hs_report *report, struct hs_store *store, uint32_t random,
                                 bool inside_facade, struct hs_intake_stack *found) {
    struct vm_report *mine = vm_report_of(report);
    mine->vm.random = random;
    return hs_vm_find_stack(&mine->vm, store, mine->thread, inside_facade, found);
}

static enum hs_status number_thread(struct hs_report *report, struct hs_store *store,
                                    int64_t java_thread, struct hs_thread_id *id) {
    struct vm_report *mine = vm_report_of(report);
    return hs_vm_thread(&mine->vm, store, mine->thread, java_thread, id);
}

static hs_ref new_ref(struct hs_report *report, enum hs_drop *cause) {
    struct vm_report *mine = vm_report_of(report);
    jweak ref = (*mine->jni)->NewWeakGlobalRef(mine->jni, mine->object);
    if (ref == NULL) {
        *cause = hs_vm_why_no_reference(state.jvmti, mine->jni);
    }
    return (hs_ref)ref;
}

static void release_ref(struct hs_report *report, hs_ref ref) {
    JNIEnv *jni = vm_report_of(report)->jni;
    (*jni)->DeleteWeakGlobalRef(jni, (jweak)ref);
}

static const struct hs_intake_ops INTAKE_OPS = {
    .begin = begin,
    .is_due = is_due,
    .thread_id = thread_id,
    .name_class = name_class,
    .find_stack = find_stack,
    .number_thread = number_thread,
    .new_ref = new_ref,
    .release = release_ref,
};

/* ---- callbacks ---- */

static void JNICALL on_sample(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread, jobject object,
                              jclass class, jlong size) {
    (void)jvmti;
    struct vm_report report;
    report.report = (struct hs_report){
        .size = (uint64_t)size, .has_thread = thread != NULL, .has_object = object != NULL};
    report.jni = jni;
    report.thread = thread;
    report.object = object;
    report.class = class;
    hs_intake_sample(&state.sampler.intake, &INTAKE_OPS, &report.report);
}

static void JNICALL on_thread_start(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread) {
    (void)jvmti;
    /* A virtual thread has no step of its own; some JDKs may tell of it here nevertheless. */
    if (state.classes.virtual == NULL ||
        !(*jni)->IsInstanceOf(jni, thread, state.classes.virtual)) {
        hs_intake_thread(&state.sampler.intake);
    }
}

/* On the VM thread, inside the pause: a counter and a signal, nothing else. */
static void JNICALL on_pause_start(jvmtiEnv *jvmti) {
    (void)jvmti;
    hs_epochs_pause(&state.sampler.liveness.epochs);
}

static void JNICALL on_pause_finish(jvmtiEnv *jvmti) {
    (void)jvmti;
    hs_sweeper_wake(&state.sampler.sweeper);
}

static void JNICALL on_vm_death(jvmtiEnv *jvmti, JNIEnv *jni) {
    (void)jvmti;
    (void)jni;
    hs_sampler_vm_death(&state.sampler);
}

/* On the thread that ran out, before it learns so. */
static void JNICALL on_exhausted(jvmtiEnv *jvmti, JNIEnv *jni, jint flags, const void *reserved,
                                 const char *description) {
    (void)jvmti;
    (void)reserved;
    hs_sampler_exhausted(&state.sampler, jni, description,
                         (flags & JVMTI_RESOURCE_EXHAUSTED_JAVA_HEAP) != 0);
}

/* ---- what the core requests ---- */

static bool is_cleared(void *env, hs_ref ref) {
    JNIEnv *jni = env;
    return (*jni)->IsSameObject(jni, (jobject)ref, NULL);
}

static void release(void *env, hs_ref ref) {
    JNIEnv *jni = env;
    (*jni)->DeleteWeakGlobalRef(jni, (jweak)ref);
}

static hs_ref new_garbage(void *env) {
    JNIEnv *jni = env;
    jobject object = (*jni)->AllocObject(jni, state.classes.object);
    jweak ref = object == NULL ? NULL : (*jni)->NewWeakGlobalRef(jni, object);
    if (ref == NULL) {
        (*jni)->ExceptionClear(jni);
    }
    (*jni)->DeleteLocalRef(jni, object);
    return (hs_ref)ref;
}

static uint32_t unused_heap(void *env) {
    (void)env;
    return hs_vm_unused_heap(&state.heap);
}

static void *attach(void) {
    return hs_vm_attach(state.vm);
}

static void detach(void) {
    (void)(*state.vm)->DetachCurrentThread(state.vm);
}

static void disable(void) {
    hs_vm_sampling_off(state.jvmti);
}

static enum hs_status claim(int32_t *error) {
    return hs_vm_sampling_claim(state.jvmti, error);
}

static enum hs_status enable(uint32_t interval, int32_t *error) {
    return hs_vm_sampling_on(state.jvmti, interval, error);
}

static void set_interval(uint32_t interval) {
    (void)(*state.jvmti)->SetHeapSamplingInterval(state.jvmti, (jint)interval);
}

static enum hs_status watch_exhaustion(bool is_wanted, int32_t *error) {
    return hs_vm_watch_exhaustion(state.jvmti, is_wanted, error);
}

static void force_collection(void) {
    (void)(*state.jvmti)->ForceGarbageCollection(state.jvmti);
}

static const struct hs_ops OPS = {
    .is_cleared = is_cleared,
    .release = release,
    .new_garbage = new_garbage,
    .unused_heap = unused_heap,
    .attach = attach,
    .detach = detach,
    .claim = claim,
    .enable = enable,
    .disable = disable,
    .set_interval = set_interval,
    .watch_exhaustion = watch_exhaustion,
    .force_collection = force_collection,
};

static const jvmtiEventCallbacks CALLBACKS = {
    .SampledObjectAlloc = on_sample,
    .ThreadStart = on_thread_start,
    .GarbageCollectionStart = on_pause_start,
    .GarbageCollectionFinish = on_pause_finish,
    .VMDeath = on_vm_death,
    .ResourceExhausted = on_exhausted,
};

/* ---- looking stacks up ---- */

static bool property_is(const char *name, const char *wanted) {
    char *value;
    if ((*state.jvmti)->GetSystemProperty(state.jvmti, name, &value) != JVMTI_ERROR_NONE) {
        return false;
    }
    bool is = strcmp(value, wanted) == 0;
    (void)(*state.jvmti)->Deallocate(state.jvmti, (unsigned char *)value);
    return is;
}

void hs_vm_prepare_lookup(JNIEnv *jni, bool is_wanted, bool verifies_all) {
    struct hs_vm_access vm;
    fill_access(&vm, jni, NULL);
    const char *reason = hs_vm_read_layout(&vm);
    if (atomic_exchange_explicit(&state.has_discovered, true, memory_order_acq_rel)) {
        return;
    }
    if (reason == NULL) {
        reason = hs_vm_discover(&vm, is_wanted, verifies_all);
    }
    if (reason != NULL) {
        hs_lookup_off(&state.sampler.intake.lookup, reason);
    }
}

void hs_vm_prepare_lookup_as_told(JNIEnv *jni) {
    hs_vm_prepare_lookup(jni, !property_is("heapsampler.fastStacks", "off"),
                         property_is("heapsampler.verifyStacks", "1"));
}

void hs_vm_remove_label_orphans(JNIEnv *jni) {
    hs_label_sets_remove_orphans(&state.sampler.intake.phaser, &OPS, jni);
}

/* ---- life ---- */

static void end(JNIEnv *jni) {
    hs_vm_gc_calls_off();
    hs_sampler_destroy(&state.sampler, jni);
    atomic_store_explicit(&state.is_open, false, memory_order_release);
    (void)(*state.jvmti)->DisposeEnvironment(state.jvmti);
}

static bool join_others(void) {
    bool is_there = state.is_open && state.users > 0;
    state.users += is_there;
    return is_there;
}

/* Takes the classes, unless some are in use since before. */
static void keep_classes(struct hs_vm_classes *found) {
    if (state.classes.object == NULL) {
        state.classes = *found;
        *found = (struct hs_vm_classes){0};
    }
}

static enum hs_status set_up(JavaVM *vm, JNIEnv *jni, const char *package,
                             struct hs_vm_classes *found) {
    if (state.is_open) {
        end(jni); /* after an unload that the VM gave no JNIEnv for */
    }
    jvmtiEnv *jvmti = NULL;
    if ((*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_11) != JNI_OK || jvmti == NULL) {
        return HS_UNSUPPORTED;
    }
    enum hs_status status = HS_OK;
    if (!state.has_sampler) {
        /* Once: a late callback of an earlier life may still look at it, and it is empty again. */
        status = hs_sampler_init(&state.sampler, &OPS);
        state.has_sampler = status == HS_OK;
    }
    keep_classes(found);
    state.vm = vm;
    hs_vm_find_heap((const void *)(uintptr_t)(*jvmti)->GetStackTrace, &state.heap);
    state.own_bytes = strlen(package) < sizeof state.own_package ? strlen(package) : 0;
    memcpy(state.own_package, package, state.own_bytes);
    if (status == HS_OK && !hs_vm_events_on(jvmti, &CALLBACKS)) {
        status = HS_JVMTI;
    }
    if (status != HS_OK) {
        (void)(*jvmti)->DisposeEnvironment(jvmti);
        return status;
    }
    hs_vm_want_values(jvmti);
    state.jvmti = jvmti;
    state.users = 1;
    hs_vm_gc_calls_on(vm, state.classes.runtime_gc);
    /* release: a thread that sees it open sees all of the above. */
    atomic_store_explicit(&state.is_open, true, memory_order_release);
    return HS_OK;
}

enum hs_status hs_vm_open(JavaVM *vm, JNIEnv *jni, const char *package) {
    (void)pthread_mutex_lock(&door);
    bool is_joined = join_others();
    bool has_classes = state.classes.object != NULL;
    (void)pthread_mutex_unlock(&door);
    if (is_joined) {
        return HS_OK;
    }
    struct hs_vm_classes found = {0};
    /* In front of the door: a class loader may run Java code, which may load another copy. */
    enum hs_status status = has_classes || hs_vm_find_classes(jni, &found) ? HS_OK : HS_NO_MEMORY;
    (void)pthread_mutex_lock(&door);
    if (status == HS_OK && !join_others()) {
        status = set_up(vm, jni, package, &found);
    }
    (void)pthread_mutex_unlock(&door);
    hs_vm_forget_classes(jni, &found);
    return status;
}

void hs_vm_close(JNIEnv *jni) {
    (void)pthread_mutex_lock(&door);
    if (state.is_open && state.users > 0) {
        state.users--;
        if (state.users == 0 && jni != NULL) {
            end(jni);
        } else if (jni != NULL) {
            hs_sampler_release_orphans(&state.sampler, jni);
        }
        if (jni != NULL) {
            hs_vm_remove_label_orphans(jni);
        }
    }
    (void)pthread_mutex_unlock(&door);
}

void hs_vm_traits(struct hs_vm_traits *traits, uint64_t *garbage_bytes) {
    hs_vm_read_traits(state.jvmti, traits, garbage_bytes);
}
