/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Stacks as they should be; test_walk_odd.c has the others, test_walk_keys.c what is a key. */
#include "hs_walk.h"

#include "synthetic_vm.h"

VM_TEST(walk, an_empty_segment_has_no_items) {
    vm_check_walk(vm, true);
    vm_check_walk(vm, false);
}

VM_TEST(walk, compiled_frames_of_all_sizes) {
    for (uint32_t i = 0; i < 2 * VM_COMPILED_COUNT; i++) {
        vm_push_compiled(vm, vm->compiled[i % VM_COMPILED_COUNT], 17 * i);
        vm_check_walk(vm, i % 2 == 0);
    }
    cr_assert_eq(vm->expected_count, 2 * VM_COMPILED_COUNT);
}

VM_TEST(walk, far_inside_long_code) {
    for (uint32_t offset = 0; offset < VM_LARGE_CODE; offset += 31 * VM_SEGMENT + 1) {
        vm_push_compiled(vm, vm->compiled[2], offset);
    }
    cr_assert_gt(vm->expected_count, 40);
    vm_check_walk(vm, true);
}

VM_TEST(walk, interpreted_frames) {
    for (uint32_t i = 0; i < 20; i++) {
        vm_push_interpreted(vm, vm_method(100 + i), 0x7F0000000000 + 3 * i, 0);
        vm_check_walk(vm, i % 2 == 0);
    }
}

/* With locals that are no parameters the caller's stack pointer is not fp + 2 words. */
VM_TEST(walk, interpreted_frames_with_locals) {
    for (uint32_t i = 0; i < 20; i++) {
        vm_push_interpreted(vm, vm_method(100 + i), 0x7F0000000000 + i, i % 7);
    }
    vm_check_walk(vm, true);
}

/* A compiled caller of interpreted code: the adapter in between moves the stack pointer, and only
 * the word below the frame pointer says where the compiled frame begins. */
VM_TEST(walk, from_compiled_to_interpreted_code) {
    for (uint32_t i = 0; i < 12; i++) {
        vm_push_compiled(vm, vm->compiled[i % 4], i);
        vm_push_interpreted(vm, vm_method(100 + i), 0x7F0000000000 + i, i);
        vm_check_walk(vm, i % 2 == 0);
    }
}

/* An interpreted caller of compiled code: the adapter puts arguments between the two. */
VM_TEST(walk, from_interpreted_to_compiled_code) {
    for (uint32_t i = 0; i < 12; i++) {
        vm_push_interpreted(vm, vm_method(100 + i), 0x7F0000000000 + i, i % 3);
        vm_push_junk(vm, i % 5);
        vm_push_compiled(vm, vm->compiled[i % 4], i);
        vm_check_walk(vm, i % 2 == 0);
    }
}

VM_TEST(walk, native_wrappers_are_items) {
    vm_push_compiled(vm, vm->compiled[1], 5);
    vm_push_compiled(vm, vm->native, 6);
    vm_check_walk(vm, true);
    vm_push_call_stub(vm, false, true);
    vm_push_interpreted(vm, vm_method(9), 99, 2);
    vm_push_compiled(vm, vm->native, 7);
    vm_check_walk(vm, true);
    cr_assert_eq(vm->expected_count, 4);
}

/* How allocation leaves compiled code: a stub, whose anchor has no pc. */
VM_TEST(walk, a_runtime_stub_leaves_no_trace) {
    vm_push_interpreted(vm, vm_method(1), 7, 0);
    vm_push_compiled(vm, vm->compiled[3], 7);
    vm_push_sized(vm, vm->stub, vm_begin_of_code(vm->stub) + 40);
    cr_assert_eq(vm->expected_count, 2);
    vm_check_walk(vm, false);
    vm_check_walk(vm, true);
}

VM_TEST(walk, several_java_segments) {
    for (uint32_t i = 0; i < 9; i++) {
        if (i % 2 == 0) {
            vm_push_interpreted(vm, vm_method(i), i, i);
        } else {
            vm_push_compiled(vm, vm->compiled[i % 4], i);
            vm_push_sized(vm, vm->stub, vm_begin_of_code(vm->stub) + i);
        }
        vm_push_call_stub(vm, false, i % 3 == 0);
        vm_check_walk(vm, true);
    }
    vm_push_compiled(vm, vm->compiled[0], 3);
    vm_check_walk(vm, false);
}

