/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* An index of items, one of walks, and one table of their contents, which stay where they are. Contents
 * are interned: code that is compiled anew stands for the same frames. */
#include "hs_stack_cache.h"

#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "hs_check.h"
#include "hs_hash.h"
#include "hs_index.h"
#include "hs_intern.h"
#include "hs_mem.h"
#include "hs_version.h"

enum { MAX_ITEMS = 1 << 15, MAX_WALKS = 1 << 14, MAX_CONTENTS = 1 << 16 };
enum { MAX_RUN_BYTES = 3 * 1024 * 1024, MAX_WALK_BYTES = 3 * 1024 * 1024, SEEN = 1 << 13 };

/* Keys of one kind. */
struct keys {
    hs_index *index;
    uint64_t max_bytes;
    _Atomic uint64_t bytes; /* of contents; relaxed */
    _Atomic bool is_full;   /* relaxed */
};

struct hs_stack_cache {
    const struct hs_layout *layout;
    _Atomic bool is_discarded; /* relaxed: a thread that reads it late could have come early */
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
    uint64_t key[2];
    struct hs_java_frame frame;
    struct version version;
};

/* The content of a walk, whose tag is its hash: the words of the key, and behind them the version of
 * each interpreted item. */
struct walk_content {
    struct hs_known_stack known;
    uint32_t word_count;
    uint32_t version_count;
    uint64_t words[];
};

#define VERSION_WORDS (sizeof(struct version) / sizeof(uint64_t))

enum hs_status hs_stack_cache_new(const struct hs_layout *layout, hs_stack_cache **result) {
    *result = NULL;
    hs_stack_cache *stack_cache = hs_mem_new(sizeof *stack_cache);
    if (stack_cache == NULL) {
        return HS_NO_MEMORY;
    }
    stack_cache->layout = layout;
    stack_cache->items.max_bytes = MAX_RUN_BYTES;
    stack_cache->walks.max_bytes = MAX_WALK_BYTES;
    enum hs_status status = hs_index_new(MAX_ITEMS, &stack_cache->items.index);
    if (status == HS_OK) {
        status = hs_index_new(MAX_WALKS, &stack_cache->walks.index);
    }
    if (status == HS_OK) {
        status = hs_intern_new(MAX_CONTENTS, &stack_cache->contents);
    }
    if (status != HS_OK) {
        hs_stack_cache_free(stack_cache);
        return status;
    }
    *result = stack_cache;
    return HS_OK;
}

void hs_stack_cache_free(hs_stack_cache *stack_cache) {
    if (stack_cache == NULL) {
        return;
    }
    hs_intern_free(stack_cache->contents);
    hs_index_free(stack_cache->walks.index);
    hs_index_free(stack_cache->items.index);
    hs_mem_free(stack_cache, sizeof *stack_cache);
}

void hs_stack_cache_discard(hs_stack_cache *stack_cache) {
    atomic_store_explicit(&stack_cache->is_discarded, true, memory_order_relaxed);
}

bool hs_stack_cache_is_discarded(const hs_stack_cache *stack_cache) {
    return atomic_load_explicit(&stack_cache->is_discarded, memory_order_relaxed);
}

static bool is_full(const struct keys *keys) {
    return atomic_load_explicit(&keys->is_full, memory_order_relaxed);
}

bool hs_stack_cache_is_full(const hs_stack_cache *stack_cache) {
    return is_full(&stack_cache->items) || is_full(&stack_cache->walks);
}

bool hs_stack_cache_takes_runs(const hs_stack_cache *stack_cache) {
    return !is_full(&stack_cache->items);
}

/* The version of an interpreted item whose method the id names; false when it names another. */
static bool version_of(const hs_stack_cache *stack_cache, uintptr_t method_id, uint64_t method,
                       struct version *version) {
    version->method_id = method_id;
    return hs_version_sign(stack_cache->layout, method_id, (uintptr_t)method, &version->signature);
}

