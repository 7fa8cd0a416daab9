/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_garbage.h"

#include "hs_estimate.h"

/* Objects larger than this part of the bound are thinned by levels of their own. Where only large ones
 * are charged no other samples pay for them, so that there it is the bound. */
enum { SHARES = 16, MAX_EXTRA = 8 };

void hs_garbage_init(struct hs_garbage *garbage, uint64_t bound, uint64_t from) {
    garbage->bound = bound;
    garbage->from = from;
    atomic_init(&garbage->charged, 0);
    atomic_init(&garbage->is_in_force, false);
    atomic_init(&garbage->is_sweep_due, false);
}

static uint32_t max(uint32_t a, uint32_t b) {
    return a > b ? a : b;
}

static uint32_t min(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}

/* Of a value above 0. */
static uint32_t log2_down(uint64_t value) {
    return 63 - (uint32_t)__builtin_clzll(value);
}

static uint32_t log2_up(uint64_t value) {
    return value <= 1 ? 0 : log2_down(value - 1) + 1;
}

/* Of the bytes that a sample stands for, unless it is larger itself. */
static uint32_t log2_of_share(uint64_t size, uint32_t drawn) {
    if ((drawn & HS_DRAWN_BY_CHANCE) == 0) {
        return log2_up(drawn);
    }
    double bytes = (double)size / hs_estimate_probability(size, drawn);
    return bytes < 0x1p40 ? log2_up((uint64_t)bytes) : 40;
}

uint8_t hs_garbage_charge(const struct hs_garbage *garbage, uint64_t size, uint32_t drawn,
                          uint32_t thinning) {
    if (!hs_garbage_counts(garbage, size)) {
        return HS_GARBAGE_NOTHING;
    }
    uint32_t own = log2_up(size);
    uint32_t stands_for = max(own, log2_of_share(size, drawn)) + thinning;
    uint32_t charge = max(own, min(HS_GARBAGE_EACH, stands_for));
    return (uint8_t)max(1, min(charge, log2_down(garbage->bound)));
}

uint8_t hs_garbage_extra(const struct hs_garbage *garbage, uint64_t size) {
    if (!hs_garbage_counts(garbage, size)) {
        return 0;
    }
    uint64_t part = garbage->from == 0 ? garbage->bound / SHARES : garbage->bound;
    uint32_t share = max(HS_GARBAGE_EACH, log2_down(part + 1));
    uint32_t own = log2_up(size);
    return own <= share ? 0 : (uint8_t)min(own - share, MAX_EXTRA);
}

void hs_garbage_change(struct hs_garbage *garbage, uint8_t from, uint8_t to) {
    if (from != to) {
        atomic_fetch_add_explicit(&garbage->charged, hs_garbage_bytes(to) - hs_garbage_bytes(from),
                                  memory_order_relaxed);
    }
}

bool hs_garbage_has_room(const struct hs_garbage *garbage, uint8_t charge, uint32_t risen) {
    return garbage->bound == 0 || hs_garbage_charged(garbage) + hs_garbage_bytes(charge) <=
                                      garbage->bound + garbage->bound / 2 * risen;
}

bool hs_garbage_is_low(const struct hs_garbage *garbage, uint64_t charged) {
    return charged <= garbage->bound / 4;
}

void hs_garbage_note(struct hs_garbage *garbage) {
    atomic_store_explicit(&garbage->is_in_force, true, memory_order_relaxed);
}

void hs_garbage_ask_for_sweep(struct hs_garbage *garbage) {
    atomic_store_explicit(&garbage->is_sweep_due, true, memory_order_release);
}

bool hs_garbage_take_due(struct hs_garbage *garbage) {
    return atomic_load_explicit(&garbage->is_sweep_due, memory_order_relaxed) &&
           atomic_exchange_explicit(&garbage->is_sweep_due, false, memory_order_acquire);
}
