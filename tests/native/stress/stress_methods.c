/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* The cache of methods under contention for few slots: whatever it answers belongs to the key. */
#include <stdatomic.h>

#include "crew.h"
#include "hs_clock.h"
#include "hs_hash.h"
#include "hs_methods.h"

enum { THREADS = 4, ROUNDS = 30000, METHODS = 40000, VERSIONS = 3 };

static hs_methods *methods;
static _Atomic uint64_t hits;

/* Each word follows from the key. */
static struct hs_method method_of(const struct hs_method_key *key) {
    uint32_t number = (uint32_t)(key->id * 8 + key->method * 4 + key->stamp);
    struct hs_method method = {{number},     {number + 1}, {number + 2}, {number + 3},
                               {number + 4}, number + 5,   {0}};
    for (int32_t i = 0; i < 40; i++) {
        hs_lines_add(&method.lines, i, (int32_t)(number % 1000) + i);
    }
    return method;
}

static void check(const struct hs_method_key *key, const struct hs_method *found) {
    struct hs_method right = method_of(key);
    HS_CHECK(memcmp(found, &right, sizeof right) == 0);
}

static void look_up(const struct hs_method_key *key) {
    struct hs_method method;
    if (hs_methods_find(methods, 0, key, &method)) {
        check(key, &method);
        atomic_fetch_add(&hits, 1);
    } else {
        method = method_of(key);
        hs_methods_put(methods, 0, key, &method);
    }
}

/* Half of all draws among few methods, which are then displaced by the others. */
static void look_many_up(int number) {
    struct seeded seeded = {(uint64_t)number + 5};
    for (int i = 0; i < ROUNDS; i++) {
        uint32_t range = seeded_below(&seeded, 2) == 0 ? 64 : METHODS;
        uint32_t version = seeded_below(&seeded, VERSIONS);
        struct hs_method_key key = {1 + seeded_below(&seeded, range), version, version};
        look_up(&key);
    }
}

enum { RIVALS = 6, SET_BITS = 12, MOST_US = 1000000 };

static uintptr_t rivals[RIVALS];

/* Ids of one set of the cache, which has fewer slots than they are. Leans on how hs_methods.c chooses a
 * set; were that to change, this test would only be less hard. */
static void find_rivals(void) {
    uint32_t count = 0;
    for (uintptr_t id = 1; count < RIVALS; id++) {
        if (hs_hash_mix(hs_hash_word(HS_HASH_BEGIN, id)) >> (64 - SET_BITS) == 0) {
            rivals[count++] = id;
        }
    }
}

static void compete(int number) {
    struct seeded seeded = {(uint64_t)number + 9};
    int64_t end = hs_clock_monotonic_us() + MOST_US;
    for (int i = 0; i < 20 * ROUNDS && (i % 1024 != 0 || hs_clock_monotonic_us() < end); i++) {
        struct hs_method_key key = {rivals[seeded_below(&seeded, RIVALS)], 1,
                                    seeded_below(&seeded, VERSIONS)};
        look_up(&key);
    }
}

static void run(crew_work *work) {
    hits = 0;
    cr_assert_eq(hs_methods_new(&methods), HS_OK);
    crew_all(THREADS, work);
    cr_assert(hs_methods_is_valid(methods));
    hs_methods_free(methods);
}

Test(stress_methods, a_hit_is_of_its_key_where_slots_change_all_the_time) {
    find_rivals();
    run(compete);
}

/* One draw in six is of few methods, and of the version that was put last. */
Test(stress_methods, a_hit_is_always_of_its_key) {
    run(look_many_up);
    cr_assert_gt(hits, THREADS * ROUNDS / 12, "the cache is of use: %lu", (unsigned long)hits);
}
