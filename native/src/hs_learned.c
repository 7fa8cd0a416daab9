/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Two intern tables of keys (items, walks), one of contents, and for each key the number of its
 * content: 0 until that is published. Contents are interned, too: code that is compiled anew stands
 * for the same frames. */
#include "hs_learned.h"

#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "hs_hash.h"
#include "hs_intern.h"
#include "hs_mem.h"

enum { MAX_ITEMS = 1 << 15, MAX_WALKS = 1 << 14, MAX_CONTENTS = 1 << 15 };
enum { MAX_RUN_BYTES = 3 * 1024 * 1024, MAX_WALK_BYTES = 3 * 1024 * 1024, SEEN = 1 << 13 };

/* Keys of one kind, and the number of the content of each. */
struct keys {
    hs_intern *table;
    _Atomic uint32_t *content_of; /* [capacity + 1]; release when set, acquire when read */
    uint64_t max_bytes;
    _Atomic uint64_t bytes; /* of keys and contents; relaxed */
    _Atomic bool is_full;   /* relaxed */
};

struct hs_learned {
    const struct hs_layout *layout;
    _Atomic bool is_discarded; /* relaxed: who reads it late could have come early */
    struct keys items;
    struct keys walks;
    hs_intern *contents;
    _Atomic uint8_t tries[SEEN]; /* by the hash of a walk; relaxed, sticks at the top */
    _Atomic uint32_t seen[SEEN]; /* hashes of walks; relaxed, a loss only delays */
};

/* An interpreted method: which, and in which version. */
struct version {
    uintptr_t method_id;
    uint64_t signature;
};

/* The content of an interpreted item. That of a compiled one is its frames. */
struct interpreted_content {
    struct hs_java_frame frame;
    struct version version;
};

/* The content of a walk: this, and the version of each interpreted item. */
struct walk_content {
    struct hs_known_stack known;
    uint64_t count;
    struct version versions[HS_WALK_MAX_ITEMS];
};

/* Bytecodes are at most 64 KiB; larger tables are not worth reading. */
enum { MAX_METHOD_BYTES = 256 * 1024 };

static enum hs_status make_keys(struct keys *keys, uint32_t count, uint64_t max_bytes) {
    keys->max_bytes = max_bytes;
    enum hs_status status = hs_intern_new(count, &keys->table);
    if (status == HS_OK) {
        keys->content_of = hs_mem_new_array((size_t)count + 1, sizeof *keys->content_of);
        status = keys->content_of == NULL ? HS_NO_MEMORY : HS_OK;
    }
    return status;
}

static void free_keys(struct keys *keys, uint32_t count) {
    hs_mem_free(keys->content_of, ((size_t)count + 1) * sizeof *keys->content_of);
    hs_intern_free(keys->table);
}

enum hs_status hs_learned_new(const struct hs_layout *layout, hs_learned **result) {
    *result = NULL;
    hs_learned *learned = hs_mem_new(sizeof *learned);
    if (learned == NULL) {
        return HS_NO_MEMORY;
    }
    learned->layout = layout;
    enum hs_status status = make_keys(&learned->items, MAX_ITEMS, MAX_RUN_BYTES);
    if (status == HS_OK) {
        status = make_keys(&learned->walks, MAX_WALKS, MAX_WALK_BYTES);
    }
    if (status == HS_OK) {
        status = hs_intern_new(MAX_CONTENTS, &learned->contents);
    }
    if (status != HS_OK) {
        hs_learned_free(learned);
        return status;
    }
    *result = learned;
    return HS_OK;
}

void hs_learned_free(hs_learned *learned) {
    if (learned == NULL) {
        return;
    }
    hs_intern_free(learned->contents);
    free_keys(&learned->walks, MAX_WALKS);
    free_keys(&learned->items, MAX_ITEMS);
    hs_mem_free(learned, sizeof *learned);
}

void hs_learned_discard(hs_learned *learned) {
    atomic_store_explicit(&learned->is_discarded, true, memory_order_relaxed);
}

bool hs_learned_is_discarded(const hs_learned *learned) {
    return atomic_load_explicit(&learned->is_discarded, memory_order_relaxed);
}

static bool is_full(const struct keys *keys) {
    return atomic_load_explicit(&keys->is_full, memory_order_relaxed);
}

