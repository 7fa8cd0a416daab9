/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Instances: the objects of a class and of the classes below it, wherever the heap has them.
 *
 * One walk over the heap in one pause (IterateThroughHeap), with tags in an environment of its own. Classes are those that are
 * loaded when the call begins. Objects that died since the last collection may be among the instances: a collection that
 * follows tells. */
#ifndef HS_VM_INSTANCES_H
#define HS_VM_INSTANCES_H

#include <jni.h>
#include <jvmti.h>

#include "hs_status.h"

struct hs_vm_instances {
    JNIEnv *jni;
    jvmtiEnv *jvmti;  /* NULL when it is closed */
    jobject *objects; /* local references in the caller's frame; the array is the VM's memory */
    jint count;
};

/* Finds them. Thread: Control, in a frame of local references, with no exception pending; none is left.
 * Owns: the caller calls hs_vm_instances_close, and pops its frame, which gives the references back.
 * Fails, and has then nothing open: HS_UNSUPPORTED where this VM has no tags; HS_JVMTI, HS_NO_MEMORY. */
enum hs_status hs_vm_instances_open(JNIEnv *jni, jclass class, struct hs_vm_instances *self);

/* Also after a failure, and twice. Thread: that which opened it. */
void hs_vm_instances_close(struct hs_vm_instances *self);

#endif
