/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_hash.h"

#include <criterion/criterion.h>
#include <math.h>

#include "seeded.h"

Test(hash, is_of_the_bytes_and_not_of_their_place) {
    char text[64];
    for (size_t length = 0; length < 40; length++) {
        memset(text, 'x', sizeof text);
        uint64_t hash = hs_hash_bytes(text, length);
        for (size_t shift = 1; shift < 8; shift++) {
            cr_assert_eq(hs_hash_bytes(text + shift, length), hash);
        }
        text[length] = 'y';
        cr_assert_eq(hs_hash_bytes(text, length), hash, "what lies behind does not count");
    }
}

Test(hash, each_byte_and_the_length_count) {
    unsigned char key[40] = {0};
    for (size_t length = 1; length <= sizeof key; length++) {
        uint64_t hash = hs_hash_bytes(key, length);
        cr_assert_neq(hs_hash_bytes(key, length - 1), hash);
        for (size_t i = 0; i < length; i++) {
            key[i] = 1;
            cr_assert_neq(hs_hash_bytes(key, length), hash, "byte %zu of %zu", i, length);
            key[i] = 0;
        }
    }
}

Test(hash, lanes_are_of_the_bytes_each_of_them_and_the_length) {
    unsigned char key[150] = {0};
    for (size_t length = 1; length <= 130; length++) {
        uint64_t hash = hs_hash_lanes(key, length);
        cr_assert_neq(hs_hash_lanes(key, length - 1), hash);
        cr_assert_eq(hs_hash_lanes(key + 1, length), hash);
        for (size_t i = 0; i < length; i++) {
            key[i] = 1;
            cr_assert_neq(hs_hash_lanes(key, length), hash, "byte %zu of %zu", i, length);
            key[i] = 0;
        }
        key[length] = 1;
        cr_assert_eq(hs_hash_lanes(key, length), hash, "what lies behind does not count");
        key[length] = 0;
    }
}

/* The same words in other places are other bytes: no two lanes may be mixed up. */
Test(hash, lanes_are_in_order) {
    enum { WORDS = 8 };
    for (int a = 0; a < WORDS; a++) {
        for (int b = 0; b < a; b++) {
            uint64_t words[WORDS] = {0};
            words[a] = 1;
            uint64_t hash = hs_hash_lanes(words, sizeof words);
            words[a] = 0;
            words[b] = 1;
            cr_assert_neq(hs_hash_lanes(words, sizeof words), hash, "%d and %d", a, b);
        }
    }
}

/* The lower bits choose the place in a table, the upper half is kept beside: both must spread.
 * n = 65,536 keys of small consecutive numbers into 256 buckets, each with mean 256 and deviation
 * 16 if the hash were random; 6 deviations on any of 512 buckets: false alarm 1e-6. No seed. */
Test(hash, consecutive_numbers_spread_over_both_halves) {
    static int low[256], high[256];
    memset(low, 0, sizeof low);
    memset(high, 0, sizeof high);
    for (uint32_t i = 0; i < 65536; i++) {
        uint64_t hash = hs_hash_bytes(&i, sizeof i);
        low[hash & 255]++;
        high[hash >> 32 & 255]++;
    }
    for (int i = 0; i < 256; i++) {
        cr_assert_lt(abs(low[i] - 256), 96, "low %d: %d", i, low[i]);
        cr_assert_lt(abs(high[i] - 256), 96, "high %d: %d", i, high[i]);
    }
}

/* hs_thread_state and hs_live draw random bits with the mixer. n = 20,000 inputs, each of 64 output bits is
 * set with 1/2 (deviation 70.7): tolerance 5 deviations, false alarm 64 * 6e-7 = 4e-5. No seed. */
Test(hash, the_mixer_balances_every_bit) {
    int ones[64] = {0};
    for (uint64_t i = 1; i <= 20000; i++) {
        uint64_t x = hs_hash_mix(i * UINT64_C(0x9E3779B97F4A7C15));
        for (int b = 0; b < 64; b++) {
            ones[b] += (int)(x >> b & 1);
        }
    }
    for (int b = 0; b < 64; b++) {
        cr_assert_lt(abs(ones[b] - 10000), 354, "bit %d: %d", b, ones[b]);
    }
}
