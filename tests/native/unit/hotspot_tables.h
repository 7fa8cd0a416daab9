/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Tables like those of libjvm, over the heaps of a synthetic VM. */
#ifndef HOTSPOT_TABLES_H
#define HOTSPOT_TABLES_H

#include "hs_hotspot.h"
#include "synthetic_vm.h"

enum { MAX_ROWS = 64, MAX_TYPES = 12 };

static const char NO_THREAD[] = "this VM does not say where a thread keeps its last Java frame";
static const char NO_BLOB[] = "this VM does not say how it describes compiled code";
static const char NO_METHOD[] = "this VM does not say how it describes methods";
static const char NO_HEAP[] = "this VM does not say how it keeps compiled code";
static const char NO_HEAPS[] = "the code heaps of this VM were not found";
static const char NO_STUB[] = "this VM does not say where its call stub returns to";
static const char ODD_BLOCK[] = "the header of this VM's code blocks has an odd size";
static const char ODD_COUNT[] = "this VM has an odd number of code heaps";
static const char ODD_HEAP[] = "a code heap of this VM looks odd";

/* The GrowableArray of the heaps, whose fields lie where the tables say. */
struct array {
    uint64_t words[8];
};

struct row {
    const char *type;
    const char *field;
    uint64_t offset;
    const char *reason; /* when it is missing or odd */
    uint32_t alignment; /* 0: static */
};

/* clang-format off */
static const struct row ROWS_17[] = {
    {"JavaThread", "_anchor", 472, NO_THREAD, 8},
    {"Thread", "_stack_base", 816, NO_THREAD, 8},
    {"Thread", "_stack_size", 824, NO_THREAD, 8},
    {"JavaFrameAnchor", "_last_Java_sp", 0, NO_THREAD, 8},
    {"JavaFrameAnchor", "_last_Java_pc", 8, NO_THREAD, 8},
    {"JavaFrameAnchor", "_last_Java_fp", 16, NO_THREAD, 8},
    {"JavaCallWrapper", "_anchor", 32, NO_THREAD, 8},
    {"CodeBlob", "_name", 56, NO_BLOB, 8},
    {"CodeBlob", "_frame_size", 44, NO_BLOB, 4},
    {"CompiledMethod", "_method", 72, NO_BLOB, 8},
    {"CompiledMethod", "_deopt_handler_begin", 96, NO_BLOB, 8},
    {"CompiledMethod", "_deopt_mh_handler_begin", 104, NO_BLOB, 8},
    {"nmethod", "_compile_id", 148, NO_BLOB, 4},
    {"nmethod", "_orig_pc_offset", 156, NO_BLOB, 4},
    {"Method", "_constMethod", 8, NO_METHOD, 8},
    {"ConstMethod", "_constMethod_size", 24, NO_METHOD, 4},
    {"ConstMethod", "_code_size", 46, NO_METHOD, 2},
    {"ConstMethod", "_constants", 16, NULL, 8},
    {"ConstMethod", "_name_index", 48, NULL, 2},
    {"ConstMethod", "_signature_index", 50, NULL, 2},
    {"Symbol", "_length", 4, NULL, 2},
    {"Symbol", "_body", 6, NULL, 1},
    {"CodeHeap", "_memory", 16, NO_HEAP, 8},
    {"CodeHeap", "_segmap", 128, NO_HEAP, 8},
    {"CodeHeap", "_log2_segment_size", 252, NO_HEAP, 4},
    {"VirtualSpace", "_low", 16, NO_HEAP, 8},
    {"VirtualSpace", "_high", 24, NO_HEAP, 8},
    {"HeapBlock", "_header", 0, NO_HEAP, 8},
    {"HeapBlock::Header", "_used", 8, NO_HEAP, 1},
    {"HeapBlock::Header", "_length", 0, NO_HEAP, 4},
    {"CodeCache", "_heaps", 0, NO_HEAPS, 0},
    {"GrowableArrayBase", "_len", 4, NO_HEAPS, 4},
    {"GrowableArray<int>", "_data", 16, NO_HEAPS, 8},
    {"StubRoutines", "_call_stub_return_address", 0, NO_STUB, 0},
    {"CodeBlob", "_code_begin", 16, NULL, 8},
    {"nmethod", "_metadata_offset", 112, NULL, 4},
    {"CompiledMethod", "_scopes_data_begin", 80, NULL, 8},
    {"nmethod", "_scopes_pcs_offset", 120, NULL, 4},
    {"nmethod", "_dependencies_offset", 124, NULL, 4},
    {"PcDesc", "_pc_offset", 0, NULL, 4},
    {"PcDesc", "_scope_decode_offset", 4, NULL, 4},
    {"Method", "_access_flags", 40, NULL, 2},
    {"ThreadLocalAllocBuffer", "_number_of_refills", 72, NULL, 4},
    {"ThreadLocalAllocBuffer", "_refill_waste_limit", 48, NULL, 8},
    {"ThreadLocalAllocBuffer", "_desired_size", 40, NULL, 8},
    {"ThreadLocalAllocBuffer", "_end", 24, NULL, 8},
    {"Thread", "_allocated_bytes", 384, NULL, 8},
    {"Thread", "_tlab", 264, NULL, 8},
    {"ThreadLocalAllocBuffer", "_start", 0, NULL, 8},
    {"ThreadLocalAllocBuffer", "_top", 8, NULL, 8},
    {NULL}};
