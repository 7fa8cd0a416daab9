/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Tables like those of libjvm, over the heaps of a synthetic VM; then the same with each thing that
 * can be missing or odd. */
#include "hs_hotspot.h"

#include <dlfcn.h>
#include <stdio.h>

#include "fakejvm/fakejvm.h"
#include "synthetic_vm.h"

enum { MAX_ROWS = 48, MAX_TYPES = 8 };

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

static void fill_fields(struct tables *tables) {
    uint32_t count = 0;
    /* A row without a field's name, as libjvm's tables have for whole types. */
    tables->fields[count++] = (struct hs_vm_field){.type = "CodeHeap"};
    for (const struct row *row = tables->rows; row->type != NULL; row++) {
        bool is_heaps = strcmp(row->field, "_heaps") == 0;
        tables->fields[count++] = (struct hs_vm_field){
            .type = row->type,
            .field = row->field,
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

static void set_length(struct tables *tables, int32_t length) {
    vm_set_int((uintptr_t)&tables->array + tables->len, length);
}

static void fill(struct tables *tables) {
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
    memset(&tables->array, 0xEE, sizeof tables->array);
    set_length(tables, 2);
    vm_set_word((uintptr_t)&tables->array + tables->data, (uintptr_t)tables->elements);
    tables->elements[0] = vm->layout.heaps[0];
    tables->elements[1] = vm->layout.heaps[1];
    tables->heaps = (uintptr_t)&tables->array;
    tables->call_stub = vm->layout.call_stub_return;
}

static const char *read_layout(const struct tables *tables, struct hs_layout *layout) {
    struct hs_vm_tables found = {tables->fields, tables->types};
    memset(layout, 0xEE, sizeof *layout);
    return hs_hotspot_read(&found, layout);
}

static void check_reason(const struct tables *tables, const char *wanted, const char *what) {
    struct hs_layout layout;
    const char *reason = read_layout(tables, &layout);
    cr_assert_not_null(reason, "%s: %s", tables->vm->kind->name, what);
    cr_assert_str_eq(reason, wanted, "%s: %s: %s", tables->vm->kind->name, what, reason);
}

static void check_fine(const struct tables *tables) {
    struct hs_layout layout;
    const char *reason = read_layout(tables, &layout);
    cr_assert_null(reason, "%s: %s", tables->vm->kind->name, reason);
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

TABLES_TEST(reads_the_layout) {
    struct hs_layout layout;
    const char *reason = read_layout(tables, &layout);
    cr_assert_null(reason, "%s", reason);
    cr_assert(memcmp(&layout, &tables->vm->layout, sizeof layout) == 0, "%s",
              tables->vm->kind->name);
}

/* What was read serves a walk. */
TABLES_TEST(the_layout_leads_through_a_stack) {
    struct synthetic_vm *vm = tables->vm;
    cr_assert_null(read_layout(tables, &vm->layout));
    hs_walker_init(&vm->walker, &vm->layout, vm->kind->shape, 0);
    vm_push_interpreted(vm, vm_method(1), 1, 3);
    vm_push_compiled(vm, vm->compiled[2], 70);
    vm_check_walk(vm, true);
}

/* Applies the change to each row that counts, one at a time; `change` answers whether it did. */
static void check_each_row(struct tables *tables, const char *what,
                           bool (*change)(struct hs_vm_field *field, const struct row *row)) {
    uint32_t changed = 0;
    for (uint32_t i = 0; tables->rows[i].type != NULL; i++) {
        const struct row *row = &tables->rows[i];
        fill(tables);
        if (row->reason != NULL && change(&tables->fields[i + 1], row)) {
            char text[100];
            (void)snprintf(text, sizeof text, "%s::%s %s", row->type, row->field, what);
            check_reason(tables, row->reason, text);
            changed++;
        }
    }
    cr_assert_gt(changed, 1);
}

static bool rename_type(struct hs_vm_field *field, const struct row *row) {
    (void)row;
    field->type = "Other";
    return true;
}

static bool rename_field(struct hs_vm_field *field, const struct row *row) {
    (void)row;
    field->field = "_other";
    return true;
}

static bool move_away(struct hs_vm_field *field, const struct row *row) {
    field->offset = 64 * 1024;
    return row->alignment != 0;
}

/* Beyond 32 bits: what is left of it must not look fine. */
static bool move_far_away(struct hs_vm_field *field, const struct row *row) {
    field->offset += UINT64_C(1) << 32;
    return row->alignment != 0;
}

static bool misalign(struct hs_vm_field *field, const struct row *row) {
    field->offset += row->alignment / 2;
    return row->alignment > 1;
}

static bool make_other(struct hs_vm_field *field, const struct row *row) {
    (void)row;
    field->is_static = !field->is_static;
    return true;
}

static bool lose_address(struct hs_vm_field *field, const struct row *row) {
    field->address = NULL;
    return row->alignment == 0;
}

TABLES_TEST(each_field_is_needed) {
    check_each_row(tables, "of another type", rename_type);
    check_each_row(tables, "of another name", rename_field);
}

TABLES_TEST(each_offset_is_plausible) {
    check_each_row(tables, "out of range", move_away);
    check_each_row(tables, "far out of range", move_far_away);
    check_each_row(tables, "misaligned", misalign);
}

TABLES_TEST(each_field_is_static_where_it_should_be) {
    check_each_row(tables, "static or not", make_other);
    check_each_row(tables, "without an address", lose_address);
}

TABLES_TEST(empty_tables_say_nothing) {
    tables->fields[0].type = NULL;
    tables->types[0].type = NULL;
    check_reason(tables, NO_THREAD, "no rows");
}

/* ---- blocks ---- */

TABLES_TEST(the_header_of_a_block_has_a_plausible_size) {
    static const uint64_t ODD[] = {0, 1, 12, 72, 4096, (UINT64_C(1) << 32) + 16, UINT64_MAX};
    for (size_t i = 0; i < sizeof ODD / sizeof ODD[0]; i++) {
        tables->types[1].size = ODD[i];
        check_reason(tables, ODD_BLOCK, "size of HeapBlock");
    }
    tables->types[1].size = 64;
    check_fine(tables);
    fill(tables);
    tables->types[1].type = "Block";
    check_reason(tables, ODD_BLOCK, "no HeapBlock");
}

TABLES_TEST(the_flag_lies_in_the_header) {
    for (uint32_t i = 0; tables->rows[i].type != NULL; i++) {
        if (strcmp(tables->rows[i].field, "_used") == 0) {
            tables->fields[i + 1].offset = tables->types[1].size - 1;
            check_fine(tables);
            tables->fields[i + 1].offset++;
            check_reason(tables, ODD_BLOCK, "_used behind the header");
        }
    }
}

TABLES_TEST(a_method_has_a_header_of_plausible_size) {
    static const uint64_t ODD[] = {0, 12, 264, (UINT64_C(1) << 32) + 56, UINT64_MAX};
    for (size_t i = 0; i < sizeof ODD / sizeof ODD[0]; i++) {
        tables->types[3].size = ODD[i];
        check_reason(tables, NO_METHOD, "size of ConstMethod");
    }
    tables->types[3].size = 256;
    check_fine(tables);
    tables->types[3].type = "ConstMethods";
    check_reason(tables, NO_METHOD, "no ConstMethod");
}

/* The type in the middle decides where the handlers are looked for. */
TABLES_TEST(the_types_and_the_fields_belong_together) {
    bool is_old = tables->rows == ROWS_17;
    tables->types[2].type = is_old ? "nmethod" : "CompiledMethod";
    check_reason(tables, NO_BLOB, "the other version's");
}

/* ---- heaps ---- */

TABLES_TEST(the_heaps_are_counted) {
    static const int32_t ODD[] = {0, -1, HS_MAX_CODE_HEAPS + 1, INT32_MAX, INT32_MIN};
    struct hs_layout layout;
    for (int i = 0; i < 5; i++) {
        set_length(tables, ODD[i]);
        check_reason(tables, ODD_COUNT, "number of heaps");
    }
    for (int32_t count = 1; count <= HS_MAX_CODE_HEAPS; count++) {
        set_length(tables, count);
        tables->elements[count - 1] = tables->vm->layout.heaps[(uint32_t)count % 2];
        cr_assert_null(read_layout(tables, &layout));
        cr_assert_eq(layout.heap_count, (uint32_t)count);
        cr_assert_eq(layout.heaps[count - 1], tables->elements[count - 1]);
    }
}

TABLES_TEST(the_array_of_heaps_is_there) {
    static const uintptr_t ODD[] = {0, 1, 4, 7};
    for (int i = 0; i < 4; i++) {
        tables->heaps = ODD[i];
        check_reason(tables, NO_HEAPS, "the array");
    }
    tables->heaps = (uintptr_t)&tables->array;
    for (int i = 0; i < 4; i++) {
        vm_set_word((uintptr_t)&tables->array + tables->data, ODD[i]);
        check_reason(tables, ODD_COUNT, "its elements");
    }
    fill(tables);
    for (int i = 0; i < 4; i++) {
        tables->elements[1] = ODD[i];
        check_reason(tables, ODD_HEAP, "an element");
    }
}

static void check_odd_heap(struct tables *tables, uint32_t field, uintptr_t word,
                           const char *what) {
    uintptr_t address = tables->vm->layout.heaps[1] + field;
    uintptr_t before = *(uintptr_t *)address;
    vm_set_word(address, word);
    check_reason(tables, ODD_HEAP, what);
    vm_set_word(address, before);
    check_fine(tables);
}

TABLES_TEST(a_heap_is_plausible) {
    const struct hs_layout *layout = &tables->vm->layout;
    uintptr_t low = *(uintptr_t *)(layout->heaps[1] + layout->heap_low);
    check_odd_heap(tables, layout->heap_low, 0, "no memory");
    check_odd_heap(tables, layout->heap_low, low + 4, "misaligned");
    check_odd_heap(tables, layout->heap_high, low, "empty");
    check_odd_heap(tables, layout->heap_high, low - 8, "backwards");
    check_odd_heap(tables, layout->heap_segments_low, 0, "no map");
    uintptr_t log2 = layout->heaps[0] + layout->heap_log2_segment;
    for (int32_t i = -1; i < 70; i++) {
        vm_set_int(log2, i);
        if (i < 5 || i > 16) {
            check_reason(tables, ODD_HEAP, "size of a segment");
        } else {
            check_fine(tables);
        }
    }
}

TABLES_TEST(the_call_stub_returns_somewhere) {
    tables->call_stub = 0;
    check_reason(tables, NO_STUB, "return address");
}

/* ---- finding the tables ---- */

static struct hs_vm_tables found;

static const char *find(const void *address) {
    found = (struct hs_vm_tables){NULL, NULL};
    return hs_hotspot_find(address, &found);
}

static void check_not_found(const void *address, const char *wanted) {
    const char *reason = find(address);
    cr_assert_not_null(reason);
    cr_assert_str_eq(reason, wanted);
    cr_assert_null(found.fields);
    cr_assert_null(found.types);
}

Test(hotspot, an_address_in_no_library_has_no_tables) {
    int local = 0;
    check_not_found(NULL, "libjvm was not found");
    check_not_found(&local, "libjvm was not found");
}

Test(hotspot, libc_has_no_tables) {
    const void *libc = dlsym(RTLD_DEFAULT, "localeconv");
    cr_assert_not_null(libc);
    check_not_found(libc, "this VM does not export its structures");
}

Test(hotspot, the_program_itself_has_no_tables) {
    cr_assert_not_null(find((const void *)(uintptr_t)check_not_found));
    cr_assert_null(found.fields);
}

Test(hotspot, a_library_with_tables_is_believed_when_its_rows_are_as_wide_as_ours) {
    enum { FIELD = sizeof(struct hs_vm_field), TYPE = sizeof(struct hs_vm_type) };
    static const char FORM[] = "this VM exports its structures in an unknown form";
    static const char NONE[] = "this VM does not export its structures";
    static const struct hs_vm_field FIELDS[1];
    static const struct hs_vm_type TYPES[1];
    const void *inside = dlsym(RTLD_DEFAULT, "fakejvm_export");
    cr_assert_not_null(inside);
    fakejvm_export(FIELDS, FIELD, TYPES, TYPE);
    cr_assert_null(find(inside));
    cr_assert_eq(found.fields, FIELDS);
    cr_assert_eq(found.types, TYPES);
    fakejvm_export(FIELDS, FIELD + 8, TYPES, TYPE);
    check_not_found(inside, FORM);
    fakejvm_export(FIELDS, FIELD, TYPES, TYPE - 8);
    check_not_found(inside, FORM);
    fakejvm_export(FIELDS, 0, TYPES, 0);
    check_not_found(inside, FORM);
    fakejvm_export(NULL, FIELD, TYPES, TYPE);
    check_not_found(inside, NONE);
    fakejvm_export(FIELDS, FIELD, NULL, TYPE);
    check_not_found(inside, NONE);
}

TABLES_TEST(count_of_allocated_bytes_is_that_of_the_buffers_before_and_of_this_one) {
    struct hs_layout layout;
    cr_assert_null(read_layout(tables, &layout));
    uint64_t thread[64] = {0};
    bool is_old = tables->rows == ROWS_17;
    thread[(is_old ? 384 : 312) / 8] = 1000000;
    thread[(is_old ? 264 : 200) / 8] = 0x7000;     /* start */
    thread[(is_old ? 264 : 200) / 8 + 1] = 0x7040; /* top */
    cr_assert_eq(hs_hotspot_allocated(&layout, (uintptr_t)thread), 1000064);

    thread[(is_old ? 264 : 200) / 8] = 0; /* no buffer */
    thread[(is_old ? 264 : 200) / 8 + 1] = 0;
    cr_assert_eq(hs_hotspot_allocated(&layout, (uintptr_t)thread), 1000000);

    for (uint32_t missing = 1; missing <= 4; missing++) {
        uint32_t last = 0;
        fill(tables);
        while (tables->fields[last].type != NULL) {
            last++;
        }
        tables->fields[last - missing].type = "Other";
        cr_assert_null(read_layout(tables, &layout), "walks do not need it");
        cr_assert_eq(hs_hotspot_allocated(&layout, (uintptr_t)thread), 0);
    }
}

/* ---- buffers ---- */

/* A thread whose new buffer has 100 bytes of one object in it. */
static void refill_thread(uint64_t *thread) {
    thread[384 / 8] = 5000;        /* allocated, but for this buffer */
    thread[264 / 8] = 0x10000;     /* start */
    thread[272 / 8] = 0x10068;     /* top */
    thread[288 / 8] = 0x11000;     /* end */
    thread[304 / 8] = 4096 / 8;    /* desired size */
    thread[320 / 8] = 4600;        /* before the last buffer */
    thread[328 / 8] = 3001;        /* counted ahead */
    thread[336 / 8] = 0x700000001; /* refills, and something else */
}

Test(hotspot, object_that_begins_the_first_buffer_since_a_collection_is_a_refill) {
    struct hs_layout layout = {.thread_allocated = 384,
                               .thread_buffer_start = 264,
                               .thread_buffer_top = 272,
                               .thread_refills = 336,
                               .thread_buffer_end = 288,
                               .thread_desired = 304,
                               .thread_before = 320,
                               .thread_ahead = 328};
    struct hs_refill refill;
    uint64_t thread[64] = {0};
    refill_thread(thread);

    cr_assert(hs_hotspot_refill(&layout, (uintptr_t)thread, 0x10000, &refill));

    cr_assert_eq(refill.ahead, 3001);
    cr_assert_eq(refill.used, 400);
    cr_assert_eq(refill.room, 4096, "the size it wants, more than is left");
    thread[304 / 8] = 256 / 8;
    cr_assert(hs_hotspot_refill(&layout, (uintptr_t)thread, 0x10000, &refill));
    cr_assert_eq(refill.room, 0xF98, "what is left");
}

Test(hotspot, every_other_object_is_none) {
    static const struct {
        uint32_t at;
        uint64_t value;
        const char *what;
    } CHANGES[] = {
        {264, 0xFFF0, "another object begins the buffer"},
        {264, 0, "there is no buffer"},
        {328, 0, "nothing was counted ahead"},
        {336, 0x700000002, "the second buffer since a collection"},
    };
    struct hs_layout layout = {.thread_allocated = 384,
                               .thread_buffer_start = 264,
                               .thread_buffer_top = 272,
                               .thread_refills = 336,
                               .thread_buffer_end = 288,
                               .thread_desired = 304,
                               .thread_before = 320,
                               .thread_ahead = 328};
    struct hs_refill refill;
    uint64_t thread[64] = {0};
    for (size_t i = 0; i < sizeof CHANGES / sizeof *CHANGES; i++) {
        refill_thread(thread);
        thread[CHANGES[i].at / 8] = CHANGES[i].value;
        cr_assert_not(hs_hotspot_refill(&layout, (uintptr_t)thread, 0x10000, &refill), "%s",
                      CHANGES[i].what);
    }
    refill_thread(thread);
    layout.thread_refills = UINT32_MAX;
    cr_assert_not(hs_hotspot_refill(&layout, (uintptr_t)thread, 0x10000, &refill));
}

TABLES_TEST(buffers_are_known_only_with_all_their_fields_in_the_known_order) {
    struct hs_layout layout;
    bool is_old = tables->rows == ROWS_17;
    cr_assert_null(read_layout(tables, &layout));
    cr_assert_eq(layout.thread_refills, is_old ? 336 : UINT32_MAX);
    for (uint32_t i = 0; is_old && tables->rows[i].type != NULL; i++) {
        if (strcmp(tables->rows[i].type, "ThreadLocalAllocBuffer") != 0 &&
            strcmp(tables->rows[i].type, "Thread") != 0) {
            continue;
        }
        bool is_needed = tables->rows[i].reason == NULL;
        for (int change = 0; is_needed && change < 2; change++) {
            bool has_order = strcmp(tables->rows[i].field, "_number_of_refills") == 0 ||
                             strcmp(tables->rows[i].field, "_refill_waste_limit") == 0 ||
                             strcmp(tables->rows[i].field, "_desired_size") == 0;
            fill(tables);
            if (change == 0) {
                tables->fields[i + 1].field = "_other";
            } else if (has_order) {
                tables->fields[i + 1].offset += 8;
            } else {
                continue;
            }
            cr_assert_null(read_layout(tables, &layout), "walks do not need it");
            cr_assert_eq(layout.thread_refills, UINT32_MAX, "%s", tables->rows[i].field);
        }
    }
}
