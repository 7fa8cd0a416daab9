/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_code.h"

#include <stdio.h>

#include "synthetic_vm.h"

static struct hs_code *code_of(struct synthetic_vm *vm) {
    return &vm->walker.code;
}

static struct hs_blob find(struct synthetic_vm *vm, uintptr_t pc) {
    return hs_code_find(code_of(vm), pc);
}

static void check_none(struct synthetic_vm *vm, uintptr_t pc) {
    struct hs_blob blob = find(vm, pc);
    cr_assert_eq(blob.kind, HS_CODE_NONE, "%s: kind %d", vm->kind->name, (int)blob.kind);
    cr_assert_eq(blob.address, 0);
    cr_assert_eq(blob.frame_words, 0);
}

static void check_all_pcs(struct synthetic_vm *vm, uintptr_t blob, uint32_t bytes,
                          enum hs_code_kind kind, uint32_t words) {
    for (uintptr_t pc = blob; pc < blob + VM_HEADER_BYTES + bytes; pc++) {
        struct hs_blob found = find(vm, pc);
        cr_assert_eq(found.address, blob, "%s: byte %u", vm->kind->name, (unsigned)(pc - blob));
        cr_assert_eq(found.kind, kind);
        cr_assert_eq(found.frame_words, words);
    }
}

VM_TEST(code, each_pc_of_a_block_leads_to_it) {
    check_all_pcs(vm, vm->call_stub, 2000, HS_CODE_OTHER, 0);
    check_all_pcs(vm, vm->stub, 300, HS_CODE_STUB, 8);
    check_all_pcs(vm, vm->deoptimisation, 500, HS_CODE_OTHER, 14);
    check_all_pcs(vm, vm->adapter, 100, HS_CODE_OTHER, 0);
    check_all_pcs(vm, vm->native, 200, HS_CODE_NATIVE, 10);
    check_all_pcs(vm, vm->compiled[0], 1000, HS_CODE_COMPILED, 2);
    check_all_pcs(vm, vm->compiled[4], 1000, HS_CODE_COMPILED, 3000);
}

/* Long enough for several hops, each of 0xFE segments. */
VM_TEST(code, each_pc_of_a_long_block_leads_to_it) {
    check_all_pcs(vm, vm->interpreter, VM_LARGE_CODE, HS_CODE_INTERPRETER, 0);
    check_all_pcs(vm, vm->compiled[2], VM_LARGE_CODE, HS_CODE_COMPILED, 12);
}

VM_TEST(code, there_is_none_between_blocks_and_beside_the_heaps) {
    check_none(vm, 0);
    check_none(vm, 1);
    check_none(vm, UINTPTR_MAX);
    for (int i = 0; i < 2; i++) {
        uintptr_t low = (uintptr_t)vm->heaps[i].memory;
        check_none(vm, low - 1);
        check_none(vm, low + VM_HEAP_BYTES);
        check_none(vm, low + VM_HEAP_BYTES - 1);
        check_none(vm, low + (size_t)vm->heaps[i].used * VM_SEGMENT);
    }
    for (uint32_t i = 1; i <= vm->layout.block_bytes; i++) {
        check_none(vm, vm->stub - i); /* the header of the block */
    }
    check_none(vm, (uintptr_t)vm->thread);
}

VM_TEST(code, a_free_block_has_none) {
    uintptr_t block = vm->compiled[1] - vm->layout.block_bytes;
    cr_assert_eq(find(vm, vm->compiled[1] + 300).kind, HS_CODE_COMPILED);
    ((unsigned char *)block)[vm->layout.block_used] = 0;
    check_none(vm, vm->compiled[1] + 300);
    cr_assert_eq(find(vm, vm->compiled[0] + 300).kind, HS_CODE_COMPILED);
}

VM_TEST(code, a_heap_that_has_grown_is_read_anew) {
    uintptr_t high = (uintptr_t)vm->heaps[1].fields + vm->layout.heap_high;
    uintptr_t pc = vm->compiled[3] + 300;
    vm_set_word(high, vm->compiled[3] + 300);
    check_none(vm, pc);
    cr_assert_eq(find(vm, pc - 1).address, vm->compiled[3]);
    vm_set_word(high, vm->compiled[3] + 301);
    cr_assert_eq(find(vm, pc).address, vm->compiled[3]);
}

VM_TEST(code, without_heaps_there_is_none) {
    vm->layout.heap_count = 0;
    hs_code_init(code_of(vm), &vm->layout);
    check_none(vm, vm->compiled[0] + 300);
    check_none(vm, 0);
}

