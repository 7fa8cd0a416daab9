/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* The walk of the running thread: where its JavaThread is, and hs_walk from there. */
#ifndef HS_VM_WALK_H
#define HS_VM_WALK_H

#include "hs_vm_names.h"

/* Walks at most `max_items` items of the running thread, whose Thread object is `thread`; lookups must
 * be on. False when the walk was given up; when the thread's JNIEnv is where it cannot be, lookups are
 * switched off, too. Thread: Callback, Control. */
bool hs_vm_walk_own(const struct hs_vm_access *vm, jthread thread, uint32_t max_items,
                    struct hs_walk_items *items);

#endif
