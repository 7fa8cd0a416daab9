/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Each slot is FREE, BUSY (one thread fills or looks at it) or FULL. Whoever turns FULL into BUSY by
 * compare-and-swap owns the fields until it stores the next state. A callback that meets BUSY goes
 * elsewhere; the sweeper and readers wait, since a callback holds a slot only for a few stores. */
#include "hs_live.h"

#include <sched.h>
#include <stdatomic.h>
#include <string.h>

#include "hs_check.h"
#include "hs_hash.h"
#include "hs_mem.h"

enum { FREE = 0, BUSY = 1, FULL = 2, STATE_MASK = 0xFF, LEVEL_SHIFT = 8 };
enum { MAX_LEVEL = 24, PROBES = 32 };
#define NONE UINT32_MAX

struct slot {
    hs_ref ref;
    uint64_t recordings;
    int64_t allocated_us;
    uint32_t size_words; /* in units of 8 bytes, the smallest object alignment */
    uint32_t site;
    uint32_t thread;
    uint32_t interval;
    struct hs_birth birth;
    uint32_t random;
    /* State, and the level in the next byte. Release when leaving BUSY, acquire when entering. */
    _Atomic uint32_t state;
    _Atomic uint32_t next; /* next free slot; relaxed, guarded by the tag of `free_list` */
};
_Static_assert(sizeof(struct slot) == 64, "a tracked sample costs 64 bytes");

struct hs_live {
    uint32_t capacity;
    _Atomic uint32_t level;      /* raised by callbacks, lowered by the sweeper; relaxed */
    _Atomic uint32_t count;      /* FULL slots; relaxed */
    _Atomic uint32_t next_fresh; /* slots never used so far start here; relaxed ticket */
    /* Head of the free slots: tag << 32 | index. Acquire on pop, release on push: the slot's last
     * owner is done with it. The tag changes with every push and pop, so a stale head fails. */
    _Atomic uint64_t free_list;
    struct slot *slots;
    _Atomic uint64_t thinned[HS_MAX_RECORDINGS]; /* by recording; relaxed */
};

enum hs_status hs_live_new(uint32_t capacity, hs_live **result) {
    *result = NULL;
    hs_live *live = hs_mem_new(sizeof *live);
    if (live == NULL) {
        return HS_NO_MEMORY;
    }
    live->capacity = capacity;
    atomic_init(&live->free_list, NONE);
    if (capacity > 0) {
        live->slots = hs_mem_new_array(capacity, sizeof *live->slots);
        if (live->slots == NULL) {
            hs_mem_free(live, sizeof *live);
            return HS_NO_MEMORY;
        }
    }
    *result = live;
    return HS_OK;
}

void hs_live_free(hs_live *live) {
    if (live == NULL) {
        return;
    }
    HS_CHECK(hs_live_count(live) == 0);
    hs_mem_free(live->slots, (size_t)live->capacity * sizeof *live->slots);
    hs_mem_free(live, sizeof *live);
}

static bool passes(uint32_t random, uint32_t level) {
    return level == 0 || random >> (32 - level) == 0;
}

bool hs_live_wants(const hs_live *live, uint32_t random) {
    return live->capacity > 0 && passes(random, hs_live_level(live));
}

void hs_live_prefetch(const hs_live *live) {
    uint32_t head = (uint32_t)atomic_load_explicit(&live->free_list, memory_order_relaxed);
    if (head != NONE) {
        __builtin_prefetch(&live->slots[head], 1);
    }
}

static uint32_t pop(hs_live *live) {
    uint64_t head = atomic_load_explicit(&live->free_list, memory_order_acquire);
    while ((uint32_t)head != NONE) {
        uint32_t index = (uint32_t)head;
        uint32_t next = atomic_load_explicit(&live->slots[index].next, memory_order_relaxed);
        uint64_t tail = ((head >> 32) + 1) << 32 | next;
        if (atomic_compare_exchange_weak_explicit(&live->free_list, &head, tail,
                                                  memory_order_acquire, memory_order_acquire)) {
            return index;
        }
    }
    if (atomic_load_explicit(&live->next_fresh, memory_order_relaxed) < live->capacity) {
        uint32_t fresh = atomic_fetch_add_explicit(&live->next_fresh, 1, memory_order_relaxed);
        if (fresh < live->capacity) {
            return fresh;
        }
        atomic_fetch_sub_explicit(&live->next_fresh, 1, memory_order_relaxed);
    }
    return NONE;
}

