/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* A VM made of memory: two code heaps with segment maps, code blobs, a JavaThread and its stack, on
 * which frames are pushed from the root to the leaf. Where things lie is chosen by the test, in two
 * ways that resemble JDK 17 and 25, for both frame shapes. The heaps, their maps and the stack each
 * lie between pages that cannot be read: a stray read ends the test. What a walk has no business with
 * is filled with words that look as if it had. */
#ifndef SYNTHETIC_VM_H
#define SYNTHETIC_VM_H

#include "synthetic_code.h"

/* ---- stack ---- */

/* Words that mislead a reader of the wrong one. */
static inline uintptr_t vm_junk(struct synthetic_vm *vm) {
    uint64_t random = seeded_next(&vm->junk);
    uint32_t below = (uint32_t)(random >> 32);
    switch (random % 8) {
    case 0: return vm_begin_of_code(vm->compiled[below % VM_COMPILED_COUNT]) + below % 900;
    case 1: return vm_begin_of_code(vm->interpreter) + below % VM_LARGE_CODE;
    case 2: return vm->low + below % (vm->base - vm->low);
    case 3: return vm->sp + below % 1024 / 8 * 8;
    case 4: return vm_method(below % 64);
    case 5: return vm->layout.call_stub_return;
    case 6: return below % 3;
    default: return (uintptr_t)random;
    }
}

static inline void vm_push(struct synthetic_vm *vm, uintptr_t word) {
    vm->sp -= VM_WORD;
    cr_assert_geq(vm->sp, vm->low, "the test's stack is too small");
    vm_set_word(vm->sp, word);
}

static inline void vm_push_junk(struct synthetic_vm *vm, uint32_t words) {
    for (uint32_t i = 0; i < words; i++) {
        vm_push(vm, vm_junk(vm));
    }
}

/* As a call leaves it on the stack: on aarch64 with a signature above the address. */
static inline uintptr_t vm_return_pc(struct synthetic_vm *vm) {
    uintptr_t signature = vm_junk(vm) & ~vm->kind->shape->pc_mask;
    return vm->pc | signature;
}

static inline void vm_expect(struct synthetic_vm *vm, struct vm_item item) {
    cr_assert_lt(vm->expected_count, (uint32_t)VM_MAX_EXPECTED);
    vm->expected[vm->expected_count++] = item;
}

/* A frame whose size its blob says; carries no Java by itself. */
static inline void vm_push_sized(struct synthetic_vm *vm, uintptr_t blob, uintptr_t pc) {
    uint32_t words;
    memcpy(&words, (const void *)(blob + vm->layout.blob_frame_size), sizeof words);
    vm_push(vm, vm_return_pc(vm));
    vm_push(vm, vm->fp);
    vm_push_junk(vm, words - 2);
    vm->fp = vm_junk(vm); /* compiled code keeps anything in this register */
    vm->pc = pc;
}

/* Compiled or a native wrapper, at `offset` in its code. */
static inline void vm_push_compiled(struct synthetic_vm *vm, uintptr_t blob, uint32_t offset) {
    uint32_t id;
    uintptr_t method;
    uintptr_t pc = vm_begin_of_code(blob) + offset;
    memcpy(&id, (const void *)(blob + vm->layout.nmethod_compile_id), sizeof id);
    memcpy(&method, (const void *)(blob + vm->layout.nmethod_method), sizeof method);
    vm_push_sized(vm, blob, pc);
    uint64_t distance = pc - (uintptr_t)vm->heaps[0].memory;
    vm_expect(vm,
              (struct vm_item){{HS_ITEM_COMPILED | (uint64_t)id << 32 | distance}, blob, method});
}

/* Does a walk go on where the VM has replaced a return address? */
static inline bool vm_has_deoptimised(const struct synthetic_vm *vm) {
    return !vm->kind->shape->has_weak_order;
}

/* The VM has replaced the return address of the leaf frame. */
static inline void vm_deoptimise_leaf(struct synthetic_vm *vm, uintptr_t handler) {
    vm_set_word(vm->sp + VM_ORIG_PC, vm->pc);
    vm->pc = handler;
}

/* The leaf's stack pointer as its callee notes it. On aarch64 an interpreted frame reserves room for all
 * the expressions it may have, and the callee's frame begins within that. */
static inline uintptr_t vm_noted_sp(struct synthetic_vm *vm) {
    bool is_interpreted = vm->pc - vm_begin_of_code(vm->interpreter) < VM_LARGE_CODE;
    bool reserves = is_interpreted && vm->kind->shape->has_reserve;
    return vm->sp - (reserves ? seeded_below(&vm->junk, 30) * VM_WORD : 0);
}

/* `gap`: words that an adapter, or locals that are no parameters, put between the caller's stack
 * pointer and the frame. */
