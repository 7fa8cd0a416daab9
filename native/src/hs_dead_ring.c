/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_dead_ring.h"

#include "hs_mem.h"

struct hs_dead_ring {
    uint32_t capacity;
    uint32_t count;
    uint32_t first; /* the oldest */
    struct hs_dead ring[];
};

static size_t bytes_of(uint32_t capacity) {
    return sizeof(struct hs_dead_ring) + (size_t)capacity * sizeof(struct hs_dead);
}

enum hs_status hs_dead_ring_new(uint32_t capacity, hs_dead_ring **result) {
    *result = hs_mem_new(bytes_of(capacity));
    if (*result == NULL) {
        return HS_NO_MEMORY;
    }
    (*result)->capacity = capacity;
    return HS_OK;
}

void hs_dead_ring_free(hs_dead_ring *dead_ring) {
    if (dead_ring != NULL) {
        hs_mem_free(dead_ring, bytes_of(dead_ring->capacity));
    }
}

void hs_dead_ring_add(hs_dead_ring *dead_ring, const struct hs_dead *dead, uint64_t *forgotten) {
    *forgotten = 0;
    if (dead_ring->capacity == 0) {
        *forgotten = dead->sample.recordings;
        return;
    }
    uint32_t at = (uint32_t)(((uint64_t)dead_ring->first + dead_ring->count) % dead_ring->capacity);
    if (dead_ring->count == dead_ring->capacity) {
        *forgotten = dead_ring->ring[at].sample.recordings;
        dead_ring->first = (dead_ring->first + 1) % dead_ring->capacity;
    } else {
        dead_ring->count++;
    }
    dead_ring->ring[at] = *dead;
}

uint32_t hs_dead_ring_count(const hs_dead_ring *dead_ring) {
    return dead_ring->count;
}

struct hs_dead *hs_dead_ring_get(hs_dead_ring *dead_ring, uint32_t i) {
    return &dead_ring->ring[((uint64_t)dead_ring->first + i) % dead_ring->capacity];
}

void hs_dead_ring_clear(hs_dead_ring *dead_ring) {
    dead_ring->count = 0;
    dead_ring->first = 0;
}

void hs_dead_ring_forget(hs_dead_ring *dead_ring, uint64_t recordings) {
    for (uint32_t i = 0; i < dead_ring->count; i++) {
        dead_ring->ring[((uint64_t)dead_ring->first + i) % dead_ring->capacity].sample.recordings &=
            ~recordings;
    }
}
