/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Everything a frame says is asked while the frame is on the running stack, which pins its class: no
 * method id outlives the callback as truth. Every out-pointer is read only after its status, and
 * what the VM allocated goes back to it. */
#include "hs_vm_names.h"

#include <string.h>

static void give_back(const struct hs_vm_access *vm, void *memory) {
    if (memory != NULL) {
        (void)(*vm->jvmti)->Deallocate(vm->jvmti, memory);
    }
}

static bool begins_with_one_of(const char *name, size_t bytes, const char *const *prefixes,
                               size_t count) {
    for (size_t i = 0; i < count; i++) {
        size_t n = strlen(prefixes[i]);
        if (bytes > n && memcmp(name, prefixes[i], n) == 0) {
            return true;
        }
    }
    return false;
}

/* The facade, and packages of modules that run beside an application. What tests use (assertions, JUnit)
 * is not among them: those allocate little but what the code under test does. */
static bool is_own(const struct hs_vm_access *vm, const char *name, size_t bytes) {
    static const char *const MODULES[] = {"internal.", "agent.", "doctor.",
                                          "export.",   "http.",  "push."};
    size_t n = vm->own_bytes;
    if (n == 0 || bytes <= n + 1 || memcmp(name, vm->own_package, n) != 0 || name[n] != '.') {
        return false;
    }
    const char *rest = name + n + 1;
    size_t left = bytes - n - 1;
    return memchr(rest, '.', left) == NULL ||
           begins_with_one_of(rest, left, MODULES, sizeof MODULES / sizeof MODULES[0]);
}

static uint32_t origin_of(const struct hs_vm_access *vm, const char *name, size_t bytes) {
    static const char *const JDK[] = {"java.", "jdk.", "sun.", "javax.", "com.sun."};
    if (is_own(vm, name, bytes)) {
        return HS_FRAME_OWN;
    }
    return begins_with_one_of(name, bytes, JDK, sizeof JDK / sizeof JDK[0]) ? HS_FRAME_JDK : 0;
}

struct class_names {
    uint32_t name;
    uint32_t raw;
    uint32_t flags;
};

static enum hs_status name_class(const struct hs_vm_access *vm, struct hs_store *store,
                                 jclass class, struct class_names *names,
                                 struct hs_vm_text *normalised) {
    char *signature;
    if ((*vm->jvmti)->GetClassSignature(vm->jvmti, class, &signature, NULL) != JVMTI_ERROR_NONE) {
        return HS_NO_STACK;
    }
    char raw[HS_SIGNATURE_MAX];
    const char *name = normalised->text;
    bool is_hidden;
    size_t raw_bytes = hs_signature_to_name(signature, raw);
    size_t bytes = hs_signature_normalise(raw, raw_bytes, normalised->text, &is_hidden);
    normalised->bytes = bytes;
    give_back(vm, signature);
    names->flags = (is_hidden ? HS_FRAME_HIDDEN : 0) | origin_of(vm, name, bytes);
    enum hs_status status = hs_names_put(store->names, name, bytes, &names->name);
    if (status == HS_OK) {
        /* No room for the raw name is no loss worth the sample. */
        (void)hs_names_put(store->names, raw, raw_bytes, &names->raw);
    }
    return status;
}

static bool is_same_class(void *env, uintptr_t object, hs_ref ref) {
    JNIEnv *jni = env;
    return (*jni)->IsSameObject(jni, (jobject)object, (jobject)ref);
}

uint32_t hs_vm_class_name(const struct hs_vm_access *vm, struct hs_store *store, jclass class,
                          uint64_t size, struct hs_vm_text *text) {
    jint hash;
    text->bytes = 0;
    /* Objects of one size are mostly of one class. */
    uint16_t *hint = &vm->step->class_hints[size / 8 % HS_CLASS_HINTS];
    uint32_t known =
        hs_classes_try(store->classes, *hint, is_same_class, vm->jni, (uintptr_t) class);
    if (known != 0) {
        return known;
    }
    if ((*vm->jvmti)->GetObjectHashCode(vm->jvmti, class, &hash) != JVMTI_ERROR_NONE) {
        return 0;
    }
    known = hs_classes_find(store->classes, (uint32_t)hash, is_same_class, vm->jni,
                            (uintptr_t) class, hint);
    struct class_names names = {0};
    if (known != 0 || name_class(vm, store, class, &names, text) != HS_OK) {
        return known;
    }
    jweak ref = (*vm->jni)->NewWeakGlobalRef(vm->jni, class);
    if (ref == NULL) {
        (*vm->jni)->ExceptionClear(vm->jni);
    } else if (!hs_classes_put(store->classes, (uint32_t)hash, (hs_ref)ref, names.name)) {
        (*vm->jni)->DeleteWeakGlobalRef(vm->jni, ref);
    }
    return names.name;
}

static uint32_t name_thread(const struct hs_vm_access *vm, struct hs_store *store, jthread thread) {
    jvmtiThreadInfo info;
    uint32_t name = 0;
    if ((*vm->jvmti)->GetThreadInfo(vm->jvmti, thread, &info) != JVMTI_ERROR_NONE) {
        return 0;
    }
    if (info.name != NULL) {
        (void)hs_names_put(store->names, info.name, strlen(info.name), &name);
    }
    give_back(vm, info.name);
    (*vm->jni)->DeleteLocalRef(vm->jni, info.thread_group);
    (*vm->jni)->DeleteLocalRef(vm->jni, info.context_class_loader);
    return name;
}

