/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_store.h"

#include <criterion/criterion.h>
#include <pthread.h>

#include "hs_mem.h"
#include "poll.h"
#include "small_store.h"
#include "walk_items.h"

Test(store, keeps_to_its_limits) {
    fake_reset();
    struct hs_store *store = small_store();
    cr_assert(memcmp(&store->limits, &SMALL_LIMITS, sizeof SMALL_LIMITS) == 0);
    cr_assert_eq(hs_intern_capacity(store->names.table), SMALL_LIMITS.names);
    cr_assert_eq(hs_intern_capacity(store->stacks.table), SMALL_LIMITS.stacks);
    cr_assert_eq(hs_intern_capacity(store->sites.table), SMALL_LIMITS.sites);
    cr_assert_eq(hs_live_capacity(store->live), SMALL_LIMITS.tracked);
    cr_assert_eq(hs_dead_ring_count(store->dead_ring), 0);
    hs_store_free(store, &FAKE_OPS, FAKE_ENV);
}

Test(store, gives_every_reference_and_every_byte_back) {
    fake_reset();
    size_t before = hs_mem_used();
    struct hs_store *store = small_store();
    struct hs_sample sample = {.recordings = 1, .size = 24};
    hs_ref displaced;
    for (uint32_t i = 0; i < 5; i++) {
        cr_assert(hs_classes_put(store->classes, i, fake_ref(), (struct hs_name_id){i + 1}));
        cr_assert_eq(hs_live_add(store->live, fake_ref(), &sample, 0, &displaced), HS_OK);
        (void)small_stack(store, (int32_t)i);
        (void)small_event(store, "shop.Cart", (int64_t)i, 24);
    }
    cr_assert_eq(fake_outstanding(), 10);
    hs_store_free(store, &FAKE_OPS, FAKE_ENV);
    cr_assert_eq(fake_outstanding(), 0);
    cr_assert_eq(hs_mem_used(), before);
    hs_store_free(NULL, &FAKE_OPS, FAKE_ENV);
}

Test(store, limits_of_zero_are_refused_except_for_tracked_and_dead) {
    size_t before = hs_mem_used();
    struct hs_limits odd[5];
    struct hs_store *store;
    for (int i = 0; i < 5; i++) {
        odd[i] = SMALL_LIMITS;
    }
    odd[0].stacks = 0;
    odd[1].names = 0;
    odd[2].sites = 0;
    odd[3].threads = 0;
    odd[4].names = (1 << 24) + 1;
    for (int i = 0; i < 5; i++) {
        store = (struct hs_store *)16;
        cr_assert_eq(hs_store_new(&odd[i], &store), HS_INVALID, "limits %d", i);
        cr_assert_null(store);
        cr_assert_eq(hs_mem_used(), before, "nothing is left behind");
    }
    struct hs_limits none = SMALL_LIMITS;
    none.tracked = 0;
    none.dead = 0;
    cr_assert_eq(hs_store_new(&none, &store), HS_OK);
    hs_store_free(store, &FAKE_OPS, FAKE_ENV);
    cr_assert_eq(hs_mem_used(), before);
}

Test(store, does_not_fit_into_a_budget_that_is_too_small) {
    size_t before = hs_mem_used();
    struct hs_store *store = small_store();
    size_t bytes = hs_mem_used() - before;
    hs_store_free(store, &FAKE_OPS, FAKE_ENV);
    hs_mem_set_budget(before + bytes - 1);
    cr_assert_eq(hs_store_new(&SMALL_LIMITS, &store), HS_NO_MEMORY);
    cr_assert_null(store);
    cr_assert_eq(hs_mem_used(), before);
    hs_mem_set_budget(before + bytes);
    cr_assert_eq(hs_store_new(&SMALL_LIMITS, &store), HS_OK);
    hs_store_free(store, &FAKE_OPS, FAKE_ENV);
    hs_mem_set_budget(HS_MEM_DEFAULT_BUDGET);
}

/* ---- learned stacks ---- */

enum { NO_PATIENCE_US = 1000, PATIENCE_US = 5000000 };
static const struct hs_layout LAYOUT;
static struct hs_phaser phaser;

static hs_stack_cache *learned_of(struct hs_store *store) {
    return atomic_load(&store->stack_cache);
}

