/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* A life of the library: loaded, configured, two recordings, samples on hot and on new stacks,
 * collections, snapshots, the end. */
#include <stdio.h>

#include "fake_life.h"
#include "fault/fault.h"
#include "hs_label_map.h"
#include "hs_vm.h"
#include "jni_bindings.h"
#include "jni_engine.h"

/* java.lang.Object and BaseVirtualThread, for the life of the process. */
enum { CLASSES_KEPT = 2 };

struct life life;

/* Is the call that has failed of this function? */
static bool has_failed(const char *function) {
    return fake_plan->has_struck && strcmp(fake_plan->function, function) == 0;
}

/* A class that is bound is counted, unless there is no JVMTI; one that is refused has left nothing open
 * and gets a reason. */
static void check_counted(bool was_open) {
    bool is_open = hs_vm_sampler() != NULL;
    if (life.is_loaded) {
        cr_assert(is_open || has_failed("GetEnv (JVMTI)"), "a class is bound to nothing");
        cr_assert_not(fake_env->is_pending);
    } else {
        cr_assert_eq(is_open, was_open);
        cr_assert(fake_env->is_pending || has_failed("GetEnv (JNI)"), "refused without a reason");
    }
}

void life_load(void) {
    life.is_loaded = false;
    life.fired = 0;
    fake_forget_natives();
    bool was_open = hs_vm_sampler() != NULL;
    life_before();
    jint version = JNI_OnLoad(fake_vm(), NULL);
    life.is_loaded = version == JNI_VERSION_1_8;
    cr_assert(life.is_loaded || version == JNI_ERR);
    cr_assert(life.is_loaded || !life.is_whole);
    cr_assert(!life.is_loaded || fake_native("open") != NULL);
    check_counted(was_open);
    life_after("JNI_OnLoad", NULL);
}

void life_unload(void) {
    life_before();
    if (life.is_loaded) {
        JNI_OnUnload(fake_vm(), NULL);
        life.has_left_all = !life.had_struck && has_failed("GetEnv (JNI)");
        cr_assert_not(fake_env->is_pending);
        life_after("JNI_OnUnload", NULL);
    }
}

/* So do the map of labels, once a virtual thread had some, and the rooms to learn stacks in, once lookups were on; all of them, unless memory ran out. */
void life_check_all_is_back(size_t left) {
    size_t used = hs_mem_used() - hs_label_map_bytes() - left;
    if (life.has_left_all) {
        return; /* an unload without a JNIEnv cannot give anything back; the next load does */
    }
    cr_assert(used % sizeof(struct hs_lookup_scratch) == 0, "%zu bytes of memory", used);
    cr_assert_leq(used / sizeof(struct hs_lookup_scratch), HS_LOOKUP_ROOMS);
    cr_assert_eq(fake_refs(FAKE_WEAK), 0, "weak references");
    cr_assert_leq(fake_refs(FAKE_GLOBAL), CLASSES_KEPT, "global references");
    cr_assert_eq(fake_lent(), 0, "memory of the VM's");
    cr_assert_eq(fake_class("java/lang/System")->monitors, 0, "monitors");
    cr_assert(fake_jvmti() == NULL || fake_jvmti()->is_disposed);
}

void life_run(void (*const lives[])(void), int count) {
    bool is_short = fake_plan->is_armed && fake_plan->thread == FAKE_MEMORY;
    hs_mem_fail_at(is_short ? fake_plan->at : 0);
    for (int i = 0; i < count; i++) {
        fake_run(lives[i]);
        life_check_all_is_back(0);
    }
    fake_plan->has_struck = fake_plan->has_struck || (is_short && fault_has_struck(fake_plan->at));
}

static void run_recordings(void) {
    jint all = life_open(false);
    jint some = life_open(true);
    life_start_thread(&FAKE_PLATFORM_THREAD);
    life_start_thread(&FAKE_VIRTUAL_THREAD);
    life_sample_hot();
    life_sample_new();
    life_sample_labelled();
    life_stand(IN_DEEP);
    fake_run_beside(life_sample_first);
    life_collect();
    life_sample_hot();
    life_control_interval("setInterval", all, LIFE_INTERVAL / 2);
    life_snapshot(all, HS_AFTER_NONE.number);
    life_snapshot(all, HS_AFTER_FORCED.number);
    life_snapshot(all, life_expect_collection(all));
    life_sample_new();
    life_snapshot_with_reach(all);
    life_held_by(all);
    life_held_by_passes(all);
    life_class_loaders();
    life_control("pause", some);
    life_control("pause", all);
    life_stand(IN_LAST);
    life_sample(CLASS_CART, 24, &FAKE_PLATFORM_THREAD, true);
    life_control("release", life_hold());
    life_keep_tables();
    life_sample(CLASS_CART, 24, &FAKE_PLATFORM_THREAD, true);
    life_snapshot(all, HS_AFTER_NONE.number);
    life_ask_texts();
    life_run_out();
    if (hs_vm_sampler() != NULL) {
        life_check_lookups();
    }
    life_control("reset", some);
    life_control("close", some);
    life_collect();
    life_call_gc();
    life_call_gc();
}