bool hs_learned_is_full(const hs_learned *learned) {
    return is_full(&learned->items) || is_full(&learned->walks);
}

bool hs_learned_takes_runs(const hs_learned *learned) {
    return !is_full(&learned->items);
}

/* Does the id lead to the method? Up to JDK 25 an id is the address of a cell that is never freed.
 * Relaxed: the VM changes the cells of methods on our stack in no way that could confuse us. */
static bool leads_to(uintptr_t method_id, uint64_t method) {
    return __atomic_load_n((const uintptr_t *)method_id, __ATOMIC_RELAXED) == (uintptr_t)method;
}

/* What tells one version of a method from another that lies in the same place: everything behind its
 * bytecodes (line numbers, handlers, variables), and how much there is. The bytecodes themselves are
 * rewritten as they run. The method must be one, and on the running stack, which keeps it. */
static bool sign(const struct hs_layout *layout, uintptr_t method, uint64_t *signature) {
    uintptr_t body = *(const uintptr_t *)(method + layout->method_const);
    if (body == 0 || body % sizeof body != 0) {
        return false;
    }
    uint64_t words = *(const uint32_t *)(body + layout->const_words);
    uint64_t code = *(const uint16_t *)(body + layout->const_code_size);
    uint64_t front = layout->const_header + code;
    uint64_t bytes = words * sizeof body;
    if (bytes < front || bytes > MAX_METHOD_BYTES) {
        return false;
    }
    const void *tables = (const void *)(body + front);
    *signature = hs_hash_word(hs_hash_bytes(tables, bytes - front), code);
    return true;
}

/* The version of an interpreted item whose method the id names; false when it names another. */
static bool version_of(const hs_learned *learned, uintptr_t method_id, uint64_t method,
                       struct version *version) {
    version->method_id = method_id;
    return leads_to(method_id, method) &&
           sign(learned->layout, (uintptr_t)method, &version->signature);
}

static bool is_current(const hs_learned *learned, const struct version *version, uint64_t method) {
    struct version now;
    return version_of(learned, version->method_id, method, &now) &&
           now.signature == version->signature;
}

/* ---- putting ---- */

/* Interns key and content and ties them together. */
static void tie(hs_learned *learned, struct keys *keys, const void *key, uint32_t key_bytes,
                const void *content, uint32_t content_bytes) {
    uint64_t bytes =
        atomic_fetch_add_explicit(&keys->bytes, key_bytes + content_bytes, memory_order_relaxed);
    uint32_t key_id;
    uint32_t content_id;
    if (bytes > keys->max_bytes ||
        hs_intern_put(learned->contents, content, content_bytes, &content_id) != HS_OK ||
        hs_intern_put(keys->table, key, key_bytes, &key_id) != HS_OK) {
        atomic_store_explicit(&keys->is_full, true, memory_order_relaxed);
        return;
    }
    atomic_store_explicit(&keys->content_of[key_id], content_id, memory_order_release);
}

static const uint64_t *item_key(const struct hs_walk_items *items, uint32_t i, uint32_t *bytes) {
    const uint64_t *words = &items->words[items->at[i]];
    *bytes = hs_item_words(*words) * (uint32_t)sizeof *words;
    return words;
}

void hs_learned_put_run(hs_learned *learned, const struct hs_walk_items *items, uint32_t i,
                        const struct hs_java_frame *frames, uint32_t count) {
    uint32_t key_bytes;
    const uint64_t *key = item_key(items, i, &key_bytes);
    if (hs_item_is_compiled(*key)) {
        if (count > 0 && count <= HS_ALIGN_MAX_RUN) {
            tie(learned, &learned->items, key, key_bytes, frames, count * (uint32_t)sizeof *frames);
        }
        return;
    }
    struct interpreted_content content = {.frame = *frames};
    if (count == 1 && version_of(learned, frames->method_id, *key, &content.version)) {
        tie(learned, &learned->items, key, key_bytes, &content, sizeof content);
    }
}

static _Atomic uint8_t *tries_of(hs_learned *learned, const struct hs_walk_items *items) {
    return &learned->tries[items->hash % SEEN];
}

static void count_try(_Atomic uint8_t *tries, uint8_t count) {
    if (count < UINT8_MAX) {
        atomic_store_explicit(tries, (uint8_t)(count + 1), memory_order_relaxed);
    }
}

