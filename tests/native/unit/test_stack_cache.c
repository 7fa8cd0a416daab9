/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_stack_cache.h"

#include "hs_mem.h"
#include "walk_items.h"

static struct hs_walk_items items;
static const struct hs_known_stack NONE = {{77}, 77, 77};

/* The cells behind the method ids of interpreted frames, and the methods they lead to. */
enum { CELLS = 4 };
static uintptr_t cells[CELLS];
static struct fake_method methods[2];
#define METHOD       ((uintptr_t)&methods[0])
#define OTHER_METHOD ((uintptr_t)&methods[1])

static hs_stack_cache *make(void) {
    hs_stack_cache *stack_cache;
    cr_assert_eq(hs_stack_cache_new(&METHOD_LAYOUT, &stack_cache), HS_OK);
    cr_assert_not_null(stack_cache);
    cells[0] = cells[1] = method_init(&methods[0], 1);
    cells[2] = cells[3] = method_init(&methods[1], 2);
    return stack_cache;
}

static struct hs_java_frame frame_of(uint32_t cell, int32_t bci) {
    struct hs_java_frame frame = {(uintptr_t)&cells[cell], bci, {100 + cell}};
    return frame;
}

/* Different in each field, different for each seed. */
static void fill_frames(struct hs_java_frame *frames, uint32_t count, uint32_t seed) {
    for (uint32_t i = 0; i < count; i++) {
        frames[i] = (struct hs_java_frame){
            .method_id = (uintptr_t)seed * 4096 + 8 * i, .bci = (int32_t)(seed + i), .frame = {i}};
    }
}

static struct hs_run run_of(const hs_stack_cache *stack_cache, uint32_t i) {
    return hs_stack_cache_run(stack_cache, &items, i);
}

static void check_no_run(const hs_stack_cache *stack_cache, uint32_t i) {
    cr_assert_eq(run_of(stack_cache, i).count, 0, "item %u", i);
}

static bool knows(const hs_stack_cache *stack_cache) {
    struct hs_known_stack known = NONE;
    bool found = hs_stack_cache_stack(stack_cache, &items, &known);
    cr_assert(found || memcmp(&known, &NONE, sizeof known) == 0);
    return found;
}

Test(stack_cache, an_empty_table_knows_nothing) {
    hs_stack_cache *stack_cache = make();
    cr_assert_not(hs_stack_cache_is_discarded(stack_cache));
    cr_assert_not(hs_stack_cache_is_full(stack_cache));
    items_begin(&items, HS_WALK_BOTTOM);
    cr_assert_not(knows(stack_cache));
    items_add_compiled(&items, 1, 2);
    items_add_interpreted(&items, METHOD, 3);
    cr_assert_not(knows(stack_cache));
    check_no_run(stack_cache, 0);
    check_no_run(stack_cache, 1);
    hs_stack_cache_free(stack_cache);
    hs_stack_cache_free(NULL);
}

Test(stack_cache, is_discarded_for_good) {
    hs_stack_cache *stack_cache = make();
    hs_stack_cache_discard(stack_cache);
    cr_assert(hs_stack_cache_is_discarded(stack_cache));
    hs_stack_cache_discard(stack_cache);
    cr_assert(hs_stack_cache_is_discarded(stack_cache));
    cr_assert_not(hs_stack_cache_is_full(stack_cache));
    hs_stack_cache_free(stack_cache);
}

/* ---- runs ---- */

Test(stack_cache, a_run_that_was_put_is_found) {
    size_t before = hs_mem_used();
    struct hs_java_frame frames[HS_ALIGN_MAX_RUN];
    hs_stack_cache *stack_cache = make();
    for (uint32_t i = 1; i <= HS_ALIGN_MAX_RUN; i++) {
        fill_frames(frames, i, i);
        items_of_one(&items, 7, i);
        check_no_run(stack_cache, 0);
        hs_stack_cache_put_run(stack_cache, &items, 0, frames, i);
        cr_assert(is_same_run(run_of(stack_cache, 0), frames, i), "%u frames", i);
    }
    for (uint32_t i = 1; i <= HS_ALIGN_MAX_RUN; i++) {
        fill_frames(frames, i, i);
        items_of_one(&items, 7, i);
        cr_assert(is_same_run(run_of(stack_cache, 0), frames, i));
    }
    hs_stack_cache_free(stack_cache);
    cr_assert_eq(hs_mem_used(), before);
}

