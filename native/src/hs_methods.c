/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Sets of four slots. A set is chosen by the id alone, so that all versions of a method meet in one.
 *
 * The memory is touched as little as possible, since the first touch of each page costs a page fault within a sample.
 * The VM makes ids in blocks of eight, one after another as stacks show new methods, so eight ids that follow each
 * other have eight sets that do. The first slots of all sets lie together, then the second ones, and so on. The slots
 * of a set fill up in this order and are never emptied, so a search stops at the first empty slot. */
#include "hs_methods.h"

#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "hs_hash.h"
#include "hs_mem.h"

enum { SET_BITS = 12, SETS = 1 << SET_BITS, WAYS = 4 };
enum { GROUP_BITS = 3, GROUP = 1 << GROUP_BITS }; /* sets of ids that follow each other */

/* A key and what is known of it, as they are copied. */
struct content {
    struct hs_method_key key;
    struct hs_method method;
};

enum { WORDS = sizeof(struct content) / sizeof(uint64_t) };

_Static_assert(sizeof(struct content) % sizeof(uint64_t) == 0, "it is copied by words");
_Static_assert(sizeof(uintptr_t) == sizeof(uint64_t), "the key is the first three words");

struct slot {
    /* Written by the one writer that made it odd. Readers: acquire before, relaxed after the words, which
     * they read with acquire so that the second read cannot come first. */
    _Atomic uint32_t sequence;
    _Atomic uint32_t tables; /* for which the content holds; as the words */
    _Atomic uint64_t
        words[WORDS]; /* release, acquire; the first one, the id, is 0 in an empty slot */
};

_Static_assert(sizeof(struct slot) == 192, "slots are 3 lines of memory");

struct hs_methods {
    struct slot (*ways)[SETS];
    _Atomic uint32_t victim; /* relaxed: any value will do */
};

enum hs_status hs_methods_new(hs_methods **result) {
    *result = NULL;
    hs_methods *methods = hs_mem_new(sizeof *methods);
    if (methods == NULL) {
        return HS_NO_MEMORY;
    }
    methods->ways = hs_mem_new_array(WAYS, sizeof *methods->ways);
    if (methods->ways == NULL) {
        hs_methods_free(methods);
        return HS_NO_MEMORY;
    }
    *result = methods;
    return HS_OK;
}

void hs_methods_free(hs_methods *methods) {
    if (methods == NULL) {
        return;
    }
    hs_mem_free(methods->ways, WAYS * sizeof *methods->ways);
    hs_mem_free(methods, sizeof *methods);
}

static uint32_t set_of(uintptr_t id) {
    /* An id is the address of a word, or, from JDK 26 on, a number that counts up: the lowest bits count as well. */
    uintptr_t number = id >> 3 | id << (8 * sizeof id - 3);
    uint64_t hash = hs_hash_mix(hs_hash_word(HS_HASH_BEGIN, number / GROUP));
    uint64_t group = hash >> (64 - SET_BITS + GROUP_BITS);
    return (uint32_t)(group * GROUP + number % GROUP);
}

/* Most methods are in the first slot of their set. */
void hs_methods_prefetch(const hs_methods *methods, uintptr_t id) {
    enum { LINE = 64 };
    const char *slot = (const char *)&methods->ways[0][set_of(id)];
    for (uint32_t i = 0; i < sizeof(struct slot); i += LINE) {
        __builtin_prefetch(slot + i);
    }
}

static uint64_t word_of(struct slot *slot, uint32_t i) {
    return atomic_load_explicit(&slot->words[i], memory_order_acquire);
}

static uint32_t tables_of(struct slot *slot) {
    return atomic_load_explicit(&slot->tables, memory_order_acquire);
}

/* Its first content is being written, at most. */
static bool is_empty(struct slot *slot) {
    return word_of(slot, 0) == 0;
}

static bool has_key(struct slot *slot, uint32_t tables, const struct hs_method_key *key) {
    return tables_of(slot) == tables && word_of(slot, 0) == key->id &&
           word_of(slot, 1) == key->method && word_of(slot, 2) == key->stamp;
}

