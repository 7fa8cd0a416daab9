/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_label_sets.h"

#include <string.h>

#include "hs_lock.h"
#include "hs_mem.h"

enum { SLOT_BITS = 12, FIRST_SLOT = 2, LARGEST_CONTROL = 0x1F, DELETE = 0x7F };
enum { ORPHANS_AT_ONCE = 64 };

_Static_assert(HS_LABEL_SLOTS == 1 << SLOT_BITS, "the bits of a slot");

/* A slot may be used as often as a word has bits for it: then the count begins anew. With a million sets a second, all
 * in one slot, that is after twelve days, and an old word would have to be in a thread as long. */
#define SERIAL_MASK ((UINT64_C(1) << 40) - 1)

static const char OTHER_TEXT[1];

static struct hs_label_set other = {.word = HS_LABELS_OTHER, .text = OTHER_TEXT, .bytes = 1};

/* Written with the lock, read by callbacks; seq_cst on both sides. */
static _Atomic(struct hs_label_set *) slots[HS_LABEL_SLOTS] = {[HS_LABELS_OTHER] = &other};

/* HS_RANK_LABELS, except for `count`. */
static struct {
    struct hs_lock lock;
    uint64_t serials[HS_LABEL_SLOTS];   /* how often each slot was used */
    uint16_t next_free[HS_LABEL_SLOTS]; /* of the free slots that were used before; 0: none */
    uint16_t first_free;
    uint32_t end;   /* of the slots that were ever used */
    uint32_t bytes; /* of all sets, the removed ones included */
    /* Sets that are removed, and whose slots are empty: those of before the look, and those of after it began. */
    struct hs_label_set *looked_for;
    struct hs_label_set *removed;
    struct hs_phaser_look look;
    _Atomic uint32_t count; /* relaxed */
} table = {.lock = HS_LOCK_INIT(HS_RANK_LABELS), .end = FIRST_SLOT};

/* ---- bytes ---- */

/* The length of the text at `at` that a zero ends; 0 if it is none, or longer than `most`. */
static uint32_t text_at(const char *bytes, uint32_t count, uint32_t at, uint32_t most) {
    uint32_t end = at;
    for (; end < count && bytes[end] != '\0'; end++) {
        unsigned char byte = (unsigned char)bytes[end];
        if (byte <= LARGEST_CONTROL || byte == DELETE) {
            return 0;
        }
    }
    return end < count && end - at <= most ? end - at : 0;
}

/* strcmp compares as unsigned bytes. */
bool hs_label_bytes_are_valid(const char *bytes, uint32_t count) {
    const char *last_key = NULL;
    uint32_t labels = 0;
    for (uint32_t at = 0; at < count; labels++) {
        const char *key = bytes + at;
        uint32_t key_bytes = text_at(bytes, count, at, HS_MAX_LABEL_KEY);
        uint32_t value_bytes =
            key_bytes == 0 ? 0 : text_at(bytes, count, at + key_bytes + 1, HS_MAX_LABEL_VALUE);
        if (value_bytes == 0 || (last_key != NULL && strcmp(last_key, key) >= 0)) {
            return false;
        }
        at += key_bytes + value_bytes + 2;
        last_key = key;
    }
    return labels > 0 && labels <= HS_MAX_LABELS_OF_SET;
}

/* ---- slots ---- */

static uint32_t slot_of(uint64_t word) {
    return (uint32_t)word & (HS_LABEL_SLOTS - 1);
}

/* 0: all are taken. */
static uint32_t take_slot(void) {
    uint32_t slot = table.first_free;
    if (slot != 0) {
        table.first_free = table.next_free[slot];
    } else if (table.end < HS_LABEL_SLOTS) {
        slot = table.end++;
    }
    return slot;
}

static void free_slot(uint32_t slot) {
    table.next_free[slot] = table.first_free;
    table.first_free = (uint16_t)slot;
}

static size_t size_of(const struct hs_label_set *set) {
    return sizeof *set + set->bytes;
}

static void free_sets(struct hs_label_set *first) {
    while (first != NULL) {
        struct hs_label_set *next = first->next;
        free_slot(slot_of(first->word));
        table.bytes -= first->bytes;
        hs_mem_free(first, size_of(first));
        first = next;
    }
}

/* Frees what no callback can see any more. Mostly none is inside, so both lists go. */
static void free_removed(const struct hs_phaser *phaser) {
    while (table.looked_for != NULL || table.removed != NULL) {
        if (table.looked_for == NULL) {
            table.looked_for = table.removed;
            table.removed = NULL;
            hs_phaser_begin_look(&table.look);
        }
        if (!hs_phaser_look(phaser, &table.look)) {
            return;
        }
        free_sets(table.looked_for);
        table.looked_for = NULL;
    }
}

/* ---- sets ---- */

static struct hs_label_set *new_set(const char *bytes, uint32_t count, hs_ref owner) {
    struct hs_label_set *set = hs_mem_new(sizeof *set + count);
    if (set != NULL) {
        char *text = (char *)(set + 1);
        memcpy(text, bytes, count);
        set->text = text;
        set->bytes = count;
        set->owner = owner;
    }
    return set;
}

