/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* JVMTI. A call that fails leaves nothing in its out-parameters but addresses that end the test. */
#include <stdio.h>

#include "fakejvm/fakejvm.h"
#include "fakevm.h"

int fake_feature = 21;

static struct fake_jvmti *last;

/* Those beside it: one for walks over the heap, one for good. */
enum { BESIDE = 2 };
static struct fake_jvmti beside[BESIDE] = {{.is_disposed = true}, {.is_disposed = true}};

static struct fake_jvmti *env_of(jvmtiEnv *jvmti) {
    return (struct fake_jvmti *)(void *)jvmti;
}

/* The fault, or what is wrong with the environment. */
static bool fails(jvmtiEnv *jvmti, const char *function) {
    const struct fake_jvmti *one = env_of(jvmti);
    cr_assert(one == last || (one >= beside && one < beside + BESIDE),
              "an environment of an earlier life");
    cr_assert_not(one->is_disposed, "%s of an environment that was given back", function);
    fake_plan->calls++;
    return fake_fails(function);
}

static jvmtiError answer_text(const char *text, char **result) {
    *result = fake_lend_text(text);
    return JVMTI_ERROR_NONE;
}

#define NOT_TO_BE_READ ((void *)(uintptr_t)16)

/* ---- capabilities and events ---- */

/* can_support_value_objects: bit 45. */
enum { VALUES_BYTE = 5, VALUES_MASK = 1 << 5 };

