/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* What the VM tells: samples, threads, collections, the end of memory. */
#include <sched.h>

#include "fake_life.h"
#include "hs_vm.h"

enum { HOT = 24 };

/* ---- the sweeper ---- */

uint64_t life_rounds(void) {
    return hs_vm_sampler() == NULL ? 0 : atomic_load(&hs_vm_sampler()->sweeper.rounds);
}

void life_await_sweeper(uint64_t rounds_before) {
    const struct hs_sampler *sampler = hs_vm_sampler();
    while (sampler != NULL && sampler->sweeper.is_running && life_rounds() == rounds_before &&
           atomic_load(&sampler->sweeper.order) == HS_SWEEPER_RUN) {
        sched_yield();
    }
}

void life_collect(void) {
    uint64_t rounds_before = life_rounds();
    if (fake_jvmti() != NULL && !fake_jvmti()->is_disposed) {
        fake_collection();
        life_await_sweeper(rounds_before);
    }
}

/* ---- events ---- */

bool life_gives(jvmtiEvent event) {
    return fake_jvmti() != NULL && fake_jvmti()->is_enabled[event];
}

void life_exhaust(void) {
    if (life_gives(JVMTI_EVENT_RESOURCE_EXHAUSTED)) {
        life_before();
        fake_jvmti()->callbacks.ResourceExhausted((jvmtiEnv *)(void *)fake_jvmti(), fake_main_env(),
                                                  3, NULL, "Java heap space");
        life_after("ResourceExhausted", NULL);
    }
}

void life_start_thread(struct fake_object *object) {
    if (life_gives(JVMTI_EVENT_THREAD_START)) {
        jobject thread = fake_new_ref(FAKE_LOCAL, object);
        life_before();
        fake_jvmti()->callbacks.ThreadStart((jvmtiEnv *)(void *)fake_jvmti(), fake_own_env(),
                                            thread);
        cr_assert_not(fake_env->is_pending);
        life_after("ThreadStart", NULL);
        fake_delete_ref(thread, FAKE_LOCAL);
    }
}

/* ---- System.gc() ---- */

typedef void JNICALL gc_function(JNIEnv *, jobject);
typedef jlong long_native(JNIEnv *, jclass);
typedef jstring call_native(JNIEnv *, jclass, jlong, jlongArray);

static uint32_t collections_made;

/* What the VM has bound as Runtime.gc; NULL before the first call. Once bound it stays, as in the VM. */
static gc_function *bound;

static void JNICALL make_collection(JNIEnv *jni, jobject runtime) {
    cr_assert_eq(jni, fake_own_env());
    cr_assert_eq(runtime, (jobject)fake_class("java/lang/Runtime"));
    collections_made++;
}

static void JNICALL lookup_found(JNIEnv *jni, jobject runtime) {
    (void)jni;
    (void)runtime;
    cr_assert_fail("another agent has replaced it");
}

/* Reports another method first. Another agent has replaced what the VM has found. */
static gc_function *bind(void) {
    void *next = (void *)make_collection;
    struct fake_jvmti *one = fake_jvmti_of(JVMTI_EVENT_NATIVE_METHOD_BIND);
    if (one != NULL) {
        jvmtiEnv *jvmti = (jvmtiEnv *)(void *)one;
        one->callbacks.NativeMethodBind(jvmti, fake_own_env(), NULL,
                                        (jmethodID)(void *)&FAKE_METHODS[IS_NATIVE],
                                        (void *)lookup_found, &next);
        cr_assert_eq(next, (void *)make_collection, "that is no call of ours");
        one->callbacks.NativeMethodBind(jvmti, fake_own_env(), NULL,
                                        (jmethodID)(void *)&FAKE_RUNTIME_GC, (void *)lookup_found,
                                        &next);
        cr_assert_neq(next, (void *)make_collection);
    }
    return (gc_function *)next;
}

static void call_gc(void) {
    uint32_t before = collections_made;
    life_before();
    bound = bound == NULL ? bind() : bound;
    bound(fake_own_env(), (jobject)fake_class("java/lang/Runtime"));
    cr_assert_eq(collections_made, before + 1,
                 "the call itself is made once, also when something fails");
    cr_assert_not(fake_env->is_pending);
    life_after("Runtime.gc", NULL);
}

static void check_call(jlong number) {
    jlong times[2] = {-1, -1};
    struct fake_object object = {.data = times, .room = times, .length = 2, .is_kept = true};
    jobject array = fake_new_ref(FAKE_LOCAL, &object);
    life_before();
    jstring text = ((call_native *)fake_native("gcCall"))(fake_main_env(), NULL, number, array);
    if (life.is_whole) {
        cr_assert_str_eq(fake_object_of(text)->text,
                         "shop.Item.price:10\nshop.Item.price:10\nshop.Cart.add:11\n"
                         "shop.Main.main:12");
        cr_assert(times[0] >= times[1] && times[1] >= 0);
    }
    life_after("gcCall", text);
    fake_delete_ref(array, FAKE_LOCAL);
}

