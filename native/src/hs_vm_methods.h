/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Frames of the running stack as numbers. The VM is asked once for what it says of a method (hs_methods.h);
 * another frame of the method then costs no call. */
#ifndef HS_VM_METHODS_H
#define HS_VM_METHODS_H

#include "hs_vm_names.h"

/* From the next version on a method id is a table index, and the VM knows which it has given; before, it is
 * the address of a cell (hs_version.h). */
enum { HS_LAST_JDK_WITH_METHOD_CELLS = 25 };

/* The number of one frame of the running stack. `anew`: the VM is asked even if the method is known. The id is read
 * through, so it must be one that hs_vm_are_method_ids has let pass.
 * Thread: Callback. Fails: HS_FULL, HS_NO_MEMORY, HS_NO_STACK (the VM refuses, or the method was
 * redefined meanwhile). */
enum hs_status hs_vm_frame(const struct hs_vm_access *vm, struct hs_store *store,
                           const jvmtiFrameInfo *info, bool anew, uint32_t *id);

/* The Method that a method id leads to now, as the VM names it; 0 where ids do not tell. The id is read
 * through: as above, or the answer of GetMethodID. */
uintptr_t hs_vm_method(const struct hs_vm_access *vm, jmethodID method);

#endif