static bool read_slot(struct slot *slot, uint32_t tables, const struct hs_method_key *key,
                      struct hs_method *method) {
    uint32_t before = atomic_load_explicit(&slot->sequence, memory_order_acquire);
    if ((before & 1) != 0 || !has_key(slot, tables, key)) {
        return false;
    }
    uint64_t words[WORDS];
    for (uint32_t i = 0; i < WORDS; i++) {
        words[i] = word_of(slot, i);
    }
    if (atomic_load_explicit(&slot->sequence, memory_order_relaxed) != before) {
        return false;
    }
    memcpy(method, (const char *)words + offsetof(struct content, method), sizeof *method);
    return true;
}

bool hs_methods_find(const hs_methods *methods, uint32_t tables, const struct hs_method_key *key,
                     struct hs_method *method) {
    uint32_t set = set_of(key->id);
    bool is_found = false;
    for (uint32_t way = 0; !is_found && way < WAYS; way++) {
        struct slot *slot = &methods->ways[way][set];
        if (is_empty(slot)) {
            return false;
        }
        is_found = read_slot(slot, tables, key, method);
    }
    return is_found;
}

static void write_slot(struct slot *slot, uint32_t tables, const struct content *content) {
    uint32_t sequence = atomic_load_explicit(&slot->sequence, memory_order_relaxed);
    if ((sequence & 1) != 0 ||
        !atomic_compare_exchange_strong_explicit(&slot->sequence, &sequence, sequence + 1,
                                                 memory_order_acq_rel, memory_order_relaxed)) {
        return; /* another writer is at it */
    }
    uint64_t words[WORDS];
    memcpy(words, content, sizeof words);
    /* Release stores: none may be seen before the odd number (the reader's acquire loads carry it), and the
     * even number comes last. */
    atomic_store_explicit(&slot->tables, tables, memory_order_release);
    for (uint32_t i = 0; i < WORDS; i++) {
        atomic_store_explicit(&slot->words[i], words[i], memory_order_release);
    }
    atomic_store_explicit(&slot->sequence, sequence + 2, memory_order_release);
}

/* The slot of another version of the method, one that is empty or for other tables, or any. */
static struct slot *place_for(hs_methods *methods, uint32_t tables,
                              const struct hs_method_key *key) {
    uint32_t set = set_of(key->id);
    struct slot *unused = NULL;
    for (uint32_t way = 0; way < WAYS; way++) {
        struct slot *slot = &methods->ways[way][set];
        if (word_of(slot, 0) == key->id) {
            return slot;
        }
        bool is_first_empty = is_empty(slot);
        bool is_unused = is_first_empty || tables_of(slot) != tables;
        unused = is_unused && unused == NULL ? slot : unused;
        if (is_first_empty) {
            break;
        }
    }
    uint32_t victim =
        atomic_fetch_add_explicit(&methods->victim, unused == NULL, memory_order_relaxed);
    return unused != NULL ? unused : &methods->ways[victim % WAYS][set];
}

void hs_methods_put(hs_methods *methods, uint32_t tables, const struct hs_method_key *key,
                    const struct hs_method *method) {
    struct content content;
    HS_DCHECK(key->id != 0);
    memset(&content, 0, sizeof content);
    content.key = *key;
    content.method = *method;
    write_slot(place_for(methods, tables, key), tables, &content);
}

#ifdef HS_CHECKS
static bool is_slot_valid(struct slot *slot, uint32_t set) {
    struct content content;
    uint64_t words[WORDS] = {0};
    bool has_words = false;
    for (uint32_t i = 0; i < WORDS; i++) {
        words[i] = word_of(slot, i);
        has_words = has_words || words[i] != 0;
    }
    memcpy(&content, words, sizeof content);
    bool is_blank = content.key.id == 0 && !has_words;
    bool is_filled = content.key.id != 0 && set_of(content.key.id) == set &&
                     hs_lines_is_valid(&content.method.lines);
    return (atomic_load_explicit(&slot->sequence, memory_order_relaxed) & 1) == 0 &&
           (is_blank || is_filled);
}

bool hs_methods_is_valid(const hs_methods *methods) {
    for (uint32_t set = 0; set < SETS; set++) {
        bool has_empty = false;
        for (uint32_t way = 0; way < WAYS; way++) {
            struct slot *slot = &methods->ways[way][set];
            bool is_hidden = has_empty && !is_empty(slot);
            if (is_hidden || !is_slot_valid(slot, set)) {
                return false;
            }
            has_empty = is_empty(slot);
        }
    }
    return true;
}
#endif
