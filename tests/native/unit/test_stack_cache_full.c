/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Bounds of what is learned, in number and in bytes; those of runs and of walks are apart. */
#include "hs_mem.h"
#include "seeded.h"
#include "walk_items.h"

/* 3 MiB of runs, 3 MiB of walks (native/doc/fast-stacks.md), and the indexes. */
enum { MOST_BYTES = 10 << 20 };

static struct hs_walk_items items;

static hs_stack_cache *make(void) {
    hs_stack_cache *stack_cache;
    cr_assert_eq(hs_stack_cache_new(&METHOD_LAYOUT, &stack_cache), HS_OK);
    return stack_cache;
}

static struct hs_java_frame frame_number(uint32_t i) {
    struct hs_java_frame frame = {4096 + 8 * (uintptr_t)i, (int32_t)i, {i}};
    return frame;
}

static void put_number(hs_stack_cache *stack_cache, uint32_t i, uint32_t length) {
    struct hs_java_frame frames[HS_ALIGN_MAX_RUN];
    for (uint32_t f = 0; f < length; f++) {
        frames[f] = frame_number(i + f);
    }
    items_of_one(&items, 1, i);
    hs_stack_cache_put_run(stack_cache, &items, 0, frames, length);
}

static bool knows_number(const hs_stack_cache *stack_cache, uint32_t i, uint32_t length) {
    items_of_one(&items, 1, i);
    struct hs_run run = hs_stack_cache_run(stack_cache, &items, 0);
    struct hs_java_frame first = frame_number(i);
    cr_assert(run.count == 0 || run.count == length, "run %u", i);
    return run.count > 0 && memcmp(run.frames, &first, sizeof first) == 0;
}

/* Puts runs until the table is full, and then some; returns how many it knows. */
static uint32_t fill(hs_stack_cache *stack_cache, uint32_t count, uint32_t length) {
    uint32_t put = 0;
    while (put < count && !hs_stack_cache_is_full(stack_cache)) {
        put_number(stack_cache, put++, length);
    }
    cr_assert(hs_stack_cache_is_full(stack_cache));
    cr_assert_not(hs_stack_cache_takes_runs(stack_cache));
    size_t used = hs_mem_used();
    for (uint32_t i = put; i < count; i++) {
        put_number(stack_cache, i, length);
        cr_assert_not(knows_number(stack_cache, i, length));
    }
    cr_assert_eq(hs_mem_used(), used, "a full table takes no more memory");
    cr_assert(hs_stack_cache_is_full(stack_cache), "once full, always full");
    for (uint32_t i = 0; i + 1 < put; i++) {
        cr_assert(knows_number(stack_cache, i, length), "run %u of %u", i, put);
    }
    return put - 1;
}

Test(learned_full, bounded_in_number) {
    size_t before = hs_mem_used();
    hs_stack_cache *stack_cache = make();
    cr_assert_eq(fill(stack_cache, 50000, 1), 32768);
    cr_assert_leq(hs_mem_used() - before, MOST_BYTES);
    hs_stack_cache_free(stack_cache);
    cr_assert_eq(hs_mem_used(), before);
}

Test(learned_full, bounded_in_bytes) {
    size_t before = hs_mem_used();
    hs_stack_cache *stack_cache = make();
    uint32_t runs = fill(stack_cache, 10000, HS_ALIGN_MAX_RUN);
    cr_assert(runs > 1200 && runs < 2000, "%u runs of 2 KiB", runs);
    cr_assert_leq(hs_mem_used() - before, MOST_BYTES);
    hs_stack_cache_free(stack_cache);
    cr_assert_eq(hs_mem_used(), before);
}

/* Put by two threads at once, a run is there once; its bytes may be counted twice. */
Test(learned_full, what_is_known_takes_no_memory) {
    hs_stack_cache *stack_cache = make();
    put_number(stack_cache, 1, HS_ALIGN_MAX_RUN);
    size_t used = hs_mem_used();
    for (uint32_t i = 0; i < 1000; i++) {
        put_number(stack_cache, 1, HS_ALIGN_MAX_RUN);
    }
    cr_assert_eq(hs_mem_used(), used);
    cr_assert(knows_number(stack_cache, 1, HS_ALIGN_MAX_RUN));
    hs_stack_cache_free(stack_cache);
}

static void put_walk(hs_stack_cache *stack_cache, uint32_t i, uint32_t count) {
    static struct hs_java_frame frames[HS_WALK_MAX_ITEMS];
    static uint32_t begins[HS_WALK_MAX_ITEMS];
    items_begin(&items, HS_WALK_BOTTOM);
    for (uint32_t f = 0; f < count; f++) {
        items_add_compiled(&items, i, f);
        begins[f] = f;
        frames[f] = frame_number(i + f);
    }
    hs_stack_cache_put_stack(stack_cache, &items, frames, count, begins, (struct hs_stack_id){i});
    hs_stack_cache_put_stack(stack_cache, &items, frames, count, begins, (struct hs_stack_id){i});
}

