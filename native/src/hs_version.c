/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_version.h"

#include "hs_check.h"
#include "hs_hash.h"

/* Bytecodes are at most 64 KiB; larger tables are not worth reading. */
enum { MAX_METHOD_BYTES = 256 * 1024, MAX_SIGNED_BYTES = 4096 };

enum { ACC_NATIVE = 0x100 }; /* of the class file format */

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

static uint16_t half_at(uintptr_t address) {
    return __atomic_load_n((const uint16_t *)address, __ATOMIC_ACQUIRE);
}

/* The pointer at `address`, which belongs to the version; 0 where it must not be followed. */
static uintptr_t pointer_at(uintptr_t address, uintptr_t id, uintptr_t method) {
    uintptr_t pointer = word_at(address);
    return pointer % sizeof pointer == 0 && hs_version_method(id) == method ? pointer : 0;
}

static bool find_tables(const struct hs_layout *layout, uintptr_t id, uintptr_t method,
                        struct tables *tables) {
    uintptr_t body = pointer_at(method + layout->method_const, id, method);
    if (body == 0) {
        return false;
    }
    uint64_t words =
        __atomic_load_n((const uint32_t *)(body + layout->const_words), __ATOMIC_ACQUIRE);
    uint64_t code = half_at(body + layout->const_code_size);
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
    if (method == 0 || hs_version_method(id) != method ||
        !find_tables(layout, id, method, &tables)) {
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

bool hs_version_is_native(const struct hs_layout *layout, uintptr_t method) {
    return (half_at(method + layout->scopes.method_access) & ACC_NATIVE) != 0;
}

bool hs_version_bci(const struct hs_layout *layout, uintptr_t id, uintptr_t method, uintptr_t bcp,
                    int32_t *bci) {
    struct tables tables;
    if (method == 0 || hs_version_method(id) != method ||
        !find_tables(layout, id, method, &tables)) {
        return false;
    }
    bool is_native = hs_version_is_native(layout, method);
    uintptr_t distance = bcp - ((uintptr_t)tables.begin - tables.code);
    *bci = is_native ? 0 : (int32_t)distance;
    return (is_native || distance < tables.code) && hs_version_method(id) == method;
}

/* The Symbol at an index that `body` has. */
static bool find_text(const struct hs_layout *layout, uintptr_t entry, uintptr_t id,
                      uintptr_t method, struct hs_version_text *text) {
    uintptr_t symbol = pointer_at(entry, id, method);
    if (symbol == 0) {
        return false;
    }
    text->text = (const char *)(symbol + layout->symbol_text);
    text->bytes = half_at(symbol + layout->symbol_length);
    return text->bytes <= HS_VERSION_MAX_TEXT;
}

bool hs_version_read_names(const struct hs_layout *layout, uintptr_t id, uintptr_t method,
                           struct hs_version_names *names) {
    HS_DCHECK(layout->pool_header != 0);
    if (method == 0 || hs_version_method(id) != method) {
        return false;
    }
    uintptr_t body = pointer_at(method + layout->method_const, id, method);
    if (body == 0) {
        return false;
    }
    uintptr_t name = half_at(body + layout->const_name);
    uintptr_t descriptor = half_at(body + layout->const_descriptor);
    names->pool = pointer_at(body + layout->const_pool, id, method); /* the indexes count as well */
    if (names->pool == 0) {
        return false;
    }
    uintptr_t entries = names->pool + layout->pool_header;
    return find_text(layout, entries + name * sizeof entries, id, method, &names->name) &&
           find_text(layout, entries + descriptor * sizeof entries, id, method, &names->descriptor);
}
