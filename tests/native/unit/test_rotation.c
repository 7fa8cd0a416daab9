/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_rotation.h"

#include <criterion/criterion.h>

#include "hs_mem.h"
#include "rotated_session.h"

TestSuite(rotation, .init = set_up, .fini = tear_down);

/* Tables of other sizes. */
static void begin_with(const struct hs_limits *limits) {
    tear_down();
    make_store(limits);
}

static struct hs_total sum_of(const struct hs_recording *recording, bool is_threads) {
    struct hs_total sum = {0};
    for (int generation = 0; generation < 2; generation++) {
        const struct hs_sums *sums = &recording->sums[generation];
        struct hs_total part = is_threads
                                   ? small_total(sums->threads.totals, ROTATING_LIMITS.threads)
                                   : small_total(sums->sites.totals, ROTATING_LIMITS.sites);
        sum.samples += part.samples;
        sum.sampled_bytes += part.sampled_bytes;
        sum.weight.objects += part.weight.objects;
        sum.weight.bytes += part.weight.bytes;
    }
    return sum;
}

static void assert_sums(uint64_t samples, uint64_t bytes) {
    for (int i = 0; i < 4; i++) {
        struct hs_total sum = sum_of(recordings[i % 2], i >= 2);
        cr_assert_eq(sum.samples, samples, "%lu, not %lu", sum.samples, samples);
        cr_assert_eq(sum.sampled_bytes, bytes);
        cr_assert_eq(sum.weight.objects, (double)samples);
        cr_assert_eq(sum.weight.bytes, (double)bytes);
    }
}

/* Frames that the stack of the living, of this number, has. */
struct living {
    uint32_t count;
    int least;
};

static void look(void *context, hs_ref ref, const struct hs_sample *sample, uint32_t thinning,
                 uint32_t place) {
    (void)place;
    (void)ref;
    (void)thinning;
    struct living *living = context;
    const struct hs_store *store = session.store;
    cr_assert_eq(hs_generation_of(sample->site.bits), store->code_generation);
    cr_assert_eq(hs_generation_of(sample->thread.bits), store->thread_generation);
    const struct hs_site *site = hs_sites_get(
        store->sites, (struct hs_site_id){hs_number_of(sample->site.bits)}, &(struct hs_site){0});
    cr_assert_not_null(site);
    /* Sizes tell living objects apart. */
    int frames = rotating_frames(store, site->stack, (uint32_t)(sample->size / 8) - 1000);
    living->count++;
    living->least = frames < living->least ? frames : living->least;
    struct hs_total total;
    uint32_t number = hs_number_of(sample->site.bits);
    cr_assert(
        hs_totals_read(recordings[0]->sums[store->code_generation].sites.totals, number, &total));
}

static struct living living(void) {
    struct living all = {.least = ROTATING_DEPTH};
    (void)hs_live_each(session.store->live, 0, UINT64_MAX, look, &all);
    return all;
}

enum { LIVING = 30 };

/* Objects that stay, whose sizes say at which stacks they were allocated; answers their bytes. */
static uint64_t keep_some(void) {
    uint64_t bytes = 0;
    for (uint32_t stack = 0; stack < LIVING; stack++) {
        uint64_t size = 8 * (1000 + (uint64_t)stack);
        cr_assert_neq(rotating_sample(&session, stack, 5, size), 0);
        bytes += size;
    }
    return bytes;
}

Test(rotation, living_objects_keep_their_stacks_and_sums_are_exact) {
    uint64_t bytes = keep_some();
    uint32_t next = LIVING;
    for (int round = 0; round < 300; round++) {
        next = fill(next);
        sweep();
        rotate();
        struct living all = living();
        cr_assert_eq(all.count, LIVING, "round %d", round);
        cr_assert_eq(all.least, ROTATING_DEPTH, "round %d", round);
        assert_sums(next, bytes + 24 * (uint64_t)(next - LIVING));
    }
    cr_assert_gt(next, 300 * 8, "there is room for new ones in each round");
}

/* New code is named however many stacks were before. */
Test(rotation, new_stacks_are_whole) {
    uint32_t next = 0;
    for (int round = 0; round < 20; round++) {
        next = fill(next);
        sweep();
        rotate();
        struct hs_stack_id id;
        cr_assert_eq(rotating_stack(session.store, 1000000 + next, &id), HS_OK);
        cr_assert_eq(rotating_frames(session.store, id, 1000000 + next), ROTATING_DEPTH);
    }
}

