/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Buffer: bytes in a row, little-endian, for the encoder. They are kept in one growing block, or handed on to a sink
 * from time to time, or only counted.
 *
 * Errors stick: after a failed allocation every further write does nothing, and `has_failed` says so at the
 * end. Thread: one at a time. */
#ifndef HS_BUFFER_H
#define HS_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Who takes the bytes of a buffer. */
struct hs_sink {
    /* So many bytes will come. False: there is no room for them. */
    bool (*open)(struct hs_sink *sink, size_t bytes);
    /* These belong at this place. Most come in a row, and some are written again. */
    void (*write)(struct hs_sink *sink, size_t at, const void *bytes, size_t count);
};

struct hs_buffer {
    unsigned char *data; /* from `handed_on` on */
    size_t length;
    size_t capacity;
    bool has_failed;
    bool counts_only;     /* set before the first write: takes no memory */
    struct hs_sink *sink; /* likewise; NULL: all bytes stay here */
    size_t handed_on;     /* so many have gone to the sink */
};

/* Bytes go to a sink in blocks of so many at most. */
enum { HS_BUFFER_BLOCK = 64 * 1024 };

void hs_buffer_free(struct hs_buffer *buffer);

/* Says before the first write how many bytes will come. Fails: has_failed, without room for them. */
void hs_buffer_expect(struct hs_buffer *buffer, size_t count);

/* Hands on what is left, where there is a sink. */
void hs_buffer_end(struct hs_buffer *buffer);

void hs_buffer_bytes(struct hs_buffer *buffer, const void *bytes, size_t count);
void hs_buffer_u32(struct hs_buffer *buffer, uint32_t value);
void hs_buffer_u64(struct hs_buffer *buffer, uint64_t value);
void hs_buffer_f64(struct hs_buffer *buffer, double value);

/* Where bytes are only counted: counts so many that would be written, and answers true. Else does nothing. */
bool hs_buffer_skip(struct hs_buffer *buffer, size_t count);

/* Zeros up to the next multiple of 8. */
void hs_buffer_align(struct hs_buffer *buffer);

/* Overwrites at an offset written before. */
void hs_buffer_patch_u32(struct hs_buffer *buffer, size_t at, uint32_t value);
void hs_buffer_patch_u64(struct hs_buffer *buffer, size_t at, uint64_t value);

#endif
