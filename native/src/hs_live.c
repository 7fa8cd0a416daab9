/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Slots come and go in hs_slots.c; here is who gets one, who has to leave, and when the level moves. */
#include "hs_live.h"

#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "hs_estimate.h"
#include "hs_hash.h"
#include "hs_levels.h"
#include "hs_mem.h"
#include "hs_probes.h"
#include "hs_slots.h"

enum { PROBES = 32 };

enum { PLACE_BITS = 22 }; /* 2^22 - 1 places: more than a table may have */

/* Begins at a line. The first one is read by each sample; the next one, from the list of free slots on, is written by
 * each that is tracked. */
struct hs_live {
    _Atomic uint32_t levels;      /* raised by callbacks, lowered by the sweeper; relaxed */
    _Atomic uint32_t swept_level; /* what was charged at the last sweep passes it; relaxed */
    struct hs_garbage garbage;
    struct hs_slots slots;
    _Atomic uint64_t thinned[HS_MAX_RECORDINGS]; /* by recording; relaxed */
};

_Static_assert(offsetof(struct hs_live, slots.free_list) == HS_LINE, "what is written lies apart");

enum hs_status hs_live_new(uint32_t capacity, uint64_t garbage_bytes, uint64_t garbage_from,
                           hs_live **result) {
    *result = NULL;
    hs_live *live = hs_mem_new_lines(sizeof *live);
    if (live == NULL) {
        return HS_NO_MEMORY;
    }
    hs_garbage_init(&live->garbage, garbage_bytes, garbage_from);
    if (hs_slots_init(&live->slots, capacity) != HS_OK) {
        hs_mem_free_lines(live, sizeof *live);
        return HS_NO_MEMORY;
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
    hs_slots_destroy(&live->slots);
    hs_mem_free_lines(live, sizeof *live);
}

/* The level that an object of this size has to pass. */
static uint32_t level_for(const hs_live *live, uint32_t levels, uint64_t size) {
    return hs_garbage_counts(&live->garbage, size) ? hs_levels_of_garbage(levels)
                                                   : hs_levels_of_all(levels);
}

static uint32_t level_of_slot(const hs_live *live, uint32_t levels, const struct hs_slot *slot) {
    return level_for(live, levels, (uint64_t)slot->size_words * 8);
}

/* Does it pass the levels that its size takes? `random` loses the bits of those. */
static bool passes_extra(hs_live *live, uint8_t extra, uint32_t *random) {
    if (!hs_level_passes(*random, extra)) {
        hs_garbage_note(&live->garbage);
        return false;
    }
    *random <<= extra;
    return true;
}

bool hs_live_wants(hs_live *live, uint64_t size, uint32_t random) {
    return live->slots.capacity > 0 &&
           passes_extra(live, hs_garbage_extra(&live->garbage, size), &random) &&
           hs_level_passes(random, level_for(live, hs_live_levels(live), size));
}

void hs_live_prefetch(const hs_live *live) {
    hs_slots_prefetch(&live->slots);
    __builtin_prefetch(&hs_probe_listeners);
}

/* ---- what listeners are shown: always by the slot's owner, so an entry's events come in their order ---- */

/* No two entries of a table are at a place at a time. After 51 days the times begin anew. */
static uint64_t id_of(const hs_live *live, const struct hs_slot *slot) {
    uint64_t place = (uint64_t)(slot - live->slots.slots);
    return (uint64_t)slot->allocated_us << PLACE_BITS | (place + 1);
}

static uint64_t weighted_bytes(const struct hs_slot *slot, struct hs_slot_meta meta) {
    uint64_t size = (uint64_t)slot->size_words * 8;
    return hs_estimate_bytes(size, slot->drawn, (uint32_t)meta.level + meta.extra);
}

/* Out of the way of samples that are not listened to. */
#define UNLIKELY __attribute__((noinline, cold)) static

UNLIKELY void tell_alloc(const hs_live *live, const struct hs_slot *slot,
                         struct hs_slot_meta meta) {
    hs_probe_alloc(id_of(live, slot), (uint64_t)slot->size_words * 8, weighted_bytes(slot, meta));
}

UNLIKELY void tell_weight(const hs_live *live, const struct hs_slot *slot,
                          struct hs_slot_meta meta) {
    hs_probe_weight(id_of(live, slot), weighted_bytes(slot, meta));
}

UNLIKELY void tell_free(const hs_live *live, const struct hs_slot *slot) {
    hs_probe_free(id_of(live, slot));
}

/* ---- entries come and go ---- */

static void set_free(hs_live *live, struct hs_slot *slot, struct hs_slot_meta meta) {
    if (hs_probe_is_heard(&hs_probe_listeners.free)) {
        tell_free(live, slot);
    }
    hs_garbage_change(&live->garbage, meta.charge, HS_GARBAGE_NOTHING);
    hs_slots_give_back(&live->slots, slot);
}

/* An entry leaves although its object may live on. */
static void count_thinned(hs_live *live, uint64_t recordings) {
    for (; recordings != 0; recordings &= recordings - 1) {
        atomic_fetch_add_explicit(&live->thinned[__builtin_ctzll(recordings)], 1,
                                  memory_order_relaxed);
    }
}

static void fill(const hs_live *live, struct hs_slot *slot, hs_ref ref,
                 const struct hs_sample *sample, uint32_t random, struct hs_slot_meta meta) {
    slot->ref = ref;
    slot->recordings = sample->recordings;
    slot->allocated_us = sample->allocated_us;
    slot->size_words = (uint32_t)(sample->size / 8);
    slot->site = sample->site;
    slot->thread = sample->thread;
    slot->drawn = sample->drawn;
    slot->birth = sample->birth;
    slot->random = random;
    if (hs_probe_is_heard(&hs_probe_listeners.alloc)) {
        tell_alloc(live, slot, meta);
    }
    hs_slot_set_full(slot, meta);
}

static struct hs_sample sample_of(const struct hs_slot *slot) {
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
static struct hs_slot *steal(hs_live *live, uint32_t levels, uint32_t random,
                             struct hs_slot_meta *meta) {
    uint64_t seed = random;
    for (int i = 0; i < PROBES; i++) {
        seed = hs_hash_mix(seed + (uint64_t)i + UINT64_C(0x9E3779B97F4A7C15));
        struct hs_slot *slot = &live->slots.slots[seed % live->slots.capacity];
        *meta = hs_slot_try_claim(slot);
        if (!meta->is_full) {
            continue;
        }
        if (!hs_level_passes(slot->random, level_of_slot(live, levels, slot))) {
            return slot;
        }
        hs_slot_set_full(slot, *meta);
    }
    return NULL;
}

/* Only from the levels that were seen: a second thread finds that the first has done it. */
static void set_levels(hs_live *live, uint32_t seen, uint32_t levels) {
    (void)atomic_compare_exchange_strong_explicit(&live->levels, &seen, levels,
                                                  memory_order_relaxed, memory_order_relaxed);
}

static void raise_level(hs_live *live, uint32_t seen) {
    set_levels(live, seen, seen + 1);
}

static void raise_level_for_garbage(hs_live *live, uint32_t seen) {
    bool is_all = live->garbage.from == 0;
    set_levels(live, seen, is_all ? seen + 1 : hs_levels_raise_garbage(seen));
    hs_garbage_note(&live->garbage);
}

static bool has_room(const hs_live *live, uint8_t charge) {
    uint32_t level = hs_levels_of_garbage(hs_live_levels(live));
    uint32_t swept = atomic_load_explicit(&live->swept_level, memory_order_relaxed);
    return hs_garbage_has_room(&live->garbage, charge, level > swept ? level - swept : 0);
}

/* Into a free slot, or that of an entry which its level no longer wants; false if there is none. */
static bool put(hs_live *live, hs_ref ref, const struct hs_sample *sample, uint32_t random,
                struct hs_slot_meta meta, uint32_t levels, hs_ref *displaced) {
    struct hs_slot *slot = hs_slots_take(&live->slots);
    if (slot != NULL) {
        hs_garbage_change(&live->garbage, HS_GARBAGE_NOTHING, meta.charge);
        fill(live, slot, ref, sample, random, meta);
        return true;
    }
    struct hs_slot_meta old;
    slot = steal(live, levels, random, &old);
    if (slot != NULL) {
        *displaced = slot->ref;
        if (hs_probe_is_heard(&hs_probe_listeners.free)) {
            tell_free(live, slot);
        }
        count_thinned(live, slot->recordings);
        hs_garbage_change(&live->garbage, old.charge, meta.charge);
        fill(live, slot, ref, sample, random, meta);
    }
    return slot != NULL;
}

enum hs_status hs_live_add(hs_live *live, hs_ref ref, const struct hs_sample *sample,
                           uint32_t random, hs_ref *displaced) {
    *displaced = 0;
    HS_DCHECK(ref != 0 || live->slots.capacity == 0);
    struct hs_slot_meta meta = {.extra = hs_garbage_extra(&live->garbage, sample->size),
                                .is_full = true};
    if (!passes_extra(live, meta.extra, &random)) {
        return HS_FULL;
    }
    for (;;) {
        uint32_t levels = hs_live_levels(live);
        uint32_t level = level_for(live, levels, sample->size);
        if (live->slots.capacity == 0 || !hs_level_passes(random, level)) {
            return HS_FULL;
        }
        meta.level = (uint8_t)level;
        meta.charge = hs_garbage_charge(&live->garbage, sample->size, sample->drawn, level);
        bool may_hold = meta.charge == HS_GARBAGE_NOTHING || has_room(live, meta.charge);
        if (may_hold && put(live, ref, sample, random, meta, levels, displaced)) {
            return HS_OK;
        }
        if (level == HS_MAX_LEVEL) {
            return HS_FULL;
        }
        if (may_hold) {
            raise_level(live, levels);
        } else {
            raise_level_for_garbage(live, levels);
            hs_garbage_ask_for_sweep(&live->garbage);
        }
    }
}

/* ---- sweeps ---- */

/* Only from the levels that the whole sweep has seen: one raised meanwhile stays. `charged` is the sum
 * before the sweep, with the dead and those that have settled: as much may come again before the next
 * collection. */
static void lower_levels(hs_live *live, uint32_t seen, uint64_t charged, bool saw_collection) {
    bool has_places = hs_live_count(live) < (live->slots.capacity + 3) / 4;
    bool may_hold =
        live->garbage.bound == 0 || (saw_collection && hs_garbage_is_low(&live->garbage, charged));
    bool is_all = live->garbage.from == 0;
    uint32_t lower = has_places && (may_hold || !is_all) ? hs_levels_lower_all(seen) : seen;
    lower = may_hold ? hs_levels_lower_garbage(lower) : lower;
    if (lower != seen &&
        atomic_compare_exchange_strong_explicit(&live->levels, &seen, lower, memory_order_relaxed,
                                                memory_order_relaxed)) {
        atomic_store_explicit(&live->swept_level, hs_levels_of_garbage(lower),
                              memory_order_relaxed);
    }
}

static uint8_t higher(uint8_t level, uint32_t other) {
    return level > other ? level : (uint8_t)other;
}

/* An entry that stays, with its level and what it may hold by now. */
static void keep(hs_live *live, struct hs_slot *slot, struct hs_slot_meta meta, uint32_t level,
                 uint32_t settled_epoch) {
    struct hs_slot_meta now = meta;
    now.level = higher(meta.level, level);
    now.charge = slot->birth.epoch < settled_epoch
                     ? HS_GARBAGE_NOTHING
                     : hs_garbage_charge(&live->garbage, (uint64_t)slot->size_words * 8,
                                         slot->drawn, now.level);
    hs_garbage_change(&live->garbage, meta.charge, now.charge);
    if (now.level != meta.level && hs_probe_is_heard(&hs_probe_listeners.weight)) {
        tell_weight(live, slot, now);
    }
    hs_slot_set_full(slot, now);
}

static void sweep_once(hs_live *live, const struct hs_live_look *look, const struct hs_ops *ops,
                       void *env, hs_live_visit *dead, void *context) {
    (void)hs_garbage_take_due(
        &live->garbage); /* before the look: what becomes due meanwhile stays so */
    uint32_t end = hs_slots_used(&live->slots);
    uint32_t level_before = hs_levels_of_garbage(hs_live_levels(live));
    for (uint32_t i = 0; i < end; i++) {
        struct hs_slot *slot = &live->slots.slots[i];
        struct hs_slot_meta meta = hs_slot_claim(slot);
        if (!meta.is_full) {
            continue;
        }
        uint32_t level = level_of_slot(live, hs_live_levels(live), slot);
        slot->recordings &= look->recordings;
        bool is_wanted = slot->recordings != 0 && hs_level_passes(slot->random, level);
        bool is_dead = ops->is_cleared(env, slot->ref);
        if (is_wanted && !is_dead) {
            keep(live, slot, meta, level, look->settled_epoch);
            continue;
        }
        if (is_wanted) {
            struct hs_sample sample = sample_of(slot);
            dead(context, slot->ref, &sample, higher(meta.level, level) + meta.extra, i);
        } else if (!hs_level_passes(slot->random, level)) {
            count_thinned(live, slot->recordings);
        }
        ops->release(env, slot->ref);
        set_free(live, slot, meta);
    }
    atomic_store_explicit(&live->swept_level, level_before, memory_order_relaxed);
}

void hs_live_sweep(hs_live *live, const struct hs_live_look *look, const struct hs_ops *ops,
                   void *env, hs_live_visit *dead, void *context) {
    uint64_t charged = hs_garbage_charged(&live->garbage);
    uint32_t levels = hs_live_levels(live);
    sweep_once(live, look, ops, env, dead, context);
    /* A charge grows with the level, up to a point. */
    while (!has_room(live, HS_GARBAGE_NOTHING) &&
           hs_levels_of_garbage(hs_live_levels(live)) < HS_MAX_LEVEL) {
        raise_level_for_garbage(live, hs_live_levels(live));
        sweep_once(live, look, ops, env, dead, context);
    }
    lower_levels(live, levels, charged, look->saw_collection);
}

/* Without `ops` also the dead that no sweep has found. Answers as hs_live_each. */
static uint64_t each(hs_live *live, uint32_t levels, uint64_t recordings, const struct hs_ops *ops,
                     void *env, hs_live_visit *visit, void *context) {
    uint64_t hidden = 0;
    uint32_t end = hs_slots_used(&live->slots);
    for (uint32_t i = 0; i < end; i++) {
        struct hs_slot *slot = &live->slots.slots[i];
        struct hs_slot_meta meta = hs_slot_claim(slot);
        if (!meta.is_full) {
            continue;
        }
        uint32_t level = level_of_slot(live, levels, slot);
        bool is_wanted = (slot->recordings & recordings) != 0;
        bool counts = hs_level_passes(slot->random, level);
        hidden += is_wanted && !counts;
        if (is_wanted && counts && (ops == NULL || !ops->is_cleared(env, slot->ref))) {
            struct hs_sample sample = sample_of(slot);
            visit(context, slot->ref, &sample, higher(meta.level, level) + meta.extra, i);
        }
        hs_slot_set_full(slot, meta);
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

bool hs_live_at(hs_live *live, uint32_t place, int64_t allocated_us, uint64_t size,
                hs_live_visit *visit, void *context) {
    if (place >= hs_slots_used(&live->slots)) {
        return false;
    }
    struct hs_slot *slot = &live->slots.slots[place];
    struct hs_slot_meta meta = hs_slot_claim(slot);
    if (!meta.is_full) {
        return false;
    }
    struct hs_sample sample = sample_of(slot);
    bool is_same = sample.allocated_us == allocated_us && sample.size == size;
    if (is_same) {
        visit(context, slot->ref, &sample, meta.level + meta.extra, place);
    }
    hs_slot_set_full(slot, meta);
    return is_same;
}

void hs_live_clear(hs_live *live, const struct hs_ops *ops, void *env) {
    uint32_t end = hs_slots_used(&live->slots);
    for (uint32_t i = 0; i < end; i++) {
        struct hs_slot_meta meta = hs_slot_claim(&live->slots.slots[i]);
        if (meta.is_full) {
            ops->release(env, live->slots.slots[i].ref);
            set_free(live, &live->slots.slots[i], meta);
        }
    }
}

void hs_live_renumber(hs_live *live, hs_live_renumber_one *one, void *context) {
    uint32_t end = hs_slots_used(&live->slots);
    for (uint32_t i = 0; i < end; i++) {
        struct hs_slot_meta meta = hs_slot_claim(&live->slots.slots[i]);
        if (meta.is_full) {
            one(context, &live->slots.slots[i].site, &live->slots.slots[i].thread);
            hs_slot_set_full(&live->slots.slots[i], meta);
        }
    }
}

void hs_live_forget(hs_live *live, uint64_t recordings) {
    uint32_t end = hs_slots_used(&live->slots);
    for (uint32_t i = 0; i < end; i++) {
        struct hs_slot_meta meta = hs_slot_claim(&live->slots.slots[i]);
        if (meta.is_full) {
            live->slots.slots[i].recordings &= ~recordings;
            hs_slot_set_full(&live->slots.slots[i], meta);
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
    return atomic_load_explicit(&live->slots.count, memory_order_relaxed);
}

uint32_t hs_live_capacity(const hs_live *live) {
    return live->slots.capacity;
}

uint32_t hs_live_level(const hs_live *live) {
    return hs_levels_of_all(hs_live_levels(live));
}

uint32_t hs_live_levels(const hs_live *live) {
    return atomic_load_explicit(&live->levels, memory_order_relaxed);
}

struct hs_garbage *hs_live_garbage(hs_live *live) {
    return &live->garbage;
}

#ifdef HS_CHECKS
bool hs_live_is_valid(const hs_live *live) {
    uint64_t charged = 0;
    uint32_t levels = hs_live_levels(live);
    if (!hs_slots_is_valid(&live->slots) || hs_levels_of_garbage(levels) > HS_MAX_LEVEL) {
        return false;
    }
    for (uint32_t i = 0; i < hs_slots_used(&live->slots); i++) {
        struct hs_slot_meta meta = hs_slot_look(&live->slots.slots[i]);
        if (meta.is_full && meta.level > HS_MAX_LEVEL) {
            return false;
        }
        charged += meta.is_full ? hs_garbage_bytes(meta.charge) : 0;
    }
    return hs_garbage_is_valid(&live->garbage, charged);
}
#endif
