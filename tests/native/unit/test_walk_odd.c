/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Stacks that are not as they should be: each must end the walk, and none may be believed. */
#include "hs_walk.h"

#include "synthetic_vm.h"

static struct hs_walk_items items;

static void check_end(struct synthetic_vm *vm, const struct hs_walk_start *start,
                      enum hs_walk_end wanted, uint32_t count) {
    enum hs_walk_end end = hs_walk(&vm->walker, start, HS_WALK_MAX_ITEMS, &items);
    cr_assert_eq(end, wanted, "%s: %d, not %d", vm->kind->name, (int)end, (int)wanted);
    vm_check_items(vm, &items, count);
}

static void check_leaf(struct synthetic_vm *vm, enum hs_walk_end wanted, uint32_t count) {
    struct hs_walk_start start = vm_leave_java(vm, true);
    check_end(vm, &start, wanted, count);
}

/* ---- where a walk begins ---- */

VM_TEST(walk_odd, begins_on_the_own_stack_only) {
    struct hs_walk_start start;
    uintptr_t thread = (uintptr_t)vm->thread;
    uintptr_t sp = thread + vm->layout.thread_anchor + vm->layout.anchor_sp;
    (void)vm_leave_java(vm, true);
    struct {
        uintptr_t sp;
        uintptr_t low;
        bool begins;
    } cases[] = {
        {vm->sp, vm->low, true},
        {vm->sp, vm->sp - 8, true},
        {vm->base - 8, vm->low, true},
        {0, vm->low, false},
        {vm->sp, vm->sp, false},
        {vm->sp, vm->sp + 8, false},
        {vm->base, vm->low, false},
        {vm->base + 8, vm->low, false},
        {UINTPTR_MAX, vm->low, false},
        {vm->sp, vm->low - 8, false},
        {vm->sp, 8, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        vm_set_word(sp, cases[i].sp);
        cr_assert_eq(hs_walk_begin(&vm->layout, thread, cases[i].low, &start), cases[i].begins,
                     "%s: case %u", vm->kind->name, (unsigned)i);
    }
}

VM_TEST(walk_odd, says_where_it_begins) {
    struct hs_walk_start start = vm_leave_java(vm, true);
    cr_assert_eq(start.sp, vm->sp);
    cr_assert_eq(start.fp, vm->fp);
    cr_assert_eq(start.pc, vm->pc);
    cr_assert_eq(start.low, vm->low);
    cr_assert_eq(start.base, vm->base);
    cr_assert_eq(vm_leave_java(vm, false).pc, 0);
}

VM_TEST(walk_odd, without_a_pc_on_the_stack_there_is_no_java) {
    static const int64_t ODD[] = {-8, 0, 1, 4, 7};
    vm_push_compiled(vm, vm->compiled[1], 5);
    struct hs_walk_start start = vm_leave_java(vm, false);
    check_end(vm, &start, HS_WALK_BOTTOM, 1);
    for (int i = 0; i < 5; i++) {
        start.sp = ODD[i] <= 0 ? vm->low + (uintptr_t)ODD[i] : vm->sp + (uintptr_t)ODD[i];
        check_end(vm, &start, HS_WALK_NO_JAVA, 0);
    }
    start.sp = vm->base + 16;
    check_end(vm, &start, HS_WALK_NO_JAVA, 0);
    start.sp = 0;
    check_end(vm, &start, HS_WALK_NO_JAVA, 0);
}

/* ---- code ---- */

VM_TEST(walk_odd, a_foreign_pc_ends_it) {
    const uintptr_t foreign[] = {1, (uintptr_t)vm->thread, (uintptr_t)vm->heaps[0].memory - 4,
                                 (uintptr_t)vm->heaps[1].memory + VM_HEAP_BYTES};
    for (size_t i = 0; i < sizeof foreign / sizeof foreign[0]; i++) {
        vm_clear(vm);
        vm_push_compiled(vm, vm->compiled[1], 5);
        vm->pc = foreign[i]; /* such as a return barrier */
        check_leaf(vm, HS_WALK_FOREIGN_PC, 0);
        vm->expected_count = 0;
        vm_push_interpreted(vm, vm_method(1), 1, 3);
        vm_push_compiled(vm, vm->compiled[2], 9);
        check_leaf(vm, HS_WALK_FOREIGN_PC, 2);
        cr_assert(hs_walk_is_given_up(items.end));
    }
}

VM_TEST(walk_odd, a_pc_outside_any_block_ends_it) {
    const uintptr_t odd[] = {vm->compiled[1] - 1,
                             (uintptr_t)vm->heaps[1].memory + VM_HEAP_BYTES - 4};
    for (int i = 0; i < 2; i++) {
        vm_clear(vm);
        vm->pc = odd[i];
        vm_push_compiled(vm, vm->compiled[2], 9);
        check_leaf(vm, HS_WALK_FOREIGN_PC, 1);
    }
}

VM_TEST(walk_odd, peculiar_code_ends_it) {
    const uintptr_t odd[] = {vm->deoptimisation, vm->adapter, vm->call_stub};
    for (int i = 0; i < 3; i++) {
        vm_clear(vm);
        vm->pc = vm_begin_of_code(odd[i]) + 7;
        check_leaf(vm, HS_WALK_ODD_CODE, 0);
        vm_push_interpreted(vm, vm_method(1), 1, 3);
        check_leaf(vm, HS_WALK_ODD_CODE, 1);
    }
}

VM_TEST(walk_odd, code_without_a_number_ends_it) {
    static const int32_t IDS[] = {0, -1, INT32_MIN};
    uintptr_t field = vm->compiled[1] + vm->layout.nmethod_compile_id;
    vm_set_int(field, INT32_MAX);
    vm_push_compiled(vm, vm->compiled[1], 5);
    vm_push_compiled(vm, vm->compiled[2], 5);
    check_leaf(vm, HS_WALK_BOTTOM, 2);
    for (int i = 0; i < 3; i++) {
        vm_set_int(field, IDS[i]);
        check_leaf(vm, HS_WALK_ODD_CODE, 1);
    }
}

/* A place has 32 bits in a key. */
VM_TEST(walk_odd, code_too_far_from_other_code_ends_it) {
    vm_push_compiled(vm, vm->compiled[1], 5);
    uintptr_t pc = vm->pc;
    vm->walker.code.base = pc - (UINT64_C(1) << 32);
    check_leaf(vm, HS_WALK_ODD_CODE, 0);
    vm->walker.code.base = pc + 1;
    check_leaf(vm, HS_WALK_ODD_CODE, 0);
    vm->walker.code.base = pc - UINT32_MAX;
    cr_assert_eq(hs_walk(&vm->walker,
                         &(struct hs_walk_start){vm->sp, vm->fp, pc, vm->low, vm->base, NULL}, 10,
                         &items),
                 HS_WALK_BOTTOM);
    cr_assert_eq(items.words[0] & UINT32_MAX, UINT32_MAX);
}

/* Only on aarch64 are return addresses signed. */
VM_TEST(walk_odd, a_signature_is_stripped_where_there_may_be_one) {
    bool is_signed = vm->kind->shape->pc_mask != UINTPTR_MAX;
    vm_push_compiled(vm, vm->compiled[1], 5);
    struct hs_walk_start start = vm_leave_java(vm, true);
    start.pc |= UINT64_C(0x2A) << 56;
    check_end(vm, &start, is_signed ? HS_WALK_BOTTOM : HS_WALK_FOREIGN_PC, is_signed ? 1 : 0);
}

/* ---- frames ---- */

VM_TEST(walk_odd, a_misaligned_stack_pointer_ends_it) {
    vm_push_compiled(vm, vm->compiled[1], 5);
    struct hs_walk_start start = vm_leave_java(vm, true);
    for (uintptr_t i = 1; i < VM_WORD; i++) {
        start.sp = vm->sp + i;
        enum hs_walk_end end = hs_walk(&vm->walker, &start, HS_WALK_MAX_ITEMS, &items);
        cr_assert_eq(end, HS_WALK_ODD_FRAME, "%s: %d", vm->kind->name, (int)end);
    }
}

VM_TEST(walk_odd, a_frame_pointer_off_the_stack_ends_it) {
    vm_push_compiled(vm, vm->compiled[1], 5);
    vm_push_interpreted(vm, vm_method(1), 1, 1);
    struct hs_walk_start start = vm_leave_java(vm, true);
    const uintptr_t odd[] = {0,           8,           vm->low - 8, vm->low,         vm->fp + 1,
                             vm->fp + 4,  vm->fp + 7,  vm->base,    vm->base - 8,    vm->base + 64,
                             UINTPTR_MAX, vm->sp - 80, 1,           UINTPTR_MAX - 15};
    check_end(vm, &start, HS_WALK_BOTTOM, 2);
    for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
        start.fp = odd[i];
        check_end(vm, &start, HS_WALK_ODD_FRAME, 0);
    }
}

