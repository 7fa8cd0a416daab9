/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Runs that one table hands on to the next. */
#include "hs_mem.h"
#include "walk_items.h"

enum { RUN = 3, RENUMBERED = 1000, NO_ROOM_FROM = 500 };

static struct hs_walk_items items;
static uintptr_t cell;
static struct fake_method method;

static hs_stack_cache *make(void) {
    hs_stack_cache *stack_cache;
    cr_assert_eq(hs_stack_cache_new(&METHOD_LAYOUT, &stack_cache), HS_OK);
    return stack_cache;
}

static struct hs_java_frame frame_number(uint32_t i) {
    return (struct hs_java_frame){
        .method_id = 4096 + 8 * (uintptr_t)i, .bci = (int32_t)i, .frame = {i}};
}

static void put_compiled(hs_stack_cache *stack_cache, uint32_t i, uint32_t length) {
    struct hs_java_frame frames[HS_ALIGN_MAX_RUN];
    for (uint32_t f = 0; f < length; f++) {
        frames[f] = frame_number(i + f);
    }
    items_of_one(&items, 1, i);
    hs_stack_cache_put_run(stack_cache, &items, 0, frames, length);
}

static void put_interpreted(hs_stack_cache *stack_cache) {
    struct hs_java_frame frame = {.method_id = (uintptr_t)&cell, .bci = 7, .frame = {9}};
    cell = method_init(&method, 1);
    items_begin(&items, HS_WALK_BOTTOM);
    items_add_interpreted(&items, cell, 77);
    hs_stack_cache_put_run(stack_cache, &items, 0, &frame, 1);
}

/* As a callback that composes a stack of the items. */
static void meet_again(const hs_stack_cache *stack_cache) {
    struct hs_run runs[HS_WALK_MAX_ITEMS];
    hs_stack_cache_runs(stack_cache, &items, runs);
    cr_assert_gt(runs[0].count, 0);
}

static struct hs_run compiled_run(const hs_stack_cache *stack_cache, uint32_t i) {
    items_of_one(&items, 1, i);
    return hs_stack_cache_run(stack_cache, &items, 0);
}

static struct hs_run interpreted_run(const hs_stack_cache *stack_cache) {
    items_begin(&items, HS_WALK_BOTTOM);
    items_add_interpreted(&items, (uintptr_t)&method, 77);
    return hs_stack_cache_run(stack_cache, &items, 0);
}

static bool renumber(void *context, struct hs_frame_id *frame) {
    ++*(int *)context;
    bool has_room = frame->number < NO_ROOM_FROM;
    frame->number += RENUMBERED;
    return has_room;
}

Test(stack_cache_kept, hands_on_what_was_met_again) {
    size_t before = hs_mem_used();
    hs_stack_cache *old = make();
    hs_stack_cache *new = make();
    put_compiled(old, 10, RUN);
    meet_again(old);
    put_compiled(old, 20, RUN); /* once only */
    put_interpreted(old);
    meet_again(old);
    put_compiled(old, NO_ROOM_FROM - 1, RUN); /* its second frame finds no room */
    meet_again(old);
    struct hs_kept_runs *kept = hs_stack_cache_keep(old);
    cr_assert_not_null(kept);
    hs_stack_cache_free(old); /* nothing refers to it */
    int renumbered = 0;
    hs_kept_runs_renumber(kept, renumber, &renumbered);
    hs_stack_cache_put_kept(new, kept);
    hs_kept_runs_free(kept);
    cr_assert_eq(renumbered, RUN + 1 + 2);

    struct hs_run run = compiled_run(new, 10);
    cr_assert_eq(run.count, RUN);
    for (uint32_t f = 0; f < RUN; f++) {
        struct hs_java_frame frame = frame_number(10 + f);
        frame.frame.number += RENUMBERED;
        cr_assert_arr_eq(&run.frames[f], &frame, sizeof frame);
    }
    cr_assert_eq(compiled_run(new, 20).count, 0);
    cr_assert_eq(compiled_run(new, NO_ROOM_FROM - 1).count, 0);
    run = interpreted_run(new);
    cr_assert_eq(run.count, 1);
    cr_assert_eq(run.frames->frame.number, 9 + RENUMBERED);
    cr_assert_eq(run.frames->bci, 7);
    cr_assert_eq(run.frames->method_id, (uintptr_t)&cell);
    hs_stack_cache_free(new);
    cr_assert_eq(hs_mem_used(), before);
}

