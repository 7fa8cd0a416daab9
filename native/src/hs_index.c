/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Open addressing, at most half full. A slot's tag is set once, by the thread that won it, and what is
 * tied to it after that: a reader that comes in between finds nothing there and looks on. */
#include "hs_index.h"

#include <stdatomic.h>
#include <stddef.h>

#include "hs_hash.h"
#include "hs_mem.h"

enum { MAX_TIES = 1 << 24 };

struct slot {
    _Atomic uint64_t tag;   /* 0: free; relaxed, for it says nothing about `what` */
    _Atomic uintptr_t what; /* its address and MARK; release when set, acquire when read */
};

#define MARK ((uintptr_t)1)

struct hs_index {
    uint32_t max;
    uint32_t mask;
    _Atomic uint32_t used; /* relaxed */
    struct slot *slots;    /* [mask + 1] */
};

enum hs_status hs_index_new(uint32_t max, hs_index **result) {
    *result = NULL;
    if (max == 0 || max > MAX_TIES) {
        return HS_INVALID;
    }
    hs_index *index = hs_mem_new(sizeof *index);
    if (index == NULL) {
        return HS_NO_MEMORY;
    }
    uint32_t size = 2;
    while (size < max * 2) {
        size *= 2;
    }
    index->max = max;
    index->mask = size - 1;
    index->slots = hs_mem_new_array(size, sizeof *index->slots);
    if (index->slots == NULL) {
        hs_index_free(index);
        return HS_NO_MEMORY;
    }
    *result = index;
    return HS_OK;
}

void hs_index_free(hs_index *index) {
    if (index == NULL) {
        return;
    }
    hs_mem_free(index->slots, ((size_t)index->mask + 1) * sizeof *index->slots);
    hs_mem_free(index, sizeof *index);
}

uint32_t hs_index_first(const hs_index *index, uint64_t tag) {
    return (uint32_t)hs_hash_mix(tag) & index->mask;
}

static const void *what_at(const struct slot *slot) {
    return (const void *)(atomic_load_explicit(&slot->what, memory_order_acquire) & ~MARK);
}

const void *hs_index_look(const hs_index *index, uint64_t tag, uint32_t *at) {
    for (uint32_t place = *at & index->mask;; place = (place + 1) & index->mask) {
        struct slot *slot = &index->slots[place];
        uint64_t found = atomic_load_explicit(&slot->tag, memory_order_relaxed);
        if (found == 0) {
            return NULL;
        }
        const void *what = NULL;
        if (found == tag) {
            what = what_at(slot);
        }
        if (what != NULL) {
            *at = place;
            return what;
        }
    }
}

const void *hs_index_next(const hs_index *index, uint32_t *at, uint64_t *tag, bool *is_marked) {
    for (; *at <= index->mask; ++*at) {
        const struct slot *slot = &index->slots[*at];
        uintptr_t what = atomic_load_explicit(&slot->what, memory_order_acquire);
        if (what != 0) {
            *tag = atomic_load_explicit(&slot->tag, memory_order_relaxed);
            *is_marked = (what & MARK) != 0;
            return (const void *)(what & ~MARK);
        }
    }
    return NULL;
}

enum hs_status hs_index_tie(hs_index *index, uint64_t tag, const void *what) {
    HS_DCHECK(tag != 0 && what != NULL && ((uintptr_t)what & MARK) == 0);
    if (atomic_fetch_add_explicit(&index->used, 1, memory_order_relaxed) >= index->max) {
        atomic_fetch_sub_explicit(&index->used, 1, memory_order_relaxed);
        return HS_FULL;
    }
    for (uint32_t place = hs_index_first(index, tag);; place = (place + 1) & index->mask) {
        struct slot *slot = &index->slots[place];
        uint64_t none = atomic_load_explicit(&slot->tag, memory_order_relaxed);
        if (none == 0 && atomic_compare_exchange_strong_explicit(
                             &slot->tag, &none, tag, memory_order_relaxed, memory_order_relaxed)) {
            atomic_store_explicit(&slot->what, (uintptr_t)what, memory_order_release);
            return HS_OK;
        }
    }
}

void hs_index_replace(hs_index *index, uint32_t at, const void *what) {
    HS_DCHECK(at <= index->mask &&
              atomic_load_explicit(&index->slots[at].tag, memory_order_relaxed) != 0);
    atomic_store_explicit(&index->slots[at].what, (uintptr_t)what, memory_order_release);
}

/* Release as before, since a look may acquire what this stores. */
void hs_index_mark(hs_index *index, uint32_t at) {
    struct slot *slot = &index->slots[at];
    uintptr_t what = atomic_load_explicit(&slot->what, memory_order_relaxed);
    if ((what & MARK) == 0) { /* else most writes would write what is there */
        atomic_compare_exchange_strong_explicit(&slot->what, &what, what | MARK,
                                                memory_order_release, memory_order_relaxed);
    }
}

#ifdef HS_CHECKS
static uint64_t tag_at(const hs_index *index, uint32_t at) {
    return atomic_load_explicit(&index->slots[at & index->mask].tag, memory_order_relaxed);
}

/* No free place lies between the first one of its tag and this. */
static bool is_found(const hs_index *index, uint32_t at) {
    uint32_t place = hs_index_first(index, tag_at(index, at));
    while (place != at && tag_at(index, place) != 0) {
        place = (place + 1) & index->mask;
    }
    return place == at;
}

bool hs_index_is_valid(const hs_index *index) {
    uint32_t taken = 0;
    for (uint32_t at = 0; at <= index->mask; at++) {
        const void *what = what_at(&index->slots[at]);
        bool is_taken = tag_at(index, at) != 0;
        if (is_taken != (what != NULL) || (is_taken && !is_found(index, at))) {
            return false;
        }
        taken += is_taken;
    }
    return taken <= index->max && taken == atomic_load_explicit(&index->used, memory_order_relaxed);
}
#endif
