/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "jni_bindings.h"

#include <string.h>

#include "hs_cgroup.h"
#include "hs_clock.h"
#include "hs_vm.h"
#include "hs_vm_gc_calls.h"
#include "hs_vm_loaders.h"
#include "hs_vm_reach.h"
#include "hs_vm_soft.h"
#include "jni_array.h"
#include "jni_held.h"
#include "jni_labels.h"
#include "jni_otel.h"
#include "jni_owner.h"
#include "jni_texts.h"

enum { LIMIT_COUNT = 7 };
enum { LOOKUPS_WANTED = 1, LOOKUPS_ALL_VERIFIED = 2, LOOKUPS_MASK = 3 };

#ifndef HS_VERSION
#error "HS_VERSION is the version of the project, a string"
#endif

static jlong answer(enum hs_status status) {
    if (status == HS_OK) {
        return 0;
    }
    jlong error = 0;
    if (status == HS_JVMTI || status == HS_OWNED) {
        error = atomic_load_explicit(&hs_vm_sampler()->vm_error, memory_order_relaxed);
    }
    return -((jlong)status + error * 65536);
}

/* The failure where this thread must not call the sampler, else 0. */
static jlong unavailable(JNIEnv *jni) {
    if (hs_vm_sampler() == NULL) {
        return -(jlong)HS_UNSUPPORTED;
    }
    return jni_array_is_being_made_by(jni) ? -(jlong)HS_INSIDE : 0;
}

static jint JNICALL abi(JNIEnv *jni, jclass class) {
    (void)jni;
    (void)class;
    return JNI_ABI;
}

static jstring JNICALL version(JNIEnv *jni, jclass class) {
    (void)class;
    return (*jni)->NewStringUTF(jni, HS_VERSION);
}

static jstring JNICALL status_text(JNIEnv *jni, jclass class, jint status) {
    (void)class;
    const char *text = hs_status_text(status);
    return text == NULL ? NULL : (*jni)->NewStringUTF(jni, text);
}

static jlong JNICALL configure(JNIEnv *jni, jclass class, jintArray array, jint strategy,
                               jlong amount, jint collector, jlong born_old_bytes,
                               jlong garbage_bytes, jint feature, jint lookups) {
    (void)class;
    jlong none = unavailable(jni);
    if (none != 0) {
        return none;
    }
    jint values[LIMIT_COUNT] = {0}; /* not valid, if the VM refuses to give them */
    if ((*jni)->GetArrayLength(jni, array) != LIMIT_COUNT) {
        return -(jlong)HS_INVALID;
    }
    (*jni)->GetIntArrayRegion(jni, array, 0, LIMIT_COUNT, values);
    for (int i = 0; i < LIMIT_COUNT; i++) {
        if (values[i] < 0) {
            return -(jlong)HS_INVALID;
        }
    }
    struct hs_limits limits = {
        .depth = (uint32_t)values[0],
        .tracked = (uint32_t)values[1],
        .stacks = (uint32_t)values[2],
        .names = (uint32_t)values[3],
        .sites = (uint32_t)values[4],
        .threads = (uint32_t)values[5],
        .dead = (uint32_t)values[6],
        .garbage_bytes = (uint64_t)garbage_bytes,
    };
    if (limits.depth == 0 || limits.depth > HS_MAX_DEPTH || collector < 0 ||
        collector > HS_UNKNOWN_COLLECTOR || born_old_bytes < 0 || garbage_bytes < 0 ||
        feature < 0 || (lookups & ~LOOKUPS_MASK) != 0) {
        return -(jlong)HS_INVALID;
    }
    struct hs_vm_traits traits = {
        .collector = (enum hs_collector)collector,
        .born_old_bytes = (uint64_t)born_old_bytes,
        .feature = (uint32_t)feature,
    };
    struct hs_strategy chosen = {
        .kind = strategy < 0 ? HS_STRATEGY_COUNT : (enum hs_strategy_kind)strategy,
        .amount = (uint64_t)amount, /* a negative one is far out of range */
    };
    struct hs_config_version config_version = {0};
    enum hs_status status =
        hs_sampler_configure(hs_vm_sampler(), jni, &limits, &chosen, &traits, &config_version);
    if (status == HS_OK) {
        hs_vm_prepare_lookup(jni, (lookups & LOOKUPS_WANTED) != 0,
                             (lookups & LOOKUPS_ALL_VERIFIED) != 0);
    }
    return status == HS_OK ? config_version.number : answer(status);
}