static bool publish(struct hs_label_set *set) {
    uint32_t slot = table.bytes + set->bytes > HS_MAX_LABEL_BYTES ? 0 : take_slot();
    if (slot == 0) {
        return false;
    }
    uint64_t serial = (table.serials[slot] + 1) & SERIAL_MASK;
    table.serials[slot] = serial == 0 ? 1 : serial;
    set->word = table.serials[slot] << SLOT_BITS | slot;
    table.bytes += set->bytes;
    atomic_store_explicit(&slots[slot], set, memory_order_seq_cst);
    atomic_fetch_add_explicit(&table.count, 1, memory_order_relaxed);
    return true;
}

enum hs_status hs_label_sets_add(struct hs_phaser *phaser, const char *bytes, uint32_t count,
                                 hs_ref owner, uint64_t *word) {
    *word = HS_LABELS_NONE;
    if (!hs_label_bytes_are_valid(bytes, count)) {
        return HS_INVALID;
    }
    struct hs_label_set *set = new_set(bytes, count, owner);
    if (set == NULL) {
        return HS_NO_MEMORY;
    }
    hs_lock_acquire(&table.lock);
    free_removed(phaser);
    bool is_added = publish(set);
    *word = set->word; /* 0 where it was not */
    hs_lock_release(&table.lock);
    if (!is_added) {
        hs_mem_free(set, size_of(set));
    }
    return is_added ? HS_OK : HS_FULL;
}

/* Returns its owner. The slot stays taken as long as callbacks may see the set, so that they are bounded together. */
static hs_ref remove_set(struct hs_label_set *set) {
    atomic_store_explicit(&slots[slot_of(set->word)], NULL, memory_order_seq_cst);
    atomic_fetch_sub_explicit(&table.count, 1, memory_order_relaxed);
    set->next = table.removed;
    table.removed = set;
    return set->owner;
}

hs_ref hs_label_sets_remove(struct hs_phaser *phaser, uint64_t word) {
    hs_ref owner = 0;
    hs_lock_acquire(&table.lock);
    struct hs_label_set *set = hs_label_sets_find(word);
    if (set != NULL && set != &other) {
        owner = remove_set(set);
    }
    free_removed(phaser);
    hs_lock_release(&table.lock);
    return owner;
}

/* ---- orphans ---- */

/* Some sets whose owners are checked. The set is not touched without the lock: it may be removed meanwhile. */
struct batch {
    uint32_t count;
    uint64_t words[ORPHANS_AT_ONCE];
    hs_ref owners[ORPHANS_AT_ONCE];
};

/* Takes the owners of the next sets. Returns the slot to go on with; 0 after the last one. */
static uint32_t take_owners(struct batch *batch, uint32_t slot) {
    batch->count = 0;
    hs_lock_acquire(&table.lock);
    for (; slot < table.end && batch->count < ORPHANS_AT_ONCE; slot++) {
        struct hs_label_set *set = atomic_load_explicit(&slots[slot], memory_order_relaxed);
        if (set != NULL && set->owner != 0) { /* 0: another thread looks at it */
            batch->words[batch->count] = set->word;
            batch->owners[batch->count++] = set->owner;
            set->owner = 0;
        }
    }
    bool is_last = slot == table.end;
    hs_lock_release(&table.lock);
    return is_last ? 0 : slot;
}

/* Gives the owner back; or, if it was collected, removes its set. Returns what is to be released: also the owner of a set
 * that was removed meanwhile. */
static hs_ref settle_owner(uint64_t word, hs_ref owner, bool is_cleared) {
    struct hs_label_set *set = hs_label_sets_find(word);
    if (set == NULL) {
        return owner;
    }
    set->owner = owner;
    return is_cleared ? remove_set(set) : 0;
}

void hs_label_sets_remove_orphans(struct hs_phaser *phaser, const struct hs_ops *ops, void *env) {
    struct batch batch;
    uint32_t slot = FIRST_SLOT;
    while (slot != 0) {
        bool are_cleared[ORPHANS_AT_ONCE];
        slot = take_owners(&batch, slot);
        for (uint32_t i = 0; i < batch.count; i++) {
            are_cleared[i] = ops->is_cleared(env, batch.owners[i]);
        }
        hs_lock_acquire(&table.lock);
        for (uint32_t i = 0; i < batch.count; i++) {
            batch.owners[i] = settle_owner(batch.words[i], batch.owners[i], are_cleared[i]);
        }
        free_removed(phaser);
        hs_lock_release(&table.lock);
        for (uint32_t i = 0; i < batch.count; i++) {
            if (batch.owners[i] != 0) {
                ops->release(env, batch.owners[i]);
            }
        }
    }
}

struct hs_label_set *hs_label_sets_find(uint64_t word) {
    struct hs_label_set *set = atomic_load_explicit(&slots[slot_of(word)], memory_order_seq_cst);
    return set != NULL && set->word == word ? set : NULL;
}

uint32_t hs_label_sets_count(void) {
    return atomic_load_explicit(&table.count, memory_order_relaxed);
}

#ifdef HS_CHECKS
void hs_label_sets_age(uint64_t uses) {
    for (uint32_t slot = FIRST_SLOT; slot < HS_LABEL_SLOTS; slot++) {
        table.serials[slot] = uses;
    }
}
#endif