/* The frame keeps the pc it really has, and so has the same key as before. On processors that may
 * show the handler before the pc that it replaced, the walk is given up. */
VM_TEST(walk, deoptimised_frames_count_with_their_real_pc) {
    if (!vm_has_deoptimised(vm)) {
        return;
    }
    for (uint32_t i = 0; i < 4; i++) {
        vm_push_compiled(vm, vm->compiled[1 + i % 3], 10 + i);
        vm_deoptimise_leaf(vm, vm_deopt_handler(vm->compiled[1 + i % 3]));
        vm_check_walk(vm, i % 2 == 0);
    }
    for (uint32_t i = 0; i < 4; i++) {
        vm_push_compiled(vm, vm->compiled[1 + i % 3], 500 + i);
        vm_deoptimise_leaf(vm, vm_deopt_mh_handler(vm->compiled[1 + i % 3]));
        vm_push_interpreted(vm, vm_method(i), i, i);
    }
    vm_check_walk(vm, true);
    cr_assert_eq(vm->expected_count, 12);
}

static enum hs_walk_end walk_with_root(struct synthetic_vm *vm, uintptr_t root,
                                       struct hs_walk_items *items) {
    struct hs_walk_start start = vm_leave_java(vm, true);
    hs_walker_init(&vm->walker, &vm->layout, vm->kind->shape, root);
    return hs_walk(&vm->walker, &start, HS_WALK_MAX_ITEMS, items);
}

VM_TEST(walk, a_virtual_thread_ends_at_its_continuation) {
    struct hs_walk_items items;
    vm_push_compiled(vm, vm->compiled[1], 5); /* the carrier's */
    vm_push_interpreted(vm, vm_method(1), 1, 1);
    vm_push_compiled(vm, vm->continuation, 6);
    vm_push_interpreted(vm, vm_method(2), 2, 3);
    vm_push_compiled(vm, vm->native, 7); /* another native method is none */
    vm_push_compiled(vm, vm->compiled[2], 8);
    cr_assert_eq(walk_with_root(vm, vm_method(51), &items), HS_WALK_CONTINUATION);
    vm_check_items(vm, &items, 3);
    cr_assert(hs_walk_is_whole(items.end));
    cr_assert_eq(walk_with_root(vm, 0, &items), HS_WALK_BOTTOM);
    vm_check_items(vm, &items, 6);
}

/* The method of the continuation counts in its native wrapper only. */
VM_TEST(walk, a_compiled_frame_is_no_continuation) {
    struct hs_walk_items items;
    vm_push_compiled(vm, vm->compiled[1], 5);
    vm_push_interpreted(vm, vm_method(1), 5, 0);
    cr_assert_eq(walk_with_root(vm, vm_method(1), &items), HS_WALK_BOTTOM);
    vm_check_items(vm, &items, 2);
}

VM_TEST(walk, is_cut_at_the_wanted_number) {
    struct hs_walk_items items;
    for (uint32_t i = 0; i < 400; i++) {
        if (i % 3 == 0) {
            vm_push_interpreted(vm, vm_method(i), i, i % 4);
        } else {
            vm_push_compiled(vm, vm->compiled[i % 3], i);
        }
    }
    static const uint32_t WANTED[] = {0, 1, 2, 3, 100, HS_WALK_MAX_ITEMS - 1, HS_WALK_MAX_ITEMS};
    struct hs_walk_start start = vm_leave_java(vm, true);
    for (size_t i = 0; i < sizeof WANTED / sizeof WANTED[0]; i++) {
        cr_assert_eq(hs_walk(&vm->walker, &start, WANTED[i], &items), HS_WALK_CUT);
        vm_check_items(vm, &items, WANTED[i]);
        cr_assert_not(hs_walk_is_whole(items.end));
        cr_assert_not(hs_walk_is_given_up(items.end));
    }
    cr_assert_eq(hs_walk(&vm->walker, &start, UINT32_MAX, &items), HS_WALK_CUT);
    vm_check_items(vm, &items, HS_WALK_MAX_ITEMS);
}

