/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_totals.h"

#include <stdatomic.h>

#include "hs_mem.h"

/* All relaxed: statistics, each correct by itself. */
struct slot {
    _Atomic uint64_t samples;
    _Atomic uint64_t sampled_bytes;
    _Atomic double objects;
    _Atomic double objects_variance;
    _Atomic double bytes;
    _Atomic double bytes_variance;
    struct hs_lifetimes *lifetimes; /* HS_RANK_SWEEP */
};

struct block {
    struct slot slots[HS_TOTALS_BLOCK];
};

struct hs_totals {
    uint32_t max_id;
    uint32_t block_count;
    _Atomic(struct block *) blocks[]; /* set once by compare-and-swap: release, read with acquire */
};

static size_t bytes_of(uint32_t block_count) {
    return sizeof(struct hs_totals) + block_count * sizeof(_Atomic(struct block *));
}

enum hs_status hs_totals_new(uint32_t max_id, hs_totals **result) {
    uint32_t block_count = max_id / HS_TOTALS_BLOCK + 1;
    hs_totals *totals = hs_mem_new(bytes_of(block_count));
    *result = totals;
    if (totals == NULL) {
        return HS_NO_MEMORY;
    }
    totals->max_id = max_id;
    totals->block_count = block_count;
    return HS_OK;
}

void hs_totals_free(hs_totals *totals) {
    if (totals == NULL) {
        return;
    }
    for (uint32_t i = 0; i < totals->block_count; i++) {
        struct block *block = atomic_load_explicit(&totals->blocks[i], memory_order_relaxed);
        for (int j = 0; block != NULL && j < HS_TOTALS_BLOCK; j++) {
            hs_mem_free(block->slots[j].lifetimes, sizeof(struct hs_lifetimes));
        }
        hs_mem_free(block, sizeof *block);
    }
    hs_mem_free(totals, bytes_of(totals->block_count));
}

static struct slot *find(const hs_totals *totals, uint32_t id) {
    if (id > totals->max_id) {
        return NULL;
    }
    struct block *block =
        atomic_load_explicit(&totals->blocks[id / HS_TOTALS_BLOCK], memory_order_acquire);
    return block == NULL ? NULL : &block->slots[id % HS_TOTALS_BLOCK];
}

static struct slot *find_or_add(hs_totals *totals, uint32_t id) {
    struct slot *slot = find(totals, id);
    if (slot != NULL || id > totals->max_id) {
        return slot;
    }
    struct block *block = hs_mem_new(sizeof *block);
    if (block == NULL) {
        return NULL;
    }
    struct block *none = NULL;
    if (!atomic_compare_exchange_strong_explicit(&totals->blocks[id / HS_TOTALS_BLOCK], &none,
                                                 block, memory_order_release,
                                                 memory_order_relaxed)) {
        hs_mem_free(block, sizeof *block);
    }
    return find(totals, id);
}

enum hs_status hs_totals_reserve(hs_totals *totals, uint32_t id) {
    return find_or_add(totals, id) == NULL ? HS_NO_MEMORY : HS_OK;
}

static void add(_Atomic double *sum, double value) {
    double seen = atomic_load_explicit(sum, memory_order_relaxed);
    while (value != 0.0 &&
           !atomic_compare_exchange_weak_explicit(sum, &seen, seen + value, memory_order_relaxed,
                                                  memory_order_relaxed)) {
    }
}

enum hs_status hs_totals_add(hs_totals *totals, uint32_t id, uint64_t size,
                             const struct hs_weight *weight) {
    struct slot *slot = find_or_add(totals, id);
    if (slot == NULL) {
        return HS_NO_MEMORY;
    }
    add(&slot->objects, weight->objects);
    add(&slot->objects_variance, weight->objects_variance);
    add(&slot->bytes, weight->bytes);
    add(&slot->bytes_variance, weight->bytes_variance);
    atomic_fetch_add_explicit(&slot->sampled_bytes, size, memory_order_relaxed);
    atomic_fetch_add_explicit(&slot->samples, 1, memory_order_relaxed);
    return HS_OK;
}

bool hs_totals_read(const hs_totals *totals, uint32_t id, struct hs_total *result) {
    struct slot *slot = find(totals, id);
    uint64_t samples =
        slot == NULL ? 0 : atomic_load_explicit(&slot->samples, memory_order_relaxed);
    if (samples == 0) {
        return false;
    }
    result->samples = samples;
    result->sampled_bytes = atomic_load_explicit(&slot->sampled_bytes, memory_order_relaxed);
    result->weight.objects = atomic_load_explicit(&slot->objects, memory_order_relaxed);
    result->weight.objects_variance =
        atomic_load_explicit(&slot->objects_variance, memory_order_relaxed);
    result->weight.bytes = atomic_load_explicit(&slot->bytes, memory_order_relaxed);
    result->weight.bytes_variance =
        atomic_load_explicit(&slot->bytes_variance, memory_order_relaxed);
    return true;
}

uint32_t hs_lifetime_bucket(int64_t age_us) {
    uint32_t bucket = 0;
    for (int64_t ms = age_us / 1000; ms > 0 && bucket < HS_LIFETIME_AGES - 1; ms >>= 1) {
        bucket++;
    }
    return bucket;
}

enum hs_status hs_totals_add_death(hs_totals *totals, uint32_t id, int64_t age_us,
                                   uint32_t collections, double objects) {
    struct slot *slot = find_or_add(totals, id);
    if (slot == NULL) {
        return HS_NO_MEMORY;
    }
    if (slot->lifetimes == NULL) {
        slot->lifetimes = hs_mem_new(sizeof *slot->lifetimes);
    }
    if (slot->lifetimes == NULL) {
        return HS_NO_MEMORY;
    }
    uint32_t last = HS_LIFETIME_COLLECTIONS - 1;
    slot->lifetimes->deaths++;
    slot->lifetimes->by_age[hs_lifetime_bucket(age_us)] += objects;
    slot->lifetimes->by_collections[collections < last ? collections : last] += objects;
    return HS_OK;
}

const struct hs_lifetimes *hs_totals_lifetimes(const hs_totals *totals, uint32_t id) {
    struct slot *slot = find(totals, id);
    return slot == NULL ? NULL : slot->lifetimes;
}
