/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Buffer: a growing block of bytes, little-endian, for the encoder.
 *
 * Errors stick: after a failed allocation every further write does nothing, and hs_buffer_failed
 * says so at the end. Thread: one at a time. */
#ifndef HS_BUFFER_H
#define HS_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hs_buffer {
    unsigned char *data;
    size_t length;
    size_t capacity;
    bool has_failed;
};

void hs_buffer_free(struct hs_buffer *buffer);
/* Makes room for `count` more bytes at once: a buffer that grows needs the old and the new block. */
void hs_buffer_reserve(struct hs_buffer *buffer, size_t count);

void hs_buffer_bytes(struct hs_buffer *buffer, const void *bytes, size_t count);
void hs_buffer_u32(struct hs_buffer *buffer, uint32_t value);
void hs_buffer_u64(struct hs_buffer *buffer, uint64_t value);
void hs_buffer_f64(struct hs_buffer *buffer, double value);

/* Zeros up to the next multiple of 8. */
void hs_buffer_align(struct hs_buffer *buffer);

/* Overwrites at an offset written before. */
void hs_buffer_patch_u32(struct hs_buffer *buffer, size_t at, uint32_t value);
void hs_buffer_patch_u64(struct hs_buffer *buffer, size_t at, uint64_t value);

#endif
