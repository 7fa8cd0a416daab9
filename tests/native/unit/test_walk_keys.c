/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Keys: the same items always give the same words, others never do, whatever lies between them. */
#include "hs_walk.h"

#include "synthetic_vm.h"

enum { MAX_FRAMES = 24 };

/* A frame that carries Java: which code, and where in it. */
struct frame {
    bool is_compiled;
    uint32_t code;
    uint32_t place;
};

struct stack {
    uint32_t count;
    struct frame frames[MAX_FRAMES]; /* root first */
};

/* A few codes and places, so that stacks are often alike. */
static struct frame random_frame(struct seeded *seeded) {
    struct frame frame = {.is_compiled = seeded_below(seeded, 2) == 0};
    frame.code = 1 + seeded_below(seeded, 2);
    frame.place = seeded_below(seeded, 2);
    return frame;
}

static struct stack random_stack(struct seeded *seeded, uint32_t count) {
    struct stack stack = {.count = count};
    for (uint32_t i = 0; i < count; i++) {
        stack.frames[i] = random_frame(seeded);
    }
    return stack;
}

static bool is_same_frame(const struct frame *a, const struct frame *b) {
    return a->is_compiled == b->is_compiled && a->code == b->code && a->place == b->place;
}

static bool is_same_stack(const struct stack *a, const struct stack *b) {
    for (uint32_t i = 0; a->count == b->count && i < a->count; i++) {
        if (!is_same_frame(&a->frames[i], &b->frames[i])) {
            return false;
        }
    }
    return a->count == b->count;
}

/* Its method and bytecode address could also be taken for the words of compiled frames, except for the
 * one bit. */
static void push(struct synthetic_vm *vm, const struct frame *frame) {
    uintptr_t blob = vm->compiled[frame->code];
    uintptr_t pc = vm_begin_of_code(blob) + frame->place;
    uint64_t lookalike = (UINT64_C(1000) + frame->code) << 32 | (pc & UINT32_MAX & ~7u);
    if (frame->is_compiled) {
        vm_push_compiled(vm, blob, frame->place);
    } else {
        vm_push_interpreted(vm, (uintptr_t)lookalike,
                            (uintptr_t)(HS_ITEM_COMPILED | lookalike) + frame->place,
                            seeded_below(&vm->junk, 4));
    }
}

/* What leaves no trace: stubs, segments, deoptimisation. */
static void disturb(struct synthetic_vm *vm, const struct frame *leaf) {
    switch (seeded_below(&vm->junk, 8)) {
    case 0: vm_push_sized(vm, vm->stub, vm_begin_of_code(vm->stub) + 40); break;
    case 1: vm_push_call_stub(vm, false, seeded_below(&vm->junk, 2) == 0); break;
    case 2:
        if (leaf->is_compiled && vm_has_deoptimised(vm)) {
            vm_deoptimise_leaf(vm, vm_deopt_handler(vm->compiled[leaf->code]));
        }
        break;
    default: break;
    }
}

static void walk_stack(struct synthetic_vm *vm, const struct stack *stack, uint32_t max_items,
                       struct hs_walk_items *items) {
    vm_clear(vm);
    for (uint32_t i = 0; i < stack->count; i++) {
        push(vm, &stack->frames[i]);
        disturb(vm, &stack->frames[i]);
    }
    struct hs_walk_start start = vm_leave_java(vm, seeded_below(&vm->junk, 2) == 0);
    enum hs_walk_end end = hs_walk(&vm->walker, &start, max_items, items);
    cr_assert_eq(end, max_items <= stack->count ? HS_WALK_CUT : HS_WALK_BOTTOM);
    vm_check_items(vm, items, max_items);
    static struct hs_walk_items plain;
    start.last_walk = NULL;
    cr_assert_eq(hs_walk(&vm->walker, &start, max_items, &plain), end);
    vm_check_items(vm, &plain, max_items);
}

static bool is_same_key(const struct hs_walk_items *a, const struct hs_walk_items *b) {
    return a->word_count == b->word_count &&
           memcmp(a->words, b->words, a->word_count * sizeof a->words[0]) == 0;
}

