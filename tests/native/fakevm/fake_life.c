/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* A life of the library: loaded, configured, two recordings, samples on hot and on new stacks,
 * collections, snapshots, the end. What it checks holds whatever call has failed; what it expects when
 * none has stands under `is_whole`. */
#include <sched.h>
#include <stdio.h>
#include <unistd.h>

#include "fakevm.h"
#include "fault/fault.h"
#include "hs_encode.h"
#include "hs_frames.h"
#include "hs_vm.h"
#include "unit/block.h"

JNIEXPORT jint JNICALL JNI_OnLoad(JavaVM *vm, void *reserved);
JNIEXPORT void JNICALL JNI_OnUnload(JavaVM *vm, void *reserved);
JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *text, void *reserved);
JNIEXPORT jint JNICALL Agent_OnAttach(JavaVM *vm, char *text, void *reserved);

enum { INTERVAL = 64, FEATURE = 21, HOT = 24, HIDDEN_CAUSES = 3 };

static jlong fired;    /* samples that the first recording is to account for */
static bool is_whole;  /* no call has failed or is going to */
static bool is_loaded; /* JNI_OnLoad has said so */
static bool is_dead;   /* the VM */
static bool has_lookups;
static bool has_left_all; /* JNI_OnUnload was given no JNIEnv */

/* ---- calls of natives ---- */

static bool had_struck;
static uint32_t locals_before;

static void before(void) {
    had_struck = fake_plan->has_struck;
    locals_before = fake_refs(FAKE_LOCAL);
}

static void check_nobody_inside(void) {
    struct hs_sampler *sampler = hs_vm_sampler();
    for (int i = 0; sampler != NULL && i < HS_PHASER_STRIPES; i++) {
        cr_assert_eq(atomic_load(&sampler->phaser.stripes[i].inside[0]), 0);
        cr_assert_eq(atomic_load(&sampler->phaser.stripes[i].inside[1]), 0);
    }
}

/* While sampling is off it is off in the VM, too, unless that is what the VM has refused. */
static void check_off(void) {
    const struct fake_jvmti *jvmti = fake_jvmti();
    bool is_refused =
        fake_plan->has_struck && (strcmp(fake_plan->function, "SetEventNotificationMode") == 0 ||
                                  strcmp(fake_plan->function, "RelinquishCapabilities") == 0);
    if (hs_vm_sampler() != NULL && !hs_vm_sampler()->is_enabled && !is_refused && !is_dead) {
        cr_assert_not(jvmti->is_enabled[JVMTI_EVENT_SAMPLED_OBJECT_ALLOC]);
        cr_assert_not(jvmti->is_enabled[JVMTI_EVENT_THREAD_START]);
        cr_assert_not(jvmti->can_sample, "others could not sample");
    }
}

/* `result`: a reference it answered. Only what the VM itself has thrown may be pending. */
static void after(const char *function, jobject result) {
    bool has_struck_in_call = fake_plan->has_struck && !had_struck;
    cr_assert(!fake_env->is_pending || has_struck_in_call, "%s left an exception", function);
    fake_env->is_pending = false;
    fake_delete_ref(result, FAKE_LOCAL);
    cr_assert_eq(fake_refs(FAKE_LOCAL), locals_before, "%s left local references", function);
    check_nobody_inside();
    check_off();
}

/* The statuses that a call may answer when something has failed, now or before. */
static jlong checked(const char *function, jlong result) {
    jlong status = -result % 65536;
    after(function, NULL);
    cr_assert(result >= 0 || !is_whole, "%s: %ld", function, (long)result);
    cr_assert(result >= 0 || (status > HS_OK && status < HS_STATUS_COUNT), "%s: %ld", function,
              (long)result);
    return result;
}

typedef jint int_native(JNIEnv *, jclass);
typedef jobject object_native(JNIEnv *, jclass);
typedef jobject object_of_int_native(JNIEnv *, jclass, jint);
typedef jlong configure_native(JNIEnv *, jclass, jintArray, jint, jlong, jint, jlong, jlong, jint,
                               jint);