Test(stack_cache, a_run_of_odd_length_is_not_kept) {
    static struct hs_java_frame frames[HS_ALIGN_MAX_RUN + 1];
    hs_stack_cache *stack_cache = make();
    items_of_one(&items, 7, 1);
    fill_frames(frames, HS_ALIGN_MAX_RUN + 1, 1);
    hs_stack_cache_put_run(stack_cache, &items, 0, frames, 0);
    check_no_run(stack_cache, 0);
    hs_stack_cache_put_run(stack_cache, &items, 0, frames, HS_ALIGN_MAX_RUN + 1);
    check_no_run(stack_cache, 0);
    items_begin(&items, HS_WALK_BOTTOM);
    items_add_interpreted(&items, METHOD, 70);
    frames[0] = frames[1] = frame_of(0, 7);
    hs_stack_cache_put_run(stack_cache, &items, 0, frames, 2);
    check_no_run(stack_cache, 0);
    hs_stack_cache_free(stack_cache);
}

Test(stack_cache, items_are_distinguished) {
    struct hs_java_frame frame = frame_of(0, 1);
    hs_stack_cache *stack_cache = make();
    items_begin(&items, HS_WALK_BOTTOM);
    items_add_compiled(&items, 7, 100);
    items_add_compiled(&items, 8, 100); /* another compilation */
    items_add_compiled(&items, 7, 101);
    items_add_interpreted(&items, METHOD, 100);
    items_add_interpreted(&items, METHOD, 101); /* another bytecode */
    items_add_interpreted(&items, OTHER_METHOD, 100);
    for (uint32_t i = 0; i < 6; i++) {
        check_no_run(stack_cache, i);
        frame.bci = (int32_t)i;
        frame.method_id = (uintptr_t)&cells[i == 5 ? 2 : 0];
        hs_stack_cache_put_run(stack_cache, &items, i, &frame, 1);
        for (uint32_t j = 0; j <= i; j++) {
            struct hs_run run = run_of(stack_cache, j);
            cr_assert(run.count == 1 && run.frames->bci == (int32_t)j, "%u of %u", j, i);
        }
    }
    hs_stack_cache_free(stack_cache);
}

/* Compiled again, the code stands for the same frames: these are kept once. */
Test(stack_cache, the_same_run_of_many_items) {
    struct hs_java_frame frames[100];
    hs_stack_cache *stack_cache = make();
    fill_frames(frames, 100, 1);
    items_of_one(&items, 1, 1);
    hs_stack_cache_put_run(stack_cache, &items, 0, frames, 100);
    const struct hs_java_frame *first = run_of(stack_cache, 0).frames;
    for (uint32_t id = 2; id < 1000; id++) {
        items_of_one(&items, id, 1);
        hs_stack_cache_put_run(stack_cache, &items, 0, frames, 100);
        cr_assert_eq(run_of(stack_cache, 0).frames, first);
        cr_assert_eq(run_of(stack_cache, 0).count, 100);
    }
    hs_stack_cache_free(stack_cache);
}

/* ---- methods that die ---- */

Test(stack_cache, a_run_dies_with_its_method) {
    struct hs_java_frame frame = frame_of(0, 7);
    struct hs_java_frame later = frame_of(1, 9);
    hs_stack_cache *stack_cache = make();
    items_begin(&items, HS_WALK_BOTTOM);
    items_add_interpreted(&items, METHOD, 70);
    hs_stack_cache_put_run(stack_cache, &items, 0, &frame, 1);
    cr_assert(is_same_run(run_of(stack_cache, 0), &frame, 1));
    cells[0] = 0; /* unloaded */
    check_no_run(stack_cache, 0);
    cells[0] = OTHER_METHOD; /* redefined */
    check_no_run(stack_cache, 0);
    /* Another method in the same place, which has an id of its own. */
    hs_stack_cache_put_run(stack_cache, &items, 0, &later, 1);
    cr_assert(is_same_run(run_of(stack_cache, 0), &later, 1));
    cells[1] = 0;
    check_no_run(stack_cache, 0);
    hs_stack_cache_free(stack_cache);
}