/* All pairs of 500 stacks of at most three frames: many are the same, and just these have one key. */
VM_TEST(walk_keys, two_stacks_have_one_key_just_when_they_are_the_same) {
    enum { COUNT = 500 };
    static struct stack stacks[COUNT];
    static struct hs_walk_items items[COUNT];
    struct seeded seeded = {11};
    uint32_t same = 0;
    for (uint32_t i = 0; i < COUNT; i++) {
        stacks[i] = random_stack(&seeded, seeded_below(&seeded, 4));
        walk_stack(vm, &stacks[i], HS_WALK_MAX_ITEMS, &items[i]);
        for (uint32_t j = 0; j < i; j++) {
            bool is_same = is_same_stack(&stacks[i], &stacks[j]);
            cr_assert_eq(is_same_key(&items[i], &items[j]), is_same, "%s: %u and %u",
                         vm->kind->name, i, j);
            same += is_same;
        }
    }
    cr_assert_gt(same, 100);
}

/* 3,000 long stacks, each with one frame changed, left out or doubled. */
VM_TEST(walk_keys, one_frame_makes_the_difference) {
    static struct hs_walk_items before;
    static struct hs_walk_items after;
    struct seeded seeded = {12};
    uint32_t different = 0;
    for (int round = 0; round < 3000; round++) {
        struct stack stack = random_stack(&seeded, 1 + seeded_below(&seeded, MAX_FRAMES - 2));
        struct stack changed = stack;
        uint32_t at = seeded_below(&seeded, stack.count);
        switch (round % 3) {
        case 0: changed.frames[at] = random_frame(&seeded); break;
        case 1:
            changed.count--;
            memmove(&changed.frames[at], &changed.frames[at + 1],
                    (changed.count - at) * sizeof changed.frames[0]);
            break;
        default:
            changed.count++;
            memmove(&changed.frames[at + 1], &stack.frames[at],
                    (stack.count - at) * sizeof changed.frames[0]);
        }
        walk_stack(vm, &stack, HS_WALK_MAX_ITEMS, &before);
        walk_stack(vm, &changed, HS_WALK_MAX_ITEMS, &after);
        bool is_same = is_same_stack(&stack, &changed);
        cr_assert_eq(is_same_key(&before, &after), is_same, "%s: %d", vm->kind->name, round);
        different += !is_same;
    }
    cr_assert_gt(different, 2500);
}

VM_TEST(walk_keys, a_stack_that_was_cut_is_not_taken_for_a_whole_one) {
    static struct hs_walk_items cut;
    static struct hs_walk_items whole;
    struct seeded seeded = {13};
    for (int round = 0; round < 100; round++) {
        struct stack stack = random_stack(&seeded, 6);
        walk_stack(vm, &stack, 4, &cut);
        memmove(&stack.frames[0], &stack.frames[2], 4 * sizeof stack.frames[0]);
        stack.count = 4;
        walk_stack(vm, &stack, HS_WALK_MAX_ITEMS, &whole);
        cr_assert_eq(cut.word_count, whole.word_count);
        cr_assert_not(is_same_key(&cut, &whole));
    }
}

/* The code cache is used again: another method, or another compilation, at the same address. */
VM_TEST(walk_keys, code_at_the_same_place_has_another_key) {
    static struct hs_walk_items items[4];
    static const int32_t IDS[] = {1002, 1003, 1, INT32_MAX};
    struct stack stack = {.count = 3, .frames = {{true, 2, 1}, {true, 1, 0}, {false, 1, 1}}};
    for (int i = 0; i < 4; i++) {
        vm_set_int(vm->compiled[1] + vm->layout.nmethod_compile_id, IDS[i]);
        walk_stack(vm, &stack, HS_WALK_MAX_ITEMS, &items[i]);
        for (int j = 0; j < i; j++) {
            cr_assert_not(is_same_key(&items[i], &items[j]), "%d and %d", IDS[i], IDS[j]);
        }
    }
}

VM_TEST(walk_keys, a_virtual_thread_is_not_taken_for_another) {
    static struct hs_walk_items plain;
    static struct hs_walk_items mounted;
    vm_push_interpreted(vm, vm_method(1), 1, 1);
    struct hs_walk_start start = vm_leave_java(vm, true);
    cr_assert_eq(hs_walk(&vm->walker, &start, 100, &plain), HS_WALK_BOTTOM);
    hs_walker_init(&vm->walker, &vm->layout, vm->kind->shape, vm_method(51));
    vm_clear(vm);
    vm_push_compiled(vm, vm->continuation, 6);
    vm_push_interpreted(vm, vm_method(1), 1, 1);
    start = vm_leave_java(vm, true);
    cr_assert_eq(hs_walk(&vm->walker, &start, 100, &mounted), HS_WALK_CONTINUATION);
    cr_assert_eq(plain.word_count, mounted.word_count);
    cr_assert_not(is_same_key(&plain, &mounted));
}

