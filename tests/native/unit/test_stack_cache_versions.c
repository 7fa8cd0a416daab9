/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* One version of a method in the place of another, with the same id: what tells them apart is all
 * that stands behind the bytecodes. */
#include "walk_items.h"

static struct hs_walk_items items;
static struct fake_method method;
static uintptr_t cell;
static hs_stack_cache *stack_cache;

static void learn(void) {
    struct hs_java_frame frame = {(uintptr_t)&cell, 7, {1}};
    uint32_t begin = 0;
    items_begin(&items, HS_WALK_BOTTOM);
    items_add_interpreted(&items, (uintptr_t)&method, 70);
    hs_stack_cache_put_run(stack_cache, &items, 0, &frame, 1);
    hs_stack_cache_put_stack(stack_cache, &items, &frame, 1, &begin, (struct hs_stack_id){42});
    hs_stack_cache_put_stack(stack_cache, &items, &frame, 1, &begin, (struct hs_stack_id){42});
}

/* Both the run and the walk, or none of them. */
static bool knows(void) {
    struct hs_known_stack known;
    bool has_run = hs_stack_cache_run(stack_cache, &items, 0).count == 1;
    cr_assert_eq(hs_stack_cache_stack(stack_cache, &items, &known), has_run);
    return has_run;
}

static void begin(void) {
    cell = method_init(&method, 1);
    cr_assert_eq(hs_stack_cache_new(&METHOD_LAYOUT, &stack_cache), HS_OK);
    learn();
    cr_assert(knows());
}

Test(learned_versions, every_byte_behind_the_bytecodes_counts) {
    unsigned char *body = (unsigned char *)method.body;
    begin();
    for (uint32_t at = METHOD_LAYOUT.const_header + METHOD_CODE; at < sizeof method.body; at++) {
        body[at] ^= 1;
        cr_assert_not(knows(), "byte %u", at);
        body[at] ^= 1;
        cr_assert(knows());
    }
    hs_stack_cache_free(stack_cache);
}

/* They are rewritten as they run. */
Test(learned_versions, the_bytecodes_do_not_count) {
    begin();
    memset((char *)method.body + METHOD_LAYOUT.const_header, 0xCA, METHOD_CODE);
    cr_assert(knows());
    hs_stack_cache_free(stack_cache);
}

Test(learned_versions, the_sizes_count) {
    begin();
    method_set_sizes(&method, METHOD_CODE + 1, CONST_WORDS);
    cr_assert_not(knows());
    method_set_sizes(&method, METHOD_CODE, CONST_WORDS - 1);
    cr_assert_not(knows());
    method_set_sizes(&method, METHOD_CODE, CONST_WORDS);
    cr_assert(knows());
    hs_stack_cache_free(stack_cache);
}

/* More bytecodes, and the same behind them. */
Test(learned_versions, the_size_of_the_bytecodes_counts_by_itself) {
    begin();
    memset((char *)method.body + METHOD_LAYOUT.const_header, 7,
           sizeof method.body - METHOD_LAYOUT.const_header);
    method_set_sizes(&method, METHOD_CODE, CONST_WORDS - 1);
    learn();
    cr_assert(knows());
    method_set_sizes(&method, METHOD_CODE + 8, CONST_WORDS);
    cr_assert_not(knows());
    hs_stack_cache_free(stack_cache);
}

Test(learned_versions, the_new_version_is_learned_in_its_place) {
    begin();
    method.body[CONST_WORDS - 1]++;
    cr_assert_not(knows());
    learn();
    cr_assert(knows());
    method.body[CONST_WORDS - 1]--;
    cr_assert_not(knows(), "the old one");
    hs_stack_cache_free(stack_cache);
}

/* A method is read only where the id proves that it is one. */
Test(learned_versions, what_is_no_method_is_not_inspected) {
    begin();
    cell = 0;
    cr_assert_not(knows());
    items_begin(&items, HS_WALK_BOTTOM);
    items_add_interpreted(&items, 4096, 70); /* nothing is there */
    struct hs_java_frame frame = {(uintptr_t)&cell, 7, {1}};
    uint32_t first = 0;
    hs_stack_cache_put_run(stack_cache, &items, 0, &frame, 1);
    hs_stack_cache_put_stack(stack_cache, &items, &frame, 1, &first, (struct hs_stack_id){42});
    hs_stack_cache_put_stack(stack_cache, &items, &frame, 1, &first, (struct hs_stack_id){42});
    cr_assert_not(knows());
    hs_stack_cache_free(stack_cache);
}

Test(learned_versions, a_method_of_odd_size_is_not_known) {
    static const uint32_t WORDS[] = {0, 1, 5, 32 * 1024 + 1, UINT32_MAX};
    begin();
    for (int i = 0; i < 5; i++) {
        method_set_sizes(&method, METHOD_CODE, WORDS[i]);
        learn();
        cr_assert_not(knows(), "%u words", WORDS[i]);
    }
    method_set_sizes(&method, METHOD_CODE, CONST_WORDS);
    cr_assert(knows());
    uint64_t *body = &method.method[METHOD_LAYOUT.method_const / 8];
    const uintptr_t odd[] = {0, (uintptr_t)method.body + 4};
    for (int i = 0; i < 2; i++) {
        *body = odd[i];
        learn();
        cr_assert_not(knows());
    }
    hs_stack_cache_free(stack_cache);
}
