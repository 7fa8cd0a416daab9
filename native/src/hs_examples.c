/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_examples.h"

#include <stdatomic.h>
#include <string.h>

#include "hs_mem.h"

enum { WORDS = 3 }; /* of a span: two of its trace, and one */

_Static_assert(sizeof(struct hs_example) == WORDS * sizeof(uint64_t), "a span is three words");

/* Of `state`: claimed, how many examples, which one is the oldest; the rest counts the changes. */
enum { CLAIMED = 1, COUNT_SHIFT = 1, OLDEST_SHIFT = 3, FIELD = 3, CHANGE = 32 };

struct place {
    _Atomic uint64_t state;
    _Atomic uint64_t words[HS_EXAMPLES][WORDS];
};

struct block {
    struct place places[HS_EXAMPLES_BLOCK];
};

_Static_assert(sizeof(struct block) < HS_MEM_LARGE, "no mapping of its own");

/* The table of blocks is made with the first of them: most recordings never have an example. */
struct hs_examples {
    uint32_t max_id;
    uint32_t block_count;
    _Atomic(_Atomic(struct block *) *) blocks;
};

static uint32_t count_of(uint64_t state) {
    return (uint32_t)(state >> COUNT_SHIFT) & FIELD;
}

static uint32_t oldest_of(uint64_t state) {
    return (uint32_t)(state >> OLDEST_SHIFT) & FIELD;
}

/* The state after this one, with other examples, not claimed. */
static uint64_t next_state(uint64_t state, uint32_t count, uint32_t oldest) {
    uint64_t changes = state / CHANGE + 1;
    return changes * CHANGE | (uint64_t)oldest << OLDEST_SHIFT | (uint64_t)count << COUNT_SHIFT;
}

enum hs_status hs_examples_new(uint32_t max_id, hs_examples **result) {
    hs_examples *examples = hs_mem_new(sizeof *examples);
    *result = examples;
    if (examples == NULL) {
        return HS_NO_MEMORY;
    }
    examples->max_id = max_id;
    examples->block_count = max_id / HS_EXAMPLES_BLOCK + 1;
    return HS_OK;
}

void hs_examples_free(hs_examples *examples) {
    if (examples != NULL) {
        hs_examples_clear(examples);
        hs_mem_free(examples, sizeof *examples);
    }
}

static _Atomic(struct block *) *blocks_of(const hs_examples *examples) {
    return atomic_load_explicit(&examples->blocks, memory_order_acquire);
}

static size_t bytes_of_blocks(const hs_examples *examples) {
    return examples->block_count * sizeof(_Atomic(struct block *));
}

static struct place *find(const hs_examples *examples, struct hs_site_id site) {
    _Atomic(struct block *) *blocks = blocks_of(examples);
    if (site.number > examples->max_id || blocks == NULL) {
        return NULL;
    }
    struct block *block =
        atomic_load_explicit(&blocks[site.number / HS_EXAMPLES_BLOCK], memory_order_acquire);
    return block == NULL ? NULL : &block->places[site.number % HS_EXAMPLES_BLOCK];
}

/* The table of blocks, which is made if there is none; NULL without memory. */
static _Atomic(struct block *) *need_blocks(hs_examples *examples) {
    _Atomic(struct block *) *none = NULL;
    _Atomic(struct block *) *blocks = blocks_of(examples);
    if (blocks == NULL) {
        blocks = hs_mem_new(bytes_of_blocks(examples));
        if (blocks != NULL &&
            !atomic_compare_exchange_strong_explicit(&examples->blocks, &none, blocks,
                                                     memory_order_release, memory_order_relaxed)) {
            hs_mem_free(blocks, bytes_of_blocks(examples));
        }
    }
    return blocks_of(examples);
}

/* The place of a site, whose block is made if there is none; NULL without memory, and beyond max_id. */
static struct place *find_or_add(hs_examples *examples, struct hs_site_id site) {
    struct place *place = find(examples, site);
    if (place != NULL || site.number > examples->max_id) {
        return place;
    }
    struct block *none = NULL;
    _Atomic(struct block *) *blocks = need_blocks(examples);
    struct block *block = blocks == NULL ? NULL : hs_mem_new(sizeof *block);
    if (block != NULL && !atomic_compare_exchange_strong_explicit(
                             &blocks[site.number / HS_EXAMPLES_BLOCK], &none, block,
                             memory_order_release, memory_order_relaxed)) {
        hs_mem_free(block, sizeof *block);
    }
    return find(examples, site);
}

/* Returns whether the state was this one and not claimed; then it is ours until release. */
static bool claim(struct place *place, uint64_t state) {
    return (state & CLAIMED) == 0 &&
           atomic_compare_exchange_strong_explicit(&place->state, &state, state | CLAIMED,
                                                   memory_order_acquire, memory_order_relaxed);
}

static void release(struct place *place, uint64_t state) {
    atomic_store_explicit(&place->state, state, memory_order_release);
}

