/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Code: from a program counter to the block of the code cache that it lies in.
 *
 * May be asked only about pcs found on the own stack: such a pc keeps its block where it is, so the
 * block and its header do not change while they are read, and its part of the segment map always
 * leads to its beginning, though perhaps in other steps. The end of a code heap grows, and is read
 * anew each time; its beginning and its map stay.
 *
 * Places of compiled code that were found once are remembered, and recalled only where the block that
 * is there now has the same compile id and holds the pc.
 *
 * Thread: Any. Fails: answers that there is none. */
#ifndef HS_CODE_H
#define HS_CODE_H

#include <stdatomic.h>

#include "hs_hotspot.h"

enum hs_code_kind {
    HS_CODE_NONE,        /* not in the code cache */
    HS_CODE_COMPILED,    /* an nmethod of C1 or C2 */
    HS_CODE_NATIVE,      /* an nmethod that calls a native method */
    HS_CODE_INTERPRETER, /* all of the interpreter */
    HS_CODE_STUB,        /* a runtime stub: a frame of known size, and no Java */
    HS_CODE_OTHER, /* deoptimisation, exceptions, adapters and the like: no walk goes on here */
};

enum { HS_CODE_KNOWN_STUBS = 8, HS_CODE_PLACES_LOG2 = 12 };

/* A pc, its block, and what does not change while the block has this compile id. */
struct hs_code_place {
    _Atomic uint64_t where; /* distances from `base`: pc << 32 | block; 0: none; relaxed */
    _Atomic uint64_t what;  /* compile id << 32 | words of the frame; relaxed */
};

struct hs_code_heap {
    uintptr_t low;
    uintptr_t high_at; /* the address of its end */
    const uint8_t *map;
};

struct hs_code {
    const struct hs_layout *layout;
    uintptr_t base;        /* lowest address of compiled code */
    uint32_t log2_segment; /* of all heaps */
    uint32_t heap_count;
    struct hs_code_heap heaps[HS_MAX_CODE_HEAPS];
    _Atomic uintptr_t interpreter; /* its block, which is never freed, once seen; relaxed */
    /* The address of the name that the blobs of a kind share, once seen, and those of the first stubs
     * that were met, each written once; relaxed: names are constants. */
    _Atomic uintptr_t names[HS_CODE_STUB];
    _Atomic uintptr_t stubs[HS_CODE_KNOWN_STUBS];
    struct hs_code_place places[1 << HS_CODE_PLACES_LOG2];
};

struct hs_blob {
    uintptr_t address; /* of the CodeBlob */
    uint32_t frame_words;
    enum hs_code_kind kind;
};

void hs_code_init(struct hs_code *code, const struct hs_layout *layout);

/* The block that a pc of the own stack lies in. */
struct hs_blob hs_code_find(struct hs_code *code, uintptr_t pc);

/* Remembers a pc of HS_CODE_COMPILED that is no deoptimisation handler, if the frame has room for the
 * two words that each such frame has. */
void hs_code_keep(struct hs_code *code, uintptr_t pc, const struct hs_blob *blob);

/* What was kept for the pc, where it still holds; frame_words 0: nothing. */
struct hs_recall {
    uint32_t blob; /* distance from `base` */
    uint32_t frame_words;
    uint32_t compile_id;
    uint32_t reach; /* segments from the beginning of the block to that of the pc, both counted */
};
struct hs_recall hs_code_recall(const struct hs_code *code, uintptr_t pc);

#ifdef HS_BREAKABLE
/* A flaw that tests switch on, to see that it is noticed: hs_code_is always says yes. */
extern bool hs_code_believes;
#endif

/* What hs_code_is reads of hs_code, for a loop that asks it again and again: offsets from a blob. */
struct hs_code_marks {
    uintptr_t base;
    uintptr_t name; /* of an nmethod */
    intptr_t used;
    intptr_t length;
    intptr_t blob_name;
    intptr_t compile_id;
};

static inline struct hs_code_marks hs_code_marks(const struct hs_code *code) {
    const struct hs_layout *layout = code->layout;
    intptr_t block = -(intptr_t)layout->block_bytes;
    return (struct hs_code_marks){
        .base = code->base,
        .name = atomic_load_explicit(&code->names[HS_CODE_COMPILED], memory_order_relaxed),
        .used = block + layout->block_used,
        .length = block + layout->block_length,
        .blob_name = layout->blob_name,
        .compile_id = layout->nmethod_compile_id,
    };
}

/* Is there an nmethod with this compile id that reaches so far? `blob` is a distance at which a block
 * began once: what is there now may be anything.
 *
 * The header is read at a place where a block began once, so there is memory. What became of that block?
 *  - It was freed: it is marked as such, and its header lies there until its memory is used again.
 *  - Its tail was used again: its length was cut before.
 *  - All of it was used again: the length is that of the new block, in which a pc of ours lies only when
 *    it runs, and so has its id.
 *  - It lies inside a block that begins before it: code has no gap in which mark, length, name and id
 *    could all be left as they were. */
static inline bool hs_code_is(const struct hs_code_marks *marks, uint32_t blob, uint32_t compile_id,
                              uint32_t reach) {
    const char *at = (const char *)(marks->base + blob);
    bool is_it = *(const uint8_t *)(at + marks->used) != 0 &&
                 *(const uint32_t *)(at + marks->length) >= reach &&
                 *(const uintptr_t *)(at + marks->blob_name) == marks->name &&
                 *(const uint32_t *)(at + marks->compile_id) == compile_id;
#ifdef HS_BREAKABLE
    is_it = is_it || hs_code_believes;
#endif
    return is_it;
}

/* From the header of a blob to the end of its block. */
uint64_t hs_code_bytes(const struct hs_code *code, const struct hs_blob *blob);

/* Of an nmethod. */
uint32_t hs_code_compile_id(const struct hs_code *code, const struct hs_blob *blob);
uintptr_t hs_code_method(const struct hs_code *code, const struct hs_blob *blob);

/* Has the return address of a frame been replaced by the deoptimisation handler of its nmethod? */
bool hs_code_is_deoptimised(const struct hs_code *code, const struct hs_blob *blob, uintptr_t pc);

/* Where such a frame keeps the pc it really has, in bytes above its stack pointer. */
uint32_t hs_code_orig_pc_offset(const struct hs_code *code, const struct hs_blob *blob);

#endif
