/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Debug information in both layouts and encodings: what it says, and each way in which it can be cut or wrong. */
#include "hs_scopes.h"

#include "synthetic_scopes.h"

/* A test with each kind. */
#define SCOPES_TEST(test)                                           \
    static void test##_with(struct synthetic_scopes *scopes);       \
    Test(scopes, test) {                                            \
        for (uint32_t kind = 0; kind < SCOPES_KIND_COUNT; kind++) { \
            struct synthetic_scopes *scopes = scopes_new(kind);     \
            test##_with(scopes);                                    \
            scopes_free(scopes);                                    \
        }                                                           \
    }                                                               \
    static void test##_with(struct synthetic_scopes *scopes)

enum { PC = 40 };

static struct hs_scope found[HS_SCOPES_MAX];

static void check_scope(uint32_t i, uint32_t method, int32_t bci) {
    cr_assert_eq(found[i].method, scopes_method(method), "scope %u", i);
    cr_assert_eq(found[i].bci, bci, "scope %u: %d", i, found[i].bci);
}

/* Method 0 has inlined 7, which has inlined 199. */
static void put_three(struct synthetic_scopes *scopes) {
    uint32_t outer = scopes_put(scopes, 0, 1, 65535);
    uint32_t middle = scopes_put(scopes, outer, 8, 190);
    uint32_t inner = scopes_put(scopes, middle, 200, 191);
    scopes_put_pc(scopes, 8, outer);
    scopes_put_pc(scopes, PC, inner);
    scopes_put_pc(scopes, 99, middle);
    scopes_put_pc(scopes, INT32_MAX, 0);
}

static uint32_t decode(const struct synthetic_scopes *scopes, int32_t pc) {
    return scopes_decode(scopes, pc, scopes_method(0), found);
}

/* One scope of method 0. */
static void check_single(struct synthetic_scopes *scopes, int32_t bci, int32_t expected) {
    scopes_begin(scopes);
    scopes_put_pc(scopes, PC, scopes_put(scopes, 0, 1, bci));
    scopes_lay_out(scopes);
    cr_assert_eq(decode(scopes, PC), 1, "%d", bci);
    check_scope(0, 0, expected);
}

SCOPES_TEST(inlined_methods_come_first) {
    put_three(scopes);
    scopes_lay_out(scopes);
    cr_assert_eq(decode(scopes, PC), 3);
    check_scope(0, 199, 191);
    check_scope(1, 7, 190);
    check_scope(2, 0, 65535);
    cr_assert_eq(decode(scopes, 8), 1);
    check_scope(0, 0, 65535);
    cr_assert_eq(decode(scopes, 99), 2);
    check_scope(0, 7, 190);
}

/* The neighbours of each length that a number may have. */
SCOPES_TEST(indexes_of_any_length_are_read) {
    static const int32_t BCIS[] = {0,   1,   63,    64,    189,   190,  191,
                                   192, 254, 12413, 12478, 12479, 65534};
    for (size_t i = 0; i < sizeof BCIS / sizeof BCIS[0]; i++) {
        check_single(scopes, BCIS[i], BCIS[i]);
    }
}

SCOPES_TEST(entry_counts_as_the_first_bytecode) {
    check_single(scopes, -1, 0);
}

SCOPES_TEST(only_the_very_pc_has_a_scope) {
    put_three(scopes);
    scopes_lay_out(scopes);
    static const int32_t OTHERS[] = {-2, -1, 0, 7, 9, PC - 1, PC + 1, 98, 100, INT32_MAX};
    for (size_t i = 0; i < sizeof OTHERS / sizeof OTHERS[0]; i++) {
        cr_assert_eq(decode(scopes, OTHERS[i]), 0, "%d", OTHERS[i]);
    }
}

SCOPES_TEST(each_of_many_pcs_is_found) {
    for (int32_t i = 1; i < SCOPES_PCS; i++) {
        scopes_put_pc(scopes, 3 * i, scopes_put(scopes, 0, 1, i));
    }
    scopes_lay_out(scopes);
    for (int32_t i = 1; i < SCOPES_PCS; i++) {
        cr_assert_eq(decode(scopes, 3 * i), 1, "%d", i);
        check_scope(0, 0, i);
        cr_assert_eq(decode(scopes, 3 * i + 1), 0, "%d", i);
    }
}