static bool is_current(const hs_stack_cache *stack_cache, const struct version *version,
                       uint64_t method) {
    struct version now;
    return version_of(stack_cache, version->method_id, method, &now) &&
           now.signature == version->signature;
}

/* ---- contents of keys ---- */

/* A compiled item is its own tag. */
static uint64_t tag_of_item(const uint64_t *key) {
    if (hs_item_is_compiled(*key)) {
        return *key;
    }
    return (hs_hash_word(hs_hash_word(HS_HASH_BEGIN, key[0]), key[1]) & ~HS_ITEM_COMPILED) | 1;
}

static bool is_item(const struct interpreted_content *content, const uint64_t *key) {
    return content->key[0] == key[0] && content->key[1] == key[1];
}

/* The content of an item; *at is its place. */
static const void *find_item(const hs_stack_cache *stack_cache, const uint64_t *key, uint32_t *at) {
    const hs_index *index = stack_cache->items.index;
    uint64_t tag = tag_of_item(key);
    for (*at = hs_index_first(index, tag);; ++*at) {
        const void *content = hs_index_look(index, tag, at);
        if (content == NULL || hs_item_is_compiled(*key) || is_item(content, key)) {
            return content;
        }
    }
}

static uint64_t tag_of_walk(const struct hs_walk_items *items) {
    return items->hash | 1;
}

static const struct walk_content *find_walk(const hs_stack_cache *stack_cache,
                                            const struct hs_walk_items *items, uint32_t *at) {
    const hs_index *index = stack_cache->walks.index;
    uint64_t tag = tag_of_walk(items);
    for (*at = hs_index_first(index, tag);; ++*at) {
        const struct walk_content *content = hs_index_look(index, tag, at);
        if (content == NULL ||
            (content->word_count == items->word_count &&
             memcmp(content->words, items->words, items->word_count * sizeof *items->words) == 0)) {
            return content;
        }
    }
}

static const struct version *versions_of(const struct walk_content *content) {
    return (const void *)&content->words[content->word_count];
}

/* ---- putting ---- */

/* Interns the content; NULL when there is no room. */
static const void *keep(hs_stack_cache *stack_cache, struct keys *keys, const void *content,
                        uint32_t bytes) {
    uint64_t used = atomic_fetch_add_explicit(&keys->bytes, bytes, memory_order_relaxed);
    uint32_t id;
    if (used > keys->max_bytes ||
        hs_intern_put(stack_cache->contents, content, bytes, &id) != HS_OK) {
        return NULL;
    }
    return hs_intern_key(stack_cache->contents, id, &bytes);
}

/* Ties a content to a key, in place of the one that was found at `at`, if any. */
static void tie(hs_stack_cache *stack_cache, struct keys *keys, uint64_t tag, const void *found,
                uint32_t at, const void *content, uint32_t bytes) {
    if (found == NULL && is_full(keys)) {
        return;
    }
    const void *kept = keep(stack_cache, keys, content, bytes);
    if (kept != NULL && found != NULL) {
        hs_index_replace(keys->index, at, kept);
    } else if (kept == NULL || hs_index_tie(keys->index, tag, kept) != HS_OK) {
        atomic_store_explicit(&keys->is_full, true, memory_order_relaxed);
    }
}

static void tie_item(hs_stack_cache *stack_cache, const uint64_t *key, const void *content,
                     uint32_t bytes) {
    uint32_t at;
    const void *found = find_item(stack_cache, key, &at);
    tie(stack_cache, &stack_cache->items, tag_of_item(key), found, at, content, bytes);
}

static const uint64_t *item_key(const struct hs_walk_items *items, uint32_t i) {
    return &items->words[items->at[i]];
}

