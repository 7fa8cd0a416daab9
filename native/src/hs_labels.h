/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Labels: the sets of labels that samples of a store have, as numbers.
 *
 * Equal sets have equal numbers, also where several copies of the Java classes have added them. Number 0 is no set,
 * HS_LABEL_OTHER the set "(other)", which is there from the beginning. Append-only, and bounded: twice as many sets as
 * threads may open at a time (hs_label_sets.h), "(other)" included, and 2 MiB of their bytes. So sets that are all in
 * use never fill it to the three quarters where the next generation is due. */
#ifndef HS_LABELS_H
#define HS_LABELS_H

#include <stdbool.h>

#include "hs_check.h"
#include "hs_ids.h"
#include "hs_intern.h"

enum { HS_MAX_LABELS = 8192 };

/* The number of "(other)", and its one byte. */
#define HS_LABEL_OTHER 1

typedef struct hs_labels hs_labels;

/* Owns: the caller frees. Fails: HS_NO_MEMORY. */
enum hs_status hs_labels_new(hs_labels **result);
void hs_labels_free(hs_labels *labels);

/* The number of a set. Thread: Callback. Fails: HS_FULL, HS_NO_MEMORY; *id is 0 then. */
enum hs_status hs_labels_put(hs_labels *labels, const char *bytes, uint32_t count,
                             struct hs_label_id *id);

/* The same, but fails with HS_FULL for a new set when that many sixteenths of the table are used. */
enum hs_status hs_labels_put_within(hs_labels *labels, uint32_t sixteenths, const char *bytes,
                                    uint32_t count, struct hs_label_id *id);

/* The bytes of a set; NULL for 0 and for a number never given. Thread: Any. Owns: the table. */
const char *hs_labels_get(const hs_labels *labels, struct hs_label_id id, uint32_t *count);

/* Are more than that many sixteenths used, of the numbers or of the bytes? Thread: Any. */
bool hs_labels_is_beyond(const hs_labels *labels, uint32_t sixteenths);

/* One more than the highest number given so far. Thread: Any. */
uint32_t hs_labels_end(const hs_labels *labels);

#ifdef HS_CHECKS
/* Thread: one that no other uses the table beside. */
bool hs_labels_is_valid(const hs_labels *labels);
#endif

#endif
