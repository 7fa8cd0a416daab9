/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* The VM's part of hs_spare.h. */
#ifndef HS_VM_SPARE_H
#define HS_VM_SPARE_H

#include <jvmti.h>

#include "hs_epochs.h"
#include "hs_spare.h"
#include "hs_vm_heap.h"

struct hs_vm_spare {
    struct hs_spare_layout layout; /* `heap` is NULL: nothing is left out */
    struct hs_spare spare;
};

/* Thread: Control. */
void hs_vm_spare_read(jvmtiEnv *jvmti, enum hs_collector collector, struct hs_vm_spare *self);

/* Waits for a collection, if hs_spare_waits thinks it worth while. Thread: Control, as hs_vm_heap.h wants it. */
void hs_vm_spare_await(const struct hs_vm_spare *self, const struct hs_vm_heap *heap,
                       int64_t most_us);

/* Thread: the VM's, in the pause in which it forks: before the fork, and in the parent after it. */
void hs_vm_spare_leave_out(struct hs_vm_spare *self, bool is_out);

#endif
