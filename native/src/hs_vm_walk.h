/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* The walk of the running thread: where its JavaThread is, and hs_walk from there; and what the VM says of
 * the same stack, in the form that is compared with walks. */
#ifndef HS_VM_WALK_H
#define HS_VM_WALK_H

#include "hs_vm_names.h"

/* The JavaThread of the running thread, whose Thread object is `thread`; 0 when it is not known. When the
 * thread's JNIEnv is where it cannot be, lookups are switched off. Thread: Callback, Control. */
uintptr_t hs_vm_current_java_thread(const struct hs_vm_access *vm, jthread thread);

/* Walks at most `max_items` items of the running thread, whose Thread object is `thread`; lookups must
 * be on. False when the walk was given up. Thread: Callback, Control. */
bool hs_vm_walk_current(const struct hs_vm_access *vm, jthread thread, uint32_t max_items,
                        struct hs_walk_items *items);

/* A frame as the VM names it, without a number. */
static inline struct hs_java_frame hs_vm_java_frame(const jvmtiFrameInfo *info) {
    return (struct hs_java_frame){
        .method_id = (uintptr_t)info->method,
        .bci = (int32_t)info->location,
    };
}

/* Puts the VM's answer, at most HS_ALIGN_MAX frames, with their methods into what a room has. The ids are read
 * through: hs_vm_are_method_ids must have let them pass. */
void hs_vm_put_frames(const struct hs_vm_access *vm, struct hs_lookup_scratch *scratch,
                      const jvmtiFrameInfo *infos, uint32_t count);

#endif
