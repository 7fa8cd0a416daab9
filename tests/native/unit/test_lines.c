/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_lines.h"

#include <criterion/criterion.h>
#include <string.h>

#include "seeded.h"

struct entry {
    int32_t bci;
    int32_t line;
};

/* As the class file says it: the last entry at or before the place, the first of several at one. */
static int32_t line_in(const struct entry *entries, uint32_t count, int32_t bci) {
    int32_t best = -1;
    int32_t line = -1;
    for (uint32_t i = 0; i < count; i++) {
        if (entries[i].bci <= bci && entries[i].bci > best) {
            best = entries[i].bci;
            line = entries[i].line;
        }
    }
    return line;
}

static int32_t found(const struct hs_lines *lines, int64_t bci) {
    int32_t line = 77;
    cr_assert(hs_lines_find(lines, bci, &line));
    return line;
}

Test(lines, an_empty_table_has_no_lines) {
    struct hs_lines lines = {0};
    cr_assert_eq(found(&lines, 0), -1);
    cr_assert_eq(found(&lines, UINT16_MAX), -1);
    cr_assert_eq(found(&lines, -1), -1);
}

Test(lines, an_entry_holds_up_to_the_next_one) {
    struct hs_lines lines = {0};
    hs_lines_add(&lines, 3, 10);
    hs_lines_add(&lines, 8, 11);
    cr_assert_eq(found(&lines, 2), -1);
    cr_assert_eq(found(&lines, 3), 10);
    cr_assert_eq(found(&lines, 7), 10);
    cr_assert_eq(found(&lines, 8), 11);
    cr_assert_eq(found(&lines, 60000), 11);
}

Test(lines, the_order_of_entries_does_not_matter) {
    struct hs_lines lines = {0};
    hs_lines_add(&lines, 8, 11);
    hs_lines_add(&lines, 0, 9);
    hs_lines_add(&lines, 3, 10);
    cr_assert_eq(found(&lines, 0), 9);
    cr_assert_eq(found(&lines, 5), 10);
    cr_assert_eq(found(&lines, 9), 11);
}

Test(lines, of_two_entries_at_one_place_the_first_counts) {
    struct hs_lines lines = {0};
    hs_lines_add(&lines, 4, 20);
    hs_lines_add(&lines, 4, 30);
    cr_assert_eq(found(&lines, 4), 20);
}

/* All distances around the bounds of a short code, and the largest there are. */
Test(lines, every_distance_is_coded) {
    static const int32_t PLACES[] = {0,  1,   30,  31,    32,    33,    63,
                                     64, 127, 128, 32767, 32768, 65534, 65535};
    enum { COUNT = sizeof PLACES / sizeof PLACES[0] };
    for (uint32_t from = 0; from < COUNT; from++) {
        for (uint32_t to = 0; to < COUNT; to++) {
            for (int32_t distance = -9; distance <= 9; distance++) {
                struct hs_lines lines = {0};
                hs_lines_add(&lines, PLACES[from], 1000);
                hs_lines_add(&lines, PLACES[to], 1000 + distance);
                int32_t last = from == to ? 1000 : 1000 + distance;
                cr_assert_eq(found(&lines, PLACES[to]), last, "%d to %d, %d", PLACES[from],
                             PLACES[to], distance);
                cr_assert_eq(found(&lines, 65535), PLACES[from] >= PLACES[to] ? 1000 : last);
            }
        }
    }
}

Test(lines, the_largest_lines_are_coded) {
    struct hs_lines lines = {0};
    hs_lines_add(&lines, 0, UINT16_MAX);
    hs_lines_add(&lines, 1, 0);
    hs_lines_add(&lines, 2, UINT16_MAX);
    cr_assert_eq(found(&lines, 0), UINT16_MAX);
    cr_assert_eq(found(&lines, 1), 0);
    cr_assert_eq(found(&lines, 2), UINT16_MAX);
}

