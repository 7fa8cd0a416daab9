/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_departed.h"

#include "hs_mem.h"

struct hs_departed {
    uint32_t capacity;
    uint32_t count;
    uint32_t first; /* the oldest */
    struct hs_dead ring[];
};

static size_t bytes_of(uint32_t capacity) {
    return sizeof(struct hs_departed) + (size_t)capacity * sizeof(struct hs_dead);
}

enum hs_status hs_departed_new(uint32_t capacity, hs_departed **result) {
    *result = hs_mem_new(bytes_of(capacity));
    if (*result == NULL) {
        return HS_NO_MEMORY;
    }
    (*result)->capacity = capacity;
    return HS_OK;
}

void hs_departed_free(hs_departed *departed) {
    if (departed != NULL) {
        hs_mem_free(departed, bytes_of(departed->capacity));
    }
}

void hs_departed_add(hs_departed *departed, const struct hs_dead *dead, uint64_t *forgotten) {
    *forgotten = 0;
    if (departed->capacity == 0) {
        *forgotten = dead->sample.recordings;
        return;
    }
    uint32_t at = (uint32_t)(((uint64_t)departed->first + departed->count) % departed->capacity);
    if (departed->count == departed->capacity) {
        *forgotten = departed->ring[at].sample.recordings;
        departed->first = (departed->first + 1) % departed->capacity;
    } else {
        departed->count++;
    }
    departed->ring[at] = *dead;
}

uint32_t hs_departed_count(const hs_departed *departed) {
    return departed->count;
}

struct hs_dead *hs_departed_get(hs_departed *departed, uint32_t i) {
    return &departed->ring[((uint64_t)departed->first + i) % departed->capacity];
}

void hs_departed_clear(hs_departed *departed) {
    departed->count = 0;
    departed->first = 0;
}

void hs_departed_forget(hs_departed *departed, uint64_t recordings) {
    for (uint32_t i = 0; i < departed->count; i++) {
        departed->ring[((uint64_t)departed->first + i) % departed->capacity].sample.recordings &=
            ~recordings;
    }
}
