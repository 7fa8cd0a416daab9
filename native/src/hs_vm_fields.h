/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Fields by the numbers that FollowReferences gives them: first those of all superinterfaces, each once, then of the
 * superclasses from the top down, then of the class itself, statics included.
 *
 * Thread: Control. Local references that these make are in frames of their own, which they pop. No exception stays. */
#ifndef HS_VM_FIELDS_H
#define HS_VM_FIELDS_H

#include <jni.h>
#include <jvmti.h>
#include <stdbool.h>
#include <stdint.h>

struct hs_vm_env {
    JNIEnv *jni;
    jvmtiEnv *jvmti;
};

/* An environment of its own with the right to tag objects: its tags meet no others, and go with it. `*jvmti` is NULL, or to
 * be disposed, also where it returns false: there is none, or it has not the right. */
bool hs_vm_take_tags(JNIEnv *jni, jvmtiEnv **jvmti);

/* A local reference; NULL: there is no such class. */
jclass hs_vm_find_class(JNIEnv *jni, const char *name);

/* Begins a frame of local references, which PopLocalFrame gives back. Fails: false, and there is none. */
bool hs_vm_push_frame(JNIEnv *jni, jint capacity);

/* The JVMTI number of field `place` of `declaring`, in instances of its subclass `class`, where nothing between the two and
 * above declares a field before it but interfaces: below 0 where they cannot be counted. */
jint hs_vm_field_number(const struct hs_vm_env *vm, jclass class, uint32_t place);

/* Where the class itself declares the field of this name. False: it does not. */
bool hs_vm_field_place(const struct hs_vm_env *vm, jclass class, const char *name, uint32_t *place);

/* The field with this number of a class and its instances: a local reference to the class that declares it, and its name,
 * which the VM is given back. False where there is none, or it cannot be found. */
bool hs_vm_field_at(const struct hs_vm_env *vm, jclass class, uint32_t number, jclass *declaring,
                    char **name);

/* Does the class itself declare a field of instances that refers to an object? True also where the VM does not say. */
bool hs_vm_declares_reference(const struct hs_vm_env *vm, jclass class);

#endif
