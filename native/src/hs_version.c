/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_version.h"

#include "hs_hash.h"

/* Bytecodes are at most 64 KiB; larger tables are not worth reading. */
enum { MAX_METHOD_BYTES = 256 * 1024, MAX_SIGNED_BYTES = 4096 };

/* What lies behind the bytecodes of a version. */
struct tables {
    const void *begin;
    uint64_t bytes;
    uint64_t code; /* bytes of bytecodes */
};

/* Acquire: the look at the cell that follows comes after this. */
static uintptr_t word_at(uintptr_t address) {
    return __atomic_load_n((const uintptr_t *)address, __ATOMIC_ACQUIRE);
}

static bool find_tables(const struct hs_layout *layout, uintptr_t id, uintptr_t method,
                        struct tables *tables) {
    uintptr_t body = word_at(method + layout->method_const);
    if (body == 0 || body % sizeof body != 0 || hs_version_method(id) != method) {
        return false;
    }
    uint64_t words =
        __atomic_load_n((const uint32_t *)(body + layout->const_words), __ATOMIC_ACQUIRE);
    uint64_t code =
        __atomic_load_n((const uint16_t *)(body + layout->const_code_size), __ATOMIC_ACQUIRE);
    uint64_t front = layout->const_header + code;
    uint64_t bytes = words * sizeof body;
    if (bytes < front || bytes > MAX_METHOD_BYTES || hs_version_method(id) != method) {
        return false;
    }
    *tables = (struct tables){(const void *)(body + front), bytes - front, code};
    return true;
}

/* The bytecodes are rewritten as they run, and are left out. Of large tables the first part has to do, for
 * each lookup reads it. */
bool hs_version_sign(const struct hs_layout *layout, uintptr_t id, uintptr_t method,
                     uint64_t *signature) {
    struct tables tables;
    if (hs_version_method(id) != method || !find_tables(layout, id, method, &tables)) {
        return false;
    }
    uint64_t bytes = tables.bytes < MAX_SIGNED_BYTES ? tables.bytes : MAX_SIGNED_BYTES;
    uint64_t hash = hs_hash_lanes(tables.begin, bytes);
    *signature = hs_hash_word(hash, tables.bytes << 16 | tables.code);
    /* The last look comes after what was hashed. (ThreadSanitizer knows no fences.) */
#ifndef __SANITIZE_THREAD__
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
#endif
    return hs_version_method(id) == method;
}