static void push(hs_live *live, uint32_t index) {
    uint64_t head = atomic_load_explicit(&live->free_list, memory_order_relaxed);
    uint64_t mine;
    do {
        atomic_store_explicit(&live->slots[index].next, (uint32_t)head, memory_order_relaxed);
        mine = ((head >> 32) + 1) << 32 | index;
    } while (!atomic_compare_exchange_weak_explicit(&live->free_list, &head, mine,
                                                    memory_order_release, memory_order_relaxed));
}

/* FULL to BUSY; answers the level, or NONE when the slot is not FULL. */
static uint32_t try_claim(struct slot *slot) {
    uint32_t state = atomic_load_explicit(&slot->state, memory_order_relaxed);
    if ((state & STATE_MASK) != FULL ||
        !atomic_compare_exchange_strong_explicit(&slot->state, &state, BUSY, memory_order_acquire,
                                                 memory_order_relaxed)) {
        return NONE;
    }
    return state >> LEVEL_SHIFT;
}

/* As try_claim, but waits for a callback that is at the slot. */
static uint32_t claim(struct slot *slot) {
    for (;;) {
        uint32_t level = try_claim(slot);
        if (level != NONE ||
            (atomic_load_explicit(&slot->state, memory_order_relaxed) & STATE_MASK) == FREE) {
            return level;
        }
        sched_yield();
    }
}

static void set_full(struct slot *slot, uint32_t level) {
    atomic_store_explicit(&slot->state, FULL | level << LEVEL_SHIFT, memory_order_release);
}

static void set_free(hs_live *live, struct slot *slot) {
    slot->ref = 0;
    atomic_store_explicit(&slot->state, FREE, memory_order_release);
    atomic_fetch_sub_explicit(&live->count, 1, memory_order_relaxed);
    push(live, (uint32_t)(slot - live->slots));
}

/* An entry leaves although its object may live on. */
static void count_thinned(hs_live *live, uint64_t recordings) {
    for (; recordings != 0; recordings &= recordings - 1) {
        atomic_fetch_add_explicit(&live->thinned[__builtin_ctzll(recordings)], 1,
                                  memory_order_relaxed);
    }
}

static void fill(struct slot *slot, hs_ref ref, const struct hs_sample *sample, uint32_t random,
                 uint32_t level) {
    slot->ref = ref;
    slot->recordings = sample->recordings;
    slot->allocated_us = sample->allocated_us;
    slot->size_words = (uint32_t)(sample->size / 8);
    slot->site = sample->site;
    slot->thread = sample->thread;
    slot->interval = sample->interval;
    slot->birth = sample->birth;
    slot->random = random;
    set_full(slot, level);
}

static struct hs_sample sample_of(const struct slot *slot) {
    return (struct hs_sample){
        .recordings = slot->recordings,
        .allocated_us = slot->allocated_us,
        .size = (uint64_t)slot->size_words * 8,
        .site = slot->site,
        .thread = slot->thread,
        .interval = slot->interval,
        .birth = slot->birth,
    };
}

/* A slot whose entry the level no longer wants, claimed; NULL if a few probes found none. */
static struct slot *steal(hs_live *live, uint32_t level, uint32_t random) {
    uint64_t seed = random;
    for (int i = 0; i < PROBES; i++) {
        seed = hs_hash_mix(seed + (uint64_t)i + UINT64_C(0x9E3779B97F4A7C15));
        struct slot *slot = &live->slots[seed % live->capacity];
        uint32_t own = try_claim(slot);
        if (own == NONE) {
            continue;
        }
        if (!passes(slot->random, level)) {
            return slot;
        }
        set_full(slot, own);
    }
    return NULL;
}

static void raise_level(hs_live *live, uint32_t seen) {
    atomic_compare_exchange_strong_explicit(&live->level, &seen, seen + 1, memory_order_relaxed,
                                            memory_order_relaxed);
}

