/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Class facts (hs_class_facts.h) of all loaded classes, and their numbers: class n has the tag n in the environment, and is
 * classes[n - 1].
 *
 * Nothing is kept from one call to the next, since classes come and go, and their fields' numbers with redefinition.
 * Thread: Control. */
#ifndef HS_VM_FACTS_H
#define HS_VM_FACTS_H

#include "hs_class_facts.h"
#include "hs_status.h"
#include "hs_vm_fields.h"
#include "hs_vm_names.h"

struct hs_vm_facts {
    uint32_t count;
    jclass *classes;              /* the VM's memory; local references in the caller's frame */
    struct hs_class_facts *facts; /* count + 1 */
};

/* Numbers the classes and finds their facts. `loaders`: the platform and the application class loader; NULL elements are
 * none. Leaves a local reference for each class, so that no class is unloaded until the caller's frame is popped.
 * Owns: the caller calls hs_vm_facts_free, also after a failure. Fails: HS_NO_MEMORY, HS_JVMTI. */
enum hs_status hs_vm_facts_find(const struct hs_vm_env *vm, const struct hs_vm_access *access,
                                const jobject loaders[2], struct hs_vm_facts *facts);
void hs_vm_facts_free(const struct hs_vm_env *vm, struct hs_vm_facts *facts);

#endif
