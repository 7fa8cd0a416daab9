/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Names and stacks of the running thread, asked of the VM inside the callback.
 *
 * hs_vm_walk is the seam for a faster walk: whatever takes its place answers the same number. */
#ifndef HS_VM_NAMES_H
#define HS_VM_NAMES_H

#include <jni.h>
#include <jvmti.h>

#include "hs_signature.h"
#include "hs_store.h"

struct hs_vm_access {
    jvmtiEnv *jvmti;
    JNIEnv *jni;
    uint32_t feature; /* Java feature version */
    /* Package of our own classes, and its length. */
    const char *own_package;
    size_t own_bytes;
};

/* A name, not terminated. */
struct hs_vm_text {
    char text[HS_SIGNATURE_MAX];
    size_t bytes;
};

/* The normalised name of the class; 0 when there is no room for it or the VM refuses. *text is
 * written only then, and is empty where the VM refused. Thread: Callback. */
uint32_t hs_vm_class_name(const struct hs_vm_access *vm, struct hs_store *store, jclass class,
                          struct hs_vm_text *text);

/* The number of a thread, named on first sight; HS_THREAD_OTHER when there is no room (then
 * *is_full is set). Thread: Callback. */
uint32_t hs_vm_thread(const struct hs_vm_access *vm, struct hs_store *store, jthread thread,
                      int64_t java_id, bool *is_full);

struct hs_walk {
    uint32_t stack;    /* number of the stack, where the status is HS_OK */
    bool is_truncated; /* deeper frames were cut */
    bool is_missing;   /* the VM gave no stack: the empty one stands in */
};

/* Walks the stack of the running thread, leaf first, at most `depth` frames.
 *
 * `inside_facade`: someone is inside the facade, so look deep enough to tell our own frames.
 * Thread: Callback.
 * Fails:  HS_OWN      one of the frames is HeapSampler's own
 *         HS_FULL     no room for the stack
 *         HS_INVALID  no room for a name or a frame
 *         HS_NO_MEMORY */
enum hs_status hs_vm_walk(const struct hs_vm_access *vm, struct hs_store *store, uint32_t depth,
                          bool inside_facade, struct hs_walk *walk);

#endif
