/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_methods.h"

#include <criterion/criterion.h>
#include <string.h>
#include <sys/resource.h>

#include "hs_mem.h"

enum { TABLES = 3 };

static hs_methods *make(void) {
    hs_methods *methods;
    cr_assert_eq(hs_methods_new(&methods), HS_OK);
    return methods;
}

/* Everything in it follows from the number. */
static struct hs_method method_of(uint32_t number) {
    struct hs_method method = {
        .class_name = {number},
        .raw_class = {number + 1},
        .name = {number + 2},
        .descriptor = {number + 3},
        .file = {number + 4},
        .flags = number << 16,
    };
    hs_lines_add(&method.lines, 0, (int32_t)(number % 60000));
    hs_lines_add(&method.lines, 900, 9);
    return method;
}

static bool is_known(const hs_methods *methods, struct hs_method_key key, uint32_t number) {
    struct hs_method found;
    struct hs_method right = method_of(number);
    memset(&found, 0x77, sizeof found);
    bool is = hs_methods_find(methods, TABLES, &key, &found);
    cr_assert(!is || memcmp(&found, &right, sizeof found) == 0, "method %u", number);
    return is;
}

static void put(hs_methods *methods, struct hs_method_key key, uint32_t number) {
    struct hs_method method = method_of(number);
    hs_methods_put(methods, TABLES, &key, &method);
    cr_assert(is_known(methods, key, number), "the newest is always known");
}

Test(methods, an_empty_cache_knows_nothing) {
    hs_methods *methods = make();
    cr_assert_not(is_known(methods, (struct hs_method_key){4096, 1, 7}, 0));
    cr_assert_not(is_known(methods, (struct hs_method_key){8, 0, 0}, 0));
    cr_assert(hs_methods_is_valid(methods));
    hs_methods_free(methods);
    hs_methods_free(NULL);
}

Test(methods, the_whole_key_counts) {
    static const struct hs_method_key KEY = {4096, 512, 7};
    static const struct hs_method_key OTHERS[] = {
        {8192, 512, 7}, {4097, 512, 7}, {UINTPTR_MAX, 512, 7}, {4096, 513, 7},
        {4096, 0, 7},   {4096, 512, 8}, {4096, 512, 0},        {4096, 512, UINT64_MAX}};
    hs_methods *methods = make();
    put(methods, KEY, 1);
    for (uint32_t i = 0; i < sizeof OTHERS / sizeof OTHERS[0]; i++) {
        cr_assert_not(is_known(methods, OTHERS[i], 1), "key %u", i);
    }
    cr_assert(is_known(methods, KEY, 1));
    cr_assert(hs_methods_is_valid(methods));
    hs_methods_free(methods);
}

/* Names are numbers of the tables of one generation. */
Test(methods, for_other_tables_nothing_is_known) {
    static const struct hs_method_key KEY = {4096, 512, 7};
    static const uint32_t OTHERS[] = {0,          TABLES - 2, TABLES - 1,
                                      TABLES + 1, TABLES + 2, UINT32_MAX};
    hs_methods *methods = make();
    struct hs_method found;
    put(methods, KEY, 1);
    for (uint32_t i = 0; i < sizeof OTHERS / sizeof OTHERS[0]; i++) {
        cr_assert_not(hs_methods_find(methods, OTHERS[i], &KEY, &found), "tables %u", OTHERS[i]);
    }
    cr_assert(is_known(methods, KEY, 1));
    hs_methods_free(methods);
}

/* After a rotation nothing of the old tables is in the way. */
Test(methods, what_is_for_other_tables_goes_first) {
    enum { OLD = 100000, NEW = 10000 };
    hs_methods *methods = make();
    struct hs_method method = method_of(1);
    uint32_t known = 0;
    for (uint32_t i = 0; i < OLD; i++) {
        struct hs_method_key key = {0x7e0000000000 + 8 * (uintptr_t)i, i, i};
        hs_methods_put(methods, TABLES - 1, &key, &method);
    }
    for (uint32_t i = 0; i < NEW; i++) {
        put(methods, (struct hs_method_key){0x7f0000000000 + 8 * (uintptr_t)i, i, i}, i);
    }
    for (uint32_t i = 0; i < NEW; i++) {
        known +=
            is_known(methods, (struct hs_method_key){0x7f0000000000 + 8 * (uintptr_t)i, i, i}, i);
    }
    cr_assert_gt(known, NEW * 9 / 10, "as in an empty cache: %u", known);
    cr_assert(hs_methods_is_valid(methods));
    hs_methods_free(methods);
}

