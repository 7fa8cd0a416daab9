/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_lookup.h"

#include <string.h>

#include "hs_check.h"
#include "hs_clock.h"
#include "hs_hash.h"
#include "hs_mem.h"

/* What one item was settled for helps to settle others, again and again. */
enum { MOST_ROUNDS = 4 };

static const char NOT_BEGUN[] = "sampling has not begun yet";

void hs_lookup_init(struct hs_lookup *lookup) {
    memset(lookup, 0, sizeof *lookup);
    atomic_init(&lookup->reason, NOT_BEGUN);
}

void hs_lookup_destroy(struct hs_lookup *lookup) {
    atomic_store_explicit(&lookup->is_on, false, memory_order_release);
    for (int i = 0; i < HS_LOOKUP_ROOMS; i++) {
        hs_mem_free(lookup->rooms[i].scratch, sizeof *lookup->rooms[i].scratch);
        lookup->rooms[i].scratch = NULL;
    }
}

enum hs_status hs_lookup_on(struct hs_lookup *lookup, uintptr_t continuation_root,
                            bool verifies_all) {
    const struct hs_frame_shape *shape = hs_walk_shape();
    if (shape == NULL) {
        hs_lookup_off(lookup, "the stacks of this processor are not known");
        return HS_UNSUPPORTED;
    }
    for (int i = 0; i < HS_LOOKUP_ROOMS; i++) {
        struct hs_lookup_room *room = &lookup->rooms[i];
        if (room->scratch == NULL) {
            room->scratch = hs_mem_new(sizeof *room->scratch);
        }
    }
    if (lookup->rooms[0].scratch == NULL) {
        hs_lookup_off(lookup, "there was no native memory");
        return HS_NO_MEMORY;
    }
    lookup->verifies_all = verifies_all;
    hs_walker_init(&lookup->walker, &lookup->layout, shape, continuation_root);
    atomic_store_explicit(&lookup->reason, NULL, memory_order_release);
    atomic_store_explicit(&lookup->is_on, true, memory_order_release);
    return HS_OK;
}

void hs_lookup_off(struct hs_lookup *lookup, const char *reason) {
    const char *none = NULL;
    const char *not_begun = NOT_BEGUN;
    /* The reason first: a thread that sees that it is off sees why. */
    if (!atomic_compare_exchange_strong_explicit(&lookup->reason, &none, reason,
                                                 memory_order_acq_rel, memory_order_acquire)) {
        (void)atomic_compare_exchange_strong_explicit(&lookup->reason, &not_begun, reason,
                                                      memory_order_acq_rel, memory_order_acquire);
    }
    atomic_store_explicit(&lookup->is_on, false, memory_order_release);
}

bool hs_lookup_is_on(const struct hs_lookup *lookup) {
    return atomic_load_explicit(&lookup->is_on, memory_order_acquire);
}

bool hs_lookup_knows_buffers(const struct hs_lookup *lookup) {
    return atomic_load_explicit(&lookup->has_layout, memory_order_acquire) &&
           lookup->layout.thread_refills != UINT32_MAX;
}

const struct hs_layout *hs_lookup_methods(const struct hs_lookup *lookup) {
    bool is_known = atomic_load_explicit(&lookup->has_layout, memory_order_acquire) &&
                    lookup->layout.const_header != 0;
    return is_known ? &lookup->layout : NULL;
}

const struct hs_layout *hs_lookup_names(const struct hs_lookup *lookup, bool *is_proved) {
    const struct hs_layout *layout = hs_lookup_methods(lookup);
    *is_proved =
        atomic_load_explicit(&lookup->agreed_names, memory_order_relaxed) >= HS_LOOKUP_NAMES_PROOF;
    return layout != NULL && layout->pool_header != 0 && hs_lookup_is_on(lookup) ? layout : NULL;
}

void hs_lookup_compare_names(struct hs_lookup *lookup, uint32_t stripe, bool are_same) {
    if (!are_same) {
        hs_lookup_count(lookup, stripe, HS_LOOKUP_MISMATCHES);
        /* Off first: a thread that sees the next era reads no names. */
        hs_lookup_off(lookup, "a name that was read differed from the JVM's own");
        atomic_store_explicit(&lookup->names_era, 1, memory_order_release);
    } else if (atomic_load_explicit(&lookup->agreed_names, memory_order_relaxed) <
               HS_LOOKUP_NAMES_PROOF) {
        atomic_fetch_add_explicit(&lookup->agreed_names, 1, memory_order_relaxed);
    }
}

void hs_lookup_count(struct hs_lookup *lookup, uint32_t stripe, enum hs_lookup_count what) {
    hs_tally_add_to(&lookup->counts, stripe, what, 1);
}

uint64_t hs_lookup_counted(const struct hs_lookup *lookup, enum hs_lookup_count what) {
    return hs_tally_sum_of(&lookup->counts, what);
}

bool hs_lookup_is_drawn(const struct hs_lookup *lookup, uint32_t random) {
    return lookup->verifies_all || random % HS_LOOKUP_CHECK_EVERY == 0;
}