SCOPES_TEST(run_ends_with_the_compiled_method) {
    put_three(scopes);
    scopes_lay_out(scopes);
    cr_assert_eq(scopes_decode(scopes, PC, scopes_method(1), found), 0);
    cr_assert_eq(scopes_decode(scopes, PC, scopes_method(199), found), 0);
}

SCOPES_TEST(run_has_a_largest_length) {
    for (uint32_t count = HS_SCOPES_MAX; count <= HS_SCOPES_MAX + 1; count++) {
        uint32_t caller = 0;
        scopes_begin(scopes);
        for (uint32_t i = 0; i < count; i++) {
            caller = scopes_put(scopes, caller, 1 + i, (int32_t)i);
        }
        scopes_put_pc(scopes, PC, caller);
        scopes_lay_out(scopes);
        cr_assert_eq(decode(scopes, PC), count <= HS_SCOPES_MAX ? count : 0);
    }
}

SCOPES_TEST(stream_that_is_cut_says_nothing) {
    put_three(scopes);
    uint32_t whole = scopes->stream_bytes;
    for (uint32_t i = 0; i <= whole; i++) {
        scopes->stream_bytes = i;
        scopes_lay_out(scopes);
        if (scopes->layout.is_apart) {
            cr_assert_eq(decode(scopes, PC), i < whole ? 0 : 3, "%u bytes", i);
        } else {
            (void)decode(scopes,
                         PC); /* padding follows, so what it says may be wrong, but is bounded */
        }
    }
}

/* The table is cut behind the row of the pc, within it, before it. */
SCOPES_TEST(table_that_is_cut_has_no_row) {
    put_three(scopes);
    for (uint32_t count = 0; count <= 5; count++) {
        scopes->pc_count = count;
        scopes_lay_out(scopes);
        cr_assert_eq(decode(scopes, PC), count > 2 ? 3 : 0, "%u rows", count);
    }
}

SCOPES_TEST(method_must_be_in_the_table) {
    static const uint32_t INDEXES[] = {0, SCOPES_METHODS + 1, SCOPES_METHODS + 2, 65536,
                                       UINT32_MAX};
    for (size_t i = 0; i < sizeof INDEXES / sizeof INDEXES[0]; i++) {
        scopes_begin(scopes);
        scopes_put_pc(scopes, PC, scopes_put(scopes, 0, INDEXES[i], 3));
        scopes_lay_out(scopes);
        cr_assert_eq(decode(scopes, PC), 0, "%u", INDEXES[i]);
    }
}

SCOPES_TEST(method_must_be_an_address) {
    static const uintptr_t ODD[] = {0, 8, 0x7f0000000001, 0x7f0000000004};
    for (size_t i = 0; i < sizeof ODD / sizeof ODD[0]; i++) {
        scopes_begin(scopes);
        scopes->methods[0] = ODD[i];
        scopes_put_pc(scopes, PC, scopes_put(scopes, 0, 1, 3));
        scopes_lay_out(scopes);
        cr_assert_eq(scopes_decode(scopes, PC, ODD[i], found), 0, "%zu", i);
    }
}

/* No chain of callers goes round. */
SCOPES_TEST(caller_is_written_before) {
    for (uint32_t caller = 1; caller < 40; caller++) {
        scopes_begin(scopes);
        scopes_put_pc(scopes, PC, scopes_put(scopes, caller, 1, 3));
        scopes_lay_out(scopes);
        cr_assert_eq(decode(scopes, PC), 0, "%u", caller);
    }
}

SCOPES_TEST(index_must_be_one_of_a_bytecode) {
    static const int32_t BCIS[] = {-2, -6, 65536, 100000, INT32_MAX, INT32_MIN};
    for (size_t i = 0; i < sizeof BCIS / sizeof BCIS[0]; i++) {
        scopes_begin(scopes);
        scopes_put_pc(scopes, PC, scopes->stream_bytes);
        scopes_put_number(scopes, 0);
        scopes_put_number(scopes, 1);
        scopes_put_number(scopes, (uint32_t)BCIS[i] + 1);
        scopes_lay_out(scopes);
        cr_assert_eq(decode(scopes, PC), 0, "%d", BCIS[i]);
    }
}