typedef jlong report_native(JNIEnv *, jclass, jbyteArray);
typedef jlong open_native(JNIEnv *, jclass, jint, jlongArray, jobjectArray, jobjectArray, jlong);
typedef jlong handle_native(JNIEnv *, jclass, jint);
typedef jlong interval_native(JNIEnv *, jclass, jint, jint);
typedef jbyteArray snapshot_native(JNIEnv *, jclass, jint, jboolean, jlongArray);
typedef jboolean try_native(JNIEnv *, jclass);
typedef void end_tries_native(JNIEnv *, jclass, jboolean);
typedef void facade_native(JNIEnv *, jclass, jint);

static jobject array_of(struct fake_object *object, const void *data, jsize length) {
    *object = (struct fake_object){.data = data, .length = length, .is_kept = true};
    return fake_new_ref(FAKE_LOCAL, object);
}

static void ask_texts(void) {
    JNIEnv *jni = fake_main_env();
    before();
    after("version", ((object_native *)fake_native("version"))(jni, NULL));
    before();
    after("statusText", ((object_of_int_native *)fake_native("statusText"))(jni, NULL, HS_OWNED));
    before();
    after("lookupReason", ((object_native *)fake_native("lookupReason"))(jni, NULL));
    before();
    after("status", ((object_native *)fake_native("status"))(jni, NULL));
    (void)((int_native *)fake_native("primed"))(jni, NULL);
    cr_assert_eq(((int_native *)fake_native("abi"))(jni, NULL), 3);
}

static void change_facade(jint change) {
    ((facade_native *)fake_native("facade"))(fake_main_env(), NULL, change);
}

/* ---- the sweeper ---- */

static uint64_t rounds(void) {
    return hs_vm_sampler() == NULL ? 0 : atomic_load(&hs_vm_sampler()->sweeper.rounds);
}

/* It has been woken after `rounds_before` rounds: waits until it is done, and so is where it was in
 * every other life. */
static void await_sweeper(uint64_t rounds_before) {
    const struct hs_sampler *sampler = hs_vm_sampler();
    while (sampler != NULL && sampler->sweeper.is_running && rounds() == rounds_before &&
           atomic_load(&sampler->sweeper.order) == HS_SWEEPER_RUN) {
        sched_yield();
    }
}

static void collect(void) {
    uint64_t rounds_before = rounds();
    if (fake_jvmti() != NULL && !fake_jvmti()->is_disposed) {
        fake_collection();
        await_sweeper(rounds_before);
    }
}

/* ---- events ---- */

static bool gives(jvmtiEvent event) {
    return fake_jvmti() != NULL && fake_jvmti()->is_enabled[event];
}

static void start_thread(struct fake_object *object) {
    if (gives(JVMTI_EVENT_THREAD_START)) {
        jobject thread = fake_new_ref(FAKE_LOCAL, object);
        before();
        fake_jvmti()->callbacks.ThreadStart((jvmtiEnv *)(void *)fake_jvmti(), fake_own_env(),
                                            thread);
        cr_assert_not(fake_env->is_pending);
        after("ThreadStart", NULL);
        fake_delete_ref(thread, FAKE_LOCAL);
    }
}

/* One sampled allocation; `is_garbage`: nothing keeps the object. */
static void sample(enum fake_class class, jlong size, struct fake_object *thread, bool is_garbage) {
    if (!gives(JVMTI_EVENT_SAMPLED_OBJECT_ALLOC)) {
        return;
    }
    struct fake_object *object = fake_new_object();
    object->is_kept = !is_garbage;
    jobject references[] = {thread == NULL ? NULL : fake_new_ref(FAKE_LOCAL, thread),
                            fake_new_ref(FAKE_LOCAL, object),
                            fake_new_ref(FAKE_LOCAL, &FAKE_CLASSES[class])};
    before();
    fake_jvmti()->callbacks.SampledObjectAlloc((jvmtiEnv *)(void *)fake_jvmti(), fake_own_env(),
                                               references[0], references[1], references[2], size);
    cr_assert_not(fake_env->is_pending, "a callback left an exception");
    after("SampledObjectAlloc", NULL);
    for (size_t i = 0; i < sizeof references / sizeof references[0]; i++) {
        fake_delete_ref(references[i], FAKE_LOCAL);
    }
    bool is_sampling = hs_vm_sampler() != NULL && atomic_load(&hs_vm_sampler()->session) != NULL;
    fired += is_sampling && thread != NULL;
}

static const struct fake_frame CART[] = {{IS_ADD, 6}, {IS_MAIN, 30}};
static const struct fake_frame DEEP[] = {
    {IS_NATIVE, -1}, {IS_PRICE, 0}, {IS_PRICE, 21}, {IS_ADD, 6}, {IS_MAIN, 30}};
