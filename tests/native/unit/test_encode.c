/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "encoded_store.h"

TestSuite(encode, .init = set_up, .fini = tear_down);

Test(encode, an_empty_recording_is_a_whole_block) {
    struct block block = encode(0);
    cr_assert_eq(block.sections[INFO].count, 1);
    cr_assert_eq(block.sections[DROPS].count, HS_DROP_COUNT);
    cr_assert_eq(block.sections[NAMES].count, 1);
    cr_assert(block_name_is(&block, 0, ""));
    for (int tag = FRAMES; tag < TAGS; tag++) {
        cr_assert_eq(block.sections[tag].count, 0, "section %d", tag);
        cr_assert_eq(block.sections[tag].bytes, 0, "section %d", tag);
    }
}

Test(encode, info_and_drops_in_their_order) {
    for (int cause = 0; cause < HS_DROP_COUNT; cause++) {
        atomic_store(&session.recordings[0]->drops[cause], 1000 + (uint64_t)cause);
    }
    struct block block = encode(0);
    cr_assert_eq(block_info(&block, 0), -1);
    for (int i = 1; i < HS_INFO_COUNT; i++) {
        cr_assert_eq(block_info(&block, i), 100 + i);
    }
    for (int cause = 0; cause < HS_DROP_COUNT; cause++) {
        cr_assert_eq(block_u64(block.sections[DROPS].data, 8 * (size_t)cause),
                     1000 + (uint64_t)cause);
    }
}

static void assert_total(const unsigned char *entry, uint64_t samples, double objects,
                         double bytes) {
    cr_assert_eq(block_u64(entry, 0), samples);
    cr_assert_eq(block_f64(entry, 8), objects);
    cr_assert_eq(block_f64(entry, 16), 0.0, "interval 0: no variance");
    cr_assert_eq(block_f64(entry, 24), bytes);
    cr_assert_eq(block_f64(entry, 32), 0.0);
    cr_assert_eq(block_u64(entry, 40), (uint64_t)bytes);
}

Test(encode, sites_lead_to_stacks_frames_and_names) {
    sample("shop.Order", 7, 41, 24, 1);
    sample("shop.Order", 7, 41, 40, 1);
    sample("byte[]", 8, 42, 1024, 1);
    struct block block = encode(0);
    cr_assert_eq(block.sections[SITES].count, 2);
    cr_assert_eq(block.sections[STACKS].count, 2);
    cr_assert_eq(block.sections[FRAMES].count, 2);
    const unsigned char *site = block_entry(&block, SITES, 0, 64);
    cr_assert(block_name_is(&block, block_u32(site, 4), "shop.Order"));
    assert_total(site + 8, 2, 2.0, 64.0);
    cr_assert_eq(block_u32(site, 56), BLOCK_NONE, "no object died");
    const unsigned char *stack = block_stack(&block, block_u32(site, 0));
    cr_assert_eq(block_u32(stack, 0), 1);
    const unsigned char *frame = block_entry(&block, FRAMES, block_u32(stack, 4), 28);
    cr_assert(block_name_is(&block, block_u32(frame, 0), "shop.Cart"));
    cr_assert(block_name_is(&block, block_u32(frame, 4), "shop.Cart"));
    cr_assert(block_name_is(&block, block_u32(frame, 8), "add"));
    cr_assert(block_name_is(&block, block_u32(frame, 12), "()V"));
    cr_assert(block_name_is(&block, block_u32(frame, 16), "Cart.java"));
    cr_assert_eq(block_u32(frame, 20), 41);
    site = block_entry(&block, SITES, 1, 64);
    cr_assert(block_name_is(&block, block_u32(site, 4), "byte[]"));
    assert_total(site + 8, 1, 1.0, 1024.0);
}

Test(encode, densities_in_the_order_of_sites) {
    sample("shop.Order", 7, 41, 24, 1);
    struct hs_event event = small_event(store, "byte[]", 7, 24);
    event.recordings = 1;
    event.density = (struct hs_density){.samples = 1, .length = 70000};
    for (int i = 0; i < 2; i++) {
        hs_session_count(&session, &event, small_stack(store, 42));
    }
    struct block block = encode(0);
    cr_assert_eq(block.sections[DENSITY].count, 2);
    cr_assert_eq(block_u64(block_entry(&block, DENSITY, 0, 16), 8), 0, "not known");
    cr_assert_eq(block_u64(block_entry(&block, DENSITY, 1, 16), 0), 2);
    cr_assert_eq(block_u64(block_entry(&block, DENSITY, 1, 16), 8), 140000);
}