Test(store, learns_nothing_until_it_is_told_to) {
    fake_reset();
    size_t before = hs_mem_used();
    struct hs_store *store = small_store();
    cr_assert_null(learned_of(store));
    hs_store_renew_stack_cache(store, NULL);
    cr_assert_null(learned_of(store));
    hs_store_renew_stack_cache(store, &LAYOUT);
    cr_assert_not_null(learned_of(store));
    hs_store_free(store, &FAKE_OPS, FAKE_ENV);
    cr_assert_eq(hs_mem_used(), before);
}

Test(store, learning_anew_gives_the_old_table_back) {
    fake_reset();
    struct hs_store *store = small_store();
    hs_store_free_retired(store, &phaser, PATIENCE_US);
    hs_store_renew_stack_cache(store, &LAYOUT);
    size_t used = hs_mem_used();
    for (int i = 0; i < 20; i++) {
        hs_stack_cache_discard(learned_of(store));
        hs_store_renew_stack_cache(store, &LAYOUT);
        cr_assert_not(hs_stack_cache_is_discarded(learned_of(store)));
        hs_store_free_retired(store, &phaser, PATIENCE_US);
        cr_assert_not(hs_stack_cache_is_discarded(learned_of(store)));
        cr_assert_eq(hs_mem_used(), used, "round %d", i);
    }
    hs_store_renew_stack_cache(store, NULL);
    cr_assert_null(learned_of(store));
    hs_store_free_retired(store, &phaser, PATIENCE_US);
    cr_assert_lt(hs_mem_used(), used);
    hs_store_free(store, &FAKE_OPS, FAKE_ENV);
}

/* A callback that is stuck may still read the old table. Until it has left there is no third one. */
Test(store, a_stuck_callback_keeps_its_table) {
    fake_reset();
    size_t before = hs_mem_used();
    struct hs_store *store = small_store();
    hs_store_renew_stack_cache(store, &LAYOUT);
    size_t used = hs_mem_used();
    uint32_t token = hs_phaser_enter(&phaser, 5);
    hs_stack_cache *seen = learned_of(store);
    hs_stack_cache_discard(seen);
    hs_store_renew_stack_cache(store, &LAYOUT);
    hs_stack_cache *fresh = learned_of(store);
    cr_assert(fresh != NULL && fresh != seen);
    for (int i = 0; i < 3; i++) {
        hs_store_free_retired(store, &phaser, NO_PATIENCE_US);
        cr_assert(hs_stack_cache_is_discarded(seen), "still there");
        hs_store_renew_stack_cache(store, i % 2 == 0 ? &LAYOUT : NULL);
        cr_assert_eq(learned_of(store), fresh);
        cr_assert_gt(hs_mem_used(), used);
    }
    hs_phaser_exit(&phaser, token);
    hs_store_free_retired(store, &phaser, PATIENCE_US);
    cr_assert_eq(hs_mem_used(), used);
    hs_store_renew_stack_cache(store, &LAYOUT);
    cr_assert_neq(learned_of(store), fresh);
    hs_store_free(store, &FAKE_OPS, FAKE_ENV);
    cr_assert_eq(hs_mem_used(), before, "the retired one goes with the store");
}

static void fill_with_code(struct hs_store *store) {
    for (int32_t line = 1; !hs_store_fills_up(store); line++) {
        (void)small_stack(store, line);
    }
}

/* Learned stacks take as much as all the tables that a new generation needs. */
Test(store, learned_stacks_make_way_for_new_code) {
    fake_reset();
    struct hs_store *store = small_store();
    size_t used = hs_mem_used();
    hs_store_renew_stack_cache(store, &LAYOUT);
    struct hs_kept_runs *kept;
    cr_assert(hs_store_make_way(store, &phaser, PATIENCE_US, &kept));
    cr_assert_not_null(learned_of(store), "there is room");
    fill_with_code(store);
    cr_assert(hs_store_make_way(store, &phaser, PATIENCE_US, &kept));
    cr_assert_null(learned_of(store));
    cr_assert_leq(hs_mem_used(), used + 100000, "but for the code");
    cr_assert(hs_store_make_way(store, &phaser, PATIENCE_US, &kept));
    cr_assert_null(kept);
    hs_store_renew_stack_cache(store, &LAYOUT);
    cr_assert_not_null(learned_of(store), "if there is no memory for tables, it learns again");
    hs_store_free(store, &FAKE_OPS, FAKE_ENV);
}

