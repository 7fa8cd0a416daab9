/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Held: an answer of hs_holders.h as the block for Java (doc/holders.md), with the names of classes, fields and methods. */
#ifndef HS_VM_HELD_H
#define HS_VM_HELD_H

#include "hs_buffer.h"
#include "hs_vm_holders.h"

/* Writes the block into an empty buffer, which may have a sink. `indexes`: the number of each live target in LIVE of its
 * snapshot. Reads `holders` to its end. Thread: that of hs_vm_holders_begin, before hs_vm_holders_end.
 * Owns: the caller frees the buffer, also after a failure. Fails: HS_NO_MEMORY. */
enum hs_status hs_vm_held_write(struct hs_vm_holders *self, struct hs_holders *holders,
                                const uint32_t *indexes, struct hs_buffer *buffer);

/* Puts the pauses and the time of a later try, which are those of all tries, into a whole block without a sink. */
void hs_vm_held_set_times(struct hs_buffer *block, const struct hs_holders_figures *later);

#endif