void hs_stack_cache_put_run(hs_stack_cache *stack_cache, const struct hs_walk_items *items,
                            uint32_t i, const struct hs_java_frame *frames, uint32_t count) {
    const uint64_t *key = item_key(items, i);
    if (hs_item_is_compiled(*key)) {
        if (count > 0 && count <= HS_ALIGN_MAX_RUN) {
            tie_item(stack_cache, key, frames, count * (uint32_t)sizeof *frames);
        }
        return;
    }
    struct interpreted_content content = {.key = {key[0], key[1]}, .frame = *frames};
    if (count == 1 && version_of(stack_cache, frames->method_id, *key, &content.version)) {
        tie_item(stack_cache, key, &content, sizeof content);
    }
}

static _Atomic uint8_t *tries_of(hs_stack_cache *stack_cache, const struct hs_walk_items *items) {
    return &stack_cache->tries[items->hash % SEEN];
}

static void count_try(_Atomic uint8_t *tries, uint8_t count) {
    if (count < UINT8_MAX) {
        atomic_store_explicit(tries, (uint8_t)(count + 1), memory_order_relaxed);
    }
}

bool hs_stack_cache_is_worth_trying(hs_stack_cache *stack_cache,
                                    const struct hs_walk_items *items) {
    if (!hs_stack_cache_takes_runs(stack_cache)) {
        return false;
    }
    _Atomic uint8_t *tries = tries_of(stack_cache, items);
    uint8_t count = atomic_load_explicit(tries, memory_order_relaxed);
    bool is_worth = (count & (count + 1)) == 0 && count < UINT8_MAX;
    if (!is_worth) {
        count_try(tries, count);
    }
    return is_worth;
}

void hs_stack_cache_count_try(hs_stack_cache *stack_cache, const struct hs_walk_items *items) {
    _Atomic uint8_t *tries = tries_of(stack_cache, items);
    count_try(tries, atomic_load_explicit(tries, memory_order_relaxed));
}

static bool is_seen(hs_stack_cache *stack_cache, const struct hs_walk_items *items) {
    _Atomic uint32_t *place = &stack_cache->seen[items->hash % SEEN];
    uint32_t mark = (uint32_t)(items->hash >> 32) | 1;
    return atomic_exchange_explicit(place, mark, memory_order_relaxed) == mark;
}

/* Room for the content of any walk. */
union any_walk {
    struct walk_content content;
    uint64_t words[sizeof(struct walk_content) / sizeof(uint64_t) + (size_t)2 * HS_WALK_MAX_ITEMS +
                   1 + VERSION_WORDS * HS_WALK_MAX_ITEMS];
};

/* Puts the version of each interpreted item behind the words; false when one is not known. */
static bool add_versions(const hs_stack_cache *stack_cache, const struct hs_walk_items *items,
                         const struct hs_java_frame *frames, const uint32_t *begins,
                         struct walk_content *content) {
    struct version version;
    for (uint32_t i = 0; i < items->count; i++) {
        uint64_t word = *item_key(items, i);
        if (hs_item_is_compiled(word) || begins[i] == HS_BEGIN_UNKNOWN) {
            continue;
        }
        if (begins[i] >= content->known.frame_count ||
            !version_of(stack_cache, frames[begins[i]].method_id, word, &version)) {
            return false;
        }
        memcpy(&content->words[content->word_count + VERSION_WORDS * content->version_count++],
               &version, sizeof version);
    }
    return true;
}

void hs_stack_cache_put_stack(hs_stack_cache *stack_cache, const struct hs_walk_items *items,
                              const struct hs_java_frame *frames, uint32_t frame_count,
                              const uint32_t *begins, struct hs_stack_id stack) {
    if (is_full(&stack_cache->walks) || !is_seen(stack_cache, items)) {
        return;
    }
    HS_DCHECK(stack.number != 0 && frame_count != 0);
    union any_walk room;
    struct walk_content *content = &room.content;
    content->known.stack = stack;
    content->known.frame_count = frame_count;
    content->known.fingerprint = hs_java_fingerprint(frames, frame_count);
    content->word_count = items->word_count;
    content->version_count = 0;
    memcpy(content->words, items->words, items->word_count * sizeof *items->words);
    if (!add_versions(stack_cache, items, frames, begins, content)) {
        return;
    }
    size_t words = content->word_count + VERSION_WORDS * content->version_count;
    uint32_t bytes = (uint32_t)(sizeof *content + words * sizeof *content->words);
    uint32_t at;
    const void *found = find_walk(stack_cache, items, &at);
    tie(stack_cache, &stack_cache->walks, tag_of_walk(items), found, at, content, bytes);
}

