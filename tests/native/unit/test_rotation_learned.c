/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Code that was learned, from one generation to the next. */
#include <criterion/criterion.h>

#include "rotated_session.h"
#include "walk_items.h"

TestSuite(rotation_learned, .init = set_up, .fini = tear_down);

/* Learns compiled code number `place` for the frames of a stack, and meets it again. */
static void learn_stack(hs_stack_cache *stack_cache, const struct hs_store *store,
                        struct hs_stack_id stack, uint32_t place) {
    struct hs_walk_items items;
    struct hs_run runs[HS_WALK_MAX_ITEMS];
    struct hs_java_frame frames[ROTATING_DEPTH];
    uint32_t count;
    const struct hs_frame_id *numbers = hs_stacks_get(store->stacks, stack, &count);
    cr_assert_eq(count, ROTATING_DEPTH);
    for (uint32_t i = 0; i < count; i++) {
        frames[i] = (struct hs_java_frame){64 + 8 * (uintptr_t)i, (int32_t)i, numbers[i]};
    }
    items_of_one(&items, 1, place);
    hs_stack_cache_put_run(stack_cache, &items, 0, frames, count);
    hs_stack_cache_runs(stack_cache, &items, runs);
    cr_assert_eq(runs[0].count, ROTATING_DEPTH);
}

/* How many of the stacks from 0 on are learned, each whole and right in the numbers of this store. */
static uint32_t learned_stacks(const struct hs_store *store, uint32_t end) {
    const hs_stack_cache *stack_cache = atomic_load(&store->stack_cache);
    uint32_t learned = 0;
    for (uint32_t place = 0; stack_cache != NULL && place < end; place++) {
        struct hs_walk_items items;
        items_of_one(&items, 1, place);
        struct hs_run run = hs_stack_cache_run(stack_cache, &items, 0);
        cr_assert(run.count == 0 || run.count == ROTATING_DEPTH);
        for (uint32_t i = 0; i < run.count; i++) {
            const struct hs_frame *frame = hs_frames_get(store->frames, run.frames[i].frame);
            cr_assert_eq(frame->line, (int32_t)(place * ROTATING_DEPTH + i));
            cr_assert_eq(run.frames[i].method_id, 64 + 8 * (uintptr_t)i);
        }
        learned += run.count > 0;
    }
    return learned;
}

/* An eighth of 1,024 frames is for code that was learned: ten stacks of 12 frames. */
Test(rotation_learned, learned_code_goes_on_within_an_eighth_of_the_tables) {
    enum { LEARNED = 20, FIT = 10 };
    struct hs_stack_id stacks[LEARNED];
    struct hs_kept_runs *kept = NULL;
    for (int round = 0; round < 2; round++) {
        uint32_t learned = round == 0 ? FIT / 2 : LEARNED;
        hs_store_renew_stack_cache(session.store, &METHOD_LAYOUT);
        hs_stack_cache *stack_cache = atomic_load(&session.store->stack_cache);
        for (uint32_t i = 0; i < learned; i++) {
            cr_assert_eq(rotating_stack(session.store, i, &stacks[i]), HS_OK);
            learn_stack(stack_cache, session.store, stacks[i], i);
        }
        (void)fill(100);
        sweep(); /* live objects come first */
        kept = hs_stack_cache_keep(stack_cache);
        struct hs_store *store = next_generation();
        cr_assert_null(atomic_load(&store->stack_cache));
        hs_rotation_keep_runs(store, kept);
        cr_assert(hs_rotation_move(store, recordings));
        hs_rotation_end(store, recordings, &FAKE_OPS, FAKE_ENV);
        hs_store_renew_stack_cache(store, &METHOD_LAYOUT);
        cr_assert_null(store->kept);
        uint32_t left = learned_stacks(store, LEARNED);
        cr_assert_eq(left, round == 0 ? learned : FIT, "%u of %u", left, learned);
        cr_assert_not(hs_store_fills_up(store));
        hs_store_renew_stack_cache(store, NULL);
        hs_stack_cache_free(store->retired);
        store->retired = NULL;
    }
}

/* A table that learned the first stack, which is in use. */
static hs_stack_cache *learn_first(void) {
    struct hs_stack_id stack;
    hs_store_renew_stack_cache(session.store, &METHOD_LAYOUT);
    hs_stack_cache *stack_cache = atomic_load(&session.store->stack_cache);
    cr_assert_eq(rotating_stack(session.store, 0, &stack), HS_OK);
    learn_stack(stack_cache, session.store, stack, 0);
    return stack_cache;
}

/* The next table begins with them also where threads are rotated before it is made, or while it is. */
Test(rotation_learned, learned_code_waits_while_threads_rotate) {
    struct hs_kept_runs *kept = hs_stack_cache_keep(learn_first());
    (void)fill(100);
    sweep();
    struct hs_store *store = next_generation();
    hs_rotation_keep_runs(store, kept);
    cr_assert(hs_rotation_move(store, recordings));
    hs_rotation_end(store, recordings, &FAKE_OPS, FAKE_ENV);
    for (int64_t thread = 1000; !hs_store_fills_up(session.store); thread++) {
        fake_clear(rotating_sample(&session, 1, thread, 24));
        sweep();
    }
    uint32_t generation = store->code_generation;
    store = next_generation();
    cr_assert_eq(store->code_generation, generation, "threads alone");
    cr_assert_eq(store->kept, kept);
    hs_store_renew_stack_cache(store, &METHOD_LAYOUT);
    cr_assert_null(store->kept);
    cr_assert_eq(learned_stacks(store, 1), 1);
    cr_assert(hs_rotation_move(store, recordings));
    hs_rotation_end(store, recordings, &FAKE_OPS, FAKE_ENV); /* frees nothing twice */
    cr_assert_eq(learned_stacks(store, 1), 1);
}

Test(rotation_learned, learned_code_without_a_taker_goes_with_the_store) {
    for (int round = 0; round < 2; round++) {
        struct hs_kept_runs *kept = hs_stack_cache_keep(learn_first());
        cr_assert_not_null(kept);
        (void)fill(100);
        sweep();
        struct hs_store *store = next_generation();
        hs_rotation_keep_runs(store, kept);
        cr_assert(hs_rotation_move(store, recordings));
        hs_rotation_end(store, recordings, &FAKE_OPS, FAKE_ENV);
        if (round == 0) {
            (void)fill(1000);
            sweep();
            rotate();
        }
    }
}

/* Where the table of learned stacks is full, and those of the store are not. */
Test(rotation_learned, learned_code_that_is_in_use_begins_the_next_table) {
    const hs_stack_cache *old = learn_first();
    hs_store_renew_stack_cache(session.store, &METHOD_LAYOUT);
    cr_assert_neq(atomic_load(&session.store->stack_cache), old);
    cr_assert_eq(learned_stacks(session.store, 1), 1);
}
