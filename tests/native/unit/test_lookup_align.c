/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* From a walk of a stack to what is known of its items. The frames are such that their cut depends
 * on what the lookup says of each item. */
#include "hs_lookup.h"
#include "synthetic_vm.h"
#include "walk_items.h"

static struct hs_lookup lookup;
static struct hs_lookup_room *room;
static uintptr_t cells[8];

/* The shape of the machine the test runs on, which is what a lookup takes. */
static const struct vm_kind *own_kind(int which) {
#if defined(__aarch64__)
    return &VM_KINDS[2 + which];
#else
    return &VM_KINDS[which];
#endif
}

static struct synthetic_vm *begin(int which) {
    struct synthetic_vm *vm = vm_new(own_kind(which));
    hs_lookup_init(&lookup);
    lookup.layout = vm->layout;
    cr_assert_eq(hs_lookup_on(&lookup, 0, false), HS_OK);
    room = hs_lookup_enter(&lookup);
    cr_assert_not_null(room);
    return vm;
}

static void finish(struct synthetic_vm *vm) {
    hs_lookup_leave(room);
    hs_lookup_destroy(&lookup);
    vm_free(vm);
}

static void walk(struct synthetic_vm *vm, uint32_t max_items) {
    struct hs_walk_start start = vm_leave_java(vm, true);
    (void)hs_walk(&lookup.walker, &start, max_items, &room->scratch->walk);
    vm_check_items(vm, &room->scratch->walk, max_items);
}

/* The VM's answer: these methods, leaf first. */
static void set_frames(const uintptr_t *methods, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        cells[i] = methods[i];
        room->scratch->methods[i] = methods[i];
        room->scratch->frames[i] =
            (struct hs_java_frame){(uintptr_t)&cells[i], (int32_t)i, {1 + i}};
    }
}

static void check_span(uint32_t i, uint32_t first, uint32_t end) {
    struct hs_span span = room->scratch->spans[i];
    cr_assert(span.begin == first && span.end == end, "item %u: %u to %u", i, span.begin, span.end);
}

/* [n][n c] is right; [n n][c] would be, were the leaf any compiled code. */
static void check_leaf_is_single(bool is_single, uintptr_t leaf, uintptr_t root) {
    const uintptr_t methods[] = {leaf, leaf, root};
    set_frames(methods, 3);
    cr_assert(hs_lookup_align(&lookup, room->scratch, NULL, 3, false));
    check_span(0, 0, is_single ? 1 : 0);
    check_span(1, is_single ? 1 : 0, is_single ? 3 : 0);
}

Test(lookup_align, native_and_interpreted_items_stand_for_one_frame) {
    for (int which = 0; which < 2; which++) {
        struct synthetic_vm *vm = begin(which);
        vm_push_compiled(vm, vm->compiled[1], 5);
        vm_push_compiled(vm, vm->native, 5);
        walk(vm, 10);
        check_leaf_is_single(true, vm_method(50), vm_method(1));

        vm_clear(vm);
        vm_push_compiled(vm, vm->compiled[1], 5);
        vm_push_interpreted(vm, vm_method(60), 5, 2);
        walk(vm, 10);
        check_leaf_is_single(true, vm_method(60), vm_method(1));

        vm_clear(vm);
        vm_push_compiled(vm, vm->compiled[1], 5);
        vm_push_compiled(vm, vm->compiled[2], VM_LARGE_CODE - 9);
        walk(vm, 10);
        check_leaf_is_single(false, vm_method(2), vm_method(1));
        finish(vm);
    }
}

/* Its pc on the stack is the handler's; the item has the one in the frame. */
Test(lookup_align, deoptimised_code_is_still_compiled_code) {
    struct synthetic_vm *vm = begin(1);
    if (!vm_has_deoptimised(vm)) {
        finish(vm);
        return;
    }
    vm_push_compiled(vm, vm->compiled[1], 5);
    vm_push_compiled(vm, vm->compiled[2], 700);
    vm_deoptimise_leaf(vm, vm_deopt_handler(vm->compiled[2]));
    walk(vm, 10);
    const uintptr_t methods[] = {vm_method(9), vm_method(2), vm_method(8), vm_method(1)};
    set_frames(methods, 4);
    cr_assert(hs_lookup_align(&lookup, room->scratch, NULL, 4, false));
    check_span(0, 0, 2);
    check_span(1, 2, 4);
    finish(vm);
}

