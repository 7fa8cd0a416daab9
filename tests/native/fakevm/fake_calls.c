/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* The natives, called as Java does, and what holds after each call. */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "fake_life.h"
#include "hs_encode.h"
#include "hs_frames.h"
#include "hs_vm.h"
#include "jni_bindings.h"
#include "unit/block.h"

enum { FEATURE = 21, HIDDEN_CAUSES = 3 };

/* ---- around each call ---- */

static uint32_t locals_before;

void life_before(void) {
    life.had_struck = fake_plan->has_struck;
    locals_before = fake_refs(FAKE_LOCAL);
}

static void check_nobody_inside(void) {
    struct hs_sampler *sampler = hs_vm_sampler();
    for (int i = 0; sampler != NULL && i < HS_PHASER_STRIPES; i++) {
        cr_assert_eq(atomic_load(&sampler->intake.phaser.stripes[i].inside[0]), 0);
        cr_assert_eq(atomic_load(&sampler->intake.phaser.stripes[i].inside[1]), 0);
    }
}

/* While sampling is off it is off in the VM as well, unless that is what the VM has refused. */
static void check_off(void) {
    const struct fake_jvmti *jvmti = fake_jvmti();
    bool is_refused =
        fake_plan->has_struck && (strcmp(fake_plan->function, "SetEventNotificationMode") == 0 ||
                                  strcmp(fake_plan->function, "RelinquishCapabilities") == 0);
    if (hs_vm_sampler() != NULL && !hs_vm_sampler()->is_enabled && !is_refused && !life.is_dead) {
        cr_assert_not(jvmti->is_enabled[JVMTI_EVENT_SAMPLED_OBJECT_ALLOC]);
        cr_assert_not(jvmti->can_sample, "others could not sample");
    }
}

void life_after(const char *function, jobject result) {
    bool has_struck_in_call = fake_plan->has_struck && !life.had_struck;
    cr_assert(!fake_env->is_pending || has_struck_in_call, "%s left an exception", function);
    fake_env->is_pending = false;
    fake_delete_ref(result, FAKE_LOCAL);
    cr_assert_eq(fake_refs(FAKE_LOCAL), locals_before, "%s left local references", function);
    check_nobody_inside();
    check_off();
}

/* ---- natives ---- */

/* The statuses that a call may answer when something has failed, now or before. */
static jlong checked(const char *function, jlong result) {
    jlong status = -result % 65536;
    life_after(function, NULL);
    cr_assert(result >= 0 || !life.is_whole, "%s: %ld", function, (long)result);
    cr_assert(result >= 0 || (status > HS_OK && status < HS_STATUS_COUNT), "%s: %ld", function,
              (long)result);
    return result;
}

typedef jint int_native(JNIEnv *, jclass);
typedef jobject object_native(JNIEnv *, jclass);
typedef jobject object_of_int_native(JNIEnv *, jclass, jint);
typedef jlong configure_native(JNIEnv *, jclass, jintArray, jint, jlong, jint, jlong, jlong, jint,
                               jint);
typedef jlong report_native(JNIEnv *, jclass, jbyteArray, jbyteArray, jint);
typedef jlong open_native(JNIEnv *, jclass, jint, jint, jlongArray, jobjectArray, jobjectArray,
                          jlong);
typedef jlong hold_native(JNIEnv *, jclass, jint, jint, jint, jint, jboolean, jbyteArray);
typedef jlong handle_native(JNIEnv *, jclass, jint);
typedef jlong interval_native(JNIEnv *, jclass, jint, jint);
typedef jbyteArray snapshot_native(JNIEnv *, jclass, jint, jint, jobject, jlong, jlongArray);
typedef jlong keep_native(JNIEnv *, jclass);
typedef void drop_native(JNIEnv *, jclass, jint);
typedef void facade_native(JNIEnv *, jclass, jint);

static jobject array_of(struct fake_object *object, const void *data, jsize length) {
    *object = (struct fake_object){.data = data, .length = length, .is_kept = true};
    return fake_new_ref(FAKE_LOCAL, object);
}

