/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Held: how much garbage the tracked objects may keep in the heap.
 *
 * Generational ZGC keeps what a weak reference points to, and all that this refers to, until it has
 * collected the old generation. So what was born since is charged with what it may hold, and the live
 * table raises its level before the charges are more than the bound. G1 keeps a humongous object until it
 * has marked the heap: those are charged, from their size on, and thinned by a level of their own. Other
 * collectors hold nothing: their bound is 0, and nothing is charged (doc/live-table.md, section 6).
 *
 * A charge is a power of two, kept as its exponent: it has to fit into a slot's state. */
#ifndef HS_HELD_H
#define HS_HELD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "hs_check.h"

/* What an object is taken to hold, itself included, unless it is larger: 2^14 bytes. A sample that stands
 * for less is charged that: all together cannot hold more than was allocated. */
enum { HS_HELD_EACH = 14 };

/* The charge of what is held in any case, or not at all. */
enum { HS_HELD_NOTHING = 0 };

struct hs_held {
    uint64_t bound;            /* bytes; 0: none. Fixed at birth */
    uint64_t from;             /* smaller objects hold nothing; fixed at birth */
    _Atomic uint64_t charged;  /* sum of the charges, in bytes; relaxed */
    _Atomic bool is_in_force;  /* something has been thinned for it; relaxed */
    _Atomic bool is_sweep_due; /* set with release after the level was raised, taken with acquire */
};

void hs_held_init(struct hs_held *held, uint64_t bound, uint64_t from);

/* Does an object of this size hold anything? Thread: Any. */
static inline bool hs_held_counts(const struct hs_held *held, uint64_t size) {
    return held->bound != 0 && size >= held->from;
}

/* The charge of an object of so many bytes, `drawn` as hs_estimate.h has it, and kept with 2^-thinning.
 * Never more than the bound. Thread: Any. */
uint8_t hs_held_charge(const struct hs_held *held, uint64_t size, uint32_t drawn,
                       uint32_t thinning);

/* Levels by which an object of this size is thinned beyond the others, so that one that is a large part
 * of the bound does not cost all the others their places. 0 to 8. Thread: Any. */
uint8_t hs_held_extra(const struct hs_held *held, uint64_t size);

/* The bytes that a charge stands for. */
static inline uint64_t hs_held_bytes(uint8_t charge) {
    return charge == HS_HELD_NOTHING ? 0 : UINT64_C(1) << charge;
}

/* An entry is charged otherwise, comes (from HS_HELD_NOTHING) or goes (to it). Thread: Any. */
void hs_held_change(struct hs_held *held, uint8_t from, uint8_t to);

/* Is there room for one more charge? Each level that has risen since the last sweep is going to halve
 * what that one left: so n of them make room of n halves of the bound beforehand. Thread: Any. */
bool hs_held_has_room(const struct hs_held *held, uint8_t charge, uint32_t risen);

/* Are the charges so small that twice of them would be half the bound at most? Thread: Any. */
bool hs_held_is_low(const struct hs_held *held, uint64_t charged);

/* Notes that something has been thinned. Thread: Any. */
void hs_held_note(struct hs_held *held);

/* Says that a sweep would let go of something: the level has been raised. Thread: Any. */
void hs_held_ask_for_sweep(struct hs_held *held);

/* Is a sweep due? True once for each time that it becomes so: who is told wakes the sweeper, or sweeps
 * himself, and then looks at the level after this. Thread: Any. */
bool hs_held_take_due(struct hs_held *held);

static inline uint64_t hs_held_charged(const struct hs_held *held) {
    return atomic_load_explicit(&held->charged, memory_order_relaxed);
}

static inline bool hs_held_is_in_force(const struct hs_held *held) {
    return atomic_load_explicit(&held->is_in_force, memory_order_relaxed);
}

#ifdef HS_CHECKS
/* Are the charges those of the entries, which are so many bytes, and none where nothing is held?
 * Thread: with nobody at the entries. */
static inline bool hs_held_is_valid(const struct hs_held *held, uint64_t charged) {
    return hs_held_charged(held) == charged && (held->bound != 0 || charged == 0);
}
#endif

#endif
