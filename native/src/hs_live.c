/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Each slot is FREE, BUSY (one thread fills or looks at it) or FULL. Whoever turns FULL into BUSY by
 * compare-and-swap owns the fields until it stores the next state. A callback that meets BUSY goes
 * elsewhere; the sweeper and readers wait, since a callback holds a slot only for a few stores. */
#include "hs_live.h"

#include <sched.h>
#include <stdatomic.h>
#include <string.h>

#include "hs_hash.h"
#include "hs_levels.h"
#include "hs_mem.h"

enum { FREE = 0, BUSY = 1, FULL = 2, STATE_MASK = 0xFF, OWN_SHIFT = 8 };
enum { PROBES = 32 };
#define NONE UINT32_MAX

/* What an entry has of its own, beside its sample; in a slot's state. */
struct own {
    uint8_t level;  /* the highest it has lived under */
    uint8_t extra;  /* levels that its size took beside (hs_held_extra) */
    uint8_t charge; /* for what it may hold (hs_held_charge) */
    bool is_full;   /* false: there is no entry */
};

struct slot {
    hs_ref ref;
    uint64_t recordings;
    int64_t allocated_us;
    uint32_t size_words; /* in units of 8 bytes, the smallest object alignment */
    uint32_t site;
    uint32_t thread;
    uint32_t drawn;
    struct hs_birth birth;
    uint32_t random; /* without the bits that `extra` has used */
    /* State, and in the next bytes level, extra and charge. Release when leaving BUSY, acquire when
     * entering. */
    _Atomic uint32_t state;
    _Atomic uint32_t next; /* next free slot; relaxed, guarded by the tag of `free_list` */
};
_Static_assert(sizeof(struct slot) == 64, "a tracked sample costs 64 bytes");

struct hs_live {
    uint32_t capacity;
    _Atomic uint32_t levels;     /* raised by callbacks, lowered by the sweeper; relaxed */
    _Atomic uint32_t count;      /* FULL slots; relaxed */
    _Atomic uint32_t next_fresh; /* slots never used so far start here; relaxed ticket */
    /* Head of the free slots: tag << 32 | index. Acquire on pop, release on push: the slot's last
     * owner is done with it. The tag changes with every push and pop, so a stale head fails. */
    _Atomic uint64_t free_list;
    struct slot *slots;
    _Atomic uint64_t thinned[HS_MAX_RECORDINGS]; /* by recording; relaxed */

    struct hs_held held;
    _Atomic uint32_t swept_level; /* what was charged at the last sweep passes it; relaxed */
};

enum hs_status hs_live_new(uint32_t capacity, uint64_t held_bytes, uint64_t held_from,
                           hs_live **result) {
    *result = NULL;
    hs_live *live = hs_mem_new(sizeof *live);
    if (live == NULL) {
        return HS_NO_MEMORY;
    }
    live->capacity = capacity;
    hs_held_init(&live->held, held_bytes, held_from);
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
    if (hs_live_count(live) != 0) {
        return; /* miscounted: a leak harms the host less than its end, or a reference that is used again */
    }
    hs_mem_free(live->slots, (size_t)live->capacity * sizeof *live->slots);
    hs_mem_free(live, sizeof *live);
}

/* The level that an object of this size has to pass. */
static uint32_t level_for(const hs_live *live, uint32_t levels, uint64_t size) {
    return hs_held_counts(&live->held, size) ? hs_levels_of_held(levels) : hs_levels_of_all(levels);
}

static uint32_t level_of_slot(const hs_live *live, uint32_t levels, const struct slot *slot) {
    return level_for(live, levels, (uint64_t)slot->size_words * 8);
}

/* Does it pass the levels that its size takes? `random` loses the bits of those. */
static bool passes_extra(hs_live *live, uint8_t extra, uint32_t *random) {
    if (!hs_level_passes(*random, extra)) {
        hs_held_note(&live->held);
        return false;
    }
    *random <<= extra;
    return true;
}

