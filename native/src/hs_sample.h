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

struct hs_sample {
    uint64_t recordings;  /* bit i: the recording in place i saw it */
    int64_t allocated_us; /* monotonic */
    uint64_t size;        /* bytes, with header and padding */
    uint32_t site;
    uint32_t thread;
    uint32_t drawn; /* with which chance, see hs_estimate.h */
    struct hs_birth birth;
};

#endif
