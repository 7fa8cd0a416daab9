/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_epochs.h"

#include <string.h>

/* Frees young objects only in pauses, and every collection begins with a pause? */
static bool is_pausing(const struct hs_epochs *epochs) {
    return epochs->collector == HS_SERIAL || epochs->collector == HS_PARALLEL ||
           epochs->collector == HS_G1;
}

/* Is every pause a collection? (G1 also pauses to remark and to clean up.) */
static bool counts_pauses(const struct hs_epochs *epochs) {
    return epochs->collector == HS_SERIAL || epochs->collector == HS_PARALLEL;
}

void hs_epochs_init(struct hs_epochs *epochs, enum hs_collector collector,
                    uint64_t born_old_bytes) {
    memset(epochs, 0, sizeof *epochs);
    epochs->collector = collector;
    epochs->born_old_bytes = born_old_bytes;
}

static uint32_t pauses_of(struct hs_epochs *epochs) {
    return atomic_load_explicit(&epochs->pauses, memory_order_relaxed);
}

uint32_t hs_epochs_collections(struct hs_epochs *epochs) {
    return counts_pauses(epochs) ? pauses_of(epochs)
                                 : atomic_load_explicit(&epochs->collections, memory_order_relaxed);
}

static uint32_t canary_pause_of(const struct hs_epochs *epochs) {
    return atomic_load_explicit(&epochs->canary_pause, memory_order_acquire);
}

/* Once a pause has begun, the end of the canary may be due to a collection that an object born now
 * never met, or met as one that must live: it counts from the next one. */
struct hs_birth hs_epochs_now(struct hs_epochs *epochs) {
    uint32_t pause = pauses_of(epochs);
    bool is_behind = !counts_pauses(epochs) && pause != canary_pause_of(epochs);
    return (struct hs_birth){
        .epoch = atomic_load_explicit(&epochs->epoch, memory_order_seq_cst),
        .pause = pause,
        .collections = hs_epochs_collections(epochs) + (is_behind ? 1 : 0),
    };
}

/* The order matters: first the number, then the pause count, then the object; see the header. */
static void set_canary(struct hs_epochs *epochs, const struct hs_ops *ops, void *env) {
    atomic_fetch_add_explicit(&epochs->epoch, 1, memory_order_seq_cst);
    atomic_store_explicit(&epochs->canary_pause, pauses_of(epochs), memory_order_release);
    epochs->canary = ops->new_garbage(env);
    if (epochs->canary != 0) {
        epochs->failed_with = 0;
    }
}

/* The canary is gone: everything older than it has been inspected. Serial and Parallel announce no pause for
 * the collection of a class histogram or a heap dump, and then the pause count does not say what is older than
 * that collection. */
static void confirm(struct hs_epochs *epochs) {
    uint32_t canary_pause = canary_pause_of(epochs);
    epochs->confirmed_epoch = atomic_load_explicit(&epochs->epoch, memory_order_relaxed);
    if (is_pausing(epochs) && pauses_of(epochs) != canary_pause) {
        epochs->confirmed_pause = canary_pause + 1;
    }
}

static void count(struct hs_epochs *epochs, bool canary_died) {
    if (counts_pauses(epochs)) {
        atomic_store_explicit(&epochs->collections, pauses_of(epochs), memory_order_relaxed);
    } else if (canary_died) {
        atomic_fetch_add_explicit(&epochs->collections, 1, memory_order_relaxed);
    }
}

static bool look(struct hs_epochs *epochs, const struct hs_ops *ops, void *env) {
    bool died = epochs->canary != 0 && ops->is_cleared(env, epochs->canary);
    if (died) {
        confirm(epochs);
        hs_epochs_release(epochs, ops, env);
    }
    count(epochs, died);
    return died;
}

/* Does the canary lie in the old generation? A collection of the young one would have freed it. The first
 * pause does not count: it may have come before the canary was there. */