static const struct fake_frame CUT[] = {{IS_PRICE, 1}, {IS_PRICE, 2}, {IS_PRICE, 3}, {IS_PRICE, 4},
                                        {IS_PRICE, 5}, {IS_PRICE, 6}, {IS_PRICE, 7}, {IS_PRICE, 8},
                                        {IS_PRICE, 9}, {IS_MAIN, 30}};
static const struct fake_frame OWN[] = {{IS_OWN, 3}, {IS_MAIN, 30}};
static const struct fake_frame LAST[] = {{IS_ADD, 20}, {IS_MAIN, 40}};

#define SET_STACK(frames) fake_set_stack(frames, sizeof(frames) / sizeof((frames)[0]))

/* Hot: first asked for, then looked up and compared, then looked up alone. */
static void sample_hot(void) {
    SET_STACK(CART);
    for (int i = 0; i < HOT; i++) {
        sample(CLASS_CART, 24, &FAKE_PLATFORM_THREAD, i % 2 == 0);
        if (i == 6) {
            fake_redefine(true);
            sample(CLASS_CART, 24, &FAKE_PLATFORM_THREAD, true);
            fake_redefine(false);
        }
    }
}

static void sample_new(void) {
    SET_STACK(DEEP);
    sample(CLASS_BYTES, 4096, &FAKE_PLATFORM_THREAD, true);
    sample(CLASS_BYTES, 4096, &FAKE_PLATFORM_THREAD, false);
    SET_STACK(CUT);
    sample(CLASS_ITEM, 32, &FAKE_VIRTUAL_THREAD, false);
    SET_STACK(OWN);
    sample(CLASS_ITEM, 32, &FAKE_PLATFORM_THREAD, false);
    change_facade(1);
    sample(CLASS_ITEM, 32, &FAKE_PLATFORM_THREAD, false);
    change_facade(-1);
    sample(CLASS_ITEM, 32, NULL, false);
}

/* On a thread that the library has not met. */
static void sample_first(void) {
    sample(CLASS_BYTES, 48, &FAKE_OTHER_THREAD, false);
    sample(CLASS_BYTES, 48, &FAKE_OTHER_THREAD, false);
}

/* ---- recordings ---- */

static void configure(void) {
    static const jint LIMITS[] = {8, 16, 64, 256, 64, 8, 16};
    static struct fake_object object;
    jobject limits = array_of(&object, LIMITS, 7);
    before();
    (void)checked("configure",
                  ((configure_native *)fake_native("configure"))(
                      fake_main_env(), NULL, limits, HS_BY_BYTES, 0, HS_Z, 0, 0, FEATURE, 1));
    fake_delete_ref(limits, FAKE_LOCAL);
    SET_STACK(CART);
    before();
    bool is_tried = ((try_native *)fake_native("tryLookup"))(fake_main_env(), NULL);
    after("tryLookup", NULL);
    has_lookups = hs_vm_sampler() != NULL && hs_lookup_is_on(&hs_vm_sampler()->lookup);
    cr_assert(is_tried || !is_whole || !has_lookups);
    cr_assert(has_lookups || fake_plan->has_struck || fake_plan->at != 0);
    ((end_tries_native *)fake_native("endTries"))(fake_main_env(), NULL, JNI_TRUE);
}

/* Asked for, and due. What is written is looked at by test_oom; here, that no call that fails leaves
 * anything. */
static void run_out(void) {
    char path[64];
    struct fake_object object;
    (void)snprintf(path, sizeof path, "/tmp/hs-fault-%d.txt", (int)getpid());
    jobject array = array_of(&object, path, (jsize)strlen(path));
    before();
    jlong result = checked(
        "reportOnOom", ((report_native *)fake_native("reportOnOom"))(fake_main_env(), NULL, array));
    fake_delete_ref(array, FAKE_LOCAL);
    if (gives(JVMTI_EVENT_RESOURCE_EXHAUSTED)) {
        before();
        fake_jvmti()->callbacks.ResourceExhausted((jvmtiEnv *)(void *)fake_jvmti(), fake_main_env(),
                                                  3, NULL, "Java heap space");
        after("ResourceExhausted", NULL);
    }
    cr_assert(!is_whole || (result == 0 && access(path, F_OK) == 0));
    (void)unlink(path);
    before();
    (void)checked("reportOnOom",
                  ((report_native *)fake_native("reportOnOom"))(fake_main_env(), NULL, NULL));
}

