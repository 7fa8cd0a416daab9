/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* From the numbers of frames, leaf first, to the number of their stack. The VM is not asked. */
#ifndef HS_VM_NUMBER_H
#define HS_VM_NUMBER_H

#include "hs_intake.h"

/* As much of a stack as there is room for; found->is_shortened says whether that is all.
 * Thread: Callback. Fails: HS_NO_MEMORY. */
enum hs_status hs_vm_number_what_fits(struct hs_store *store, const struct hs_frame_id *ids,
                                      uint32_t count, struct hs_intake_stack *found);

/* Numbers the stack of `looked` frames, of which store->limits.depth count, with the cut mark behind them if
 * found->is_truncated. `ids` has room for one more, and is not changed. A stack that is known and whole is not our
 * own, for those are never added; of one that was cut, the first frame that says whose it is may lie beyond.
 * Thread: Callback. Fails: HS_OWN, HS_NO_MEMORY. */
enum hs_status hs_vm_number_stack(struct hs_store *store, struct hs_frame_id *ids, uint32_t looked,
                                  struct hs_intake_stack *found);

/* Numbers the stack of the first `named` frames, where the next one found no room. `ids` has room for one more.
 * Thread: Callback. Fails: HS_OWN, HS_NO_MEMORY. */
enum hs_status hs_vm_number_named(struct hs_store *store, struct hs_frame_id *ids, uint32_t named,
                                  struct hs_intake_stack *found);

#endif