/* The leaf is at its end of the stack: the memory below belongs to no frame. */
VM_TEST(walk_odd, an_interpreter_frame_reaches_not_below_low) {
    vm_push_interpreted(vm, vm_method(1), 1, 1);
    struct hs_walk_start start = vm_leave_java(vm, true);
    const struct hs_frame_shape *shape = vm->kind->shape;
    start.low = vm->fp + (uintptr_t)(shape->interpreter_bcp * VM_WORD);
    check_end(vm, &start, HS_WALK_BOTTOM, 1);
    for (; start.low < vm->base; start.low += VM_WORD) {
        struct hs_walk_start above = start;
        above.low += VM_WORD;
        check_end(vm, &above, HS_WALK_ODD_FRAME, 0);
    }
}

VM_TEST(walk_odd, a_compiled_frame_reaches_not_below_low) {
    vm_push_compiled(vm, vm->compiled[1], 1);
    struct hs_walk_start start = vm_leave_java(vm, true);
    uintptr_t saved_fp = vm->sp + (6 - 2) * VM_WORD;
    for (start.low = saved_fp + VM_WORD; start.low < vm->base; start.low += VM_WORD) {
        enum hs_walk_end end = hs_walk(&vm->walker, &start, HS_WALK_MAX_ITEMS, &items);
        cr_assert_eq(end, HS_WALK_ODD_FRAME, "%s: %d", vm->kind->name, (int)end);
    }
}