/* Wherever the code heaps lie: places in code count from the lowest of them. */
VM_TEST(walk_keys, code_heaps_in_any_order_give_the_same_key) {
    static struct hs_walk_items items[2];
    struct stack stack = {.count = 2, .frames = {{true, 2, 1}, {true, 1, 0}}};
    walk_stack(vm, &stack, HS_WALK_MAX_ITEMS, &items[0]);
    uintptr_t first = vm->layout.heaps[0];
    vm->layout.heaps[0] = vm->layout.heaps[1];
    vm->layout.heaps[1] = first;
    hs_walker_init(&vm->walker, &vm->layout, vm->kind->shape, 0);
    walk_stack(vm, &stack, HS_WALK_MAX_ITEMS, &items[1]);
    cr_assert(is_same_key(&items[0], &items[1]));
}

/* Frames that are remembered: root first, each once. */
static uint32_t trail_count(const struct synthetic_vm *vm) {
    const struct hs_last_walk *last = &vm->last_walk;
    cr_assert_leq(last->count, (uint32_t)HS_LAST_WALK_FRAMES);
    for (uint32_t i = 1; i < last->count; i++) {
        cr_assert_lt(last->frames[i].sp, last->frames[i - 1].sp, "%s: %u", vm->kind->name, i);
    }
    return last->count;
}

/* 2,000 stacks, each the last one with a few frames of its leaf changed, as the stacks of a program
 * are; deeper than a last walk is long. */
VM_TEST(walk_keys, a_trail_makes_no_difference) {
    static struct hs_walk_items items;
    struct seeded seeded = {14};
    uint32_t depth = 0;
    uintptr_t sps[2 * HS_LAST_WALK_FRAMES];
    uintptr_t fps[2 * HS_LAST_WALK_FRAMES];
    uintptr_t pcs[2 * HS_LAST_WALK_FRAMES];
    uint32_t counts[2 * HS_LAST_WALK_FRAMES];
    for (int round = 0; round < 2000; round++) {
        uint32_t kept = depth == 0 ? 0 : seeded_below(&seeded, depth);
        if (kept > 0) {
            vm->sp = sps[kept];
            vm->fp = fps[kept];
            vm->pc = pcs[kept];
            vm->expected_count = counts[kept];
        } else {
            vm_clear(vm);
        }
        depth = kept + seeded_below(&seeded, 2 * HS_LAST_WALK_FRAMES - kept);
        for (uint32_t i = kept; i < depth; i++) {
            struct frame frame = random_frame(&seeded);
            frame.is_compiled = frame.is_compiled || i % 8 != 0;
            sps[i] = vm->sp;
            fps[i] = vm->fp;
            pcs[i] = vm->pc;
            counts[i] = vm->expected_count;
            push(vm, &frame);
        }
        struct hs_walk_start start = vm_leave_java(vm, round % 2 == 0);
        uint32_t max_items = seeded_below(&seeded, 4) == 0 ? seeded_below(&seeded, 60) : 300;
        (void)hs_walk(&vm->walker, &start, max_items, &items);
        vm_check_items(vm, &items, max_items);
        (void)trail_count(vm);
    }
}

static void forget_places(struct synthetic_vm *vm) {
    memset(vm->walker.code.places, 0, sizeof vm->walker.code.places);
}

/* One walk, with no places to recall: what is on its last walk then was followed. */
static void check_trail_of_walk(struct synthetic_vm *vm, uint32_t count) {
    static struct hs_walk_items items;
    struct hs_walk_start start = vm_leave_java(vm, true);
    forget_places(vm);
    cr_assert_eq(hs_walk(&vm->walker, &start, 300, &items), HS_WALK_BOTTOM);
    vm_check_items(vm, &items, 300);
    cr_assert_eq(trail_count(vm), count);
}

VM_TEST(walk_keys, a_trail_is_followed_where_the_stack_is_the_same) {
    enum { FRAMES = 20 };
    for (uint32_t i = 0; i < FRAMES; i++) {
        vm_push_compiled(vm, vm->compiled[i % 3], 5 + i);
        if (i % 5 == 0) {
            vm_push_interpreted(vm, vm_method(i), i, i % 3);
        }
    }
    vm_check_walk(vm, true);
    check_trail_of_walk(vm, FRAMES);
    for (uint32_t i = 0; i < FRAMES; i++) {
        vm->last_walk.frames[i].sp += VM_WORD; /* another stack */
    }
    check_trail_of_walk(vm, 0);
}

