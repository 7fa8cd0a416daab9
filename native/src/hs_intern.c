/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Layout: `slots` is the open-addressed index, each slot an id in the lower bits, as many as the highest id needs,
 * and bits of the hash above them; 0 when free. `pages` lead from id to entry; entries lie in `chunks`. A slot once set
 * never changes. */
#include "hs_intern.h"

#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "hs_hash.h"
#include "hs_mem.h"

enum { PAGE = 512, LONG_KEY = 64 };

struct entry {
    uint32_t bytes;
    _Atomic uint32_t note; /* set once; relaxed */
    unsigned char key[];
};

struct chunk {
    struct chunk *previous; /* constant once published */
    size_t capacity;
    atomic_size_t used; /* taken by fetch_add; may run past capacity, then a new chunk is due */
    _Alignas(16) unsigned char data[];
};

/* With what is in front of it, whole pages of the system. */
enum { CHUNK_BYTES = 16384 - sizeof(struct chunk) };

struct page {
    _Atomic(struct entry *) entries[PAGE]; /* release on set, acquire on read */
};

struct hs_intern {
    uint32_t max_entries;
    uint32_t mask;
    uint32_t id_mask;               /* the bits of a slot that are its id */
    _Atomic uint32_t next_id;       /* a ticket; release on take, acquire in hs_intern_end */
    _Atomic(struct chunk *) chunks; /* newest first; acquire/release */
    /* [page_count]; set once by compare-and-swap: release, read with acquire, so its zeros are seen */
    _Atomic(struct page *) *pages;
    _Atomic uint32_t *slots; /* [mask + 1]; release on set, acquire on read */
};

static uint32_t index_size(uint32_t max_entries) {
    uint32_t size = 16;
    while (size < max_entries * 2) {
        size *= 2;
    }
    return size;
}

static uint32_t page_count(uint32_t max_entries) {
    return max_entries / PAGE + 1;
}

static uint32_t mask_for(uint32_t max_entries) {
    return UINT32_MAX >> __builtin_clz(max_entries);
}

enum hs_status hs_intern_new(uint32_t max_entries, hs_intern **result) {
    *result = NULL;
    if (max_entries == 0 || max_entries > HS_INTERN_MAX) {
        return HS_INVALID;
    }
    hs_intern *table = hs_mem_new(sizeof *table);
    if (table == NULL) {
        return HS_NO_MEMORY;
    }
    table->max_entries = max_entries;
    table->mask = index_size(max_entries) - 1;
    table->id_mask = mask_for(max_entries);
    atomic_init(&table->next_id, 1);
    table->pages = hs_mem_new_array(page_count(max_entries), sizeof *table->pages);
    table->slots = hs_mem_new_array((size_t)table->mask + 1, sizeof *table->slots);
    if (table->pages == NULL || table->slots == NULL) {
        hs_intern_free(table);
        return HS_NO_MEMORY;
    }
    *result = table;
    return HS_OK;
}

static void free_pages(hs_intern *table) {
    uint32_t count = page_count(table->max_entries);
    for (uint32_t i = 0; i < count; i++) {
        struct page *page = atomic_load_explicit(&table->pages[i], memory_order_relaxed);
        hs_mem_free(page, sizeof *page);
    }
    hs_mem_free(table->pages, count * sizeof *table->pages);
}

void hs_intern_free(hs_intern *table) {
    if (table == NULL) {
        return;
    }
    struct chunk *chunk = atomic_load_explicit(&table->chunks, memory_order_relaxed);
    while (chunk != NULL) {
        struct chunk *previous = chunk->previous;
        hs_mem_free(chunk, sizeof *chunk + chunk->capacity);
        chunk = previous;
    }
    hs_mem_free(table->slots, ((size_t)table->mask + 1) * sizeof *table->slots);
    if (table->pages != NULL) {
        free_pages(table);
    }
    hs_mem_free(table, sizeof *table);
}

/* Puts a chunk with room for `bytes` in front of `full`, unless another thread just did. */
static bool add_chunk(hs_intern *table, struct chunk *full, size_t bytes) {
    size_t capacity = bytes > CHUNK_BYTES ? bytes : CHUNK_BYTES;
    struct chunk *chunk = hs_mem_new(sizeof *chunk + capacity);
    if (chunk == NULL) {
        return false;
    }
    chunk->capacity = capacity;
    chunk->previous = full;
    if (!atomic_compare_exchange_strong_explicit(&table->chunks, &full, chunk, memory_order_release,
                                                 memory_order_relaxed)) {
        hs_mem_free(chunk, sizeof *chunk + capacity);
    }
    return true;
}