Test(encode, threads_with_id_and_name) {
    for (int64_t id = 1; id <= 6; id++) { /* the store has room for 4 */
        sample("shop.Order", id, 41, 24, 1);
    }
    struct block block = encode(0);
    cr_assert_eq(block.sections[THREADS].count, 5);
    const unsigned char *other = block_entry(&block, THREADS, 0, 64);
    cr_assert_eq(block_u64(other, 0), UINT64_MAX);
    cr_assert(block_name_is(&block, block_u32(other, 8), ""));
    assert_total(other + 16, 2, 2.0, 48.0);
    for (uint32_t i = 1; i <= 4; i++) {
        const unsigned char *thread = block_entry(&block, THREADS, i, 64);
        cr_assert_eq(block_u64(thread, 0), i);
        cr_assert(block_name_is(&block, block_u32(thread, 8), "main"));
        assert_total(thread + 16, 1, 1.0, 24.0);
    }
}

Test(encode, the_other_site_has_neither_stack_nor_class) {
    char name[] = "shop.A";
    /* The store has room for 8, one of them for a class alone. */
    for (int32_t line = 0; line < 10; line++, name[5]++) {
        sample(name, 7, line, 24, 1);
    }
    struct block block = encode(0);
    cr_assert_eq(block.sections[SITES].count, 9);
    cr_assert_eq(block.sections[LIVE].count, 10);
    const unsigned char *other = block_entry(&block, SITES, 0, 64);
    cr_assert_eq(block_u32(other, 0), BLOCK_NONE);
    cr_assert(block_name_is(&block, block_u32(other, 4), ""));
    assert_total(other + 8, 2, 2.0, 48.0);
    const unsigned char *alone = block_entry(&block, SITES, 8, 64);
    cr_assert(block_name_is(&block, block_u32(alone, 4), "shop.H"));
    cr_assert_eq(block_u32(block_stack(&block, block_u32(alone, 0)), 0), 0x80000000, "a cut stack");
    cr_assert_eq(block_u64(block_entry(&block, DROPS, HS_DROP_SITES_FULL, 8), 0), 3);
}

Test(encode, a_cut_stack_says_so) {
    struct hs_frame_id frames[3] = {{0}, {0}, {HS_STACK_CUT}};
    uint32_t count;
    struct hs_stack_id cut;
    struct hs_event event = small_event(store, "shop.Order", 7, 24);
    frames[0] = hs_stacks_get(store->stacks, small_stack(store, 1), &count)[0];
    frames[1] = hs_stacks_get(store->stacks, small_stack(store, 2), &count)[0];
    cr_assert_eq(hs_stacks_put(store->stacks, frames, 3, &cut), HS_OK);
    event.recordings = 1;
    hs_session_count(&session, &event, cut);
    struct block block = encode(0);
    const unsigned char *stack = block_stack(&block, 0);
    cr_assert_eq(block_u32(stack, 0), 0x80000002);
    const unsigned char *leaf = block_entry(&block, FRAMES, block_u32(stack, 4), 28);
    const unsigned char *root = block_entry(&block, FRAMES, block_u32(stack, 8), 28);
    cr_assert_eq(block_u32(leaf, 20), 1, "leaf first");
    cr_assert_eq(block_u32(root, 20), 2);
}

Test(encode, an_empty_stack_stays_a_stack) {
    struct hs_frame_id frames[1] = {{0}};
    struct hs_stack_id empty;
    struct hs_event event = small_event(store, "shop.Order", 7, 24);
    cr_assert_eq(hs_stacks_put(store->stacks, frames, 0, &empty), HS_OK);
    event.recordings = 1;
    hs_session_count(&session, &event, empty);
    struct block block = encode(0);
    cr_assert_eq(block_u32(block_entry(&block, SITES, 0, 64), 0), 0);
    cr_assert_eq(block_u32(block_stack(&block, 0), 0), 0);
}

Test(encode, a_recording_shows_only_what_it_saw) {
    sample("shop.First", 1, 41, 24, 1);
    sample("shop.Second", 2, 42, 32, 2);
    sample("shop.Both", 3, 43, 40, 3);
    for (int i = 0; i < 2; i++) {
        struct block block = encode(i);
        cr_assert_eq(block.sections[SITES].count, 2);
        cr_assert_eq(block.sections[STACKS].count, 2);
        cr_assert_eq(block.sections[FRAMES].count, 2);
        cr_assert_eq(block.sections[THREADS].count, 2);
        cr_assert_eq(block.sections[LIVE].count, 2);
        const char *own = i == 0 ? "shop.First" : "shop.Second";
        uint32_t name = block_u32(block_entry(&block, SITES, 0, 64), 4);
        cr_assert(block_name_is(&block, name, own));
        const char *foreign = i == 0 ? "shop.Second" : "shop.First";
        for (uint32_t n = 0; n < block.sections[NAMES].count; n++) {
            cr_assert_not(block_name_is(&block, n, foreign));
        }
    }
}

