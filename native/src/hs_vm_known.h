/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Known: which ids of methods the VM of this process has given. A child makes ids of its own for methods that have none: these are
 * addresses of its memory. So before the fork the stacks of all threads are requested, which gives ids to the methods on them, and
 * only these ids of a child's answer are looked up. */
#ifndef HS_VM_KNOWN_H
#define HS_VM_KNOWN_H

#include <jvmti.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hs_vm_known {
    uintptr_t *methods; /* sorted */
    size_t count;
    size_t room;
};

/* Finds those on the stacks of these threads. One for which there is no memory is not known. Thread: Control.
 * Owns: the caller calls hs_vm_known_free. */
void hs_vm_known_find(jvmtiEnv *jvmti, const jthread *threads, jint thread_count,
                      struct hs_vm_known *known);

bool hs_vm_known_has(const struct hs_vm_known *known, jmethodID method);

/* Harmless for one that is all 0, which it is afterwards. */
void hs_vm_known_free(struct hs_vm_known *known);

#endif
