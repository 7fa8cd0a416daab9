/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Walks made by hand, and methods for them: as much of one as tells its versions apart. */
#ifndef WALK_ITEMS_H
#define WALK_ITEMS_H

#include <criterion/criterion.h>
#include <string.h>

#include "hs_hash.h"
#include "hs_stack_cache.h"

/* The last word is how it ends, and moves as items are added. */
static inline void items_seal(struct hs_walk_items *items) {
    items->words[items->word_count++] = (uint64_t)items->end;
    items->hash = hs_hash_bytes(items->words, items->word_count * sizeof items->words[0]);
}

static inline void items_begin(struct hs_walk_items *items, enum hs_walk_end end) {
    items->count = 0;
    items->word_count = 0;
    items->end = end;
    items_seal(items);
}

static inline void items_add(struct hs_walk_items *items, uint64_t first, uint64_t second) {
    items->word_count--;
    items->at[items->count++] = (uint16_t)items->word_count;
    items->words[items->word_count++] = first;
    if (!hs_item_is_compiled(first)) {
        items->words[items->word_count++] = second;
    }
    items_seal(items);
}

/* The place of a compiled item is all that tells it from others. */
static inline void items_add_compiled(struct hs_walk_items *items, uint32_t id, uint32_t place) {
    items_add(items, HS_ITEM_COMPILED | (uint64_t)id << 32 | place, 0);
}

static inline void items_add_interpreted(struct hs_walk_items *items, uintptr_t method,
                                         uint64_t bcp) {
    items_add(items, method, bcp);
}

/* A whole walk of one compiled item. */
static inline void items_of_one(struct hs_walk_items *items, uint32_t id, uint32_t place) {
    items_begin(items, HS_WALK_BOTTOM);
    items_add_compiled(items, id, place);
}

enum { METHOD_WORDS = 4, CONST_WORDS = 24, METHOD_CODE = 21 };

static const struct hs_layout METHOD_LAYOUT = {.method_const = 16,
                                               .const_words = 8,
                                               .const_code_size = 34,
                                               .const_header = 40,
                                               .const_pool = 24,
                                               .const_name = 36,
                                               .const_descriptor = 38,
                                               .pool_header = 16,
                                               .symbol_length = 8,
                                               .symbol_text = 11};

/* A Method and its ConstMethod, which ends where this does. */
struct fake_method {
    uint64_t method[METHOD_WORDS];
    uint64_t body[CONST_WORDS];
};

/* Sets how many bytes of the body are bytecodes, and how large it says it is. */
static inline void method_set_sizes(struct fake_method *method, uint16_t code, uint32_t words) {
    unsigned char *body = (unsigned char *)method->body;
    memcpy(body + METHOD_LAYOUT.const_words, &words, sizeof words);
    memcpy(body + METHOD_LAYOUT.const_code_size, &code, sizeof code);
}

static inline uintptr_t method_init(struct fake_method *method, uint64_t seed) {
    for (uint64_t i = 0; i < CONST_WORDS; i++) {
        method->body[i] = (seed + i) * UINT64_C(0x9E3779B97F4A7C15);
    }
    method->method[METHOD_LAYOUT.method_const / 8] = (uintptr_t)method->body;
    method_set_sizes(method, METHOD_CODE, CONST_WORDS);
    return (uintptr_t)method;
}

enum { POOL_HEADER_WORDS = 2, POOL_ENTRIES = 80, SYMBOL_WORDS = 6 };

/* A ConstantPool, and a Symbol. */
struct fake_pool {
    uint64_t header[POOL_HEADER_WORDS];
    uintptr_t entries[POOL_ENTRIES];
};

struct fake_symbol {
    uint64_t words[SYMBOL_WORDS];
};

static inline uintptr_t symbol_init(struct fake_symbol *symbol, const char *text) {
    uint16_t bytes = (uint16_t)strlen(text);
    unsigned char *at = (unsigned char *)symbol;
    cr_assert_leq(METHOD_LAYOUT.symbol_text + bytes, sizeof *symbol);
    memset(symbol, 0xEE, sizeof *symbol); /* no zero ends the text */
    memcpy(at + METHOD_LAYOUT.symbol_length, &bytes, sizeof bytes);
    memcpy(at + METHOD_LAYOUT.symbol_text, text, bytes);
    return (uintptr_t)symbol;
}

/* Says where the method's name and descriptor are: in two entries of the pool, from `entry` on. */
static inline void method_set_names(struct fake_method *method, struct fake_pool *pool,
                                    uint16_t entry, uintptr_t name, uintptr_t descriptor) {
    unsigned char *body = (unsigned char *)method->body;
    uint16_t indexes[] = {entry, (uint16_t)(entry + 1)};
    uintptr_t address = (uintptr_t)pool;
    cr_assert_lt(entry + 1, POOL_ENTRIES);
    pool->entries[entry] = name;
    pool->entries[entry + 1] = descriptor;
    memcpy(body + METHOD_LAYOUT.const_pool, &address, sizeof address);
    memcpy(body + METHOD_LAYOUT.const_name, &indexes[0], sizeof indexes[0]);
    memcpy(body + METHOD_LAYOUT.const_descriptor, &indexes[1], sizeof indexes[1]);
}

static inline bool is_same_run(struct hs_run run, const struct hs_java_frame *frames,
                               uint32_t count) {
    return run.count == count && memcmp(run.frames, frames, count * sizeof *frames) == 0;
}

#endif
