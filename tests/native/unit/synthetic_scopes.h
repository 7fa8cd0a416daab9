/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* The debug information of one synthetic nmethod, in both layouts. Each block ends where memory that cannot be read begins. */
#ifndef SYNTHETIC_SCOPES_H
#define SYNTHETIC_SCOPES_H

#include "hs_scopes.h"
#include "synthetic_code.h"

enum { SCOPES_BLOCK = 64 * 1024, SCOPES_STREAM = 8192, SCOPES_PCS = 64, SCOPES_METHODS = 200 };
enum { SCOPES_CODE = 208, SCOPES_CODE_BYTES = 1024, SCOPES_RELOCATIONS = 24 };

/* A block of SCOPES_BLOCK bytes at most, whose end moves. */
struct guarded_block {
    unsigned char *memory;
    unsigned char *end;
};

static inline void guard(struct guarded_block *block) {
    block->memory = mmap(NULL, SCOPES_BLOCK + VM_GUARD, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    cr_assert(block->memory != MAP_FAILED);
    block->end = block->memory + SCOPES_BLOCK;
    cr_assert_eq(mprotect(block->end, VM_GUARD, PROT_NONE), 0);
}

static inline void unguard(struct guarded_block *block) {
    cr_assert_eq(munmap(block->memory, SCOPES_BLOCK + VM_GUARD), 0);
}

struct synthetic_scopes {
    struct hs_scopes_layout layout;
    struct guarded_block nmethod;
    struct guarded_block immutable;
    struct guarded_block changing;
    uint32_t stream_bytes;
    unsigned char stream[SCOPES_STREAM];
    uint32_t pc_count;
    struct {
        int32_t pc;
        int32_t scope;
    } pcs[SCOPES_PCS];
    uint32_t method_count;
    uintptr_t methods[SCOPES_METHODS];
    /* Where `scopes_lay_out` has put it. */
    struct hs_scopes_code code;
};

static inline uintptr_t scopes_method(uint32_t i) {
    return UINT64_C(0x7f0000000000) + UINT64_C(128) * i;
}

/* As the VM writes it. */
static inline void scopes_put_number(struct synthetic_scopes *scopes, uint32_t number) {
    uint32_t base = scopes->layout.has_no_zeros ? 1 : 0;
    uint32_t low = 192 - base;
    for (uint32_t i = 0; i < 5; i++) {
        cr_assert_lt(scopes->stream_bytes, (uint32_t)SCOPES_STREAM);
        unsigned char *byte = &scopes->stream[scopes->stream_bytes++];
        if (number < low || i == 4) {
            *byte = (unsigned char)(number + base);
            return;
        }
        number -= low;
        *byte = (unsigned char)(192 + number % 64);
        number /= 64;
    }
}

/* A scope, whose number is its place in the stream. `index` of the method counts from 1; `bci` from -1. */
static inline uint32_t scopes_put(struct synthetic_scopes *scopes, uint32_t caller, uint32_t index,
                                  int32_t bci) {
    uint32_t at = scopes->stream_bytes;
    scopes_put_number(scopes, caller);
    scopes_put_number(scopes, index);
    scopes_put_number(scopes, (uint32_t)(bci + 1));
    return at;
}

/* In increasing order. */
static inline void scopes_put_pc(struct synthetic_scopes *scopes, int32_t pc, uint32_t scope) {
    cr_assert_lt(scopes->pc_count, (uint32_t)SCOPES_PCS);
    scopes->pcs[scopes->pc_count].pc = pc;
    scopes->pcs[scopes->pc_count++].scope = (int32_t)scope;
}

static inline void scopes_begin(struct synthetic_scopes *scopes) {
    scopes->stream_bytes = scopes->pc_count = 0;
    scopes->stream[scopes->stream_bytes++] = 0xFF; /* no scope lies at 0 */
    scopes->method_count = SCOPES_METHODS;
    for (uint32_t i = 0; i < SCOPES_METHODS; i++) {
        scopes->methods[i] = scopes_method(i);
    }
    scopes_put_pc(scopes, -1, 0);
}

static inline void scopes_copy_pcs(const struct synthetic_scopes *scopes, unsigned char *to) {
    for (uint32_t i = 0; i < scopes->pc_count; i++, to += scopes->layout.pc_desc_bytes) {
        vm_set_int((uintptr_t)to + scopes->layout.pc_desc_pc, scopes->pcs[i].pc);
        vm_set_int((uintptr_t)to + scopes->layout.pc_desc_scope, scopes->pcs[i].scope);
    }
}

/* Header, code, methods, stream, pcs. */
static inline void scopes_lay_out_inside(struct synthetic_scopes *scopes) {
    const struct hs_scopes_layout *layout = &scopes->layout;
    uint32_t methods = SCOPES_CODE + SCOPES_CODE_BYTES;
    uint32_t stream = methods + scopes->method_count * (uint32_t)sizeof(uintptr_t);
    uint32_t pcs = stream + (scopes->stream_bytes + 7) / 8 * 8;
    uint32_t end = pcs + scopes->pc_count * layout->pc_desc_bytes;
    unsigned char *nmethod = scopes->nmethod.end - (end + 7) / 8 * 8;
    uintptr_t at = (uintptr_t)nmethod;
    vm_set_word(at + layout->code, at + SCOPES_CODE);
    vm_set_int(at + layout->metadata, (int32_t)methods);
    vm_set_word(at + layout->data, at + stream);
    vm_set_int(at + layout->pcs, (int32_t)pcs);
    vm_set_int(at + layout->pcs_end, (int32_t)end);
    memcpy(nmethod + methods, scopes->methods, scopes->method_count * sizeof(uintptr_t));
    memcpy(nmethod + stream, scopes->stream, scopes->stream_bytes);
    scopes_copy_pcs(scopes, nmethod + pcs);
    scopes->code = (struct hs_scopes_code){at, (uint64_t)(scopes->nmethod.end - nmethod)};
}

/* Header and code; relocations and methods; pcs and stream. */
static inline void scopes_lay_out_apart(struct synthetic_scopes *scopes) {
    const struct hs_scopes_layout *layout = &scopes->layout;
    uint32_t data = scopes->pc_count * layout->pc_desc_bytes;
    uint32_t fixed = data + scopes->stream_bytes;
    uint32_t changing = SCOPES_RELOCATIONS + scopes->method_count * (uint32_t)sizeof(uintptr_t);
    uint32_t room =
        (fixed + 7) / 8 * 8; /* its beginning is aligned, so a few bytes lie behind it */
    unsigned char *nmethod = scopes->nmethod.end - (SCOPES_CODE + SCOPES_CODE_BYTES);
    unsigned char *pcs = scopes->immutable.end - room;
    unsigned char *methods = scopes->changing.end - changing;
    uintptr_t at = (uintptr_t)nmethod;
    vm_set_int(at + layout->code, SCOPES_CODE);
    vm_set_word(at + layout->metadata, (uintptr_t)methods);
    vm_set_int(at + layout->metadata_size, (int32_t)changing);
    vm_set_int(at + layout->relocation_size, SCOPES_RELOCATIONS);
    vm_set_word(at + layout->immutable, (uintptr_t)pcs);
    vm_set_int(at + layout->immutable_size, (int32_t)fixed);
    vm_set_int(at + layout->pcs, 0);
    vm_set_int(at + layout->data, (int32_t)data);
    memcpy(methods + SCOPES_RELOCATIONS, scopes->methods, scopes->method_count * sizeof(uintptr_t));
    scopes_copy_pcs(scopes, pcs);
    memcpy(pcs + data, scopes->stream, scopes->stream_bytes);
    scopes->code = (struct hs_scopes_code){at, (uint64_t)(scopes->nmethod.end - nmethod)};
}

static inline void scopes_lay_out(struct synthetic_scopes *scopes) {
    if (scopes->layout.is_apart) {
        scopes_lay_out_apart(scopes);
    } else {
        scopes_lay_out_inside(scopes);
    }
}

enum { SCOPES_KIND_COUNT = 4 };

/* Kind: both layouts with both encodings. */
static inline struct synthetic_scopes *scopes_new(uint32_t kind) {
    struct synthetic_scopes *scopes = calloc(1, sizeof *scopes);
    cr_assert_not_null(scopes);
    scopes->layout = VM_KINDS[kind % 2].layout.scopes;
    scopes->layout.has_no_zeros = kind / 2 == 1;
    guard(&scopes->nmethod);
    guard(&scopes->immutable);
    guard(&scopes->changing);
    scopes_begin(scopes);
    return scopes;
}

static inline void scopes_free(struct synthetic_scopes *scopes) {
    unguard(&scopes->nmethod);
    unguard(&scopes->immutable);
    unguard(&scopes->changing);
    free(scopes);
}

static inline uint32_t scopes_decode(const struct synthetic_scopes *scopes, int32_t pc,
                                     uintptr_t root, struct hs_scope *found) {
    return hs_scopes_decode(&scopes->layout, &scopes->code,
                            scopes->code.address + SCOPES_CODE + (uintptr_t)(intptr_t)pc, root,
                            found);
}

#endif