static const struct {
    const char *name;
    int32_t frame_words;
    enum hs_code_kind kind;
} KINDS[] = {
    {"nmethod", 2, HS_CODE_COMPILED},
    {"native nmethod", 9, HS_CODE_NATIVE},
    {"Interpreter", 0, HS_CODE_INTERPRETER},
    {"RuntimeStub - slow_arraycopy", 2, HS_CODE_STUB},
    {"RuntimeStub - _new_instance_Java", 100, HS_CODE_STUB},
    {"nmethods", 4, HS_CODE_STUB},
    {"DeoptimizationBlob", 4, HS_CODE_OTHER},
    {"UncommonTrapBlob", 4, HS_CODE_OTHER},
    {"SafepointBlob", 4, HS_CODE_OTHER},
    {"ExceptionBlob", 4, HS_CODE_OTHER},
    {"I2C/C2I adapters", 4, HS_CODE_OTHER},
    {"MethodHandles adapters", 4, HS_CODE_OTHER},
    {"MethodHandlesAdapterBlob", 4, HS_CODE_OTHER},
    /* Without a frame of a size that can be. */
    {"nmethod", 0, HS_CODE_OTHER},
    {"nmethod", -1, HS_CODE_OTHER},
    {"nmethod", 128 * 1024, HS_CODE_OTHER},
    {"native nmethod", 0, HS_CODE_OTHER},
    {"StubRoutines (2)", 0, HS_CODE_OTHER},
    {"vtable chunks", -5, HS_CODE_OTHER},
    {NULL, 4, HS_CODE_OTHER},
};
enum { KIND_COUNT = sizeof KINDS / sizeof KINDS[0] };

static void check_kinds(struct synthetic_vm *vm, const uintptr_t *blobs) {
    for (int i = 0; i < KIND_COUNT; i++) {
        struct hs_blob blob = find(vm, vm_begin_of_code(blobs[i]) + 5);
        cr_assert_eq(blob.kind, KINDS[i].kind, "%s: '%s' of %d words is %d", vm->kind->name,
                     KINDS[i].name, KINDS[i].frame_words, (int)blob.kind);
        cr_assert_eq(blob.address, blobs[i]);
    }
}

/* Twice, since the first time the names are remembered. */
VM_TEST(code, kinds_follow_from_the_name_and_the_frame) {
    uintptr_t blobs[KIND_COUNT];
    for (int i = 0; i < KIND_COUNT; i++) {
        struct vm_code plan = {KINDS[i].name, KINDS[i].frame_words, 100, vm_method(1), 5};
        blobs[i] = vm_add_blob(vm, (uint32_t)i % 2, &plan);
    }
    check_kinds(vm, blobs);
    check_kinds(vm, blobs);
}

VM_TEST(code, names_are_told_apart_by_text_not_by_place) {
    static char names[3][20] = {"nmethod", "native nmethod", "nmethod"};
    uintptr_t blobs[3];
    for (int i = 0; i < 3; i++) {
        struct vm_code plan = {names[i], 7, 100, vm_method(1), 5};
        blobs[i] = vm_add_blob(vm, 1, &plan);
    }
    for (int round = 0; round < 3; round++) {
        cr_assert_eq(find(vm, blobs[0] + 300).kind, HS_CODE_COMPILED);
        cr_assert_eq(find(vm, blobs[1] + 300).kind, HS_CODE_NATIVE);
        cr_assert_eq(find(vm, blobs[2] + 300).kind, HS_CODE_COMPILED);
        cr_assert_eq(find(vm, vm->compiled[0] + 300).kind, HS_CODE_COMPILED);
    }
}

/* More stubs than are remembered, and peculiar code in between: nothing is taken for another. */
VM_TEST(code, any_number_of_stubs) {
    enum { STUBS = 3 * HS_CODE_KNOWN_STUBS };
    static char names[STUBS][20];
    uintptr_t blobs[STUBS];
    for (uint32_t i = 0; i < STUBS; i++) {
        (void)snprintf(names[i], sizeof names[i], i % 4 == 3 ? "MethodHandles %u" : "Stub %u", i);
        struct vm_code plan = {names[i], 3 + (int32_t)i, 100, 0, 0};
        blobs[i] = vm_add_blob(vm, 0, &plan);
    }
    for (uint32_t i = 0; i < 3 * STUBS; i++) {
        struct hs_blob blob = find(vm, blobs[i % STUBS] + 300);
        cr_assert_eq(blob.kind, i % 4 == 3 ? HS_CODE_OTHER : HS_CODE_STUB, "stub %u", i % STUBS);
        cr_assert_eq(blob.frame_words, 3 + i % STUBS);
        cr_assert_eq(find(vm, vm->compiled[0] + 300).kind, HS_CODE_COMPILED);
    }
}

