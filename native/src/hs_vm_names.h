/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Names of what is on the running stack, asked of the VM inside the callback. */
#ifndef HS_VM_NAMES_H
#define HS_VM_NAMES_H

#include <jni.h>
#include <jvmti.h>

#include "hs_lookup.h"
#include "hs_signature.h"
#include "hs_step.h"
#include "hs_store.h"

/* From the next one on a method id is a table index, and the VM knows which it has given; before, it is
 * the address of a cell that is never freed and holds the current version of the method. */
enum { HS_LAST_JDK_WITH_METHOD_CELLS = 25 };

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
    jclass virtual_class;       /* of virtual threads; NULL where there are none */
    uint32_t random;
    /* Collections so far. What was learned of a method before a collection is not believed after it:
     * its memory may have been given to another version. */
    uint32_t pauses;
};

/* A name, not terminated. */
struct hs_vm_text {
    char text[HS_SIGNATURE_MAX];
    size_t bytes;
};

/* Finds the number of the normalised name of the class of an object of `size` bytes.
 * Thread: Callback.
 * Fails:  HS_FULL, HS_NO_MEMORY: *text is the name itself; HS_NO_STACK: the VM refuses; *number is 0. */
enum hs_status hs_vm_class_name(const struct hs_vm_access *vm, struct hs_store *store, jclass class,
                                uint64_t size, uint32_t *number, struct hs_vm_text *text);

/* Returns the number of a thread, named on first sight. It is HS_THREAD_OTHER, and *is_full is set, when there
 * is no room, and for virtual threads beyond half of the table; then the VM is not asked for a name.
 * Thread: Callback. */
uint32_t hs_vm_thread(const struct hs_vm_access *vm, struct hs_store *store, jthread thread,
                      int64_t java_id, bool *is_full);

/* The number of one frame of the running stack.
 * Thread: Callback. Fails: HS_FULL, HS_NO_MEMORY, HS_NO_STACK (the VM refuses). */
enum hs_status hs_vm_frame(const struct hs_vm_access *vm, struct hs_store *store,
                           const jvmtiFrameInfo *info, uint32_t *id);

/* The same, asked anew of the VM, whatever is known. */
enum hs_status hs_vm_fresh_frame(const struct hs_vm_access *vm, struct hs_store *store,
                                 const jvmtiFrameInfo *info, uint32_t *id);

/* The Method that a method id leads to now, as the VM names it; 0 where ids do not tell. The id is read
 * through, so it must be one that hs_vm_are_method_ids has let pass, or the answer of GetMethodID. */
uintptr_t hs_vm_method(const struct hs_vm_access *vm, jmethodID method);

#endif
