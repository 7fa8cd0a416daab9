/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_buffer.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <string.h>

#include "hs_mem.h"

Test(buffer, numbers_are_little_endian) {
    static const unsigned char WANTED[] = {
        0x04, 0x03, 0x02, 0x01, 0x18, 0x17, 0x16, 0x15, 0x14, 0x13, 0x12,
        0x11, 0,    0,    0,    0,    0,    0,    0xF0, 0xBF, 'a',  'b',
    };
    size_t before = hs_mem_used();
    struct hs_buffer buffer = {0};
    hs_buffer_u32(&buffer, 0x01020304);
    hs_buffer_u64(&buffer, UINT64_C(0x1112131415161718));
    hs_buffer_f64(&buffer, -1.0);
    hs_buffer_bytes(&buffer, "abc", 2);
    hs_buffer_bytes(&buffer, NULL, 0);
    cr_assert_eq(buffer.length, sizeof WANTED);
    cr_assert(memcmp(buffer.data, WANTED, sizeof WANTED) == 0);
    cr_assert_not(buffer.has_failed);
    hs_buffer_free(&buffer);
    cr_assert_null(buffer.data);
    cr_assert_eq(buffer.length, 0);
    hs_buffer_free(&buffer);
    cr_assert_eq(hs_mem_used(), before);
}

Test(buffer, aligns_with_zeros_to_eight) {
    for (size_t n = 0; n <= 17; n++) {
        struct hs_buffer buffer = {0};
        hs_buffer_bytes(&buffer, "xxxxxxxxxxxxxxxxx", n);
        hs_buffer_align(&buffer);
        cr_assert_eq(buffer.length, (n + 7) / 8 * 8);
        for (size_t i = n; i < buffer.length; i++) {
            cr_assert_eq(buffer.data[i], 0);
        }
        hs_buffer_free(&buffer);
    }
}

Test(buffer, patches_what_was_written) {
    struct hs_buffer buffer = {0};
    for (uint32_t i = 0; i < 4; i++) {
        hs_buffer_u32(&buffer, 0x11111111 * i);
    }
    hs_buffer_patch_u32(&buffer, 12, 0xDDCCBBAA);
    hs_buffer_patch_u64(&buffer, 4, UINT64_C(0x0807060504030201));
    cr_assert_eq(buffer.length, 16);
    cr_assert(memcmp(buffer.data, "\0\0\0\0\1\2\3\4\5\6\7\10\xAA\xBB\xCC\xDD", 16) == 0);
    hs_buffer_free(&buffer);
}

Test(buffer, a_patch_beyond_the_end_fails) {
    struct hs_buffer buffer = {0};
    hs_buffer_u64(&buffer, 1);
    hs_buffer_patch_u32(&buffer, 5, 1);
    cr_assert(buffer.has_failed);
    hs_buffer_free(&buffer);
    hs_buffer_u64(&buffer, 1);
    hs_buffer_patch_u64(&buffer, 1, 1);
    cr_assert(buffer.has_failed);
    hs_buffer_free(&buffer);
}

Test(buffer, grows_and_keeps_what_it_holds) {
    size_t before = hs_mem_used();
    struct hs_buffer buffer = {0};
    static unsigned char piece[300000];
    memset(piece, 'p', sizeof piece);
    for (uint32_t i = 0; i < 50000; i++) {
        hs_buffer_u32(&buffer, i);
    }
    hs_buffer_bytes(&buffer, piece, sizeof piece); /* more than twice the capacity */
    hs_buffer_u32(&buffer, 7);
    cr_assert_not(buffer.has_failed);
    cr_assert_eq(buffer.length, 200000 + sizeof piece + 4);
    for (uint32_t i = 0; i < 50000; i++) {
        cr_assert_eq(buffer.data[4 * i] | buffer.data[4 * i + 1] << 8, i & 0xFFFF);
    }
    cr_assert(memcmp(buffer.data + 200000, piece, sizeof piece) == 0);
    hs_buffer_free(&buffer);
    cr_assert_eq(hs_mem_used(), before);
}

Test(buffer, room_made_before_lets_it_fill_up_without_memory) {
    struct hs_buffer buffer = {0};
    hs_buffer_u32(&buffer, 1);
    hs_buffer_expect(&buffer, 1000000);
    cr_assert_eq(buffer.length, 4, "room is no content");
    hs_mem_fail_at(1);
    for (uint32_t i = 0; i < 250000; i++) {
        hs_buffer_u32(&buffer, i);
    }
    hs_mem_fail_at(0);
    cr_assert_not(buffer.has_failed);
    cr_assert_eq(buffer.length, 1000004);
    hs_buffer_free(&buffer);
}

Test(buffer, a_failure_sticks_and_harms_nothing) {
    size_t before = hs_mem_used();
    struct hs_buffer buffer = {0};
    hs_buffer_u32(&buffer, 1);
    hs_mem_fail_at(1);
    for (uint32_t i = 0; i < 50000; i++) {
        hs_buffer_u32(&buffer, i);
    }
    hs_mem_fail_at(0);
    cr_assert(buffer.has_failed);
    size_t length = buffer.length;
    hs_buffer_u64(&buffer, 1);
    hs_buffer_bytes(&buffer, "abc", 3);
    hs_buffer_align(&buffer);
    hs_buffer_patch_u32(&buffer, 1000000, 1);
    hs_buffer_patch_u64(&buffer, 1000000, 1);
    cr_assert_eq(buffer.length, length);
    hs_buffer_free(&buffer);
    cr_assert_eq(hs_mem_used(), before);
}

