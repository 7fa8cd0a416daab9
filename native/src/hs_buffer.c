/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_buffer.h"

#include <string.h>

#include "hs_mem.h"

enum { FIRST_CAPACITY = 64 * 1024 };

void hs_buffer_free(struct hs_buffer *buffer) {
    hs_mem_free(buffer->data, buffer->capacity);
    memset(buffer, 0, sizeof *buffer);
}

static bool reserve(struct hs_buffer *buffer, size_t count) {
    if (buffer->has_failed) {
        return false;
    }
    if (buffer->capacity - buffer->length >= count) {
        return true;
    }
    size_t capacity = buffer->capacity == 0 ? FIRST_CAPACITY : buffer->capacity;
    while (capacity - buffer->length < count && capacity <= SIZE_MAX / 2) {
        capacity += capacity / 2;
    }
    unsigned char *data = hs_mem_new(capacity);
    if (data == NULL) {
        buffer->has_failed = true;
        return false;
    }
    if (buffer->length > 0) {
        memcpy(data, buffer->data, buffer->length);
    }
    hs_mem_free(buffer->data, buffer->capacity);
    buffer->data = data;
    buffer->capacity = capacity;
    return true;
}

void hs_buffer_reserve(struct hs_buffer *buffer, size_t count) {
    (void)reserve(buffer, count);
}

void hs_buffer_bytes(struct hs_buffer *buffer, const void *bytes, size_t count) {
    if (count > 0 && reserve(buffer, count)) {
        memcpy(buffer->data + buffer->length, bytes, count);
        buffer->length += count;
    }
}

static void put_u32(unsigned char *to, uint32_t value) {
    for (int i = 0; i < 4; i++) {
        to[i] = (unsigned char)(value >> (8 * i));
    }
}

static void put_u64(unsigned char *to, uint64_t value) {
    put_u32(to, (uint32_t)value);
    put_u32(to + 4, (uint32_t)(value >> 32));
}

void hs_buffer_u32(struct hs_buffer *buffer, uint32_t value) {
    if (reserve(buffer, 4)) {
        put_u32(buffer->data + buffer->length, value);
        buffer->length += 4;
    }
}

void hs_buffer_u64(struct hs_buffer *buffer, uint64_t value) {
    if (reserve(buffer, 8)) {
        put_u64(buffer->data + buffer->length, value);
        buffer->length += 8;
    }
}

void hs_buffer_f64(struct hs_buffer *buffer, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    hs_buffer_u64(buffer, bits);
}

void hs_buffer_align(struct hs_buffer *buffer) {
    static const unsigned char ZEROS[8];
    hs_buffer_bytes(buffer, ZEROS, (8 - buffer->length % 8) % 8);
}

/* A wrong place spoils this block, and is no reason to end the host. */
static bool has_place(struct hs_buffer *buffer, size_t at, size_t count) {
    buffer->has_failed = buffer->has_failed || at + count > buffer->length;
    return !buffer->has_failed;
}

void hs_buffer_patch_u32(struct hs_buffer *buffer, size_t at, uint32_t value) {
    if (has_place(buffer, at, 4)) {
        put_u32(buffer->data + at, value);
    }
}

void hs_buffer_patch_u64(struct hs_buffer *buffer, size_t at, uint64_t value) {
    if (has_place(buffer, at, 8)) {
        put_u64(buffer->data + at, value);
    }
}
