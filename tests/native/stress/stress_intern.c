/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include <string.h>

#include "crew.h"
#include "hs_intern.h"
#include "hs_mem.h"

enum { THREADS = 4, KEYS = 4000, KEY_MAX = 200 };

static hs_intern *table;
static uint32_t ids[THREADS][KEYS];
static _Atomic int writers_left;

static uint32_t key_of(uint32_t i, unsigned char key[KEY_MAX]) {
    uint32_t bytes = 4 + i % (KEY_MAX - 4);
    memset(key, (int)(i * 31 & 0xFF), bytes);
    memcpy(key, &i, sizeof i);
    return bytes;
}

static void check_bytes(const void *found, uint32_t length, uint32_t i) {
    unsigned char key[KEY_MAX];
    uint32_t bytes = key_of(i, key);
    HS_CHECK(found != NULL && length == bytes && memcmp(found, key, bytes) == 0);
}

static void check_entry(const hs_intern *in, uint32_t id, uint32_t i) {
    uint32_t length;
    const void *found = hs_intern_key(in, id, &length);
    check_bytes(found, length, i);
}

static void check_key(uint32_t id, uint32_t i) {
    check_entry(table, id, i);
}

/* All put the same keys, every second thread from the other end, twice. */
static void put_all(int number) {
    unsigned char key[KEY_MAX];
    for (uint32_t n = 0; n < 2 * KEYS; n++) {
        uint32_t i = number % 2 == 0 ? n % KEYS : KEYS - 1 - n % KEYS;
        uint32_t bytes = key_of(i, key);
        uint32_t id = 0;
        HS_CHECK(hs_intern_put(table, key, bytes, &id) == HS_OK);
        HS_CHECK(n < KEYS || ids[number][i] == id);
        HS_CHECK(hs_intern_find(table, key, bytes) == id);
        ids[number][i] = id;
        check_key(id, i);
    }
    writers_left--;
}

/* Reads whatever is there; every entry it can see must be whole. */
static void read_all(int number) {
    (void)number;
    while (writers_left > 0) {
        uint32_t end = hs_intern_end(table);
        for (uint32_t id = 1; id < end; id++) {
            uint32_t bytes;
            uint32_t i;
            const void *key = hs_intern_key(table, id, &bytes);
            if (key != NULL) {
                HS_CHECK(bytes >= sizeof i);
                memcpy(&i, key, sizeof i);
                /* Not requested again: a thread that has lost a race takes its number back. */
                check_bytes(key, bytes, i);
            }
        }
    }
}

Test(stress_intern, equal_keys_get_equal_numbers_whichever_is_first) {
    crew_work *const works[] = {put_all, put_all, put_all, put_all, read_all};
    size_t before = hs_mem_used();
    /* A thread that loses a race leaves a number unused: room for all to lose all. */
    cr_assert_eq(hs_intern_new(THREADS * KEYS, &table), HS_OK);
    writers_left = THREADS;
    crew_each(THREADS + 1, works);
    static bool is_taken[THREADS * KEYS + 1];
    memset(is_taken, 0, sizeof is_taken);
    for (uint32_t i = 0; i < KEYS; i++) {
        for (int t = 1; t < THREADS; t++) {
            cr_assert_eq(ids[t][i], ids[0][i], "key %u", i);
        }
        cr_assert_not(is_taken[ids[0][i]], "two keys with one number");
        is_taken[ids[0][i]] = true;
    }
    cr_assert(hs_intern_is_valid(table));
    hs_intern_free(table);
    cr_assert_eq(hs_mem_used(), before);
}

enum { ROUNDS = 1500, RACERS = 3, BOUND = 6 };

static hs_intern *tables[ROUNDS];
static uint32_t raced[ROUNDS][RACERS][BOUND];

/* In each round a fresh table, and the same few keys at the same time. */
static void race(int number) {
    for (int round = 0; round < ROUNDS; round++) {
        crew_meet();
        for (uint32_t i = 0; i < BOUND; i++) {
            unsigned char key[KEY_MAX];
            uint32_t bytes = key_of(i, key);
            HS_CHECK(hs_intern_put(tables[round], key, bytes, &raced[round][number][i]) == HS_OK);
            check_entry(tables[round], raced[round][number][i], i);
        }
    }
}