/* The version goes on as well: what was unloaded or redefined since is not known. */
Test(stack_cache_kept, an_interpreted_run_counts_only_in_its_version) {
    hs_stack_cache *old = make();
    hs_stack_cache *new = make();
    put_interpreted(old);
    meet_again(old);
    struct hs_kept_runs *kept = hs_stack_cache_keep(old);
    hs_stack_cache_put_kept(new, kept);
    cr_assert_eq(interpreted_run(new).count, 1);
    cr_assert_eq(interpreted_run(new).frames->frame.number, 9, "the same numbers");
    method_init(&method, 2);
    cr_assert_eq(interpreted_run(new).count, 0);
    method_init(&method, 1);
    cell = 0;
    cr_assert_eq(interpreted_run(new).count, 0);
    hs_kept_runs_free(kept);
    hs_stack_cache_free(new);
    hs_stack_cache_free(old);
}

/* What is handed on must be met again in the new table, or else it stays behind the next time. */
Test(stack_cache_kept, is_forgotten_when_it_is_met_no_more) {
    hs_stack_cache *old = make();
    hs_stack_cache *new = make();
    put_compiled(old, 10, RUN);
    meet_again(old);
    struct hs_kept_runs *kept = hs_stack_cache_keep(old);
    hs_stack_cache_put_kept(new, kept);
    hs_kept_runs_free(kept);
    cr_assert_null(hs_stack_cache_keep(new));
    hs_stack_cache_free(new);
    hs_stack_cache_free(old);
}

Test(stack_cache_kept, nothing_of_a_discarded_table) {
    hs_stack_cache *old = make();
    hs_stack_cache *new = make();
    cr_assert_null(hs_stack_cache_keep(old), "it is empty");
    put_compiled(old, 10, RUN);
    meet_again(old);
    hs_stack_cache_discard(old);
    cr_assert_null(hs_stack_cache_keep(old));
    hs_stack_cache_put_kept(new, NULL);
    cr_assert_eq(compiled_run(new, 10).count, 0);
    hs_kept_runs_free(NULL);
    hs_stack_cache_free(new);
    hs_stack_cache_free(old);
}

Test(stack_cache_kept, at_most_half_a_mebibyte) {
    enum { COUNT = 1400, MOST = 1 << 19 };
    hs_stack_cache *old = make();
    hs_stack_cache *new = make();
    for (uint32_t i = 0; i < COUNT; i++) { /* 2,048 bytes each */
        put_compiled(old, i * HS_ALIGN_MAX_RUN, HS_ALIGN_MAX_RUN);
        meet_again(old);
    }
    size_t before = hs_mem_used();
    struct hs_kept_runs *kept = hs_stack_cache_keep(old);
    cr_assert_not_null(kept);
    cr_assert_leq(hs_mem_used() - before, MOST);
    hs_stack_cache_put_kept(new, kept);
    uint32_t known = 0;
    for (uint32_t i = 0; i < COUNT; i++) {
        known += compiled_run(new, i * HS_ALIGN_MAX_RUN).count == HS_ALIGN_MAX_RUN;
    }
    cr_assert_gt(known, 240);
    cr_assert_lt(known, 256);
    cr_assert_not(hs_stack_cache_is_full(new), "there is room for new code");
    hs_kept_runs_free(kept);
    hs_stack_cache_free(new);
    hs_stack_cache_free(old);
}
