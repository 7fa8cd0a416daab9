/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_intern.h"

#include <criterion/criterion.h>
#include <string.h>

#include "hs_hash.h"
#include "hs_mem.h"
#include "seeded.h"

static hs_intern *make(uint32_t max_entries) {
    hs_intern *table;
    cr_assert_eq(hs_intern_new(max_entries, &table), HS_OK);
    cr_assert_not_null(table);
    return table;
}

static uint32_t put(hs_intern *table, const void *key, uint32_t bytes) {
    uint32_t id = 77;
    cr_assert_eq(hs_intern_put(table, key, bytes, &id), HS_OK);
    cr_assert_neq(id, 0);
    cr_assert_leq(id, hs_intern_capacity(table));
    return id;
}

static void assert_key(const hs_intern *table, uint32_t id, const void *key, uint32_t bytes) {
    uint32_t length = 77;
    const void *found = hs_intern_key(table, id, &length);
    cr_assert_not_null(found);
    cr_assert_eq(length, bytes);
    cr_assert_eq((uintptr_t)found % 8, 0);
    cr_assert(memcmp(found, key, bytes) == 0);
}

Test(intern, equal_keys_have_one_number_and_others_another) {
    static const struct {
        const char *key;
        uint32_t bytes;
    } KEYS[] = {{"", 0},        {"\0", 1},         {"\0\0", 2},      {"a", 1},
                {"a\0", 2},     {"ab", 2},         {"ba", 2},        {"abcdefgh", 8},
                {"abcdefg", 7}, {"abcdefgh\0", 9}, {"abcdefghi", 9}, {"abcdefghabcdefgh", 16}};
    enum { COUNT = sizeof KEYS / sizeof KEYS[0] };
    hs_intern *table = make(100);
    uint32_t ids[COUNT];
    for (int i = 0; i < COUNT; i++) {
        cr_assert_eq(hs_intern_find(table, KEYS[i].key, KEYS[i].bytes), 0);
        ids[i] = put(table, KEYS[i].key, KEYS[i].bytes);
        for (int j = 0; j < i; j++) {
            cr_assert_neq(ids[i], ids[j], "keys %d and %d", i, j);
        }
    }
    for (int i = 0; i < COUNT; i++) {
        cr_assert_eq(put(table, KEYS[i].key, KEYS[i].bytes), ids[i]);
        cr_assert_eq(hs_intern_find(table, KEYS[i].key, KEYS[i].bytes), ids[i]);
        assert_key(table, ids[i], KEYS[i].key, KEYS[i].bytes);
    }
    cr_assert_eq(hs_intern_end(table), COUNT + 1);
    cr_assert(hs_intern_is_valid(table));
    hs_intern_free(table);
}

Test(intern, keeps_a_copy_of_the_key) {
    hs_intern *table = make(10);
    char key[] = "before";
    uint32_t id = put(table, key, 6);
    memcpy(key, "after!", 6);
    assert_key(table, id, "before", 6);
    cr_assert_neq(put(table, key, 6), id);
    cr_assert(hs_intern_is_valid(table));
    hs_intern_free(table);
}

Test(intern, finding_does_not_add) {
    hs_intern *table = make(10);
    cr_assert_eq(hs_intern_find(table, "x", 1), 0);
    cr_assert_eq(hs_intern_end(table), 1);
    cr_assert_eq(hs_intern_find(table, "x", 1), 0);
    cr_assert(hs_intern_is_valid(table));
    hs_intern_free(table);
}

Test(intern, unknown_numbers_have_no_key) {
    hs_intern *table = make(10);
    uint32_t id = put(table, "x", 1);
    static const uint32_t NONE[] = {0, 2, 10, 11, 1000, UINT32_MAX};
    cr_assert_eq(id, 1);
    for (int i = 0; i < 6; i++) {
        uint32_t bytes = 77;
        cr_assert_null(hs_intern_key(table, NONE[i], &bytes), "id %u", NONE[i]);
        cr_assert_eq(bytes, 0);
    }
    cr_assert(hs_intern_is_valid(table));
    hs_intern_free(table);
}

Test(intern, sizes_out_of_range_are_refused) {
    hs_intern *table = (hs_intern *)16;
    cr_assert_eq(hs_intern_new(0, &table), HS_INVALID);
    cr_assert_null(table);
    table = (hs_intern *)16;
    cr_assert_eq(hs_intern_new((1 << 24) + 1, &table), HS_INVALID);
    cr_assert_null(table);
    cr_assert_eq(hs_intern_new(UINT32_MAX, &table), HS_INVALID);
    hs_intern_free(NULL);
}

