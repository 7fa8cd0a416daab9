/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* The tables, the memory and the code of a synthetic VM, whose stack is in synthetic_vm.h. */
#ifndef SYNTHETIC_CODE_H
#define SYNTHETIC_CODE_H

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "hs_hash.h"
#include "hs_walk.h"
#include "seeded.h"

enum { VM_WORD = sizeof(uintptr_t), VM_GUARD = 64 * 1024 };
enum { VM_LOG2_SEGMENT = 7, VM_SEGMENT = 1 << VM_LOG2_SEGMENT };
enum { VM_HEAP_BYTES = 8 << 20, VM_MAP_BYTES = VM_HEAP_BYTES / VM_SEGMENT };
enum { VM_STACK_BYTES = 256 * 1024, VM_WINDOW_BYTES = 1024 };
enum { VM_ARENA_BYTES = 2 * (VM_HEAP_BYTES + VM_MAP_BYTES) + VM_STACK_BYTES + 6 * VM_GUARD };
enum { VM_HEADER_BYTES = 256, VM_ORIG_PC = 16, VM_MAX_EXPECTED = 1024 };
enum { VM_LARGE_CODE = 1500 * VM_SEGMENT };

struct vm_kind {
    const char *name;
    struct hs_layout layout;
    const struct hs_frame_shape *shape;
};

/* clang-format off */
#define VM_LIKE_17 {                                                                         \
    .thread_anchor = 472, .thread_stack_base = 816, .thread_stack_size = 824,                \
    .thread_allocated = 384, .thread_buffer_start = 264, .thread_buffer_top = 272, \
    .thread_refills = 336, .thread_buffer_end = 288, .thread_desired = 304, .thread_before = 320, .thread_ahead = 328, \
    .anchor_sp = 0, .anchor_fp = 16, .anchor_pc = 8, .wrapper_anchor = 32,                   \
    .heap_low = 32, .heap_high = 40, .heap_segments_low = 144, .heap_log2_segment = 252,     \
    .block_bytes = 16, .block_used = 8, .block_length = 0, .blob_name = 56, .blob_frame_size = 44,           \
    .nmethod_method = 72, .nmethod_compile_id = 148, .nmethod_deopt_handler = 96,            \
    .nmethod_deopt_mh_handler = 104, .nmethod_orig_pc_offset = 156,                          \
    .method_const = 8, .const_words = 24, .const_code_size = 46, .const_header = 56,         \
    .const_pool = 16, .const_name = 48, .const_descriptor = 50, .pool_header = 72,           \
    .symbol_length = 4, .symbol_text = 6,                                                    \
    .scopes = {.pc_desc_bytes = 16, .pc_desc_pc = 0, .pc_desc_scope = 4, .header_bytes = 200, \
        .code = 16, .metadata = 112, .data = 80, .pcs = 120, .pcs_end = 124, .method_access = 40}}
#define VM_LIKE_25 {                                                                         \
    .thread_anchor = 640, .thread_stack_base = 48, .thread_stack_size = 56,                  \
    .thread_allocated = 312, .thread_buffer_start = 200, .thread_buffer_top = 208, \
    .thread_refills = UINT32_MAX, \
    .anchor_sp = 8, .anchor_fp = 0, .anchor_pc = 16, .wrapper_anchor = 24,                   \
    .heap_low = 200, .heap_high = 184, .heap_segments_low = 80, .heap_log2_segment = 12,     \
    .block_bytes = 8, .block_used = 4, .block_length = 0, .blob_name = 8, .blob_frame_size = 28,             \
    .nmethod_method = 40, .nmethod_compile_id = 100, .nmethod_deopt_handler = 72,            \
    .nmethod_deopt_mh_handler = 76, .nmethod_orig_pc_offset = 84,                            \
    .handlers_are_offsets = true,                                                            \
    .method_const = 16, .const_words = 8, .const_code_size = 34, .const_header = 40,         \
    .const_pool = 24, .const_name = 36, .const_descriptor = 38, .pool_header = 16,           \
    .symbol_length = 8, .symbol_text = 11,                                                   \
    .scopes = {.pc_desc_bytes = 20, .pc_desc_pc = 4, .pc_desc_scope = 12, .header_bytes = 200, .is_apart = true, \
        .code = 32, .metadata = 16, .data = 92, .pcs = 88, .immutable = 56, .immutable_size = 64, \
        .metadata_size = 48, .relocation_size = 52, .method_access = 44}}