bool hs_live_wants(hs_live *live, uint64_t size, uint32_t random) {
    return live->capacity > 0 && passes_extra(live, hs_held_extra(&live->held, size), &random) &&
           hs_level_passes(random, level_for(live, hs_live_levels(live), size));
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

/* FULL to BUSY. */
static struct own try_claim(struct slot *slot) {
    uint32_t state = atomic_load_explicit(&slot->state, memory_order_relaxed);
    if ((state & STATE_MASK) != FULL ||
        !atomic_compare_exchange_strong_explicit(&slot->state, &state, BUSY, memory_order_acquire,
                                                 memory_order_relaxed)) {
        return (struct own){.is_full = false};
    }
    return (struct own){
        .level = (uint8_t)(state >> OWN_SHIFT),
        .extra = (uint8_t)(state >> 2 * OWN_SHIFT),
        .charge = (uint8_t)(state >> 3 * OWN_SHIFT),
        .is_full = true,
    };
}

/* As try_claim, but waits for a callback that is at the slot. */
static struct own claim(struct slot *slot) {
    for (;;) {
        struct own own = try_claim(slot);
        if (own.is_full ||
            (atomic_load_explicit(&slot->state, memory_order_relaxed) & STATE_MASK) == FREE) {
            return own;
        }
        sched_yield();
    }
}

static void set_full(struct slot *slot, struct own own) {
    uint32_t state = FULL | (uint32_t)own.level << OWN_SHIFT |
                     (uint32_t)own.extra << 2 * OWN_SHIFT | (uint32_t)own.charge << 3 * OWN_SHIFT;
    atomic_store_explicit(&slot->state, state, memory_order_release);
}

static void set_free(hs_live *live, struct slot *slot, struct own own) {
    slot->ref = 0;
    hs_held_change(&live->held, own.charge, HS_HELD_NOTHING);
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
                 struct own own) {
    slot->ref = ref;
    slot->recordings = sample->recordings;
    slot->allocated_us = sample->allocated_us;
    slot->size_words = (uint32_t)(sample->size / 8);
    slot->site = sample->site;
    slot->thread = sample->thread;
    slot->drawn = sample->drawn;
    slot->birth = sample->birth;
    slot->random = random;
    set_full(slot, own);
}

static struct hs_sample sample_of(const struct slot *slot) {
    return (struct hs_sample){
        .recordings = slot->recordings,
        .allocated_us = slot->allocated_us,
        .size = (uint64_t)slot->size_words * 8,
        .site = slot->site,
        .thread = slot->thread,
        .drawn = slot->drawn,
        .birth = slot->birth,
    };
}

/* A slot whose entry the level no longer wants, claimed; NULL if a few probes found none. */
static struct slot *steal(hs_live *live, uint32_t levels, uint32_t random, struct own *own) {
    uint64_t seed = random;
    for (int i = 0; i < PROBES; i++) {
        seed = hs_hash_mix(seed + (uint64_t)i + UINT64_C(0x9E3779B97F4A7C15));
        struct slot *slot = &live->slots[seed % live->capacity];
        *own = try_claim(slot);
        if (!own->is_full) {
            continue;
        }
        if (!hs_level_passes(slot->random, level_of_slot(live, levels, slot))) {
            return slot;
        }
        set_full(slot, *own);
    }
    return NULL;
}

/* Only from the levels that were seen: who comes second finds that the first has done it. */
static void set_levels(hs_live *live, uint32_t seen, uint32_t levels) {
    (void)atomic_compare_exchange_strong_explicit(&live->levels, &seen, levels,
                                                  memory_order_relaxed, memory_order_relaxed);
}

static void raise_level(hs_live *live, uint32_t seen) {
    set_levels(live, seen, seen + 1);
}

static void raise_level_for_held(hs_live *live, uint32_t seen) {
    bool is_all = live->held.from == 0;
    set_levels(live, seen, is_all ? seen + 1 : hs_levels_raise_held(seen));
    hs_held_note(&live->held);
}

static bool has_room(const hs_live *live, uint8_t charge) {
    uint32_t level = hs_levels_of_held(hs_live_levels(live));
    uint32_t swept = atomic_load_explicit(&live->swept_level, memory_order_relaxed);
    return hs_held_has_room(&live->held, charge, level > swept ? level - swept : 0);
}

/* Into a free slot, or that of an entry which its level no longer wants; false if there is none. */
static bool put(hs_live *live, hs_ref ref, const struct hs_sample *sample, uint32_t random,
                struct own own, uint32_t levels, hs_ref *displaced) {
    uint32_t index = pop(live);
    if (index != NONE) {
        atomic_store_explicit(&live->slots[index].state, BUSY, memory_order_relaxed);
        atomic_fetch_add_explicit(&live->count, 1, memory_order_relaxed);
        hs_held_change(&live->held, HS_HELD_NOTHING, own.charge);
        fill(&live->slots[index], ref, sample, random, own);
        return true;
    }
    struct own old;
    struct slot *slot = steal(live, levels, random, &old);
    if (slot != NULL) {
        *displaced = slot->ref;
        count_thinned(live, slot->recordings);
        hs_held_change(&live->held, old.charge, own.charge);
        fill(slot, ref, sample, random, own);
    }
    return slot != NULL;
}

enum hs_status hs_live_add(hs_live *live, hs_ref ref, const struct hs_sample *sample,
                           uint32_t random, hs_ref *displaced) {
    *displaced = 0;
    struct own own = {.extra = hs_held_extra(&live->held, sample->size), .is_full = true};
    if (!passes_extra(live, own.extra, &random)) {
        return HS_FULL;
    }
    for (;;) {
        uint32_t levels = hs_live_levels(live);
        uint32_t level = level_for(live, levels, sample->size);
        if (live->capacity == 0 || !hs_level_passes(random, level)) {
            return HS_FULL;
        }
        own.level = (uint8_t)level;
        own.charge = hs_held_charge(&live->held, sample->size, sample->drawn, level);
        bool may_hold = own.charge == HS_HELD_NOTHING || has_room(live, own.charge);
        if (may_hold && put(live, ref, sample, random, own, levels, displaced)) {
            return HS_OK;
        }
        if (level == HS_MAX_LEVEL) {
            return HS_FULL;
        }
        if (may_hold) {
            raise_level(live, levels);
        } else {
            raise_level_for_held(live, levels);
            hs_held_ask_for_sweep(&live->held);
        }
    }
}

/* ---- sweeps ---- */

static uint32_t used_slots(const hs_live *live) {
    uint32_t fresh = atomic_load_explicit(&live->next_fresh, memory_order_relaxed);
    return fresh < live->capacity ? fresh : live->capacity;
}

/* Only from the levels that the whole sweep has seen: one raised meanwhile stays. `charged` is the sum
 * before the sweep, with the dead and those that have settled: as much may come again before the next
 * collection. */
static void lower_levels(hs_live *live, uint32_t seen, uint64_t charged, bool saw_collection) {
    bool has_places = hs_live_count(live) < (live->capacity + 3) / 4;
    bool may_hold =
        live->held.bound == 0 || (saw_collection && hs_held_is_low(&live->held, charged));
    bool is_all = live->held.from == 0;
    uint32_t lower = has_places && (may_hold || !is_all) ? hs_levels_lower_all(seen) : seen;
    lower = may_hold ? hs_levels_lower_held(lower) : lower;
    if (lower != seen &&
        atomic_compare_exchange_strong_explicit(&live->levels, &seen, lower, memory_order_relaxed,
                                                memory_order_relaxed)) {
        atomic_store_explicit(&live->swept_level, hs_levels_of_held(lower), memory_order_relaxed);
    }
}

static uint8_t higher(uint8_t level, uint32_t other) {
    return level > other ? level : (uint8_t)other;
}

/* An entry that stays, with its level and what it may hold by now. */
static void keep(hs_live *live, struct slot *slot, struct own own, uint32_t level,
                 uint32_t settled_epoch) {
    struct own now = own;
    now.level = higher(own.level, level);
    now.charge =
        slot->birth.epoch < settled_epoch
            ? HS_HELD_NOTHING
            : hs_held_charge(&live->held, (uint64_t)slot->size_words * 8, slot->drawn, now.level);
    hs_held_change(&live->held, own.charge, now.charge);
    set_full(slot, now);
}

static void sweep_once(hs_live *live, const struct hs_live_look *look, const struct hs_ops *ops,
                       void *env, hs_live_visit *dead, void *context) {
    (void)hs_held_take_due(&live->held); /* before the look: what becomes due meanwhile stays so */
    uint32_t end = used_slots(live);
    uint32_t level_before = hs_levels_of_held(hs_live_levels(live));
    for (uint32_t i = 0; i < end; i++) {
        struct slot *slot = &live->slots[i];
        struct own own = claim(slot);
        if (!own.is_full) {
            continue;
        }
        uint32_t level = level_of_slot(live, hs_live_levels(live), slot);
        slot->recordings &= look->recordings;
        bool is_wanted = slot->recordings != 0 && hs_level_passes(slot->random, level);
        bool is_dead = ops->is_cleared(env, slot->ref);
        if (is_wanted && !is_dead) {
            keep(live, slot, own, level, look->settled_epoch);
            continue;
        }
        if (is_wanted) {
            struct hs_sample sample = sample_of(slot);
            dead(context, slot->ref, &sample, higher(own.level, level) + own.extra);
        } else if (!hs_level_passes(slot->random, level)) {
            count_thinned(live, slot->recordings);
        }
        ops->release(env, slot->ref);
        set_free(live, slot, own);
    }
    atomic_store_explicit(&live->swept_level, level_before, memory_order_relaxed);
}

void hs_live_sweep(hs_live *live, const struct hs_live_look *look, const struct hs_ops *ops,
                   void *env, hs_live_visit *dead, void *context) {
    uint64_t charged = hs_held_charged(&live->held);
    uint32_t levels = hs_live_levels(live);
    sweep_once(live, look, ops, env, dead, context);
    /* A charge grows with the level, up to a point. */
    while (!has_room(live, HS_HELD_NOTHING) &&
           hs_levels_of_held(hs_live_levels(live)) < HS_MAX_LEVEL) {
        raise_level_for_held(live, hs_live_levels(live));
        sweep_once(live, look, ops, env, dead, context);
    }
    lower_levels(live, levels, charged, look->saw_collection);
}

/* Without `ops` also the dead that no sweep has found. Answers as hs_live_each. */
static uint64_t each(hs_live *live, uint32_t levels, uint64_t recordings, const struct hs_ops *ops,
                     void *env, hs_live_visit *visit, void *context) {
    uint64_t hidden = 0;
    uint32_t end = used_slots(live);
    for (uint32_t i = 0; i < end; i++) {
        struct slot *slot = &live->slots[i];
        struct own own = claim(slot);
        if (!own.is_full) {
            continue;
        }
        uint32_t level = level_of_slot(live, levels, slot);
        bool is_wanted = (slot->recordings & recordings) != 0;
        bool counts = hs_level_passes(slot->random, level);
        hidden += is_wanted && !counts;
        if (is_wanted && counts && (ops == NULL || !ops->is_cleared(env, slot->ref))) {
            struct hs_sample sample = sample_of(slot);
            visit(context, slot->ref, &sample, higher(own.level, level) + own.extra);
        }
        set_full(slot, own);
    }
    return hidden;
}

uint64_t hs_live_each(hs_live *live, uint32_t levels, uint64_t recordings, hs_live_visit *visit,
                      void *context) {
    return each(live, levels, recordings, NULL, NULL, visit, context);
}

void hs_live_each_alive(hs_live *live, const struct hs_ops *ops, void *env, hs_live_visit *visit,
                        void *context) {
    (void)each(live, hs_live_levels(live), UINT64_MAX, ops, env, visit, context);
}

void hs_live_clear(hs_live *live, const struct hs_ops *ops, void *env) {
    uint32_t end = used_slots(live);
    for (uint32_t i = 0; i < end; i++) {
        struct own own = claim(&live->slots[i]);
        if (own.is_full) {
            ops->release(env, live->slots[i].ref);
            set_free(live, &live->slots[i], own);
        }
    }
}

void hs_live_renumber(hs_live *live, hs_live_renumber_one *one, void *context) {
    uint32_t end = used_slots(live);
    for (uint32_t i = 0; i < end; i++) {
        struct own own = claim(&live->slots[i]);
        if (own.is_full) {
            one(context, &live->slots[i].site, &live->slots[i].thread);
            set_full(&live->slots[i], own);
        }
    }
}

void hs_live_forget(hs_live *live, uint64_t recordings) {
    uint32_t end = used_slots(live);
    for (uint32_t i = 0; i < end; i++) {
        struct own own = claim(&live->slots[i]);
        if (own.is_full) {
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
    return hs_levels_of_all(hs_live_levels(live));
}

uint32_t hs_live_levels(const hs_live *live) {
    return atomic_load_explicit(&live->levels, memory_order_relaxed);
}

struct hs_held *hs_live_held(hs_live *live) {
    return &live->held;
}
