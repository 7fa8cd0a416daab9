/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Lookup: stacks without asking the VM, and the distrust that keeps them honest.
 *
 * A walk is looked up whole; failing that, the runs of its items are put together; failing that, the
 * caller asks the VM, and the answer teaches. No hit is believed until HS_LOOKUP_PROOF hits have agreed with
 * the VM's answer: lookups prove themselves on the first real samples. Then one in HS_LOOKUP_PROBATION_EVERY is
 * compared until HS_LOOKUP_PROBATION have agreed in all, and after that one in HS_LOOKUP_CHECK_EVERY, or in
 * HS_LOOKUP_DECODED_EVERY of those with new runs; and always the first hits of a thread. One that differs from two answers ends all lookups for the life of the process.
 *
 * Switched on once, by a control thread, before the first sample; off by anyone, for good. */
#ifndef HS_LOOKUP_H
#define HS_LOOKUP_H

#include "hs_stack_cache.h"
#include "hs_tally.h"

#define HS_LOOKUP_RENEW_US INT64_C(60000000)

/* What is wrong in every JVM of a kind shows in the first hits; what is rare shows in one of those that are drawn. */
enum { HS_LOOKUP_PROOF = 256, HS_LOOKUP_PROBATION = 512, HS_LOOKUP_PROBATION_EVERY = 8 };

/* The same for names of methods, which are fewer; and how many new ones are compared after that, one in this many. */
enum { HS_LOOKUP_NAMES_PROOF = 64, HS_LOOKUP_NAMES_EVERY = 64 };

/* First hits that are compared once the proof is there: of one thread, and of all threads. The process has a
 * bound of its own, since threads that live for a few samples only would otherwise be compared always. */
enum { HS_LOOKUP_FIRST_CHECKS = 16, HS_LOOKUP_CHECKED_FIRST = 1024 };
enum { HS_LOOKUP_CHECK_EVERY = 1024 };

/* Of hits with a run that was decoded in this sample, which no answer of the VM has shown yet, one in this many is. */
enum { HS_LOOKUP_DECODED_EVERY = 16 };

enum hs_lookup_count {
    HS_LOOKUP_KNOWN,      /* the whole walk was known */
    HS_LOOKUP_COMPOSED,   /* every item was known */
    HS_LOOKUP_ASKED,      /* some were not */
    HS_LOOKUP_UNWALKABLE, /* there was no walk */
    HS_LOOKUP_VERIFIED,   /* hits that agreed with the VM */
    HS_LOOKUP_MISMATCHES, /* hits that did not, two times in a row, and names */
    HS_LOOKUP_COUNTS
};

/* A count of the lookup's owner in the line that nearly each sample writes: the samples (hs_intake_seen). */
enum { HS_LOOKUP_OWNERS_COUNT = HS_LOOKUP_COUNTS };
_Static_assert((int)HS_LOOKUP_OWNERS_COUNT < (int)HS_TALLY_COUNTS, "it has room");

/* What a thread needs to learn. */
struct hs_lookup_scratch {
    struct hs_align align;
    struct hs_align_item items[HS_ALIGN_MAX];
    struct hs_java_frame frames[HS_ALIGN_MAX];
    uintptr_t methods[HS_ALIGN_MAX];
    struct hs_span spans[HS_ALIGN_MAX];
    struct hs_walk_items walk;
};

/* Learning takes place in a room, one thread at a time. Others do not wait for one that is taken: they take another,
 * or do not learn from this sample. A thread that is suspended inside, or does not come back, costs its own room. */
enum { HS_LOOKUP_ROOMS = 4, HS_LOOKUP_STUCK_US = 10000000 };

struct hs_lookup_room {
    /* When its thread has entered (monotonic, never 0); 0: free. Entering acquires what the thread before released. */
    _Alignas(64) _Atomic int64_t entered_us;
    struct hs_lookup_scratch *scratch; /* of the thread inside; made by hs_lookup_on; may be NULL */
};

struct hs_lookup {
    _Atomic bool is_on;            /* release when set, acquire when read */
    _Atomic(const char *) reason;  /* why it is off; release, acquire; a constant */
    _Atomic bool has_layout;       /* it was read, for walks or not; release, acquire */
    _Atomic uint32_t agreed_names; /* names that were read and agreed with the VM's; relaxed */
    _Atomic uint32_t names_era;    /* 1 once some did not; release, acquire */
    _Atomic uintptr_t env_offset;  /* of the JNIEnv in its JavaThread; 0: not known yet; relaxed */
    _Alignas(64) struct hs_tally counts; /* by hs_lookup_count */
    struct hs_lookup_room rooms[HS_LOOKUP_ROOMS];
    /* Apart from what every walk reads. */
    _Alignas(64) _Atomic uint32_t
        checked_first;  /* little beyond HS_LOOKUP_CHECKED_FIRST; relaxed */
    int64_t renewed_us; /* HS_RANK_CONTROL */
    /* Constant once it is on (the layout: once it is there), except for the places that the walker remembers. */
    _Alignas(64) bool verifies_all;
    _Atomic uint32_t agreed; /* hits; constant once there are HS_LOOKUP_PROBATION; relaxed */
    struct hs_layout layout;
    struct hs_walker walker;
};

/* The Java frames of a walk, as far as they are known. */
struct hs_composed {
    uint32_t leaf_count; /* of the first frames; they begin at frames[0] */
    /* Of the last frames; they end at frames[HS_ALIGN_MAX]. 0 if all are known. */
    uint32_t root_count;
    /* If all are known: the frame that each item begins at; HS_BEGIN_UNKNOWN behind the last one wanted. */
    uint32_t begins[HS_WALK_MAX_ITEMS];
    struct hs_java_frame frames[HS_ALIGN_MAX];
};