/* ---- finding ---- */

static struct hs_run run_in(const hs_stack_cache *stack_cache, const uint64_t *key,
                            const void *content) {
    struct hs_run run = {content, 0};
    if (content != NULL && hs_item_is_compiled(*key)) {
        run.count = hs_intern_length(content) / (uint32_t)sizeof *run.frames;
    } else if (content != NULL) {
        const struct interpreted_content *interpreted = content;
        run.frames = &interpreted->frame;
        run.count = is_current(stack_cache, &interpreted->version, *key) ? 1 : 0;
    }
    return run;
}

struct hs_run hs_stack_cache_run(const hs_stack_cache *stack_cache,
                                 const struct hs_walk_items *items, uint32_t i) {
    const uint64_t *key = item_key(items, i);
    uint32_t at;
    return run_in(stack_cache, key, find_item(stack_cache, key, &at));
}

/* First where all are, then what they are: so the processor waits for many at once. */
void hs_stack_cache_runs(const hs_stack_cache *stack_cache, const struct hs_walk_items *items,
                         struct hs_run *runs) {
    const void *contents[HS_WALK_MAX_ITEMS];
    uint32_t at;
    for (uint32_t i = 0; i < items->count; i++) {
        contents[i] = find_item(stack_cache, item_key(items, i), &at);
        if (contents[i] != NULL) {
            __builtin_prefetch(contents[i]);
            hs_index_mark(stack_cache->items.index, at);
        }
    }
    for (uint32_t i = 0; i < items->count; i++) {
        runs[i] = run_in(stack_cache, item_key(items, i), contents[i]);
    }
}

bool hs_stack_cache_stack(const hs_stack_cache *stack_cache, const struct hs_walk_items *items,
                          struct hs_known_stack *known) {
    uint32_t at;
    const struct walk_content *content = find_walk(stack_cache, items, &at);
    if (content == NULL) {
        return false;
    }
    const struct version *versions = versions_of(content);
    for (uint32_t i = 0, version = 0; i < items->count && version < content->version_count; i++) {
        uint64_t word = *item_key(items, i);
        if (!hs_item_is_compiled(word) && !is_current(stack_cache, &versions[version++], word)) {
            return false;
        }
    }
    *known = content->known;
    return true;
}

/* ---- keeping ---- */

/* What an item stands for, without the table. The frames follow it. */
struct kept_run {
    uint64_t key[2];
    struct version version; /* of an interpreted one */
    uint64_t frame_count;
};

/* The first bytes of one block of MAX_KEPT_BYTES. */
struct hs_kept_runs {
    uint32_t bytes; /* of what follows: runs, each with its frames */
    _Alignas(16) unsigned char runs[];
};

enum { MAX_KEPT_BYTES = 512 * 1024 };
enum { KEPT_ROOM = MAX_KEPT_BYTES - sizeof(struct hs_kept_runs) };

/* Of a content and its tag, which is the key of a compiled item. */
static struct kept_run describe(uint64_t tag, const void *content,
                                const struct hs_java_frame **frames) {
    if (hs_item_is_compiled(tag)) {
        *frames = content;
        return (struct kept_run){.key = {tag},
                                 .frame_count = hs_intern_length(content) / sizeof **frames};
    }
    const struct interpreted_content *interpreted = content;
    *frames = &interpreted->frame;
    return (struct kept_run){.key = {interpreted->key[0], interpreted->key[1]},
                             .version = interpreted->version,
                             .frame_count = 1};
}

