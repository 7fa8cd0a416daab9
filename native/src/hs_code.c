/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_code.h"

#include <string.h>

/* A free segment, and the largest number of steps back that one entry can say. */
enum { FREE_SEGMENT = 0xFF };

/* No frame is larger: the VM's stack bang is far below. */
enum { MAX_FRAME_WORDS = 128 * 1024 };

static uintptr_t word_at(uintptr_t address) {
    return *(const uintptr_t *)address;
}

static int32_t int_at(uintptr_t address) {
    return *(const int32_t *)address;
}

void hs_code_init(struct hs_code *code, const struct hs_layout *layout) {
    memset(code, 0, sizeof *code);
    code->layout = layout;
}

/* The map has a byte per segment: how many segments to go back towards the beginning of the block,
 * at most; 0 is the beginning. */
static uintptr_t blob_of(const struct hs_layout *layout, uintptr_t heap, uintptr_t low,
                         uintptr_t pc) {
    const uint8_t *map = (const uint8_t *)word_at(heap + layout->heap_segments_low);
    uint32_t log2 = (uint32_t)int_at(heap + layout->heap_log2_segment);
    uintptr_t segment = (pc - low) >> log2;
    if (map[segment] == FREE_SEGMENT) {
        return 0;
    }
    while (map[segment] > 0) {
        if (map[segment] > segment) {
            return 0; /* before the first block: no map is like that */
        }
        segment -= map[segment];
    }
    uintptr_t block = low + (segment << log2);
    bool is_used = *(const uint8_t *)(block + layout->block_used) != 0;
    return is_used && pc >= block + layout->block_bytes ? block + layout->block_bytes : 0;
}

static uintptr_t find_blob(const struct hs_layout *layout, uintptr_t pc) {
    for (uint32_t i = 0; i < layout->heap_count; i++) {
        uintptr_t heap = layout->heaps[i];
        uintptr_t low = word_at(heap + layout->heap_low);
        if (pc >= low && pc < word_at(heap + layout->heap_high)) {
            return blob_of(layout, heap, low, pc);
        }
    }
    return 0;
}

/* Blobs that have a frame, but whose frame the VM itself treats in a way of its own. */
static bool is_peculiar(const char *name) {
    static const char *const PECULIAR[] = {"DeoptimizationBlob", "UncommonTrapBlob",
                                           "SafepointBlob", "ExceptionBlob", "I2C/C2I adapters"};
    for (size_t i = 0; i < sizeof PECULIAR / sizeof PECULIAR[0]; i++) {
        if (strcmp(name, PECULIAR[i]) == 0) {
            return true;
        }
    }
    return strncmp(name, "MethodHandles", strlen("MethodHandles")) == 0;
}

static void remember_stub(struct hs_code *code, uintptr_t name) {
    for (int i = 0; i < HS_CODE_KNOWN_STUBS; i++) {
        uintptr_t none = 0;
        if (atomic_compare_exchange_strong_explicit(&code->stubs[i], &none, name,
                                                    memory_order_relaxed, memory_order_relaxed) ||
            none == name) {
            return;
        }
    }
}

static bool is_known_stub(struct hs_code *code, uintptr_t name) {
    for (int i = 0; i < HS_CODE_KNOWN_STUBS; i++) {
        if (atomic_load_explicit(&code->stubs[i], memory_order_relaxed) == name) {
            return true;
        }
    }
    return false;
}

static enum hs_code_kind kind_by_name(struct hs_code *code, uintptr_t address) {
    static const char *const NAMES[HS_CODE_STUB] = {[HS_CODE_COMPILED] = "nmethod",
                                                    [HS_CODE_NATIVE] = "native nmethod",
                                                    [HS_CODE_INTERPRETER] = "Interpreter"};
    const char *name = (const char *)address;
    for (enum hs_code_kind kind = HS_CODE_COMPILED; kind < HS_CODE_STUB; kind++) {
        if (strcmp(name, NAMES[kind]) == 0) {
            atomic_store_explicit(&code->names[kind], address, memory_order_relaxed);
            return kind;
        }
    }
    if (is_peculiar(name)) {
        return HS_CODE_OTHER;
    }
    remember_stub(code, address);
    return HS_CODE_STUB;
}

static enum hs_code_kind kind_of(struct hs_code *code, uintptr_t name) {
    if (name == 0) {
        return HS_CODE_OTHER;
    }
    for (enum hs_code_kind kind = HS_CODE_COMPILED; kind < HS_CODE_STUB; kind++) {
        if (atomic_load_explicit(&code->names[kind], memory_order_relaxed) == name) {
            return kind;
        }
    }
    return is_known_stub(code, name) ? HS_CODE_STUB : kind_by_name(code, name);
}

struct hs_blob hs_code_find(struct hs_code *code, uintptr_t pc) {
    const struct hs_layout *layout = code->layout;
    struct hs_blob blob = {.address = find_blob(layout, pc)};
    if (blob.address == 0) {
        return blob;
    }
    blob.kind = kind_of(code, word_at(blob.address + layout->blob_name));
    int32_t words = int_at(blob.address + layout->blob_frame_size);
    bool has_frame = words > 0 && words < MAX_FRAME_WORDS;
    if (!has_frame && blob.kind != HS_CODE_INTERPRETER) {
        blob.kind = HS_CODE_OTHER;
    }
    blob.frame_words = has_frame ? (uint32_t)words : 0;
    return blob;
}

uint32_t hs_code_compile_id(const struct hs_code *code, const struct hs_blob *blob) {
    return (uint32_t)int_at(blob->address + code->layout->nmethod_compile_id);
}

uintptr_t hs_code_method(const struct hs_code *code, const struct hs_blob *blob) {
    return word_at(blob->address + code->layout->nmethod_method);
}

static uintptr_t handler(const struct hs_layout *layout, const struct hs_blob *blob,
                         uint32_t offset) {
    return layout->handlers_are_offsets ? blob->address + (uintptr_t)int_at(blob->address + offset)
                                        : word_at(blob->address + offset);
}

bool hs_code_is_deoptimised(const struct hs_code *code, const struct hs_blob *blob, uintptr_t pc) {
    const struct hs_layout *layout = code->layout;
    return pc == handler(layout, blob, layout->nmethod_deopt_handler) ||
           pc == handler(layout, blob, layout->nmethod_deopt_mh_handler);
}

uint32_t hs_code_orig_pc_offset(const struct hs_code *code, const struct hs_blob *blob) {
    return (uint32_t)int_at(blob->address + code->layout->nmethod_orig_pc_offset);
}