static void whole_life(void) {
    life.is_whole = fake_plan->at == 0 || fake_plan->has_struck;
    life.has_left_all = false;
    life_load();
    if (life.is_loaded) {
        life_ask_texts();
        life_configure();
        run_recordings();
    }
    life_unload();
    if (hs_vm_sampler() == NULL) {
        life_call_gc_unseen();
    }
}

void fake_life(void) {
    static void (*const LIVES[])(void) = {whole_life};
    life_run(LIVES, 1);
}

static void life_with_values(void) {
    life.is_whole = true;
    life_load();
    cr_assert(fake_jvmti()->can_see_values, "else the VM does not report them");
    life_configure();
    jint all = life_open(false);
    life_stand(IN_CART);
    life_sample(CLASS_CART, 24, &FAKE_PLATFORM_THREAD, false);
    uint32_t tracked = fake_refs(FAKE_WEAK);
    life_sample_value(false);
    life_sample_value(true);
    cr_assert_eq(fake_refs(FAKE_WEAK), tracked, "they are counted, not tracked");
    life_snapshot(all, HS_AFTER_NONE.number);
    life_control("close", all);
    life_unload();
}

void fake_life_of_values(void) {
    life.feature = 28;
    fake_feature = 28;
    life.refusal = "the stacks of this version of Java are not known";
    fake_run(life_with_values);
    life_check_all_is_back(0);
}

static void life_without_time(void) {
    life.is_whole = true;
    life_load();
    life_configure();
    jint all = life_open(false);
    life_sample_hot();
    life_held_by_without_time(all);
    life_held_by(all);
    life_control("close", all);
    life_unload();
}

void fake_life_without_time(void) {
    fake_run(life_without_time);
    life_check_all_is_back(0);
}

void fake_life_of_tomorrow(void) {
    life.feature = 26;
    life.refusal = "the stacks of this version of Java are not known";
    fake_life();
}

/* How often the VM may be called in this many samples of which everything is known. One in 1,024 is compared with
 * the VM's own answer, and one of its frames named anew: more than 3 of 100 in one run of 300,000. */
static uint32_t most_calls(const char *function, uint32_t samples) {
    enum { COMPARED = 3, GIVEN_BACK = 5 };
    if (strcmp(function, "NewWeakGlobalRef") == 0 || strcmp(function, "GetLongField") == 0) {
        return samples;
    }
    if (strcmp(function, "IsSameObject") == 0) {
        return 2 * samples;
    }
    return strcmp(function, "Deallocate") == 0 ? COMPARED * GIVEN_BACK : COMPARED;
}

static void hot_life(void) {
    enum { SAMPLES = 100 };
    life.is_whole = true;
    life_load();
    life_configure();
    jint all = life_open(false);
    life_sample_hot();
    life_sample_hot();
    struct fake_function before[FAKE_MAX_FUNCTIONS];
    memcpy(before, fake_plan->functions, sizeof before);
    hs_mem_fail_at(1);
    for (int i = 0; i < SAMPLES; i++) {
        life_sample(CLASS_CART, 24, &FAKE_PLATFORM_THREAD, true);
    }
    cr_assert_not(fault_has_struck(1), "memory was requested");
    for (int i = 0; i < FAKE_MAX_FUNCTIONS; i++) {
        const struct fake_function *now = &fake_plan->functions[i];
        uint32_t calls = now->called - before[i].called;
        cr_assert_leq(calls, most_calls(now->name, SAMPLES), "%s", now->name);
    }
    life_control("close", all);
    life_unload();
}

/* Every hit is compared until enough have agreed, whatever the thread has seen. */
static void unproved_life(void) {
    enum { SAMPLES = 100 };
    life.is_whole = true;
    life.is_unproved = true;
    life_load();
    life_configure();
    struct hs_lookup *lookup = &hs_vm_sampler()->intake.lookup;
    jint all = life_open(false);
    life_stand(IN_CART);
    while (hs_lookup_counted(lookup, HS_LOOKUP_VERIFIED) < HS_LOOKUP_PROOF) {
        uint64_t hits = hs_lookup_counted(lookup, HS_LOOKUP_KNOWN) +
                        hs_lookup_counted(lookup, HS_LOOKUP_COMPOSED);
        cr_assert_eq(hs_lookup_counted(lookup, HS_LOOKUP_VERIFIED), hits);
        life_sample(CLASS_CART, 24, &FAKE_PLATFORM_THREAD, true);
    }
    for (int i = 0; i < SAMPLES; i++) {
        life_sample(CLASS_CART, 24, &FAKE_PLATFORM_THREAD, true);
    }
    /* 1 in 8 still is: more than 40 of 100 are once in 10^12 runs. */
    cr_assert_leq(hs_lookup_counted(lookup, HS_LOOKUP_VERIFIED), HS_LOOKUP_PROOF + 40);
    cr_assert_eq(hs_lookup_counted(lookup, HS_LOOKUP_MISMATCHES), 0);
    life_control("close", all);
    life_unload();
}

