/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_buffer.h"

#include <string.h>

#include "hs_mem.h"

void hs_buffer_free(struct hs_buffer *buffer) {
    hs_mem_free(buffer->data, buffer->capacity);
    memset(buffer, 0, sizeof *buffer);
}

static inline size_t held(const struct hs_buffer *buffer) {
    return buffer->length - buffer->handed_on;
}

static void hand_on(struct hs_buffer *buffer) {
    buffer->sink->write(buffer->sink, buffer->handed_on, buffer->data, held(buffer));
    buffer->handed_on = buffer->length;
}

static void grow_to(struct hs_buffer *buffer, size_t capacity) {
    unsigned char *data = hs_mem_new(capacity);
    if (data == NULL) {
        buffer->has_failed = true;
        return;
    }
    if (held(buffer) > 0) {
        memcpy(data, buffer->data, held(buffer));
    }
    hs_mem_free(buffer->data, buffer->capacity);
    buffer->data = data;
    buffer->capacity = capacity;
}

static inline bool has_room(const struct hs_buffer *buffer, size_t count) {
    return buffer->capacity - held(buffer) >= count;
}

/* Fails without memory, and for more than a block where there is a sink. */
static void make_room(struct hs_buffer *buffer, size_t count) {
    if (buffer->sink != NULL && buffer->data != NULL) {
        hand_on(buffer);
        buffer->has_failed = buffer->has_failed || !has_room(buffer, count);
        return;
    }
    size_t capacity = buffer->capacity == 0 ? HS_BUFFER_BLOCK : buffer->capacity;
    while (capacity - held(buffer) < count && capacity <= SIZE_MAX / 2) {
        capacity += capacity / 2;
    }
    grow_to(buffer, capacity);
}

bool hs_buffer_skip(struct hs_buffer *buffer, size_t count) {
    buffer->length += buffer->counts_only ? count : 0;
    return buffer->counts_only;
}

/* The same where there may be no room. */
static unsigned char *take_new(struct hs_buffer *buffer, size_t count) {
    if (!buffer->has_failed && !has_room(buffer, count)) {
        make_room(buffer, count);
    }
    if (buffer->has_failed) {
        return NULL;
    }
    unsigned char *to = buffer->data + held(buffer);
    buffer->length += count;
    return to;
}

/* Where the next `count` bytes belong; NULL where they are not kept. */
static inline unsigned char *take(struct hs_buffer *buffer, size_t count) {
    if (hs_buffer_skip(buffer, count)) {
        return NULL;
    }
    if (!has_room(buffer, count) || buffer->has_failed) {
        return take_new(buffer, count);
    }
    unsigned char *to = buffer->data + held(buffer);
    buffer->length += count;
    return to;
}

void hs_buffer_expect(struct hs_buffer *buffer, size_t count) {
    if (buffer->sink != NULL) {
        buffer->has_failed = !buffer->sink->open(buffer->sink, count);
    } else if (!buffer->has_failed && !has_room(buffer, count)) {
        grow_to(buffer, held(buffer) + count);
    }
}

void hs_buffer_end(struct hs_buffer *buffer) {
    if (buffer->sink != NULL && !buffer->has_failed && held(buffer) > 0) {
        hand_on(buffer);
    }
}

void hs_buffer_bytes(struct hs_buffer *buffer, const void *bytes, size_t count) {
    const unsigned char *from = bytes;
    if (count == 0 || hs_buffer_skip(buffer, count)) {
        return;
    }
    while (count > 0 && !buffer->has_failed) {
        size_t part = count < HS_BUFFER_BLOCK || buffer->sink == NULL ? count : HS_BUFFER_BLOCK;
        unsigned char *to = take(buffer, part);
        if (to != NULL) {
            memcpy(to, from, part);
        }
        from += part;
        count -= part;
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
    unsigned char *to = take(buffer, 4);
    if (to != NULL) {
        put_u32(to, value);
    }
}

void hs_buffer_u64(struct hs_buffer *buffer, uint64_t value) {
    unsigned char *to = take(buffer, 8);
    if (to != NULL) {
        put_u64(to, value);
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
static void patch(struct hs_buffer *buffer, size_t at, const unsigned char *bytes, size_t count) {
    bool is_there = at + count <= buffer->length;
    buffer->has_failed = buffer->has_failed || !is_there;
    if (buffer->has_failed || buffer->counts_only) {
        return;
    }
    size_t gone = at < buffer->handed_on ? buffer->handed_on - at : 0;
    gone = gone < count ? gone : count;
    if (gone > 0) {
        buffer->sink->write(buffer->sink, at, bytes, gone);
    }
    if (gone < count) {
        memcpy(buffer->data + (at + gone - buffer->handed_on), bytes + gone, count - gone);
    }
}

void hs_buffer_patch_u32(struct hs_buffer *buffer, size_t at, uint32_t value) {
    unsigned char bytes[4];
    put_u32(bytes, value);
    patch(buffer, at, bytes, sizeof bytes);
}

void hs_buffer_patch_u64(struct hs_buffer *buffer, size_t at, uint64_t value) {
    unsigned char bytes[8];
    put_u64(bytes, value);
    patch(buffer, at, bytes, sizeof bytes);
}
