/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Garbage: how much garbage the tracked objects may keep in the heap.
 *
 * Generational ZGC keeps an object to which a weak reference points, and all that the object refers to, until it
 * has collected the old generation. So each object that was born since then is *charged* with the bytes that it
 * may keep, and the live table thins its entries further before the charges exceed the bound. G1 keeps a humongous
 * object until it has marked the heap: from that size on objects are charged, and a level of their own thins them.
 * The other collectors keep nothing: their bound is 0, and nothing is charged (doc/live-table.md, section 6).
 *
 * A charge is a power of two. Its exponent is stored, since it has to fit into a slot's state. */
#ifndef HS_GARBAGE_H
#define HS_GARBAGE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "hs_check.h"

/* What an object is assumed to keep, itself included, unless it is larger: 2^14 bytes. A sample that stands
 * for less is charged with what it stands for: all together cannot keep more than was allocated. */
enum { HS_GARBAGE_EACH = 14 };

/* No charge: the object would be kept anyway, or is not kept at all. */
enum { HS_GARBAGE_NOTHING = 0 };

struct hs_garbage {
    uint64_t bound;            /* bytes; 0: none. Fixed at birth */
    uint64_t from;             /* smaller objects keep nothing; fixed at birth */
    _Atomic uint64_t charged;  /* sum of the charges, in bytes; relaxed */
    _Atomic bool is_in_force;  /* something has been thinned for it; relaxed */
    _Atomic bool is_sweep_due; /* set with release after the level was raised, taken with acquire */
};

void hs_garbage_init(struct hs_garbage *garbage, uint64_t bound, uint64_t from);

/* May tracking an object of this size keep garbage? Thread: Any. */
static inline bool hs_garbage_counts(const struct hs_garbage *garbage, uint64_t size) {
    return garbage->bound != 0 && size >= garbage->from;
}

/* The charge of an object of this many bytes, `drawn` as hs_estimate.h has it, and kept with 2^-thinning.
 * Never more than the bound. Thread: Any. */
uint8_t hs_garbage_charge(const struct hs_garbage *garbage, uint64_t size, uint32_t drawn,
                          uint32_t thinning);

/* Levels by which an object of this size is thinned beyond the others, so that one that is a large part
 * of the bound does not cost all the others their places. 0 to 8. Thread: Any. */
uint8_t hs_garbage_extra(const struct hs_garbage *garbage, uint64_t size);

/* The bytes that a charge stands for. */
static inline uint64_t hs_garbage_bytes(uint8_t charge) {
    return charge == HS_GARBAGE_NOTHING ? 0 : UINT64_C(1) << charge;
}

/* An entry is charged otherwise, comes (from HS_GARBAGE_NOTHING) or goes (to it). Thread: Any. */
void hs_garbage_change(struct hs_garbage *garbage, uint8_t from, uint8_t to);

/* Is there room for one more charge? Each level that has risen since the last sweep is going to halve
 * what that one left: so n of them make room of n halves of the bound beforehand. Thread: Any. */
bool hs_garbage_has_room(const struct hs_garbage *garbage, uint8_t charge, uint32_t risen);

/* Are the charges so small that twice of them would be half the bound at most? Thread: Any. */
bool hs_garbage_is_low(const struct hs_garbage *garbage, uint64_t charged);

/* Notes that something has been thinned. Thread: Any. */
void hs_garbage_note(struct hs_garbage *garbage);

/* The level was raised, so a sweep would free something. Thread: Any. */
void hs_garbage_ask_for_sweep(struct hs_garbage *garbage);

/* Is a sweep due? True once for each time that it becomes due: the caller then wakes the sweeper, or sweeps,
 * and reads the level after this call. Thread: Any. */
bool hs_garbage_take_due(struct hs_garbage *garbage);

static inline uint64_t hs_garbage_charged(const struct hs_garbage *garbage) {
    return atomic_load_explicit(&garbage->charged, memory_order_relaxed);
}

static inline bool hs_garbage_is_in_force(const struct hs_garbage *garbage) {
    return atomic_load_explicit(&garbage->is_in_force, memory_order_relaxed);
}

#ifdef HS_CHECKS
/* Are the charges those of the entries, which are this many bytes, and none where nothing is held?
 * Thread: with no other thread at the entries. */
static inline bool hs_garbage_is_valid(const struct hs_garbage *garbage, uint64_t charged) {
    return hs_garbage_charged(garbage) == charged && (garbage->bound != 0 || charged == 0);
}
#endif

#endif
