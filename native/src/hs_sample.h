/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* A sampled object, as the live table and the ring of the dead keep it. */
#ifndef HS_SAMPLE_H
#define HS_SAMPLE_H

#include <stdint.h>

/* One bit each in hs_sample.recordings. */
#define HS_MAX_RECORDINGS 64

/* When an object was born, in the counts of hs_epochs.h; collections count for it from that one on. */
struct hs_birth {
    uint32_t epoch;
    uint32_t pause;
    uint32_t collections;
};

/* The number of a site or a thread as samples have it. Tables are replaced when they fill up (hs_store.h); the
 * highest bit says which of the two generations, that at hand or the one before, a number belongs to; the
 * others are the number of the id (hs_ids.h). */
static inline uint32_t hs_in_generation(uint32_t number, uint32_t generation) {
    return number | generation << 31;
}

static inline uint32_t hs_number_of(uint32_t id) {
    return id & ~(UINT32_C(1) << 31);
}

static inline uint32_t hs_generation_of(uint32_t id) {
    return id >> 31;
}

struct hs_sample_site {
    uint32_t bits; /* hs_in_generation */
};

struct hs_sample_thread {
    uint32_t bits; /* likewise */
};

struct hs_sample {
    uint64_t recordings;  /* bit i: the recording in place i saw it */
    int64_t allocated_us; /* monotonic */
    uint64_t size;        /* bytes, with header and padding */
    struct hs_sample_site site;
    struct hs_sample_thread thread;
    uint32_t drawn; /* with which chance, see hs_estimate.h */
    struct hs_birth birth;
};

#endif