Test(lookup_align, what_was_learned_settles_more) {
    struct synthetic_vm *vm = begin(0);
    hs_stack_cache *stack_cache;
    cr_assert_eq(hs_stack_cache_new(&vm->layout, &stack_cache), HS_OK);
    vm_push_compiled(vm, vm->compiled[1], 5);
    vm_push_compiled(vm, vm->compiled[2], 700);
    walk(vm, 10);
    const uintptr_t methods[] = {vm_method(2), vm_method(2), vm_method(1)};
    set_frames(methods, 3);
    cr_assert(hs_lookup_align(&lookup, room->scratch, stack_cache, 3, false));
    check_span(0, 0, 0);
    hs_stack_cache_put_run(stack_cache, &room->scratch->walk, 0, room->scratch->frames, 2);
    cr_assert(hs_lookup_align(&lookup, room->scratch, stack_cache, 3, false));
    check_span(0, 0, 2);
    check_span(1, 2, 3);
    cr_assert(hs_lookup_align(&lookup, room->scratch, NULL, 3, false));
    check_span(0, 0, 0);
    room->scratch->frames[0].bci = 99; /* not what was learned: the code, or we, are wrong */
    cr_assert_not(hs_lookup_align(&lookup, room->scratch, stack_cache, 3, false));
    hs_stack_cache_free(stack_cache);
    finish(vm);
}

Test(lookup_align, a_method_that_is_not_on_the_stack_fits_nothing) {
    struct synthetic_vm *vm = begin(0);
    vm_push_compiled(vm, vm->compiled[1], 5);
    walk(vm, 10);
    const uintptr_t methods[] = {vm_method(1), vm_method(2)};
    set_frames(methods, 2);
    cr_assert_not(hs_lookup_align(&lookup, room->scratch, NULL, 2, false));
    cr_assert(hs_lookup_align(&lookup, room->scratch, NULL, 1, false));
    check_span(0, 0, 1);
    finish(vm);
}

Test(lookup_align, a_walk_or_an_answer_may_be_cut) {
    struct synthetic_vm *vm = begin(0);
    vm_push_compiled(vm, vm->compiled[3], 5);
    vm_push_interpreted(vm, vm_method(61), 5, 2);
    vm_push_interpreted(vm, vm_method(60), 5, 2);
    const uintptr_t methods[] = {vm_method(60), vm_method(61), vm_method(9), vm_method(3)};
    set_frames(methods, 4);
    walk(vm, 2); /* the compiled one is missing */
    cr_assert(hs_lookup_align(&lookup, room->scratch, NULL, 4, false));
    check_span(0, 0, 1);
    check_span(1, 1, 2);
    walk(vm, 10);
    cr_assert_not(hs_lookup_align(&lookup, room->scratch, NULL, 3, false));
    cr_assert(hs_lookup_align(&lookup, room->scratch, NULL, 3, true));
    check_span(1, 1, 2);
    check_span(2, 0, 0);
    finish(vm);
}

/* A virtual thread's walk is whole: its items must account for all frames. */
Test(lookup_align, a_continuation_is_whole) {
    struct synthetic_vm *vm = begin(1);
    hs_lookup_destroy(&lookup);
    cr_assert_eq(hs_lookup_on(&lookup, vm_method(51), false), HS_OK);
    vm_push_compiled(vm, vm->compiled[1], 5);
    vm_push_compiled(vm, vm->continuation, 5);
    vm_push_interpreted(vm, vm_method(60), 5, 2);
    struct hs_walk_start start = vm_leave_java(vm, true);
    cr_assert_eq(hs_walk(&lookup.walker, &start, 10, &room->scratch->walk), HS_WALK_CONTINUATION);
    const uintptr_t methods[] = {vm_method(60), vm_method(1)};
    set_frames(methods, 2);
    cr_assert(hs_lookup_align(&lookup, room->scratch, NULL, 1, false));
    check_span(0, 0, 1);
    cr_assert_not(hs_lookup_align(&lookup, room->scratch, NULL, 2, false));
    finish(vm);
}