/* Learns a run, and looks it up again. */
static void learn_a_run(hs_stack_cache *stack_cache) {
    struct hs_walk_items items;
    struct hs_run runs[HS_WALK_MAX_ITEMS];
    const struct hs_java_frame frame = {.method_id = 64, .bci = 3, .frame = {1}};
    items_of_one(&items, 1, 2);
    hs_stack_cache_put_run(stack_cache, &items, 0, &frame, 1);
    hs_stack_cache_runs(stack_cache, &items, runs);
}

/* A callback that finds a run untrue while a rotation waits for it. */
struct stuck_callback {
    struct hs_store *store;
    hs_stack_cache *seen;
    uint32_t token;
    uint32_t flips; /* before the waits */
    bool stays;
};

static _Atomic bool has_ended;

static bool has_flipped(const struct stuck_callback *stuck, uint32_t times) {
    return atomic_load(&phaser.phase) == stuck->flips + times;
}

/* Callbacks that follow each other: the last one comes when the first wait for callbacks has begun, and before the second
 * one begins. */
static void *leave_to_another(void *callback) {
    struct stuck_callback *stuck = callback;
    (void)POLL(has_flipped(stuck, 1));
    uint32_t second = hs_phaser_enter(&phaser, 5);
    hs_phaser_exit(&phaser, stuck->token);
    (void)POLL(has_flipped(stuck, 2));
    uint32_t third = hs_phaser_enter(&phaser, 5);
    hs_phaser_exit(&phaser, second);
    (void)POLL(learned_of(stuck->store) == NULL || has_ended);
    hs_stack_cache_discard(stuck->seen);
    (void)POLL(!stuck->stays || has_ended);
    hs_phaser_exit(&phaser, third);
    return NULL;
}

/* Makes way for new code while they come and go. */
static bool make_way_under(struct stuck_callback *stuck, int64_t patience_us,
                           struct hs_kept_runs **kept) {
    pthread_t thread;
    fake_reset();
    stuck->store = small_store();
    hs_store_renew_stack_cache(stuck->store, &LAYOUT);
    stuck->seen = learned_of(stuck->store);
    learn_a_run(stuck->seen);
    fill_with_code(stuck->store);
    stuck->flips = atomic_load(&phaser.phase);
    stuck->token = hs_phaser_enter(&phaser, 5);
    has_ended = false;
    cr_assert_eq(pthread_create(&thread, NULL, leave_to_another, stuck), 0);
    bool has_made = hs_store_make_way(stuck->store, &phaser, patience_us, kept);
    has_ended = true;
    pthread_join(thread, NULL);
    return has_made;
}

Test(store, a_table_that_is_discarded_while_it_makes_way_hands_nothing_on) {
    struct stuck_callback stuck = {.stays = false};
    struct hs_kept_runs *kept;
    cr_assert(make_way_under(&stuck, PATIENCE_US, &kept));
    cr_assert_null(kept);
    hs_store_free(stuck.store, &FAKE_OPS, FAKE_ENV);
}

Test(store, a_table_that_a_late_callback_sees_serves_again) {
    enum { A_WHILE_US = 300000 };
    struct stuck_callback stuck = {.stays = true};
    struct hs_kept_runs *kept;
    cr_assert_not(make_way_under(&stuck, A_WHILE_US, &kept));
    cr_assert_null(kept);
    cr_assert_eq(learned_of(stuck.store), stuck.seen);
    cr_assert_null(stuck.store->retired);
    hs_store_free(stuck.store, &FAKE_OPS, FAKE_ENV);
}

/* A new generation of threads shares the code. */
Test(store, a_discarded_table_takes_the_next_one_with_it_in_the_next_generation) {
    fake_reset();
    struct hs_store *store = small_store();
    struct hs_store *next;
    struct hs_thread_id id;
    hs_store_renew_stack_cache(store, &LAYOUT);
    hs_stack_cache *seen = learned_of(store);
    learn_a_run(seen);
    hs_store_renew_stack_cache(store, &LAYOUT);
    for (int64_t thread = 1; !hs_store_fills_up(store); thread++) {
        cr_assert_eq(hs_threads_put(store->threads, thread, &id), HS_OK);
    }
    cr_assert_eq(hs_store_new_generation(store, &next), HS_OK);
    hs_stack_cache_discard(seen);
    hs_store_free_retired(next, &phaser, PATIENCE_US);
    cr_assert(hs_stack_cache_is_discarded(learned_of(next)));
    hs_store_end_rotation(next, &FAKE_OPS, FAKE_ENV);
    hs_store_free(next, &FAKE_OPS, FAKE_ENV);
}