/* clang-format on */

static const struct vm_kind VM_KINDS[] = {
    {"17, x86-64", VM_LIKE_17, &HS_SHAPE_X86_64},
    {"25, x86-64", VM_LIKE_25, &HS_SHAPE_X86_64},
    {"17, aarch64", VM_LIKE_17, &HS_SHAPE_AARCH64},
    {"25, aarch64", VM_LIKE_25, &HS_SHAPE_AARCH64},
};
enum { VM_KIND_COUNT = sizeof VM_KINDS / sizeof VM_KINDS[0] };

struct vm_heap {
    uint64_t fields[32]; /* the CodeHeap */
    unsigned char *memory;
    unsigned char *map;
    uint32_t used; /* segments */
};

/* What a walk must find for a frame. */
struct vm_item {
    uint64_t words[2];
    uintptr_t blob;
    uintptr_t root;
};

enum { VM_COMPILED_COUNT = 5 };

struct synthetic_vm {
    const struct vm_kind *kind;
    struct hs_layout layout;
    struct hs_walker walker;
    struct hs_last_walk last_walk; /* of all walks of a test */
    struct vm_heap heaps[2];
    uint64_t thread[128];
    unsigned char *arena;
    size_t arena_used;
    uintptr_t low; /* of the stack */
    uintptr_t base;
    struct seeded junk;
    /* blobs */
    uintptr_t interpreter;
    uintptr_t stub;
    uintptr_t native;
    uintptr_t deoptimisation;
    uintptr_t adapter;
    uintptr_t call_stub;
    uintptr_t continuation; /* enterSpecial */
    uintptr_t compiled[VM_COMPILED_COUNT];
    /* the leaf frame */
    uintptr_t sp;
    uintptr_t fp;
    uintptr_t pc;
    uintptr_t wrapper;       /* of the call stub pushed last */
    uint32_t expected_count; /* root first */
    struct vm_item expected[VM_MAX_EXPECTED];
};

/* ---- memory ---- */

static inline void vm_set_word(uintptr_t address, uintptr_t word) {
    memcpy((void *)address, &word, sizeof word);
}

static inline void vm_set_int(uintptr_t address, int32_t value) {
    memcpy((void *)address, &value, sizeof value);
}

static inline unsigned char *vm_guarded(struct synthetic_vm *vm, size_t bytes) {
    unsigned char *memory = vm->arena + vm->arena_used + VM_GUARD;
    cr_assert_leq(vm->arena_used + 2 * VM_GUARD + bytes, (size_t)VM_ARENA_BYTES);
    cr_assert_eq(mprotect(memory, bytes, PROT_READ | PROT_WRITE), 0);
    vm->arena_used += bytes + VM_GUARD;
    return memory;
}

/* ---- code ---- */

struct vm_code {
    const char *name;
    int32_t frame_words;
    uint32_t code_bytes;
    uintptr_t method; /* nmethods */
    int32_t id;
};

static inline uintptr_t vm_begin_of_code(uintptr_t blob) {
    return blob + VM_HEADER_BYTES;
}

static inline void vm_set_handler(const struct synthetic_vm *vm, uintptr_t blob, uint32_t field,
                                  uintptr_t handler) {
    if (vm->layout.handlers_are_offsets) {
        vm_set_int(blob + field, (int32_t)(handler - blob));
    } else {
        vm_set_word(blob + field, handler);
    }
}

static inline uintptr_t vm_deopt_handler(uintptr_t blob) {
    return blob + VM_HEADER_BYTES - 16;
}

static inline uintptr_t vm_deopt_mh_handler(uintptr_t blob) {
    return vm_deopt_handler(blob) + 5; /* need not be aligned */
}

/* Segments get 0, 1, .. 0xFE, and then from 1 again: each hop leads to the last segment that is a
 * multiple of 0xFE away from the beginning. */
static inline void vm_map_block(struct vm_heap *heap, uint32_t first, uint32_t count) {
    uint32_t self = 0;
    for (uint32_t i = 0; i < count; i++) {
        heap->map[first + i] = (unsigned char)self;
        self = self == 0xFE ? 1 : self + 1;
    }
}

