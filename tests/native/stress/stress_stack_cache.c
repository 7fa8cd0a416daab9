/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "crew.h"
#include "hs_mem.h"
#include "hs_store.h"
#include "unit/small_store.h"
#include "unit/walk_items.h"

enum { THREADS = 4, ITEMS = 2000, ROUNDS = 3, METHODS = 16, WALK = 8 };

static hs_stack_cache *stack_cache;
static _Atomic int writers_left;

/* What the method ids of interpreted frames lead to: all methods, or, for a moment, nothing. */
static _Atomic uintptr_t cells[METHODS];

static struct fake_method methods[METHODS];

static uintptr_t method_of(uint32_t i) {
    return (uintptr_t)&methods[i % METHODS];
}

static void fill_cells(void) {
    for (uint32_t i = 0; i < METHODS; i++) {
        atomic_store(&cells[i], method_init(&methods[i], i));
    }
}

/* Item i is interpreted when i is odd. */
static void add_item(struct hs_walk_items *items, uint32_t i) {
    if (i % 2 == 0) {
        items_add_compiled(items, 1 + i, i);
    } else {
        items_add_interpreted(items, method_of(i), i);
    }
}

/* All of it follows from i. */
static uint32_t run_of(uint32_t i, struct hs_java_frame frames[HS_ALIGN_MAX_RUN]) {
    uint32_t count = i % 2 == 0 ? 1 + i % 60 : 1;
    for (uint32_t f = 0; f < count; f++) {
        frames[f].method_id = i % 2 == 0 ? 64 * (i + f) : (uintptr_t)&cells[i % METHODS];
        frames[f].bci = (int32_t)(i ^ f);
        frames[f].frame.number = i + f;
    }
    return count;
}

/* Whole and right, or not known. */
static bool check_run(const hs_stack_cache *in, uint32_t i) {
    struct hs_java_frame frames[HS_ALIGN_MAX_RUN];
    struct hs_walk_items items;
    items_begin(&items, HS_WALK_BOTTOM);
    add_item(&items, i);
    struct hs_run run = hs_stack_cache_run(in, &items, 0);
    uint32_t count = run_of(i, frames);
    HS_CHECK(run.count == 0 || is_same_run(run, frames, count));
    return run.count > 0;
}

/* Walk i has the items from i on, each with one frame. */
static void make_walk(uint32_t i, struct hs_walk_items *items, struct hs_java_frame frames[WALK],
                      uint32_t begins[WALK]) {
    struct hs_java_frame run[HS_ALIGN_MAX_RUN];
    items_begin(items, HS_WALK_BOTTOM);
    for (uint32_t f = 0; f < WALK; f++) {
        add_item(items, i + f);
        (void)run_of(i + f, run);
        frames[f] = run[0];
        begins[f] = f;
    }
}

static bool check_stack(const hs_stack_cache *in, uint32_t i) {
    struct hs_java_frame frames[WALK];
    uint32_t begins[WALK];
    struct hs_walk_items items;
    struct hs_known_stack known;
    make_walk(i, &items, frames, begins);
    if (!hs_stack_cache_stack(in, &items, &known)) {
        return false;
    }
    HS_CHECK(known.stack.number == i + 1 && known.frame_count == WALK);
    HS_CHECK(known.fingerprint == hs_java_fingerprint(frames, WALK));
    return true;
}

static void put(hs_stack_cache *in, uint32_t i) {
    struct hs_java_frame run[HS_ALIGN_MAX_RUN];
    struct hs_java_frame frames[WALK];
    uint32_t begins[WALK];
    struct hs_walk_items items;
    uint32_t count = run_of(i, run);
    make_walk(i, &items, frames, begins);
    if (hs_stack_cache_run(in, &items, 0).count == 0) {
        hs_stack_cache_put_run(in, &items, 0, run, count);
    }
    hs_stack_cache_put_stack(in, &items, frames, WALK, begins, (struct hs_stack_id){i + 1});
}

/* All put the same, every second thread from the other end. */
static void put_all(int number) {
    for (uint32_t n = 0; n < ROUNDS * ITEMS; n++) {
        uint32_t i = number % 2 == 0 ? n % ITEMS : ITEMS - 1 - n % ITEMS;
        put(stack_cache, i);
        HS_CHECK(check_run(stack_cache, i));
        (void)check_stack(stack_cache, i);
    }
    writers_left--;
}

static void read_all(int number) {
    struct seeded seeded = {(uint64_t)number};
    while (writers_left > 0) {
        (void)check_run(stack_cache, seeded_below(&seeded, ITEMS));
        (void)check_stack(stack_cache, seeded_below(&seeded, ITEMS));
    }
}