/* Returns whether there was a moment without a table. */
static void *look(void *store) {
    bool was_without = false;
    while (!has_ended) {
        was_without = was_without || learned_of(store) == NULL;
    }
    return was_without ? store : NULL;
}

/* Else each try would have the stacks of all other callbacks requested from the VM. */
Test(store, a_table_serves_while_a_stuck_callback_is_awaited) {
    enum { A_WHILE_US = 50000 };
    pthread_t thread;
    void *was_without;
    fake_reset();
    struct hs_store *store = small_store();
    struct hs_kept_runs *kept;
    hs_store_renew_stack_cache(store, &LAYOUT);
    fill_with_code(store);
    uint32_t token = hs_phaser_enter(&phaser, 5);
    has_ended = false;
    cr_assert_eq(pthread_create(&thread, NULL, look, store), 0);
    cr_assert_not(hs_store_make_way(store, &phaser, A_WHILE_US, &kept));
    has_ended = true;
    pthread_join(thread, &was_without);
    cr_assert_null(was_without);
    hs_phaser_exit(&phaser, token);
    hs_store_free(store, &FAKE_OPS, FAKE_ENV);
}

/* Another callback may stay in it for hours. */
Test(store, a_discarded_table_takes_the_next_one_with_it_although_a_callback_stays) {
    fake_reset();
    struct hs_store *store = small_store();
    hs_store_renew_stack_cache(store, &LAYOUT);
    hs_stack_cache *seen = learned_of(store);
    learn_a_run(seen);
    uint32_t token = hs_phaser_enter(&phaser, 5);
    hs_store_renew_stack_cache(store, &LAYOUT);
    hs_store_free_retired(store, &phaser, NO_PATIENCE_US);
    cr_assert_not(hs_stack_cache_is_discarded(learned_of(store)));
    hs_stack_cache_discard(seen);
    hs_store_free_retired(store, &phaser, NO_PATIENCE_US);
    cr_assert(hs_stack_cache_is_discarded(learned_of(store)));
    hs_phaser_exit(&phaser, token);
    hs_store_free(store, &FAKE_OPS, FAKE_ENV);
}

/* A callback may hold the old table long after the new one has begun with copies of its runs. */
Test(store, a_table_that_is_discarded_after_it_was_replaced_takes_the_next_one_with_it) {
    fake_reset();
    struct hs_store *store = small_store();
    hs_store_renew_stack_cache(store, &LAYOUT);
    hs_stack_cache *seen = learned_of(store);
    learn_a_run(seen);
    uint32_t token = hs_phaser_enter(&phaser, 5);
    hs_store_renew_stack_cache(store, &LAYOUT);
    hs_store_free_retired(store, &phaser, NO_PATIENCE_US);
    hs_stack_cache_discard(seen);
    hs_phaser_exit(&phaser, token);
    hs_store_free_retired(store, &phaser, PATIENCE_US);
    cr_assert(hs_stack_cache_is_discarded(learned_of(store)));
    hs_store_renew_stack_cache(store, &LAYOUT);
    hs_store_free_retired(store, &phaser, PATIENCE_US);
    cr_assert_not(hs_stack_cache_is_discarded(learned_of(store)), "it began empty");
    hs_store_free(store, &FAKE_OPS, FAKE_ENV);
}

Test(store, a_discarded_table_that_handed_nothing_on_takes_no_other_with_it) {
    fake_reset();
    struct hs_store *store = small_store();
    hs_store_renew_stack_cache(store, &LAYOUT);
    hs_stack_cache *seen = learned_of(store);
    uint32_t token = hs_phaser_enter(&phaser, 5);
    hs_store_renew_stack_cache(store, &LAYOUT); /* of no run that is in use */
    hs_stack_cache_discard(seen);
    hs_phaser_exit(&phaser, token);
    hs_store_free_retired(store, &phaser, PATIENCE_US);
    cr_assert_not(hs_stack_cache_is_discarded(learned_of(store)));
    hs_store_free(store, &FAKE_OPS, FAKE_ENV);
}

