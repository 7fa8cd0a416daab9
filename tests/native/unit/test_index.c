/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_index.h"

#include <criterion/criterion.h>

#include "hs_mem.h"
#include "seeded.h"

static const void *only(const hs_index *index, uint64_t tag) {
    uint32_t at = hs_index_first(index, tag);
    return hs_index_look(index, tag, &at);
}

Test(index, finds_what_was_tied_and_nothing_else) {
    enum { COUNT = 1000 };
    static uint16_t things[COUNT];
    struct seeded seeded = {1};
    uint64_t tags[COUNT];
    hs_index *index;
    size_t before = hs_mem_used();
    cr_assert_eq(hs_index_new(COUNT, &index), HS_OK);
    for (int i = 0; i < COUNT; i++) {
        tags[i] = seeded_next(&seeded) | 1;
        cr_assert_null(only(index, tags[i]));
        cr_assert_eq(hs_index_tie(index, tags[i], &things[i]), HS_OK);
    }
    for (int i = 0; i < COUNT; i++) {
        cr_assert_eq(only(index, tags[i]), &things[i], "%d", i);
        cr_assert_null(only(index, tags[i] - 1), "%d", i);
    }
    cr_assert(hs_index_is_valid(index));
    hs_index_free(index);
    cr_assert_eq(hs_mem_used(), before);
}

Test(index, shows_all_of_one_tag) {
    static uint16_t things[3];
    hs_index *index;
    bool is_seen[3] = {false, false, false};
    cr_assert_eq(hs_index_new(4, &index), HS_OK);
    for (int i = 0; i < 3; i++) {
        cr_assert_eq(hs_index_tie(index, 77, &things[i]), HS_OK);
    }
    cr_assert_eq(hs_index_tie(index, 78, &things[0]), HS_OK);
    uint32_t at = hs_index_first(index, 77);
    const uint16_t *found;
    for (int i = 0; i < 3; i++, at++) {
        found = hs_index_look(index, 77, &at);
        cr_assert_not_null(found);
        cr_assert_not(is_seen[found - things]);
        is_seen[found - things] = true;
    }
    cr_assert_null(hs_index_look(index, 77, &at));
    cr_assert(hs_index_is_valid(index));
    hs_index_free(index);
}

Test(index, replaces_at_the_place_where_it_was_found) {
    static uint16_t things[3];
    hs_index *index;
    cr_assert_eq(hs_index_new(4, &index), HS_OK);
    cr_assert_eq(hs_index_tie(index, 5, &things[0]), HS_OK);
    cr_assert_eq(hs_index_tie(index, 5, &things[1]), HS_OK);
    uint32_t at = hs_index_first(index, 5);
    cr_assert_eq(hs_index_look(index, 5, &at), &things[0]);
    hs_index_replace(index, at, &things[2]);
    at = hs_index_first(index, 5);
    cr_assert_eq(hs_index_look(index, 5, &at), &things[2]);
    at++;
    cr_assert_eq(hs_index_look(index, 5, &at), &things[1]);
    cr_assert(hs_index_is_valid(index));
    hs_index_free(index);
}

/* A tag whose first place is the last of all: what is tied to it twice lies at both ends. */
Test(index, goes_round_at_the_end) {
    static uint16_t things[3];
    enum { MAX = 4, PLACES = 2 * MAX };
    hs_index *index;
    cr_assert_eq(hs_index_new(MAX, &index), HS_OK);
    uint64_t tag = 1;
    while (hs_index_first(index, tag) != PLACES - 1) {
        tag++;
    }
    for (int i = 0; i < 3; i++) {
        cr_assert_eq(hs_index_tie(index, tag, &things[i]), HS_OK);
    }
    uint32_t at = hs_index_first(index, tag);
    for (uint32_t i = 0; i < 3; i++, at++) {
        cr_assert_eq(hs_index_look(index, tag, &at), &things[i]);
        cr_assert_eq(at, (PLACES - 1 + i) % PLACES);
    }
    cr_assert_null(hs_index_look(index, tag, &at));
    cr_assert(hs_index_is_valid(index));
    hs_index_free(index);
}