static void push_some(struct synthetic_vm *vm, uint32_t count, uint32_t offset) {
    for (uint32_t i = 0; i < count; i++) {
        vm_push_compiled(vm, vm->compiled[i % 3], offset + i);
    }
}

VM_TEST(walk_keys, what_a_trail_shares_with_the_next_one_stays_where_it_is) {
    enum { COMMON = 12, FIRST = 3, SECOND = 5 };
    push_some(vm, COMMON, 5);
    uintptr_t sp = vm->sp;
    uintptr_t fp = vm->fp;
    uintptr_t pc = vm->pc;
    push_some(vm, FIRST, 100);
    vm_check_walk(vm, true);
    cr_assert_eq(trail_count(vm), COMMON + FIRST);
    struct hs_last_walk before = vm->last_walk;
    vm->sp = sp;
    vm->fp = fp;
    vm->pc = pc;
    vm->expected_count -= FIRST;
    push_some(vm, SECOND, 200);
    vm_check_walk(vm, true);
    cr_assert_eq(trail_count(vm), COMMON + SECOND);
    /* All but the frame whose callee is another one, with another pc. */
    cr_assert_arr_eq(vm->last_walk.frames, before.frames, (COMMON - 1) * sizeof before.frames[0]);
}

/* Its memory can only be read. */
VM_TEST(walk_keys, a_walk_that_meets_the_same_frames_writes_no_trail) {
    static struct hs_walk_items items;
    const size_t bytes = (sizeof vm->last_walk + 4095) / 4096 * 4096;
    push_some(vm, 20, 5);
    vm_push_interpreted(vm, vm_method(1), 3, 2);
    push_some(vm, 3, 50);
    vm_check_walk(vm, true);
    struct hs_walk_start start = vm_leave_java(vm, true);
    start.last_walk = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    cr_assert_neq(start.last_walk, MAP_FAILED);
    *start.last_walk = vm->last_walk;
    cr_assert_eq(mprotect(start.last_walk, bytes, PROT_READ), 0);
    cr_assert_eq(hs_walk(&vm->walker, &start, 300, &items), HS_WALK_BOTTOM);
    vm_check_items(vm, &items, 300);
    cr_assert_eq(munmap(start.last_walk, bytes), 0);
}

VM_TEST(walk_keys, of_a_deep_stack_a_trail_has_as_many_frames_as_there_is_room_for) {
    push_some(vm, HS_LAST_WALK_FRAMES + 20, 5);
    for (uint32_t i = 0; i < 4; i++) {
        vm_check_walk(vm, true);
        cr_assert_eq(trail_count(vm), (uint32_t)HS_LAST_WALK_FRAMES);
        push_some(vm, 3, 300 + 10 * i);
    }
}

/* A walk along the last walk says what one without says, whatever was done to the code since. */
static void check_both_ways(struct synthetic_vm *vm, const char *what) {
    static struct hs_walk_items items[2];
    struct hs_walk_start start = vm_leave_java(vm, true);
    enum hs_walk_end end = hs_walk(&vm->walker, &start, 300, &items[0]);
    start.last_walk = NULL;
    cr_assert_eq(hs_walk(&vm->walker, &start, 300, &items[1]), end, "%s", what);
    cr_assert(is_same_key(&items[0], &items[1]), "%s: %s", vm->kind->name, what);
}

VM_TEST(walk_keys, a_trail_does_not_outlive_its_code) {
    static const char OTHER[] = "native nmethod";
    uintptr_t blob = vm->compiled[1];
    uintptr_t name = blob + vm->layout.blob_name;
    uintptr_t known;
    memcpy(&known, (const void *)name, sizeof known);
    unsigned char *used = (unsigned char *)blob - vm->layout.block_bytes + vm->layout.block_used;
    for (uint32_t i = 0; i < 9; i++) {
        vm_push_compiled(vm, vm->compiled[i % 3], 5 + i);
    }
    vm_check_walk(vm, true);
    cr_assert_eq(trail_count(vm), 9);
    vm_set_int(blob + vm->layout.nmethod_compile_id, 4711);
    check_both_ways(vm, "another compilation");
    vm_set_int(blob + vm->layout.nmethod_compile_id, 1002);
    vm_check_walk(vm, true);
    vm_set_word(name, (uintptr_t)OTHER);
    check_both_ways(vm, "another kind of code");
    vm_set_word(name, known);
    vm_check_walk(vm, true);
    *used = 0;
    check_both_ways(vm, "freed");
}
