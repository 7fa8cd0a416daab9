/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Classes, fields and a method of the JDK that are looked up when the library is opened.
 *
 * What is in use is kept for the life of the process, two global references: DisposeEnvironment does not
 * wait for a callback that has begun, and that may still ask what these are. Neither class is ever unloaded. */
#ifndef HS_VM_CLASSES_H
#define HS_VM_CLASSES_H

#include <jni.h>
#include <stdbool.h>

struct hs_vm_classes {
    jclass object;        /* global reference */
    jclass virtual;       /* global reference; NULL where there are no virtual threads */
    jfieldID thread_id;   /* Thread.tid; NULL if this VM has none */
    jfieldID java_thread; /* Thread.eetop; NULL if this VM has none */
    jmethodID runtime_gc; /* Runtime.gc */
};

/* Looks all of it up; returns whether what is needed is there. May run Java code of a class loader; no
 * exception stays. What was found and is not kept is to be forgotten. Thread: one that the VM knows. */
bool hs_vm_find_classes(JNIEnv *jni, struct hs_vm_classes *found);

/* Gives unused references back; what is empty already stays so. Thread: as above. */
void hs_vm_forget_classes(JNIEnv *jni, struct hs_vm_classes *found);

#endif