/* Threads that do not return from learning; another still learns. */
static void life_beside_stuck_learners(void) {
    life.is_whole = true;
    life.stuck_learners = HS_LOOKUP_ROOMS - 1;
    life_load();
    life_configure();
    struct hs_lookup *lookup = &hs_vm_sampler()->intake.lookup;
    jint all = life_open(false);
    for (uint32_t i = 0; i < life.stuck_learners; i++) {
        cr_assert_not_null(hs_lookup_enter(lookup));
    }
    life_sample_hot();
    life_sample_hot();
    cr_assert_gt(hs_lookup_counted(lookup, HS_LOOKUP_KNOWN), 0);
    life_control("close", all);
    life_unload();
}

void fake_life_beside_stuck_learners(void) {
    fake_run(life_beside_stuck_learners);
    life_check_all_is_back(0);
}

void fake_unproved_life(void) {
    fake_run(unproved_life);
    life_check_all_is_back(0);
}

void fake_hot_life(void) {
    fake_run(hot_life);
    life_check_all_is_back(0);
}

/* The filter's thread first, whose JavaThread the library then knows. */
static void filtered_life(void) {
    enum { SAMPLES = 100, SURELY_PICKED = 1 << 20 };
    life.is_whole = true;
    life_load();
    life_configure();
    jint some = life_open(true);
    life_sample(CLASS_CART, SURELY_PICKED, &FAKE_PLATFORM_THREAD, true);
    uint64_t seen = hs_intake_seen(&hs_vm_sampler()->intake);
    uint64_t calls = fake_plan->calls;
    for (int i = 0; i < SAMPLES; i++) {
        life_sample(CLASS_CART, SURELY_PICKED, &FAKE_VIRTUAL_THREAD, true);
    }
    cr_assert_eq(hs_intake_seen(&hs_vm_sampler()->intake), seen + SAMPLES);
    cr_assert_eq(fake_plan->calls, calls + SAMPLES, "%lu",
                 (unsigned long)(fake_plan->calls - calls));
    life_control("close", some);
    life_unload();
}

void fake_filtered_life(void) {
    fake_run(filtered_life);
    life_check_all_is_back(0);
}

/* The address is right by chance, but what is there is not in that file. */
static void loaded_with_foreign_properties(void) {
    life.is_whole = true;
    (void)snprintf(fake_engine_property(), FAKE_PROPERTY, "%d/%s/%llx/another.so", (int)JNI_ABI,
                   HS_VERSION, (unsigned long long)(uintptr_t)&JNI_ENGINE);
    life_load();
    cr_assert_null(strstr(fake_engine_property(), "/another.so"), "it was not overwritten");
    char right[FAKE_PROPERTY];
    strcpy(right, fake_engine_property());
    life_unload();
    life_load();
    cr_assert_str_eq(fake_engine_property(), right);
    life_unload();
}

void fake_foreign_properties(void) {
    fake_run(loaded_with_foreign_properties);
    life_check_all_is_back(0);
}

static void life_until_death(void) {
    life.is_whole = false;
    life_load();
    life_configure();
    jint all = life_open(false);
    life_sample_hot();
    fake_plan->is_armed = true;
    life.is_dead = true;
    fake_jvmti()->callbacks.VMDeath((jvmtiEnv *)(void *)fake_jvmti(), fake_main_env());
    jlong before_death = life.fired;
    life_sample_new();
    cr_assert_eq(life.fired, before_death, "no samples after death");
    jint refused = life_open(true);
    cr_assert(refused == -HS_VM_DEAD || (fake_plan->has_struck && refused == -HS_NO_MEMORY));
    life_snapshot(all, HS_AFTER_FORCED.number);
    life_control("close", all);
    life_ask_texts();
    life_unload();
    fake_plan->is_armed = false;
}

/* Death waits for no callback: what callbacks in flight may see stays. */
void fake_death(void) {
    fake_run(life_until_death);
    life_check_all_is_back(sizeof(struct hs_session));
}