VM_TEST(walk_odd, frames_that_go_backwards_end_it) {
    vm_push_compiled(vm, vm->compiled[1], 5);
    vm_push_interpreted(vm, vm_method(1), 1, 1);
    uintptr_t sender = vm->fp - VM_WORD;
    const uintptr_t odd[] = {0, vm->fp, vm->fp - 8, vm->sp, vm->low};
    for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
        vm_set_word(sender, odd[i]);
        check_leaf(vm, HS_WALK_ODD_FRAME, 0);
    }
}

/* It could go round and round forever. */
VM_TEST(walk_odd, a_frame_pointer_below_the_stack_pointer_ends_it) {
    vm_push_interpreted(vm, vm_method(1), 1, 1);
    uintptr_t below = vm->fp;
    vm_push_interpreted(vm, vm_method(2), 2, 2);
    vm_set_word(vm->fp, vm->fp); /* the caller's, it says, is the callee's */
    check_leaf(vm, HS_WALK_ODD_FRAME, 1);
    vm_set_word(vm->fp, below);
    check_leaf(vm, HS_WALK_BOTTOM, 2);
}

VM_TEST(walk_odd, what_cannot_be_a_method_ends_it) {
    static const uintptr_t ODD[] = {0, 1, 4, UINT64_C(1) << 63, UINTPTR_MAX - 7};
    vm_push_interpreted(vm, vm_method(1), 1, 1);
    uintptr_t method = vm->fp + (uintptr_t)(vm->kind->shape->interpreter_method * VM_WORD);
    for (int i = 0; i < 5; i++) {
        vm_set_word(method, ODD[i]);
        check_leaf(vm, HS_WALK_ODD_FRAME, 0);
    }
}

/* ---- deoptimised frames ---- */

VM_TEST(walk_odd, the_real_pc_must_lie_on_the_stack) {
    static const int32_t ODD[] = {-8, -1, 1, 12, VM_STACK_BYTES, INT32_MAX - 7, INT32_MIN};
    uintptr_t field = vm->compiled[1] + vm->layout.nmethod_orig_pc_offset;
    bool goes_on = vm_has_deoptimised(vm);
    vm_push_compiled(vm, vm->compiled[1], 5);
    vm_deoptimise_leaf(vm, vm_deopt_handler(vm->compiled[1]));
    check_leaf(vm, goes_on ? HS_WALK_BOTTOM : HS_WALK_ODD_FRAME, goes_on ? 1 : 0);
    for (int i = 0; i < 7; i++) {
        vm_set_int(field, ODD[i]);
        check_leaf(vm, HS_WALK_ODD_FRAME, 0);
    }
}

