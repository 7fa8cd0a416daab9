/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Buffer: bytes in a row, little-endian, for the encoder. They stay in one growing block, go to a sink in
 * blocks, or are only counted.
 *
 * Errors stick: after a failed allocation every further write does nothing, and `has_failed` says so at the
 * end. Thread: one at a time. */
#ifndef HS_BUFFER_H
#define HS_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The receiver of a buffer's bytes. */
struct hs_sink {
    /* Called once, before all writes, with the number of bytes. Returns false without room for them. */
    bool (*open)(struct hs_sink *sink, size_t bytes);
    /* Writes bytes at an offset. Most calls continue the last one; some overwrite what is there. */
    void (*write)(struct hs_sink *sink, size_t at, const void *bytes, size_t count);
};

struct hs_buffer {
    unsigned char *data; /* from `handed_on` on */
    size_t length;
    size_t capacity;
    bool has_failed;
    bool counts_only;     /* set before the first write: takes no memory */
    struct hs_sink *sink; /* also set before; NULL: all bytes stay here */
    size_t handed_on;     /* bytes that have gone to the sink */
};

/* The largest block that goes to a sink, in bytes. */
enum { HS_BUFFER_BLOCK = 64 * 1024 };

void hs_buffer_free(struct hs_buffer *buffer);

/* Says before the first write how many bytes will come. Fails: has_failed, without room for them. */
void hs_buffer_expect(struct hs_buffer *buffer, size_t count);

/* Writes the rest to the sink, if there is one. */
void hs_buffer_end(struct hs_buffer *buffer);

void hs_buffer_bytes(struct hs_buffer *buffer, const void *bytes, size_t count);
void hs_buffer_u32(struct hs_buffer *buffer, uint32_t value);
void hs_buffer_u64(struct hs_buffer *buffer, uint64_t value);
void hs_buffer_f64(struct hs_buffer *buffer, double value);

/* In a buffer that only counts: adds `count` to the length and returns true. In any other: returns false. */
bool hs_buffer_skip(struct hs_buffer *buffer, size_t count);

/* Zeros up to the next multiple of 8. */
void hs_buffer_align(struct hs_buffer *buffer);

/* Overwrites at an offset written before. */
void hs_buffer_patch_u32(struct hs_buffer *buffer, size_t at, uint32_t value);
void hs_buffer_patch_u64(struct hs_buffer *buffer, size_t at, uint64_t value);

#endif
