/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Finds out once whether stacks of this VM can be looked up, and switches that on. */
#ifndef HS_VM_DISCOVER_H
#define HS_VM_DISCOVER_H

#include "hs_vm_names.h"

/* Reads vm->lookup->layout, once in the life of the process. Runs no Java code. Thread: Control, several
 * at once, after hs_sampler_configure. Fails: why stacks cannot be looked up, a constant; what lies in the
 * threads may be known then. */
const char *hs_vm_read_layout(const struct hs_vm_access *vm);

/* Switches lookups on if they are wanted; the layout must have been read. Thread: Control.
 * Fails: why not, a constant; NULL when vm->lookup is on. */
const char *hs_vm_discover(const struct hs_vm_access *vm, bool is_wanted, bool verifies_all);

#endif
