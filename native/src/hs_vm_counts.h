/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Counts: a sample of JDK 17 to 24 against the bytes that the VM has counted for its thread. */
#ifndef HS_VM_COUNTS_H
#define HS_VM_COUNTS_H

#include "hs_bias.h"
#include "hs_vm_names.h"

/* Is a sample of `size` bytes, whose step was drawn with `interval`, due to what its thread has allocated?
 * When the VM has counted the unused rest of a buffer with it, chance decides, so that it is kept as often
 * as it is sampled without that; doc/estimator.md, section 4. A kept one is added to *bias, unless that is
 * NULL. The thread state has the density of this sample then, and none otherwise. True where this VM does not say
 * what it has counted, or `thread` is NULL.
 * Thread: Callback, after hs_thread_state_reach, before it allocates. */
bool hs_vm_is_due(const struct hs_vm_access *vm, struct hs_bias *bias, jthread thread,
                  jobject object, uint64_t size, uint32_t interval);

#endif