VM_TEST(code, the_largest_frame_counts) {
    struct vm_code plan = {"nmethod", 128 * 1024 - 1, 100, vm_method(1), 5};
    struct hs_blob blob = find(vm, vm_add_blob(vm, 0, &plan) + 300);
    cr_assert_eq(blob.kind, HS_CODE_COMPILED);
    cr_assert_eq(blob.frame_words, 128 * 1024 - 1);
}

VM_TEST(code, block_has_its_length_less_its_header) {
    struct hs_blob blob = find(vm, vm_begin_of_code(vm->compiled[1]));
    uint32_t block = vm->layout.block_bytes;
    uint64_t all = (block + VM_HEADER_BYTES + 1000 + VM_SEGMENT - 1) / VM_SEGMENT * VM_SEGMENT;
    cr_assert_eq(hs_code_bytes(code_of(vm), &blob), all - block);
    vm_set_int(blob.address - block + vm->layout.block_length, 0);
    cr_assert_eq(hs_code_bytes(code_of(vm), &blob), 0);
}

VM_TEST(code, an_nmethod_says_its_method_and_number) {
    for (uint32_t i = 0; i < VM_COMPILED_COUNT; i++) {
        struct hs_blob blob = find(vm, vm->compiled[i] + 300);
        cr_assert_eq(hs_code_method(code_of(vm), &blob), vm_method(i));
        cr_assert_eq(hs_code_compile_id(code_of(vm), &blob), 1001 + i);
        cr_assert_eq(hs_code_orig_pc_offset(code_of(vm), &blob), VM_ORIG_PC);
    }
}

VM_TEST(code, only_the_two_handlers_mean_deoptimisation) {
    struct hs_blob blob = find(vm, vm->compiled[1] + 300);
    uintptr_t handler = vm_deopt_handler(vm->compiled[1]);
    uintptr_t mh_handler = vm_deopt_mh_handler(vm->compiled[1]);
    for (uintptr_t pc = blob.address - 10; pc < blob.address + 1000; pc++) {
        cr_assert_eq(hs_code_is_deoptimised(code_of(vm), &blob, pc),
                     pc == handler || pc == mh_handler, "%s: byte %d", vm->kind->name,
                     (int)(pc - blob.address));
    }
    cr_assert_not(hs_code_is_deoptimised(code_of(vm), &blob, vm_deopt_handler(vm->compiled[0])));
}

/* JDK 25 writes -1, JDK 17 NULL, where there is no handler for method handle calls. */
VM_TEST(code, an_nmethod_may_have_no_handler) {
    struct hs_blob blob = find(vm, vm->compiled[1] + 300);
    uintptr_t field = vm->compiled[1] + vm->layout.nmethod_deopt_mh_handler;
    if (vm->layout.handlers_are_offsets) {
        vm_set_int(field, -1);
    } else {
        vm_set_word(field, 0);
    }
    uint32_t count = 0;
    for (uintptr_t pc = vm->compiled[1]; pc < vm->compiled[1] + 1000; pc++) {
        count += hs_code_is_deoptimised(code_of(vm), &blob, pc);
    }
    cr_assert_eq(count, 1);
}

/* ---- places that were met before ---- */

static void keep(struct synthetic_vm *vm, uintptr_t pc) {
    struct hs_blob blob = find(vm, pc);
    hs_code_keep(code_of(vm), pc, &blob);
}

static bool recalls(struct synthetic_vm *vm, uintptr_t pc) {
    struct hs_recall recall = hs_code_recall(code_of(vm), pc);
    cr_assert_eq(recall.frame_words == 0, recall.compile_id == 0);
    return recall.frame_words != 0;
}

VM_TEST(code_places, what_was_kept_is_recalled) {
    for (uint32_t i = 0; i < VM_COMPILED_COUNT; i++) {
        uintptr_t pc = vm_begin_of_code(vm->compiled[i]) + 700;
        cr_assert_not(recalls(vm, pc));
        keep(vm, pc);
        struct hs_recall recall = hs_code_recall(code_of(vm), pc);
        cr_assert_eq(recall.frame_words, find(vm, pc).frame_words);
        cr_assert_eq(recall.compile_id, 1001 + i);
        cr_assert_not(recalls(vm, pc + 1));
        cr_assert_not(recalls(vm, pc - 1));
    }
    cr_assert_not(recalls(vm, 0));
    cr_assert_not(recalls(vm, code_of(vm)->base));
    cr_assert_not(recalls(vm, code_of(vm)->base - 1));
    cr_assert_not(recalls(vm, UINTPTR_MAX));
}