Test(stack_cache, a_method_that_is_another_already_is_not_learned) {
    struct hs_java_frame frame = frame_of(2, 7); /* leads to OTHER_METHOD */
    hs_stack_cache *stack_cache = make();
    items_begin(&items, HS_WALK_BOTTOM);
    items_add_interpreted(&items, METHOD, 70);
    hs_stack_cache_put_run(stack_cache, &items, 0, &frame, 1);
    check_no_run(stack_cache, 0);
    cells[2] = METHOD; /* and would be true from now on */
    check_no_run(stack_cache, 0);
    hs_stack_cache_free(stack_cache);
}

/* The run of compiled code is true forever, whatever becomes of its methods. */
Test(stack_cache, a_compiled_run_outlives_its_methods) {
    struct hs_java_frame frame = frame_of(0, 7);
    hs_stack_cache *stack_cache = make();
    items_of_one(&items, 3, 4);
    hs_stack_cache_put_run(stack_cache, &items, 0, &frame, 1);
    cells[0] = 0;
    cr_assert(is_same_run(run_of(stack_cache, 0), &frame, 1));
    hs_stack_cache_free(stack_cache);
}

/* ---- whole walks ---- */

enum { MIXED = 4 };

/* Compiled (two frames), interpreted, compiled, interpreted. */
static void make_mixed(struct hs_java_frame frames[MIXED + 1], uint32_t begins[MIXED]) {
    items_begin(&items, HS_WALK_BOTTOM);
    items_add_compiled(&items, 1, 10);
    items_add_interpreted(&items, METHOD, 20);
    items_add_compiled(&items, 2, 30);
    items_add_interpreted(&items, OTHER_METHOD, 40);
    fill_frames(frames, MIXED + 1, 3);
    frames[2] = frame_of(0, 5);
    frames[4] = frame_of(2, 6);
    for (uint32_t i = 0; i < MIXED; i++) {
        begins[i] = i == 0 ? 0 : i + 1;
    }
}

static void put_twice(hs_stack_cache *stack_cache, const struct hs_java_frame *frames,
                      uint32_t count, const uint32_t *begins, uint32_t stack) {
    hs_stack_cache_put_stack(stack_cache, &items, frames, count, begins,
                             (struct hs_stack_id){stack});
    hs_stack_cache_put_stack(stack_cache, &items, frames, count, begins,
                             (struct hs_stack_id){stack});
}

Test(stack_cache, a_walk_is_kept_when_it_comes_again) {
    struct hs_java_frame frames[MIXED + 1];
    uint32_t begins[MIXED];
    struct hs_known_stack known;
    hs_stack_cache *stack_cache = make();
    make_mixed(frames, begins);
    hs_stack_cache_put_stack(stack_cache, &items, frames, MIXED + 1, begins,
                             (struct hs_stack_id){42});
    cr_assert_not(knows(stack_cache));
    hs_stack_cache_put_stack(stack_cache, &items, frames, MIXED + 1, begins,
                             (struct hs_stack_id){42});
    cr_assert(hs_stack_cache_stack(stack_cache, &items, &known));
    cr_assert_eq(known.stack.number, 42);
    cr_assert_eq(known.frame_count, MIXED + 1);
    cr_assert_eq(known.fingerprint, hs_java_fingerprint(frames, MIXED + 1));
    hs_stack_cache_free(stack_cache);
}