/* Of sites that nothing alive is of, the largest stay whole; the others have room for a few frames at least. */
Test(rotation, large_sites_stay_whole) {
    for (int i = 0; i < 50; i++) {
        fake_clear(rotating_sample(&session, 7, 5, 1 << 20));
        sweep();
    }
    uint32_t next = 100;
    for (int round = 0; round < 10; round++) {
        next = fill(next);
        sweep();
        rotate();
    }
    int most = 0;
    const hs_totals *sites = recordings[0]->sums[session.store->code_generation].sites.totals;
    for (uint32_t id = 1; id < hs_intern_end(session.store->sites.table); id++) {
        const struct hs_site *site =
            hs_sites_get(session.store->sites, (struct hs_site_id){id}, &(struct hs_site){0});
        struct hs_total total;
        if (hs_totals_read(sites, id, &total) && total.samples == 50 &&
            total.sampled_bytes == (uint64_t)50 << 20) {
            most = rotating_frames(session.store, site->stack, 7);
        }
    }
    cr_assert_eq(most, ROTATING_DEPTH);
}

static uint64_t samples_of(const char *class_name) {
    uint64_t samples = 0;
    const hs_totals *sites = recordings[0]->sums[session.store->code_generation].sites.totals;
    for (uint32_t id = 1; id < hs_intern_end(session.store->sites.table); id++) {
        struct hs_total total;
        uint32_t bytes;
        const struct hs_site *site =
            hs_sites_get(session.store->sites, (struct hs_site_id){id}, &(struct hs_site){0});
        const char *name = hs_names_text(session.store->names, site->class_name, &bytes);
        bool is_it = bytes == strlen(class_name) && memcmp(name, class_name, bytes) == 0;
        samples += is_it && hs_totals_read(sites, id, &total) ? total.samples : 0;
    }
    return samples;
}

/* The sweeper gets no processor, and callbacks fill the new tables before it has moved anything. */
Test(rotation, a_class_keeps_its_sums_where_callbacks_are_faster) {
    enum { RARE = 10, CLASSES = 8 };
    struct hs_limits limits = ROTATING_LIMITS;
    limits.names = 4096;
    begin_with(&limits);
    uint32_t next = 0;
    for (; next < RARE * CLASSES; next++) {
        char name[16];
        (void)snprintf(name, sizeof name, "shop.Rare%d", (int)next % CLASSES);
        fake_clear(rotating_sample_of(&session, name, next, 5, 24));
        sweep();
    }
    next = fill(next);
    sweep();
    struct hs_store *store = next_generation();
    for (int i = 0; i < 2 * (int)ROTATING_LIMITS.sites; i++) {
        hs_ref ref = rotating_sample(&session, next++, 5, 24);
        if (ref != 0) {
            fake_clear(ref);
        }
    }
    cr_assert_gt(hs_intern_end(store->sites.table), ROTATING_LIMITS.sites * 3 / 4);
    cr_assert(hs_rotation_move_last(store, recordings));
    for (int i = 0; i < CLASSES; i++) {
        char name[16];
        (void)snprintf(name, sizeof name, "shop.Rare%d", i);
        cr_assert_eq(samples_of(name), RARE, "%s: %d", name, (int)samples_of(name));
    }
    sweep();
    hs_rotation_end(store, recordings, &FAKE_OPS, FAKE_ENV);
}

/* A callback began before the new generation and ends after the first move. */
Test(rotation, what_is_added_to_the_old_generation_later_is_moved_later) {
    uint64_t bytes = keep_some();
    uint32_t next = fill(LIVING);
    sweep();
    struct hs_session before = session;
    struct hs_store *store = next_generation();
    cr_assert(hs_rotation_move(store, recordings));
    for (uint32_t stack = 0; stack < 5; stack++) { /* at old sites and new ones */
        fake_clear(rotating_sample(&before, stack, 5, 24));
        fake_clear(rotating_sample(&before, next++, 90, 24));
        fake_clear(rotating_sample(&session, next++, 5, 24));
        cr_assert(hs_rotation_move(store, recordings));
    }
    uint64_t dead = 15 + next - LIVING - 10;
    assert_sums(LIVING + dead, bytes + 24 * dead);
    sweep();
    hs_rotation_end(store, recordings, &FAKE_OPS, FAKE_ENV);
    assert_sums(LIVING + dead, bytes + 24 * dead);
    cr_assert_eq(living().least, ROTATING_DEPTH);
}

