/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_scopes.h"

#include <string.h>

/* UNSIGNED5: a byte below HIGH ends a number; each other one contributes 6 bits, and at most 5 bytes are read. From JDK 20 on no byte is 0, and each
 * counts one less. */
enum { HIGH = 192, BITS = 6, MOST_BYTES = 5 };

/* No process has anything below. */
enum { LOWEST_ADDRESS = 64 * 1024 };

static uintptr_t word_at(uintptr_t address) {
    uintptr_t word;
    memcpy(&word, (const void *)address, sizeof word);
    return word;
}

static int32_t int_at(uintptr_t address) {
    int32_t value;
    memcpy(&value, (const void *)address, sizeof value);
    return value;
}

/* Bytes from `begin` on. */
struct area {
    uintptr_t begin;
    uint64_t bytes;
};

/* The debug information of one nmethod. */
struct debug_info {
    uintptr_t code; /* what offsets of pcs count from */
    struct area pcs;
    struct area stream;
    struct area metadata;
};

/* The part of an area from `from` to `to`, exclusive; empty where that is none. */
static struct area part_of(const struct area *area, int64_t from, int64_t to) {
    bool is_part = from >= 0 && to >= from && (uint64_t)to <= area->bytes;
    return is_part ? (struct area){area->begin + (uintptr_t)from, (uint64_t)(to - from)}
                   : (struct area){area->begin, 0};
}

static bool is_address(uintptr_t address, size_t alignment) {
    return address >= LOWEST_ADDRESS && address % alignment == 0;
}

/* A block that the nmethod names, with the size that it states. */
static struct area block_of(uintptr_t nmethod, uint32_t address, uint32_t size) {
    uintptr_t begin = word_at(nmethod + address);
    int32_t bytes = int_at(nmethod + size);
    bool is_block = is_address(begin, sizeof begin) && bytes > 0;
    return is_block ? (struct area){begin, (uint64_t)bytes} : (struct area){0, 0};
}

/* All of it lies in the block of the nmethod: Methods, stream, pcs. */
static void find_inside(const struct hs_scopes_layout *layout, const struct area *code,
                        struct debug_info *info) {
    uintptr_t nmethod = code->begin;
    int64_t data = (int64_t)(word_at(nmethod + layout->data) - nmethod);
    int64_t pcs = int_at(nmethod + layout->pcs);
    info->code = word_at(nmethod + layout->code);
    info->metadata = part_of(code, int_at(nmethod + layout->metadata), data);
    info->stream = part_of(code, data, pcs);
    info->pcs = part_of(code, pcs, int_at(nmethod + layout->pcs_end));
}

/* Pcs and stream lie in a block that never changes, the Methods behind the relocations in another one. */
static void find_apart(const struct hs_scopes_layout *layout, const struct area *code,
                       struct debug_info *info) {
    uintptr_t nmethod = code->begin;
    struct area fixed = block_of(nmethod, layout->immutable, layout->immutable_size);
    struct area changing = block_of(nmethod, layout->metadata, layout->metadata_size);
    int64_t data = int_at(nmethod + layout->data);
    info->code = nmethod + (uintptr_t)(intptr_t)int_at(nmethod + layout->code);
    info->pcs = part_of(&fixed, int_at(nmethod + layout->pcs), data);
    info->stream = part_of(&fixed, data, (int64_t)fixed.bytes);
    info->metadata =
        part_of(&changing, int_at(nmethod + layout->relocation_size), (int64_t)changing.bytes);
}

/* The place in the stream that a pc leads to; 0: none. The table is sorted. */
static uint32_t find_scope(const struct hs_scopes_layout *layout, const struct debug_info *info,
                           uintptr_t pc) {
    uint64_t low = 0;
    uint64_t high = info->pcs.bytes / layout->pc_desc_bytes;
    int64_t distance = (int64_t)(pc - info->code);
    /* The table begins and ends with rows that are none. */
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        uintptr_t desc = info->pcs.begin + (uintptr_t)(middle * layout->pc_desc_bytes);
        int64_t found = int_at(desc + layout->pc_desc_pc);
        if (found == distance) {
            int32_t at = int_at(desc + layout->pc_desc_scope);
            return at > 0 ? (uint32_t)at : 0;
        }
        if (found < distance) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return 0;
}

/* Reads one number; false behind the end, and of a byte that no number has. */
static bool read_number(const struct hs_scopes_layout *layout, const struct area *stream,
                        uint64_t *at, uint32_t *number) {
    uint32_t base = layout->has_no_zeros ? 1 : 0;
    *number = 0;
    for (uint32_t i = 0; i < MOST_BYTES; i++) {
        if (*at >= stream->bytes) {
            return false;
        }
        uint32_t byte = *(const uint8_t *)(stream->begin + (uintptr_t)(*at)++);
        if (byte < base) {
            return false;
        }
        *number += (byte - base) << (BITS * i);
        if (byte < HIGH) {
            return true;
        }
    }
    return true;
}

/* One scope, and where its caller's is; 0: there is none. */
static bool read_scope(const struct hs_scopes_layout *layout, const struct debug_info *info,
                       uint32_t at, struct hs_scope *scope, uint32_t *caller) {
    uint64_t place = at;
    uint32_t index;
    uint32_t bci;
    if (!read_number(layout, &info->stream, &place, caller) ||
        !read_number(layout, &info->stream, &place, &index) ||
        !read_number(layout, &info->stream, &place, &bci)) {
        return false;
    }
    /* A caller is written first. */
    if (*caller >= at || index == 0 || index > info->metadata.bytes / sizeof(uintptr_t) ||
        bci > UINT16_MAX + 1) {
        return false;
    }
    scope->method = word_at(info->metadata.begin + (uintptr_t)(index - 1) * sizeof(uintptr_t));
    if (!is_address(scope->method, sizeof(uintptr_t))) {
        return false;
    }
    /* Stored with 1 added; the place before the first bytecode is -1, and JVMTI calls it 0. */
    scope->bci = bci == 0 ? 0 : (int32_t)bci - 1;
    return true;
}

uint32_t hs_scopes_decode(const struct hs_scopes_layout *layout, const struct hs_scopes_code *code,
                          uintptr_t pc, uintptr_t root, struct hs_scope *scopes) {
    struct area block = {code->address, code->bytes};
    struct debug_info info;
    if (layout->pc_desc_bytes == 0 || code->bytes < layout->header_bytes) {
        return 0;
    }
    if (layout->is_apart) {
        find_apart(layout, &block, &info);
    } else {
        find_inside(layout, &block, &info);
    }
    uint32_t at = find_scope(layout, &info, pc);
    uint32_t count = 0;
    for (; at != 0 && count < HS_SCOPES_MAX; count++) {
        if (!read_scope(layout, &info, at, &scopes[count], &at)) {
            return 0;
        }
    }
    return at == 0 && count != 0 && scopes[count - 1].method == root ? count : 0;
}