Test(stack_cache, walks_are_distinguished) {
    struct hs_java_frame frames[MIXED + 1];
    uint32_t begins[MIXED];
    hs_stack_cache *stack_cache = make();
    make_mixed(frames, begins);
    put_twice(stack_cache, frames, MIXED + 1, begins, 42);
    cr_assert(knows(stack_cache));
    for (uint32_t i = 0; i < items.word_count; i++) {
        uint64_t hash = items.hash;
        items.words[i] ^= 1;
        cr_assert_not(knows(stack_cache), "word %u, with the same hash", i);
        items.hash = hs_hash_bytes(items.words, items.word_count * sizeof items.words[0]);
        cr_assert_not(knows(stack_cache), "word %u", i);
        items.words[i] ^= 1;
        items.hash = hash;
    }
    cr_assert(knows(stack_cache));
    items.word_count--;
    cr_assert_not(knows(stack_cache));
    hs_stack_cache_free(stack_cache);
}

Test(stack_cache, a_walk_dies_with_each_of_its_interpreted_methods) {
    static const uint32_t CELL[] = {0, 2};
    struct hs_java_frame frames[MIXED + 1];
    uint32_t begins[MIXED];
    hs_stack_cache *stack_cache = make();
    make_mixed(frames, begins);
    put_twice(stack_cache, frames, MIXED + 1, begins, 42);
    for (int i = 0; i < 2; i++) {
        uintptr_t method = cells[CELL[i]];
        cells[CELL[i]] = 0;
        cr_assert_not(knows(stack_cache), "cell %u", CELL[i]);
        cells[CELL[i]] = METHOD + OTHER_METHOD - method;
        cr_assert_not(knows(stack_cache), "cell %u", CELL[i]);
        cells[CELL[i]] = method;
        cr_assert(knows(stack_cache));
    }
    hs_stack_cache_free(stack_cache);
}

/* The same words once more, for another method in the same place. */
Test(stack_cache, a_walk_is_learned_anew_with_a_new_method) {
    struct hs_java_frame frames[MIXED + 1];
    uint32_t begins[MIXED];
    struct hs_known_stack known;
    hs_stack_cache *stack_cache = make();
    make_mixed(frames, begins);
    put_twice(stack_cache, frames, MIXED + 1, begins, 42);
    cells[0] = 0;
    frames[2] = frame_of(1, 8);
    put_twice(stack_cache, frames, MIXED + 1, begins, 43);
    cr_assert(hs_stack_cache_stack(stack_cache, &items, &known));
    cr_assert_eq(known.stack.number, 43);
    cr_assert_eq(known.fingerprint, hs_java_fingerprint(frames, MIXED + 1));
    hs_stack_cache_free(stack_cache);
}

Test(stack_cache, a_walk_with_a_method_that_is_another_is_not_kept) {
    struct hs_java_frame frames[MIXED + 1];
    uint32_t begins[MIXED];
    hs_stack_cache *stack_cache = make();
    make_mixed(frames, begins);
    cells[2] = 0;
    put_twice(stack_cache, frames, MIXED + 1, begins, 42);
    cr_assert_not(knows(stack_cache));
    cells[2] = OTHER_METHOD;
    cr_assert_not(knows(stack_cache));
    begins[3] = MIXED + 1; /* behind the frames, and yet said to begin there */
    put_twice(stack_cache, frames, MIXED + 1, begins, 42);
    cr_assert_not(knows(stack_cache));
    hs_stack_cache_free(stack_cache);
}

/* What lies behind the frames says nothing about them. */
Test(stack_cache, an_item_behind_all_frames_does_not_count) {
    struct hs_java_frame frames[MIXED + 1];
    uint32_t begins[MIXED];
    hs_stack_cache *stack_cache = make();
    make_mixed(frames, begins);
    begins[2] = begins[3] = HS_BEGIN_UNKNOWN;
    put_twice(stack_cache, frames, 3, begins, 42);
    cr_assert(knows(stack_cache));
    cells[2] = 0;
    cr_assert(knows(stack_cache));
    cells[0] = 0;
    cr_assert_not(knows(stack_cache));
    hs_stack_cache_free(stack_cache);
}