VM_TEST(walk, is_whole_when_one_more_was_wanted) {
    struct hs_walk_items items;
    for (uint32_t i = 0; i < 30; i++) {
        vm_push_interpreted(vm, vm_method(i), i, i % 4);
    }
    struct hs_walk_start start = vm_leave_java(vm, true);
    cr_assert_eq(hs_walk(&vm->walker, &start, 31, &items), HS_WALK_BOTTOM);
    vm_check_items(vm, &items, 31);
    cr_assert_eq(hs_walk(&vm->walker, &start, 29, &items), HS_WALK_CUT);
    vm_check_items(vm, &items, 29);
}

/* As many interpreted frames as there is room for, which have the most words. */
VM_TEST(walk, the_largest_key_fits) {
    struct hs_walk_items items;
    for (uint32_t i = 0; i < HS_WALK_MAX_ITEMS + 1; i++) {
        vm_push_interpreted(vm, vm_method(i), i, 0);
    }
    struct hs_walk_start start = vm_leave_java(vm, false);
    cr_assert_eq(hs_walk(&vm->walker, &start, HS_WALK_MAX_ITEMS, &items), HS_WALK_CUT);
    cr_assert_eq(items.word_count, sizeof items.words / sizeof items.words[0]);
    vm_check_items(vm, &items, HS_WALK_MAX_ITEMS);
}

Test(walk, this_processor_has_its_own_shape) {
#if defined(__x86_64__)
    cr_assert_eq(hs_walk_shape(), &HS_SHAPE_X86_64);
#elif defined(__aarch64__)
    cr_assert_eq(hs_walk_shape(), &HS_SHAPE_AARCH64);
#else
    cr_assert_null(hs_walk_shape());
#endif
}

/* HotSpot's numbers (frame_x86.hpp, frame_aarch64.hpp), in 17 to 25. The other tests build frames
 * with whatever the shape says, and would not notice. */
Test(walk, the_shapes_are_those_of_hotspot) {
    const struct hs_frame_shape *x86 = &HS_SHAPE_X86_64;
    const struct hs_frame_shape *arm = &HS_SHAPE_AARCH64;
    cr_assert(x86->interpreter_method == -3 && x86->interpreter_bcp == -8);
    cr_assert(x86->call_wrapper == -6 && x86->pc_mask == UINTPTR_MAX && !x86->has_weak_order);
    cr_assert(!x86->has_reserve && arm->has_reserve);
    cr_assert(arm->interpreter_method == -3 && arm->interpreter_bcp == -9);
    cr_assert(arm->call_wrapper == -8 && arm->pc_mask == 0xFFFFFFFFFFFF && arm->has_weak_order);
}

Test(walk, every_end_is_whole_or_cut_or_given_up) {
    for (enum hs_walk_end end = HS_WALK_BOTTOM; end < HS_WALK_END_COUNT; end++) {
        int answers = hs_walk_is_whole(end) + (end == HS_WALK_CUT) + hs_walk_is_given_up(end);
        cr_assert_eq(answers, 1, "end %d", (int)end);
    }
}

/* Along a last walk, where the VM has meanwhile replaced a return address in the middle. */
VM_TEST(walk, a_frame_that_is_deoptimised_is_no_longer_on_the_trail) {
    if (!vm_has_deoptimised(vm)) {
        return;
    }
    uintptr_t place = 0;
    for (uint32_t i = 0; i < 9; i++) {
        vm_push_compiled(vm, vm->compiled[1 + i % 3], 5 + i);
        if (i == 4) {
            place = vm->sp;
        }
    }
    vm_check_walk(vm, true);
    uintptr_t pc;
    memcpy(&pc, (const void *)(place - VM_WORD), sizeof pc);
    vm_set_word(place + VM_ORIG_PC, pc);
    vm_set_word(place - VM_WORD, vm_deopt_handler(vm->compiled[1 + 4 % 3]));
    vm_check_walk(vm, true);
}
