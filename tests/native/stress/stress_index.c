/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Threads tie to the same few tags, replace and look: what is found was tied to that tag, whole. Thing t
 * of a tag says of which tag and thread it is; its words are written right before it is tied. */
#include "hs_index.h"

#include <stdatomic.h>

#include "crew.h"
#include "hs_mem.h"

enum { WRITERS = 2, READERS = 2, TAGS = 512, THINGS = 8 };

struct thing {
    uint64_t tag;
    uint64_t copy;
};

static struct thing things[WRITERS][TAGS][THINGS];
static hs_index *tied;
static _Atomic int writers_left;
static _Atomic uint64_t found_count;

/* Neighbours share places. */
static uint64_t tag_of(uint32_t i) {
    return 1 + i / 4;
}

static void check(uint64_t tag) {
    uint32_t at = hs_index_first(tied, tag);
    const struct thing *thing;
    uint64_t count = 0;
    for (; (thing = hs_index_look(tied, tag, &at)) != NULL; at++) {
        HS_CHECK(thing->tag == tag && thing->copy == tag);
        count++;
    }
    HS_CHECK(count <= (uint64_t)4 * WRITERS);
    atomic_fetch_add_explicit(&found_count, count, memory_order_relaxed);
}

static struct thing *make(int number, uint32_t i, uint32_t t) {
    struct thing *thing = &things[number][i][t];
    thing->tag = tag_of(i);
    thing->copy = tag_of(i);
    return thing;
}

static void write_all(int number) {
    for (uint32_t i = 0; i < TAGS; i++) {
        HS_CHECK(hs_index_tie(tied, tag_of(i), make(number, i, 0)) == HS_OK);
        for (uint32_t t = 1; t < THINGS; t++) {
            uint32_t at = hs_index_first(tied, tag_of(i));
            HS_CHECK(hs_index_look(tied, tag_of(i), &at) != NULL);
            hs_index_replace(tied, at, make(number, i, t));
        }
        check(tag_of(i));
    }
    writers_left--;
}

static void read_all(int number) {
    struct seeded seeded = {(uint64_t)number};
    while (writers_left > 0) {
        check(tag_of(seeded_below(&seeded, TAGS)));
    }
}

Test(stress_index, what_is_found_was_tied_to_its_tag) {
    crew_work *const works[WRITERS + READERS] = {write_all, write_all, read_all, read_all};
    size_t before = hs_mem_used();
    for (int round = 0; round < 200; round++) {
        cr_assert_eq(hs_index_new(WRITERS * TAGS, &tied), HS_OK);
        memset(things, 0, sizeof things);
        writers_left = WRITERS;
        crew_each(WRITERS + READERS, works);
        for (uint32_t i = 0; i < TAGS; i++) {
            found_count = 0;
            check(tag_of(i));
            cr_assert_eq(found_count, 4 * WRITERS, "all that were tied to tag %u", i);
        }
        cr_assert_eq(hs_index_tie(tied, 9, things), HS_FULL);
        cr_assert(hs_index_is_valid(tied));
        hs_index_free(tied);
    }
    cr_assert_eq(hs_mem_used(), before);
}
