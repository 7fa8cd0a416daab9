/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* A Java frame as the VM names it, and the number our tables gave it. Its bytes are its identity. */
#ifndef HS_JAVA_FRAME_H
#define HS_JAVA_FRAME_H

#include "hs_hash.h"
#include "hs_ids.h"

struct hs_java_frame {
    uintptr_t method_id;
    int32_t bci;
    struct hs_frame_id frame;
};

/* Identifies the methods and bytecode indexes of some frames; 64 bits, so that two stacks share one
 * by chance in 1 of 2^64 comparisons. For checks, never for finding. */
static inline uint64_t hs_java_fingerprint(const struct hs_java_frame *frames, uint32_t count) {
    uint64_t hash = count;
    for (uint32_t i = 0; i < count; i++) {
        hash = hs_hash_word(hash, frames[i].method_id);
        hash = hs_hash_word(hash, (uint32_t)frames[i].bci);
    }
    return hs_hash_mix(hash);
}

#endif