void life_ask_texts(void) {
    JNIEnv *jni = fake_main_env();
    life_before();
    life_after("version", ((object_native *)fake_native("version"))(jni, NULL));
    life_before();
    life_after("statusText",
               ((object_of_int_native *)fake_native("statusText"))(jni, NULL, HS_OWNED));
    life_before();
    life_after("lookupReason", ((object_native *)fake_native("lookupReason"))(jni, NULL));
    life_before();
    life_after("status", ((object_native *)fake_native("status"))(jni, NULL));
    (void)((int_native *)fake_native("primed"))(jni, NULL);
    cr_assert_eq(((int_native *)fake_native("abi"))(jni, NULL), JNI_ABI);
}

void life_change_facade(jint change) {
    ((facade_native *)fake_native("facade"))(fake_main_env(), NULL, change);
}

void life_configure(void) {
    const jint numbers[] = {life.depth == 0 ? 8 : life.depth, 16, 64, 256, 64, 8, 16};
    static struct fake_object object;
    jobject limits = array_of(&object, numbers, 7);
    life_before();
    jlong config_version =
        checked("configure", ((configure_native *)fake_native("configure"))(
                                 fake_main_env(), NULL, limits, HS_BY_BYTES, 0, HS_Z, 0, 0,
                                 life.feature == 0 ? FEATURE : life.feature, 1));
    cr_assert_neq(config_version, 0);
    life.config_version = config_version > 0 ? (jint)config_version : 0;
    fake_delete_ref(limits, FAKE_LOCAL);
    struct hs_lookup *lookup = hs_vm_sampler() == NULL ? NULL : &hs_vm_sampler()->intake.lookup;
    life.has_lookups = lookup != NULL && hs_lookup_is_on(lookup);
    cr_assert(life.has_lookups || life.refusal != NULL || fake_plan->has_struck ||
              fake_plan->at != 0);
    if (life.refusal != NULL) {
        cr_assert_not(life.has_lookups);
        cr_assert_str_eq(atomic_load(&lookup->reason), life.refusal);
    }
    if (life.has_lookups && !life.is_unproved) {
        atomic_store(&lookup->agreed, HS_LOOKUP_PROBATION);
    }
}

/* Requested, and due. What is written is inspected by test_oom; here, that no call that fails leaves
 * anything. */
void life_run_out(void) {
    char path[LIFE_PATH];
    struct fake_object object;
    (void)snprintf(path, sizeof path, "/tmp/hs-fault-%d.txt", (int)getpid());
    jobject array = array_of(&object, path, (jsize)strlen(path));
    life_before();
    report_native *report = (report_native *)fake_native("reportOnOom");
    jlong result = checked("reportOnOom", report(fake_main_env(), NULL, NULL, array, HS_MAX_HOLDS));
    cr_assert(result != 0 || strcmp(hs_vm_sampler()->oom.path, path) == 0);
    life_exhaust();
    cr_assert(!life.is_whole || (result == 0 && access(path, F_OK) == 0));
    (void)unlink(path);
    life_before();
    (void)checked("reportOnOom", report(fake_main_env(), NULL, array, NULL, HS_MAX_HOLDS));
    fake_delete_ref(array, FAKE_LOCAL);
}

jint life_open(bool is_filtered) {
    static const jlong IDS[] = {7};
    static struct fake_object names[] = {{.text = "shop.Cart"}, {.text = "shop"}, {.text = "none"}};
    static struct fake_object *const CLASSES[] = {&names[0]};
    static struct fake_object *const PACKAGES[] = {&names[1], &names[2]};
    struct fake_object objects[3];
    jobject threads = array_of(&objects[0], IDS, is_filtered ? 1 : 0);
    jobject classes = array_of(&objects[1], CLASSES, is_filtered ? 1 : 0);
    jobject packages = array_of(&objects[2], PACKAGES, is_filtered ? 2 : 0);
    life_before();
    jlong handle =
        checked("open", ((open_native *)fake_native("open"))(
                            fake_main_env(), NULL, life.config_version,
                            is_filtered ? 4096 : LIFE_INTERVAL, threads, classes, packages, 0));
    fake_delete_ref(threads, FAKE_LOCAL);
    fake_delete_ref(classes, FAKE_LOCAL);
    fake_delete_ref(packages, FAKE_LOCAL);
    return (jint)handle;
}

static struct fake_object holder; /* holds refer to it for as long as they last */

