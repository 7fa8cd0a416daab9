/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* What VM this is, found out without any Java code; what VmInfo finds out otherwise. */
#ifndef HS_VM_TRAITS_H
#define HS_VM_TRAITS_H

#include <jvmti.h>

#include "hs_sampler.h"

/* Fills in both. What this VM does not tell is such that nothing wrong is claimed: an unknown collector,
 * feature 0. `garbage_bytes` as in hs_limits. Thread: one that JVMTI knows. */
void hs_vm_read_traits(jvmtiEnv *jvmti, struct hs_vm_traits *traits, uint64_t *garbage_bytes);

/* The Java feature version, such as 17; 0 where the VM does not say. Thread: as above. */
uint32_t hs_vm_feature(jvmtiEnv *jvmti);

#endif
