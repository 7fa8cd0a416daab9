/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Every out-pointer is read only after its status, and what the VM allocated goes back to it. */
#include "hs_vm_names.h"

#include <string.h>

void hs_vm_give_back(const struct hs_vm_access *vm, void *memory) {
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
bool hs_vm_is_own(const struct hs_vm_access *vm, const char *name, size_t bytes) {
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
    if (hs_vm_is_own(vm, name, bytes)) {
        return HS_FRAME_OWN;
    }
    return begins_with_one_of(name, bytes, JDK, sizeof JDK / sizeof JDK[0]) ? HS_FRAME_JDK : 0;
}

uint32_t hs_vm_names_of_frames(const struct hs_store *store) {
    return hs_intern_capacity(store->names.table) - hs_intern_capacity(store->names.table) / 8;
}

enum hs_status hs_vm_name_class(const struct hs_vm_access *vm, struct hs_store *store, jclass class,
                                uint32_t limit, struct hs_vm_class_names *names) {
    char *signature;
    if ((*vm->jvmti)->GetClassSignature(vm->jvmti, class, &signature, NULL) != JVMTI_ERROR_NONE) {
        return HS_NO_STACK;
    }
    bool is_hidden;
    names->raw.bytes = hs_signature_to_name(signature, names->raw.text);
    size_t bytes = hs_signature_normalise(names->raw.text, names->raw.bytes, names->normalised.text,
                                          &is_hidden);
    names->normalised.bytes = bytes;
    hs_vm_give_back(vm, signature);
    names->flags = (is_hidden ? HS_FRAME_HIDDEN : 0) | origin_of(vm, names->normalised.text, bytes);
    return hs_names_put_within(store->names, limit, names->normalised.text, bytes, &names->name);
}

static bool is_same_class(void *env, uintptr_t object, hs_ref ref) {
    JNIEnv *jni = env;
    return (*jni)->IsSameObject(jni, (jobject)object, (jobject)ref);
}

/* Remembers the number of a class's name, where there is room. */
static void keep_class(const struct hs_vm_access *vm, struct hs_store *store, jclass class,
                       jint hash, struct hs_name_id name) {
    jweak ref = (*vm->jni)->NewWeakGlobalRef(vm->jni, class);
    if (ref == NULL) {
        (*vm->jni)->ExceptionClear(vm->jni);
    } else if (!hs_classes_put(store->classes, (uint32_t)hash, (hs_ref)ref, name)) {
        (*vm->jni)->DeleteWeakGlobalRef(vm->jni, ref);
    }
}

enum hs_status hs_vm_class_name(const struct hs_vm_access *vm, struct hs_store *store, jclass class,
                                uint64_t size, struct hs_name_id *name, struct hs_vm_text *text) {
    jint hash;
    text->bytes = 0;
    /* Objects of one size are mostly of one class. */
    uint16_t *hint = &vm->self->class_hints[size / 8 % HS_CLASS_HINTS];
    *name = hs_classes_try(store->classes, *hint, is_same_class, vm->jni, (uintptr_t) class);
    if (name->number != 0) {
        return HS_OK;
    }
    if ((*vm->jvmti)->GetObjectHashCode(vm->jvmti, class, &hash) != JVMTI_ERROR_NONE) {
        return HS_NO_STACK;
    }
    *name = hs_classes_find(store->classes, (uint32_t)hash, is_same_class, vm->jni,
                            (uintptr_t) class, hint);
    if (name->number != 0) {
        return HS_OK;
    }
    struct hs_vm_class_names names;
    names.raw.text[0] = names.normalised.text[0] = 0;
    enum hs_status status =
        hs_vm_name_class(vm, store, class, hs_intern_capacity(store->names.table), &names);
    if (status == HS_OK) {
        keep_class(vm, store, class, hash, names.name);
        *name = names.name;
    } else if (status != HS_NO_STACK) {
        memcpy(text->text, names.normalised.text, names.normalised.bytes);
        text->bytes = names.normalised.bytes;
    }
    return status;
}

static void name_thread(const struct hs_vm_access *vm, struct hs_store *store, jthread thread,
                        struct hs_thread_id id) {
    jvmtiThreadInfo info;
    if ((*vm->jvmti)->GetThreadInfo(vm->jvmti, thread, &info) != JVMTI_ERROR_NONE) {
        return;
    }
    if (info.name != NULL) {
        hs_threads_set_name(store->threads, id, info.name, strlen(info.name));
    }
    hs_vm_give_back(vm, info.name);
    (*vm->jni)->DeleteLocalRef(vm->jni, info.thread_group);
    (*vm->jni)->DeleteLocalRef(vm->jni, info.context_class_loader);
}

/* Is there room for a thread that is not in the table? Asked before its name is: threads beyond the table
 * may come in thousands a second. */
static bool has_room(const struct hs_vm_access *vm, const struct hs_store *store, jthread thread) {
    if (hs_threads_is_full(store->threads)) {
        return false;
    }
    return !hs_threads_is_half_full(store->threads) || vm->virtual_class == NULL ||
           !(*vm->jni)->IsInstanceOf(vm->jni, thread, vm->virtual_class);
}

enum hs_status hs_vm_thread(const struct hs_vm_access *vm, struct hs_store *store, jthread thread,
                            int64_t java_id, struct hs_thread_id *id) {
    struct hs_thread_state *self = vm->self;
    uint64_t table = hs_threads_serial(store->threads);
    if (self->thread_table == table && self->thread_java_id == java_id && java_id >= 0) {
        *id = self->thread_id;
        return HS_OK;
    }
    *id = hs_threads_find(store->threads, java_id);
    if (id->number == HS_THREAD_OTHER) {
        enum hs_status status =
            has_room(vm, store, thread) ? hs_threads_put(store->threads, java_id, id) : HS_FULL;
        if (status != HS_OK) {
            return status;
        }
        name_thread(vm, store, thread, *id);
    }
    self->thread_table = table;
    self->thread_java_id = java_id;
    self->thread_id = *id;
    return HS_OK;
}