/* Of the tables, for a class of ours. */
void life_keep_tables(void) {
    jobject class = array_of(&holder, NULL, 0);
    life_before();
    jlong number =
        checked("keepTables", ((keep_native *)fake_native("keepTables"))(fake_main_env(), class));
    life_before();
    ((drop_native *)fake_native("dropTables"))(fake_main_env(), class, (jint)number);
    life_after("dropTables", NULL);
    fake_delete_ref(class, FAKE_LOCAL);
}

/* Of the process-wide sampler, for a class of ours. */
jint life_hold(void) {
    static const char NAME[] = "doctor";
    struct fake_object bytes;
    jobject name = array_of(&bytes, NAME, (jsize)strlen(NAME));
    jobject class = array_of(&holder, NULL, 0);
    life_before();
    jlong hold = checked("hold", ((hold_native *)fake_native("hold"))(
                                     fake_main_env(), class, life.config_version, LIFE_INTERVAL,
                                     LIFE_INTERVAL, 20000, JNI_FALSE, name));
    fake_delete_ref(name, FAKE_LOCAL);
    fake_delete_ref(class, FAKE_LOCAL);
    return (jint)hold;
}

void life_control(const char *function, jint handle) {
    life_before();
    (void)checked(function,
                  ((handle_native *)fake_native(function))(fake_main_env(), NULL, handle));
}

jint life_expect_collection(jint handle) {
    life_before();
    jlong after =
        checked("expectCollection",
                ((handle_native *)fake_native("expectCollection"))(fake_main_env(), NULL, handle));
    return after > 0 ? (jint)after : HS_AFTER_FORCED.number;
}

void life_control_interval(const char *function, jint handle, jint interval) {
    life_before();
    (void)checked(function, ((interval_native *)fake_native(function))(fake_main_env(), NULL,
                                                                       handle, interval));
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
    bool lacks_memory = fake_plan->thread == FAKE_MEMORY && fake_plan->at != 0;
    cr_assert(sum == life.fired || (lacks_memory && sum == life.fired + 1), "%ld of %ld samples",
              (long)sum, (long)life.fired);
    cr_assert_eq(block_info(&block, HS_INFO_MISMATCHES), life.has_mismatch);
    cr_assert(!lacks_memory ||
                  block_u64(block.sections[DROPS].data, 8 * (size_t)HS_DROP_THREADS_FULL) == 0,
              "there is room, and no memory");
    cr_assert_eq(block_u64(block.sections[DROPS].data, 8 * (size_t)HS_DROP_VALUE_OBJECT),
                 (uint64_t)life.values);
    check_first_lines(&block);
}

/* Where a snapshot says how the living are reachable. What a fault left unknown is that, never another state. */
static void check_reach(const struct fake_object *bytes) {
    struct hs_buffer buffer = {.data = bytes->room, .length = (size_t)bytes->length};
    struct block block = block_read(&buffer);
    uint32_t count = block.sections[REACH].count;
    uint32_t states[HS_REACH_GONE + 1] = {0};
    if (life.has_odd_fields) {
        cr_assert_eq(count, 0, "referents were not recognised");
        return;
    }
    cr_assert(count == block.sections[LIVE].count || (count == 0 && !life.is_whole));
    for (uint32_t i = 0; i < count; i++) {
        unsigned char state = *block_entry(&block, REACH, i, 1);
        cr_assert_leq(state, HS_REACH_GONE);
        states[state]++;
    }
    cr_assert_eq(states[HS_REACH_NONE], 0, "all are held");
    cr_assert(!life.is_whole || (states[HS_REACH_STRONG] > 0 && states[HS_REACH_UNKNOWN] == 0));
}

void life_snapshot_with_reach(jint handle) {
    jlong failure = 0;
    struct fake_object object = {.data = &failure, .room = &failure, .length = 1, .is_kept = true};
    jobject result = fake_new_ref(FAKE_LOCAL, &object);
    jobject probe = fake_new_ref(FAKE_LOCAL, &FAKE_PROBE);
    life_before();
    jbyteArray block = ((snapshot_native *)fake_native("snapshot"))(
        fake_main_env(), NULL, handle, HS_AFTER_NONE.number, probe, LIFE_PAUSE_US, result);
    if (block != NULL && !fake_env->is_pending) {
        check_block(fake_object_of(block));
        check_reach(fake_object_of(block));
    }
    cr_assert_not(fake_has_heap_env());
    life_after("snapshot", block);
    cr_assert(!life.is_whole || failure == 0);
    fake_delete_ref(probe, FAKE_LOCAL);
    fake_delete_ref(result, FAKE_LOCAL);
}