/* A class was redefined, or its epoch is over: the old version is no longer requested. */
Test(methods, a_new_version_takes_the_place_of_the_old_one) {
    hs_methods *methods = make();
    for (uint32_t id = 1; id <= 4; id++) {
        put(methods, (struct hs_method_key){8 * id, 1, 0}, id);
    }
    for (uint32_t version = 1; version <= 100; version++) {
        put(methods, (struct hs_method_key){8, version, version}, version);
        cr_assert_not(is_known(methods, (struct hs_method_key){8, version - 1, version - 1}, 1));
    }
    for (uint32_t id = 2; id <= 4; id++) {
        cr_assert(is_known(methods, (struct hs_method_key){8 * id, 1, 0}, id), "id %u", id);
    }
    cr_assert(hs_methods_is_valid(methods));
    hs_methods_free(methods);
}

/* As many as one process may meet in a month: what is still known is right, and the memory is the same. */
Test(methods, what_was_displaced_is_unknown_and_never_wrong) {
    enum { COUNT = 100000, SLOTS = 16384 };
    size_t before = hs_mem_used();
    hs_methods *methods = make();
    size_t used = hs_mem_used();
    uint32_t known = 0;
    for (uint32_t i = 0; i < COUNT; i++) {
        put(methods, (struct hs_method_key){0x7f0000000000 + 8 * (uintptr_t)i, i, i}, i);
    }
    for (uint32_t i = 0; i < COUNT; i++) {
        known +=
            is_known(methods, (struct hs_method_key){0x7f0000000000 + 8 * (uintptr_t)i, i, i}, i);
    }
    cr_assert_leq(known, SLOTS, "%u", known);
    cr_assert_gt(known, SLOTS * 9 / 10, "the cache is well used: %u", known);
    cr_assert_eq(hs_mem_used(), used);
    cr_assert(hs_methods_is_valid(methods));
    hs_methods_free(methods);
    cr_assert_eq(hs_mem_used(), before);
}

/* From JDK 26 on an id is a number that counts up. */
Test(methods, ids_that_follow_each_other_find_room) {
    static const uint32_t COUNTS[] = {8, 31, 1000, 5000};
    for (int i = 0; i < 4; i++) {
        hs_methods *methods = make();
        uint32_t known = 0;
        for (uint32_t id = 1; id <= COUNTS[i]; id++) {
            put(methods, (struct hs_method_key){id, 0, id}, id);
        }
        for (uint32_t id = 1; id <= COUNTS[i]; id++) {
            known += is_known(methods, (struct hs_method_key){id, 0, id}, id);
        }
        cr_assert_geq(known, COUNTS[i] * 98 / 100, "%u of %u", known, COUNTS[i]);
        hs_methods_free(methods);
    }
}

/* The methods of a large application. */
Test(methods, ten_thousand_methods_mostly_find_room) {
    enum { COUNT = 10000 };
    hs_methods *methods = make();
    uint32_t known = 0;
    for (uint32_t i = 0; i < COUNT; i++) {
        put(methods, (struct hs_method_key){0x7f0000000000 + 8 * (uintptr_t)i, i, i}, i);
    }
    for (uint32_t i = 0; i < COUNT; i++) {
        known +=
            is_known(methods, (struct hs_method_key){0x7f0000000000 + 8 * (uintptr_t)i, i, i}, i);
    }
    cr_assert_gt(known, COUNT * 9 / 10, "%u", known);
    cr_assert(hs_methods_is_valid(methods));
    hs_methods_free(methods);
}

/* Sanitizers and emulators touch memory of their own. */
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
static long page_faults(void) {
    struct rusage usage;
    cr_assert_eq(getrusage(RUSAGE_SELF, &usage), 0);
    return usage.ru_minflt;
}

/* Ids that follow each other, as the VM makes them for new methods, and each block elsewhere: a page has 21 slots. */
Test(methods, new_methods_touch_few_pages) {
    enum { BLOCKS = 64, BLOCK = 8 };
    hs_methods *methods = make();
    long before = page_faults();
    for (uintptr_t i = 0; i < (uintptr_t)BLOCKS * BLOCK; i++) {
        uintptr_t id = 0x7f0000000010 + i / BLOCK * 4096 + i % BLOCK * 8;
        put(methods, (struct hs_method_key){id, i, i}, (uint32_t)i);
    }
    long faults = page_faults() - before;
    /* A block lies in two groups of sets. Some groups lie across two pages, some pages are read before they are
     * written, some groups share one: 210, always the same. A page for each method is 790. */
    cr_assert_leq(faults, 256, "%ld", faults);
    hs_methods_free(methods);
}
#endif

Test(methods, the_walker_finds_lines_that_are_none) {
    static const struct hs_method_key KEY = {4096, 512, 7};
    hs_methods *methods = make();
    struct hs_method method = method_of(1);
    put(methods, KEY, 1);
    cr_assert(hs_methods_is_valid(methods));
    method.lines.bytes = HS_LINES_BYTES + 1;
    hs_methods_put(methods, TABLES, &KEY, &method);
    cr_assert_not(hs_methods_is_valid(methods));
    hs_methods_free(methods);
}