static jstring JNICALL lookup_reason(JNIEnv *jni, jclass class) {
    (void)class;
    const char *reason = NULL;
    if (hs_vm_sampler() != NULL) {
        reason = atomic_load_explicit(&hs_vm_sampler()->intake.lookup.reason, memory_order_acquire);
    }
    return reason == NULL ? NULL : (*jni)->NewStringUTF(jni, reason);
}

static jlong JNICALL open_recording(JNIEnv *jni, jclass class, jint config_version, jint interval,
                                    jlongArray threads, jobjectArray classes, jobjectArray packages,
                                    jlong duration_ns) {
    (void)class;
    jlong none = unavailable(jni);
    if (none != 0) {
        return none;
    }
    if (interval < 0 || duration_ns < 0) {
        return -(jlong)HS_INVALID;
    }
    struct jni_texts class_names = {0};
    struct jni_texts package_names = {0};
    jlong result = -(jlong)HS_NO_MEMORY;
    jsize thread_count = (*jni)->GetArrayLength(jni, threads);
    jlong *ids = (*jni)->GetLongArrayElements(jni, threads, NULL);
    if (ids == NULL) {
        (*jni)->ExceptionClear(jni);
        return result;
    }
    if (jni_texts_get(jni, classes, &class_names) && jni_texts_get(jni, packages, &package_names)) {
        struct hs_filter filter = {
            .threads = (const int64_t *)ids,
            .thread_count = (uint32_t)thread_count,
            .classes = (const char *const *)class_names.texts,
            .class_count = class_names.count,
            .packages = (const char *const *)package_names.texts,
            .package_count = package_names.count,
        };
        struct hs_handle handle = {0};
        /* Microseconds, rounded up: a duration above 0 stays above 0. */
        result = answer(hs_sampler_open(
            hs_vm_sampler(), jni, (struct hs_config_version){config_version}, &filter,
            (uint32_t)interval, duration_ns / 1000 + (duration_ns % 1000 != 0), &handle));
        result = result == 0 ? handle.number : result;
    }
    jni_texts_free(&package_names);
    jni_texts_free(&class_names);
    (*jni)->ReleaseLongArrayElements(jni, threads, ids, JNI_ABORT);
    return result;
}

static jlong JNICALL hold(JNIEnv *jni, jclass class, jint config_version, jint interval, jint wish,
                          jint overhead, jboolean keeps, jbyteArray name) {
    struct hs_hold hold = {
        .interval = (uint32_t)wish, .overhead = (uint32_t)overhead, .keeps = keeps == JNI_TRUE};
    struct hs_hold_id id = {0};
    jlong none = unavailable(jni);
    if (none != 0) {
        return none;
    }
    jsize length = (*jni)->GetArrayLength(jni, name);
    if (interval < 0 || wish < 0 || overhead < 0 || overhead > (jint)HS_WHOLE_SHARE ||
        length >= HS_HOLD_NAME) {
        return -(jlong)HS_INVALID;
    }
    (*jni)->GetByteArrayRegion(jni, name, 0, length, (jbyte *)hold.name);
    if (hold.name[0] == '\0') { /* empty, or the VM refused to give it */
        return -(jlong)HS_INVALID;
    }
    hold.owner = jni_owner_new(jni, class);
    if (hold.owner == 0) {
        return -(jlong)HS_NO_MEMORY;
    }
    enum hs_status status =
        hs_sampler_hold(hs_vm_sampler(), jni, (struct hs_config_version){config_version},
                        (uint32_t)interval, &hold, &id);
    if (status != HS_OK) {
        (*jni)->DeleteWeakGlobalRef(jni, (jweak)hold.owner);
    }
    return status == HS_OK ? id.number : answer(status);
}

static jlong JNICALL release(JNIEnv *jni, jclass class, jint id) {
    (void)class;
    bool is_closed = false;
    jlong none = unavailable(jni);
    if (none != 0) {
        return none;
    }
    enum hs_status status =
        hs_sampler_release(hs_vm_sampler(), jni, (struct hs_hold_id){id}, &is_closed);
    return status == HS_OK ? is_closed : answer(status);
}

static jlong JNICALL release_keeping(JNIEnv *jni, jclass class, jint id) {
    (void)class;
    jlong none = unavailable(jni);
    return none != 0
               ? none
               : answer(hs_sampler_release_keeping(hs_vm_sampler(), jni, (struct hs_hold_id){id}));
}