static uint32_t agreed(const struct hs_lookup *lookup) {
    return atomic_load_explicit(&lookup->agreed, memory_order_relaxed);
}

/* Of how many hits is one compared? */
static uint32_t check_every(const struct hs_lookup *lookup) {
    uint32_t count = agreed(lookup);
    if (count < HS_LOOKUP_PROOF || lookup->verifies_all) {
        return 1;
    }
    return count < HS_LOOKUP_PROBATION ? HS_LOOKUP_PROBATION_EVERY : HS_LOOKUP_CHECK_EVERY;
}

void hs_lookup_agree(struct hs_lookup *lookup, uint32_t stripe) {
    hs_lookup_count(lookup, stripe, HS_LOOKUP_VERIFIED);
    if (agreed(lookup) < HS_LOOKUP_PROBATION) {
        atomic_fetch_add_explicit(&lookup->agreed, 1, memory_order_relaxed);
    }
}

/* Looks before it counts: once all are taken, no thread writes here any more. */
static bool takes_first_check(struct hs_lookup *lookup) {
    return atomic_load_explicit(&lookup->checked_first, memory_order_relaxed) <
               HS_LOOKUP_CHECKED_FIRST &&
           atomic_fetch_add_explicit(&lookup->checked_first, 1, memory_order_relaxed) <
               HS_LOOKUP_CHECKED_FIRST;
}

bool hs_lookup_is_due(struct hs_lookup *lookup, uint32_t hits, bool is_decoded, uint32_t random) {
    return random % check_every(lookup) == 0 ||
           (is_decoded && random % HS_LOOKUP_DECODED_EVERY == 0) ||
           (hits < HS_LOOKUP_FIRST_CHECKS && takes_first_check(lookup));
}

/* Most runs are short: no call for each. */
static void copy(struct hs_java_frame *to, const struct hs_java_frame *from, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        to[i] = from[i];
    }
}

/* Item `unknown` is the first unknown one: what follows the last, from the root upwards. */
static void compose_root(const struct hs_walk_items *items, const struct hs_run *runs,
                         uint32_t unknown, struct hs_composed *composed) {
    for (uint32_t i = items->count - 1; i > unknown && runs[i].count > 0; i--) {
        uint32_t count = composed->root_count + runs[i].count;
        if (composed->leaf_count + count > HS_ALIGN_MAX) {
            return;
        }
        copy(&composed->frames[HS_ALIGN_MAX - count], runs[i].frames, runs[i].count);
        composed->root_count = count;
    }
}

static uint32_t compose(const struct hs_walk_items *items, const struct hs_run *runs,
                        uint32_t wanted, struct hs_composed *composed) {
    uint32_t count = 0;
    uint32_t i = 0;
    composed->root_count = 0;
    for (; i < items->count && count < wanted && runs[i].count > 0; i++) {
        uint32_t left = wanted - count;
        uint32_t taken = runs[i].count < left ? runs[i].count : left;
        copy(&composed->frames[count], runs[i].frames, taken);
        composed->begins[i] = count;
        count += taken;
    }
    composed->leaf_count = count;
    if (i < items->count && count < wanted) {
        if (hs_walk_is_whole(items->end)) {
            compose_root(items, runs, i, composed);
        }
        return 0;
    }
    for (; i < items->count; i++) {
        composed->begins[i] = HS_BEGIN_UNKNOWN;
    }
    return count == wanted || hs_walk_is_whole(items->end) ? count : 0;
}

uint32_t hs_lookup_compose(const hs_stack_cache *stack_cache, const struct hs_walk_items *items,
                           uint32_t wanted, struct hs_composed *composed) {
    struct hs_run runs[HS_WALK_MAX_ITEMS];
    hs_stack_cache_runs(stack_cache, items, runs);
    return compose(items, runs, wanted, composed);
}

uint32_t hs_lookup_compose_learned(const hs_stack_cache *stack_cache,
                                   const struct hs_walk_items *items, uint32_t wanted,
                                   struct hs_composed *composed) {
    struct hs_run runs[HS_WALK_MAX_ITEMS];
    for (uint32_t i = 0; i < items->count; i++) {
        runs[i] = hs_stack_cache_run(stack_cache, items, i);
    }
    return compose(items, runs, wanted, composed);
}

bool hs_lookup_is_outdated(struct hs_lookup *lookup, const hs_stack_cache *stack_cache,
                           int64_t now_us) {
    if (!hs_lookup_is_on(lookup)) {
        return false;
    }
    bool is_full = stack_cache != NULL && hs_stack_cache_is_full(stack_cache) &&
                   now_us - lookup->renewed_us >= HS_LOOKUP_RENEW_US;
    bool is_outdated = stack_cache == NULL || is_full || hs_stack_cache_is_discarded(stack_cache);
    lookup->renewed_us = is_outdated ? now_us : lookup->renewed_us;
    return is_outdated;
}