static bool is_born_old(struct hs_epochs *epochs) {
    return counts_pauses(epochs) && pauses_of(epochs) - canary_pause_of(epochs) >= 2;
}

enum { ROOM = HS_WHOLE_HEAP / 16, PAUSES_OF_A_FAILURE = 10 };

/* Is there room for a canary beyond doubt? After a failure only once a sixteenth more is unused, or some
 * pauses later: objects of G1 that take whole regions leave room that no other can have. Serial and Parallel
 * keep room for small objects until large ones have failed. */
static bool has_room(struct hs_epochs *epochs, uint32_t unused) {
    bool has_failed = pauses_of(epochs) - epochs->failed_pause < PAUSES_OF_A_FAILURE;
    uint32_t wanted = has_failed ? epochs->failed_with + ROOM : ROOM;
    uint32_t most = HS_WHOLE_HEAP - ROOM;
    return counts_pauses(epochs) || epochs->collector == HS_EPSILON ||
           unused >= (wanted < most ? wanted : most);
}

/* Unused ones are queried before: the objects that left no room may be gone when the VM has refused. */
static void renew_canary(struct hs_epochs *epochs, const struct hs_ops *ops, void *env) {
    uint32_t unused = ops->unused_heap(env);
    if (!has_room(epochs, unused)) {
        return;
    }
    set_canary(epochs, ops, env);
    if (epochs->canary == 0) {
        epochs->failed_with = unused;
        epochs->failed_pause = pauses_of(epochs);
    }
}

void hs_epochs_forget_failure(struct hs_epochs *epochs) {
    epochs->failed_with = 0;
}

bool hs_epochs_has_canary(const struct hs_epochs *epochs) {
    return epochs->canary != 0;
}

bool hs_epochs_advance(struct hs_epochs *epochs, const struct hs_ops *ops, void *env) {
    bool died = look(epochs, ops, env);
    if (is_born_old(epochs)) {
        hs_epochs_release(epochs, ops, env);
    }
    if (epochs->canary == 0) {
        renew_canary(epochs, ops, env);
    }
    return died;
}

uint32_t hs_epochs_before_full(struct hs_epochs *epochs, const struct hs_ops *ops, void *env) {
    (void)look(epochs, ops, env);
    hs_epochs_release(epochs, ops, env);
    set_canary(epochs, ops, env);
    return epochs->canary == 0 ? 0 : atomic_load_explicit(&epochs->epoch, memory_order_relaxed);
}

bool hs_epochs_after_full(struct hs_epochs *epochs, const struct hs_ops *ops, void *env,
                          uint32_t number) {
    (void)hs_epochs_advance(epochs, ops, env);
    bool died = number != 0 && epochs->confirmed_epoch >= number;
    if (died && epochs->confirmed_full_epoch < number) {
        epochs->confirmed_full_epoch = number;
    }
    return died;
}

void hs_epochs_release(struct hs_epochs *epochs, const struct hs_ops *ops, void *env) {
    if (epochs->canary != 0) {
        ops->release(env, epochs->canary);
        epochs->canary = 0;
    }
}

bool hs_epochs_is_confirmed(const struct hs_epochs *epochs, const struct hs_birth *birth,
                            uint64_t size) {
    if (is_pausing(epochs) && epochs->born_old_bytes != 0 && size >= epochs->born_old_bytes) {
        return birth->epoch < epochs->confirmed_full_epoch;
    }
    return birth->epoch < epochs->confirmed_epoch || birth->pause < epochs->confirmed_pause;
}

uint32_t hs_epochs_observed(const struct hs_epochs *epochs) {
    return atomic_load_explicit(&epochs->collections, memory_order_relaxed);
}

uint32_t hs_epochs_survived(uint32_t collections, const struct hs_birth *birth) {
    /* An object may be younger than the last look. */
    int32_t survived = (int32_t)(collections - birth->collections);
    return survived > 0 ? (uint32_t)survived : 0;
}
