/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_slots.h"

#include <sched.h>

#include "hs_mem.h"

enum { FREE = 0, BUSY = 1, FULL = 2, STATE_MASK = 0xFF, META_SHIFT = 8 };
#define NONE UINT32_MAX

enum hs_status hs_slots_init(struct hs_slots *slots, uint32_t capacity) {
    slots->capacity = capacity;
    slots->slots = NULL;
    atomic_init(&slots->count, 0);
    atomic_init(&slots->next_fresh, 0);
    atomic_init(&slots->free_list, NONE);
    if (capacity > 0) {
        slots->slots = hs_mem_new_lines((size_t)capacity * sizeof *slots->slots);
        return slots->slots == NULL ? HS_NO_MEMORY : HS_OK;
    }
    return HS_OK;
}

void hs_slots_destroy(struct hs_slots *slots) {
    hs_mem_free_lines(slots->slots, (size_t)slots->capacity * sizeof *slots->slots);
}

void hs_slots_prefetch(const struct hs_slots *slots) {
    uint32_t head = (uint32_t)atomic_load_explicit(&slots->free_list, memory_order_relaxed);
    if (head != NONE) {
        __builtin_prefetch(&slots->slots[head], 1);
    }
}

static uint32_t pop(struct hs_slots *slots) {
    uint64_t head = atomic_load_explicit(&slots->free_list, memory_order_acquire);
    while ((uint32_t)head != NONE) {
        uint32_t index = (uint32_t)head;
        uint32_t next = atomic_load_explicit(&slots->slots[index].next, memory_order_relaxed);
        uint64_t tail = ((head >> 32) + 1) << 32 | next;
        if (atomic_compare_exchange_weak_explicit(&slots->free_list, &head, tail,
                                                  memory_order_acquire, memory_order_acquire)) {
            return index;
        }
    }
    if (atomic_load_explicit(&slots->next_fresh, memory_order_relaxed) < slots->capacity) {
        uint32_t fresh = atomic_fetch_add_explicit(&slots->next_fresh, 1, memory_order_relaxed);
        if (fresh < slots->capacity) {
            return fresh;
        }
        atomic_fetch_sub_explicit(&slots->next_fresh, 1, memory_order_relaxed);
    }
    return NONE;
}

static void push(struct hs_slots *slots, uint32_t index) {
    uint64_t head = atomic_load_explicit(&slots->free_list, memory_order_relaxed);
    uint64_t mine;
    do {
        atomic_store_explicit(&slots->slots[index].next, (uint32_t)head, memory_order_relaxed);
        mine = ((head >> 32) + 1) << 32 | index;
    } while (!atomic_compare_exchange_weak_explicit(&slots->free_list, &head, mine,
                                                    memory_order_release, memory_order_relaxed));
}

struct hs_slot *hs_slots_take(struct hs_slots *slots) {
    uint32_t index = pop(slots);
    if (index == NONE) {
        return NULL;
    }
    struct hs_slot *slot = &slots->slots[index];
    HS_DCHECK((atomic_load_explicit(&slot->state, memory_order_relaxed) & STATE_MASK) == FREE);
    atomic_store_explicit(&slot->state, BUSY, memory_order_relaxed);
    atomic_fetch_add_explicit(&slots->count, 1, memory_order_relaxed);
    return slot;
}

void hs_slots_give_back(struct hs_slots *slots, struct hs_slot *slot) {
    HS_DCHECK(slot >= slots->slots && slot < slots->slots + slots->capacity);
    HS_DCHECK((atomic_load_explicit(&slot->state, memory_order_relaxed) & STATE_MASK) == BUSY);
    slot->ref = 0;
    atomic_store_explicit(&slot->state, FREE, memory_order_release);
    atomic_fetch_sub_explicit(&slots->count, 1, memory_order_relaxed);
    push(slots, (uint32_t)(slot - slots->slots));
}

static struct hs_slot_meta meta_of(uint32_t state) {
    return (struct hs_slot_meta){
        .level = (uint8_t)(state >> META_SHIFT),
        .extra = (uint8_t)(state >> 2 * META_SHIFT),
        .charge = (uint8_t)(state >> 3 * META_SHIFT),
        .is_full = (state & STATE_MASK) == FULL,
    };
}

struct hs_slot_meta hs_slot_try_claim(struct hs_slot *slot) {
    uint32_t state = atomic_load_explicit(&slot->state, memory_order_relaxed);
    if ((state & STATE_MASK) != FULL ||
        !atomic_compare_exchange_strong_explicit(&slot->state, &state, BUSY, memory_order_acquire,
                                                 memory_order_relaxed)) {
        return (struct hs_slot_meta){.is_full = false};
    }
    return meta_of(state);
}

struct hs_slot_meta hs_slot_claim(struct hs_slot *slot) {
    for (;;) {
        struct hs_slot_meta meta = hs_slot_try_claim(slot);
        if (meta.is_full ||
            (atomic_load_explicit(&slot->state, memory_order_relaxed) & STATE_MASK) == FREE) {
            return meta;
        }
        sched_yield();
    }
}

void hs_slot_set_full(struct hs_slot *slot, struct hs_slot_meta meta) {
    HS_DCHECK((atomic_load_explicit(&slot->state, memory_order_relaxed) & STATE_MASK) == BUSY);
    uint32_t state = FULL | (uint32_t)meta.level << META_SHIFT |
                     (uint32_t)meta.extra << 2 * META_SHIFT |
                     (uint32_t)meta.charge << 3 * META_SHIFT;
    atomic_store_explicit(&slot->state, state, memory_order_release);
}

uint32_t hs_slots_used(const struct hs_slots *slots) {
    uint32_t fresh = atomic_load_explicit(&slots->next_fresh, memory_order_relaxed);
    return fresh < slots->capacity ? fresh : slots->capacity;
}

#ifdef HS_CHECKS
static uint32_t state_of(const struct hs_slot *slot) {
    return atomic_load_explicit(&slot->state, memory_order_relaxed) & STATE_MASK;
}

/* How many are on the list; UINT32_MAX when one is no free slot, or the list does not end. */
static uint32_t count_free(const struct hs_slots *slots) {
    uint32_t used = hs_slots_used(slots);
    uint32_t count = 0;
    uint32_t at = (uint32_t)atomic_load_explicit(&slots->free_list, memory_order_relaxed);
    while (at != NONE) {
        if (at >= used || count == used || state_of(&slots->slots[at]) != FREE) {
            return UINT32_MAX;
        }
        count++;
        at = atomic_load_explicit(&slots->slots[at].next, memory_order_relaxed);
    }
    return count;
}

struct hs_slot_meta hs_slot_look(const struct hs_slot *slot) {
    return meta_of(atomic_load_explicit(&slot->state, memory_order_relaxed));
}

bool hs_slots_is_valid(const struct hs_slots *slots) {
    uint32_t full = 0;
    uint32_t free = 0;
    for (uint32_t i = 0; i < slots->capacity; i++) {
        const struct hs_slot *slot = &slots->slots[i];
        uint32_t state = state_of(slot);
        bool is_full = state == FULL;
        if ((!is_full && state != FREE) || is_full != (slot->ref != 0) ||
            (is_full && i >= hs_slots_used(slots))) {
            return false;
        }
        full += is_full;
        free += !is_full && i < hs_slots_used(slots);
    }
    return full == atomic_load_explicit(&slots->count, memory_order_relaxed) &&
           free == count_free(slots);
}
#endif