static void check_walks(uint32_t count, uint32_t length, uint32_t least, uint32_t most) {
    size_t before = hs_mem_used();
    hs_stack_cache *stack_cache = make();
    uint32_t known_count = 0;
    for (uint32_t i = 1; i <= count; i++) {
        struct hs_known_stack known;
        put_walk(stack_cache, i, length);
        if (hs_stack_cache_stack(stack_cache, &items, &known)) {
            cr_assert_eq(known.stack.number, i);
            cr_assert_eq(known_count + 1, i, "the first ones are kept");
            known_count = i;
        }
    }
    cr_assert(hs_stack_cache_is_full(stack_cache));
    cr_assert(known_count >= least && known_count <= most, "%u walks", known_count);
    cr_assert_leq(hs_mem_used() - before, MOST_BYTES);
    hs_stack_cache_free(stack_cache);
    cr_assert_eq(hs_mem_used(), before);
}

Test(learned_full, walks_are_bounded_in_number) {
    check_walks(20000, 1, 16384, 16384);
}

Test(learned_full, walks_are_bounded_in_bytes) {
    check_walks(3000, HS_WALK_MAX_ITEMS, 1000, 2000);
}

/* Where there is no room for more runs, walks go on to be learned, and the other way round. */
Test(learned_full, runs_and_walks_have_rooms_of_their_own) {
    struct hs_known_stack known;
    hs_stack_cache *stack_cache = make();
    (void)fill(stack_cache, 10000, HS_ALIGN_MAX_RUN);
    put_walk(stack_cache, 1, 5);
    cr_assert(hs_stack_cache_stack(stack_cache, &items, &known));
    hs_stack_cache_free(stack_cache);

    stack_cache = make();
    cr_assert(hs_stack_cache_takes_runs(stack_cache));
    for (uint32_t i = 1; !hs_stack_cache_is_full(stack_cache); i++) {
        put_walk(stack_cache, i, HS_WALK_MAX_ITEMS);
    }
    cr_assert(hs_stack_cache_takes_runs(stack_cache));
    put_number(stack_cache, 1, 5);
    cr_assert(knows_number(stack_cache, 1, 5));
    hs_stack_cache_free(stack_cache);
}

/* A walk that comes once takes no room: a parser's never come again. 20,000 walks, of which not one
 * is kept; two that share a place of the memory of 8,192 only forget each other. */
Test(learned_full, walks_that_never_come_again_take_no_room) {
    hs_stack_cache *stack_cache = make();
    uint32_t begin = 0;
    size_t used = hs_mem_used();
    for (uint32_t i = 1; i <= 20000; i++) {
        struct hs_java_frame frame = frame_number(i);
        struct hs_known_stack known;
        items_of_one(&items, i, 1);
        hs_stack_cache_put_stack(stack_cache, &items, &frame, 1, &begin, (struct hs_stack_id){i});
        cr_assert_not(hs_stack_cache_stack(stack_cache, &items, &known));
    }
    cr_assert_eq(hs_mem_used(), used);
    cr_assert_not(hs_stack_cache_is_full(stack_cache));
    hs_stack_cache_free(stack_cache);
}

/* Full of both, and none has taken the other's room: each content is another one. */
Test(learned_full, there_is_room_for_all_runs_and_all_walks) {
    enum { RUNS = 32768, WALKS = 16384 };
    hs_stack_cache *stack_cache = make();
    for (uint32_t i = 0; i < RUNS; i++) {
        put_number(stack_cache, i, 1);
    }
    cr_assert_not(hs_stack_cache_is_full(stack_cache));
    for (uint32_t i = 1; i <= WALKS; i++) {
        struct hs_known_stack known;
        put_walk(stack_cache, i, 1);
        cr_assert(hs_stack_cache_stack(stack_cache, &items, &known), "walk %u", i);
    }
    cr_assert_not(hs_stack_cache_is_full(stack_cache));
    for (uint32_t i = 0; i < RUNS; i++) {
        cr_assert(knows_number(stack_cache, i, 1), "run %u", i);
    }
    hs_stack_cache_free(stack_cache);
}

/* Where there is no room for more, what is known can still be put right. */
Test(learned_full, a_full_table_learns_a_new_version) {
    static struct fake_method method;
    uintptr_t cell = method_init(&method, 1);
    struct hs_java_frame old = {(uintptr_t)&cell, 7, {1}};
    struct hs_java_frame new = {(uintptr_t)&cell, 7, {2}};
    struct hs_walk_items interpreted;
    hs_stack_cache *stack_cache = make();
    items_begin(&interpreted, HS_WALK_BOTTOM);
    items_add_interpreted(&interpreted, (uintptr_t)&method, 70);
    hs_stack_cache_put_run(stack_cache, &interpreted, 0, &old, 1);
    (void)fill(stack_cache, 50000, 1);
    method_set_sizes(&method, METHOD_CODE, CONST_WORDS - 1);
    cr_assert_eq(hs_stack_cache_run(stack_cache, &interpreted, 0).count, 0);
    hs_stack_cache_put_run(stack_cache, &interpreted, 0, &new, 1);
    cr_assert_eq(hs_stack_cache_run(stack_cache, &interpreted, 0).count, 1);
    cr_assert_eq(hs_stack_cache_run(stack_cache, &interpreted, 0).frames->frame.number, 2);
    hs_stack_cache_free(stack_cache);
}
