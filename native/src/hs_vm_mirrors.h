/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Mirrors: the objects of java.lang.Class. FollowReferences shows what a class refers to, such as its static fields, but not
 * the fields of its own object: reflectionData, annotationData, classValueMap, enumConstants and others. So these are read
 * before the walk, and added to it (hs_trace_add_class_value).
 *
 * A local reference to each value stays until the caller's frame is popped: it leads the walk there. Not read: `module`,
 * `classLoader` and `componentType`, since other references lead to the same.
 *
 * With -Xcheck:jni each call of JNI counts all local references, so the time grows with the square of the number of classes
 * (doc/holders.md has figures). So the reading ends at trace->values_deadline_us, and the trace is short of time.
 *
 * Thread: Control. No exception stays. */
#ifndef HS_VM_MIRRORS_H
#define HS_VM_MIRRORS_H

#include "hs_trace.h"
#include "hs_vm_facts.h"

struct hs_vm_mirrors {
    uint32_t class_number; /* of java.lang.Class; 0: nothing was read */
    jobject *values;       /* local references; by node, from the first one after the classes on */
    size_t count;
    size_t room;
};

/* Adds the values of all numbered classes, as long as there is time. After the targets are marked. Owns: the caller calls
 * hs_vm_mirrors_free, also after a failure. Fails: HS_NO_MEMORY, HS_JVMTI: values are missing, and the walk would be wrong. */
enum hs_status hs_vm_mirrors_add(const struct hs_vm_env *vm, const struct hs_vm_facts *facts,
                                 struct hs_trace *trace, struct hs_vm_mirrors *mirrors);
void hs_vm_mirrors_free(struct hs_vm_mirrors *mirrors);

/* The value with the n-th node after the classes; NULL: there is none. */
static inline jobject hs_vm_mirrors_value(const struct hs_vm_mirrors *mirrors, uint32_t n) {
    return n > 0 && n <= mirrors->count ? mirrors->values[n - 1] : NULL;
}

#endif