/* False: no room. */
static bool append_run(struct hs_kept_runs *kept, const struct kept_run *run,
                       const struct hs_java_frame *frames) {
    size_t bytes = run->frame_count * sizeof *frames;
    if (bytes + sizeof *run > KEPT_ROOM - kept->bytes) {
        return false;
    }
    memcpy(&kept->runs[kept->bytes], run, sizeof *run);
    memcpy(&kept->runs[kept->bytes + sizeof *run], frames, bytes);
    kept->bytes += (uint32_t)(sizeof *run + bytes);
    return true;
}

static bool keep_run(struct hs_kept_runs *kept, uint64_t tag, const void *content) {
    const struct hs_java_frame *frames;
    struct kept_run run = describe(tag, content, &frames);
    return append_run(kept, &run, frames);
}

struct hs_kept_runs *hs_stack_cache_keep(const hs_stack_cache *stack_cache) {
    struct hs_kept_runs *kept =
        hs_stack_cache_is_discarded(stack_cache) ? NULL : hs_mem_new(MAX_KEPT_BYTES);
    if (kept == NULL) {
        return NULL;
    }
    const hs_index *index = stack_cache->items.index;
    const void *content;
    uint64_t tag;
    bool is_marked;
    bool has_room = true;
    for (uint32_t at = 0;
         has_room && (content = hs_index_next(index, &at, &tag, &is_marked)) != NULL; at++) {
        has_room = !is_marked || keep_run(kept, tag, content);
    }
    if (kept->bytes == 0) {
        hs_kept_runs_free(kept);
        return NULL;
    }
    return kept;
}

void hs_kept_runs_free(struct hs_kept_runs *kept) {
    hs_mem_free(kept, MAX_KEPT_BYTES);
}

/* The run at `at`, and its frames. Returns where the next one is. */
static uint32_t read_run(const struct hs_kept_runs *kept, uint32_t at, struct kept_run *run,
                         struct hs_java_frame frames[HS_ALIGN_MAX_RUN]) {
    memcpy(run, &kept->runs[at], sizeof *run);
    HS_DCHECK(run->frame_count > 0 && run->frame_count <= HS_ALIGN_MAX_RUN);
    size_t bytes = run->frame_count * sizeof *frames;
    memcpy(frames, &kept->runs[at + sizeof *run], bytes);
    return at + (uint32_t)(sizeof *run + bytes);
}

void hs_kept_runs_renumber(struct hs_kept_runs *kept,
                           bool (*renumber)(void *context, struct hs_frame_id *frame),
                           void *context) {
    uint32_t end = kept->bytes;
    kept->bytes = 0;
    for (uint32_t at = 0; at < end;) { /* writes no further than it has read */
        struct kept_run run;
        struct hs_java_frame frames[HS_ALIGN_MAX_RUN];
        at = read_run(kept, at, &run, frames);
        bool has_all = true;
        for (uint32_t i = 0; has_all && i < run.frame_count; i++) {
            has_all = renumber(context, &frames[i].frame);
        }
        if (has_all) {
            append_run(kept, &run, frames);
        }
    }
}

void hs_stack_cache_put_kept(hs_stack_cache *stack_cache, const struct hs_kept_runs *kept) {
    uint32_t end = kept == NULL ? 0 : kept->bytes;
    for (uint32_t at = 0; at < end;) {
        struct kept_run run;
        struct hs_java_frame frames[HS_ALIGN_MAX_RUN];
        at = read_run(kept, at, &run, frames);
        if (hs_item_is_compiled(run.key[0])) {
            tie_item(stack_cache, run.key, frames, (uint32_t)(run.frame_count * sizeof *frames));
        } else {
            const struct interpreted_content content = {
                .key = {run.key[0], run.key[1]}, .frame = *frames, .version = run.version};
            tie_item(stack_cache, run.key, &content, sizeof content);
        }
    }
}
