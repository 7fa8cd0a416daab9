/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* A library that exports tables under the names that libjvm uses, for test_hotspot and fakevm. */
#ifndef FAKEJVM_H
#define FAKEJVM_H

#include "hs_hotspot.h"

/* What the library exports from now on. */
void fakejvm_export(const struct hs_vm_field *fields, uint64_t field_stride,
                    const struct hs_vm_type *types, uint64_t type_stride);

/* JVMTI's GetStackTrace, as far as its address counts: it leads to this library. Does what
 * fakejvm_on_stack_trace does. */
int fakejvm_stack_trace(void *jvmti, void *thread, int start, int max, void *infos, int *count);

typedef int fakejvm_stack_trace_function(void *jvmti, void *thread, int start, int max, void *infos,
                                         int *count);
extern fakejvm_stack_trace_function *fakejvm_on_stack_trace;

#endif