Test(intern, is_full_at_its_exact_bound) {
    static const uint32_t BOUNDS[] = {1, 2, 3, 7, 8, 9, 16, 17, 1000};
    size_t before = hs_mem_used();
    for (int b = 0; b < 9; b++) {
        uint32_t bound = BOUNDS[b];
        hs_intern *table = make(bound);
        cr_assert_eq(hs_intern_capacity(table), bound);
        for (uint32_t i = 0; i < bound; i++) {
            cr_assert_eq(put(table, &i, sizeof i), i + 1);
        }
        for (uint32_t i = bound; i < bound + 5; i++) {
            uint32_t id = 77;
            cr_assert_eq(hs_intern_put(table, &i, sizeof i, &id), HS_FULL);
            cr_assert_eq(id, 0);
            cr_assert_eq(hs_intern_find(table, &i, sizeof i), 0);
        }
        for (uint32_t i = 0; i < bound; i++) {
            cr_assert_eq(put(table, &i, sizeof i), i + 1, "a known key goes on to be found");
        }
        cr_assert_eq(hs_intern_end(table), bound + 1);
        cr_assert(hs_intern_is_valid(table));
        hs_intern_free(table);
    }
    cr_assert_eq(hs_mem_used(), before);
}

Test(intern, a_full_table_takes_no_more_memory) {
    hs_intern *table = make(4);
    static char large[1000];
    for (uint32_t i = 0; i < 4; i++) {
        put(table, &i, sizeof i);
    }
    size_t used = hs_mem_used();
    for (uint32_t i = 0; i < 1000; i++) {
        uint32_t id;
        memcpy(large, &i, sizeof i);
        cr_assert_eq(hs_intern_put(table, large, sizeof large, &id), HS_FULL);
    }
    cr_assert_eq(hs_mem_used(), used);
    cr_assert(hs_intern_is_valid(table));
    hs_intern_free(table);
}

Test(intern, keys_longer_than_a_chunk_fit) {
    static const uint32_t LENGTHS[] = {65519, 65520, 65521, 65528, 65529, 65536, 65537, 300000, 3};
    static unsigned char key[300000];
    hs_intern *table = make(20);
    uint32_t ids[9];
    for (int i = 0; i < 9; i++) {
        memset(key, 'a' + i, sizeof key);
        ids[i] = put(table, key, LENGTHS[i]);
    }
    for (int i = 0; i < 9; i++) {
        memset(key, 'a' + i, sizeof key);
        cr_assert_eq(hs_intern_find(table, key, LENGTHS[i]), ids[i]);
        assert_key(table, ids[i], key, LENGTHS[i]);
        key[LENGTHS[i] - 1] ^= 1;
        cr_assert_eq(hs_intern_find(table, key, LENGTHS[i]), 0, "the last byte counts");
    }
    cr_assert(hs_intern_is_valid(table));
    hs_intern_free(table);
}

/* The key of number i: its length and its bytes follow from i. */
static uint32_t key_of(uint32_t i, unsigned char key[300]) {
    struct seeded seeded = {i};
    uint32_t bytes = 4 + seeded_below(&seeded, 290);
    for (uint32_t j = 4; j < bytes; j++) {
        key[j] = (unsigned char)seeded_u32(&seeded);
    }
    memcpy(key, &i, sizeof i);
    return bytes;
}

Test(intern, many_keys_over_many_chunks_stay_whole) {
    enum { COUNT = 20000 };
    unsigned char key[300];
    size_t before = hs_mem_used();
    hs_intern *table = make(COUNT);
    static uint32_t ids[COUNT];
    for (uint32_t i = 0; i < COUNT; i++) {
        uint32_t bytes = key_of(i, key);
        ids[i] = put(table, key, bytes);
    }
    for (uint32_t i = 0; i < COUNT; i++) {
        uint32_t bytes = key_of(i, key);
        cr_assert_eq(hs_intern_find(table, key, bytes), ids[i]);
        assert_key(table, ids[i], key, bytes);
    }
    cr_assert(hs_intern_is_valid(table));
    hs_intern_free(table);
    cr_assert_eq(hs_mem_used(), before);
}

/* The inverse of an odd number modulo 2^64, by Newton. */
static uint64_t inverse(uint64_t odd) {
    uint64_t x = odd;
    for (int i = 0; i < 6; i++) {
        x *= 2 - odd * x;
    }
    return x;
}