/* Usual code: the next statement is some bytes and a line or two further on. */
Test(lines, a_hundred_lines_find_room) {
    struct hs_lines lines = {0};
    for (int32_t i = 0; i < 100; i++) {
        hs_lines_add(&lines, 7 * i, 50 + 2 * i);
    }
    for (int32_t bci = 0; bci < 700; bci++) {
        cr_assert_eq(found(&lines, bci), 50 + bci / 7 * 2);
    }
}

Test(lines, a_table_that_finds_no_room_is_unknown_as_a_whole) {
    struct hs_lines lines = {0};
    int32_t line;
    for (int32_t i = 0; i < 1000; i++) {
        hs_lines_add(&lines, i, i);
    }
    cr_assert_not(hs_lines_find(&lines, 0, &line));
    cr_assert_eq(line, -1);
}

Test(lines, an_entry_that_no_class_file_has_makes_the_table_unknown) {
    static const struct {
        int64_t bci;
        int32_t line;
    } ODD[] = {{-1, 5}, {UINT16_MAX + 1, 5}, {INT64_MAX, 5}, {INT64_MIN, 5},
               {5, -1}, {5, UINT16_MAX + 1}, {5, INT32_MAX}, {5, INT32_MIN}};
    for (uint32_t i = 0; i < sizeof ODD / sizeof ODD[0]; i++) {
        struct hs_lines lines = {0};
        int32_t line;
        hs_lines_add(&lines, 0, 1);
        hs_lines_add(&lines, ODD[i].bci, ODD[i].line);
        cr_assert_not(hs_lines_find(&lines, 0, &line), "entry %u", i);
        hs_lines_add(&lines, 2, 2);
        cr_assert_not(hs_lines_find(&lines, 0, &line), "and stays so");
    }
}

/* Tables of any shape, as long as there is room: every place has the line that the table says. */
Test(lines, random_tables_say_what_was_added) {
    enum { TABLES = 2000, MOST = 18 };
    struct seeded seeded = {20261125};
    for (int round = 0; round < TABLES; round++) {
        struct hs_lines lines = {0};
        struct entry entries[MOST];
        uint32_t count = seeded_below(&seeded, MOST + 1);
        uint32_t range = 1 + seeded_below(&seeded, round % 2 == 0 ? 100 : UINT16_MAX);
        for (uint32_t i = 0; i < count; i++) {
            entries[i] = (struct entry){(int32_t)seeded_below(&seeded, range),
                                        (int32_t)seeded_below(&seeded, range)};
            hs_lines_add(&lines, entries[i].bci, entries[i].line);
        }
        for (int place = 0; place < 50; place++) {
            int32_t bci = (int32_t)seeded_below(&seeded, UINT16_MAX + 1);
            cr_assert_eq(found(&lines, bci), line_in(entries, count, bci), "table %d", round);
        }
        for (uint32_t i = 0; i < count; i++) {
            cr_assert_eq(found(&lines, entries[i].bci), line_in(entries, count, entries[i].bci));
        }
    }
}

Test(lines, the_walker_finds_codes_that_are_none) {
    struct hs_lines lines = {0};
    cr_assert(hs_lines_is_valid(&lines));
    hs_lines_add(&lines, 3, 10);
    hs_lines_add(&lines, 900, 4000);
    hs_lines_add(&lines, 902, 4001);
    cr_assert(hs_lines_is_valid(&lines));
    for (uint16_t bytes = 0; bytes < lines.bytes; bytes++) {
        struct hs_lines cut = lines;
        cut.bytes = bytes;
        cr_assert_not(hs_lines_is_valid(&cut), "%d bytes", bytes);
    }
    for (int i = 0; i < 4; i++) {
        struct hs_lines odd = lines;
        odd.bci = (uint16_t)(odd.bci + (i == 0));
        odd.line = (uint16_t)(odd.line + (i == 1));
        odd.bytes = i == 2 ? HS_LINES_BYTES + 1 : odd.bytes;
        if (i == 3) {
            memset(odd.codes, 0xFF, sizeof odd.codes); /* a number that does not end */
        }
        cr_assert_not(hs_lines_is_valid(&odd), "%d", i);
    }
    lines.bytes = HS_LINES_UNKNOWN;
    cr_assert(hs_lines_is_valid(&lines));
}
