/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Frames of the running stack as numbers. The VM is queried once about a method (hs_methods.h);
 * another frame of the method then costs no call. */
#ifndef HS_VM_METHODS_H
#define HS_VM_METHODS_H

#include "hs_vm_names.h"

/* From the next version on a method id is a table index, and the VM knows which it has given; before, it is
 * the address of a cell (hs_version.h). */
enum { HS_LAST_JDK_WITH_METHOD_CELLS = 25 };

/* The classes of one stack about which the VM was queried, each by one of its methods: the others need not ask. For
 * as long as the callback that it was made for: the running stack keeps its classes loaded, so what stands
 * for one cannot become another's. */
enum { HS_VM_OWNERS = 16 };

struct hs_vm_owner {
    uintptr_t pool; /* hs_version.h */
    uintptr_t id;   /* of the method that asked, and what its id led to then */
    uintptr_t method;
    struct hs_name_id name;
    struct hs_name_id file;
    uint32_t flags;
};

struct hs_vm_owners {
    uint32_t count; /* found so far; the newest ones are kept */
    struct hs_vm_owner owners[HS_VM_OWNERS];
};

/* A frame's number, and the version of the method that its names are of. */
struct hs_vm_numbered {
    struct hs_frame_id frame;
    uintptr_t method;   /* 0: the version cannot be distinguished from others */
    uint64_t signature; /* hs_version.h */
};

/* The number of one frame of the running stack. `owners` is that of the stack, at first with the count 0. `anew`: the
 * VM is called even for a known method. The id is read through, so it must be one that hs_vm_are_method_ids has
 * let pass.
 * Thread: Callback. Fails: HS_FULL, HS_NO_MEMORY, HS_NO_STACK (the VM refuses, or the method was
 * redefined meanwhile); the frame is 0 then. */
enum hs_status hs_vm_frame(const struct hs_vm_access *vm, struct hs_store *store,
                           struct hs_vm_owners *owners, const jvmtiFrameInfo *info, bool anew,
                           struct hs_vm_numbered *numbered);

/* A frame of this method is numbered soon. Touches what its number will be found with, so that the processor waits
 * for that of many frames at once. `method` as for hs_vm_frame. */
void hs_vm_expect_frame(const struct hs_vm_access *vm, const struct hs_store *store,
                        jmethodID method);

/* Are the names still those of the method's version? */
bool hs_vm_is_current(const struct hs_vm_access *vm, jmethodID method,
                      const struct hs_vm_numbered *numbered);

#ifdef HS_BREAKABLE
/* A flaw that tests switch on, to see that it is noticed: once names are proved, a descriptor is read as the name. */
extern bool hs_vm_mistakes_names;
#endif

/* The Method that a method id leads to now, as the VM names it; 0 where ids do not tell. The id is read
 * through: as above, or the answer of GetMethodID. */
uintptr_t hs_vm_method(const struct hs_vm_access *vm, jmethodID method);

#endif
