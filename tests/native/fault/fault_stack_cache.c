/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Learned stacks: made, filled, replaced and freed with every allocation failing once. */
#include "fault.h"
#include "hs_lookup.h"
#include "unit/small_store.h"
#include "unit/walk_items.h"

/* Large enough that the second run needs a chunk of its own. */
enum { RUNS = 40 };

static struct hs_walk_items items;
static struct hs_java_frame frames[HS_ALIGN_MAX_RUN];
static uint32_t begins[1];

static void set_run(uint32_t i) {
    memset(frames, 0, sizeof frames);
    frames[0].bci = (int32_t)i;
    items_of_one(&items, 1, i);
}

static enum hs_status make_round(void) {
    hs_stack_cache *stack_cache = (hs_stack_cache *)16;
    enum hs_status status = hs_stack_cache_new(&METHOD_LAYOUT, &stack_cache);
    cr_assert_eq(stack_cache == NULL, status != HS_OK);
    hs_stack_cache_free(stack_cache);
    return status;
}

Test(fault_learned, making) {
    cr_assert_geq(fault_each(make_round, false), 8);
}

/* A run for which there was no memory is not known, and one that is known is right. */
static enum hs_status put_round(void) {
    hs_stack_cache *stack_cache;
    uint32_t known_count = 0;
    if (hs_stack_cache_new(&METHOD_LAYOUT, &stack_cache) != HS_OK) {
        return HS_NO_MEMORY;
    }
    for (uint32_t i = 0; i < RUNS; i++) {
        struct hs_known_stack known = {0};
        set_run(i);
        hs_stack_cache_put_run(stack_cache, &items, 0, frames, HS_ALIGN_MAX_RUN);
        struct hs_run run = hs_stack_cache_run(stack_cache, &items, 0);
        cr_assert(run.count == 0 || is_same_run(run, frames, HS_ALIGN_MAX_RUN));
        known_count += run.count > 0;
        hs_stack_cache_put_stack(stack_cache, &items, frames, HS_ALIGN_MAX_RUN, begins,
                                 (struct hs_stack_id){7 + i});
        hs_stack_cache_put_stack(stack_cache, &items, frames, HS_ALIGN_MAX_RUN, begins,
                                 (struct hs_stack_id){7 + i});
        bool has_stack = hs_stack_cache_stack(stack_cache, &items, &known);
        cr_assert_eq(known.stack.number, has_stack ? 7 + i : 0);
        known_count += has_stack;
    }
    cr_assert_eq(hs_stack_cache_is_full(stack_cache), known_count < 2 * RUNS);
    hs_stack_cache_free(stack_cache);
    return known_count == 2 * RUNS ? HS_OK : HS_NO_MEMORY;
}

Test(fault_learned, putting) {
    cr_assert_geq(fault_each(put_round, true), 10);
}

/* Either the new table or, whole, the old one. */
static enum hs_status relearn_round(void) {
    static struct hs_phaser phaser;
    struct hs_store *store;
    if (hs_store_new(&SMALL_LIMITS, &store) != HS_OK) {
        return HS_NO_MEMORY;
    }
    for (int i = 0; i < 2; i++) {
        hs_stack_cache *old = atomic_load(&store->stack_cache);
        if (old != NULL) {
            hs_stack_cache_discard(old);
        }
        hs_store_renew_stack_cache(store, &METHOD_LAYOUT);
        const hs_stack_cache *stack_cache = atomic_load(&store->stack_cache);
        cr_assert(stack_cache == old || !hs_stack_cache_is_discarded(stack_cache));
        hs_store_free_retired(store, &phaser, 5000000);
    }
    hs_store_free(store, &FAKE_OPS, FAKE_ENV);
    return HS_OK;
}

Test(fault_learned, replacing) {
    cr_assert_geq(fault_each(relearn_round, true), 30);
}

/* Each run that the new table knows is right; without memory it knows fewer. */
static enum hs_status keep_round(void) {
    hs_stack_cache *tables[2] = {NULL, NULL};
    struct hs_run runs[HS_WALK_MAX_ITEMS];
    uint32_t known_count = 0;
    enum hs_status status = hs_stack_cache_new(&METHOD_LAYOUT, &tables[0]);
    if (status == HS_OK) {
        status = hs_stack_cache_new(&METHOD_LAYOUT, &tables[1]);
    }
    for (uint32_t i = 0; i < RUNS && status == HS_OK; i++) {
        set_run(i);
        hs_stack_cache_put_run(tables[0], &items, 0, frames, HS_ALIGN_MAX_RUN);
        hs_stack_cache_runs(tables[0], &items, runs);
    }
    struct hs_kept_runs *kept = status == HS_OK ? hs_stack_cache_keep(tables[0]) : NULL;
    for (uint32_t i = 0; i < RUNS && status == HS_OK; i++) {
        if (i == 0) {
            hs_stack_cache_put_kept(tables[1], kept);
        }
        set_run(i);
        struct hs_run run = hs_stack_cache_run(tables[1], &items, 0);
        cr_assert(run.count == 0 || is_same_run(run, frames, HS_ALIGN_MAX_RUN));
        known_count += run.count > 0;
    }
    hs_kept_runs_free(kept);
    hs_stack_cache_free(tables[1]);
    hs_stack_cache_free(tables[0]);
    return known_count == RUNS ? HS_OK : HS_NO_MEMORY;
}

Test(fault_learned, keeping) {
    cr_assert_geq(fault_each(keep_round, true), 26);
}

static enum hs_status on_round(void) {
    static struct hs_lookup lookup;
    hs_lookup_init(&lookup);
    enum hs_status status = hs_lookup_on(&lookup, 0, false);
    cr_assert_eq(hs_lookup_is_on(&lookup), status == HS_OK);
    if (status != HS_OK) {
        cr_assert_str_eq(atomic_load(&lookup.reason), "there was no native memory");
    } else {
        struct hs_lookup_room *room = hs_lookup_enter(&lookup);
        cr_assert_not_null(room, "one is enough");
        hs_lookup_leave(room);
    }
    hs_lookup_destroy(&lookup);
    return status;
}

Test(fault_learned, switching_lookups_on) {
    cr_assert_eq(fault_each(on_round, true), HS_LOOKUP_ROOMS);
}
