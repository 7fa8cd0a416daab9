/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Runs that the stack cache does not know, found without a stack from the VM: those of compiled code in its debug
 * information (hs_scopes.h), those of interpreted frames from Method and bytecode pointer of the item.
 *
 * Both give Methods. The id of a Method is known where the VM has given it before, in any stack; otherwise the VM is
 * requested for the stack as ever, and the id is known then. Nothing is read of a Method before an id has led to it: a walk that has
 * lost its way would read anywhere. A run counts only while each of its ids leads to its Method, before its
 * names are found and after, and none is obsolete. So it is what the VM would have answered, and each hit with it is
 * compared as any other. */
#ifndef HS_VM_SCOPES_H
#define HS_VM_SCOPES_H

#include "hs_stack_cache.h"
#include "hs_vm_names.h"

/* The VM has just given these ids, and they passed hs_vm_are_method_ids: remembers which Method each leads to.
 * Thread: Callback. */
void hs_vm_scopes_remember(const struct hs_vm_access *vm, const jvmtiFrameInfo *infos,
                           uint32_t count);

/* As hs_lookup_compose, of a walk of the running thread; where a run is missing, it and all others up to `wanted` frames are
 * found out and put into the stack cache. *is_new: some were.
 * Thread: Callback; lock-free, but for the VM's own calls that name a method. */
uint32_t hs_vm_scopes_compose(const struct hs_vm_access *vm, struct hs_store *store,
                              hs_stack_cache *stack_cache, const struct hs_walk_items *walk,
                              uint32_t wanted, struct hs_composed *composed, bool *is_new);

#ifdef HS_BREAKABLE
/* Flaws that tests switch on, to see that they are noticed. */
struct hs_vm_scopes_flaws {
    bool moves_index;   /* of the last frame of a run, by one */
    bool drops_inlined; /* of a run that has several frames, the first */
};
extern struct hs_vm_scopes_flaws hs_vm_scopes_flaws;
#endif

#endif