static void *take(hs_intern *table, size_t bytes) {
    bytes = (bytes + 7) & ~(size_t)7;
    for (;;) {
        struct chunk *chunk = atomic_load_explicit(&table->chunks, memory_order_acquire);
        if (chunk != NULL &&
            atomic_load_explicit(&chunk->used, memory_order_relaxed) + bytes <= chunk->capacity) {
            size_t at = atomic_fetch_add_explicit(&chunk->used, bytes, memory_order_relaxed);
            if (at + bytes <= chunk->capacity) {
                return chunk->data + at;
            }
        }
        if (!add_chunk(table, chunk, bytes)) {
            return NULL;
        }
    }
}

/* Of an id that there can be; NULL where its page has not been made. */
static _Atomic(struct entry *) *place_of(const hs_intern *table, uint32_t id) {
    struct page *page = atomic_load_explicit(&table->pages[id / PAGE], memory_order_acquire);
    return page == NULL ? NULL : &page->entries[id % PAGE];
}

static bool need_page(hs_intern *table, uint32_t id) {
    if (place_of(table, id) != NULL) {
        return true;
    }
    struct page *none = NULL;
    struct page *page = hs_mem_new(sizeof *page);
    if (page != NULL &&
        !atomic_compare_exchange_strong_explicit(&table->pages[id / PAGE], &none, page,
                                                 memory_order_release, memory_order_relaxed)) {
        hs_mem_free(page, sizeof *page);
    }
    return page != NULL;
}

/* Copies the key into an entry of its own under a fresh id; not yet in the index. */
static enum hs_status prepare(hs_intern *table, uint32_t limit, const void *key, uint32_t bytes,
                              uint32_t *id) {
    uint32_t next = atomic_load_explicit(&table->next_id, memory_order_relaxed);
    if (next > limit) {
        return HS_FULL;
    }
    struct entry *entry = take(table, sizeof *entry + bytes);
    if (entry == NULL || !need_page(table, next)) {
        return HS_NO_MEMORY;
    }
    /* Release, pairs with hs_intern_end: a thread that sees this ticket sees what its key refers to. */
    HS_DCHECK((uintptr_t)entry % _Alignof(struct entry) == 0);
    uint32_t ticket = atomic_fetch_add_explicit(&table->next_id, 1, memory_order_release);
    if (ticket > table->max_entries) {
        atomic_fetch_sub_explicit(&table->next_id, 1, memory_order_relaxed);
        return HS_FULL;
    }
    if (!need_page(table, ticket)) {
        return HS_NO_MEMORY; /* others came first, as far as the next page: the id is lost */
    }
    entry->bytes = bytes;
    if (bytes > 0) {
        memcpy(entry->key, key, bytes);
    }
    /* Pairs with the acquire in hs_intern_key. */
    atomic_store_explicit(place_of(table, ticket), entry, memory_order_release);
    *id = ticket;
    return HS_OK;
}

/* Many keys are one word. */
static bool is_same(const void *a, const void *b, uint32_t bytes) {
    uint64_t left;
    uint64_t right;
    if (bytes != sizeof left) {
        return bytes == 0 || memcmp(a, b, bytes) == 0;
    }
    memcpy(&left, a, sizeof left);
    memcpy(&right, b, sizeof right);
    return left == right;
}

static uint32_t id_in(const hs_intern *table, uint32_t slot) {
    return slot & table->id_mask;
}

/* The lower bits of the hash have chosen the place, so the upper ones tell more. */
static uint32_t slot_of(const hs_intern *table, uint64_t hash, uint32_t id) {
    return ((uint32_t)(hash >> 32) & ~table->id_mask) | id;
}

static bool slot_holds(const hs_intern *table, uint32_t slot, uint64_t hash, const void *key,
                       uint32_t bytes) {
    uint32_t id = id_in(table, slot);
    if (slot != slot_of(table, hash, id)) {
        return false;
    }
    uint32_t length;
    const void *found = hs_intern_key(table, id, &length);
    return found != NULL && length == bytes && is_same(found, key, bytes);
}

/* Walks the probe sequence; stops at the key (answers its id) or at a free slot (*at, returns 0). */
static uint32_t probe(const hs_intern *table, uint64_t hash, const void *key, uint32_t bytes,
                      uint32_t *at) {
    for (;; *at = (*at + 1) & table->mask) {
        uint32_t slot = atomic_load_explicit(&table->slots[*at], memory_order_acquire);
        if (slot == 0) {
            return 0;
        }
        if (slot_holds(table, slot, hash, key, bytes)) {
            return id_in(table, slot);
        }
    }
}

/* Stacks are long. */
static uint64_t hash_of(const void *key, uint32_t bytes) {
    return bytes < LONG_KEY ? hs_hash_bytes(key, bytes) : hs_hash_lanes(key, bytes);
}

void hs_intern_prefetch(const hs_intern *table, const void *key, uint32_t bytes) {
    __builtin_prefetch(&table->slots[(uint32_t)hash_of(key, bytes) & table->mask]);
}

uint32_t hs_intern_find(const hs_intern *table, const void *key, uint32_t bytes) {
    uint64_t hash = hash_of(key, bytes);
    uint32_t at = (uint32_t)hash & table->mask;
    return probe(table, hash, key, bytes, &at);
}