bool hs_learned_is_worth_trying(hs_learned *learned, const struct hs_walk_items *items) {
    if (!hs_learned_takes_runs(learned)) {
        return false;
    }
    _Atomic uint8_t *tries = tries_of(learned, items);
    uint8_t count = atomic_load_explicit(tries, memory_order_relaxed);
    bool is_worth = (count & (count + 1)) == 0 && count < UINT8_MAX;
    if (!is_worth) {
        count_try(tries, count);
    }
    return is_worth;
}

void hs_learned_count_try(hs_learned *learned, const struct hs_walk_items *items) {
    _Atomic uint8_t *tries = tries_of(learned, items);
    count_try(tries, atomic_load_explicit(tries, memory_order_relaxed));
}

static bool is_seen(hs_learned *learned, const struct hs_walk_items *items) {
    _Atomic uint32_t *place = &learned->seen[items->hash % SEEN];
    uint32_t mark = (uint32_t)(items->hash >> 32) | 1;
    return atomic_exchange_explicit(place, mark, memory_order_relaxed) == mark;
}

void hs_learned_put_stack(hs_learned *learned, const struct hs_walk_items *items,
                          const struct hs_java_frame *frames, uint32_t frame_count,
                          const uint32_t *begins, uint32_t stack) {
    if (is_full(&learned->walks) || !is_seen(learned, items)) {
        return;
    }
    struct walk_content content;
    memset(&content, 0, offsetof(struct walk_content, versions));
    content.known.stack = stack;
    content.known.frame_count = frame_count;
    content.known.fingerprint = hs_java_fingerprint(frames, frame_count);
    for (uint32_t i = 0; i < items->count; i++) {
        uint64_t word = items->words[items->at[i]];
        if (hs_item_is_compiled(word) || begins[i] == HS_BEGIN_UNKNOWN) {
            continue;
        }
        if (begins[i] >= frame_count || !version_of(learned, frames[begins[i]].method_id, word,
                                                    &content.versions[content.count])) {
            return;
        }
        content.count++;
    }
    uint32_t bytes = (uint32_t)(offsetof(struct walk_content, versions) +
                                content.count * sizeof content.versions[0]);
    tie(learned, &learned->walks, items->words,
        items->word_count * (uint32_t)sizeof items->words[0], &content, bytes);
}

/* ---- finding ---- */

static const void *content_of(const hs_learned *learned, const struct keys *keys, uint32_t key_id,
                              uint32_t *content_bytes) {
    uint32_t content_id = atomic_load_explicit(&keys->content_of[key_id], memory_order_acquire);
    return hs_intern_key(learned->contents, content_id, content_bytes);
}

struct hs_run hs_learned_run(const hs_learned *learned, const struct hs_walk_items *items,
                             uint32_t i) {
    uint32_t key_bytes;
    uint32_t bytes = 0;
    const uint64_t *key = item_key(items, i, &key_bytes);
    uint32_t key_id = hs_intern_find(learned->items.table, key, key_bytes);
    const void *content = content_of(learned, &learned->items, key_id, &bytes);
    struct hs_run run = {content, bytes / (uint32_t)sizeof(struct hs_java_frame)};
    if (content != NULL && !hs_item_is_compiled(*key)) {
        const struct interpreted_content *interpreted = content;
        run.frames = &interpreted->frame;
        run.count = is_current(learned, &interpreted->version, *key) ? 1 : 0;
    }
    return run;
}

bool hs_learned_stack(const hs_learned *learned, const struct hs_walk_items *items,
                      struct hs_known_stack *known) {
    uint32_t bytes;
    uint32_t key_id = hs_intern_find_hashed(learned->walks.table, items->hash, items->words,
                                            items->word_count * (uint32_t)sizeof items->words[0]);
    const struct walk_content *content = content_of(learned, &learned->walks, key_id, &bytes);
    if (content == NULL) {
        return false;
    }
    for (uint32_t i = 0, version = 0; i < items->count && version < content->count; i++) {
        uint64_t word = items->words[items->at[i]];
        if (!hs_item_is_compiled(word) &&
            !is_current(learned, &content->versions[version++], word)) {
            return false;
        }
    }
    *known = content->known;
    return true;
}