static const struct row ROWS_25[] = {
    {"StubRoutines", "_call_stub_return_address", 0, NO_STUB, 0},
    {"Thread", "_anchor", 5, NULL, 1}, /* another class: of no interest */
    {"JavaThread", "_stack_base", 48, NO_THREAD, 8},
    {"JavaThread", "_stack_size", 56, NO_THREAD, 8},
    {"JavaThread", "_anchor", 640, NO_THREAD, 8},
    {"JavaFrameAnchor", "_last_Java_sp", 8, NO_THREAD, 8},
    {"JavaFrameAnchor", "_last_Java_pc", 16, NO_THREAD, 8},
    {"JavaFrameAnchor", "_last_Java_fp", 0, NO_THREAD, 8},
    {"JavaCallWrapper", "_anchor", 24, NO_THREAD, 8},
    {"CodeBlob", "_name", 8, NO_BLOB, 8},
    {"CodeBlob", "_frame_size", 28, NO_BLOB, 4},
    {"nmethod", "_method", 40, NO_BLOB, 8},
    {"nmethod", "_deopt_handler_offset", 72, NO_BLOB, 4},
    {"nmethod", "_deopt_mh_handler_offset", 76, NO_BLOB, 4},
    {"nmethod", "_compile_id", 100, NO_BLOB, 4},
    {"nmethod", "_orig_pc_offset", 84, NO_BLOB, 4},
    {"Symbol", "_body", 11, NULL, 1},
    {"Symbol", "_length", 8, NULL, 2},
    {"ConstMethod", "_signature_index", 38, NULL, 2},
    {"ConstMethod", "_name_index", 36, NULL, 2},
    {"ConstMethod", "_constants", 24, NULL, 8},
    {"ConstMethod", "_code_size", 34, NO_METHOD, 2},
    {"ConstMethod", "_constMethod_size", 8, NO_METHOD, 4},
    {"Method", "_constMethod", 16, NO_METHOD, 8},
    {"CodeHeap", "_memory", 184, NO_HEAP, 8},
    {"CodeHeap", "_segmap", 64, NO_HEAP, 8},
    {"CodeHeap", "_log2_segment_size", 12, NO_HEAP, 4},
    {"VirtualSpace", "_low", 16, NO_HEAP, 8},
    {"VirtualSpace", "_high", 0, NO_HEAP, 8},
    {"HeapBlock", "_header", 0, NO_HEAP, 8},
    {"HeapBlock::Header", "_used", 4, NO_HEAP, 1},
    {"HeapBlock::Header", "_length", 0, NO_HEAP, 4},
    {"GrowableArrayBase", "_len", 0, NO_HEAPS, 4},
    {"GrowableArray<int>", "_data", 24, NO_HEAPS, 8},
    {"CodeCache", "_heaps", 0, NO_HEAPS, 0},
    {"Method", "_access_flags", 44, NULL, 2},
    {"PcDesc", "_scope_decode_offset", 12, NULL, 4},
    {"PcDesc", "_pc_offset", 4, NULL, 4},
    {"nmethod", "_scopes_data_offset", 92, NULL, 4},
    {"nmethod", "_scopes_pcs_offset", 88, NULL, 4},
    {"nmethod", "_immutable_data", 56, NULL, 8},
    {"nmethod", "_immutable_data_size", 64, NULL, 4},
    {"CodeBlob", "_mutable_data", 16, NULL, 8},
    {"CodeBlob", "_mutable_data_size", 48, NULL, 4},
    {"CodeBlob", "_relocation_size", 52, NULL, 4},
    {"CodeBlob", "_code_offset", 32, NULL, 4},
    {"ThreadLocalAllocBuffer", "_number_of_refills", 64, NULL, 4},
    {"ThreadLocalAllocBuffer", "_refill_waste_limit", 48, NULL, 8},
    {"ThreadLocalAllocBuffer", "_desired_size", 40, NULL, 8},
    {"ThreadLocalAllocBuffer", "_end", 24, NULL, 8},
    {"Thread", "_allocated_bytes", 312, NULL, 8},
    {"Thread", "_tlab", 200, NULL, 8},
    {"ThreadLocalAllocBuffer", "_start", 0, NULL, 8},
    {"ThreadLocalAllocBuffer", "_top", 8, NULL, 8},
    {NULL}};
