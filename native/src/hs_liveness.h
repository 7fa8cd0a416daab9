/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Liveness pass: looks at each tracked object, and records which have died and how long they lived.
 *
 * It has the store and the recordings, since a death changes both. These two change only under HS_RANK_CONTROL
 * *and* HS_RANK_SWEEP, so either lock is enough to read them. Calls here: holder of HS_RANK_SWEEP, or of
 * HS_RANK_CONTROL for those that only read the recordings. */
#ifndef HS_LIVENESS_H
#define HS_LIVENESS_H

#include "hs_epochs.h"
#include "hs_recording.h"
#include "hs_store.h"

struct hs_liveness {
    const struct hs_ops *ops;
    struct hs_store *store;
    struct hs_recording *recordings[HS_MAX_RECORDINGS]; /* place i has bit i */
    struct hs_epochs epochs;
    /* Of the last one. */
    int64_t taken_us;     /* monotonic, when it began */
    uint32_t collections; /* observed by then */
};

/* The bits of all recordings. */
uint64_t hs_liveness_recordings(const struct hs_liveness *liveness);

/* The recording of a handle; NULL when there is none. */
struct hs_recording *hs_liveness_find(const struct hs_liveness *liveness, struct hs_handle handle);

/* Takes one. The store must be there. Samples of its previous one stay there: a caller that reads sites or sums
 * moves them afterwards (hs_rotation.h). */
void hs_liveness_take(struct hs_liveness *liveness, void *env);

/* The VM skips a requested collection while a thread is in a JNI critical section
 * (JDK 17 to 24, not every collector), as class loading is at times. Then it is requested again, so often
 * at most, and for a third of a second at most. */
enum { HS_LIVENESS_TRIES = 24 };

/* Which collection comes before a liveness pass: none, one that it forces, or a full one that the caller has had the
 * VM make, by the number that hs_liveness_expect returned. */
static const struct hs_after HS_AFTER_NONE = {0};
static const struct hs_after HS_AFTER_FORCED = {-1};

/* The caller is about to have the VM make a full collection. Returns its number, above 0, or HS_AFTER_FORCED if
 * the liveness pass has to force one of its own. */
struct hs_after hs_liveness_expect(struct hs_liveness *liveness, void *env);

/* Takes one after a collection, and returns whether that took place. `after`: HS_AFTER_FORCED or a number; the
 * caller knows then that a full collection has begun and ended since. If the canary does not agree, one is
 * forced. */
bool hs_liveness_take_after(struct hs_liveness *liveness, void *env, struct hs_after after);

#endif