/* Adds a blob behind the last one of the heap, and leaves a free segment behind it. */
static inline uintptr_t vm_add_blob(struct synthetic_vm *vm, uint32_t number,
                                    const struct vm_code *code) {
    const struct hs_layout *layout = &vm->layout;
    struct vm_heap *heap = &vm->heaps[number];
    uint32_t bytes = layout->block_bytes + VM_HEADER_BYTES + code->code_bytes;
    uint32_t segments = (bytes + VM_SEGMENT - 1) / VM_SEGMENT;
    cr_assert_leq(heap->used + segments + 1, (uint32_t)VM_MAP_BYTES);
    unsigned char *block = heap->memory + (size_t)heap->used * VM_SEGMENT;
    vm_map_block(heap, heap->used, segments);
    heap->used += segments + 1;
    block[layout->block_used] = 1;
    vm_set_int((uintptr_t)block + layout->block_length, (int32_t)segments);
    uintptr_t blob = (uintptr_t)block + layout->block_bytes;
    vm_set_word(blob + layout->blob_name, (uintptr_t)code->name);
    vm_set_int(blob + layout->blob_frame_size, code->frame_words);
    vm_set_word(blob + layout->nmethod_method, code->method);
    vm_set_int(blob + layout->nmethod_compile_id, code->id);
    vm_set_int(blob + layout->nmethod_orig_pc_offset, VM_ORIG_PC);
    vm_set_handler(vm, blob, layout->nmethod_deopt_handler, vm_deopt_handler(blob));
    vm_set_handler(vm, blob, layout->nmethod_deopt_mh_handler, vm_deopt_mh_handler(blob));
    return blob;
}

static inline void vm_make_heap(struct synthetic_vm *vm, uint32_t number) {
    struct vm_heap *heap = &vm->heaps[number];
    uintptr_t fields = (uintptr_t)heap->fields;
    heap->memory = vm_guarded(vm, VM_HEAP_BYTES);
    heap->map = vm_guarded(vm, VM_MAP_BYTES);
    memset(heap->map, 0xFF, VM_MAP_BYTES);
    vm_set_word(fields + vm->layout.heap_low, (uintptr_t)heap->memory);
    vm_set_word(fields + vm->layout.heap_high, (uintptr_t)heap->memory + VM_HEAP_BYTES);
    vm_set_word(fields + vm->layout.heap_segments_low, (uintptr_t)heap->map);
    vm_set_int(fields + vm->layout.heap_log2_segment, VM_LOG2_SEGMENT);
    /* The order of the heaps is not that of their addresses. */
    vm->layout.heaps[1 - number] = fields;
}

/* No walk looks into a method: any aligned number will do, with nothing behind it. */
static inline uintptr_t vm_method(uint32_t i) {
    return (uintptr_t)0x10 + 8 * (uintptr_t)i;
}

static inline void vm_make_code(struct synthetic_vm *vm) {
    static const int32_t WORDS[VM_COMPILED_COUNT] = {2, 6, 12, 100, 3000};
    static const struct vm_code PLAIN[] = {{"StubRoutines (1)", 0, 2000, 0, 0},
                                           {"Interpreter", 0, VM_LARGE_CODE, 0, 0},
                                           {"RuntimeStub - _new_array_Java", 8, 300, 0, 0},
                                           {"DeoptimizationBlob", 14, 500, 0, 0},
                                           {"I2C/C2I adapters", 0, 100, 0, 0}};
    uintptr_t *const PLACES[] = {&vm->call_stub, &vm->interpreter, &vm->stub, &vm->deoptimisation,
                                 &vm->adapter};
    for (size_t i = 0; i < sizeof PLAIN / sizeof PLAIN[0]; i++) {
        *PLACES[i] = vm_add_blob(vm, 0, &PLAIN[i]);
    }
    for (uint32_t i = 0; i < VM_COMPILED_COUNT; i++) {
        uint32_t bytes = i == 2 ? VM_LARGE_CODE : 1000;
        struct vm_code code = {"nmethod", WORDS[i], bytes, vm_method(i), 1001 + (int32_t)i};
        vm->compiled[i] = vm_add_blob(vm, 1, &code);
    }
    struct vm_code native = {"native nmethod", 10, 200, vm_method(50), 77};
    struct vm_code special = {"native nmethod", 6, 200, vm_method(51), 78};
    vm->native = vm_add_blob(vm, 1, &native);
    vm->continuation = vm_add_blob(vm, 1, &special);
    vm->layout.call_stub_return = vm_begin_of_code(vm->call_stub) + 123;
}

#endif
