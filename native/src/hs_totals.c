/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_totals.h"

#include <float.h>
#include <stdatomic.h>
#include <string.h>

#include "hs_mem.h"

/* Lifetimes without the empty buckets: `buckets` has a bit for each that is here, first those of ages, then those of
 * collections, and `objects` has them in this order. No deaths: room that was made before. */
struct deaths {
    uint64_t count;
    uint64_t buckets;
    double objects[];
};

enum { ALL_BUCKETS = HS_LIFETIME_AGES + HS_LIFETIME_COLLECTIONS };

_Static_assert(ALL_BUCKETS < 64, "each bucket has a bit");

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
    struct deaths *deaths[HS_TOTALS_BLOCK]; /* HS_RANK_SWEEP; in the first lane only; NULL: none */
};

_Static_assert(sizeof(struct block) + HS_LINE <= 2 * HS_MEM_LARGE,
               "two pages, with hs_mem_new_lines");

struct hs_totals {
    uint32_t max_id;
    uint32_t lanes;
    uint32_t lane_blocks;
    _Atomic uint32_t more_blocks; /* of lanes behind the first; relaxed: a bound only */
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

/* Does the block at this place belong to a lane behind the first? */
static bool is_behind_first(const hs_totals *totals, uint32_t place) {
    return (place & (totals->lanes - 1)) != 0;
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

/* Where its deaths are; NULL where the first lane has no block. */
static struct deaths **find_deaths(const hs_totals *totals, uint32_t id) {
    struct block *block = block_of(totals, 0, id);
    return block == NULL ? NULL : &block->deaths[id % HS_TOTALS_BLOCK];
}

/* The block of a number, which is made where there is none; NULL without memory, and beyond max_id. */
static struct block *block_for(hs_totals *totals, uint32_t stripe, uint32_t id) {
    struct block *block = block_of(totals, stripe, id);
    if (block != NULL || id > totals->max_id) {
        return block;
    }
    block = hs_mem_new_lines(sizeof *block);
    if (block == NULL) {
        return NULL;
    }
    struct block *none = NULL;
    uint32_t place = place_of(totals, stripe, id);
    if (!atomic_compare_exchange_strong_explicit(&totals->blocks[place], &none, block,
                                                 memory_order_release, memory_order_relaxed)) {
        hs_mem_free_lines(block, sizeof *block);
    } else if (is_behind_first(totals, place)) {
        atomic_fetch_add_explicit(&totals->more_blocks, 1, memory_order_relaxed);
    }
    return block_of(totals, stripe, id);
}

static struct slot *find_or_add(hs_totals *totals, uint32_t stripe, uint32_t id) {
    struct block *block = block_for(totals, stripe, id);
    return block == NULL ? NULL : &block->slots[id % HS_TOTALS_BLOCK];
}

/* Makes the block of this stripe's lane, unless many others have one: each takes memory, and few sums are so busy. */
static enum hs_status add_lane(hs_totals *totals, uint32_t stripe, uint32_t id) {
    uint32_t most = totals->lane_blocks / HS_TOTALS_LANE_SHARE + HS_TOTALS_MAX_LANES - 1;
    if (block_of(totals, stripe, id) != NULL) {
        return HS_OK;
    }
    if (atomic_load_explicit(&totals->more_blocks, memory_order_relaxed) >= most) {
        return HS_FULL;
    }
    return block_for(totals, stripe, id) == NULL ? HS_NO_MEMORY : HS_OK;
}

/* Where the deaths of a number belong; NULL without memory. */
static struct deaths **deaths_for(hs_totals *totals, uint32_t id) {
    struct block *block = block_for(totals, 0, id);
    return block == NULL ? NULL : &block->deaths[id % HS_TOTALS_BLOCK];
}

/* Where a thread adds: in its own lane if that has the block, else in the first lane. NULL without memory. */
static inline struct slot *slot_for(hs_totals *totals, uint32_t stripe, uint32_t id) {
    struct slot *slot = find(totals, stripe, id);
    return slot != NULL ? slot : find_or_add(totals, 0, id);
}

enum hs_status hs_totals_reserve(hs_totals *totals, uint32_t stripe, uint32_t id) {
    return slot_for(totals, stripe, id) == NULL ? HS_NO_MEMORY : HS_OK;
}

/* Returns whether no other thread has added meanwhile. */
static bool add(_Atomic double *sum, double value) {
    double seen = atomic_load_explicit(sum, memory_order_relaxed);
    bool is_alone = true;
    while (value != 0.0 &&
           !atomic_compare_exchange_strong_explicit(sum, &seen, seen + value, memory_order_relaxed,
                                                    memory_order_relaxed)) {
        is_alone = false;
    }
    return is_alone;
}

enum hs_status hs_totals_add(hs_totals *totals, uint32_t stripe, uint32_t id, uint64_t size,
                             const struct hs_weight *weight, const struct hs_density *density) {
    struct slot *slot = slot_for(totals, stripe, id);
    if (slot == NULL) {
        return HS_NO_MEMORY;
    }
    bool is_alone = add(&slot->objects, weight->objects);
    (void)add(&slot->objects_variance, weight->objects_variance);
    (void)add(&slot->bytes, weight->bytes);
    (void)add(&slot->bytes_variance, weight->bytes_variance);
    atomic_fetch_add_explicit(&slot->sampled_bytes, size, memory_order_relaxed);
    atomic_fetch_add_explicit(&slot->samples, 1, memory_order_relaxed);
    if (density != NULL && density->length != 0) {
        atomic_fetch_add_explicit(&slot->found, density->samples, memory_order_relaxed);
        atomic_fetch_add_explicit(&slot->passed, density->length, memory_order_relaxed);
    }
    if (!is_alone) {
        /* For the next time; else it goes on as it was. */
        (void)add_lane(totals, stripe, id);
    }
    return HS_OK;
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

/* ---- the dead ---- */

static uint32_t count_of(uint64_t buckets) {
    return (uint32_t)__builtin_popcountll(buckets);
}

static size_t bytes_of_deaths(uint64_t buckets) {
    return sizeof(struct deaths) + count_of(buckets) * sizeof(double);
}

static void free_deaths(struct deaths *deaths) {
    if (deaths != NULL) {
        hs_mem_free(deaths, bytes_of_deaths(deaths->buckets));
    }
}

static bool has_deaths(const struct deaths *deaths) {
    return deaths != NULL && deaths->count != 0;
}

/* A bucket that is here. */
static double *bucket_of(struct deaths *deaths, uint32_t bucket) {
    return &deaths->objects[count_of(deaths->buckets & ((UINT64_C(1) << bucket) - 1))];
}

/* Adds those of `from`, whose buckets are all in `to`. */
static void add_deaths(struct deaths *to, const struct deaths *from) {
    uint32_t at = 0;
    for (uint64_t left = from->buckets; left != 0; left &= left - 1) {
        *bucket_of(to, (uint32_t)__builtin_ctzll(left)) += from->objects[at++];
    }
    to->count += from->count;
}

/* Makes room for these buckets. Fails: false, without memory, and nothing has changed. */
static bool need_buckets(struct deaths **deaths, uint64_t buckets) {
    uint64_t had = *deaths == NULL ? 0 : (*deaths)->buckets;
    if (*deaths != NULL && (had | buckets) == had) {
        return true;
    }
    struct deaths *more = hs_mem_new(bytes_of_deaths(had | buckets));
    if (more == NULL) {
        return false;
    }
    more->buckets = had | buckets;
    if (*deaths != NULL) {
        add_deaths(more, *deaths);
        free_deaths(*deaths);
    }
    *deaths = more;
    return true;
}

/* Fails: false, without memory, and nothing has changed. */
static bool move_deaths(struct deaths **from, struct deaths **to) {
    if (*to == NULL) {
        *to = *from;
    } else if (need_buckets(to, (*from)->buckets)) {
        add_deaths(*to, *from);
        free_deaths(*from);
    } else {
        return false;
    }
    *from = NULL;
    return true;
}

enum hs_status hs_totals_reserve_all(hs_totals *totals, uint32_t id) {
    struct deaths **deaths = deaths_for(totals, id);
    bool has_room = deaths != NULL && need_buckets(deaths, (UINT64_C(1) << ALL_BUCKETS) - 1);
    return has_room ? HS_OK : HS_NO_MEMORY;
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
    bool has = hs_totals_has_lifetimes(totals, id);
    for (uint32_t lane = 0; lane < totals->lanes && !has; lane++) {
        const struct slot *slot = find(totals, lane, id);
        has = slot != NULL && !is_empty(slot);
    }
    return has;
}

static uint64_t move_lane(struct slot *from, struct slot *to) {
    uint64_t samples = take(&from->samples);
    (void)add(&to->objects, take_weight(&from->objects));
    (void)add(&to->objects_variance, take_weight(&from->objects_variance));
    (void)add(&to->bytes, take_weight(&from->bytes));
    (void)add(&to->bytes_variance, take_weight(&from->bytes_variance));
    atomic_fetch_add_explicit(&to->sampled_bytes, take(&from->sampled_bytes), memory_order_relaxed);
    atomic_fetch_add_explicit(&to->samples, samples, memory_order_relaxed);
    atomic_fetch_add_explicit(&to->found, take(&from->found), memory_order_relaxed);
    atomic_fetch_add_explicit(&to->passed, take(&from->passed), memory_order_relaxed);
    return samples;
}

enum hs_status hs_totals_move(hs_totals *from, uint32_t id, hs_totals *to, uint32_t to_id,
                              uint64_t *samples) {
    struct deaths **old_place = find_deaths(from, id);
    if (old_place != NULL && has_deaths(*old_place)) {
        struct deaths **place = deaths_for(to, to_id);
        if (place == NULL || !move_deaths(old_place, place)) {
            return HS_NO_MEMORY;
        }
    }
    for (uint32_t lane = 0; lane < from->lanes; lane++) {
        struct slot *old = find(from, lane, id);
        if (old == NULL || is_empty(old)) {
            continue;
        }
        struct slot *new = slot_for(to, lane, to_id);
        if (new == NULL) {
            return HS_NO_MEMORY;
        }
        *samples += move_lane(old, new);
    }
    return HS_OK;
}

static void free_block(struct block *block) {
    for (int i = 0; block != NULL && i < HS_TOTALS_BLOCK; i++) {
        free_deaths(block->deaths[i]);
    }
    hs_mem_free_lines(block, sizeof *block);
}

static void clear_place(hs_totals *totals, uint32_t place) {
    struct block *block =
        atomic_exchange_explicit(&totals->blocks[place], NULL, memory_order_relaxed);
    if (block != NULL && is_behind_first(totals, place)) {
        atomic_fetch_sub_explicit(&totals->more_blocks, 1, memory_order_relaxed);
    }
    free_block(block);
}

void hs_totals_clear(hs_totals *totals) {
    for (uint32_t i = 0; i < totals->lane_blocks * totals->lanes; i++) {
        clear_place(totals, i);
    }
}

void hs_totals_clear_block(hs_totals *totals, uint32_t id) {
    HS_DCHECK(id <= totals->max_id);
    for (uint32_t lane = 0; lane < totals->lanes; lane++) {
        clear_place(totals, place_of(totals, lane, id));
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
    struct deaths **deaths = deaths_for(totals, id);
    uint32_t last = HS_LIFETIME_COLLECTIONS - 1;
    uint32_t age = hs_lifetime_bucket(age_us);
    uint32_t survived = HS_LIFETIME_AGES + (collections < last ? collections : last);
    if (deaths == NULL || !need_buckets(deaths, UINT64_C(1) << age | UINT64_C(1) << survived)) {
        return HS_NO_MEMORY;
    }
    (*deaths)->count++;
    *bucket_of(*deaths, age) += objects;
    *bucket_of(*deaths, survived) += objects;
    return HS_OK;
}

bool hs_totals_has_lifetimes(const hs_totals *totals, uint32_t id) {
    struct deaths **place = find_deaths(totals, id);
    return place != NULL && has_deaths(*place);
}

bool hs_totals_lifetimes(const hs_totals *totals, uint32_t id, struct hs_lifetimes *result) {
    struct deaths **place = find_deaths(totals, id);
    if (place == NULL || !has_deaths(*place)) {
        return false;
    }
    const struct deaths *deaths = *place;
    double objects[ALL_BUCKETS] = {0};
    uint32_t at = 0;
    for (uint64_t left = deaths->buckets; left != 0; left &= left - 1) {
        objects[__builtin_ctzll(left)] = deaths->objects[at++];
    }
    result->deaths = deaths->count;
    memcpy(result->by_age, objects, sizeof result->by_age);
    memcpy(result->by_collections, objects + HS_LIFETIME_AGES, sizeof result->by_collections);
    return true;
}

#ifdef HS_CHECKS
enum hs_status hs_totals_add_lane(hs_totals *totals, uint32_t stripe, uint32_t id) {
    return add_lane(totals, stripe, id);
}

static bool is_sum(double value) {
    return value >= 0.0 && value <= DBL_MAX;
}

static bool are_deaths_valid(const struct deaths *deaths) {
    bool are = deaths->buckets >> ALL_BUCKETS == 0;
    for (uint32_t i = 0; i < count_of(deaths->buckets); i++) {
        are =
            are && is_sum(deaths->objects[i]) && (deaths->count != 0 || deaths->objects[i] == 0.0);
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
            const struct deaths *deaths = block->deaths[j];
            uint32_t id = i / totals->lanes * HS_TOTALS_BLOCK + j;
            bool has_any = deaths != NULL || !is_empty(slot);
            if (!is_slot_valid(slot) || (id > totals->max_id && has_any) ||
                (deaths != NULL && (i % totals->lanes != 0 || !are_deaths_valid(deaths)))) {
                return false;
            }
        }
    }
    return true;
}
#endif
