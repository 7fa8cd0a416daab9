/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_totals.h"

#include <float.h>
#include <stdatomic.h>

#include "hs_mem.h"

/* One line. All relaxed: statistics, each correct by itself. */
struct slot {
    _Atomic uint64_t samples;
    _Atomic uint64_t sampled_bytes;
    _Atomic double objects;
    _Atomic double objects_variance;
    _Atomic double bytes;
    _Atomic double bytes_variance;
    _Atomic uint64_t found;
    _Atomic uint64_t passed;
};

_Static_assert(sizeof(struct slot) == HS_LINE, "a sample adds to one line");
_Static_assert((HS_TOTALS_MAX_LANES & (HS_TOTALS_MAX_LANES - 1)) == 0, "a mask chooses the lane");

/* Begins at a line. */
struct block {
    struct slot slots[HS_TOTALS_BLOCK];
    struct hs_lifetimes *lifetimes[HS_TOTALS_BLOCK]; /* HS_RANK_SWEEP; in the first lane only */
};

struct hs_totals {
    uint32_t max_id;
    uint32_t lanes;
    uint32_t lane_blocks;
    _Atomic(struct block *) blocks
        []; /* of each block all lanes; set once by compare-and-swap: release, read with acquire */
};

static size_t bytes_of(uint32_t block_count) {
    return sizeof(struct hs_totals) + block_count * sizeof(_Atomic(struct block *));
}

enum hs_status hs_totals_new(uint32_t max_id, uint32_t lanes, hs_totals **result) {
    HS_DCHECK(lanes != 0 && (lanes & (lanes - 1)) == 0 && lanes <= HS_TOTALS_MAX_LANES);
    uint32_t lane_blocks = max_id / HS_TOTALS_BLOCK + 1;
    hs_totals *totals = hs_mem_new_lines(bytes_of(lane_blocks * lanes));
    *result = totals;
    if (totals == NULL) {
        return HS_NO_MEMORY;
    }
    totals->max_id = max_id;
    totals->lanes = lanes;
    totals->lane_blocks = lane_blocks;
    return HS_OK;
}

/* Which block. */
static uint32_t place_of(const hs_totals *totals, uint32_t stripe, uint32_t id) {
    return id / HS_TOTALS_BLOCK * totals->lanes + (stripe & (totals->lanes - 1));
}

static struct block *block_of(const hs_totals *totals, uint32_t stripe, uint32_t id) {
    return id > totals->max_id ? NULL
                               : atomic_load_explicit(&totals->blocks[place_of(totals, stripe, id)],
                                                      memory_order_acquire);
}

static struct slot *find(const hs_totals *totals, uint32_t stripe, uint32_t id) {
    struct block *block = block_of(totals, stripe, id);
    return block == NULL ? NULL : &block->slots[id % HS_TOTALS_BLOCK];
}

/* Of a number that has sums. */
static struct hs_lifetimes **lifetimes_of(const hs_totals *totals, uint32_t id) {
    return &block_of(totals, 0, id)->lifetimes[id % HS_TOTALS_BLOCK];
}

static struct slot *find_or_add(hs_totals *totals, uint32_t stripe, uint32_t id) {
    struct slot *slot = find(totals, stripe, id);
    if (slot != NULL || id > totals->max_id) {
        return slot;
    }
    struct block *block = hs_mem_new_lines(sizeof *block);
    if (block == NULL) {
        return NULL;
    }
    struct block *none = NULL;
    if (!atomic_compare_exchange_strong_explicit(&totals->blocks[place_of(totals, stripe, id)],
                                                 &none, block, memory_order_release,
                                                 memory_order_relaxed)) {
        hs_mem_free_lines(block, sizeof *block);
    }
    return find(totals, stripe, id);
}

enum hs_status hs_totals_reserve(hs_totals *totals, uint32_t stripe, uint32_t id) {
    return find_or_add(totals, stripe, id) == NULL ? HS_NO_MEMORY : HS_OK;
}

static void add(_Atomic double *sum, double value) {
    double seen = atomic_load_explicit(sum, memory_order_relaxed);
    while (value != 0.0 &&
           !atomic_compare_exchange_weak_explicit(sum, &seen, seen + value, memory_order_relaxed,
                                                  memory_order_relaxed)) {
    }
}