static jvmtiError JNICALL get_potential(jvmtiEnv *jvmti, jvmtiCapabilities *potential) {
    cr_assert_geq(fake_feature, 28, "older VMs reserve the bit");
    if (fails(jvmti, "GetPotentialCapabilities")) {
        return JVMTI_ERROR_INTERNAL;
    }
    ((unsigned char *)potential)[VALUES_BYTE] |= VALUES_MASK;
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL add_capabilities(jvmtiEnv *jvmti, const jvmtiCapabilities *wanted) {
    if (fails(jvmti, "AddCapabilities")) {
        return JVMTI_ERROR_NOT_AVAILABLE;
    }
    struct fake_jvmti *one = env_of(jvmti);
    cr_assert(!wanted->can_tag_objects || one != last, "tags that others may have");
    if ((((const unsigned char *)wanted)[VALUES_BYTE] & VALUES_MASK) != 0) {
        cr_assert_geq(fake_feature, 28, "older VMs reserve the bit");
        one->can_see_values = true;
    }
    one->can_tag = one->can_tag || wanted->can_tag_objects;
    one->can_sample = one->can_sample || wanted->can_generate_sampled_object_alloc_events;
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL relinquish(jvmtiEnv *jvmti, const jvmtiCapabilities *unwanted) {
    if (fails(jvmti, "RelinquishCapabilities")) {
        return JVMTI_ERROR_INTERNAL;
    }
    cr_assert(unwanted->can_generate_sampled_object_alloc_events);
    last->can_sample = false;
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL set_callbacks(jvmtiEnv *jvmti, const jvmtiEventCallbacks *callbacks,
                                        jint bytes) {
    if (fails(jvmti, "SetEventCallbacks")) {
        return JVMTI_ERROR_INTERNAL;
    }
    cr_assert_eq(bytes, (jint)sizeof *callbacks);
    env_of(jvmti)->callbacks = *callbacks;
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL set_mode(jvmtiEnv *jvmti, jvmtiEventMode mode, jvmtiEvent event,
                                   jthread thread, ...) {
    if (fails(jvmti, "SetEventNotificationMode")) {
        return JVMTI_ERROR_INTERNAL;
    }
    cr_assert_null(thread);
    cr_assert(mode == JVMTI_DISABLE || event != JVMTI_EVENT_SAMPLED_OBJECT_ALLOC ||
              last->can_sample);
    env_of(jvmti)->is_enabled[event] = mode == JVMTI_ENABLE;
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL set_interval(jvmtiEnv *jvmti, jint interval) {
    if (fails(jvmti, "SetHeapSamplingInterval")) {
        return JVMTI_ERROR_INTERNAL;
    }
    cr_assert_geq(interval, 0);
    return last->can_sample ? JVMTI_ERROR_NONE : JVMTI_ERROR_MUST_POSSESS_CAPABILITY;
}

/* An environment that cannot be given back is used no more. */
static jvmtiError JNICALL dispose(jvmtiEnv *jvmti) {
    struct fake_jvmti *one = env_of(jvmti);
    bool is_refused = fails(jvmti, "DisposeEnvironment");
    one->is_disposed = true;
    memset(one->is_enabled, 0, sizeof one->is_enabled);
    if (one->can_tag) {
        fake_forget_tags();
    }
    return is_refused ? JVMTI_ERROR_INTERNAL : JVMTI_ERROR_NONE;
}

/* What is refused is back nevertheless, since no caller can try again. */
static jvmtiError JNICALL deallocate(jvmtiEnv *jvmti, unsigned char *memory) {
    bool is_refused = fails(jvmti, "Deallocate");
    fake_take_back(memory);
    return is_refused ? JVMTI_ERROR_INTERNAL : JVMTI_ERROR_NONE;
}

/* ---- names ---- */

static jvmtiError JNICALL get_signature(jvmtiEnv *jvmti, jclass class, char **signature,
                                        char **generic) {
    cr_assert_null(generic);
    *signature = NOT_TO_BE_READ;
    return fails(jvmti, "GetClassSignature") ? JVMTI_ERROR_INVALID_CLASS
                                             : answer_text(fake_object_of(class)->text, signature);
}

static jvmtiError JNICALL get_file(jvmtiEnv *jvmti, jclass class, char **file) {
    *file = NOT_TO_BE_READ;
    const char *own = fake_object_of(class)->file;
    return fails(jvmti, "GetSourceFileName") ? JVMTI_ERROR_ABSENT_INFORMATION
                                             : answer_text(own == NULL ? "Shop.java" : own, file);
}

static jvmtiError JNICALL get_hash(jvmtiEnv *jvmti, jobject object, jint *hash) {
    *hash = -1;
    if (fails(jvmti, "GetObjectHashCode")) {
        return JVMTI_ERROR_INVALID_OBJECT;
    }
    *hash = (jint)((uintptr_t)fake_object_of(object) >> 4);
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL get_thread_info(jvmtiEnv *jvmti, jthread thread, jvmtiThreadInfo *info) {
    memset(info, 0x10, sizeof *info);
    if (fails(jvmti, "GetThreadInfo")) {
        return JVMTI_ERROR_THREAD_NOT_ALIVE;
    }
    cr_assert_not_null(fake_object_of(thread));
    info->name = fake_lend_text("main");
    info->thread_group = fake_new_ref(FAKE_LOCAL, fake_class("a group"));
    info->context_class_loader = fake_new_ref(FAKE_LOCAL, fake_class("a loader"));
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL get_current_thread(jvmtiEnv *jvmti, jthread *thread) {
    *thread = NOT_TO_BE_READ;
    if (fails(jvmti, "GetCurrentThread")) {
        return JVMTI_ERROR_INTERNAL;
    }
    *thread = fake_new_ref(FAKE_LOCAL, &FAKE_PLATFORM_THREAD);
    return JVMTI_ERROR_NONE;
}

/* ---- methods ---- */

static const struct fake_id *method_of(jmethodID method) {
    const struct fake_id *id = (const struct fake_id *)(const void *)method;
    cr_assert(id >= FAKE_METHODS && id < FAKE_METHODS + METHODS);
    return id;
}

static jvmtiError JNICALL get_method_name(jvmtiEnv *jvmti, jmethodID method, char **name,
                                          char **descriptor, char **generic) {
    cr_assert_null(generic);
    *name = NOT_TO_BE_READ;
    *descriptor = NOT_TO_BE_READ;
    if (fails(jvmti, "GetMethodName")) {
        return JVMTI_ERROR_INVALID_METHODID;
    }
    (void)answer_text(method_of(method)->name, name);
    return answer_text(method_of(method)->descriptor, descriptor);
}

static jvmtiError JNICALL get_declaring_class(jvmtiEnv *jvmti, jmethodID method, jclass *class) {
    *class = NOT_TO_BE_READ;
    if (fails(jvmti, "GetMethodDeclaringClass")) {
        return JVMTI_ERROR_INVALID_METHODID;
    }
    *class = fake_new_ref(FAKE_LOCAL, &FAKE_CLASSES[method_of(method)->owner]);
    return JVMTI_ERROR_NONE;
}

/* Of a method with many lines, far from each other. */
static jint long_table(jvmtiLineNumberEntry **table) {
    enum { ENTRIES = 200, BYTES = 40, LINES = 9, FIRST_LINE = 10 };
    *table = fake_lend(ENTRIES * sizeof **table);
    for (jint i = 0; i < ENTRIES; i++) {
        (*table)[i] = (jvmtiLineNumberEntry){i * BYTES, FIRST_LINE + i * LINES};
    }
    return ENTRIES;
}

/* Not in order, which JVMTI does not promise, and with a line 0, as some compilers mark code of their
 * own. */
static jvmtiError JNICALL get_lines(jvmtiEnv *jvmti, jmethodID method, jint *count,
                                    jvmtiLineNumberEntry **table) {
    static const jvmtiLineNumberEntry LINES[] = {{20, 12}, {0, 10}, {1000, 0}, {5, 11}};
    *count = 1000000;
    *table = NOT_TO_BE_READ;
    if (fails(jvmti, "GetLineNumberTable")) {
        return JVMTI_ERROR_ABSENT_INFORMATION;
    }
    cr_assert_neq(method_of(method), &FAKE_METHODS[IS_NATIVE]);
    fake_lines_are_asked((enum fake_method_number)(method_of(method) - FAKE_METHODS));
    if (method_of(method) == &FAKE_METHODS[IS_PRICE]) {
        *count = long_table(table);
        return JVMTI_ERROR_NONE;
    }
    *count = sizeof LINES / sizeof LINES[0];
    *table = memcpy(fake_lend(sizeof LINES), LINES, sizeof LINES);
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL is_obsolete(jvmtiEnv *jvmti, jmethodID method, jboolean *result) {
    *result = JNI_FALSE;
    if (fails(jvmti, "IsMethodObsolete")) {
        return JVMTI_ERROR_INVALID_METHODID;
    }
    cr_assert_not_null(method_of(method));
    fake_lines_are_asked((enum fake_method_number)(method_of(method) - FAKE_METHODS));
    *result = fake_is_redefined();
    return JVMTI_ERROR_NONE;
}

/* fakejvm calls it: that of the VM must lie in the library which exports the tables. */
static int get_stack_trace(void *jvmti, void *thread, int start, int max, void *infos, int *count) {
    *count = 1000000;
    memset(infos, 0x10, (size_t)max * sizeof(jvmtiFrameInfo));
    if (fails(jvmti, "GetStackTrace")) {
        return JVMTI_ERROR_INTERNAL;
    }
    cr_assert_null(thread);
    if (fake_fails("GetStackTrace, a stale id")) {
        fake_lie(FAKE_STALE);
    }
    if (fake_fails("GetStackTrace, another method")) {
        fake_lie(FAKE_SWAPPED);
    }
    return fake_stack_trace(start, max, infos, count);
}

/* ---- the heap: fake_heap.c ---- */

/* As fails, in the environment that has requested it. */
static bool fails_on_heap(jvmtiEnv *jvmti, const char *function) {
    cr_assert_neq(env_of(jvmti), last);
    return fails(jvmti, function) || !env_of(jvmti)->can_tag;
}

static jvmtiError JNICALL get_tag(jvmtiEnv *jvmti, jobject object, jlong *tag) {
    return fails_on_heap(jvmti, "GetTag") ? JVMTI_ERROR_INVALID_OBJECT : fake_get_tag(object, tag);
}

static jvmtiError JNICALL set_tag(jvmtiEnv *jvmti, jobject object, jlong tag) {
    return fails_on_heap(jvmti, "SetTag") ? JVMTI_ERROR_OUT_OF_MEMORY : fake_set_tag(object, tag);
}

static jvmtiError JNICALL get_loaded(jvmtiEnv *jvmti, jint *count, jclass **list) {
    *list = NOT_TO_BE_READ;
    return fails_on_heap(jvmti, "GetLoadedClasses") ? JVMTI_ERROR_OUT_OF_MEMORY
                                                    : fake_loaded_classes(count, list);
}

static jvmtiError JNICALL get_interfaces(jvmtiEnv *jvmti, jclass class, jint *count,
                                         jclass **list) {
    *list = NOT_TO_BE_READ;
    return fails(jvmti, "GetImplementedInterfaces") ? JVMTI_ERROR_CLASS_NOT_PREPARED
                                                    : fake_interfaces_of(class, count, list);
}

static jvmtiError JNICALL get_fields(jvmtiEnv *jvmti, jclass class, jint *count,
                                     jfieldID **fields) {
    *fields = NOT_TO_BE_READ;
    return fails(jvmti, "GetClassFields") ? JVMTI_ERROR_CLASS_NOT_PREPARED
                                          : fake_fields_of(class, count, fields);
}

static jvmtiError JNICALL get_field_name(jvmtiEnv *jvmti, jclass class, jfieldID field, char **name,
                                         char **signature, char **generic) {
    char *not_requested;
    cr_assert(name != NULL || signature != NULL);
    cr_assert_null(generic);
    cr_assert_not_null(fake_object_of(class));
    *(name == NULL ? &not_requested : name) = NOT_TO_BE_READ;
    *(signature == NULL ? &not_requested : signature) = NOT_TO_BE_READ;
    if (fails(jvmti, "GetFieldName")) {
        return JVMTI_ERROR_INVALID_FIELDID;
    }
    if (name != NULL) {
        (void)answer_text((const char *)(uintptr_t)field, name);
    }
    return signature == NULL ? JVMTI_ERROR_NONE : answer_text(fake_signature_of(field), signature);
}

static jvmtiError JNICALL get_field_modifiers(jvmtiEnv *jvmti, jclass class, jfieldID field,
                                              jint *modifiers) {
    cr_assert_not_null(fake_object_of(class));
    cr_assert_not_null((const char *)(uintptr_t)field);
    *modifiers = -1;
    if (fails(jvmti, "GetFieldModifiers")) {
        return JVMTI_ERROR_INVALID_FIELDID;
    }
    *modifiers = fake_modifiers_of(field);
    return JVMTI_ERROR_NONE;
}

/* All are of the boot loader. */
static jvmtiError JNICALL get_loader(jvmtiEnv *jvmti, jclass class, jobject *loader) {
    cr_assert_not_null(fake_object_of(class));
    *loader = NOT_TO_BE_READ;
    if (fails(jvmti, "GetClassLoader")) {
        return JVMTI_ERROR_INVALID_CLASS;
    }
    *loader = NULL;
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL get_threads(jvmtiEnv *jvmti, jint *count, jthread **threads) {
    *threads = NOT_TO_BE_READ;
    *count = 1000000;
    if (fails(jvmti, "GetAllThreads")) {
        return JVMTI_ERROR_OUT_OF_MEMORY;
    }
    *count = 1;
    *threads = fake_lend(sizeof **threads);
    (*threads)[0] = fake_new_ref(FAKE_LOCAL, &FAKE_PLATFORM_THREAD);
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL follow(jvmtiEnv *jvmti, jint filter, jclass class, jobject from,
                                 const jvmtiHeapCallbacks *callbacks, const void *data) {
    cr_assert_eq(filter, 0);
    cr_assert_null(class);
    return fails_on_heap(jvmti, "FollowReferences")
               ? JVMTI_ERROR_OUT_OF_MEMORY
               : fake_follow(from, callbacks->heap_reference_callback, data);
}

static jvmtiError JNICALL iterate(jvmtiEnv *jvmti, jint filter, jclass class,
                                  const jvmtiHeapCallbacks *callbacks, const void *data) {
    cr_assert_eq(filter, JVMTI_HEAP_FILTER_CLASS_UNTAGGED);
    cr_assert_null(class);
    return fails_on_heap(jvmti, "IterateThroughHeap")
               ? JVMTI_ERROR_OUT_OF_MEMORY
               : fake_iterate(callbacks->heap_iteration_callback, data);
}

static jvmtiError JNICALL get_tagged(jvmtiEnv *jvmti, jint tag_count, const jlong *wanted,
                                     jint *count, jobject **list, jlong **list_of_tags) {
    *list = NOT_TO_BE_READ;
    *count = 1000000;
    cr_assert_gt(tag_count, 0);
    return fails_on_heap(jvmti, "GetObjectsWithTags")
               ? JVMTI_ERROR_OUT_OF_MEMORY
               : fake_tagged(wanted, tag_count, count, list, list_of_tags);
}

static jvmtiError JNICALL get_classes_of(jvmtiEnv *jvmti, jobject loader, jint *count,
                                         jclass **list) {
    *list = NOT_TO_BE_READ;
    *count = 1000000;
    return fails_on_heap(jvmti, "GetClassLoaderClasses") ? JVMTI_ERROR_OUT_OF_MEMORY
                                                         : fake_classes_of(loader, count, list);
}

/* ---- collections ---- */

void fake_collection(void) {
    jvmtiEnv *jvmti = (jvmtiEnv *)(void *)last;
    if (last->is_enabled[JVMTI_EVENT_GARBAGE_COLLECTION_START]) {
        last->callbacks.GarbageCollectionStart(jvmti);
    }
    fake_collect();
    if (last->is_enabled[JVMTI_EVENT_GARBAGE_COLLECTION_FINISH]) {
        last->callbacks.GarbageCollectionFinish(jvmti);
    }
}

static jvmtiError JNICALL force_collection(jvmtiEnv *jvmti) {
    if (fails(jvmti, "ForceGarbageCollection")) {
        return JVMTI_ERROR_INTERNAL;
    }
    fake_collection();
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL get_property(jvmtiEnv *jvmti, const char *key, char **value) {
    *value = NOT_TO_BE_READ;
    if (fails(jvmti, "GetSystemProperty")) {
        return JVMTI_ERROR_NOT_AVAILABLE;
    }
    if (strncmp(key, "heapsampler.", strlen("heapsampler.")) == 0) {
        return JVMTI_ERROR_NOT_AVAILABLE;
    }
    cr_assert_str_eq(key, "java.vm.specification.version");
    char text[8];
    (void)snprintf(text, sizeof text, "%d", fake_feature);
    return answer_text(text, value);
}

static struct jvmtiInterface_1_ table = {
    .AddCapabilities = add_capabilities,
    .GetPotentialCapabilities = get_potential,
    .RelinquishCapabilities = relinquish,
    .SetEventCallbacks = set_callbacks,
    .SetEventNotificationMode = set_mode,
    .SetHeapSamplingInterval = set_interval,
    .DisposeEnvironment = dispose,
    .Deallocate = deallocate,
    .GetClassSignature = get_signature,
    .GetSystemProperty = get_property,
    .GetSourceFileName = get_file,
    .GetObjectHashCode = get_hash,
    .GetThreadInfo = get_thread_info,
    .GetCurrentThread = get_current_thread,
    .GetMethodName = get_method_name,
    .GetMethodDeclaringClass = get_declaring_class,
    .GetLineNumberTable = get_lines,
    .IsMethodObsolete = is_obsolete,
    .ForceGarbageCollection = force_collection,
    .GetTag = get_tag,
    .SetTag = set_tag,
    .GetLoadedClasses = get_loaded,
    .GetImplementedInterfaces = get_interfaces,
    .GetClassFields = get_fields,
    .GetFieldName = get_field_name,
    .GetFieldModifiers = get_field_modifiers,
    .GetClassLoader = get_loader,
    .GetAllThreads = get_threads,
    .FollowReferences = follow,
    .IterateThroughHeap = iterate,
    .GetObjectsWithTags = get_tagged,
    .GetClassLoaderClasses = get_classes_of,
};

struct fake_jvmti *fake_jvmti(void) {
    return last;
}

bool fake_has_heap_env(void) {
    bool has = false;
    for (int i = 0; i < BESIDE; i++) {
        has = has || (!beside[i].is_disposed && beside[i].can_tag);
    }
    return has;
}

struct fake_jvmti *fake_jvmti_of(jvmtiEvent event) {
    for (int i = 0; i < BESIDE; i++) {
        if (!beside[i].is_disposed && beside[i].is_enabled[event]) {
            return &beside[i];
        }
    }
    return NULL;
}

jint fake_new_jvmti(void **env) {
    if (last != NULL && !last->is_disposed) {
        struct fake_jvmti *one = beside[0].is_disposed ? &beside[0] : &beside[1];
        cr_assert(one->is_disposed, "four environments at once");
        *one = (struct fake_jvmti){.functions = &table};
        *env = one;
        return JNI_OK;
    }
    free(last);
    last = calloc(1, sizeof *last);
    fakejvm_on_stack_trace = get_stack_trace;
    table.GetStackTrace = (jvmtiError(JNICALL *)(jvmtiEnv *, jthread, jint, jint, jvmtiFrameInfo *,
                                                 jint *))(void (*)(void))fakejvm_stack_trace;
    last->functions = &table;
    *env = last;
    return JNI_OK;
}