SCOPES_TEST(stream_without_zeros_has_none) {
    scopes_put_pc(scopes, PC, scopes_put(scopes, 0, 1, 3));
    for (uint32_t i = 1; i < scopes->stream_bytes && scopes->layout.has_no_zeros; i++) {
        unsigned char byte = scopes->stream[i];
        scopes->stream[i] = 0;
        scopes_lay_out(scopes);
        cr_assert_eq(decode(scopes, PC), 0, "byte %u", i);
        scopes->stream[i] = byte;
    }
}

SCOPES_TEST(place_of_a_scope_is_in_the_stream) {
    static const int32_t PLACES[] = {0, -1, INT32_MIN, INT32_MAX, SCOPES_STREAM, 5};
    for (size_t i = 0; i < sizeof PLACES / sizeof PLACES[0]; i++) {
        scopes_begin(scopes);
        (void)scopes_put(scopes, 0, 1, 3);
        scopes_put_pc(scopes, PC, (uint32_t)PLACES[i]);
        scopes_lay_out(scopes);
        cr_assert_eq(decode(scopes, PC), 0, "%d", PLACES[i]);
    }
}

/* Each field of the nmethod with each odd value: no memory beside it is read, and nothing is said, or what is true. */
SCOPES_TEST(fields_that_are_odd_lead_nowhere) {
    static const int64_t ODD[] = {
        0, 1, -1, 7, 200, 1000, 65536, INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN, 0x7f0000000000};
    const struct hs_scopes_layout *layout = &scopes->layout;
    const uint32_t fields[] = {
        layout->code,           layout->metadata,  layout->data,           layout->pcs,
        layout->pcs_end,        layout->immutable, layout->immutable_size, layout->metadata_size,
        layout->relocation_size};
    put_three(scopes);
    for (size_t f = 0; f < sizeof fields / sizeof fields[0]; f++) {
        for (size_t i = 0; i < sizeof ODD / sizeof ODD[0]; i++) {
            bool is_size = layout->is_apart && (fields[f] == layout->immutable_size ||
                                                fields[f] == layout->metadata_size);
            bool is_block = layout->is_apart &&
                            (fields[f] == layout->immutable || fields[f] == layout->metadata);
            /* A block is as large as the nmethod states, and where it states. */
            if ((is_size && ODD[i] > 0) ||
                (is_block && ODD[i] % 8 == 0 && (uint64_t)ODD[i] >= 65536)) {
                continue;
            }
            scopes_lay_out(scopes);
            if (is_size || fields[f] % 8 != 0) {
                vm_set_int(scopes->code.address + fields[f], (int32_t)ODD[i]);
            } else {
                vm_set_word(scopes->code.address + fields[f], (uintptr_t)ODD[i]);
            }
            uint32_t count = decode(scopes, PC);
            cr_assert(count == 0 || (found[count - 1].method == scopes_method(0) && !is_size));
        }
    }
}

SCOPES_TEST(block_has_room_for_the_header) {
    put_three(scopes);
    scopes_lay_out(scopes);
    for (uint64_t bytes = 0; bytes < scopes->layout.header_bytes; bytes++) {
        scopes->code.bytes = bytes;
        cr_assert_eq(decode(scopes, PC), 0);
    }
}

/* What lies behind the end of the block is not the nmethod's. */
SCOPES_TEST(parts_lie_in_the_block) {
    put_three(scopes);
    scopes_lay_out(scopes);
    while (!scopes->layout.is_apart && scopes->code.bytes > scopes->layout.header_bytes) {
        scopes->code.bytes -= 8;
        cr_assert_eq(decode(scopes, PC), 0);
    }
}

SCOPES_TEST(vm_that_does_not_say_where_is_not_decoded) {
    put_three(scopes);
    scopes_lay_out(scopes);
    scopes->layout.pc_desc_bytes = 0;
    cr_assert_eq(decode(scopes, PC), 0);
}
