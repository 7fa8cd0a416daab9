/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_labels.h"

#include <stdatomic.h>

#include "hs_label_sets.h"
#include "hs_mem.h"

enum { WHOLE = 16 };

struct hs_labels {
    hs_intern *table;
    /* Of all sets. Added to before a set is put; threads that put one at once may both count it. Relaxed: a bound. */
    _Atomic uint32_t bytes;
};

enum hs_status hs_labels_new(hs_labels **result) {
    *result = NULL;
    hs_labels *labels = hs_mem_new(sizeof *labels);
    if (labels == NULL) {
        return HS_NO_MEMORY;
    }
    struct hs_label_id other;
    enum hs_status status = hs_intern_new(HS_MAX_LABELS, &labels->table);
    if (status == HS_OK) {
        status = hs_labels_put(labels, "", 1, &other);
    }
    if (status != HS_OK) {
        hs_labels_free(labels);
        return status;
    }
    HS_DCHECK(other.number == HS_LABEL_OTHER);
    *result = labels;
    return HS_OK;
}

void hs_labels_free(hs_labels *labels) {
    if (labels != NULL) {
        hs_intern_free(labels->table);
        hs_mem_free(labels, sizeof *labels);
    }
}

static uint32_t share(uint32_t all, uint32_t sixteenths) {
    return all / WHOLE * sixteenths;
}

enum hs_status hs_labels_put(hs_labels *labels, const char *bytes, uint32_t count,
                             struct hs_label_id *id) {
    return hs_labels_put_within(labels, WHOLE, bytes, count, id);
}

enum hs_status hs_labels_put_within(hs_labels *labels, uint32_t sixteenths, const char *bytes,
                                    uint32_t count, struct hs_label_id *id) {
    id->number = hs_intern_find(labels->table, bytes, count);
    if (id->number != 0) {
        return HS_OK;
    }
    enum hs_status status = HS_FULL;
    uint32_t before = atomic_fetch_add_explicit(&labels->bytes, count, memory_order_relaxed);
    if (before + count <= share(HS_MAX_LABEL_BYTES, sixteenths)) {
        status = hs_intern_put_within(labels->table, share(HS_MAX_LABELS, sixteenths), bytes, count,
                                      &id->number);
    }
    if (status != HS_OK) {
        atomic_fetch_sub_explicit(&labels->bytes, count, memory_order_relaxed);
    }
    return status;
}

const char *hs_labels_get(const hs_labels *labels, struct hs_label_id id, uint32_t *count) {
    return hs_intern_key(labels->table, id.number, count);
}

bool hs_labels_is_beyond(const hs_labels *labels, uint32_t sixteenths) {
    return hs_labels_end(labels) > share(HS_MAX_LABELS, sixteenths) ||
           atomic_load_explicit(&labels->bytes, memory_order_relaxed) >
               share(HS_MAX_LABEL_BYTES, sixteenths);
}

uint32_t hs_labels_end(const hs_labels *labels) {
    return hs_intern_end(labels->table);
}

#ifdef HS_CHECKS
bool hs_labels_is_valid(const hs_labels *labels) {
    uint32_t count;
    uint32_t bytes = 0;
    for (uint32_t id = 1; id < hs_labels_end(labels); id++) {
        const char *text = hs_labels_get(labels, (struct hs_label_id){id}, &count);
        bytes += count;
        if (text != NULL && id != HS_LABEL_OTHER && !hs_label_bytes_are_valid(text, count)) {
            return false;
        }
    }
    return bytes <= atomic_load_explicit(&labels->bytes, memory_order_relaxed) &&
           hs_intern_is_valid(labels->table);
}
#endif
