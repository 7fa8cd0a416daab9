/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "fakejvm.h"

#define EXPORTED __attribute__((visibility("default")))

extern EXPORTED const struct hs_vm_field *gHotSpotVMStructs;
extern EXPORTED const struct hs_vm_type *gHotSpotVMTypes;
extern EXPORTED uint64_t gHotSpotVMStructEntryArrayStride;
extern EXPORTED uint64_t gHotSpotVMTypeEntryArrayStride;

const struct hs_vm_field *gHotSpotVMStructs;
const struct hs_vm_type *gHotSpotVMTypes;
uint64_t gHotSpotVMStructEntryArrayStride;
uint64_t gHotSpotVMTypeEntryArrayStride;

EXPORTED void fakejvm_export(const struct hs_vm_field *fields, uint64_t field_stride,
                             const struct hs_vm_type *types, uint64_t type_stride) {
    gHotSpotVMStructs = fields;
    gHotSpotVMStructEntryArrayStride = field_stride;
    gHotSpotVMTypes = types;
    gHotSpotVMTypeEntryArrayStride = type_stride;
}

EXPORTED fakejvm_stack_trace_function *fakejvm_on_stack_trace;

EXPORTED int fakejvm_stack_trace(void *jvmti, void *thread, int start, int max, void *infos,
                                 int *count) {
    return fakejvm_on_stack_trace(jvmti, thread, start, max, infos, count);
}

/* The heap, as java.lang.Runtime has it: a quarter of it is in use. */
EXPORTED long JVM_MaxMemory(void);
EXPORTED long JVM_TotalMemory(void);
EXPORTED long JVM_FreeMemory(void);

enum { HEAP = 1 << 20 };

long JVM_MaxMemory(void) {
    return HEAP;
}

long JVM_TotalMemory(void) {
    return HEAP / 2;
}

long JVM_FreeMemory(void) {
    return HEAP / 4;
}