static jlong JNICALL pause_recording(JNIEnv *jni, jclass class, jint handle) {
    (void)class;
    jlong none = unavailable(jni);
    return none != 0 ? none
                     : answer(hs_sampler_pause(hs_vm_sampler(), jni, (struct hs_handle){handle}));
}

static jlong JNICALL set_interval(JNIEnv *jni, jclass class, jint handle, jint interval) {
    (void)class;
    jlong none = unavailable(jni);
    if (interval < 0 || none != 0) {
        return interval < 0 ? -(jlong)HS_INVALID : none;
    }
    return answer(hs_sampler_set_interval(hs_vm_sampler(), jni, (struct hs_handle){handle},
                                          (uint32_t)interval));
}

static jlong JNICALL reset_recording(JNIEnv *jni, jclass class, jint handle) {
    (void)class;
    jlong none = unavailable(jni);
    return none != 0 ? none
                     : answer(hs_sampler_reset(hs_vm_sampler(), jni, (struct hs_handle){handle}));
}

static jlong JNICALL close_recording(JNIEnv *jni, jclass class, jint handle) {
    (void)class;
    jlong none = unavailable(jni);
    return none != 0 ? none
                     : answer(hs_sampler_close(hs_vm_sampler(), jni, (struct hs_handle){handle}));
}

static jlong JNICALL keep_tables(JNIEnv *jni, jclass class) {
    struct hs_keeper_id id = {0};
    jlong none = unavailable(jni);
    if (none != 0) {
        return none;
    }
    hs_ref owner = jni_owner_new(jni, class);
    if (owner == 0) {
        return -(jlong)HS_NO_MEMORY;
    }
    enum hs_status status = hs_sampler_keep_tables(hs_vm_sampler(), jni, owner, &id);
    if (status != HS_OK) {
        (*jni)->DeleteWeakGlobalRef(jni, (jweak)owner);
    }
    return status == HS_OK ? id.number : answer(status);
}

static void JNICALL drop_tables(JNIEnv *jni, jclass class, jint id) {
    (void)class;
    if (unavailable(jni) == 0) {
        hs_sampler_drop_tables(hs_vm_sampler(), jni, (struct hs_keeper_id){id});
    }
}

/* Without knowing how objects are reachable, where this VM cannot tell. */
static enum hs_status take_snapshot(JNIEnv *jni, jint handle, jint after, jobject probe,
                                    jlong budget_us, struct hs_buffer *buffer) {
    struct hs_vm_reach reach;
    struct hs_reach_wish wish = {.budget_us = budget_us};
    bool is_open = probe != NULL && hs_vm_reach_open(jni, probe, &reach, &wish.vm) == HS_OK;
    enum hs_status status =
        hs_sampler_snapshot(hs_vm_sampler(), jni, (struct hs_handle){handle},
                            (struct hs_after){after}, is_open ? &wish : NULL, buffer);
    if (is_open) {
        hs_vm_reach_close(&reach);
    }
    return status;
}

static jlong JNICALL expect_collection(JNIEnv *jni, jclass class, jint handle) {
    (void)class;
    struct hs_after after = HS_AFTER_FORCED;
    jlong none = unavailable(jni);
    if (none != 0) {
        return none;
    }
    enum hs_status status =
        hs_sampler_expect_collection(hs_vm_sampler(), jni, (struct hs_handle){handle}, &after);
    return status == HS_OK && after.number > 0 ? after.number : answer(status);
}

static jbyteArray JNICALL snapshot(JNIEnv *jni, jclass class, jint handle, jint after,
                                   jobject probe, jlong budget_us, jlongArray result) {
    (void)class;
    struct jni_array to = jni_array_begin(jni);
    struct hs_buffer buffer = {.sink = &to.sink};
    jlong failure = unavailable(jni);
    if (failure == 0) {
        failure = answer(take_snapshot(jni, handle, after, probe, budget_us, &buffer));
    }
    hs_buffer_free(&buffer);
    jbyteArray block = jni_array_end(&to, failure == 0);
    if (!(*jni)->ExceptionCheck(jni)) {
        (*jni)->SetLongArrayRegion(jni, result, 0, 1, &failure);
    }
    return block;
}

