/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Hashes of 64 bits over bytes or words, for tables that compare keys whole.
 *
 * Multiply, rotate, multiply per word and the finaliser of a 64-bit mixer. Not for untrusted input
 * in the cryptographic sense: a flood of collisions costs time, never a wrong answer. */
#ifndef HS_HASH_H
#define HS_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint64_t hs_hash_mix(uint64_t x) {
    x ^= x >> 32;
    x *= UINT64_C(0xD6E8FEB86659FD93);
    x ^= x >> 32;
    x *= UINT64_C(0xD6E8FEB86659FD93);
    x ^= x >> 32;
    return x;
}

static inline uint64_t hs_hash_word(uint64_t hash, uint64_t word) {
    hash ^= word * UINT64_C(0x9E3779B97F4A7C15);
    hash = (hash << 29) | (hash >> 35);
    return hash * UINT64_C(0xBF58476D1CE4E5B9);
}

/* A hash of words one after the other: HS_HASH_BEGIN, hs_hash_word for each, hs_hash_end with the
 * number of bytes. That is what hs_hash_bytes answers. */
#define HS_HASH_BEGIN UINT64_C(0x2545F4914F6CDD1D)

static inline uint64_t hs_hash_end(uint64_t hash, size_t bytes) {
    return hs_hash_mix(hash ^ bytes);
}

static inline uint64_t hs_hash_bytes(const void *data, size_t bytes) {
    const unsigned char *p = data;
    size_t left = bytes;
    uint64_t hash = HS_HASH_BEGIN;
    uint64_t word;
    for (; left >= sizeof word; left -= sizeof word, p += sizeof word) {
        memcpy(&word, p, sizeof word);
        hash = hs_hash_word(hash, word);
    }
    if (left > 0) { /* data may be NULL when there is none */
        word = 0;
        memcpy(&word, p, left);
        hash = hs_hash_word(hash, word);
    }
    return hs_hash_end(hash, bytes);
}

/* Another hash of bytes, for many of them: four chains side by side. */
static inline uint64_t hs_hash_lanes(const void *data, size_t bytes) {
    enum { LANES = 4 };
    const unsigned char *p = data;
    size_t left = bytes;
    uint64_t hash[LANES] = {HS_HASH_BEGIN, ~HS_HASH_BEGIN, HS_HASH_BEGIN >> 1, ~HS_HASH_BEGIN >> 1};
    uint64_t words[LANES];
    for (; left >= sizeof words; left -= sizeof words, p += sizeof words) {
        memcpy(words, p, sizeof words);
        for (int i = 0; i < LANES; i++) {
            hash[i] = hs_hash_word(hash[i], words[i]);
        }
    }
    uint64_t both = hs_hash_word(hs_hash_word(hash[0], hash[1]), hs_hash_word(hash[2], hash[3]));
    return hs_hash_mix(hs_hash_word(both, hs_hash_bytes(p, left) ^ bytes));
}

#endif