uint32_t hs_vm_thread(const struct hs_vm_access *vm, struct hs_store *store, jthread thread,
                      int64_t java_id, bool *is_full) {
    *is_full = false;
    uint32_t id = vm->step->thread_hint;
    if (id != HS_THREAD_OTHER && java_id >= 0 &&
        hs_threads_java_id(store->threads, id) == java_id) {
        return id;
    }
    id = hs_threads_find(store->threads, java_id);
    if (id == 0) {
        uint32_t name = name_thread(vm, store, thread);
        *is_full = hs_threads_put(store->threads, java_id, name, &id) != HS_OK;
    }
    vm->step->thread_hint = id;
    return id;
}

uintptr_t hs_vm_method(const struct hs_vm_access *vm, jmethodID method) {
    if (vm->feature == 0 || vm->feature > HS_LAST_JDK_WITH_METHOD_CELLS) {
        return 0;
    }
    /* Relaxed: the VM changes the cell only while it has stopped everyone, or on unloading, which a
     * frame of ours forbids. */
    return __atomic_load_n((uintptr_t *)method, __ATOMIC_RELAXED);
}

/* The line of a bytecode, -1 where unknown, and the least line of the method but 0, which compilers give
 * to code of their own; `first` stays as it is where there is none. */
static int32_t line_of(const struct hs_vm_access *vm, jmethodID method, jlocation bci,
                       uint16_t *first) {
    jint count;
    jvmtiLineNumberEntry *table;
    if (bci < 0 ||
        (*vm->jvmti)->GetLineNumberTable(vm->jvmti, method, &count, &table) != JVMTI_ERROR_NONE) {
        return -1;
    }
    int32_t line = -1;
    jlocation best = -1;
    for (jint i = 0; i < count; i++) { /* the table need not be in order */
        if (table[i].start_location <= bci && table[i].start_location > best) {
            best = table[i].start_location;
            line = table[i].line_number;
        }
        if (table[i].line_number > 0 && (*first == 0 || table[i].line_number < *first)) {
            *first = (uint16_t)table[i].line_number;
        }
    }
    give_back(vm, table);
    return line;
}

/* A class without a file has 0. Fails as hs_names_put: a frame without its file would be another one. */
static enum hs_status file_of(const struct hs_vm_access *vm, struct hs_store *store, jclass class,
                              uint32_t *name) {
    char *file;
    enum hs_status status = HS_OK;
    if ((*vm->jvmti)->GetSourceFileName(vm->jvmti, class, &file) == JVMTI_ERROR_NONE) {
        status = hs_names_put(store->names, file, strlen(file), name);
        give_back(vm, file);
    }
    return status;
}

static enum hs_status name_method(const struct hs_vm_access *vm, struct hs_store *store,
                                  jmethodID method, struct hs_frame *frame) {
    char *name;
    char *descriptor;
    if ((*vm->jvmti)->GetMethodName(vm->jvmti, method, &name, &descriptor, NULL) !=
        JVMTI_ERROR_NONE) {
        return HS_NO_STACK;
    }
    enum hs_status status = hs_names_put(store->names, name, strlen(name), &frame->method);
    if (status == HS_OK) {
        status = hs_names_put(store->names, descriptor, strlen(descriptor), &frame->descriptor);
    }
    give_back(vm, name);
    give_back(vm, descriptor);
    return status;
}

static enum hs_status resolve(const struct hs_vm_access *vm, struct hs_store *store,
                              const jvmtiFrameInfo *info, struct hs_frame *frame, uint32_t *raw) {
    jclass class;
    struct class_names names = {0};
    if ((*vm->jvmti)->GetMethodDeclaringClass(vm->jvmti, info->method, &class) !=
        JVMTI_ERROR_NONE) {
        return HS_NO_STACK;
    }
    struct hs_vm_text text;
    enum hs_status status = name_class(vm, store, class, &names, &text);
    if (status == HS_OK) {
        status = name_method(vm, store, info->method, frame);
    }
    if (status == HS_OK) {
        status = file_of(vm, store, class, &frame->file);
    }
    if (status == HS_OK) {
        frame->class_name = names.name;
        uint16_t first = 0;
        frame->line = line_of(vm, info->method, info->location, &first);
        frame->flags = names.flags | (info->location < 0 ? HS_FRAME_NATIVE : 0) |
                       (uint32_t)first << HS_FRAME_FIRST_LINE_SHIFT;
        *raw = names.raw;
    }
    (*vm->jni)->DeleteLocalRef(vm->jni, class);
    return status;
}

static struct hs_frame_key key_of(const struct hs_vm_access *vm, const jvmtiFrameInfo *info) {
    return (struct hs_frame_key){
        .method = (uintptr_t)info->method,
        .version = hs_vm_method(vm, info->method),
        .bci = (int32_t)info->location,
        .epoch = vm->pauses,
    };
}

enum hs_status hs_vm_fresh_frame(const struct hs_vm_access *vm, struct hs_store *store,
                                 const jvmtiFrameInfo *info, uint32_t *id) {
    struct hs_frame_key key = key_of(vm, info);
    struct hs_frame frame = {0};
    uint32_t raw = 0;
    enum hs_status status = resolve(vm, store, info, &frame, &raw);
    if (status == HS_OK && hs_vm_method(vm, info->method) != key.version) {
        status = HS_NO_STACK; /* redefined meanwhile: whose line is it? */
    }
    return status == HS_OK ? hs_frames_put(store->frames, &key, &frame, raw, id) : status;
}

enum hs_status hs_vm_frame(const struct hs_vm_access *vm, struct hs_store *store,
                           const jvmtiFrameInfo *info, uint32_t *id) {
    struct hs_frame_key key = key_of(vm, info);
    *id = hs_frames_find(store->frames, &key);
    return *id != 0 ? HS_OK : hs_vm_fresh_frame(vm, store, info, id);
}