void life_snapshot(jint handle, jint after) {
    jlong failure = 0;
    struct fake_object object = {.data = &failure, .room = &failure, .length = 1, .is_kept = true};
    jobject result = fake_new_ref(FAKE_LOCAL, &object);
    uint64_t rounds_before = life_rounds();
    uint32_t pauses_before =
        hs_vm_sampler() == NULL ? 0 : hs_epochs_collections(&hs_vm_sampler()->liveness.epochs);
    life_before();
    jbyteArray block = ((snapshot_native *)fake_native("snapshot"))(fake_main_env(), NULL, handle,
                                                                    after, NULL, 0, result);
    bool is_thrown = fake_env->is_pending;
    if (block != NULL && !is_thrown) {
        check_block(fake_object_of(block));
    }
    cr_assert(block != NULL || is_thrown || failure < 0, "neither a block nor a reason");
    life_after("snapshot", block);
    cr_assert(!life.is_whole || failure == 0);
    if (hs_vm_sampler() != NULL &&
        hs_epochs_collections(&hs_vm_sampler()->liveness.epochs) != pauses_before) {
        life_await_sweeper(rounds_before);
    }
    fake_delete_ref(result, FAKE_LOCAL);
}

void life_check_lookups(void) {
    struct hs_lookup *lookup = &hs_vm_sampler()->intake.lookup;
    bool is_on = hs_lookup_is_on(lookup);
    cr_assert(is_on || atomic_load(&lookup->reason) != NULL);
    cr_assert_eq(hs_lookup_counted(lookup, HS_LOOKUP_MISMATCHES), 0);
    cr_assert_eq(is_on, life.has_lookups, "no fault ends lookups");
    if (is_on && life.is_whole) {
        cr_assert_gt(hs_lookup_counted(lookup, HS_LOOKUP_VERIFIED), 0);
        cr_assert_gt(hs_lookup_counted(lookup, HS_LOOKUP_KNOWN), HS_LOOKUP_FIRST_CHECKS);
    }
}

/* Each call that needs a lock, made in the midst of a snapshot. */
static uint32_t refused_inside;

static void call_inside(void) {
    static const char *const CALLS[] = {"pause",   "reset",          "close",
                                        "release", "releaseKeeping", "expectCollection"};
    JNIEnv *jni = fake_main_env();
    void (*self)(void) = fake_on_new_array;
    fake_on_new_array = NULL;
    for (size_t i = 0; i < sizeof CALLS / sizeof CALLS[0]; i++) {
        jlong result = ((handle_native *)fake_native(CALLS[i]))(jni, NULL, 1);
        cr_assert_eq(result, -(jlong)HS_INSIDE, "%s: %ld", CALLS[i], (long)result);
        refused_inside++;
    }
    cr_assert_eq(((interval_native *)fake_native("setInterval"))(jni, NULL, 1, 64),
                 -(jlong)HS_INSIDE);
    cr_assert_eq(((keep_native *)fake_native("keepTables"))(jni, NULL), -(jlong)HS_INSIDE);
    ((drop_native *)fake_native("dropTables"))(jni, NULL, 1);
    jlong failure = 0;
    struct fake_object object = {.data = &failure, .room = &failure, .length = 1, .is_kept = true};
    jobject result = fake_new_ref(FAKE_LOCAL, &object);
    cr_assert_null(((snapshot_native *)fake_native("snapshot"))(jni, NULL, 1, 0, NULL, 0, result));
    cr_assert_eq(failure, -(jlong)HS_INSIDE);
    fake_delete_ref(result, FAKE_LOCAL);
    fake_delete_ref(((object_native *)fake_native("status"))(jni, NULL), FAKE_LOCAL);
    fake_on_new_array = self;
}

void life_snapshot_called_back(jint handle) {
    fake_on_new_array = call_inside;
    life_snapshot(handle, HS_AFTER_NONE.number);
    fake_on_new_array = NULL;
    cr_assert_gt(refused_inside, 0);
}