/* Looks first: a taken room is not written to. */
static bool take(struct hs_lookup_room *room, int64_t now_us) {
    int64_t free = 0;
    return atomic_load_explicit(&room->entered_us, memory_order_relaxed) == 0 &&
           atomic_compare_exchange_strong_explicit(&room->entered_us, &free, now_us,
                                                   memory_order_acquire, memory_order_relaxed);
}

struct hs_lookup_room *hs_lookup_enter(struct hs_lookup *lookup) {
    int64_t now_us = hs_clock_monotonic_us();
    for (int i = 0; i < HS_LOOKUP_ROOMS; i++) {
        if (lookup->rooms[i].scratch != NULL && take(&lookup->rooms[i], now_us)) {
            return &lookup->rooms[i];
        }
    }
    return NULL;
}

void hs_lookup_leave(struct hs_lookup_room *room) {
    HS_DCHECK(atomic_load_explicit(&room->entered_us, memory_order_relaxed) != 0);
    atomic_store_explicit(&room->entered_us, 0, memory_order_release);
}

uint32_t hs_lookup_stuck_rooms(const struct hs_lookup *lookup, int64_t now_us) {
    uint32_t count = 0;
    for (int i = 0; i < HS_LOOKUP_ROOMS; i++) {
        int64_t entered_us =
            atomic_load_explicit(&lookup->rooms[i].entered_us, memory_order_relaxed);
        count += entered_us != 0 && now_us - entered_us > HS_LOOKUP_STUCK_US;
    }
    return count;
}

static void describe(struct hs_lookup *lookup, struct hs_lookup_scratch *scratch,
                     const hs_stack_cache *stack_cache, uint32_t i) {
    const struct hs_walk_items *walk = &scratch->walk;
    struct hs_run run = {NULL, 0};
    if (stack_cache != NULL) {
        run = hs_stack_cache_run(stack_cache, walk, i);
    }
    bool is_single;
    uintptr_t root = hs_walk_root(&lookup->walker, walk, i, &is_single);
    scratch->items[i] = (struct hs_align_item){
        .root = root,
        .is_single = is_single,
        .run = run.frames,
        .count = run.count,
    };
}

static bool is_same_item(const struct hs_walk_items *walk, uint32_t a, uint32_t b) {
    const uint64_t *left = &walk->words[walk->at[a]];
    const uint64_t *right = &walk->words[walk->at[b]];
    return *left == *right && (hs_item_is_compiled(*left) || left[1] == right[1]);
}

/* Could two items be equal? Each sets a bit of its own, unless another one has. */
static bool may_repeat(const struct hs_walk_items *walk) {
    enum { BITS = 2048 };
    uint64_t seen[BITS / 64] = {0};
    for (uint32_t i = 0; i < walk->count; i++) {
        const uint64_t *key = &walk->words[walk->at[i]];
        uint64_t key_of_all = hs_item_is_compiled(*key) ? *key : *key + key[1];
        uint64_t bit = hs_hash_mix(key_of_all) % BITS;
        if ((seen[bit / 64] >> (bit % 64) & 1) != 0) {
            return true;
        }
        seen[bit / 64] |= UINT64_C(1) << (bit % 64);
    }
    return false;
}

/* Equal items stand for equal runs: what the first of them was settled for, the others are known for, so
 * that it is learned once. Returns whether that settles any more. */
static bool spread_settled(struct hs_lookup_scratch *scratch) {
    bool is_new = false;
    for (uint32_t i = 0; i < scratch->walk.count; i++) {
        struct hs_span span = scratch->spans[i];
        if (span.end == 0 || scratch->items[i].count > 0) {
            continue;
        }
        for (uint32_t other = 0; other < scratch->walk.count; other++) {
            if (other != i && scratch->items[other].count == 0 &&
                is_same_item(&scratch->walk, i, other)) {
                scratch->items[other].run = &scratch->frames[span.begin];
                scratch->items[other].count = span.end - span.begin;
                is_new = is_new || scratch->spans[other].end == 0;
            }
        }
    }
    return is_new;
}

bool hs_lookup_align(struct hs_lookup *lookup, struct hs_lookup_scratch *scratch,
                     const hs_stack_cache *stack_cache, uint32_t frame_count, bool frames_are_cut) {
    for (uint32_t i = 0; i < scratch->walk.count; i++) {
        describe(lookup, scratch, stack_cache, i);
    }
    struct hs_align_problem problem = {
        .items = scratch->items,
        .item_count = scratch->walk.count,
        .items_are_cut = !hs_walk_is_whole(scratch->walk.end),
        .frames = scratch->frames,
        .methods = scratch->methods,
        .frame_count = frame_count,
        .frames_are_cut = frames_are_cut,
    };
    bool fits = hs_align(&scratch->align, &problem, scratch->spans);
    bool repeats = fits && may_repeat(&scratch->walk);
    for (int round = 1; fits && repeats && round < MOST_ROUNDS && spread_settled(scratch);
         round++) {
        fits = hs_align(&scratch->align, &problem, scratch->spans);
    }
    return fits;
}
