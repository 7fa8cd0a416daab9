/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_vm_fields.h"

#include <string.h>

enum { MOST_INTERFACES = 64, MOST_SUPERCLASSES = 64, SOME_REFS = 16, IS_STATIC = 8 };

static void deallocate(const struct hs_vm_env *vm, void *memory) {
    (void)(*vm->jvmti)->Deallocate(vm->jvmti, memory);
}

bool hs_vm_take_tags(JNIEnv *jni, jvmtiEnv **jvmti) {
    JavaVM *vm;
    const jvmtiCapabilities wanted = {.can_tag_objects = 1};
    *jvmti = NULL;
    if ((*jni)->GetJavaVM(jni, &vm) != JNI_OK ||
        (*vm)->GetEnv(vm, (void **)jvmti, JVMTI_VERSION_11) != JNI_OK) {
        *jvmti = NULL;
        return false;
    }
    return (**jvmti)->AddCapabilities(*jvmti, &wanted) == JVMTI_ERROR_NONE;
}

jclass hs_vm_find_class(JNIEnv *jni, const char *name) {
    jclass class = (*jni)->FindClass(jni, name);
    (*jni)->ExceptionClear(jni);
    return class;
}

bool hs_vm_push_frame(JNIEnv *jni, jint capacity) {
    bool has_room = (*jni)->PushLocalFrame(jni, capacity) == JNI_OK;
    if (!has_room) {
        (*jni)->ExceptionClear(jni);
    }
    return has_room;
}

/* The fields that a class declares, which the VM is given back; below 0 where the VM does not say, as for a class that
 * has no instances yet. */
static jint fields_of(const struct hs_vm_env *vm, jclass class, jfieldID **fields) {
    jint count;
    return (*vm->jvmti)->GetClassFields(vm->jvmti, class, &count, fields) == JVMTI_ERROR_NONE
               ? count
               : -1;
}

static jint field_count(const struct hs_vm_env *vm, jclass class) {
    jfieldID *fields;
    jint count = fields_of(vm, class, &fields);
    if (count >= 0) {
        deallocate(vm, fields);
    }
    return count;
}

/* ---- superinterfaces ---- */

/* Interfaces, each once. */
struct interfaces {
    jclass found[MOST_INTERFACES]; /* local references */
    uint32_t count;
};

static bool add_interface(const struct hs_vm_env *vm, struct interfaces *all, jclass one) {
    for (uint32_t i = 0; i < all->count; i++) {
        if ((*vm->jni)->IsSameObject(vm->jni, all->found[i], one)) {
            return true;
        }
    }
    if (all->count == MOST_INTERFACES) {
        return false;
    }
    all->found[all->count++] = one;
    return true;
}

static bool add_interfaces(const struct hs_vm_env *vm, struct interfaces *all, jclass class) {
    jint count;
    jclass *direct;
    if ((*vm->jvmti)->GetImplementedInterfaces(vm->jvmti, class, &count, &direct) !=
        JVMTI_ERROR_NONE) {
        return false;
    }
    bool has_room = true;
    for (jint i = 0; i < count && has_room; i++) {
        has_room = add_interface(vm, all, direct[i]);
    }
    deallocate(vm, direct);
    return has_room;
}

/* The fields of all superinterfaces; below 0 where they cannot be counted. Leaves local references. */
static jint interface_fields(const struct hs_vm_env *vm, jclass class) {
    struct interfaces all = {.count = 0};
    for (jclass c = class; c != NULL; c = (*vm->jni)->GetSuperclass(vm->jni, c)) {
        if (!add_interfaces(vm, &all, c)) {
            return -1;
        }
    }
    jint sum = 0;
    for (uint32_t i = 0; i < all.count; i++) { /* their own are found meanwhile */
        jint count = field_count(vm, all.found[i]);
        if (count < 0 || !add_interfaces(vm, &all, all.found[i])) {
            return -1;
        }
        sum += count;
    }
    return sum;
}

jint hs_vm_field_number(const struct hs_vm_env *vm, jclass class, uint32_t place) {
    if (!hs_vm_push_frame(vm->jni, MOST_INTERFACES + SOME_REFS)) {
        return -1;
    }
    jint before = interface_fields(vm, class);
    (void)(*vm->jni)->PopLocalFrame(vm->jni, NULL);
    return before < 0 ? -1 : before + (jint)place;
}