static void begin(int writers) {
    fill_cells();
    writers_left = writers;
    cr_assert_eq(hs_stack_cache_new(&METHOD_LAYOUT, &stack_cache), HS_OK);
}

Test(stress_learned, what_is_found_is_whole_and_right) {
    size_t before = hs_mem_used();
    crew_work *const works[THREADS] = {put_all, put_all, read_all, read_all};
    begin(2);
    crew_each(THREADS, works);
    uint32_t stacks = 0;
    for (uint32_t i = 0; i < ITEMS; i++) {
        cr_assert(check_run(stack_cache, i), "run %u", i);
        stacks += check_stack(stack_cache, i);
    }
    /* All came again and again; some share a place of the memory and forget each other. */
    cr_assert_geq(stacks, ITEMS / 2);
    hs_stack_cache_free(stack_cache);
    cr_assert_eq(hs_mem_used(), before);
}

/* As the VM when it unloads classes: it does so while none of their methods runs, here it may do so
 * at any time. */
static void unload_and_load(int number) {
    struct seeded seeded = {(uint64_t)number};
    while (writers_left > 0) {
        uint32_t i = seeded_below(&seeded, METHODS);
        atomic_store(&cells[i], 0);
        atomic_store(&cells[i], method_of(i));
    }
}

static void put_mortal(int number) {
    for (uint32_t n = 0; n < ROUNDS * ITEMS; n++) {
        uint32_t i = number % 2 == 0 ? n % ITEMS : ITEMS - 1 - n % ITEMS;
        put(stack_cache, i);
        HS_CHECK(check_run(stack_cache, i) || i % 2 == 1);
        (void)check_stack(stack_cache, i);
    }
    writers_left--;
}

Test(stress_learned, methods_die_meanwhile) {
    crew_work *const works[THREADS] = {put_mortal, put_mortal, read_all, unload_and_load};
    begin(2);
    crew_each(THREADS, works);
    for (uint32_t i = 0; i < ITEMS; i += 2) {
        cr_assert(check_run(stack_cache, i), "compiled run %u", i);
    }
    for (uint32_t i = 0; i < METHODS; i++) {
        atomic_store(&cells[i], 0);
    }
    for (uint32_t i = 1; i < ITEMS; i += 2) {
        cr_assert_not(check_run(stack_cache, i), "interpreted run %u", i);
    }
    hs_stack_cache_free(stack_cache);
}

/* ---- replaced meanwhile ---- */

enum { RELEARNS = 200 };

static struct hs_store *store;
static struct hs_phaser phaser;

/* The next table begins with what was. */
static void meet_again(const hs_stack_cache *in, uint32_t i) {
    struct hs_run runs[HS_WALK_MAX_ITEMS];
    struct hs_java_frame frames[WALK];
    uint32_t begins[WALK];
    struct hs_walk_items items;
    make_walk(i, &items, frames, begins);
    hs_stack_cache_runs(in, &items, runs);
}

static void call_back(int number) {
    struct seeded seeded = {(uint64_t)number};
    while (writers_left > 0) {
        uint32_t token = hs_phaser_enter(&phaser, (uint32_t)number);
        hs_stack_cache *in = atomic_load(&store->stack_cache);
        uint32_t i = seeded_below(&seeded, 50);
        put(in, i);
        meet_again(in, i);
        HS_CHECK(check_run(in, i));
        (void)check_stack(in, i);
        hs_phaser_exit(&phaser, token);
    }
}

static void relearn(int number) {
    (void)number;
    for (int i = 0; i < RELEARNS; i++) {
        hs_stack_cache *old = atomic_load(&store->stack_cache);
        if (i % 4 == 0) {
            hs_stack_cache_discard(old);
        }
        hs_store_renew_stack_cache(store, &METHOD_LAYOUT);
        HS_CHECK(atomic_load(&store->stack_cache) != old);
        hs_store_free_retired(store, &phaser, 60000000);
    }
    writers_left--;
}

/* No callback sees a table that was freed, and none is lost. */
Test(stress_learned, the_table_is_replaced_while_callbacks_use_it) {
    fake_reset();
    size_t before = hs_mem_used();
    crew_work *const works[THREADS] = {relearn, call_back, call_back, call_back};
    fill_cells();
    writers_left = 1;
    store = small_store();
    hs_store_renew_stack_cache(store, &METHOD_LAYOUT);
    crew_each(THREADS, works);
    cr_assert_not(hs_stack_cache_is_discarded(atomic_load(&store->stack_cache)));
    hs_store_free(store, &FAKE_OPS, FAKE_ENV);
    cr_assert_eq(hs_mem_used(), before);
}