Test(stress_intern, a_race_for_a_key_has_one_winner) {
    for (int round = 0; round < ROUNDS; round++) {
        cr_assert_eq(hs_intern_new(RACERS * BOUND, &tables[round]), HS_OK);
    }
    crew_all(RACERS, race);
    for (int round = 0; round < ROUNDS; round++) {
        for (uint32_t i = 0; i < BOUND; i++) {
            unsigned char key[KEY_MAX];
            uint32_t bytes = key_of(i, key);
            uint32_t id = hs_intern_find(tables[round], key, bytes);
            for (int t = 0; t < RACERS; t++) {
                cr_assert_eq(raced[round][t][i], id, "round %d, key %u", round, i);
            }
        }
        cr_assert(hs_intern_is_valid(tables[round]));
        hs_intern_free(tables[round]);
    }
}

static _Atomic uint32_t accepted_in[ROUNDS];

/* The last places of a table: more keys than there is room for, at the same time. */
static void crowd(int number) {
    for (int round = 0; round < ROUNDS; round++) {
        crew_meet();
        for (uint32_t i = 0; i < BOUND / 2; i++) {
            uint32_t key[2] = {(uint32_t)number, i};
            uint32_t id = 77;
            enum hs_status status = hs_intern_put(tables[round], key, sizeof key, &id);
            HS_CHECK(status == HS_OK ? id >= 1 && id <= BOUND : status == HS_FULL && id == 0);
            accepted_in[round] += status == HS_OK;
        }
    }
}

Test(stress_intern, a_race_for_the_last_place_has_one_winner) {
    for (int round = 0; round < ROUNDS; round++) {
        accepted_in[round] = 0;
        cr_assert_eq(hs_intern_new(BOUND, &tables[round]), HS_OK);
    }
    crew_all(RACERS, crowd);
    for (int round = 0; round < ROUNDS; round++) {
        cr_assert_eq(accepted_in[round], BOUND, "round %d", round);
        cr_assert(hs_intern_is_valid(tables[round]));
        hs_intern_free(tables[round]);
    }
}

enum { LONG_BYTES = 20000, LONG_KEYS = 300 };

/* Three of these fill a chunk: there is a race for its end all the time. */
static void put_long(int number) {
    static _Thread_local unsigned char key[LONG_BYTES];
    for (uint32_t i = 0; i < LONG_KEYS; i++) {
        uint32_t id = 0;
        uint32_t word = (uint32_t)number << 16 | i;
        memset(key, (int)(i + (uint32_t)number * 50) & 0xFF, sizeof key);
        memcpy(key, &word, sizeof word);
        HS_CHECK(hs_intern_put(table, key, sizeof key, &id) == HS_OK);
        ids[number][i] = id;
    }
    for (uint32_t i = 0; i < LONG_KEYS; i++) {
        uint32_t bytes;
        const unsigned char *found = hs_intern_key(table, ids[number][i], &bytes);
        HS_CHECK(found != NULL && bytes == LONG_BYTES);
        for (uint32_t j = sizeof i; j < LONG_BYTES; j++) {
            HS_CHECK(found[j] == ((i + (uint32_t)number * 50) & 0xFF));
        }
    }
}

Test(stress_intern, entries_never_overlap) {
    size_t before = hs_mem_used();
    cr_assert_eq(hs_intern_new(THREADS * LONG_KEYS, &table), HS_OK);
    crew_all(THREADS, put_long);
    cr_assert(hs_intern_is_valid(table));
    hs_intern_free(table);
    cr_assert_eq(hs_mem_used(), before);
}

static _Atomic uint32_t accepted;

/* Keys of its own, until the table is full and beyond. */
static void fill(int number) {
    for (uint32_t i = 0; i < KEYS; i++) {
        uint32_t key[2] = {(uint32_t)number, i};
        uint32_t id = 77;
        enum hs_status status = hs_intern_put(table, key, sizeof key, &id);
        HS_CHECK(status == HS_OK || status == HS_FULL);
        HS_CHECK((status == HS_OK) == (id != 0) && id <= hs_intern_capacity(table));
        accepted += status == HS_OK;
    }
}

Test(stress_intern, a_table_fills_up_to_its_bound_and_no_further) {
    enum { LARGE_BOUND = KEYS + 7 };
    accepted = 0;
    cr_assert_eq(hs_intern_new(LARGE_BOUND, &table), HS_OK);
    crew_all(THREADS, fill);
    cr_assert_eq(accepted, LARGE_BOUND);
    cr_assert_eq(hs_intern_end(table), LARGE_BOUND + 1);
    for (uint32_t id = 1; id <= LARGE_BOUND; id++) {
        uint32_t bytes;
        cr_assert_not_null(hs_intern_key(table, id, &bytes), "number %u", id);
        cr_assert_eq(bytes, 8);
    }
    cr_assert(hs_intern_is_valid(table));
    hs_intern_free(table);
}