/* Its handle, or a status below 0. `is_filtered`: for one thread, one class, two packages. */
static jint open_recording(bool is_filtered) {
    static const jlong IDS[] = {7};
    static struct fake_object names[] = {{.text = "shop.Cart"}, {.text = "shop"}, {.text = "none"}};
    static struct fake_object *const CLASSES[] = {&names[0]};
    static struct fake_object *const PACKAGES[] = {&names[1], &names[2]};
    struct fake_object objects[3];
    jobject threads = array_of(&objects[0], IDS, is_filtered ? 1 : 0);
    jobject classes = array_of(&objects[1], CLASSES, is_filtered ? 1 : 0);
    jobject packages = array_of(&objects[2], PACKAGES, is_filtered ? 2 : 0);
    uint64_t rounds_before = rounds();
    bool is_first = hs_vm_sampler() == NULL || !hs_vm_sampler()->is_enabled;
    before();
    jlong handle = checked("open", ((open_native *)fake_native("open"))(
                                       fake_main_env(), NULL, is_filtered ? 4096 : INTERVAL,
                                       threads, classes, packages, 0));
    if (is_first && handle > 0) {
        await_sweeper(rounds_before);
    }
    fake_delete_ref(threads, FAKE_LOCAL);
    fake_delete_ref(classes, FAKE_LOCAL);
    fake_delete_ref(packages, FAKE_LOCAL);
    return (jint)handle;
}

static void control(const char *function, jint handle) {
    before();
    (void)checked(function,
                  ((handle_native *)fake_native(function))(fake_main_env(), NULL, handle));
}

static void control_interval(const char *function, jint handle, jint interval) {
    uint64_t rounds_before = rounds();
    bool was_on = hs_vm_sampler() != NULL && hs_vm_sampler()->is_enabled;
    before();
    (void)checked(function, ((interval_native *)fake_native(function))(fake_main_env(), NULL,
                                                                       handle, interval));
    if (!was_on && hs_vm_sampler() != NULL && hs_vm_sampler()->is_enabled) {
        await_sweeper(rounds_before);
    }
}

/* All methods of the fake VM begin in line 10 (get_lines). */
static void check_first_lines(const struct block *block) {
    for (uint32_t i = 0; i < block->sections[FRAMES].count; i++) {
        const unsigned char *frame = block_entry(block, FRAMES, i, 28);
        uint32_t wanted = block_u32(frame, 20) != UINT32_MAX ? 10 : 0;
        cr_assert_eq(block_u32(frame, 24) >> HS_FRAME_FIRST_LINE_SHIFT, wanted);
    }
}

/* Every sample is counted, or dropped for a reason that says so. One is both when it is a lifetime that
 * there was no memory for. */
static void check_block(const struct fake_object *bytes) {
    static const int NOT_COUNTED[HIDDEN_CAUSES] = {HS_DROP_PHANTOM, HS_DROP_OWN,
                                                   HS_DROP_NATIVE_MEMORY};
    struct hs_buffer buffer = {.data = bytes->room, .length = (size_t)bytes->length};
    struct block block = block_read(&buffer);
    jlong sum = block_info(&block, HS_INFO_SAMPLES);
    for (int i = 0; i < HIDDEN_CAUSES; i++) {
        sum += (jlong)block_u64(block.sections[DROPS].data, 8 * (size_t)NOT_COUNTED[i]);
    }
    bool may_be_twice = fake_plan->thread == FAKE_MEMORY && fake_plan->at != 0;
    cr_assert(sum == fired || (may_be_twice && sum == fired + 1), "%ld of %ld samples", (long)sum,
              (long)fired);
    cr_assert_eq(block_info(&block, HS_INFO_MISMATCHES), 0);
    check_first_lines(&block);
}

