/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_gc_calls.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static struct hs_gc_calls calls;

static void set_up(void) {
    cr_assert_eq(hs_gc_calls_init(&calls), HS_OK);
}

static void add(int64_t number) {
    struct hs_gc_call call = {.began_us = number, .took_us = 2 * number};
    char method[32];
    (void)snprintf(method, sizeof method, "call%d", (int)number);
    cr_assert(hs_gc_stack_add(&call.stack, "shop.Cart", method, (int32_t)number));
    hs_gc_calls_add(&calls, &call);
}

Test(gc_calls, there_is_nothing_to_read_before_the_first_call, .init = set_up) {
    struct hs_gc_call call;
    cr_assert_eq(hs_gc_calls_count(&calls), 0);
    cr_assert_not(hs_gc_calls_read(&calls, 0, &call));
}

Test(gc_calls, a_call_is_read_as_it_was_added, .init = set_up) {
    struct hs_gc_call call;
    add(1);
    add(2);
    cr_assert_eq(hs_gc_calls_count(&calls), 2);
    cr_assert(hs_gc_calls_read(&calls, 1, &call));
    cr_assert_eq(call.began_us, 2);
    cr_assert_eq(call.took_us, 4);
    cr_assert_str_eq(call.stack.text, "shop.Cart.call2:2");
    cr_assert_not(hs_gc_calls_read(&calls, 2, &call));
}

Test(gc_calls, the_last_calls_stay_and_older_ones_go, .init = set_up) {
    struct hs_gc_call call;
    for (int i = 0; i < 2 * HS_GC_CALLS + 5; i++) {
        add(i);
    }
    uint64_t count = hs_gc_calls_count(&calls);
    cr_assert_eq(count, 2 * HS_GC_CALLS + 5);
    for (uint64_t i = 0; i < count; i++) {
        bool is_there = hs_gc_calls_read(&calls, i, &call);
        cr_assert_eq(is_there, i >= count - HS_GC_CALLS, "call %d", (int)i);
        cr_assert(!is_there || call.began_us == (int64_t)i);
    }
    cr_assert_not(hs_gc_calls_read(&calls, UINT64_MAX, &call));
}

Test(gc_calls, each_frame_has_a_line_of_text_and_an_unknown_line_is_left_out) {
    struct hs_gc_stack stack = {0};
    cr_assert(hs_gc_stack_add(&stack, "java.lang.System", "gc", 1907));
    cr_assert(hs_gc_stack_add(&stack, "shop.Cart", "fill", -1));
    cr_assert(hs_gc_stack_add(&stack, "shop.Main", "main", 0));
    cr_assert_str_eq(stack.text, "java.lang.System.gc:1907\nshop.Cart.fill\nshop.Main.main");
    cr_assert_eq(stack.bytes, strlen(stack.text));
    cr_assert_eq(stack.frames, 3);
}

Test(gc_calls, a_stack_keeps_its_first_frames) {
    struct hs_gc_stack stack = {0};
    for (int i = 1; i <= HS_GC_FRAMES; i++) {
        cr_assert(hs_gc_stack_add(&stack, "a.B", "c", i));
    }
    char before[HS_GC_TEXT];
    strcpy(before, stack.text);
    cr_assert_not(hs_gc_stack_add(&stack, "a.B", "late", 1));
    cr_assert_str_eq(stack.text, before);
}

static void fill(char *name, size_t bytes, const char *character) {
    size_t each = strlen(character);
    name[0] = '\0';
    for (size_t i = 0; i + each <= bytes; i += each) {
        strcpy(&name[i], character);
    }
}

/* Five of these do not fit, and a shorter one that would is not added behind the gap. */
Test(gc_calls, a_frame_without_room_is_left_out_with_all_that_follow) {
    struct hs_gc_stack stack = {0};
    char name[HS_GC_NAME];
    fill(name, sizeof name - 1, "x");
    for (int i = 0; i < 4; i++) {
        cr_assert(hs_gc_stack_add(&stack, name, "method", 12));
    }
    cr_assert_not(hs_gc_stack_add(&stack, name, "method", 12));
    cr_assert_not(hs_gc_stack_add(&stack, "a.B", "c", 1));
    cr_assert_eq(stack.bytes, strlen(stack.text));
    cr_assert_eq(stack.bytes, 4 * (HS_GC_NAME + 3) + 3);
}

Test(gc_calls, text_fills_the_room_to_the_last_byte) {
    struct hs_gc_stack stack = {0};
    char name[HS_GC_NAME];
    fill(name, sizeof name - 1, "x");
    for (int i = 0; i < 4; i++) {
        cr_assert(hs_gc_stack_add(&stack, name, "", -1));
    }
    struct hs_gc_stack longer = stack;
    fill(name, HS_GC_TEXT - 1 - stack.bytes - strlen("\n.c"), "x");
    cr_assert(hs_gc_stack_add(&stack, name, "c", -1));
    cr_assert_eq(strlen(stack.text), HS_GC_TEXT - 1);
    strcat(name, "x");
    cr_assert_not(hs_gc_stack_add(&longer, name, "c", -1));
}

Test(gc_calls, long_names_are_cut_between_characters) {
    char name[4 * HS_GC_NAME];
    for (int lead = 0; lead < 3; lead++) {
        struct hs_gc_stack stack = {0};
        memset(name, 'x', (size_t)lead);
        fill(&name[lead], 3 * HS_GC_NAME, "\xe2\x82\xac"); /* three bytes */
        cr_assert(hs_gc_stack_add(&stack, name, name, 7));
        cr_assert_leq(stack.bytes, HS_GC_NAME + 2);
        const char *dot = strchr(stack.text, '.');
        cr_assert_eq((dot - stack.text - lead) % 3, 0, "cut within a character");
    }
    struct hs_gc_stack stack = {0};
    fill(name, 3 * HS_GC_NAME, "\xe2\x82\xac");
    cr_assert(hs_gc_stack_add(&stack, "a.B", name, -1));
    cr_assert_eq((stack.bytes - strlen("a.B.")) % 3, 0);
    cr_assert_gt(stack.bytes, HS_GC_NAME - 3);
}

/* The JVM allows them in names. */
Test(gc_calls, a_name_cannot_look_like_two_frames) {
    struct hs_gc_stack stack = {0};
    cr_assert(hs_gc_stack_add(&stack, "a.B", "c\nshop.Forged.frame:1\r", 3));
    cr_assert_str_eq(stack.text, "a.B.c?shop.Forged.frame:1?:3");
}