Test(index, hands_out_all_that_is_tied_with_its_mark) {
    enum { COUNT = 100 };
    static uint16_t things[COUNT + 1];
    hs_index *index;
    bool is_seen[COUNT + 1] = {false};
    cr_assert_eq(hs_index_new(COUNT, &index), HS_OK);
    for (uint32_t i = 0; i < COUNT; i++) {
        cr_assert_eq(hs_index_tie(index, 7 + i / 2, &things[i]), HS_OK); /* two on each tag */
    }
    for (uint64_t tag = 7; tag < 7 + COUNT / 2;
         tag += 2) { /* the first of every other tag, twice */
        uint32_t at = hs_index_first(index, tag);
        cr_assert_not_null(hs_index_look(index, tag, &at));
        hs_index_mark(index, at);
        hs_index_mark(index, at);
    }
    uint32_t at = hs_index_first(index, 7);
    cr_assert_eq(hs_index_look(index, 7, &at), &things[0]);
    hs_index_replace(index, at, &things[COUNT]); /* is not marked */
    uint32_t count = 0;
    uint32_t marked = 0;
    uint64_t tag;
    bool is_marked;
    const uint16_t *found;
    for (at = 0; (found = hs_index_next(index, &at, &tag, &is_marked)) != NULL; at++) {
        ptrdiff_t i = found - things;
        cr_assert_not(is_seen[i]);
        is_seen[i] = true;
        cr_assert_eq(tag, i == COUNT ? 7u : 7u + (uint64_t)i / 2);
        cr_assert(!is_marked || (i != COUNT && tag % 2 == 1));
        count++;
        marked += is_marked;
    }
    cr_assert_eq(count, COUNT);
    cr_assert_eq(marked, COUNT / 4 - 1);
    cr_assert(hs_index_is_valid(index));
    hs_index_free(index);
}

/* n = 4,096 tags that follow each other, 8,192 places: of two halves each gets 2,048, deviation 32;
 * tolerance 6 deviations, false alarm 2e-9. No seed. */
Test(index, spreads_tags) {
    hs_index *index;
    cr_assert_eq(hs_index_new(4096, &index), HS_OK);
    int upper = 0;
    for (uint64_t tag = 1; tag <= 4096; tag++) {
        uint32_t first = hs_index_first(index, tag);
        cr_assert_lt(first, 8192u);
        upper += first >= 4096;
    }
    cr_assert(abs(upper - 2048) < 192, "%d in the upper half", upper);
    cr_assert(hs_index_is_valid(index));
    hs_index_free(index);
}

Test(index, is_bounded) {
    static uint16_t thing;
    hs_index *index;
    cr_assert_eq(hs_index_new(0, &index), HS_INVALID);
    cr_assert_null(index);
    cr_assert_eq(hs_index_new((1 << 24) + 1, &index), HS_INVALID);
    cr_assert_eq(hs_index_new(3, &index), HS_OK);
    for (uint64_t tag = 1; tag <= 3; tag++) {
        cr_assert_eq(hs_index_tie(index, tag, &thing), HS_OK);
    }
    for (uint64_t tag = 4; tag < 40; tag++) {
        cr_assert_eq(hs_index_tie(index, tag, &thing), HS_FULL);
        cr_assert_null(only(index, tag));
    }
    cr_assert_eq(only(index, 3), &thing);
    cr_assert(hs_index_is_valid(index));
    hs_index_free(index);
    hs_index_free(NULL);
}

Test(index, the_walker_finds_a_place_without_a_tie) {
    static uint16_t thing;
    hs_index *index;
    cr_assert_eq(hs_index_new(4, &index), HS_OK);
    cr_assert_eq(hs_index_tie(index, 77, &thing), HS_OK);
    uint32_t at = hs_index_first(index, 77);
    cr_assert_eq(hs_index_look(index, 77, &at), &thing);
    cr_assert(hs_index_is_valid(index));
    hs_index_replace(index, at, NULL);
    cr_assert_not(hs_index_is_valid(index));
    hs_index_free(index);
}
