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
    code->base = UINTPTR_MAX;
    code->heap_count = layout->heap_count;
    for (uint32_t i = 0; i < layout->heap_count; i++) {
        uintptr_t heap = layout->heaps[i];
        code->heaps[i] = (struct hs_code_heap){
            .low = word_at(heap + layout->heap_low),
            .high_at = heap + layout->heap_high,
            .map = (const uint8_t *)word_at(heap + layout->heap_segments_low),
        };
        code->log2_segment = (uint32_t)int_at(heap + layout->heap_log2_segment);
        code->base = code->heaps[i].low < code->base ? code->heaps[i].low : code->base;
    }
}

/* The map has a byte per segment: how many segments to go back towards the beginning of the block,
 * at most; 0 is the beginning. */
static uintptr_t blob_of(const struct hs_code *code, const struct hs_code_heap *heap,
                         uintptr_t pc) {
    const struct hs_layout *layout = code->layout;
    const uint8_t *map = heap->map;
    uint32_t log2_segment = code->log2_segment;
    uintptr_t segment = (pc - heap->low) >> log2_segment;
    if (map[segment] == FREE_SEGMENT) {
        return 0;
    }
    while (map[segment] > 0) {
        if (map[segment] > segment) {
            return 0; /* before the first block: no map is like that */
        }
        segment -= map[segment];
    }
    uintptr_t block = heap->low + (segment << log2_segment);
    bool is_used = *(const uint8_t *)(block + layout->block_used) != 0;
    return is_used && pc >= block + layout->block_bytes ? block + layout->block_bytes : 0;
}

/* The allocator's own word for how far a block reaches: cut before the rest is given away. */
static bool is_in(const struct hs_code *code, uintptr_t blob, uintptr_t pc) {
    uintptr_t block = blob - code->layout->block_bytes;
    uint64_t segments = (uint32_t)int_at(block + code->layout->block_length);
    return pc > blob && pc - block < segments << code->log2_segment;
}

/* The interpreter is one large block: many steps of the map. */
static uintptr_t find_blob(const struct hs_code *code, uintptr_t pc) {
    uintptr_t interpreter = atomic_load_explicit(&code->interpreter, memory_order_relaxed);
    if (interpreter != 0 && is_in(code, interpreter, pc)) {
        return interpreter;
    }
    for (uint32_t i = 0; i < code->heap_count; i++) {
        const struct hs_code_heap *heap = &code->heaps[i];
        if (pc >= heap->low && pc < word_at(heap->high_at)) {
            return blob_of(code, heap, pc);
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
    struct hs_blob blob = {.address = find_blob(code, pc)};
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
    if (blob.kind == HS_CODE_INTERPRETER &&
        atomic_load_explicit(&code->interpreter, memory_order_relaxed) == 0) {
        atomic_store_explicit(&code->interpreter, blob.address, memory_order_relaxed);
    }
    return blob;
}

/* Each step of a walk waits for this, so it is short: code that is called often is spread well enough
 * by its low bits. */
static size_t place_of(uintptr_t pc) {
    return (pc ^ pc >> HS_CODE_PLACES_LOG2) & ((1 << HS_CODE_PLACES_LOG2) - 1);
}

void hs_code_keep(struct hs_code *code, uintptr_t pc, const struct hs_blob *blob) {
    uint64_t pc_distance = pc - code->base;
    uint64_t distance = blob->address - code->base;
    uint64_t id = hs_code_compile_id(code, blob);
    if (pc_distance > UINT32_MAX || pc_distance <= distance || blob->frame_words < 2) {
        return;
    }
    struct hs_code_place *place = &code->places[place_of(pc)];
    atomic_store_explicit(&place->where, pc_distance << 32 | distance, memory_order_relaxed);
    atomic_store_explicit(&place->what, id << 32 | blob->frame_words, memory_order_relaxed);
}

#ifdef HS_BREAKABLE
bool hs_code_believes;
#endif

/* The two words may be of different writers. What counts is the block itself: it reaches as far as the pc,
 * and its compile id is that of `what`. */
struct hs_recall hs_code_recall(const struct hs_code *code, uintptr_t pc) {
    static const struct hs_recall NONE = {0, 0, 0, 0};
    struct hs_code_marks marks = hs_code_marks(code);
    uint64_t distance = pc - code->base;
    const struct hs_code_place *place = &code->places[place_of(pc)];
    uint64_t where = atomic_load_explicit(&place->where, memory_order_relaxed);
    uint64_t what = atomic_load_explicit(&place->what, memory_order_relaxed);
    if (distance > UINT32_MAX || where >> 32 != distance || where == 0) {
        return NONE;
    }
    struct hs_recall recall = {(uint32_t)where, (uint32_t)what, (uint32_t)(what >> 32), 0};
    /* A place was kept with a pc behind the beginning of its block. */
    uint32_t from_block = (uint32_t)distance - recall.blob + code->layout->block_bytes;
    recall.reach = (from_block >> code->log2_segment) + 1;
    return hs_code_is(&marks, recall.blob, recall.compile_id, recall.reach) ? recall : NONE;
}

uint64_t hs_code_bytes(const struct hs_code *code, const struct hs_blob *blob) {
    uintptr_t block = blob->address - code->layout->block_bytes;
    uint64_t segments = (uint32_t)int_at(block + code->layout->block_length);
    uint64_t bytes = segments << code->log2_segment;
    return bytes > code->layout->block_bytes ? bytes - code->layout->block_bytes : 0;
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