Test(encode, the_living_with_their_liveness) {
    sample("shop.Old", 7, 41, 24, 1);
    hs_epochs_advance(&epochs, &FAKE_OPS, FAKE_ENV);
    fake_collect();
    hs_epochs_advance(&epochs, &FAKE_OPS, FAKE_ENV);
    sample("shop.New", 7, 42, 4096, 1);
    struct block block = encode(0);
    cr_assert_eq(block.sections[LIVE].count, 2);
    const unsigned char *old = block_entry(&block, LIVE, 0, 40);
    const unsigned char *new = block_entry(&block, LIVE, 1, 40);
    cr_assert_eq(block_u32(old, 0), 0);
    cr_assert_eq(block_u32(new, 0), 1);
    cr_assert_eq(block_u32(old, 4), 0);
    cr_assert_eq(block_u64(old, 8), 24);
    cr_assert_eq(block_u64(new, 8), 4096);
    cr_assert_eq(block_u64(old, 16), 1000 + OFFSET_US);
    cr_assert_eq(block_u32(old, 24), 0);
    cr_assert_eq(block_u32(old, 28), 1 << 8, "no thinning, live");
    cr_assert_eq(block_u32(new, 28), 0, "no thinning, unconfirmed");
    cr_assert_eq(block_u32(old, 32), 1, "survived one");
    cr_assert_eq(block_u32(new, 32), 0);
    cr_assert_eq(block_u32(old, 36), 0);
}

/* As the last move of a rotation leaves it when it finds no memory for a sum. */
Test(encode, the_living_without_a_sum_are_of_the_other_site_and_thread) {
    uint64_t moved = 0;
    sample("shop.Cart", 7, 12, 24, 1);
    hs_totals *sites = session.recordings[0]->sums[0].sites.totals;
    hs_totals *threads = session.recordings[0]->sums[0].threads.totals;
    for (uint32_t id = 1; id < hs_intern_end(store->sites.table); id++) {
        cr_assert_eq(hs_totals_move(sites, id, sites, HS_SITE_OTHER, &moved), HS_OK);
    }
    for (uint32_t id = 1; id < hs_threads_end(store->threads); id++) {
        cr_assert_eq(hs_totals_move(threads, id, threads, HS_THREAD_OTHER, &moved), HS_OK);
    }
    cr_assert_eq(moved, 2);
    sample("shop.Cart", 8, 13, 24, 1);
    struct block block = encode(0);
    cr_assert_eq(block.sections[LIVE].count, 2);
    const unsigned char *other = block_entry(&block, LIVE, 0, 40);
    cr_assert_eq(block_u32(block_entry(&block, SITES, block_u32(other, 0), 64), 0), BLOCK_NONE);
    const unsigned char *thread = block_entry(&block, THREADS, block_u32(other, 4), 64);
    cr_assert_eq(block_u64(thread, 0), UINT64_MAX);
    const unsigned char *named = block_entry(&block, LIVE, 1, 40);
    cr_assert_neq(block_u32(named, 0), block_u32(other, 0));
    cr_assert_neq(block_u32(named, 4), block_u32(other, 4));
}

Test(encode, the_thinned_say_what_they_stand_for) {
    struct hs_event event = small_event(store, "shop.Order", 7, 24);
    event.recordings = 1;
    for (uint32_t i = 0; i < 4 * SMALL_LIMITS.tracked; i++) {
        event.random = i * 0x01234567;
        hs_session_count(&session, &event, small_stack(store, 1));
        hs_ref ref = fake_ref();
        hs_ref back = hs_session_track(&session, &event, ref);
        if (back != 0) {
            fake_release(FAKE_ENV, back);
        }
    }
    uint32_t level = hs_live_level(store->live);
    struct block block = encode(0);
    cr_assert_gt(level, 0);
    cr_assert_gt(block.sections[LIVE].count, 0);
    cr_assert_leq(block.sections[LIVE].count, SMALL_LIMITS.tracked);
    for (uint32_t i = 0; i < block.sections[LIVE].count; i++) {
        cr_assert_eq(block_u32(block_entry(&block, LIVE, i, 40), 28), level);
    }
    uint64_t thinned = block_u64(block_entry(&block, DROPS, HS_DROP_THINNED, 8), 0);
    cr_assert_eq(thinned + block.sections[LIVE].count, 4 * SMALL_LIMITS.tracked,
                 "objects that are not shown are counted, before any sweep has been");
    struct block other = encode(1);
    cr_assert_eq(block_u64(block_entry(&other, DROPS, HS_DROP_THINNED, 8), 0), 0,
                 "none of them was the other recording's");
}