static inline void vm_push_interpreted(struct synthetic_vm *vm, uintptr_t method, uintptr_t bcp,
                                       uint32_t gap) {
    enum { FIELDS = 12 };
    const struct hs_frame_shape *shape = vm->kind->shape;
    uintptr_t sender_sp = vm_noted_sp(vm);
    vm_push_junk(vm, gap);
    vm_push(vm, vm_return_pc(vm));
    vm_push(vm, vm->fp);
    vm->fp = vm->sp;
    vm_push_junk(vm, FIELDS);
    vm_set_word(vm->fp - VM_WORD, sender_sp);
    vm_set_word(vm->fp + (uintptr_t)(shape->interpreter_method * VM_WORD), method);
    vm_set_word(vm->fp + (uintptr_t)(shape->interpreter_bcp * VM_WORD), bcp);
    vm_push_junk(vm, seeded_below(&vm->junk, 5)); /* expressions */
    vm->pc = vm_begin_of_code(vm->interpreter) + seeded_below(&vm->junk, VM_LARGE_CODE);
    vm_expect(vm, (struct vm_item){{method, bcp}, 0, method});
}

/* The leaf has called into the VM, which calls Java again. First of all, `is_first`: from nowhere.
 * `has_pc`: the anchor says the pc, otherwise it lies below sp. */
static inline void vm_push_call_stub(struct synthetic_vm *vm, bool is_first, bool has_pc) {
    enum { FIELDS = 10 };
    const struct hs_layout *layout = &vm->layout;
    uintptr_t sp = vm->sp;
    if (!is_first && !has_pc) {
        vm_push(vm, vm_return_pc(vm));
    }
    vm_push_junk(vm, 3 + seeded_below(&vm->junk, 20)); /* C++, and the JavaCallWrapper in it */
    vm_push_junk(vm, layout->wrapper_anchor / VM_WORD + 3);
    vm->wrapper = vm->sp;
    uintptr_t anchor = vm->wrapper + layout->wrapper_anchor;
    vm_set_word(anchor + layout->anchor_sp, is_first ? 0 : sp);
    vm_set_word(anchor + layout->anchor_fp, is_first ? 0 : vm->fp);
    vm_set_word(anchor + layout->anchor_pc, is_first || !has_pc ? 0 : vm->pc);
    vm_push_junk(vm, 4);
    vm->fp = vm->sp;
    vm_push_junk(vm, FIELDS);
    vm_set_word(vm->fp + (uintptr_t)(vm->kind->shape->call_wrapper * VM_WORD), vm->wrapper);
    vm->pc = layout->call_stub_return;
}

/* An empty stack, with the first call stub on it. */
static inline void vm_clear(struct synthetic_vm *vm) {
    vm->sp = vm->base;
    vm->expected_count = 0;
    vm_push_junk(vm, 2 + seeded_below(&vm->junk, 9));
    vm_push_call_stub(vm, true, false);
}

/* The thread leaves Java here; how a walk begins. */
static inline struct hs_walk_start vm_leave_java(struct synthetic_vm *vm, bool has_pc) {
    struct hs_walk_start start;
    uintptr_t thread = (uintptr_t)vm->thread;
    uintptr_t anchor = thread + vm->layout.thread_anchor;
    vm_set_word(vm->sp - VM_WORD, has_pc ? vm_junk(vm) : vm_return_pc(vm));
    vm_set_word(anchor + vm->layout.anchor_sp, vm->sp);
    vm_set_word(anchor + vm->layout.anchor_fp, vm->fp);
    vm_set_word(anchor + vm->layout.anchor_pc, has_pc ? vm->pc : 0);
    vm_set_word(thread + vm->layout.thread_stack_base, vm->base);
    vm_set_word(thread + vm->layout.thread_stack_size, vm->base - vm->low);
    cr_assert(hs_walk_begin(&vm->layout, thread, vm->low, &start), "%s", vm->kind->name);
    start.last_walk = &vm->last_walk;
    return start;
}

/* Are these the expected items, at most `count` of them? */
static inline void vm_check_items(struct synthetic_vm *vm, const struct hs_walk_items *items,
                                  uint32_t count) {
    uint32_t words = 0;
    bool is_single;
    uint32_t wanted = count < vm->expected_count ? count : vm->expected_count;
    cr_assert_eq(items->count, wanted, "%s: %u items, not %u", vm->kind->name, items->count,
                 wanted);
    for (uint32_t i = 0; i < wanted; i++) {
        const struct vm_item *item = &vm->expected[vm->expected_count - 1 - i];
        cr_assert_eq(items->at[i], words, "%s: item %u", vm->kind->name, i);
        cr_assert_eq(items->words[words], item->words[0], "%s: item %u", vm->kind->name, i);
        cr_assert_eq(hs_item_is_compiled(items->words[words]), item->blob != 0);
        if (item->blob == 0) {
            cr_assert_eq(items->words[words + 1], item->words[1], "%s: %u", vm->kind->name, i);
        }
        cr_assert_eq(hs_walk_root(&vm->walker, items, i, &is_single), item->root);
        cr_assert_eq(is_single,
                     item->blob == 0 || item->blob == vm->native || item->blob == vm->continuation);
        words += hs_item_words(item->words[0]);
    }
    cr_assert_eq(items->words[words], (uint64_t)items->end);
    cr_assert_eq(items->word_count, words + 1);
    cr_assert_eq(items->hash, hs_hash_bytes(items->words, (words + 1) * sizeof items->words[0]));
}