enum hs_status hs_live_add(hs_live *live, hs_ref ref, const struct hs_sample *sample,
                           uint32_t random, hs_ref *displaced) {
    *displaced = 0;
    for (;;) {
        uint32_t level = hs_live_level(live);
        if (live->capacity == 0 || !passes(random, level)) {
            return HS_FULL;
        }
        uint32_t index = pop(live);
        if (index != NONE) {
            atomic_store_explicit(&live->slots[index].state, BUSY, memory_order_relaxed);
            atomic_fetch_add_explicit(&live->count, 1, memory_order_relaxed);
            fill(&live->slots[index], ref, sample, random, level);
            return HS_OK;
        }
        struct slot *slot = steal(live, level, random);
        if (slot != NULL) {
            *displaced = slot->ref;
            count_thinned(live, slot->recordings);
            fill(slot, ref, sample, random, level);
            return HS_OK;
        }
        if (level == MAX_LEVEL) {
            return HS_FULL;
        }
        raise_level(live, level);
    }
}

static uint32_t used_slots(const hs_live *live) {
    uint32_t fresh = atomic_load_explicit(&live->next_fresh, memory_order_relaxed);
    return fresh < live->capacity ? fresh : live->capacity;
}

static uint32_t max(uint32_t a, uint32_t b) {
    return a > b ? a : b;
}

/* Only from the level that the whole sweep has seen: a level raised meanwhile stays. */
static void lower_level(hs_live *live, uint32_t level) {
    if (level > 0 && hs_live_count(live) < (live->capacity + 3) / 4) {
        atomic_compare_exchange_strong_explicit(&live->level, &level, level - 1,
                                                memory_order_relaxed, memory_order_relaxed);
    }
}

void hs_live_sweep(hs_live *live, uint64_t recordings, const struct hs_ops *ops, void *env,
                   hs_live_visit *dead, void *context) {
    uint32_t end = used_slots(live);
    uint32_t level_before = hs_live_level(live);
    for (uint32_t i = 0; i < end; i++) {
        struct slot *slot = &live->slots[i];
        uint32_t own = claim(slot);
        if (own == NONE) {
            continue;
        }
        uint32_t level = hs_live_level(live);
        slot->recordings &= recordings;
        bool is_wanted = slot->recordings != 0 && passes(slot->random, level);
        bool is_dead = ops->is_cleared(env, slot->ref);
        if (is_wanted && !is_dead) {
            set_full(slot, max(own, level));
            continue;
        }
        if (is_wanted) {
            struct hs_sample sample = sample_of(slot);
            dead(context, &sample, max(own, level));
        } else if (!passes(slot->random, level)) {
            count_thinned(live, slot->recordings);
        }
        ops->release(env, slot->ref);
        set_free(live, slot);
    }
    lower_level(live, level_before);
}

void hs_live_each(hs_live *live, uint32_t level, hs_live_visit *visit, void *context) {
    uint32_t end = used_slots(live);
    for (uint32_t i = 0; i < end; i++) {
        struct slot *slot = &live->slots[i];
        uint32_t own = claim(slot);
        if (own == NONE) {
            continue;
        }
        if (passes(slot->random, level)) {
            struct hs_sample sample = sample_of(slot);
            visit(context, &sample, max(own, level));
        }
        set_full(slot, own);
    }
}

void hs_live_clear(hs_live *live, const struct hs_ops *ops, void *env) {
    uint32_t end = used_slots(live);
    for (uint32_t i = 0; i < end; i++) {
        if (claim(&live->slots[i]) != NONE) {
            ops->release(env, live->slots[i].ref);
            set_free(live, &live->slots[i]);
        }
    }
}

void hs_live_forget(hs_live *live, uint64_t recordings) {
    uint32_t end = used_slots(live);
    for (uint32_t i = 0; i < end; i++) {
        uint32_t own = claim(&live->slots[i]);
        if (own != NONE) {
            live->slots[i].recordings &= ~recordings;
            set_full(&live->slots[i], own);
        }
    }
    for (int place = 0; place < HS_MAX_RECORDINGS; place++) {
        if ((recordings >> place & 1) != 0) {
            atomic_store_explicit(&live->thinned[place], 0, memory_order_relaxed);
        }
    }
}

uint64_t hs_live_thinned(const hs_live *live, uint64_t recording) {
    return atomic_load_explicit(&live->thinned[__builtin_ctzll(recording)], memory_order_relaxed);
}

uint32_t hs_live_count(const hs_live *live) {
    return atomic_load_explicit(&live->count, memory_order_relaxed);
}

uint32_t hs_live_capacity(const hs_live *live) {
    return live->capacity;
}

uint32_t hs_live_level(const hs_live *live) {
    return atomic_load_explicit(&live->level, memory_order_relaxed);
}