_Static_assert(sizeof(jlong) == sizeof(int64_t), "a jlong is an int64_t");

static jlongArray new_longs(JNIEnv *jni, const int64_t *values, jsize count) {
    jlongArray array = (*jni)->NewLongArray(jni, count);
    if (array != NULL) {
        (*jni)->SetLongArrayRegion(jni, array, 0, count, (const jlong *)values);
    }
    return array;
}

static jlongArray JNICALL status(JNIEnv *jni, jclass class) {
    (void)class;
    int64_t values[HS_STATUS_VALUES] = {0};
    if (unavailable(jni) == 0) {
        hs_sampler_status(hs_vm_sampler(), values);
    }
    return new_longs(jni, values, HS_STATUS_VALUES);
}

/* Reads the name of a report file, the empty text for NULL; false if it is no name. */
static bool get_path(JNIEnv *jni, jbyteArray array, char path[HS_OOM_PATH]) {
    jsize length = array == NULL ? 0 : (*jni)->GetArrayLength(jni, array);
    if (length >= HS_OOM_PATH) {
        return false;
    }
    memset(path, 0, HS_OOM_PATH);
    if (length > 0) {
        (*jni)->GetByteArrayRegion(jni, array, 0, length, (jbyte *)path);
    }
    return array == NULL || path[0] != '\0'; /* empty: or the VM refused to give it */
}

static jlong JNICALL report_on_oom(JNIEnv *jni, jclass class, jbyteArray before, jbyteArray file,
                                   jint max_holds) {
    (void)class;
    char expected[HS_OOM_PATH];
    char path[HS_OOM_PATH];
    jlong none = unavailable(jni);
    if (none != 0) {
        return none;
    }
    if (!get_path(jni, before, expected) || !get_path(jni, file, path) || max_holds < 0) {
        return -(jlong)HS_INVALID;
    }
    return answer(hs_sampler_replace_report(hs_vm_sampler(), before == NULL ? NULL : expected,
                                            file == NULL ? NULL : path, (uint32_t)max_holds));
}

static jbyteArray JNICALL report_file(JNIEnv *jni, jclass class) {
    (void)class;
    char path[HS_OOM_PATH];
    if (unavailable(jni) != 0 || !hs_sampler_report_file(hs_vm_sampler(), path)) {
        return NULL;
    }
    jsize length = (jsize)strlen(path);
    jbyteArray array = (*jni)->NewByteArray(jni, length);
    if (array != NULL) {
        (*jni)->SetByteArrayRegion(jni, array, 0, length, (const jbyte *)path);
    }
    return array;
}

static jlongArray JNICALL memory_group(JNIEnv *jni, jclass class) {
    (void)class;
    struct hs_cgroup group;
    if (!hs_cgroup_fullest("", &group)) {
        return NULL;
    }
    const int64_t values[] = {(int64_t)group.used, (int64_t)group.max};
    return new_longs(jni, values, 2);
}

static jlong JNICALL age_soft_references(JNIEnv *jni, jclass class) {
    (void)class;
    return -(jlong)hs_vm_soft_age(jni);
}

static jlong JNICALL gc_calls(JNIEnv *jni, jclass class) {
    (void)class;
    jlong none = unavailable(jni);
    return none != 0 ? none : (jlong)hs_vm_gc_calls_count();
}

static jstring JNICALL gc_call(JNIEnv *jni, jclass class, jlong number, jlongArray times) {
    (void)class;
    struct hs_gc_call call;
    if (unavailable(jni) != 0 || !hs_vm_gc_calls_read((uint64_t)number, &call)) {
        return NULL;
    }
    const jlong values[] = {hs_clock_monotonic_us() - call.began_us, call.took_us};
    (*jni)->SetLongArrayRegion(jni, times, 0, 2, values);
    return (*jni)->ExceptionCheck(jni) ? NULL : (*jni)->NewStringUTF(jni, call.stack.text);
}

static jbyteArray JNICALL held_by(JNIEnv *jni, jclass class, jintArray samples, jintArray places,
                                  jlongArray allocated, jlongArray sizes, jobjectArray watched,
                                  jobjectArray loaders, jlongArray limits, jlongArray result) {
    (void)class;
    const struct jni_question asked = {samples, places, allocated, sizes, watched, loaders, limits};
    jbyteArray block = NULL;
    jlong failure = unavailable(jni);
    if (failure == 0) {
        failure = answer(jni_held_find(jni, hs_vm_sampler(), &asked, &block));
    }
    if (!(*jni)->ExceptionCheck(jni)) {
        (*jni)->SetLongArrayRegion(jni, result, 0, 1, &failure);
    }
    return block;
}

