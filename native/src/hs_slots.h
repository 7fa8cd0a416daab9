/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Slots: the places of the live table. A fixed number, each owned by one thread at a time.
 *
 * A slot is FREE, BUSY (one thread fills or looks at it) or FULL. The thread that turns FULL into BUSY by
 * compare-and-swap owns the fields until it stores the next state. A callback that meets BUSY goes elsewhere;
 * the sweeper and readers wait, since a callback holds a slot only for a few stores, and a probe where there are listeners.
 *
 * Orders: a slot is handed on in two ways. By its state: left with release, entered with an acquiring
 * compare-and-swap. By the list of free slots: pushed with release, popped with acquire; every change of its
 * head is a compare-and-swap, so a pop synchronises with all earlier pushes, not only with the last (a release
 * sequence). A popper's BUSY and the links are relaxed: no thread reads fields on the strength of them, and a stale
 * link fails with its tag. Counts are relaxed: each is correct by itself. Checked in all interleavings by
 * tests/model/live.pml. */
#ifndef HS_SLOTS_H
#define HS_SLOTS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "hs_check.h"
#include "hs_ops.h"
#include "hs_sample.h"
#include "hs_status.h"

/* What an entry has beside its sample; in a slot's state. */
struct hs_slot_meta {
    uint8_t level;  /* the highest it has lived under */
    uint8_t extra;  /* levels that its size took beside (hs_garbage_extra) */
    uint8_t charge; /* for what it may hold (hs_garbage_charge) */
    bool is_full;   /* false: there is no entry */
};

struct hs_slot {
    hs_ref ref;
    uint64_t recordings;
    int64_t allocated_us;
    uint32_t size_words; /* in units of 8 bytes, the smallest object alignment */
    struct hs_sample_site site;
    struct hs_sample_thread thread;
    uint32_t drawn;
    struct hs_birth birth;
    uint32_t random; /* without the bits that `extra` has used */
    /* FREE, BUSY or FULL, and in the next bytes level, extra and charge. Release when leaving BUSY, acquire
     * when entering. */
    _Atomic uint32_t state;
    _Atomic uint32_t next; /* next free slot; relaxed, guarded by the tag of `free_list` */
};
_Static_assert(sizeof(struct hs_slot) == 64, "a tracked sample costs 64 bytes");

/* Each sample reads the first half, and each one that is tracked writes the second: they lie on two lines, where the
 * owner places them so. */
struct hs_slots {
    uint32_t capacity;     /* fixed at birth */
    struct hs_slot *slots; /* fixed at birth; each begins at a line */
    uint64_t unused;
    /* Head of the free slots: tag << 32 | index. Acquire on pop, release on push: the slot's last
     * owner is done with it. The tag changes with every push and pop, so a stale head fails. */
    _Atomic uint64_t free_list;
    _Atomic uint32_t next_fresh; /* slots never used so far start here; relaxed ticket */
    _Atomic uint32_t count;      /* FULL slots; relaxed */
};

/* Makes `capacity` free slots, which may be 0. Owns: the caller calls hs_slots_destroy. Fails: HS_NO_MEMORY. */
enum hs_status hs_slots_init(struct hs_slots *slots, uint32_t capacity);
void hs_slots_destroy(struct hs_slots *slots);

/* Brings the slot near that hs_slots_take will answer. Thread: Callback. */
void hs_slots_prefetch(const struct hs_slots *slots);

/* A free slot, BUSY from now on and counted; NULL when there is none. Thread: Callback; lock-free. */
struct hs_slot *hs_slots_take(struct hs_slots *slots);

/* Makes a BUSY slot free; its reference is no longer the slot's. Thread: its owner; lock-free. */
void hs_slots_give_back(struct hs_slots *slots, struct hs_slot *slot);

/* FULL to BUSY, if the slot is FULL at this moment. Thread: Callback; lock-free. */
struct hs_slot_meta hs_slot_try_claim(struct hs_slot *slot);

/* The same, but waits for a callback that is at the slot. Thread: holder of HS_RANK_SWEEP. */
struct hs_slot_meta hs_slot_claim(struct hs_slot *slot);

/* BUSY to FULL. Thread: its owner. */
void hs_slot_set_full(struct hs_slot *slot, struct hs_slot_meta meta);

/* Slots from this one on were never used. Thread: Any. */
uint32_t hs_slots_used(const struct hs_slots *slots);

#ifdef HS_CHECKS
/* What a slot has; no other thread may be at it. */
struct hs_slot_meta hs_slot_look(const struct hs_slot *slot);

/* Is each used slot either full and counted, with a reference, or free and once on the list, without one?
 * Thread: with no other thread at the slots. */
bool hs_slots_is_valid(const struct hs_slots *slots);
#endif

#endif