static void load_span(struct place *place, uint32_t index, uint64_t words[WORDS]) {
    for (uint32_t i = 0; i < WORDS; i++) {
        words[i] = atomic_load_explicit(&place->words[index][i], memory_order_acquire);
    }
}

static bool has_trace(struct place *place, uint32_t count, const uint64_t words[WORDS]) {
    for (uint32_t i = 0; i < count; i++) {
        uint64_t there[WORDS];
        load_span(place, i, there);
        if (there[0] == words[0] && there[1] == words[1]) {
            return true;
        }
    }
    return false;
}

/* `replaces`: the oldest, where there is no room. */
static void add(struct place *place, const struct hs_example *span, bool replaces) {
    uint64_t words[WORDS];
    memcpy(words, span, sizeof words);
    uint64_t state = atomic_load_explicit(&place->state, memory_order_acquire);
    uint32_t count = count_of(state);
    bool has_room = count < HS_EXAMPLES;
    /* A look before the claim: mostly the trace is there, and then no line of memory is written. */
    if ((!has_room && !replaces) || has_trace(place, count, words) || !claim(place, state)) {
        return;
    }
    uint32_t oldest = oldest_of(state);
    uint32_t index = has_room ? count : oldest;
    for (uint32_t i = 0; i < WORDS; i++) {
        atomic_store_explicit(&place->words[index][i], words[i], memory_order_release);
    }
    uint32_t next = has_room ? oldest : (oldest + 1) % HS_EXAMPLES;
    release(place, next_state(state, has_room ? count + 1 : count, next));
}

void hs_examples_add(hs_examples *examples, struct hs_site_id site, const struct hs_example *span) {
    struct place *place = find_or_add(examples, site);
    if (place != NULL) {
        add(place, span, true);
    }
}

static uint32_t copy(struct place *place, uint64_t state, struct hs_example *result) {
    uint32_t count = count_of(state);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t words[WORDS];
        load_span(place, (oldest_of(state) + i) % HS_EXAMPLES, words);
        memcpy(&result[i], words, sizeof words);
    }
    return count;
}

uint32_t hs_examples_read(const hs_examples *examples, struct hs_site_id site,
                          struct hs_example result[HS_EXAMPLES]) {
    enum { TRIES = 8 };
    struct place *place = find(examples, site);
    for (int i = 0; i < TRIES && place != NULL; i++) {
        uint64_t state = atomic_load_explicit(&place->state, memory_order_acquire);
        uint32_t count = (state & CLAIMED) != 0 ? 0 : copy(place, state, result);
        bool is_same = atomic_load_explicit(&place->state, memory_order_acquire) == state;
        if ((state & CLAIMED) == 0 && is_same) {
            return count;
        }
    }
    return 0;
}

bool hs_examples_has_any(const hs_examples *examples) {
    return blocks_of(examples) != NULL;
}

void hs_examples_move(hs_examples *from, struct hs_site_id site, hs_examples *to,
                      struct hs_site_id to_site) {
    struct hs_example spans[HS_EXAMPLES];
    struct place *old = find(from, site);
    uint64_t state = old == NULL ? 0 : atomic_load_explicit(&old->state, memory_order_acquire);
    if (count_of(state) == 0 || !claim(old, state)) {
        return; /* a callback is adding: the next pass moves them */
    }
    uint32_t count = copy(old, state, spans);
    release(old, next_state(state, 0, 0));
    struct place *place = find_or_add(to, to_site);
    if (place == NULL) {
        return;
    }
    uint32_t room =
        HS_EXAMPLES - count_of(atomic_load_explicit(&place->state, memory_order_relaxed));
    for (uint32_t i = count > room ? count - room : 0; i < count; i++) {
        add(place, &spans[i], false);
    }
}

void hs_examples_clear(hs_examples *examples) {
    _Atomic(struct block *) *blocks =
        atomic_exchange_explicit(&examples->blocks, NULL, memory_order_relaxed);
    for (uint32_t i = 0; blocks != NULL && i < examples->block_count; i++) {
        hs_mem_free(atomic_load_explicit(&blocks[i], memory_order_relaxed), sizeof(struct block));
    }
    hs_mem_free(blocks, bytes_of_blocks(examples));
}

#ifdef HS_CHECKS
bool hs_examples_is_valid(const hs_examples *examples) {
    for (uint32_t i = 0; i < examples->block_count * HS_EXAMPLES_BLOCK; i++) {
        struct place *place = find(examples, (struct hs_site_id){i});
        uint64_t state =
            place == NULL ? 0 : atomic_load_explicit(&place->state, memory_order_acquire);
        bool is_full = count_of(state) == HS_EXAMPLES;
        if ((state & CLAIMED) != 0 || oldest_of(state) >= HS_EXAMPLES ||
            (!is_full && oldest_of(state) != 0)) {
            return false;
        }
    }
    return true;
}
#endif
