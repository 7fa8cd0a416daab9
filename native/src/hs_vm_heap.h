/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* How full the Java heap is, from the functions of libjvm that java.lang.Runtime calls (jvm.h of the JDK). No
 * Java code runs, and nothing is allocated. */
#ifndef HS_VM_HEAP_H
#define HS_VM_HEAP_H

#include <jni.h>
#include <stdint.h>

struct hs_vm_heap {
    jlong (*max_memory)(void); /* NULL: not known; the others then count for nothing */
    jlong (*total_memory)(void);
    jlong (*free_memory)(void);
};

/* Finds them. `inside_libjvm`: an address in it. Thread: any. */
void hs_vm_find_heap(const void *inside_libjvm, struct hs_vm_heap *room);

/* As hs_ops.h wants it. Thread: one that the VM knows. */
uint32_t hs_vm_unused_heap(const struct hs_vm_heap *room);

/* Bytes in use, garbage included; 0 where they are not known. Thread: as above. */
uint64_t hs_vm_used_heap(const struct hs_vm_heap *room);

#endif
