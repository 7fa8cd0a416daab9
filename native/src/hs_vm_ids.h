/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Which method ids may be queried.
 *
 * Up to 22 the VM may answer GetStackTrace with what lies in freed memory: it enlarges a class's table of
 * ids after a redefinition and frees the old one, from which another thread may still be reading. A query
 * about such an id, or a read through it, crashes the VM. It may look like any other; but
 * the next answer comes from the new table. So an id is believed when two answers in a row have it, and
 * then for good, for these cells are never freed. From 23 on (JDK-8313332) every id that the VM answers is one. */
#ifndef HS_VM_IDS_H
#define HS_VM_IDS_H

#include "hs_vm_names.h"

/* Are these method ids? They are the VM's answer of a moment ago: the stack of the running thread, leaf
 * first. It is queried once more for those that are not known yet; nothing is read through any of them.
 * When it changes its mind they are not, though the next answer may be.
 * Thread: Callback, Control; the one whose stack it is. */
bool hs_vm_are_method_ids(const struct hs_vm_access *vm, const jvmtiFrameInfo *infos,
                          uint32_t count);

#endif