/* Off, because it was never switched on. */
void hs_lookup_init(struct hs_lookup *lookup);

/* Frees the rooms. Thread: with no callback inside or to come. */
void hs_lookup_destroy(struct hs_lookup *lookup);

/* Switches it on, and makes the rooms; with little memory only some, but the first one always. lookup->layout must
 * have been read. Thread: Control. Fails: HS_NO_MEMORY, HS_UNSUPPORTED; it is off then, with a reason. */
enum hs_status hs_lookup_on(struct hs_lookup *lookup, uintptr_t continuation_root,
                            bool verifies_all);

/* Switches it off for good; the first reason stays. Thread: Any. */
void hs_lookup_off(struct hs_lookup *lookup, const char *reason);

bool hs_lookup_is_on(const struct hs_lookup *lookup);

/* Can what the VM counts ahead in buffers be read (hs_hotspot_refill)? Thread: Any. */
bool hs_lookup_knows_buffers(const struct hs_lookup *lookup);

/* How the VM describes methods, for hs_version.h; NULL where it does not say. Thread: Any. */
const struct hs_layout *hs_lookup_methods(const struct hs_lookup *lookup);

/* The same for hs_version_read_names; NULL also while lookups are off. *is_proved: the names of HS_LOOKUP_NAMES_PROOF
 * methods agreed with the VM's, so they need not be requested. Thread: Any. */
const struct hs_layout *hs_lookup_names(const struct hs_lookup *lookup, bool *is_proved);

/* Records whether the names of a method, or its class, that were read equal the VM's answer. A difference is a
 * mismatch, and ends all lookups and the era of names. Thread: Callback. */
void hs_lookup_compare_names(struct hs_lookup *lookup, uint32_t stripe, bool are_same);

/* What was named in another era may have wrong names. A thread loads the era before it reads any name. Thread: Any. */
static inline uint32_t hs_lookup_names_era(const struct hs_lookup *lookup) {
    return atomic_load_explicit(&lookup->names_era, memory_order_acquire);
}

/* Are the names of this method, which is new, compared although names are proved? Of one method in
 * HS_LOOKUP_NAMES_EVERY. `random`: of the sample. */
static inline bool hs_lookup_compares_names_of(uintptr_t method, uint32_t random) {
    uint32_t mixed = (uint32_t)(method >> 3) * UINT32_C(2654435761) ^ random;
    return (mixed >> 16) % HS_LOOKUP_NAMES_EVERY == 0;
}

void hs_lookup_count(struct hs_lookup *lookup, uint32_t stripe, enum hs_lookup_count what);
uint64_t hs_lookup_counted(const struct hs_lookup *lookup, enum hs_lookup_count what);

/* Is this the one in HS_LOOKUP_CHECK_EVERY that is compared with the VM, and with it a name? */
bool hs_lookup_is_drawn(const struct hs_lookup *lookup, uint32_t random);

/* Is this hit, before which the thread had `hits`, to be compared? A thread's first ones count as compared then.
 * `is_decoded`: a run of it was decoded in this sample. */
bool hs_lookup_is_due(struct hs_lookup *lookup, uint32_t hits, bool is_decoded, uint32_t random);

/* A hit was compared, and agreed. */
void hs_lookup_agree(struct hs_lookup *lookup, uint32_t stripe);

/* Puts the first `wanted` (at most HS_ALIGN_MAX) Java frames of a walk together; fewer when it is whole
 * and has no more. Returns how many there are; 0 when something is not known, and then `composed` has
 * what is known before the first unknown item and, of a whole walk, behind the last one. */
uint32_t hs_lookup_compose(const hs_stack_cache *stack_cache, const struct hs_walk_items *items,
                           uint32_t wanted, struct hs_composed *composed);

/* The same once more in one sample, of runs that were put meanwhile. That does not count as a second use of them
 * (hs_stack_cache_keep). */
uint32_t hs_lookup_compose_learned(const hs_stack_cache *stack_cache,
                                   const struct hs_walk_items *items, uint32_t wanted,
                                   struct hs_composed *composed);

/* Is another stack cache needed in the place of this one (NULL: none)? Yes, when it was
 * discarded, and when it is full, but then only once in HS_LOOKUP_RENEW_US, for it still knows much.
 * Thread: Control. */
bool hs_lookup_is_outdated(struct hs_lookup *lookup, const hs_stack_cache *stack_cache,
                           int64_t now_us);

/* Enters a room; NULL when all are taken. Thread: Callback, with lookups on; never waits. */
struct hs_lookup_room *hs_lookup_enter(struct hs_lookup *lookup);
void hs_lookup_leave(struct hs_lookup_room *room);

/* How many rooms have been taken for longer than HS_LOOKUP_STUCK_US? With all of them nothing is learned.
 * Thread: Any. */
uint32_t hs_lookup_stuck_rooms(const struct hs_lookup *lookup, int64_t now_us);

/* Finds out, in a room, which of its frames (the VM's answer, with their methods) each item of its
 * walk stands for; the result is in its spans. `stack_cache` may be NULL. Returns false when they cannot
 * belong together. */
bool hs_lookup_align(struct hs_lookup *lookup, struct hs_lookup_scratch *scratch,
                     const hs_stack_cache *stack_cache, uint32_t frame_count, bool frames_are_cut);

#endif