/* The code cache is used again: at the same place lies other code, or a block that is no code, or one
 * that ends before the pc. */
VM_TEST(code_places, only_the_same_code_is_recalled) {
    uintptr_t blob = vm->compiled[1];
    uintptr_t pc = vm_begin_of_code(blob) + 700;
    uintptr_t id = blob + vm->layout.nmethod_compile_id;
    uintptr_t name = blob + vm->layout.blob_name;
    uintptr_t length = blob - vm->layout.block_bytes + vm->layout.block_length;
    int32_t segments = (int32_t)((pc - (blob - vm->layout.block_bytes)) / VM_SEGMENT);
    static const char OTHER[] = "native nmethod";
    uintptr_t known;
    memcpy(&known, (const void *)name, sizeof known);
    keep(vm, pc);
    vm_set_int(id, 1003);
    cr_assert_not(recalls(vm, pc));
    vm_set_int(id, 1002);
    vm_set_word(name, (uintptr_t)OTHER);
    cr_assert_not(recalls(vm, pc));
    vm_set_word(name, known);
    vm_set_int(length, segments);
    cr_assert_not(recalls(vm, pc));
    vm_set_int(length, segments + 1);
    cr_assert(recalls(vm, pc));
}

/* The block was freed, and other code begins in the middle of it: all that it was is still there but
 * for the mark. */
VM_TEST(code_places, what_is_left_of_freed_code_is_not_recalled) {
    uintptr_t blob = vm->compiled[2];
    uintptr_t pc = vm_begin_of_code(blob) + VM_LARGE_CODE - 100;
    unsigned char *used = (unsigned char *)blob - vm->layout.block_bytes + vm->layout.block_used;
    keep(vm, pc);
    cr_assert(recalls(vm, pc));
    *used = 0;
    cr_assert_not(recalls(vm, pc));
    *used = 1;
    cr_assert(recalls(vm, pc));
}

/* One thread's first word and another's second. */
VM_TEST(code_places, a_torn_place_is_none) {
    uintptr_t pc = vm_begin_of_code(vm->compiled[1]) + 700;
    uintptr_t other = vm_begin_of_code(vm->compiled[3]) + 30;
    uint64_t what = 0;
    keep(vm, other);
    for (int i = 0; i < 1 << HS_CODE_PLACES_LOG2; i++) {
        uint64_t word = atomic_load(&code_of(vm)->places[i].what);
        what = word == 0 ? what : word;
    }
    keep(vm, pc);
    for (int i = 0; i < 1 << HS_CODE_PLACES_LOG2; i++) {
        atomic_store(&code_of(vm)->places[i].what, what);
    }
    cr_assert_not(recalls(vm, pc));
    cr_assert(recalls(vm, other));
}

/* Places far too many, in turns: each is recalled as what it is, or not at all. */
VM_TEST(code_places, places_push_each_other_out) {
    uint32_t recalled = 0;
    for (int round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < 4 << HS_CODE_PLACES_LOG2; i++) {
            bool is_first = i % 2 == 0;
            uintptr_t pc = vm_begin_of_code(vm->compiled[is_first ? 2 : 4]) +
                           i % (is_first ? VM_LARGE_CODE : 1000);
            struct hs_recall recall = hs_code_recall(code_of(vm), pc);
            if (recall.frame_words != 0) {
                recalled++;
                cr_assert_eq(recall.compile_id, is_first ? 1003 : 1005);
                cr_assert_eq(recall.frame_words, is_first ? 12 : 3000);
            }
            keep(vm, pc);
            cr_assert(recalls(vm, pc));
        }
    }
    cr_assert_gt(recalled, 1000);
}

/* Such a frame could not hold the two words that it is left by. */
VM_TEST(code_places, a_frame_of_one_word_is_not_kept) {
    struct vm_code plan = {"nmethod", 1, 100, vm_method(1), 5};
    uintptr_t pc = vm_begin_of_code(vm_add_blob(vm, 1, &plan)) + 5;
    cr_assert_eq(find(vm, pc).kind, HS_CODE_COMPILED);
    keep(vm, pc);
    cr_assert_not(recalls(vm, pc));
}

VM_TEST(code_places, places_too_far_away_are_not_kept) {
    uintptr_t pc = vm_begin_of_code(vm->compiled[1]) + 700;
    code_of(vm)->base = pc - (UINT64_C(1) << 32);
    keep(vm, pc);
    cr_assert_not(recalls(vm, pc));
}
