/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* What hs_encode hands on to a sink, and in which length. */
#include "encoded_store.h"

TestSuite(encode_sink, .init = set_up, .fini = tear_down);

enum { ARRAY_BYTES = 1 << 20 };

/* A block in the caller's memory. */
struct array {
    struct hs_sink sink;
    unsigned char bytes[ARRAY_BYTES];
    size_t opened;
    bool has_room;
};

static bool open_array(struct hs_sink *sink, size_t bytes) {
    struct array *array = (struct array *)sink;
    array->opened = bytes;
    return array->has_room && bytes <= ARRAY_BYTES;
}

static void write_array(struct hs_sink *sink, size_t at, const void *bytes, size_t count) {
    struct array *array = (struct array *)sink;
    cr_assert_leq(at + count, array->opened);
    memcpy(array->bytes + at, bytes, count);
}

Test(encode_sink, a_sink_gets_the_same_block) {
    static struct array array = {.sink = {open_array, write_array}, .has_room = true};
    for (int32_t line = 0; line < 8; line++) {
        sample("shop.Order", line, 41, 24, 3);
    }
    struct hs_view view = {.store = store, .recording = session.recordings[0], .epochs = &epochs};
    hs_buffer_free(&buffer);
    cr_assert_eq(hs_encode(&view, &buffer), HS_OK);
    struct hs_buffer sunk = {.sink = &array.sink};
    cr_assert_eq(hs_encode(&view, &sunk), HS_OK);
    cr_assert_eq(array.opened, buffer.length);
    cr_assert_eq(sunk.length, buffer.length);
    cr_assert(memcmp(array.bytes, buffer.data, buffer.length) == 0);
    hs_buffer_free(&sunk);
    array.has_room = false;
    struct hs_buffer refused = {.sink = &array.sink};
    cr_assert_eq(hs_encode(&view, &refused), HS_NO_MEMORY);
    hs_buffer_free(&refused);
}

/* Takes no block, but changes the tables when the length of the block has been found out. */
static struct array late = {.sink = {NULL, write_array}, .has_room = true};

static enum hs_status encode_late(bool (*open)(struct hs_sink *sink, size_t bytes),
                                  size_t *length) {
    struct hs_view view = {.store = store, .recording = session.recordings[0], .epochs = &epochs};
    struct hs_buffer sunk = {.sink = &late.sink};
    late.sink.open = open;
    enum hs_status status = hs_encode(&view, &sunk);
    *length = sunk.length;
    hs_buffer_free(&sunk);
    return status;
}

static bool count_the_dead(struct hs_sink *sink, size_t bytes) {
    static const struct hs_weight ONE = {.objects = 1.0, .bytes = 24.0};
    const struct hs_sums *sums = &session.recordings[0]->sums[0];
    cr_assert_eq(hs_totals_add(sums->sites.totals, 0, 1, 24, &ONE, NULL), HS_OK);
    cr_assert_eq(hs_totals_add(sums->threads.totals, 0, 1, 24, &ONE, NULL), HS_OK);
    return open_array(sink, bytes);
}

/* A callback adds to the sum of a site that had none when the snapshot began: its dead have been of "(other)". */
Test(encode_sink, the_dead_of_a_new_site_leave_the_length_as_it_is) {
    uint64_t moved = 0;
    uint64_t forgotten;
    size_t length;
    struct hs_dead dead = {.sample = {.recordings = 1, .size = 24, .site = {1}, .thread = {1}}};
    sample("shop.Cart", 7, 12, 24, 1);
    const struct hs_sums *sums = &session.recordings[0]->sums[0];
    cr_assert_eq(hs_totals_move(sums->sites.totals, 1, sums->sites.totals, HS_SITE_OTHER, &moved),
                 HS_OK);
    cr_assert_eq(
        hs_totals_move(sums->threads.totals, 1, sums->threads.totals, HS_THREAD_OTHER, &moved),
        HS_OK);
    hs_dead_ring_add(store->dead_ring, &dead, &forgotten);
    cr_assert_eq(encode_late(count_the_dead, &length), HS_OK);
    cr_assert_eq(length, late.opened);
    const struct hs_buffer written = {.data = late.bytes, .length = length};
    struct block block = block_read(&written);
    cr_assert_eq(block.sections[DEAD].count, 1);
    cr_assert_eq(block.sections[LIVE].count, 1);
}

static bool forget_the_deaths(struct hs_sink *sink, size_t bytes) {
    hs_totals_clear_block(session.recordings[0]->sums[0].sites.totals, 1);
    return open_array(sink, bytes);
}

/* No thread may change lifetimes meanwhile. A fault like this must not give out a block that is not whole. */
Test(encode_sink, a_block_that_is_not_as_long_as_it_says_is_refused) {
    size_t length;
    sample("shop.Cart", 7, 12, 24, 1);
    hs_totals *sites = session.recordings[0]->sums[0].sites.totals;
    cr_assert_eq(hs_totals_add_death(sites, 1, 5, 1, 1.0), HS_OK);
    cr_assert_eq(encode_late(forget_the_deaths, &length), HS_MISCOUNTED);
    cr_assert_lt(length, late.opened);
}