Test(buffer, a_size_beyond_all_memory_fails) {
    struct hs_buffer buffer = {0};
    hs_buffer_u32(&buffer, 1);
    hs_buffer_bytes(&buffer, &buffer, SIZE_MAX - 2);
    cr_assert(buffer.has_failed);
    hs_buffer_free(&buffer);
}

Test(buffer, bytes_are_counted_without_memory) {
    struct hs_buffer buffer = {.counts_only = true};
    hs_mem_fail_at(1);
    hs_buffer_u32(&buffer, 1);
    hs_buffer_align(&buffer);
    hs_buffer_u64(&buffer, 1);
    hs_buffer_f64(&buffer, 1.0);
    hs_buffer_bytes(&buffer, "abc", 3);
    hs_buffer_patch_u32(&buffer, 4, 7);
    hs_buffer_patch_u64(&buffer, 8, 7);
    hs_mem_fail_at(0);
    cr_assert_not(buffer.has_failed);
    cr_assert_eq(buffer.length, 27);
    hs_buffer_patch_u64(&buffer, 20, 7);
    cr_assert(buffer.has_failed, "there is no such place");
    hs_buffer_free(&buffer);
}

Test(buffer, what_need_not_be_inspected_is_only_counted) {
    struct hs_buffer counting = {.counts_only = true};
    struct hs_buffer buffer = {0};
    cr_assert(hs_buffer_skip(&counting, 1000));
    cr_assert_eq(counting.length, 1000);
    cr_assert_not(hs_buffer_skip(&buffer, 1000), "its bytes have to come");
    cr_assert_eq(buffer.length, 0);
    hs_buffer_free(&buffer);
}

enum { SUNK = 1000000 };

struct array {
    struct hs_sink sink;
    unsigned char bytes[SUNK];
    size_t end;    /* one more than the highest place that was written */
    size_t opened; /* for this many bytes */
    bool has_room;
};

static bool open_array(struct hs_sink *sink, size_t bytes) {
    struct array *array = (struct array *)sink;
    cr_assert_leq(bytes, SUNK);
    array->opened = bytes;
    return array->has_room;
}

static void write_array(struct hs_sink *sink, size_t at, const void *bytes, size_t count) {
    struct array *array = (struct array *)sink;
    cr_assert_leq(count, HS_BUFFER_BLOCK);
    cr_assert_leq(at, array->end, "there is no hole");
    cr_assert_leq(at + count, SUNK);
    memcpy(array->bytes + at, bytes, count);
    array->end = at + count > array->end ? at + count : array->end;
}

/* Writes what is random in kind, length and place, but the same each time. */
static void write_some(struct hs_buffer *buffer) {
    static unsigned char piece[200000];
    uint32_t random = 1;
    for (uint32_t i = 0; i < 20000; i++) {
        random = random * 1664525 + 1013904223;
        memset(piece, (int)i, 64);
        switch (random >> 29) {
        case 0: hs_buffer_bytes(buffer, piece, random % 64); break;
        case 1: hs_buffer_align(buffer); break;
        case 2: hs_buffer_u64(buffer, random); break;
        case 3: hs_buffer_patch_u64(buffer, random % (buffer->length - 7), random); break;
        case 4: hs_buffer_patch_u32(buffer, buffer->length - 4, i); break;
        default: hs_buffer_u32(buffer, i);
        }
    }
    hs_buffer_bytes(buffer, piece, sizeof piece);
    hs_buffer_patch_u32(buffer, 0, 7);
    hs_buffer_end(buffer);
}

Test(buffer, a_sink_gets_what_a_buffer_would_have_kept) {
    static struct array array = {.sink = {open_array, write_array}, .has_room = true};
    size_t before = hs_mem_used();
    struct hs_buffer kept = {0};
    struct hs_buffer buffer = {.sink = &array.sink};
    hs_buffer_u64(&kept, 1);
    write_some(&kept);
    hs_buffer_expect(&buffer, kept.length);
    cr_assert_eq(array.opened, kept.length);
    hs_buffer_u64(&buffer, 1);
    write_some(&buffer);
    cr_assert_not(buffer.has_failed);
    cr_assert_eq(buffer.length, kept.length);
    cr_assert_eq(array.end, kept.length);
    cr_assert(memcmp(array.bytes, kept.data, kept.length) == 0);
    cr_assert_gt(kept.length, 4 * (size_t)HS_BUFFER_BLOCK);
    hs_buffer_free(&kept);
    cr_assert_leq(hs_mem_used() - before, HS_BUFFER_BLOCK);
    hs_buffer_free(&buffer);
    cr_assert_eq(hs_mem_used(), before);
}

Test(buffer, a_sink_without_room_gets_nothing) {
    static struct array array = {.sink = {open_array, write_array}};
    struct hs_buffer buffer = {.sink = &array.sink};
    hs_buffer_expect(&buffer, 8);
    hs_buffer_u64(&buffer, 1);
    hs_buffer_patch_u32(&buffer, 0, 7);
    hs_buffer_end(&buffer);
    cr_assert(buffer.has_failed);
    cr_assert_eq(array.end, 0);
    hs_buffer_free(&buffer);
}