void life_call_gc(void) {
    if (hs_vm_sampler() == NULL) {
        return;
    }
    long_native *count = (long_native *)fake_native("gcCalls");
    jlong before = count(fake_main_env(), NULL);
    life_stand(IN_DEEP);
    call_gc();
    jlong calls = count(fake_main_env(), NULL) - before;
    bool is_ours = bound != make_collection; /* not if a fault had the VM bind it without us */
    cr_assert(calls == 1 || (calls == 0 && !(life.is_whole && is_ours)));
    if (calls == 1) {
        check_call(before);
    }
    struct fake_object object;
    jobject array = fake_new_ref(FAKE_LOCAL, &object);
    cr_assert_null(
        ((call_native *)fake_native("gcCall"))(fake_main_env(), NULL, before + calls, array));
    fake_delete_ref(array, FAKE_LOCAL);
}

void life_call_gc_unseen(void) {
    uint64_t calls = fake_plan->calls;
    if (bound != NULL) {
        call_gc();
        cr_assert_eq(fake_plan->calls, calls, "the VM is not called");
    }
}

/* `object`: NULL for none. */
static void sample_object(enum fake_class class, jlong size, struct fake_object *thread,
                          struct fake_object *object) {
    if (!life_gives(JVMTI_EVENT_SAMPLED_OBJECT_ALLOC)) {
        return;
    }
    jobject references[] = {thread == NULL ? NULL : fake_new_ref(FAKE_LOCAL, thread),
                            object == NULL ? NULL : fake_new_ref(FAKE_LOCAL, object),
                            fake_new_ref(FAKE_LOCAL, &FAKE_CLASSES[class])};
    life_before();
    fake_jvmti()->callbacks.SampledObjectAlloc((jvmtiEnv *)(void *)fake_jvmti(), fake_own_env(),
                                               references[0], references[1], references[2], size);
    cr_assert_not(fake_env->is_pending, "a callback left an exception");
    life_after("SampledObjectAlloc", NULL);
    for (size_t i = 0; i < sizeof references / sizeof references[0]; i++) {
        fake_delete_ref(references[i], FAKE_LOCAL);
    }
    bool is_sampling =
        hs_vm_sampler() != NULL && atomic_load(&hs_vm_sampler()->intake.session) != NULL;
    life.fired += is_sampling && thread != NULL;
}

void life_sample(enum fake_class class, jlong size, struct fake_object *thread, bool is_garbage) {
    struct fake_object *object = fake_new_object();
    object->is_kept = !is_garbage;
    sample_object(class, size, thread, object);
}

void life_sample_value(bool is_early) {
    struct fake_object *object = fake_new_object();
    object->is_value = true;
    sample_object(CLASS_CART, 24, &FAKE_PLATFORM_THREAD, is_early ? object : NULL);
    life.values++;
}

#define STACK(frames) \
    { frames, sizeof(frames) / sizeof((frames)[0]) }

void life_stand(enum life_stack stack) {
    static const struct fake_frame CART[] = {{IS_ADD, 6}, {IS_MAIN, 30}};
    static const struct fake_frame DEEP[] = {
        {IS_NATIVE, -1}, {IS_PRICE, 0}, {IS_PRICE, 21}, {IS_ADD, 6}, {IS_MAIN, 30}};
    static const struct fake_frame CUT[] = {
        {IS_PRICE, 1}, {IS_PRICE, 2}, {IS_PRICE, 3}, {IS_PRICE, 4}, {IS_PRICE, 5},
        {IS_PRICE, 6}, {IS_PRICE, 7}, {IS_PRICE, 8}, {IS_PRICE, 9}, {IS_MAIN, 30}};
    static const struct fake_frame OWN[] = {{IS_OWN, 3}, {IS_MAIN, 30}};
    static const struct fake_frame LAST[] = {{IS_ADD, 20}, {IS_MAIN, 40}};
    static const struct {
        const struct fake_frame *frames;
        uint32_t count;
    } STACKS[] = {[IN_CART] = STACK(CART),
                  [IN_DEEP] = STACK(DEEP),
                  [IN_CUT] = STACK(CUT),
                  [IN_OWN_CODE] = STACK(OWN),
                  [IN_LAST] = STACK(LAST)};
    fake_set_stack(STACKS[stack].frames, STACKS[stack].count);
}

void life_sample_hot(void) {
    life_stand(IN_CART);
    for (int i = 0; i < HOT; i++) {
        life_sample(CLASS_CART, 24, &FAKE_PLATFORM_THREAD, i % 2 == 0);
        if (i == 6) {
            fake_redefine(true);
            life_sample(CLASS_CART, 24, &FAKE_PLATFORM_THREAD, true);
            fake_redefine(false);
        }
    }
}

void life_sample_new(void) {
    life_stand(IN_DEEP);
    life_sample(CLASS_BYTES, 4096, &FAKE_PLATFORM_THREAD, true);
    life_sample(CLASS_BYTES, 4096, &FAKE_PLATFORM_THREAD, false);
    life_stand(IN_CUT);
    life_sample(CLASS_ITEM, 32, &FAKE_VIRTUAL_THREAD, false);
    life_stand(IN_OWN_CODE);
    life_sample(CLASS_ITEM, 32, &FAKE_PLATFORM_THREAD, false);
    life_change_facade(1);
    life_sample(CLASS_ITEM, 32, &FAKE_PLATFORM_THREAD, false);
    life_change_facade(-1);
    life_sample(CLASS_ITEM, 32, NULL, false);
}

void life_sample_first(void) {
    life_sample(CLASS_BYTES, 48, &FAKE_OTHER_THREAD, false);
    life_sample(CLASS_BYTES, 48, &FAKE_OTHER_THREAD, false);
}
