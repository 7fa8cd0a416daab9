/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Random stacks: a walk reads nothing that is not its own, and ends. The window it may read lies at
 * one end of the stack, beside a page that cannot be read. */
#include "hs_walk.h"

#include "synthetic_vm.h"

static struct hs_walk_items items;

static void damage(struct synthetic_vm *vm, struct seeded *seeded) {
    for (uint32_t i = 0; i < 1 + seeded_below(seeded, 6); i++) {
        uint32_t words = (uint32_t)(vm->base - vm->sp) / VM_WORD;
        vm_set_word(vm->sp + seeded_below(seeded, words) * 8, vm_junk(vm));
    }
}

static void set_window(struct synthetic_vm *vm, uintptr_t low, uintptr_t base, bool is_top) {
    vm->low = is_top ? base - VM_WINDOW_BYTES : low;
    vm->base = is_top ? base : low + VM_WINDOW_BYTES;
}

static struct hs_walk_start random_start(struct synthetic_vm *vm, struct seeded *seeded) {
    struct hs_walk_start start = {.low = vm->low, .base = vm->base};
    bool is_sane = seeded_below(seeded, 8) != 0;
    start.sp = is_sane ? vm->low + seeded_below(seeded, VM_WINDOW_BYTES / 8) * 8 : vm_junk(vm);
    vm->sp = start.sp;
    start.fp = is_sane ? start.sp + seeded_below(seeded, 32) * 8 : vm_junk(vm);
    start.pc = seeded_below(seeded, 3) == 0 ? 0 : vm_junk(vm);
    return start;
}

/* Most of them such as a frame could have there. */
static uintptr_t random_word(struct synthetic_vm *vm, struct seeded *seeded, uintptr_t at) {
    uint32_t below = seeded_below(seeded, 900);
    vm->sp = at;
    switch (seeded_below(seeded, 8)) {
    case 0:
    case 1: return at + 8 * (below % 30);
    case 2:
    case 3: return vm_begin_of_code(vm->compiled[below % 2]) + below;
    case 4: return vm_begin_of_code(vm->interpreter) + below;
    default: return vm_junk(vm);
    }
}

/* 240,000 stacks; seeded. */
VM_TEST(walk_garbage, random_words_lead_nowhere_else) {
    enum { ROUNDS = 60000 };
    struct seeded seeded = {7};
    uintptr_t low = vm->low;
    uintptr_t base = vm->base;
    uint32_t long_walks = 0;
    uint32_t ends[HS_WALK_END_COUNT] = {0};
    for (int round = 0; round < ROUNDS; round++) {
        set_window(vm, low, base, round % 2 == 0);
        vm->sp = vm->low + seeded_below(&seeded, VM_WINDOW_BYTES / 8) * 8;
        for (uintptr_t at = vm->low; at < vm->base; at += VM_WORD) {
            vm_set_word(at, random_word(vm, &seeded, at));
        }
        struct hs_walk_start start = random_start(vm, &seeded);
        enum hs_walk_end end = vm_walk_all_ways(vm, &start, HS_WALK_MAX_ITEMS, &items);
        long_walks += items.count >= 3;
        ends[end]++;
    }
    cr_assert_geq(long_walks, 100, "%s: only %u got anywhere", vm->kind->name, long_walks);
    for (int end = HS_WALK_NO_JAVA; end < HS_WALK_END_COUNT; end++) {
        cr_assert_neq(ends[end], 0, "%s: none ended with %d", vm->kind->name, end);
    }
}

static void push_random(struct synthetic_vm *vm, struct seeded *seeded) {
    for (uint32_t i = 0; i < 4; i++) {
        switch (seeded_below(seeded, 4)) {
        case 0: vm_push_compiled(vm, vm->compiled[seeded_below(seeded, 3)], i); break;
        case 1: vm_push_interpreted(vm, vm_method(i), i, i); break;
        case 2: vm_push_sized(vm, vm->stub, vm_begin_of_code(vm->stub) + i); break;
        default: break;
        }
    }
}

/* A stack as it should be, of which a few words are then overwritten; 80,000, seeded. Reads end where
 * the window ends, whatever the words say. */
VM_TEST(walk_garbage, damaged_stacks_lead_nowhere_else) {
    enum { ROUNDS = 20000 };
    struct seeded seeded = {8};
    uintptr_t low = vm->low;
    uintptr_t base = vm->base;
    uint32_t whole = 0;
    for (int round = 0; round < ROUNDS; round++) {
        set_window(vm, low, base, round % 2 == 0);
        vm_clear(vm);
        push_random(vm, &seeded);
        struct hs_walk_start start = vm_leave_java(vm, round % 3 == 0);
        (void)vm_walk_all_ways(
            vm, &start, HS_WALK_MAX_ITEMS,
            &items); /* so that there is a last walk, which then no longer holds */
        damage(vm, &seeded);
        enum hs_walk_end end = vm_walk_all_ways(vm, &start, HS_WALK_MAX_ITEMS, &items);
        whole += hs_walk_is_whole(end);
    }
    cr_assert(whole > ROUNDS / 10 && whole < ROUNDS * 9 / 10, "%u were whole", whole);
}
