/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Names: classes, methods, descriptors and files as 32-bit numbers; names of threads in a table of their
 * own (hs_threads.h).
 *
 * A name is a string of modified UTF-8, as the VM hands it out; longer than HS_NAME_MAX it is cut
 * (at the boundary of a character). Number 0 is "no name" and prints as the empty string. Bounded
 * and append-only, see hs_intern.h. */
#ifndef HS_NAMES_H
#define HS_NAMES_H

#include <stddef.h>

#include "hs_check.h"
#include "hs_ids.h"
#include "hs_intern.h"

#define HS_NAME_MAX 1024

struct hs_names {
    hs_intern *table;
};

static inline enum hs_status hs_names_new(uint32_t max_names, struct hs_names *result) {
    return hs_intern_new(max_names, &result->table);
}

/* The number of a name; 0 for the empty one.
 * Thread: Callback. Fails: HS_FULL, HS_NO_MEMORY, with *id 0. */
enum hs_status hs_names_put(struct hs_names names, const char *text, size_t bytes,
                            struct hs_name_id *id);

/* The name is put soon. */
void hs_names_prefetch(struct hs_names names, const char *text, size_t bytes);

/* The same, but fails with HS_FULL for a new name when `limit` names are there. */
enum hs_status hs_names_put_within(struct hs_names names, uint32_t limit, const char *text,
                                   size_t bytes, struct hs_name_id *id);

/* The bytes of a name, not terminated; "" for 0. Thread: Any. Owns: the table. */
const char *hs_names_text(struct hs_names names, struct hs_name_id id, uint32_t *bytes);

#ifdef HS_CHECKS
/* Is the table valid, and no name empty or too long? Thread: as hs_intern_is_valid. */
bool hs_names_is_valid(struct hs_names names);
#endif

#endif
