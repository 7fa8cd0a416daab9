/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Tables like those of libjvm, over the heaps of a synthetic VM; then the same with each thing that
 * can be missing or odd. */
#include "hs_hotspot.h"

#include <dlfcn.h>
#include <stdio.h>

#include "fakejvm/fakejvm.h"
#include "hotspot_tables.h"

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

/* Applies the change to each row that counts, one at a time; `change` returns whether it did. */
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

/* Beyond 32 bits: the truncated value must not look fine. */
static bool move_far_away(struct hs_vm_field *field, const struct row *row) {
    field->offset += UINT64_C(1) << 32;
    return row->alignment != 0;
}

static bool misalign(struct hs_vm_field *field, const struct row *row) {
    field->offset += row->alignment / 2;
    return row->alignment > 1;
}

static bool make_narrow(struct hs_vm_field *field, const struct row *row) {
    field->field_type = type_of_bytes(row->alignment / 2);
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

TABLES_TEST(each_field_has_as_many_bytes_as_are_read) {
    check_each_row(tables, "narrower", make_narrow);
}

TABLES_TEST(a_field_may_be_wider_or_of_a_type_that_is_not_described) {
    for (uint32_t i = 0; tables->rows[i].type != NULL; i++) {
        fill(tables);
        tables->fields[i + 1].field_type = "address";
        check_fine(tables);
        tables->fields[i + 1].field_type = "Method*";
        check_fine(tables);
        tables->fields[i + 1].field_type = NULL;
        check_fine(tables);
    }
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

/* ---- debug information ---- */

static void check_scopes(const struct tables *tables, bool are_known, const char *what) {
    struct hs_layout layout;
    const char *reason = read_layout(tables, &layout);
    cr_assert_null(reason, "%s: no reason to give walks up: %s", what, reason);
    cr_assert_eq(layout.scopes.pc_desc_bytes != 0, are_known, "%s", what);
}

/* Rows that walks do not need, and debug information does. */
static bool is_of_scopes(const struct row *row) {
    static const char *const FIELDS[] = {
        "_code_begin",          "_metadata_offset", "_scopes_data_begin",   "_scopes_pcs_offset",
        "_dependencies_offset", "_pc_offset",       "_scope_decode_offset", "_access_flags",
        "_scopes_data_offset",  "_immutable_data",  "_immutable_data_size", "_mutable_data",
        "_mutable_data_size",   "_relocation_size", "_code_offset"};
    bool is = false;
    for (size_t i = 0; i < sizeof FIELDS / sizeof FIELDS[0]; i++) {
        is = is || strcmp(row->field, FIELDS[i]) == 0;
    }
    return is;
}

TABLES_TEST(without_each_of_its_fields_debug_information_is_not_read) {
    uint32_t count = 0;
    check_scopes(tables, true, "all");
    for (uint32_t i = 0; tables->rows[i].type != NULL; i++) {
        const struct row *row = &tables->rows[i];
        if (!is_of_scopes(row)) {
            continue;
        }
        bool (*const CHANGES[])(struct hs_vm_field *, const struct row *) = {
            rename_type, rename_field, move_away, move_far_away, misalign, make_narrow, make_other};
        for (size_t change = 0; change < sizeof CHANGES / sizeof CHANGES[0]; change++) {
            fill(tables);
            (void)CHANGES[change](&tables->fields[i + 1], row);
            check_scopes(tables, false, row->field);
        }
        count++;
    }
    cr_assert_geq(count, 8);
}

static struct hs_vm_type *type_of(struct tables *tables, const char *name) {
    struct hs_vm_type *type = tables->types;
    while (strcmp(type->type, name) != 0) {
        type++;
    }
    return type;
}

TABLES_TEST(row_of_a_pc_has_a_plausible_size) {
    static const uint64_t ODD[] = {0, 2, 3, 4, 18, 68, (UINT64_C(1) << 32) + 16, UINT64_MAX};
    for (size_t i = 0; i < sizeof ODD / sizeof ODD[0]; i++) {
        type_of(tables, "PcDesc")->size = ODD[i];
        check_scopes(tables, false, "size of PcDesc");
    }
    type_of(tables, "PcDesc")->size = 64;
    check_scopes(tables, true, "size of PcDesc");
    type_of(tables, "nmethod")->size = 0;
    check_scopes(tables, false, "size of nmethod");
    type_of(tables, "nmethod")->size = 100000;
    check_scopes(tables, false, "size of nmethod");
}

/* JDK 23 and 24 have no CompiledMethod either, and keep Methods in the block of the code. */
TABLES_TEST(layout_between_the_two_is_not_read) {
    if (tables->rows == ROWS_17) {
        type_of(tables, "CompiledMethod")->type = "Other";
        struct hs_layout layout;
        (void)read_layout(tables, &layout);
        cr_assert_eq(layout.scopes.pc_desc_bytes, 0);
    }
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