enum hs_status hs_intern_put(hs_intern *table, const void *key, uint32_t bytes, uint32_t *id) {
    return hs_intern_put_within(table, table->max_entries, key, bytes, id);
}

enum hs_status hs_intern_put_within(hs_intern *table, uint32_t limit, const void *key,
                                    uint32_t bytes, uint32_t *id) {
    HS_DCHECK(key != NULL || bytes == 0);
    uint64_t hash = hash_of(key, bytes);
    uint32_t at = (uint32_t)hash & table->mask;
    *id = probe(table, hash, key, bytes, &at);
    if (*id != 0) {
        return HS_OK;
    }
    uint32_t mine = 0;
    enum hs_status status = prepare(table, limit, key, bytes, &mine);
    if (status != HS_OK) {
        return status;
    }
    uint32_t full = slot_of(table, hash, mine);
    for (;;) {
        uint32_t empty = 0;
        /* Release: a thread that reads the slot reads the entry whole. */
        if (atomic_compare_exchange_strong_explicit(&table->slots[at], &empty, full,
                                                    memory_order_release, memory_order_relaxed)) {
            *id = mine;
            return HS_OK;
        }
        *id = probe(table, hash, key, bytes, &at);
        if (*id != 0) {
            atomic_store_explicit(place_of(table, mine), NULL, memory_order_relaxed);
            return HS_OK;
        }
    }
}

/* NULL for an id that was never published. */
static struct entry *entry_of(const hs_intern *table, uint32_t id) {
    if (id == 0 || id > table->max_entries) {
        return NULL;
    }
    const _Atomic(struct entry *) *place = place_of(table, id);
    return place == NULL ? NULL : atomic_load_explicit(place, memory_order_acquire);
}

const void *hs_intern_key(const hs_intern *table, uint32_t id, uint32_t *bytes) {
    const struct entry *entry = entry_of(table, id);
    *bytes = entry == NULL ? 0 : entry->bytes;
    return entry == NULL ? NULL : entry->key;
}

void hs_intern_note(hs_intern *table, uint32_t id, uint32_t note) {
    struct entry *entry = entry_of(table, id);
    HS_DCHECK(entry != NULL);
    uint32_t none = atomic_load_explicit(&entry->note, memory_order_relaxed);
    if (none == 0) { /* else most writes would write what is there */
        atomic_compare_exchange_strong_explicit(&entry->note, &none, note, memory_order_relaxed,
                                                memory_order_relaxed);
    }
}

uint32_t hs_intern_noted(const hs_intern *table, uint32_t id) {
    struct entry *entry = entry_of(table, id);
    return entry == NULL ? 0 : atomic_load_explicit(&entry->note, memory_order_relaxed);
}

uint32_t hs_intern_length(const void *key) {
    return ((const struct entry *)((const unsigned char *)key - offsetof(struct entry, key)))
        ->bytes;
}

uint32_t hs_intern_end(const hs_intern *table) {
    uint32_t next = atomic_load_explicit(&table->next_id, memory_order_acquire);
    return next > table->max_entries ? table->max_entries + 1 : next;
}

uint32_t hs_intern_capacity(const hs_intern *table) {
    return table->max_entries;
}

#ifdef HS_CHECKS
static bool is_in_a_chunk(const hs_intern *table, const struct entry *entry) {
    const unsigned char *at = (const unsigned char *)entry;
    const struct chunk *chunk = atomic_load_explicit(&table->chunks, memory_order_relaxed);
    for (; chunk != NULL; chunk = chunk->previous) {
        if (at >= chunk->data && at < chunk->data + chunk->capacity) {
            size_t rest = (size_t)(chunk->data + chunk->capacity - at);
            return sizeof *entry <= rest && entry->bytes <= rest - sizeof *entry;
        }
    }
    return false;
}

/* Of equal keys only the first in the index is found. */
static bool is_entry_valid(const hs_intern *table, uint32_t id) {
    const struct entry *entry = entry_of(table, id);
    return id < hs_intern_end(table) && is_in_a_chunk(table, entry) &&
           hs_intern_find(table, entry->key, entry->bytes) == id;
}

bool hs_intern_is_valid(const hs_intern *table) {
    uint32_t published = 0;
    uint32_t indexed = 0;
    for (uint32_t id = 1; id <= table->max_entries; id++) {
        if (entry_of(table, id) != NULL) {
            if (!is_entry_valid(table, id)) {
                return false;
            }
            published++;
        }
    }
    for (uint32_t at = 0; at <= table->mask; at++) {
        uint32_t slot = atomic_load_explicit(&table->slots[at], memory_order_relaxed);
        uint32_t bytes;
        if (slot != 0 && hs_intern_key(table, id_in(table, slot), &bytes) == NULL) {
            return false;
        }
        indexed += slot != 0;
    }
    return published == indexed;
}
#endif