/* Freed they cannot be, and with the next generation beside them there would be too much memory. */
Test(store, learned_stacks_that_a_stuck_callback_sees_do_not_make_way) {
    fake_reset();
    struct hs_store *store = small_store();
    struct hs_kept_runs *kept;
    hs_store_renew_stack_cache(store, &LAYOUT);
    hs_stack_cache *seen = learned_of(store);
    learn_a_run(seen);
    fill_with_code(store);
    uint32_t token = hs_phaser_enter(&phaser, 5);
    cr_assert_not(hs_store_make_way(store, &phaser, NO_PATIENCE_US, &kept));
    cr_assert_null(kept);
    cr_assert_eq(learned_of(store), seen, "they serve as before");
    hs_store_renew_stack_cache(store, &LAYOUT);
    hs_stack_cache *fresh = learned_of(store);
    cr_assert_not(hs_store_make_way(store, &phaser, NO_PATIENCE_US, &kept), "in a retired one");
    cr_assert_eq(learned_of(store), fresh);
    hs_phaser_exit(&phaser, token);
    cr_assert(hs_store_make_way(store, &phaser, PATIENCE_US, &kept));
    cr_assert_null(learned_of(store));
    hs_kept_runs_free(kept);
    hs_store_free(store, &FAKE_OPS, FAKE_ENV);
}

Test(store, what_a_rotation_hands_on_is_in_use) {
    fake_reset();
    struct hs_store *store = small_store();
    hs_store_renew_stack_cache(store, &LAYOUT);
    learn_a_run(learned_of(store));
    fill_with_code(store);
    struct hs_kept_runs *kept;
    cr_assert(hs_store_make_way(store, &phaser, PATIENCE_US, &kept));
    cr_assert_not_null(kept);
    hs_kept_runs_free(kept);
    hs_store_free(store, &FAKE_OPS, FAKE_ENV);
}

/* They would take memory, and are for the next table only. */
Test(store, runs_that_wait_are_given_up_when_learning_ends) {
    fake_reset();
    struct hs_store *store = small_store();
    size_t before = hs_mem_used();
    hs_store_renew_stack_cache(store, &LAYOUT);
    learn_a_run(learned_of(store));
    store->kept = hs_stack_cache_keep(learned_of(store));
    cr_assert_not_null(store->kept);
    hs_store_renew_stack_cache(store, NULL);
    hs_store_free_retired(store, &phaser, PATIENCE_US);
    cr_assert_null(store->kept);
    cr_assert_eq(hs_mem_used(), before);
    hs_store_free(store, &FAKE_OPS, FAKE_ENV);
}

Test(store, without_memory_the_old_table_stays) {
    fake_reset();
    struct hs_store *store = small_store();
    hs_store_renew_stack_cache(store, &LAYOUT);
    hs_stack_cache *old = learned_of(store);
    hs_mem_set_budget(hs_mem_used() + 1000);
    hs_store_renew_stack_cache(store, &LAYOUT);
    cr_assert_eq(learned_of(store), old);
    hs_mem_set_budget(HS_MEM_DEFAULT_BUDGET);
    hs_store_renew_stack_cache(store, &LAYOUT);
    cr_assert_neq(learned_of(store), old);
    hs_store_free(store, &FAKE_OPS, FAKE_ENV);
}

/* What a thread remembers of one table says nothing in another. */
Test(store, tables_of_code_have_serial_numbers_of_their_own) {
    fake_reset();
    struct hs_store *first = small_store();
    struct hs_store *second = small_store();
    struct hs_store *next;
    uint64_t serial = first->code_serial;
    cr_assert(serial != 0 && second->code_serial > serial);
    for (int64_t thread = 1; !hs_store_fills_up(first); thread++) {
        struct hs_thread_id id;
        cr_assert_eq(hs_threads_put(first->threads, thread, &id), HS_OK);
    }
    cr_assert_eq(hs_store_new_generation(first, &next), HS_OK);
    cr_assert_eq(next->code_serial, serial, "of threads alone");
    hs_store_end_rotation(next, &FAKE_OPS, FAKE_ENV);
    fill_with_code(second);
    serial = second->code_serial;
    cr_assert_eq(hs_store_new_generation(second, &first), HS_OK);
    cr_assert_gt(first->code_serial, serial);
    hs_store_end_rotation(first, &FAKE_OPS, FAKE_ENV);
    hs_store_free(first, &FAKE_OPS, FAKE_ENV);
    hs_store_free(next, &FAKE_OPS, FAKE_ENV);
}
