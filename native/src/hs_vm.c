/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_vm.h"

#include <pthread.h>
#include <string.h>

#include "hs_clock.h"
#include "hs_step.h"
#include "hs_vm_classes.h"
#include "hs_vm_counts.h"
#include "hs_vm_discover.h"
#include "hs_vm_events.h"
#include "hs_vm_room.h"
#include "hs_vm_stack.h"
#include "hs_vm_thread.h"
#include "hs_vm_traits.h"
#include "hs_vm_values.h"

/* Held while somebody comes or goes: an agent that attaches does not wait for a class loader. No Java
 * code runs under it. Before every hs_lock. */
static pthread_mutex_t door = PTHREAD_MUTEX_INITIALIZER;

/* One per library. What stands below `users` is written behind the door, before events are asked for, and
 * constant while `is_open` is set. A callback of an earlier life may still be on its way out, beyond all
 * patience: so whatever it could look at stays valid. */
static struct {
    _Atomic bool is_open;
    uint32_t users;   /* see hs_vm_open; behind the door */
    bool has_sampler; /* initialised, for good */
    JavaVM *vm;
    jvmtiEnv *jvmti;              /* one that was given back answers so */
    struct hs_vm_classes classes; /* for good, once they were found */
    struct hs_vm_room room;
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

/* ---- callbacks ---- */

static struct hs_vm_access access_of(JNIEnv *jni, struct hs_step *step) {
    uint32_t generation = atomic_load_explicit(&state.sampler.generation, memory_order_relaxed);
    return (struct hs_vm_access){
        .jvmti = state.jvmti,
        .jni = jni,
        .feature = state.sampler.traits.feature,
        .own_package = state.own_package,
        .own_bytes = state.own_bytes,
        .lookup = &state.sampler.lookup,
        .step = step,
        .java_thread_field = state.classes.java_thread,
        .epoch = (uint64_t)generation << 32 | hs_epochs_collections(&state.sampler.census.epochs),
        .virtual_class = state.classes.virtual,
    };
}

static void track(const struct hs_session *session, struct hs_event *event, JNIEnv *jni,
                  jobject object) {
    if (object == NULL) {
        hs_session_drop(session, event, HS_DROP_VALUE_OBJECT);
        return;
    }
    if (!hs_live_wants(session->store->live, event->size, event->random)) {
        hs_session_drop(session, event, HS_DROP_THINNED);
        return;
    }
    jweak ref = (*jni)->NewWeakGlobalRef(jni, object);
    if (ref == NULL) {
        hs_session_drop(session, event, hs_vm_why_no_reference(state.jvmti, jni));
        return;
    }
    hs_ref spare = hs_session_track(session, event, (hs_ref)ref);
    if (spare != 0) {
        (*jni)->DeleteWeakGlobalRef(jni, (jweak)spare);
    }
    if (hs_held_take_due(hs_live_held(session->store->live))) {
        hs_sweeper_wake(&state.sampler.sweeper);
    }
}

/* Counts what is not known of the event that is counted all the same. */
static void count_gaps(const struct hs_session *session, const struct hs_event *event,
                       const struct hs_vm_stack *found) {
    if (found->is_missing) {
        hs_session_drop(session, event, HS_DROP_NO_STACK);
    }
    if (found->is_truncated) {
        hs_session_drop(session, event, HS_DROP_TRUNCATED);
    }
    if (found->is_shortened) {
        hs_session_drop(session, event, HS_DROP_STACKS_FULL);
    }
    if (found->lacks_names || event->class_name == 0) {
        hs_session_drop(session, event, HS_DROP_NAMES_FULL);
    }
}

/* The event is wanted: walk, count, track. */
static void record(const struct hs_session *session, const struct hs_vm_access *vm,
                   struct hs_event *event, jthread thread, jobject object) {
    struct hs_vm_stack found;
    hs_live_prefetch(session->store->live);
    bool inside_facade =
        atomic_load_explicit(&state.sampler.facade_calls, memory_order_relaxed) > 0;
    enum hs_status walked = hs_vm_find_stack(vm, session->store, thread, inside_facade, &found);
    if (walked == HS_OWN) {
        hs_session_drop(session, event, HS_DROP_OWN);
        return;
    }
    if (walked == HS_NO_MEMORY || event->named == HS_NO_MEMORY) {
        hs_session_drop(session, event, HS_DROP_NATIVE_MEMORY);
        return;
    }
    count_gaps(session, event, &found);
    bool threads_full;
    event->thread = hs_vm_thread(vm, session->store, thread, event->java_thread, &threads_full);
    if (threads_full) {
        hs_session_drop(session, event, HS_DROP_THREADS_FULL);
    }
    hs_session_count(session, event, found.stack);
    if (event->recordings != 0) {
        track(session, event, vm->jni, object);
    }
}

/* A sample point that a thread had before this enable: may it be passed, or be another agent's? */
static bool doubts_old_points(struct hs_sampler *sampler) {
    return sampler->counts_always ||
           atomic_load_explicit(&sampler->has_rival, memory_order_relaxed);
}

/* Answers whether it was a sample: one that no session wants is one, too. */
static bool see(struct hs_session *session, struct hs_step *step, JNIEnv *jni, jthread thread,
                jobject object, jclass class, jlong size) {
    struct hs_sampler *sampler = &state.sampler;
    struct hs_vm_access vm = access_of(jni, step);
    bool is_late;
    /* First of all, since the VM has drawn the next step a moment ago. */
    uint32_t drawn = hs_step_reach(
        step, atomic_load_explicit(&sampler->generation, memory_order_relaxed),
        hs_interval_drawn(&sampler->interval, sampler->ops), doubts_old_points(sampler), &is_late);
    bool is_counted = sampler->strategy.kind != HS_BY_ALLOCATIONS;
    struct hs_bias *bias = is_counted ? session->store->bias : NULL;
    if (!sampler->counts_always &&
        !hs_vm_is_due(&vm, bias, thread, object, (uint64_t)size, drawn) && !is_late) {
        return false; /* as if the VM had not reported it; a late one is dropped below, and counted */
    }
    if (thread == NULL || !hs_sampler_picks(sampler, session, step, (uint64_t)size, &drawn)) {
        return false; /* JDK 21: the Thread object of a native thread that is just being attached */
    }
    hs_tally_add(&sampler->seen, step->stripe);
    struct hs_vm_text text;
    uint32_t class_name;
    enum hs_status named =
        hs_vm_class_name(&vm, session->store, class, (uint64_t)size, &class_name, &text);
    struct hs_event event = {
        .now_us = hs_clock_monotonic_us(),
        .java_thread = state.classes.thread_id == NULL
                           ? -1
                           : (*jni)->GetLongField(jni, thread, state.classes.thread_id),
        .size = (uint64_t)size,
        .drawn = drawn,
        .named = named,
        .class_name = class_name,
        .class_text = text.text,
        .class_bytes = (uint32_t)text.bytes,
        .birth = hs_epochs_now(&sampler->census.epochs),
        .random = hs_step_random(step),
        .stripe = step->stripe,
    };
    enum hs_drop cause = HS_DROP_PHANTOM;
    if (!hs_session_match(session, &event)) {
        return true;
    }
    if (is_late || !hs_sampler_keeps(sampler, event.now_us, event.size, &event.drawn, &cause)) {
        hs_session_drop(session, &event, cause);
        return true;
    }
    if (sampler->strategy.kind == HS_BY_BYTES) {
        event.density = step->density;
    }
    vm.random = event.random;
    record(session, &vm, &event, thread, object);
    return true;
}

/* No memory to know this thread's step: the sample is lost to every recording. */
static void count_lost(struct hs_sampler *sampler) {
    struct hs_event everyone = {.recordings = UINT64_MAX};
    uint32_t token = hs_phaser_enter(&sampler->phaser, 0);
    const struct hs_session *session =
        atomic_load_explicit(&sampler->session, memory_order_seq_cst);
    if (session != NULL) {
        hs_session_drop(session, &everyone, HS_DROP_NATIVE_MEMORY);
    }
    hs_phaser_exit(&sampler->phaser, token);
}

static void JNICALL on_sample(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread, jobject object,
                              jclass class, jlong size) {
    (void)jvmti;
    struct hs_sampler *sampler = &state.sampler;
    struct hs_step *step = hs_step_current();
    if (step == NULL) {
        count_lost(sampler);
        return;
    }
    uint32_t generation = atomic_load_explicit(&sampler->generation, memory_order_relaxed);
    if (step->is_hidden ||
        hs_step_passes_over(step, generation, hs_interval_is_every(&sampler->interval))) {
        return;
    }
    int64_t began_ns = 0;
    bool is_measured = hs_cost_begin(&sampler->cost, &began_ns);
    uint32_t token = hs_phaser_enter(&sampler->phaser, step->stripe);
    /* seq_cst: after entering, pairs with the exchange in hs_sampler.c. */
    struct hs_session *session = atomic_load_explicit(&sampler->session, memory_order_seq_cst);
    bool is_sample = session != NULL && see(session, step, jni, thread, object, class, size);
    if (is_measured && is_sample && hs_store_tells_that_it_fills_up(session->store)) {
        hs_sweeper_wake(&sampler->sweeper);
    }
    hs_phaser_exit(&sampler->phaser, token);
    if (is_measured && is_sample) {
        hs_cost_end(&sampler->cost, began_ns);
    } else if (is_measured) {
        hs_cost_pass_on(&sampler->cost);
    }
}

static void JNICALL on_thread_start(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread) {
    (void)jvmti;
    /* A virtual thread has no step of its own; some JDKs may tell of it here all the same. */
    if (state.classes.virtual != NULL && (*jni)->IsInstanceOf(jni, thread, state.classes.virtual)) {
        return;
    }
    atomic_fetch_add_explicit(&state.sampler.births, 1, memory_order_relaxed);
    /* While sampling is off, only existing records are renewed: a record that is made later starts right. */
    bool is_on = atomic_load_explicit(&state.sampler.session, memory_order_seq_cst) != NULL;
    struct hs_step *step = is_on ? hs_step_current() : hs_step_known();
    if (step != NULL) {
        hs_step_begin(step, atomic_load_explicit(&state.sampler.generation, memory_order_relaxed),
                      hs_interval_before(&state.sampler.interval));
    }
}

/* On the VM thread, inside the pause: a counter and a signal, nothing else. */
static void JNICALL on_pause_start(jvmtiEnv *jvmti) {
    (void)jvmti;
    hs_epochs_pause(&state.sampler.census.epochs);
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

/* ---- what the core asks for ---- */

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
    return hs_vm_unused_heap(&state.room);
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
    struct hs_vm_access vm = access_of(jni, NULL);
    const char *reason = hs_vm_read_layout(&vm);
    if (atomic_exchange_explicit(&state.has_discovered, true, memory_order_acq_rel)) {
        return;
    }
    if (reason == NULL) {
        reason = hs_vm_discover(&vm, is_wanted, verifies_all);
    }
    if (reason != NULL) {
        hs_lookup_off(&state.sampler.lookup, reason);
    }
}

void hs_vm_prepare_lookup_as_told(JNIEnv *jni) {
    hs_vm_prepare_lookup(jni, !property_is("heapsampler.fastStacks", "off"),
                         property_is("heapsampler.verifyStacks", "1"));
}

/* ---- life ---- */

static void end(JNIEnv *jni) {
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
    hs_vm_find_room((const void *)(uintptr_t)(*jvmti)->GetStackTrace, &state.room);
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
    /* release: whoever sees it open sees all of the above. */
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
    }
    (void)pthread_mutex_unlock(&door);
}

void hs_vm_traits(struct hs_vm_traits *traits, uint64_t *held_bytes) {
    hs_vm_read_traits(state.jvmti, traits, held_bytes);
}
