/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* The stack of the running thread as one number: looked up where a walk leads to what is known, requested
 * from the VM where it does not; see doc/fast-stacks.md. */
#ifndef HS_VM_STACK_H
#define HS_VM_STACK_H

#include "hs_intake.h"
#include "hs_vm_names.h"

/* Finds the stack of the running thread, whose Thread object is `thread`, leaf first, at most
 * store->limits.depth frames.
 *
 * `inside_facade`: someone is inside the facade, so look deep enough to tell our own frames.
 * Thread: Callback.
 * Where there is no room for a name, a frame or the stack, it is a part of it, leaf first.
 * Fails:  HS_OWN  the first frame that is not the JDK's is HeapSampler's own
 *         HS_NO_MEMORY */
enum hs_status hs_vm_find_stack(const struct hs_vm_access *vm, struct hs_store *store,
                                jthread thread, bool inside_facade, struct hs_intake_stack *found);

#endif