VM_TEST(walk_odd, the_real_pc_must_lie_in_the_same_code) {
    vm_push_compiled(vm, vm->compiled[1], 5);
    vm_deoptimise_leaf(vm, vm_deopt_handler(vm->compiled[1]));
    const uintptr_t odd[] = {0,
                             vm->compiled[1],
                             vm->compiled[1] - 8,
                             vm_begin_of_code(vm->compiled[2]) + 5,
                             vm_begin_of_code(vm->interpreter),
                             (uintptr_t)vm->heaps[0].memory + (UINT64_C(1) << 32)};
    for (int i = 0; i < 6; i++) {
        vm_set_word(vm->sp + VM_ORIG_PC, odd[i]);
        check_leaf(vm, HS_WALK_ODD_FRAME, 0);
    }
}

/* It would be remembered as a place like any other (found by fuzz_walk). */
VM_TEST(walk_odd, the_handler_is_no_real_pc) {
    vm_push_compiled(vm, vm->compiled[1], 5);
    const uintptr_t handlers[] = {vm_deopt_handler(vm->compiled[1]),
                                  vm_deopt_mh_handler(vm->compiled[1])};
    for (int i = 0; i < 4; i++) {
        vm_deoptimise_leaf(vm, handlers[i % 2]);
        vm_set_word(vm->sp + VM_ORIG_PC, handlers[i / 2]);
        check_leaf(vm, HS_WALK_ODD_FRAME, 0);
    }
}

/* ---- call stubs ---- */

static uintptr_t wrapper_field(const struct synthetic_vm *vm) {
    return vm->fp + (uintptr_t)(vm->kind->shape->call_wrapper * VM_WORD);
}

VM_TEST(walk_odd, a_wrapper_off_the_stack_ends_it) {
    uintptr_t field = wrapper_field(vm);
    vm_push_compiled(vm, vm->compiled[1], 5);
    const uintptr_t odd[] = {0,        vm->low - 128,    vm->base,    vm->wrapper + 1,
                             vm->base, UINTPTR_MAX - 23, UINTPTR_MAX, vm->base - 8};
    check_leaf(vm, HS_WALK_BOTTOM, 1);
    for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
        vm_set_word(field, odd[i]);
        check_leaf(vm, HS_WALK_ODD_FRAME, 1);
    }
}

VM_TEST(walk_odd, a_call_stub_without_a_frame_ends_it) {
    const uintptr_t odd[] = {0, 1, vm->low, vm->base, vm->base + 64, UINTPTR_MAX, vm->fp + 4};
    for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
        vm->fp = odd[i];
        check_leaf(vm, HS_WALK_ODD_FRAME, 0);
    }
}

/* An anchor below the call stub could lead round and round. */
VM_TEST(walk_odd, an_anchor_that_leads_back_ends_it) {
    vm_push_interpreted(vm, vm_method(1), 1, 1);
    vm_push_call_stub(vm, false, true);
    uintptr_t anchor = vm->wrapper + vm->layout.wrapper_anchor;
    uintptr_t stub_sp = vm->sp;
    vm_push_compiled(vm, vm->compiled[1], 5);
    check_leaf(vm, HS_WALK_BOTTOM, 2);
    const uintptr_t odd[] = {8, vm->low, vm->sp, stub_sp};
    for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
        vm_set_word(anchor + vm->layout.anchor_sp, odd[i]);
        check_leaf(vm, HS_WALK_ODD_FRAME, 1);
    }
}

VM_TEST(walk_odd, an_anchor_off_the_stack_ends_it) {
    vm_push_interpreted(vm, vm_method(1), 1, 1);
    vm_push_call_stub(vm, false, false); /* the pc is to be read below sp */
    uintptr_t anchor = vm->wrapper + vm->layout.wrapper_anchor;
    vm_push_compiled(vm, vm->compiled[1], 5);
    check_leaf(vm, HS_WALK_BOTTOM, 2);
    const uintptr_t odd[] = {vm->base + 8, vm->base + 64, UINTPTR_MAX - 7, vm->base - 4};
    for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
        vm_set_word(anchor + vm->layout.anchor_sp, odd[i]);
        check_leaf(vm, HS_WALK_ODD_FRAME, 1);
    }
}