/* clang-format on */

/* One kind of tables and the memory they lead to. */
struct tables {
    struct synthetic_vm *vm;
    const struct row *rows;
    struct array array;
    uint64_t elements[8];
    uintptr_t heaps;     /* CodeCache::_heaps */
    uintptr_t call_stub; /* StubRoutines::_call_stub_return_address */
    uint32_t len;        /* offsets in the array */
    uint32_t data;
    struct hs_vm_field fields[MAX_ROWS + 1];
    struct hs_vm_type types[MAX_TYPES + 1];
};

/* The type of a field that has this many bytes. */
static inline const char *type_of_bytes(uint32_t bytes) {
    return bytes == 8 ? "address" : bytes == 4 ? "int" : bytes == 2 ? "u2" : "u1";
}

static inline void fill_fields(struct tables *tables) {
    uint32_t count = 0;
    /* A row without a field's name, as libjvm's tables have for whole types. */
    tables->fields[count++] = (struct hs_vm_field){.type = "CodeHeap"};
    for (const struct row *row = tables->rows; row->type != NULL; row++) {
        bool is_heaps = strcmp(row->field, "_heaps") == 0;
        tables->fields[count++] = (struct hs_vm_field){
            .type = row->type,
            .field = row->field,
            .field_type = type_of_bytes(row->alignment),
            .is_static = row->alignment == 0,
            .offset = row->offset,
            .address = row->alignment != 0 ? NULL
                       : is_heaps          ? &tables->heaps
                                           : &tables->call_stub,
        };
        cr_assert_leq(count, (uint32_t)MAX_ROWS);
    }
    tables->fields[count] = (struct hs_vm_field){.type = NULL};
}

static inline void set_length(struct tables *tables, int32_t length) {
    vm_set_int((uintptr_t)&tables->array + tables->len, length);
}

static inline void fill(struct tables *tables) {
    bool is_old = tables->rows == ROWS_17;
    struct synthetic_vm *vm = tables->vm;
    tables->len = is_old ? 4 : 0;
    tables->data = is_old ? 16 : 24;
    fill_fields(tables);
    memset(tables->types, 0, sizeof tables->types);
    tables->types[0] = (struct hs_vm_type){.type = "CodeBlob", .size = 64};
    tables->types[1] = (struct hs_vm_type){.type = "HeapBlock", .size = is_old ? 16 : 8};
    tables->types[2] =
        (struct hs_vm_type){.type = is_old ? "CompiledMethod" : "nmethod", .size = 200};
    tables->types[3] = (struct hs_vm_type){.type = "ConstMethod", .size = is_old ? 56 : 40};
    tables->types[4] = (struct hs_vm_type){.type = "ConstantPool", .size = is_old ? 72 : 16};
    tables->types[5] = (struct hs_vm_type){.type = "PcDesc", .size = is_old ? 16 : 20};
    uint32_t count = 6;
    for (uint32_t bytes = 1; bytes <= 8; bytes *= 2) {
        tables->types[count++] = (struct hs_vm_type){.type = type_of_bytes(bytes), .size = bytes};
    }
    if (is_old) {
        tables->types[count++] = (struct hs_vm_type){.type = "nmethod", .size = 200};
    }
    cr_assert_leq(count, (uint32_t)MAX_TYPES);
    memset(&tables->array, 0xEE, sizeof tables->array);
    set_length(tables, 2);
    vm_set_word((uintptr_t)&tables->array + tables->data, (uintptr_t)tables->elements);
    tables->elements[0] = vm->layout.heaps[0];
    tables->elements[1] = vm->layout.heaps[1];
    tables->heaps = (uintptr_t)&tables->array;
    tables->call_stub = vm->layout.call_stub_return;
}

static inline const char *read_layout(const struct tables *tables, struct hs_layout *layout) {
    struct hs_vm_tables found = {tables->fields, tables->types};
    memset(layout, 0xEE, sizeof *layout);
    return hs_hotspot_read(&found, layout);
}

/* A test with both kinds of tables. */
#define TABLES_TEST(test)                                           \
    static void test##_with(struct tables *tables);                 \
    Test(hotspot, test) {                                           \
        for (int kind = 0; kind < 2; kind++) {                      \
            struct tables tables = {.vm = vm_new(&VM_KINDS[kind])}; \
            tables.rows = kind == 0 ? ROWS_17 : ROWS_25;            \
            fill(&tables);                                          \
            test##_with(&tables);                                   \
            vm_free(tables.vm);                                     \
        }                                                           \
    }                                                               \
    static void test##_with(struct tables *tables)

#endif
