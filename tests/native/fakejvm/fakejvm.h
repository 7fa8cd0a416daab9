/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* A library that exports tables under the names that libjvm uses, for test_hotspot. */
#ifndef FAKEJVM_H
#define FAKEJVM_H

#include "hs_hotspot.h"

/* What the library exports from now on. */
void fakejvm_export(const struct hs_vm_field *fields, uint64_t field_stride,
                    const struct hs_vm_type *types, uint64_t type_stride);

#endif