/* ---- truncation ---- */

static void push_some(struct synthetic_vm *vm) {
    vm_push_interpreted(vm, vm_method(1), 1, 1);
    vm_push_compiled(vm, vm->compiled[1], 5);
    vm_push_sized(vm, vm->stub, vm_begin_of_code(vm->stub) + 40);
    vm_push_call_stub(vm, false, false);
    vm_push_interpreted(vm, vm_method(2), 2, 3);
    vm_push_compiled(vm, vm->compiled[2], 5);
    if (vm_has_deoptimised(vm)) {
        vm_deoptimise_leaf(vm, vm_deopt_handler(vm->compiled[2]));
    }
    vm_push_compiled(vm, vm->native, 5);
}

/* Whatever is missing at the root: what was found is right, and never is it taken for all. */
VM_TEST(walk_odd, a_truncated_stack_is_never_whole) {
    uintptr_t anchor = vm->wrapper + vm->layout.wrapper_anchor;
    uintptr_t needed = anchor + 3 * VM_WORD;
    push_some(vm);
    struct hs_walk_start start = vm_leave_java(vm, true);
    for (start.base = vm->sp + 1; start.base <= vm->base; start.base++) {
        enum hs_walk_end end = hs_walk(&vm->walker, &start, HS_WALK_MAX_ITEMS, &items);
        cr_assert_eq(end, start.base >= needed ? HS_WALK_BOTTOM : HS_WALK_ODD_FRAME,
                     "%s: base %u bytes below needed", vm->kind->name,
                     (unsigned)(needed - start.base));
        cr_assert_leq(items.count, 5);
        vm_check_items(vm, &items, items.count);
    }
    cr_assert_eq(items.count, 5);
}

/* Twice each, so that the second walk has what the first one left behind. */
VM_TEST(walk_odd, a_known_frame_off_the_stack_ends_it_along_a_trail_too) {
    vm_push_compiled(vm, vm->compiled[0], 5);
    vm_push_compiled(vm, vm->compiled[0], 6);
    vm_check_walk(vm, true);
    struct hs_walk_start start = vm_leave_java(vm, true);
    const uintptr_t odd[] = {UINTPTR_MAX - 7, UINTPTR_MAX - 15, vm->base,  vm->base - 8,
                             vm->base + 8,    vm->low - 16,     vm->sp + 1};
    for (size_t i = 0; i < 2 * sizeof odd / sizeof odd[0]; i++) {
        start.sp = odd[i / 2];
        check_end(vm, &start, HS_WALK_ODD_FRAME, 1);
    }
}

/* An interpreted frame that begins above its caller's stack pointer: right on aarch64, where that caller
 * is interpreted as well, and nowhere else. */
VM_TEST(walk_odd, only_an_interpreted_caller_lies_below_its_callee) {
    bool has_reserve = vm->kind->shape->has_reserve;
    vm_push_interpreted(vm, vm_method(1), 1, 0);
    vm_push_interpreted(vm, vm_method(2), 2, 0);
    const uintptr_t below[] = {vm->fp, vm->fp - VM_WORD, vm->fp - 20 * VM_WORD};
    for (size_t i = 0; i < sizeof below / sizeof below[0]; i++) {
        vm_set_word(vm->fp - VM_WORD, below[i]);
        check_leaf(vm, has_reserve ? HS_WALK_BOTTOM : HS_WALK_ODD_FRAME, has_reserve ? 2 : 0);
    }

    vm_clear(vm);
    vm_push_compiled(vm, vm->compiled[1], 5);
    vm_push_interpreted(vm, vm_method(2), 2, 0);
    for (size_t i = 0; i < sizeof below / sizeof below[0]; i++) {
        vm_set_word(vm->fp - VM_WORD, vm->fp - i * VM_WORD);
        check_leaf(vm, HS_WALK_ODD_FRAME, 0);
    }
}