/* The words that all others collide with: their place is the last one of an index of 512, so that
 * looking for a free one has to go on at the first. */
static uint64_t target[2] = {1, 0};

static void find_target(void) {
    while ((hs_hash_bytes(target, sizeof target) & 511) != 511) {
        target[1]++;
    }
}

/* Chooses the last of `count` words so that all of them have the same hash as the target: the last
 * word undoes what the length and the others did. Each step of hs_hash_word can be undone. */
static void collide(uint64_t *words, uint32_t count) {
    const uint64_t factor = UINT64_C(0x9E3779B97F4A7C15); /* both of hs_hash_word */
    const uint64_t second = UINT64_C(0xBF58476D1CE4E5B9);
    uint64_t end = hs_hash_word(hs_hash_word(HS_HASH_BEGIN, target[0]), target[1]);
    uint64_t wanted = (end ^ sizeof target ^ 8 * (uint64_t)count) * inverse(second);
    uint64_t hash = HS_HASH_BEGIN;
    for (uint32_t i = 0; i + 1 < count; i++) {
        hash = hs_hash_word(hash, words[i]);
    }
    words[count - 1] = (hash ^ (wanted >> 29 | wanted << 35)) * inverse(factor);
}

/* Collision number i: long and short ones. The long ones start with the target, which is short one
 * number 1, and differ from each other only behind their first half. */
static uint32_t colliding(uint32_t i, uint64_t words[4]) {
    uint32_t count = i % 2 == 0 ? 4 : 2;
    words[0] = i % 2 == 0 ? target[0] : i;
    words[1] = target[1];
    words[2] = i;
    collide(words, count);
    cr_assert_eq(hs_hash_bytes(words, 8 * count), hs_hash_bytes(target, sizeof target));
    return 8 * count;
}

Test(intern, keys_with_one_and_the_same_hash_are_distinguished) {
    enum { COUNT = 200 };
    hs_intern *table = make(COUNT);
    uint64_t words[4];
    uint32_t ids[COUNT];
    find_target();
    for (uint32_t i = 0; i < COUNT; i++) {
        uint32_t bytes = colliding(i, words);
        cr_assert_eq(hs_intern_find(table, words, bytes), 0, "key %u", i);
        ids[i] = put(table, words, bytes);
        cr_assert_eq(ids[i], i + 1);
    }
    for (uint32_t i = 0; i < COUNT; i++) {
        uint32_t bytes = colliding(i, words);
        cr_assert_eq(put(table, words, bytes), ids[i]);
        assert_key(table, ids[i], words, bytes);
    }
    uint32_t bytes = colliding(COUNT, words);
    cr_assert_eq(hs_intern_find(table, words, bytes), 0);
    cr_assert(hs_intern_is_valid(table));
    hs_intern_free(table);
}

/* The rest of the table is for other keys; one that is there already is found nevertheless. */
Test(intern, a_limit_keeps_a_reserve) {
    hs_intern *table;
    uint32_t id;
    cr_assert_eq(hs_intern_new(4, &table), HS_OK);
    for (uint32_t key = 1; key <= 3; key++) {
        cr_assert_eq(hs_intern_put_within(table, 3, &key, sizeof key, &id), HS_OK);
        cr_assert_eq(id, key);
    }
    uint32_t fourth = 4;
    cr_assert_eq(hs_intern_put_within(table, 3, &fourth, sizeof fourth, &id), HS_FULL);
    cr_assert_eq(id, 0);
    uint32_t second = 2;
    cr_assert_eq(hs_intern_put_within(table, 0, &second, sizeof second, &id), HS_OK);
    cr_assert_eq(id, 2);
    cr_assert_eq(hs_intern_put(table, &fourth, sizeof fourth, &id), HS_OK);
    cr_assert_eq(id, 4);
    uint32_t fifth = 5;
    cr_assert_eq(hs_intern_put_within(table, 100, &fifth, sizeof fifth, &id), HS_FULL);
    cr_assert(hs_intern_is_valid(table));
    hs_intern_free(table);
}

/* ---- the walker, over a table that is broken ---- */

/* Where the key of an id lies, and before it its length. */
static unsigned char *key_at(const hs_intern *table, uint32_t id) {
    uint32_t bytes;
    return (unsigned char *)(uintptr_t)hs_intern_key(table, id, &bytes);
}