/* Returns the array, which is NULL after a failure; `result` gets 0 or that failure. */
static jobjectArray answer_array(JNIEnv *jni, jlong failure, jobjectArray array,
                                 jlongArray result) {
    (*jni)->SetLongArrayRegion(jni, result, 0, 1, &failure);
    return array;
}

static jobjectArray JNICALL class_loaders(JNIEnv *jni, jclass class, jlongArray result) {
    (void)class;
    jobjectArray loaders = NULL;
    jlong failure = unavailable(jni);
    failure = failure != 0 ? failure : -(jlong)hs_vm_loaders_all(jni, &loaders);
    return answer_array(jni, failure, loaders, result);
}

static jobjectArray JNICALL classes_of(JNIEnv *jni, jclass class, jobject loader,
                                       jlongArray result) {
    (void)class;
    jobjectArray classes = NULL;
    jlong failure = unavailable(jni);
    failure = failure != 0 ? failure : -(jlong)hs_vm_loaders_classes(jni, loader, &classes);
    return answer_array(jni, failure, classes, result);
}

static jint JNICALL primed(JNIEnv *jni, jclass class) {
    (void)jni;
    (void)class;
    return hs_vm_sampler() == NULL || hs_sampler_is_primed(hs_vm_sampler());
}

static void JNICALL facade(JNIEnv *jni, jclass class, jint change) {
    (void)jni;
    (void)class;
    if (hs_vm_sampler() != NULL) {
        atomic_fetch_add_explicit(&hs_vm_sampler()->intake.facade_calls, (uint32_t)change,
                                  memory_order_relaxed);
    }
}

#define METHOD(name, signature, function) \
    { (char *)(uintptr_t)(name), (char *)(uintptr_t)(signature), (void *)(function) }

static const JNINativeMethod METHODS[] = {
    METHOD("abi", "()I", abi),
    METHOD("version", "()Ljava/lang/String;", version),
    METHOD("statusText", "(I)Ljava/lang/String;", status_text),
    METHOD("configure", "([IIJIJJII)J", configure),
    METHOD("lookupReason", "()Ljava/lang/String;", lookup_reason),
    METHOD("open", "(II[J[Ljava/lang/String;[Ljava/lang/String;J)J", open_recording),
    METHOD("hold", "(IIIIZ[B)J", hold),
    METHOD("release", "(I)J", release),
    METHOD("releaseKeeping", "(I)J", release_keeping),
    METHOD("pause", "(I)J", pause_recording),
    METHOD("setInterval", "(II)J", set_interval),
    METHOD("reset", "(I)J", reset_recording),
    METHOD("close", "(I)J", close_recording),
    METHOD("keepTables", "()J", keep_tables),
    METHOD("dropTables", "(I)V", drop_tables),
    METHOD("expectCollection", "(I)J", expect_collection),
    METHOD("snapshot", "(IILjava/lang/Object;J[J)[B", snapshot),
    METHOD("status", "()[J", status),
    METHOD("reportOnOom", "([B[BI)J", report_on_oom),
    METHOD("reportFile", "()[B", report_file),
    METHOD("memoryGroup", "()[J", memory_group),
    METHOD("ageSoftReferences", "()J", age_soft_references),
    METHOD("gcCalls", "()J", gc_calls),
    METHOD("gcCall", "(J[J)Ljava/lang/String;", gc_call),
    METHOD("heldBy", "([I[I[J[J[Ljava/lang/Object;[Ljava/lang/Object;[J[J)[B", held_by),
    METHOD("classLoaders", "([J)[Ljava/lang/ClassLoader;", class_loaders),
    METHOD("classesOf", "(Ljava/lang/ClassLoader;[J)[Ljava/lang/Class;", classes_of),
    METHOD("primed", "()I", primed),
    METHOD("facade", "(I)V", facade),
};

bool jni_bindings_register(JNIEnv *jni, jclass bindings) {
    return (*jni)->RegisterNatives(jni, bindings, METHODS,
                                   (jint)(sizeof METHODS / sizeof METHODS[0])) == JNI_OK &&
           jni_labels_register(jni, bindings) && jni_otel_register(jni, bindings);
}
