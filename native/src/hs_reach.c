/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_reach.h"

#include "hs_clock.h"
#include "hs_mem.h"

enum { CLASS_SHIFT = 32, KIND_BITS = 2, KIND_MASK = (1 << KIND_BITS) - 1 };

/* Edges from one look at the clock to the next: about 0.1 ms. */
enum { LOOK_EVERY = 1024 };

struct hs_reach {
    struct hs_reach_wish wish;
    int64_t deadline_us; /* of the walks, monotonic */
    uint64_t edges;
    uint32_t capacity;
    uint32_t count;
    uint32_t base; /* tags up to here belong to those that are forgotten */
    uint32_t open; /* marked, and not found yet */
    bool follows_soft;
    bool is_cut; /* by the budget */
    uint8_t states[];
};

static size_t bytes_for(uint32_t capacity) {
    return sizeof(struct hs_reach) + capacity;
}

enum hs_status hs_reach_new(const struct hs_reach_wish *wish, uint32_t capacity,
                            struct hs_reach **result) {
    struct hs_reach *reach = hs_mem_new(bytes_for(capacity));
    if (reach == NULL) {
        return HS_NO_MEMORY;
    }
    reach->wish = *wish;
    reach->capacity = capacity;
    *result = reach;
    return HS_OK;
}

void hs_reach_free(struct hs_reach *reach) {
    if (reach != NULL) {
        hs_mem_free(reach, bytes_for(reach->capacity));
    }
}

void hs_reach_restart(struct hs_reach *reach) {
    reach->base += reach->count;
    reach->count = 0;
    reach->open = 0;
}

/* While a walk has yet to show it, the state of a marked object is HS_REACH_NONE. */
void hs_reach_ask(struct hs_reach *reach, hs_ref ref) {
    if (reach->count == reach->capacity || reach->base > INT32_MAX) {
        return;
    }
    uint32_t asked = reach->count++;
    const struct hs_reach_vm *vm = &reach->wish.vm;
    enum hs_status status = vm->mark(vm->context, ref, reach->base + asked + 1);
    reach->states[asked] = HS_REACH_UNKNOWN;
    if (status == HS_OK) {
        reach->states[asked] = HS_REACH_NONE;
        reach->open++;
    } else if (status == HS_CLOSED) {
        reach->states[asked] = HS_REACH_GONE;
    }
}

/* Returns whether it came to an end by itself, or because all are found. */
static bool walk(struct hs_reach *reach, bool follows_soft) {
    reach->follows_soft = follows_soft;
    const struct hs_reach_vm *vm = &reach->wish.vm;
    return vm->walk(vm->context, reach) == HS_OK && !reach->is_cut;
}

static void give_up(struct hs_reach *reach) {
    for (uint32_t i = 0; i < reach->count; i++) {
        if (reach->states[i] == HS_REACH_NONE) {
            reach->states[i] = HS_REACH_UNKNOWN;
        }
    }
}

void hs_reach_find(struct hs_reach *reach) {
    reach->deadline_us = hs_clock_monotonic_us() + reach->wish.budget_us;
    reach->is_cut = false;
    bool is_whole = reach->open == 0 || walk(reach, false);
    is_whole = is_whole && (reach->open == 0 || walk(reach, true));
    if (!is_whole) {
        give_up(reach);
    }
}

uint32_t hs_reach_count(const struct hs_reach *reach) {
    return reach->count;
}

enum hs_reach_state hs_reach_state(const struct hs_reach *reach, uint32_t asked) {
    return asked < reach->count ? (enum hs_reach_state)reach->states[asked] : HS_REACH_UNKNOWN;
}

/* ---- edges ---- */

static bool is_followed(const struct hs_reach *reach, const struct hs_reach_edge *edge) {
    uint32_t referent = (uint32_t)((uint64_t)edge->referrer_class >> CLASS_SHIFT);
    bool is_referent =
        edge->is_field && referent != 0 && referent >> KIND_BITS == (uint32_t)edge->index;
    return !is_referent ||
           (reach->follows_soft && (referent & KIND_MASK) == (uint32_t)HS_REACH_SOFT_CLASS);
}

static void note(struct hs_reach *reach, int64_t tag) {
    uint32_t asked = (uint32_t)((uint64_t)tag & UINT32_MAX);
    if (asked <= reach->base || asked - reach->base > reach->count) {
        return;
    }
    uint8_t *state = &reach->states[asked - reach->base - 1];
    if (*state == HS_REACH_NONE) {
        *state = reach->follows_soft ? HS_REACH_SOFT : HS_REACH_STRONG;
        reach->open--;
    }
}

enum hs_reach_step hs_reach_see(struct hs_reach *reach, const struct hs_reach_edge *edge) {
    if (++reach->edges % LOOK_EVERY == 0 && hs_clock_monotonic_us() >= reach->deadline_us) {
        reach->is_cut = true;
        return HS_REACH_STOP;
    }
    if (!is_followed(reach, edge)) {
        return HS_REACH_PASS_OVER;
    }
    note(reach, edge->referee);
    return reach->open == 0 ? HS_REACH_STOP : HS_REACH_DESCEND;
}

int64_t hs_reach_class_tag(int64_t tag, enum hs_reach_kind kind, uint32_t index) {
    uint64_t referent = (uint64_t)index << KIND_BITS | (uint64_t)kind;
    return (int64_t)(((uint64_t)tag & UINT32_MAX) | referent << CLASS_SHIFT);
}

int64_t hs_reach_object_tag(int64_t tag, uint32_t asked) {
    return (int64_t)(((uint64_t)tag & ~(uint64_t)UINT32_MAX) | asked);
}
