/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Names of classes and threads, asked of the VM inside the callback. */
#ifndef HS_VM_NAMES_H
#define HS_VM_NAMES_H

#include <jni.h>
#include <jvmti.h>

#include "hs_lookup.h"
#include "hs_signature.h"
#include "hs_step.h"
#include "hs_store.h"

struct hs_vm_access {
    jvmtiEnv *jvmti;
    JNIEnv *jni;
    uint32_t feature; /* Java feature version */
    /* Package of our own classes, and its length. */
    const char *own_package;
    size_t own_bytes;
    /* For the stack of the running thread. */
    struct hs_lookup *lookup;
    struct hs_step *step;
    jfieldID java_thread_field; /* Thread.eetop: the address of the JavaThread */
    uint32_t random;
    /* Where the VM does not say how it describes methods, what was learned of one is believed until this
     * number changes, as it does with each collection and each time that sampling is switched on: the
     * method's memory may then have been given to another version. */
    uint64_t epoch;
};

/* A name, not terminated. */
struct hs_vm_text {
    char text[HS_SIGNATURE_MAX];
    size_t bytes;
};

/* By number, and what the name says: HS_FRAME_HIDDEN, HS_FRAME_ORIGIN. */
struct hs_vm_class_names {
    uint32_t name;
    uint32_t raw; /* before normalisation; 0 when there is no room for it */
    uint32_t flags;
};

/* Gives memory back to the VM. Harmless for NULL. */
void hs_vm_give_back(const struct hs_vm_access *vm, void *memory);

/* The names of a class; *normalised is the text of the first one. Thread: Callback.
 * Fails: HS_FULL, HS_NO_MEMORY, HS_NO_STACK (the VM refuses; no text is written then). */
enum hs_status hs_vm_name_class(const struct hs_vm_access *vm, struct hs_store *store, jclass class,
                                struct hs_vm_class_names *names, struct hs_vm_text *normalised);

/* The normalised name of the class of an object of `size` bytes; 0 when there is no room for it or the VM
 * refuses. *text is written only then, and is empty where the VM refused. Thread: Callback. */
uint32_t hs_vm_class_name(const struct hs_vm_access *vm, struct hs_store *store, jclass class,
                          uint64_t size, struct hs_vm_text *text);

/* The number of a thread, named on first sight; HS_THREAD_OTHER when there is no room (then
 * *is_full is set). Thread: Callback. */
uint32_t hs_vm_thread(const struct hs_vm_access *vm, struct hs_store *store, jthread thread,
                      int64_t java_id, bool *is_full);

#endif