Test(encode, large_ones_that_hold_garbage_stand_for_more_than_small_ones) {
    enum { SMALL = 24, LARGE = 16384 };
    struct hs_limits limits = SMALL_LIMITS;
    limits.garbage_bytes = 2 * LARGE;
    limits.garbage_from = LARGE;
    hs_live_free(store->live);
    cr_assert_eq(
        hs_live_new(limits.tracked, limits.garbage_bytes, limits.garbage_from, &store->live),
        HS_OK);
    for (uint32_t i = 0; i < 4; i++) {
        struct hs_event event = small_event(store, "shop.Order", 7, i == 0 ? SMALL : LARGE);
        event.recordings = 1;
        event.random = i == 0 ? UINT32_MAX : i % 2 == 0 ? UINT32_MAX >> 1 : 0;
        hs_session_count(&session, &event, small_stack(store, 1));
        cr_assert_eq(hs_session_track(&session, &event, fake_ref()), 0);
    }
    cr_assert_eq(hs_live_level(store->live), 0);
    struct block block = encode(0);
    cr_assert_eq(block.sections[LIVE].count, 4);
    for (uint32_t i = 0; i < 4; i++) {
        const unsigned char *entry = block_entry(&block, LIVE, i, 40);
        cr_assert_eq(block_u32(entry, 28), block_u64(entry, 8) == SMALL ? 0 : 1);
    }
}

Test(encode, the_dead_and_their_lifetimes) {
    sample("shop.Order", 7, 41, 24, 1);
    sample("shop.Order", 7, 42, 24, 1);
    for (uint32_t i = 0; i < 2; i++) {
        struct hs_dead dead = {
            .sample =
                {.recordings = i + 1, .allocated_us = 5, .size = 24, .site = {2}, .thread = {1}},
            .seen_alive_us = 50 + i,
            .found_dead_us = 70 + i,
            .thinning = 3,
            .collections = 9,
        };
        uint64_t forgotten;
        hs_dead_ring_add(store->dead_ring, &dead, &forgotten);
    }
    hs_totals *sites = session.recordings[0]->sums[0].sites.totals;
    cr_assert_eq(hs_totals_add_death(sites, 2, 3000, 9, 8.0), HS_OK);
    struct block block = encode(0);
    cr_assert_eq(block.sections[DEAD].count, 1, "the other recording's dead are its own");
    const unsigned char *dead = block_entry(&block, DEAD, 0, 56);
    cr_assert_eq(block_u32(dead, 0), 1);
    cr_assert_eq(block_u64(dead, 16), 5 + OFFSET_US);
    cr_assert_eq(block_u32(dead, 28), 3 | 2 << 8);
    cr_assert_eq(block_u32(dead, 32), 9);
    cr_assert_eq(block_u64(dead, 40), 50 + OFFSET_US);
    cr_assert_eq(block_u64(dead, 48), 70 + OFFSET_US);
    cr_assert_eq(block.sections[LIFETIMES].count, 1);
    cr_assert_eq(block_u32(block_entry(&block, SITES, 0, 64), 56), BLOCK_NONE);
    cr_assert_eq(block_u32(block_entry(&block, SITES, 1, 64), 56), 0);
    const unsigned char *lifetimes = block_entry(&block, LIFETIMES, 0, 392);
    cr_assert_eq(block_u64(lifetimes, 0), 1);
    for (size_t i = 0; i < HS_LIFETIME_AGES + HS_LIFETIME_COLLECTIONS; i++) {
        double wanted = i == 2 || i == HS_LIFETIME_AGES + 9 ? 8.0 : 0.0;
        cr_assert_eq(block_f64(lifetimes, 8 + 8 * i), wanted);
    }
}