/* Thousands of threads come and go; code stays as it is. */
Test(rotation, threads_have_generations_of_their_own) {
    uint64_t samples = 0;
    for (int64_t thread = 0; samples < 2000; samples++) {
        if (hs_store_fills_up(session.store)) {
            struct hs_names names = session.store->names;
            sweep();
            rotate();
            cr_assert_eq(session.store->names.table, names.table);
            cr_assert_eq(session.store->code_generation, 0);
        }
        hs_ref ref = rotating_sample(&session, 1, samples % 4 == 0 ? 5 : 1000 + thread++, 24);
        if (ref != 0) {
            fake_clear(ref);
        }
        if (samples % 32 == 0) {
            sweep();
        }
    }
    assert_sums(samples, 24 * samples);
    const hs_threads *threads = session.store->threads;
    struct hs_thread_id busy = hs_threads_find(threads, 5);
    struct hs_total total;
    cr_assert_neq(busy.number, 0, "the busy one is still there");
    cr_assert(hs_thread_sums_read(recordings[0]->sums[session.store->thread_generation].threads,
                                  busy, &total));
    cr_assert_eq(total.samples, samples / 4, "whole");
    uint32_t bytes;
    const char *name = hs_threads_name_text(threads, hs_threads_name(threads, busy), &bytes);
    cr_assert(bytes == 2 && memcmp(name, "t5", 2) == 0);
}

/* What was folded is counted: each sample that does not have its whole stack, or its thread. */
Test(rotation, what_is_lost_is_counted) {
    uint32_t next = 0;
    for (int round = 0; round < 5; round++) {
        next = fill(next);
        sweep();
        rotate();
    }
    uint64_t whole = 0;
    const hs_totals *sites = recordings[0]->sums[session.store->code_generation].sites.totals;
    for (uint32_t id = 1; id < hs_intern_end(session.store->sites.table); id++) {
        struct hs_total total;
        uint32_t count;
        const struct hs_site *site =
            hs_sites_get(session.store->sites, (struct hs_site_id){id}, &(struct hs_site){0});
        const struct hs_frame_id *frames =
            hs_stacks_get(session.store->stacks, site->stack, &count);
        bool is_cut = frames[count - 1].number == HS_STACK_CUT;
        bool has_sum = hs_totals_read(sites, id, &total);
        whole += has_sum && !is_cut ? total.samples : 0;
    }
    cr_assert_gt(whole, 0);
    uint64_t folded = recordings[0]->drops[HS_DROP_STACKS_FULL];
    uint64_t other = recordings[0]->drops[HS_DROP_SITES_FULL];
    cr_assert_gt(folded, 0);
    cr_assert_leq(next - whole, folded + other, "each is counted once at least");
}

/* Sums take blocks of memory, so tables of more than one block. */
Test(rotation, the_last_move_needs_no_memory) {
    struct hs_limits large = ROTATING_LIMITS;
    large.stacks = large.sites = 8 * HS_TOTALS_BLOCK;
    large.names = 16384;
    begin_with(&large);
    uint32_t samples = fill(0);
    sweep();
    struct hs_store *store = next_generation();
    hs_mem_set_budget(0);
    bool is_moved = hs_rotation_move(store, recordings);
    bool is_last_moved = hs_rotation_move_last(store, recordings);
    hs_mem_set_budget(SIZE_MAX);
    cr_assert_not(is_moved, "else this shows nothing");
    cr_assert(is_last_moved);
    hs_rotation_end(store, recordings, &FAKE_OPS, FAKE_ENV);
    for (int i = 0; i < 2; i++) {
        const hs_totals *sites = recordings[i]->sums[store->code_generation].sites.totals;
        cr_assert_eq(small_total(sites, large.sites).samples, samples);
    }
}

/* Tables that are kept were emptied in the middle of a rotation of code; then threads are rotated. */
Test(rotation, what_was_forgotten_in_the_middle_of_one_is_not_moved_by_another) {
    (void)fill(0);
    sweep();
    struct hs_store *store = next_generation();
    cr_assert_neq(store->code_generation, store->previous->code_generation);
    cr_assert_gt(hs_dead_ring_count(store->dead_ring), 0);
    hs_store_clear(store, &FAKE_OPS, FAKE_ENV);
    for (int64_t thread = 1000; !hs_store_fills_up(store); thread++) {
        (void)hs_threads_put(store->threads, thread, &(struct hs_thread_id){0});
    }
    store = next_generation();
    cr_assert_eq(store->code_generation, store->previous->code_generation);
    cr_assert(hs_rotation_move_last(store, recordings));
    hs_rotation_end(store, recordings, &FAKE_OPS, FAKE_ENV);
}

Test(rotation, a_store_may_go_in_the_middle) {
    (void)keep_some();
    (void)fill(LIVING);
    struct hs_store *store = next_generation();
    (void)hs_rotation_move(store, recordings);
    /* tear_down frees both */
}

Test(rotation, nothing_is_moved_where_nothing_is_before) {
    (void)keep_some();
    cr_assert(hs_rotation_move(session.store, recordings));
    cr_assert_eq(living().count, LIVING);
}