/* ---- names ---- */

static bool is_named(const struct hs_vm_env *vm, jclass class, jfieldID field, const char *name) {
    char *text;
    if ((*vm->jvmti)->GetFieldName(vm->jvmti, class, field, &text, NULL, NULL) !=
        JVMTI_ERROR_NONE) {
        return false;
    }
    bool is_it = strcmp(text, name) == 0;
    deallocate(vm, text);
    return is_it;
}

bool hs_vm_field_place(const struct hs_vm_env *vm, jclass class, const char *name,
                       uint32_t *place) {
    jfieldID *fields;
    jint count = fields_of(vm, class, &fields);
    if (count < 0) {
        return false;
    }
    jint i = 0;
    while (i < count && !is_named(vm, class, fields[i], name)) {
        i++;
    }
    *place = (uint32_t)i;
    deallocate(vm, fields);
    return i < count;
}

/* Field `place` of those that the class declares, if it has as many; *place loses those that it has. */
static bool take_field(const struct hs_vm_env *vm, jclass class, jint *place, char **name) {
    jfieldID *fields;
    jint count = fields_of(vm, class, &fields);
    if (count < 0) {
        *place = -1;
        return false;
    }
    bool is_found = *place < count;
    if (is_found) {
        is_found = (*vm->jvmti)->GetFieldName(vm->jvmti, class, fields[*place], name, NULL, NULL) ==
                   JVMTI_ERROR_NONE;
        *place = is_found ? *place : -1;
    } else {
        *place -= count;
    }
    deallocate(vm, fields);
    return is_found;
}

/* In a frame. The superclasses are looked through from the top down. */
static jclass find_field(const struct hs_vm_env *vm, jclass class, uint32_t number, char **name) {
    jclass chain[MOST_SUPERCLASSES];
    uint32_t count = 0;
    for (jclass c = class; c != NULL; c = (*vm->jni)->GetSuperclass(vm->jni, c)) {
        if (count == MOST_SUPERCLASSES) {
            return NULL;
        }
        chain[count++] = c;
    }
    jint before = interface_fields(vm, class);
    jint place = before < 0 || number > INT32_MAX ? -1 : (jint)number - before;
    for (uint32_t i = count; i > 0 && place >= 0; i--) {
        if (take_field(vm, chain[i - 1], &place, name)) {
            return chain[i - 1];
        }
    }
    return NULL;
}

bool hs_vm_field_at(const struct hs_vm_env *vm, jclass class, uint32_t number, jclass *declaring,
                    char **name) {
    JNIEnv *jni = vm->jni;
    if (!hs_vm_push_frame(jni, MOST_INTERFACES + MOST_SUPERCLASSES + SOME_REFS)) {
        return false;
    }
    jclass found = find_field(vm, class, number, name);
    *declaring = (*jni)->PopLocalFrame(jni, found);
    if (found != NULL && *declaring == NULL) {
        deallocate(vm, *name);
    }
    return *declaring != NULL;
}

/* ---- references ---- */

static bool is_reference(const struct hs_vm_env *vm, jclass class, jfieldID field) {
    jint modifiers;
    char *signature;
    if ((*vm->jvmti)->GetFieldModifiers(vm->jvmti, class, field, &modifiers) != JVMTI_ERROR_NONE) {
        return true;
    }
    if ((modifiers & IS_STATIC) != 0) {
        return false;
    }
    if ((*vm->jvmti)->GetFieldName(vm->jvmti, class, field, NULL, &signature, NULL) !=
        JVMTI_ERROR_NONE) {
        return true;
    }
    bool is_one = signature[0] == 'L' || signature[0] == '[';
    deallocate(vm, signature);
    return is_one;
}

bool hs_vm_declares_reference(const struct hs_vm_env *vm, jclass class) {
    jfieldID *fields;
    jint count = fields_of(vm, class, &fields);
    if (count < 0) {
        return true;
    }
    bool does = false;
    for (jint i = 0; i < count && !does; i++) {
        does = is_reference(vm, class, fields[i]);
    }
    deallocate(vm, fields);
    return does;
}