/* Walks the whole stack and compares: as one that was never met, as one whose code was met, along the
 * last walk of the last one, and without a last walk. */
static inline void vm_check_walk(struct synthetic_vm *vm, bool has_pc) {
    struct hs_walk_items items;
    struct hs_walk_start start = vm_leave_java(vm, has_pc);
    for (int i = 0; i < 4; i++) {
        enum hs_walk_end end = hs_walk(&vm->walker, &start, HS_WALK_MAX_ITEMS, &items);
        cr_assert_eq(end, HS_WALK_BOTTOM, "%s: %d, time %d", vm->kind->name, (int)end, i);
        cr_assert_eq(items.end, end);
        vm_check_items(vm, &items, HS_WALK_MAX_ITEMS);
        start.last_walk = i == 2 ? NULL : start.last_walk;
    }
}

/* Are the words what the counts, the places and the hash say? */
static inline void vm_check_form(const struct hs_walk_items *items) {
    uint32_t words = 0;
    cr_assert_lt(items->end, HS_WALK_END_COUNT);
    cr_assert_leq(items->count, (uint32_t)HS_WALK_MAX_ITEMS);
    for (uint32_t i = 0; i < items->count; i++) {
        cr_assert_eq(items->at[i], words);
        words += hs_item_words(items->words[words]);
    }
    cr_assert_eq(items->words[words], (uint64_t)items->end);
    cr_assert_eq(items->word_count, words + 1);
    cr_assert_eq(items->hash, hs_hash_bytes(items->words, (words + 1) * sizeof items->words[0]));
}

/* Walks without a last walk, with that of an earlier walk, and with its own: the same, to the word. */
static inline enum hs_walk_end vm_walk_all_ways(struct synthetic_vm *vm,
                                                struct hs_walk_start *start, uint32_t max_items,
                                                struct hs_walk_items *items) {
    static struct hs_walk_items plain;
    start->last_walk = NULL;
    enum hs_walk_end end = hs_walk(&vm->walker, start, max_items, &plain);
    cr_assert_eq(plain.end, end);
    vm_check_form(&plain);
    start->last_walk = &vm->last_walk;
    for (int i = 0; i < 2; i++) {
        cr_assert_eq(hs_walk(&vm->walker, start, max_items, items), end);
        cr_assert_eq(items->end, end);
        vm_check_form(items);
        cr_assert_eq(items->word_count, plain.word_count);
        cr_assert_arr_eq(items->words, plain.words, plain.word_count * sizeof plain.words[0]);
    }
    return end;
}

/* ---- whole ---- */

static inline struct synthetic_vm *vm_new(const struct vm_kind *kind) {
    struct synthetic_vm *vm = calloc(1, sizeof *vm);
    cr_assert_not_null(vm);
    vm->kind = kind;
    vm->layout = kind->layout;
    vm->layout.heap_count = 2;
    vm->junk.state = 20261121;
    vm->arena = mmap(NULL, VM_ARENA_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    cr_assert_neq(vm->arena, MAP_FAILED);
    vm_make_heap(vm, 0);
    vm_make_heap(vm, 1);
    vm->low = (uintptr_t)vm_guarded(vm, VM_STACK_BYTES);
    vm->base = vm->low + VM_STACK_BYTES;
    vm_make_code(vm);
    hs_walker_init(&vm->walker, &vm->layout, kind->shape, 0);
    vm_clear(vm);
    return vm;
}

static inline void vm_free(struct synthetic_vm *vm) {
    cr_assert_eq(munmap(vm->arena, VM_ARENA_BYTES), 0);
    free(vm);
}

/* A test that runs with every kind of VM. */
#define VM_TEST(suite, test)                                   \
    static void suite##_##test##_in(struct synthetic_vm *vm);  \
    Test(suite, test, .timeout = 100) {                        \
        for (int kind = 0; kind < VM_KIND_COUNT; kind++) {     \
            struct synthetic_vm *vm = vm_new(&VM_KINDS[kind]); \
            suite##_##test##_in(vm);                           \
            vm_free(vm);                                       \
        }                                                      \
    }                                                          \
    static void suite##_##test##_in(struct synthetic_vm *vm)

#endif
