/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* One version of a method in the place of another, with the same id: what tells them apart is the line
 * table, which stands behind the bytecodes. */
#include "walk_items.h"

static struct hs_walk_items items;
static struct fake_method method;
static uintptr_t cell;
static hs_learned *learned;

static void learn(void) {
    struct hs_java_frame frame = {(uintptr_t)&cell, 7, 1};
    uint32_t begin = 0;
    items_begin(&items, HS_WALK_BOTTOM);
    items_add_interpreted(&items, (uintptr_t)&method, 70);
    hs_learned_put_run(learned, &items, 0, &frame, 1);
    hs_learned_put_stack(learned, &items, &frame, 1, &begin, 42);
    hs_learned_put_stack(learned, &items, &frame, 1, &begin, 42);
}

/* Both the run and the walk, or none of them. */
static bool knows(void) {
    struct hs_known_stack known;
    bool has_run = hs_learned_run(learned, &items, 0).count == 1;
    cr_assert_eq(hs_learned_stack(learned, &items, &known), has_run);
    return has_run;
}

static void begin(void) {
    cell = method_init(&method, 1);
    cr_assert_eq(hs_learned_new(&METHOD_LAYOUT, &learned), HS_OK);
    learn();
    cr_assert(knows());
}

enum { TABLE_BYTES = 8 * CONST_WORDS - 40 - METHOD_CODE };

static unsigned char *line_table(void) {
    return (unsigned char *)method.body + METHOD_LAYOUT.const_header + METHOD_CODE;
}

/* A line table, and behind it other tables, full of 3. */
static void set_lines(const unsigned char *bytes, size_t count) {
    memset(line_table(), 3, TABLE_BYTES);
    memcpy(line_table(), bytes, count);
}

/* Which bytes are noticed when they change? The first `count` of them. */
static void check_counting(int count) {
    unsigned char *table = line_table();
    for (int at = 0; at < TABLE_BYTES; at++) {
        unsigned char was = table[at];
        for (int bit = 0; bit < 8; bit++) {
            table[at] = (unsigned char)(was ^ 1 << bit);
            cr_assert_eq(knows(), at >= count, "byte %d of %d", at, count);
        }
        table[at] = was;
        cr_assert(knows());
    }
}

/* As the VM compresses them: a byte for a short step, 255 and two numbers for a long one (the first
 * line of nearly all methods), a 0 at the end. A number has up to five bytes, the last one below
 * 192 unless it is the fifth, and may be 0. */
Test(learned_versions, the_line_table_counts_and_nothing_behind_it) {
    static const unsigned char TABLES[][14] = {
        {1, 0},
        {2, 9, 0},
        {4, 9, 10, 130, 0},
        {4, 255, 7, 20, 0},
        {6, 255, 0, 5, 9, 9, 0},
        {7, 255, 5, 0, 255, 0, 0, 0},
        {6, 255, 200, 0, 191, 9, 0},
        {11, 255, 192, 193, 194, 195, 196, 255, 200, 1, 9, 0},
        {13, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 9, 0},
    };
    begin();
    for (size_t i = 0; i < sizeof TABLES / sizeof TABLES[0]; i++) {
        set_lines(&TABLES[i][1], TABLES[i][0]);
        cr_assert_eq(TABLES[i][TABLES[i][0]], 0, "the end of table %zu", i);
        learn();
        cr_assert(knows());
        /* A change of the last byte, which is not looked at, makes the table longer. */
        check_counting(TABLES[i][0]);
    }
    hs_learned_free(learned);
}

/* Such as garbage: it is read to the end of the method, and no further. */
Test(learned_versions, a_line_table_without_an_end_ends_with_the_method) {
    static const unsigned char ENDS[][3] = {{9, 9, 9}, {9, 9, 255}, {9, 255, 200}, {255, 1, 200}};
    begin();
    for (int i = 0; i < 4; i++) {
        memset(line_table(), 9, TABLE_BYTES);
        memcpy(line_table() + TABLE_BYTES - 3, ENDS[i], 3);
        learn();
        cr_assert(knows());
        check_counting(TABLE_BYTES);
    }
    hs_learned_free(learned);
}

/* They are rewritten as they run. */
Test(learned_versions, the_bytecodes_do_not_count) {
    begin();
    memset((char *)method.body + METHOD_LAYOUT.const_header, 0xCA, METHOD_CODE);
    cr_assert(knows());
    hs_learned_free(learned);
}

Test(learned_versions, the_sizes_count) {
    begin();
    method_set_sizes(&method, METHOD_CODE + 1, CONST_WORDS);
    cr_assert_not(knows());
    method_set_sizes(&method, METHOD_CODE, CONST_WORDS - 1);
    cr_assert_not(knows());
    method_set_sizes(&method, METHOD_CODE, CONST_WORDS);
    cr_assert(knows());
    hs_learned_free(learned);
}

/* More bytecodes, and the same behind them. */
Test(learned_versions, the_size_of_the_bytecodes_counts_by_itself) {
    begin();
    memset((char *)method.body + METHOD_LAYOUT.const_header, 7,
           sizeof method.body - METHOD_LAYOUT.const_header);
    method_set_sizes(&method, METHOD_CODE, CONST_WORDS - 1);
    learn();
    cr_assert(knows());
    method_set_sizes(&method, METHOD_CODE + 8, CONST_WORDS);
    cr_assert_not(knows());
    hs_learned_free(learned);
}

Test(learned_versions, the_new_version_is_learned_in_its_place) {
    begin();
    static const unsigned char LINES[][3] = {{9, 9, 0}, {9, 10, 0}};
    set_lines(LINES[0], 3);
    cr_assert_not(knows());
    learn();
    cr_assert(knows());
    set_lines(LINES[1], 3);
    cr_assert_not(knows());
    learn();
    cr_assert(knows());
    set_lines(LINES[0], 3);
    cr_assert_not(knows(), "the old one");
    hs_learned_free(learned);
}

/* A method is read only where the id proves that it is one. */
Test(learned_versions, what_is_no_method_is_not_looked_into) {
    begin();
    cell = 0;
    cr_assert_not(knows());
    items_begin(&items, HS_WALK_BOTTOM);
    items_add_interpreted(&items, 4096, 70); /* nothing is there */
    struct hs_java_frame frame = {(uintptr_t)&cell, 7, 1};
    uint32_t first = 0;
    hs_learned_put_run(learned, &items, 0, &frame, 1);
    hs_learned_put_stack(learned, &items, &frame, 1, &first, 42);
    hs_learned_put_stack(learned, &items, &frame, 1, &first, 42);
    cr_assert_not(knows());
    hs_learned_free(learned);
}

Test(learned_versions, a_method_of_odd_size_is_not_known) {
    static const uint32_t WORDS[] = {0, 1, 5, 32 * 1024 + 1, UINT32_MAX};
    begin();
    for (int i = 0; i < 5; i++) {
        method_set_sizes(&method, METHOD_CODE, WORDS[i]);
        learn();
        cr_assert_not(knows(), "%u words", WORDS[i]);
    }
    method_set_sizes(&method, METHOD_CODE, CONST_WORDS);
    cr_assert(knows());
    uint64_t *body = &method.method[METHOD_LAYOUT.method_const / 8];
    const uintptr_t odd[] = {0, (uintptr_t)method.body + 4};
    for (int i = 0; i < 2; i++) {
        *body = odd[i];
        learn();
        cr_assert_not(knows());
    }
    hs_learned_free(learned);
}