enum hs_status hs_totals_add(hs_totals *totals, uint32_t stripe, uint32_t id, uint64_t size,
                             const struct hs_weight *weight) {
    struct slot *slot = find_or_add(totals, stripe, id);
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

void hs_totals_add_density(hs_totals *totals, uint32_t stripe, uint32_t id,
                           const struct hs_density *density) {
    struct slot *slot = find(totals, stripe, id);
    if (slot != NULL) {
        atomic_fetch_add_explicit(&slot->found, density->samples, memory_order_relaxed);
        atomic_fetch_add_explicit(&slot->passed, density->length, memory_order_relaxed);
    }
}

static void read_lane(const struct slot *slot, struct hs_total *result) {
    struct hs_weight *weight = &result->weight;
    result->samples += atomic_load_explicit(&slot->samples, memory_order_relaxed);
    result->sampled_bytes += atomic_load_explicit(&slot->sampled_bytes, memory_order_relaxed);
    weight->objects += atomic_load_explicit(&slot->objects, memory_order_relaxed);
    weight->objects_variance += atomic_load_explicit(&slot->objects_variance, memory_order_relaxed);
    weight->bytes += atomic_load_explicit(&slot->bytes, memory_order_relaxed);
    weight->bytes_variance += atomic_load_explicit(&slot->bytes_variance, memory_order_relaxed);
    result->density.samples += atomic_load_explicit(&slot->found, memory_order_relaxed);
    result->density.length += atomic_load_explicit(&slot->passed, memory_order_relaxed);
}

bool hs_totals_read(const hs_totals *totals, uint32_t id, struct hs_total *result) {
    struct hs_total sum = {0};
    for (uint32_t lane = 0; lane < totals->lanes; lane++) {
        const struct slot *slot = find(totals, lane, id);
        if (slot != NULL) {
            read_lane(slot, &sum);
        }
    }
    if (sum.samples == 0) {
        return false;
    }
    *result = sum;
    return true;
}

/* ---- from one table to another ---- */

static uint64_t take(_Atomic uint64_t *sum) {
    return atomic_exchange_explicit(sum, 0, memory_order_relaxed);
}

static double take_weight(_Atomic double *sum) {
    return atomic_exchange_explicit(sum, 0.0, memory_order_relaxed);
}

static bool is_empty(const struct slot *slot) {
    struct hs_total total = {0};
    read_lane(slot, &total);
    const struct hs_weight *weight = &total.weight;
    bool has_weight = weight->objects > 0.0 || weight->objects_variance > 0.0 ||
                      weight->bytes > 0.0 || weight->bytes_variance > 0.0;
    return total.samples == 0 && total.sampled_bytes == 0 && total.density.samples == 0 &&
           total.density.length == 0 && !has_weight;
}

bool hs_totals_has(const hs_totals *totals, uint32_t id) {
    bool has = hs_totals_lifetimes(totals, id) != NULL;
    for (uint32_t lane = 0; lane < totals->lanes && !has; lane++) {
        const struct slot *slot = find(totals, lane, id);
        has = slot != NULL && !is_empty(slot);
    }
    return has;
}

static void move_lifetimes(struct hs_lifetimes **from, struct hs_lifetimes **to) {
    if (*from == NULL || *to == NULL) {
        *to = *to == NULL ? *from : *to;
        *from = NULL;
        return;
    }
    (*to)->deaths += (*from)->deaths;
    for (int i = 0; i < HS_LIFETIME_AGES; i++) {
        (*to)->by_age[i] += (*from)->by_age[i];
    }
    for (int i = 0; i < HS_LIFETIME_COLLECTIONS; i++) {
        (*to)->by_collections[i] += (*from)->by_collections[i];
    }
    hs_mem_free(*from, sizeof **from);
    *from = NULL;
}

static uint64_t move_lane(struct slot *from, struct slot *to) {
    uint64_t samples = take(&from->samples);
    add(&to->objects, take_weight(&from->objects));
    add(&to->objects_variance, take_weight(&from->objects_variance));
    add(&to->bytes, take_weight(&from->bytes));
    add(&to->bytes_variance, take_weight(&from->bytes_variance));
    atomic_fetch_add_explicit(&to->sampled_bytes, take(&from->sampled_bytes), memory_order_relaxed);
    atomic_fetch_add_explicit(&to->samples, samples, memory_order_relaxed);
    atomic_fetch_add_explicit(&to->found, take(&from->found), memory_order_relaxed);
    atomic_fetch_add_explicit(&to->passed, take(&from->passed), memory_order_relaxed);
    return samples;
}

enum hs_status hs_totals_move(hs_totals *from, uint32_t id, hs_totals *to, uint32_t to_id,
                              uint64_t *samples) {
    for (uint32_t lane = 0; lane < from->lanes; lane++) {
        struct slot *old = find(from, lane, id);
        if (old == NULL || is_empty(old)) {
            continue;
        }
        struct slot *new = find_or_add(to, lane, to_id);
        if (new == NULL) {
            return HS_NO_MEMORY;
        }
        *samples += move_lane(old, new);
    }
    if (hs_totals_lifetimes(from, id) != NULL) {
        if (find_or_add(to, 0, to_id) == NULL) {
            return HS_NO_MEMORY;
        }
        move_lifetimes(lifetimes_of(from, id), lifetimes_of(to, to_id));
    }
    return HS_OK;
}

static void free_block(struct block *block) {
    for (int i = 0; block != NULL && i < HS_TOTALS_BLOCK; i++) {
        hs_mem_free(block->lifetimes[i], sizeof(struct hs_lifetimes));
    }
    hs_mem_free_lines(block, sizeof *block);
}

void hs_totals_clear(hs_totals *totals) {
    for (uint32_t i = 0; i < totals->lane_blocks * totals->lanes; i++) {
        free_block(atomic_exchange_explicit(&totals->blocks[i], NULL, memory_order_relaxed));
    }
}

void hs_totals_free(hs_totals *totals) {
    if (totals != NULL) {
        hs_totals_clear(totals);
        hs_mem_free_lines(totals, bytes_of(totals->lane_blocks * totals->lanes));
    }
}

/* ---- lifetimes ---- */

uint32_t hs_lifetime_bucket(int64_t age_us) {
    uint32_t bucket = 0;
    for (int64_t ms = age_us / 1000; ms > 0 && bucket < HS_LIFETIME_AGES - 1; ms >>= 1) {
        bucket++;
    }
    return bucket;
}

enum hs_status hs_totals_add_death(hs_totals *totals, uint32_t id, int64_t age_us,
                                   uint32_t collections, double objects) {
    if (find_or_add(totals, 0, id) == NULL) {
        return HS_NO_MEMORY;
    }
    struct hs_lifetimes **lifetimes = lifetimes_of(totals, id);
    if (*lifetimes == NULL) {
        *lifetimes = hs_mem_new(sizeof **lifetimes);
    }
    if (*lifetimes == NULL) {
        return HS_NO_MEMORY;
    }
    uint32_t last = HS_LIFETIME_COLLECTIONS - 1;
    (*lifetimes)->deaths++;
    (*lifetimes)->by_age[hs_lifetime_bucket(age_us)] += objects;
    (*lifetimes)->by_collections[collections < last ? collections : last] += objects;
    return HS_OK;
}

const struct hs_lifetimes *hs_totals_lifetimes(const hs_totals *totals, uint32_t id) {
    return find(totals, 0, id) == NULL ? NULL : *lifetimes_of(totals, id);
}

#ifdef HS_CHECKS
static bool is_sum(double value) {
    return value >= 0.0 && value <= DBL_MAX;
}

static bool are_lifetimes_valid(const struct hs_lifetimes *lifetimes) {
    bool are = lifetimes->deaths > 0;
    for (int i = 0; i < HS_LIFETIME_AGES; i++) {
        are = are && is_sum(lifetimes->by_age[i]);
    }
    for (int i = 0; i < HS_LIFETIME_COLLECTIONS; i++) {
        are = are && is_sum(lifetimes->by_collections[i]);
    }
    return are;
}

static bool is_slot_valid(const struct slot *slot) {
    struct hs_total total = {0};
    read_lane(slot, &total);
    return is_sum(total.weight.objects) && is_sum(total.weight.objects_variance) &&
           is_sum(total.weight.bytes) && is_sum(total.weight.bytes_variance);
}

bool hs_totals_is_valid(const hs_totals *totals) {
    for (uint32_t i = 0; i < totals->lane_blocks * totals->lanes; i++) {
        const struct block *block = atomic_load_explicit(&totals->blocks[i], memory_order_relaxed);
        for (uint32_t j = 0; block != NULL && j < HS_TOTALS_BLOCK; j++) {
            const struct slot *slot = &block->slots[j];
            const struct hs_lifetimes *lifetimes = block->lifetimes[j];
            uint32_t id = i / totals->lanes * HS_TOTALS_BLOCK + j;
            bool has_any = lifetimes != NULL || !is_empty(slot);
            if (!is_slot_valid(slot) || (id > totals->max_id && has_any) ||
                (lifetimes != NULL &&
                 (i % totals->lanes != 0 || !are_lifetimes_valid(lifetimes)))) {
                return false;
            }
        }
    }
    return true;
}
#endif