Test(intern, the_walker_finds_a_key_that_has_changed) {
    hs_intern *table = make(100);
    uint32_t id = put(table, "abc", 3);
    put(table, "abd", 3);
    cr_assert(hs_intern_is_valid(table));
    for (int i = 0; i < 3; i++) {
        key_at(table, id)[i] ^= 1;
        cr_assert_not(hs_intern_is_valid(table), "byte %d", i);
        key_at(table, id)[i] ^= 1;
    }
    cr_assert(hs_intern_is_valid(table));
    key_at(table, id)[2] = 'd';
    cr_assert_not(hs_intern_is_valid(table), "two equal keys");
    key_at(table, id)[2] = 'c';
    hs_intern_free(table);
}

Test(intern, the_walker_finds_a_length_that_has_changed) {
    hs_intern *table = make(100);
    uint32_t id = put(table, "abc", 3);
    uint32_t *bytes = (uint32_t *)(void *)key_at(table, id) - 2;
    cr_assert_eq(*bytes, 3);
    *bytes = 2;
    cr_assert_not(hs_intern_is_valid(table));
    *bytes = UINT32_MAX;
    cr_assert_not(hs_intern_is_valid(table), "it would end outside");
    *bytes = 3;
    cr_assert(hs_intern_is_valid(table));
    hs_intern_free(table);
}

Test(intern, the_first_note_of_a_key_stays) {
    hs_intern *table;
    uint32_t ids[2000];
    cr_assert_eq(hs_intern_new(2000, &table), HS_OK);
    for (uint32_t i = 0; i < 2000; i++) {
        cr_assert_eq(hs_intern_put(table, &i, sizeof i, &ids[i]), HS_OK);
        cr_assert_eq(hs_intern_noted(table, ids[i]), 0);
        hs_intern_note(table, ids[i], 0);
        hs_intern_note(table, ids[i], i + 7);
        hs_intern_note(table, ids[i], 1);
        hs_intern_note(table, ids[i], 0);
    }
    for (uint32_t i = 0; i < 2000; i++) {
        uint32_t bytes;
        cr_assert_eq(hs_intern_noted(table, ids[i]), i + 7);
        cr_assert(memcmp(hs_intern_key(table, ids[i], &bytes), &i, sizeof i) == 0);
        cr_assert_eq(hs_intern_find(table, &i, sizeof i), ids[i], "notes are not part of the key");
    }
    static const uint32_t NONE[] = {0, 2001, UINT32_MAX};
    for (int i = 0; i < 3; i++) {
        cr_assert_eq(hs_intern_noted(table, NONE[i]), 0);
    }
    cr_assert(hs_intern_is_valid(table));
    hs_intern_free(table);
}

/* A new generation begins with little. */
Test(intern, memory_comes_with_use) {
    enum { MOST = 65536 };
    hs_intern *table;
    uint32_t id;
    size_t before = hs_mem_used();
    cr_assert_eq(hs_intern_new(MOST, &table), HS_OK);
    cr_assert_leq(hs_mem_used() - before, 8 * MOST + 2048, "slots of 4 bytes, two for each key");
    size_t used = hs_mem_used();
    cr_assert_eq(hs_intern_put(table, "a", 1, &id), HS_OK);
    cr_assert_leq(hs_mem_used() - used, 16384 + 4096,
                  "a chunk and a page: whole pages of the system");
    cr_assert_eq(hs_intern_find(table, "b", 1), 0);
    uint32_t bytes;
    cr_assert_null(hs_intern_key(table, MOST, &bytes), "of a page that there is not");
    hs_intern_free(table);
}

/* The first key of each page needs one; without it the id is given again. */
Test(intern, without_a_page_nothing_is_lost) {
    hs_intern *table;
    uint32_t id;
    cr_assert_eq(hs_intern_new(4000, &table), HS_OK);
    for (uint32_t i = 0; i < 4000; i++) {
        hs_mem_fail_at(1);
        enum hs_status status = hs_intern_put(table, &i, sizeof i, &id);
        hs_mem_fail_at(0);
        for (; status == HS_NO_MEMORY; status = hs_intern_put(table, &i, sizeof i, &id)) {
            cr_assert_eq(id, 0);
            cr_assert_eq(hs_intern_end(table), i + 1);
        }
        cr_assert_eq(status, HS_OK);
        cr_assert_eq(id, i + 1);
    }
    cr_assert(hs_intern_is_valid(table));
    hs_intern_free(table);
}
