/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Threads add spans whose three words are one number; readers, and moves to another table, never see two numbers in one. */
#include <string.h>

#include "crew.h"
#include "hs_examples.h"

enum { ADDERS = 3, ROUNDS = 60000, SITES = 5, MOVES = 200 };

static hs_examples *from;
static hs_examples *to;
static _Atomic int adders_left = ADDERS;
static _Atomic int moves; /* of all sites */

static void add(int number) {
    struct seeded seeded = {(uint64_t)number + 1};
    for (uint64_t i = 1; i <= ROUNDS || moves < MOVES; i++) {
        uint64_t word = i * ADDERS + (uint64_t)number;
        uint64_t words[3] = {word, word, word};
        struct hs_example span;
        memcpy(&span, words, sizeof span);
        hs_examples_add(from, (struct hs_site_id){seeded_below(&seeded, SITES)}, &span);
    }
    adders_left--;
}

static uint32_t check(hs_examples *examples, uint32_t site) {
    struct hs_example spans[HS_EXAMPLES];
    uint64_t words[HS_EXAMPLES][3];
    uint32_t count = hs_examples_read(examples, (struct hs_site_id){site}, spans);
    HS_CHECK(count <= HS_EXAMPLES);
    for (uint32_t i = 0; i < count; i++) {
        memcpy(words[i], &spans[i], sizeof words[i]);
        HS_CHECK(words[i][0] != 0 && words[i][0] == words[i][1] && words[i][0] == words[i][2]);
        for (uint32_t j = 0; j < i; j++) {
            HS_CHECK(words[i][0] != words[j][0]);
        }
    }
    return count;
}

static void read_all(int number) {
    (void)number;
    while (adders_left > 0) {
        for (uint32_t site = 0; site < SITES; site++) {
            (void)check(from, site);
            (void)check(to, site);
        }
    }
}

static void move_all(int number) {
    (void)number;
    while (adders_left > 0) {
        for (uint32_t site = 0; site < SITES; site++) {
            hs_examples_move(from, (struct hs_site_id){site}, to, (struct hs_site_id){site});
        }
        moves++;
    }
}

static crew_work *const WORKS[] = {add, add, add, read_all, move_all};

Test(stress_examples, are_whole_while_all_add_and_move) {
    cr_assert_eq(hs_examples_new(SITES, &from), HS_OK);
    cr_assert_eq(hs_examples_new(SITES, &to), HS_OK);
    crew_each(5, WORKS);
    /* The last move may have met a claim, or have been before the last additions. */
    for (uint32_t site = 0; site < SITES; site++) {
        hs_examples_move(from, (struct hs_site_id){site}, to, (struct hs_site_id){site});
    }
    cr_assert(hs_examples_is_valid(from));
    cr_assert(hs_examples_is_valid(to));
    for (uint32_t site = 0; site < SITES; site++) {
        /* The mover may have had no turn since the last were added. */
        hs_examples_move(from, (struct hs_site_id){site}, to, (struct hs_site_id){site});
        cr_assert_eq(check(to, site), (uint32_t)HS_EXAMPLES);
    }
    hs_examples_free(from);
    hs_examples_free(to);
}

/* Each span is a change of the same site, so the claims of the threads meet. */
static void add_to_one(int number) {
    for (uint64_t i = 1; i <= 20 * ROUNDS; i++) {
        uint64_t word = i * ADDERS + (uint64_t)number;
        uint64_t words[3] = {word, word, word};
        struct hs_example span;
        memcpy(&span, words, sizeof span);
        hs_examples_add(from, (struct hs_site_id){1}, &span);
        (void)check(from, 1);
    }
}

Test(stress_examples, of_one_site_are_whole) {
    cr_assert_eq(hs_examples_new(SITES, &from), HS_OK);
    crew_all(ADDERS, add_to_one);
    cr_assert(hs_examples_is_valid(from));
    cr_assert_eq(check(from, 1), (uint32_t)HS_EXAMPLES);
    hs_examples_free(from);
}

enum { BLOCKS = 2000 };

static void add_to_each_block(int number) {
    struct hs_example span;
    memset(&span, number + 1, sizeof span);
    for (uint32_t i = 0; i < BLOCKS; i++) {
        hs_examples_add(from, (struct hs_site_id){i * HS_EXAMPLES_BLOCK}, &span);
    }
}

Test(stress_examples, a_race_for_a_block_has_one_winner) {
    cr_assert_eq(hs_examples_new(BLOCKS * HS_EXAMPLES_BLOCK, &from), HS_OK);
    crew_all(ADDERS, add_to_each_block);
    cr_assert(hs_examples_is_valid(from));
    for (uint32_t i = 0; i < BLOCKS; i++) {
        struct hs_example spans[HS_EXAMPLES];
        cr_assert_geq(hs_examples_read(from, (struct hs_site_id){i * HS_EXAMPLES_BLOCK}, spans),
                      1u);
    }
    hs_examples_free(from);
}
