/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Reads a snapshot block as doc/snapshot-format.md describes it, and checks its frame on the way. */
#ifndef BLOCK_H
#define BLOCK_H

#include <criterion/criterion.h>
#include <string.h>

#include "hs_buffer.h"

enum {
    INFO = 1,
    DROPS,
    NAMES,
    FRAMES,
    STACKS,
    SITES,
    THREADS,
    LIVE,
    DEAD,
    LIFETIMES,
    DENSITY,
    REACH,
    PLACES,
    HELD, /* not of the library */
    LABELS,
    SITE_LABELS,
    EXAMPLES,
    TAGS
};
#define BLOCK_NONE UINT32_MAX

struct section {
    const unsigned char *data;
    uint32_t count;
    size_t bytes;
};

struct block {
    struct section sections[TAGS];
};

static inline uint32_t block_u32(const unsigned char *data, size_t at) {
    data += at;
    return (uint32_t)data[0] | (uint32_t)data[1] << 8 | (uint32_t)data[2] << 16 |
           (uint32_t)data[3] << 24;
}

static inline uint64_t block_u64(const unsigned char *data, size_t at) {
    return block_u32(data, at) | (uint64_t)block_u32(data, at + 4) << 32;
}

static inline double block_f64(const unsigned char *data, size_t at) {
    uint64_t bits = block_u64(data, at);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline struct block block_read(const struct hs_buffer *buffer) {
    static const size_t ENTRY_BYTES[TAGS] = {0,  208, 8,  0, 28, 0, 64, 64, 40,
                                             56, 392, 16, 1, 4,  0, 0,  4,  32};
    struct block block = {0};
    const unsigned char *data = buffer->data;
    cr_assert_geq(buffer->length, 32);
    cr_assert(memcmp(data, "HSNP\1\0\40\0", 8) == 0, "magic, version 1, 32 bytes of header");
    uint32_t more = block_u32(data, 8) - PLACES; /* two with labels, one with examples */
    cr_assert_leq(more, 3u);
    cr_assert_eq(block_u32(data, 12), 0);
    cr_assert_eq(block_u64(data, 16), buffer->length);
    cr_assert_eq(block_u64(data, 24), 0);
    size_t at = 32;
    for (uint32_t tag = 1; tag < TAGS; tag++) {
        bool is_label = tag == LABELS || tag == SITE_LABELS;
        if (tag == HELD || (is_label && more < 2) || (tag == EXAMPLES && more % 2 == 0)) {
            continue;
        }
        struct section *section = &block.sections[tag];
        cr_assert_leq(at + 16, buffer->length);
        cr_assert_eq(block_u32(data, at), tag, "tags ascend");
        section->count = block_u32(data, at + 4);
        section->bytes = block_u64(data, at + 8);
        section->data = data + at + 16;
        if (ENTRY_BYTES[tag] != 0) {
            cr_assert_eq(section->bytes, section->count * ENTRY_BYTES[tag], "section %u", tag);
        }
        for (at += 16 + section->bytes; at % 8 != 0; at++) {
            cr_assert_eq(data[at], 0);
        }
    }
    cr_assert_eq(at, buffer->length);
    return block;
}

static inline int64_t block_info(const struct block *block, int i) {
    return (int64_t)block_u64(block->sections[INFO].data, 8 * (size_t)i);
}

/* Entry i of a section with entries of this many bytes. */
static inline const unsigned char *block_entry(const struct block *block, int tag, uint32_t i,
                                               size_t bytes) {
    cr_assert_lt(i, block->sections[tag].count);
    return block->sections[tag].data + i * bytes;
}

static inline bool block_name_is(const struct block *block, uint32_t index, const char *text) {
    const struct section *names = &block->sections[NAMES];
    size_t at = 0;
    cr_assert_lt(index, names->count);
    for (uint32_t i = 0; i < index; i++) {
        at += 4 + block_u32(names->data, at);
    }
    return block_u32(names->data, at) == strlen(text) &&
           memcmp(names->data + at + 4, text, strlen(text)) == 0;
}

/* Is this the set of labels of a site, as bytes? */
static inline bool block_labels_are(const struct block *block, uint32_t site, const char *bytes,
                                    size_t count) {
    const struct section *labels = &block->sections[LABELS];
    uint32_t index = block_u32(block_entry(block, SITE_LABELS, site, 4), 0);
    size_t at = 0;
    cr_assert_lt(index, labels->count);
    for (uint32_t i = 0; i < index; i++) {
        at += 4 + block_u32(labels->data, at);
    }
    return block_u32(labels->data, at) == count && memcmp(labels->data + at + 4, bytes, count) == 0;
}

/* Where stack number `index` starts in its section. */
static inline const unsigned char *block_stack(const struct block *block, uint32_t index) {
    const struct section *stacks = &block->sections[STACKS];
    size_t at = 0;
    cr_assert_lt(index, stacks->count);
    for (uint32_t i = 0; i < index; i++) {
        at += 4 + 4 * (size_t)(block_u32(stacks->data, at) & 0x7FFFFFFF);
    }
    return stacks->data + at;
}

#endif
