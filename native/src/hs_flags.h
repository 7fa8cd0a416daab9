/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Flags: the options of the running VM (-XX), read from the tables it exports, where no Java code can be called:
 * before the application begins. */
#ifndef HS_FLAGS_H
#define HS_FLAGS_H

#include <stddef.h>

#include "hs_hotspot.h"

/* Copies the value of a flag whose type has this many bytes; false, with nothing copied, when this VM has
 * no flag of the name or does not say where its flags are. Thread: Any. */
bool hs_flags_read(const struct hs_vm_tables *tables, const char *name, void *value, size_t bytes);

/* Is the flag of this name true? */
bool hs_flags_is_on(const struct hs_vm_tables *tables, const char *name);

/* The value of a flag that counts bytes, or is as wide as those; 0 when it is not known. */
uint64_t hs_flags_number(const struct hs_vm_tables *tables, const char *name);

#endif
