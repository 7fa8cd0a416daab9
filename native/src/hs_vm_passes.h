/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* The VM's part of hs_passes.h; the context is struct hs_vm_holders, which is open.
 *
 * Objects that a pass begins at are put into an array for the one call of FollowReferences. Classes are at hand; others are found
 * by their tags (GetObjectsWithTags, which looks at all tags for each of them, outside of a pause), and remembered under weak
 * references if later passes may begin at them too. Local references go with that call, and the array is empty again after it. No walk shows the array to the application's paths: it has no tag, and it is held by a
 * local of this thread, which the roots pass over.
 *
 * Thread: that of hs_vm_holders_begin. */
#ifndef HS_VM_PASSES_H
#define HS_VM_PASSES_H

#include "hs_vm_holders.h"

/* Adds it to what hs_vm_holders_begin has filled in. */
void hs_vm_passes_add(struct hs_vm_holders *self, struct hs_holders_vm *vm);

/* Gives back what passes have remembered; before hs_vm_holders_end, which does not. */
void hs_vm_passes_forget(struct hs_vm_holders *self);

#endif