Test(encode, the_oldest_death_comes_first) {
    sample("shop.Order", 7, 41, 24, 1);
    for (uint32_t i = 0; i < 10; i++) { /* the ring has 4 places */
        struct hs_dead dead = {.sample = {.recordings = 1, .size = 24, .site = {1}, .thread = {1}},
                               .found_dead_us = i};
        uint64_t forgotten;
        hs_dead_ring_add(store->dead_ring, &dead, &forgotten);
    }
    struct block block = encode(0);
    cr_assert_eq(block.sections[DEAD].count, SMALL_LIMITS.dead);
    for (uint32_t i = 0; i < SMALL_LIMITS.dead; i++) {
        cr_assert_eq(block_u64(block_entry(&block, DEAD, i, 56), 48), 6 + i + OFFSET_US);
    }
}

/* Those whose reference is in the list are marked, in its order; a walk finds the first. */
static hs_ref asked[4];

static enum hs_status mark(void *context, hs_ref ref, uint32_t tag) {
    (void)context;
    cr_assert(tag >= 1 && tag <= sizeof asked / sizeof asked[0]);
    asked[tag - 1] = ref;
    return HS_OK;
}

static enum hs_status walk(void *context, struct hs_reach *walked) {
    struct hs_reach_edge edge = {.referee = 0};
    for (int64_t tag = 1; asked[tag - 1] != 0; tag++) {
        edge.referee = asked[tag - 1] == *(const hs_ref *)context ? tag : 0;
        (void)hs_reach_see(walked, &edge);
    }
    return HS_OK;
}

Test(encode, how_the_living_are_reachable_in_their_order) {
    hs_ref found = 0;
    const struct hs_reach_wish wish = {.vm = {&found, mark, walk}, .budget_us = 1000000};
    memset(asked, 0, sizeof asked);
    cr_assert_eq(hs_reach_new(&wish, 3, &reach), HS_OK);
    sample("shop.Order", 7, 41, 24, 1);
    sample("shop.Order", 7, 41, 32, 2); /* of the other recording */
    found = sample("shop.Order", 7, 41, 40, 1);
    sample("shop.Order", 7, 41, 48, 1);
    struct block block = encode(0);
    cr_assert_eq(block.sections[LIVE].count, 3);
    cr_assert_eq(block.sections[REACH].count, 3);
    for (uint32_t i = 0; i < 3; i++) {
        uint64_t size = block_u64(block_entry(&block, LIVE, i, 40), 8);
        cr_assert_eq(*block_entry(&block, REACH, i, 1),
                     size == 40 ? HS_REACH_STRONG : HS_REACH_NONE);
    }
}

static void note_size(void *context, hs_ref ref, const struct hs_sample *found, uint32_t thinning,
                      uint32_t place) {
    (void)ref;
    (void)thinning;
    (void)place;
    *(uint64_t *)context = found->size;
}

Test(encode, the_living_are_found_again_by_their_places) {
    sample("shop.Order", 7, 41, 24, 2); /* of the other recording */
    sample("shop.Order", 7, 41, 32, 1);
    sample("shop.Order", 7, 41, 40, 3);
    struct block block = encode(0);
    cr_assert_eq(block.sections[PLACES].count, 2);
    for (uint32_t i = 0; i < 2; i++) {
        const unsigned char *entry = block_entry(&block, LIVE, i, 40);
        uint32_t place = block_u32(block_entry(&block, PLACES, i, 4), 0);
        int64_t allocated_us = (int64_t)block_u64(entry, 16) - OFFSET_US;
        uint64_t size = 0;
        cr_assert(
            hs_live_at(store->live, place, allocated_us, block_u64(entry, 8), note_size, &size));
        cr_assert_eq(size, block_u64(entry, 8));
        size = 0;
        cr_assert_not(hs_live_at(store->live, place, allocated_us + 1, block_u64(entry, 8),
                                 note_size, &size));
        cr_assert_not(hs_live_at(store->live, place, allocated_us, 4096, note_size, &size));
        cr_assert_not(hs_live_at(store->live, UINT32_MAX, allocated_us, block_u64(entry, 8),
                                 note_size, &size));
        cr_assert_eq(size, 0, "no other entry is shown");
    }
    hs_live_clear(store->live, &FAKE_OPS, FAKE_ENV);
    cr_assert_not(hs_live_at(store->live, 1, 1000, 32, note_size, NULL), "it is gone");
}

Test(encode, changes_nothing_and_keeps_no_memory) {
    sample("shop.Order", 7, 41, 24, 3);
    hs_buffer_free(&buffer);
    size_t used = hs_mem_used();
    struct block first = encode(0);
    uint32_t live = first.sections[LIVE].count;
    size_t length = buffer.length;
    cr_assert_eq(hs_mem_used(), used + buffer.capacity);
    struct block second = encode(0);
    cr_assert_eq(second.sections[LIVE].count, live);
    cr_assert_eq(buffer.length, length);
}