static void take_snapshot(jint handle, bool after_gc) {
    jlong failure = 0;
    struct fake_object object = {.data = &failure, .room = &failure, .length = 1, .is_kept = true};
    jobject result = fake_new_ref(FAKE_LOCAL, &object);
    uint64_t rounds_before = rounds();
    uint32_t pauses_before =
        hs_vm_sampler() == NULL ? 0 : hs_epochs_collections(&hs_vm_sampler()->census.epochs);
    before();
    jbyteArray block = ((snapshot_native *)fake_native("snapshot"))(fake_main_env(), NULL, handle,
                                                                    after_gc, result);
    bool is_thrown = fake_env->is_pending;
    if (block != NULL && !is_thrown) {
        check_block(fake_object_of(block));
    }
    cr_assert(block != NULL || is_thrown || failure < 0, "neither a block nor a reason");
    after("snapshot", block);
    cr_assert(!is_whole || failure == 0);
    if (hs_vm_sampler() != NULL &&
        hs_epochs_collections(&hs_vm_sampler()->census.epochs) != pauses_before) {
        await_sweeper(rounds_before);
    }
    fake_delete_ref(result, FAKE_LOCAL);
}

static void check_lookups(void) {
    struct hs_lookup *lookup = &hs_vm_sampler()->lookup;
    bool is_on = hs_lookup_is_on(lookup);
    cr_assert(is_on || atomic_load(&lookup->reason) != NULL);
    cr_assert_eq(hs_lookup_counted(lookup, HS_LOOKUP_MISMATCHES), 0);
    cr_assert_eq(is_on, has_lookups, "no fault ends lookups");
    if (is_on && is_whole) {
        cr_assert_gt(hs_lookup_counted(lookup, HS_LOOKUP_VERIFIED), 0);
        cr_assert_gt(hs_lookup_counted(lookup, HS_LOOKUP_KNOWN), HS_LOOKUP_FIRST_CHECKS);
    }
}

/* ---- lives ---- */

static void load(void) {
    is_loaded = false;
    fired = 0;
    fake_set_natives(NULL, 0);
    before();
    jint version = JNI_OnLoad(fake_vm(), NULL);
    is_loaded = version == JNI_VERSION_1_8;
    cr_assert(is_loaded || version == JNI_ERR);
    cr_assert(is_loaded || !is_whole);
    cr_assert(!is_loaded || fake_native("open") != NULL);
    cr_assert(!is_loaded || !fake_env->is_pending);
    after("JNI_OnLoad", NULL);
}

static void unload(void) {
    before();
    if (is_loaded) {
        JNI_OnUnload(fake_vm(), NULL);
        has_left_all = fake_plan->has_struck && !had_struck &&
                       strcmp(fake_plan->function, "GetEnv (JNI)") == 0;
        cr_assert_not(fake_env->is_pending);
        after("JNI_OnUnload", NULL);
    }
}

static void run_recordings(void) {
    jint all = open_recording(false);
    jint some = open_recording(true);
    start_thread(&FAKE_PLATFORM_THREAD);
    start_thread(&FAKE_VIRTUAL_THREAD);
    sample_hot();
    sample_new();
    SET_STACK(DEEP);
    fake_run_beside(sample_first);
    collect();
    sample_hot();
    control_interval("setInterval", all, 2 * INTERVAL);
    take_snapshot(all, false);
    take_snapshot(all, true);
    sample_new();
    control("pause", some);
    control("pause", all);
    SET_STACK(LAST);
    sample(CLASS_CART, 24, &FAKE_PLATFORM_THREAD, true);
    control_interval("resume", all, INTERVAL);
    sample(CLASS_CART, 24, &FAKE_PLATFORM_THREAD, true);
    take_snapshot(all, false);
    ask_texts();
    run_out();
    if (hs_vm_sampler() != NULL) {
        check_lookups();
    }
    control("reset", some);
    control("close", some);
    collect();
}

static void whole_life(void) {
    is_whole = fake_plan->at == 0 || fake_plan->has_struck;
    has_left_all = false;
    load();
    if (is_loaded) {
        ask_texts();
        configure();
        run_recordings();
    }
    unload();
}

/* `left`: bytes that stay. So does the room that stacks are learned in, once lookups were on. */
static void check_all_is_back(size_t left) {
    size_t used = hs_mem_used() - left;
    if (has_left_all) {
        return; /* an unload without a JNIEnv cannot give anything back; the next load does */
    }
    cr_assert(used == 0 || used == sizeof(struct hs_lookup_room), "%zu bytes of memory", used);
    cr_assert_eq(fake_refs(FAKE_WEAK), 0, "weak references");
    cr_assert_eq(fake_refs(FAKE_GLOBAL), 0, "global references");
    cr_assert_eq(fake_lent(), 0, "memory of the VM's");
    cr_assert_eq(fake_class("java/lang/System")->monitors, 0, "monitors");
    cr_assert(fake_jvmti() == NULL || fake_jvmti()->is_disposed);
}

