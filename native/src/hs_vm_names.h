/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Names of classes and threads, queried from the VM inside the callback. */
#ifndef HS_VM_NAMES_H
#define HS_VM_NAMES_H

#include <jni.h>
#include <jvmti.h>

#include "hs_lookup.h"
#include "hs_signature.h"
#include "hs_store.h"
#include "hs_thread_state.h"

struct hs_vm_access {
    jvmtiEnv *jvmti;
    JNIEnv *jni;
    uint32_t feature; /* Java feature version */
    /* Package of our own classes, and its length. */
    const char *own_package;
    size_t own_bytes;
    /* For the stack of the running thread. */
    struct hs_lookup *lookup;
    struct hs_thread_state *self;
    jfieldID java_thread_field; /* Thread.eetop: the address of the JavaThread */
    jclass virtual_class;       /* of virtual threads; NULL where there are none */
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

/* The names of a class, and what they say: HS_FRAME_HIDDEN, HS_FRAME_ORIGIN. The raw one, before normalisation,
 * has no number: hidden classes have raw names without end. */
struct hs_vm_class_names {
    struct hs_name_id name; /* the number of the normalised one */
    uint32_t flags;
    struct hs_vm_text normalised;
    struct hs_vm_text raw;
};

/* Gives memory back to the VM. Harmless for NULL. */
void hs_vm_give_back(const struct hs_vm_access *vm, void *memory);

/* Is a class of this name HeapSampler's own? Thread: Any. */
bool hs_vm_is_own(const struct hs_vm_access *vm, const char *name, size_t bytes);

/* How many names there may be when a frame brings a new one. The rest, an eighth, is for classes of allocated
 * objects: a sample with a class alone says more than one with nothing. */
uint32_t hs_vm_names_of_frames(const struct hs_store *store);

/* Names a class; a new name fails with HS_FULL when `limit` names are there. Thread: Callback.
 * Fails: HS_FULL, HS_NO_MEMORY: the texts are written; HS_NO_STACK: the VM refuses. */
enum hs_status hs_vm_name_class(const struct hs_vm_access *vm, struct hs_store *store, jclass class,
                                uint32_t limit, struct hs_vm_class_names *names);

/* Finds the normalised name of the class of an object of `size` bytes.
 * Thread: Callback.
 * Fails:  HS_FULL, HS_NO_MEMORY: *text is the name itself; HS_NO_STACK: the VM refuses; *name is none. */
enum hs_status hs_vm_class_name(const struct hs_vm_access *vm, struct hs_store *store, jclass class,
                                uint64_t size, struct hs_name_id *name, struct hs_vm_text *text);

/* Finds the number of a thread, which is named on first sight.
 * Thread: Callback. Fails: HS_FULL, when there is no room, and for virtual threads beyond half of the table;
 * HS_NO_MEMORY. Then *id is HS_THREAD_OTHER, and the VM is not queried for a name. */
enum hs_status hs_vm_thread(const struct hs_vm_access *vm, struct hs_store *store, jthread thread,
                            int64_t java_id, struct hs_thread_id *id);

#endif