Test(stack_cache, the_largest_walk_fits) {
    static struct hs_java_frame frames[HS_WALK_MAX_ITEMS];
    static uint32_t begins[HS_WALK_MAX_ITEMS];
    hs_stack_cache *stack_cache = make();
    items_begin(&items, HS_WALK_CUT);
    for (uint32_t i = 0; i < HS_WALK_MAX_ITEMS; i++) {
        items_add_interpreted(&items, METHOD, i);
        frames[i] = frame_of(i == HS_WALK_MAX_ITEMS - 1 ? 1 : 0, (int32_t)i);
        begins[i] = i;
    }
    put_twice(stack_cache, frames, HS_WALK_MAX_ITEMS, begins, 42);
    cr_assert(knows(stack_cache));
    cells[1] = 0; /* the last one's */
    cr_assert_not(knows(stack_cache));
    hs_stack_cache_free(stack_cache);
}

Test(stack_cache, a_walk_is_tried_less_and_less) {
    hs_stack_cache *stack_cache = make();
    items_begin(&items, HS_WALK_BOTTOM);
    items_add_compiled(&items, 7, 4096);
    for (int time = 1; time <= 64; time++) {
        bool is_due = (time & (time - 1)) == 0;
        cr_assert_eq(hs_stack_cache_is_worth_trying(stack_cache, &items), is_due, "time %d", time);
        if (is_due) {
            cr_assert(hs_stack_cache_is_worth_trying(stack_cache, &items), "not tried yet");
            hs_stack_cache_count_try(stack_cache, &items);
        }
    }
    hs_stack_cache_free(stack_cache);
}

/* The hash only says where to look. */
Test(stack_cache, walks_of_one_hash_are_distinguished) {
    struct hs_java_frame frame = {4096, 1, {1}};
    struct hs_known_stack known;
    uint32_t begin = 0;
    hs_stack_cache *stack_cache = make();
    for (uint32_t time = 0; time < 2; time++) {
        for (uint32_t i = 0; i < 3; i++) {
            items_of_one(&items, 1, i);
            items.hash = 77;
            hs_stack_cache_put_stack(stack_cache, &items, &frame, 1, &begin,
                                     (struct hs_stack_id){10 + i});
            hs_stack_cache_put_stack(stack_cache, &items, &frame, 1, &begin,
                                     (struct hs_stack_id){10 + i});
        }
    }
    for (uint32_t i = 0; i < 4; i++) {
        items_of_one(&items, 1, i);
        items.hash = 77;
        known.stack.number = 0;
        cr_assert_eq(hs_stack_cache_stack(stack_cache, &items, &known), i < 3, "walk %u", i);
        cr_assert_eq(known.stack.number, i < 3 ? 10 + i : 0);
    }
    hs_stack_cache_free(stack_cache);
}

/* Thousands of bytecodes of one method, as of a large static initialiser: each is found. */
Test(stack_cache, bytecodes_of_one_method_are_distinguished) {
    enum { COUNT = 5000 };
    struct fake_method method;
    uintptr_t cell = method_init(&method, 1);
    hs_stack_cache *stack_cache = make();
    for (uint32_t i = 0; i < COUNT; i++) {
        struct hs_java_frame frame = {(uintptr_t)&cell, (int32_t)i, {1 + i}};
        items_begin(&items, HS_WALK_BOTTOM);
        items_add_interpreted(&items, (uintptr_t)&method, 70 + i);
        hs_stack_cache_put_run(stack_cache, &items, 0, &frame, 1);
    }
    for (uint32_t i = 0; i < COUNT + 10; i++) {
        items_begin(&items, HS_WALK_BOTTOM);
        items_add_interpreted(&items, (uintptr_t)&method, 70 + i);
        struct hs_run run = hs_stack_cache_run(stack_cache, &items, 0);
        cr_assert_eq(run.count, i < COUNT ? 1 : 0, "%u", i);
        cr_assert(run.count == 0 || run.frames->frame.number == 1 + i);
    }
    hs_stack_cache_free(stack_cache);
}