void fake_life(void) {
    bool is_short = fake_plan->is_armed && fake_plan->thread == FAKE_MEMORY;
    hs_mem_fail_at(is_short ? fake_plan->at : 0);
    fake_run(whole_life);
    fake_plan->has_struck = fake_plan->has_struck || (is_short && fault_has_struck(fake_plan->at));
    check_all_is_back(0);
}

/* As an agent: from before the VM lives to a class that comes later and goes. `attaches`: while it lives. */
static void agent_life(bool attaches) {
    char options[] = "interval=64,maxDepth=8,maxTracked=16";
    uint64_t rounds_before = rounds();
    is_whole = fake_plan->at == 0 || fake_plan->has_struck;
    has_left_all = false;
    fired = 0;
    fake_forget_properties();
    before();
    if (attaches) {
        jint answer = Agent_OnAttach(fake_vm(), options, NULL);
        cr_assert_eq(answer == JNI_OK, hs_vm_sampler() != NULL);
    } else {
        cr_assert_eq(Agent_OnLoad(fake_vm(), options, NULL), JNI_OK, "the VM would not start");
        if (gives(JVMTI_EVENT_VM_INIT)) {
            fake_jvmti()->callbacks.VMInit((jvmtiEnv *)(void *)fake_jvmti(), fake_main_env(), NULL);
        }
    }
    after("Agent", NULL);
    cr_assert(!is_whole || hs_vm_sampler() != NULL);
    await_sweeper(rounds_before);
    sample_hot();
    cr_assert(!is_whole || fired > 0, "sampled before any class came");
    load();
    if (hs_vm_sampler() != NULL && is_loaded) {
        int64_t in_force[HS_IN_FORCE_VALUES];
        hs_sampler_in_force(hs_vm_sampler(), in_force);
        cr_assert(!is_whole || (in_force[0] == 1 && in_force[1] > 0 && in_force[2] == 1));
        before();
        after("inForce", ((object_native *)fake_native("inForce"))(fake_main_env(), NULL));
    }
    unload();
    cr_assert(!is_whole || hs_vm_sampler() != NULL, "the agent is still there");
    hs_vm_close(fake_main_env());
}

static void agent_from_the_start(void) {
    agent_life(false);
}

static void agent_attached(void) {
    agent_life(true);
}

void fake_agents(void) {
    bool is_short = fake_plan->is_armed && fake_plan->thread == FAKE_MEMORY;
    hs_mem_fail_at(is_short ? fake_plan->at : 0);
    fake_run(agent_from_the_start);
    check_all_is_back(0);
    fake_run(agent_attached);
    fake_plan->has_struck = fake_plan->has_struck || (is_short && fault_has_struck(fake_plan->at));
    check_all_is_back(0);
}

static void attach_wrongly(void) {
    char wrong[] = "interval=64,depth=8";
    cr_assert_eq(Agent_OnAttach(fake_vm(), wrong, NULL), JNI_ERR);
    cr_assert_null(hs_vm_sampler());
    cr_assert_eq(Agent_OnLoad(fake_vm(), wrong, NULL), JNI_OK, "the VM would not start");
    cr_assert_null(fake_jvmti());
}

void fake_wrong_agent(void) {
    fake_run(attach_wrongly);
}

static void life_until_death(void) {
    is_whole = false;
    load();
    configure();
    jint all = open_recording(false);
    sample_hot();
    fake_plan->is_armed = true;
    is_dead = true;
    fake_jvmti()->callbacks.VMDeath((jvmtiEnv *)(void *)fake_jvmti(), fake_main_env());
    jlong before_death = fired;
    sample_new();
    cr_assert_eq(fired, before_death, "no samples after death");
    jint refused = open_recording(true);
    cr_assert(refused == -HS_VM_DEAD || (fake_plan->has_struck && refused == -HS_NO_MEMORY));
    take_snapshot(all, true);
    control("close", all);
    ask_texts();
    unload();
    fake_plan->is_armed = false;
}

/* Death waits for nobody: what callbacks in flight may see stays. */
void fake_death(void) {
    fake_run(life_until_death);
    check_all_is_back(sizeof(struct hs_session));
}
