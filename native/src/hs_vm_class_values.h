/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Class values: what the ClassValues of each class hold. It is in the field `classValueMap` of the java.lang.Class, and JVMTI shows
 * static fields of classes, but no field of these objects (doc/holders.md). */
#ifndef HS_VM_CLASS_VALUES_H
#define HS_VM_CLASS_VALUES_H

#include <jvmti.h>

#include "hs_trace.h"
#include "hs_vm_fields.h"

struct hs_vm_class_values {
    jobject *maps;     /* local references */
    uint32_t *classes; /* their numbers, from 1 on */
    uint32_t count;
    uint32_t room;
};

/* Local references stay until the caller pops its frame: it lets the walk see the maps. Finds none where the JDK has another
 * field, or without memory. Thread: Control, with no exception pending; none is left. Owns: the caller calls
 * hs_vm_class_values_free. */
void hs_vm_class_values_find(JNIEnv *jni, const jclass *classes, uint32_t count,
                             struct hs_vm_class_values *values);

/* After all other marks. */
void hs_vm_class_values_mark(const struct hs_vm_env *vm, const struct hs_vm_class_values *values,
                             struct hs_trace *trace);

/* Harmless for one that is all 0. */
void hs_vm_class_values_free(struct hs_vm_class_values *values);

#endif
