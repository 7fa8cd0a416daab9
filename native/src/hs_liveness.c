/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_liveness.h"

#include "hs_clock.h"

struct pass {
    struct hs_liveness *liveness;
    int64_t now_us;
};

uint64_t hs_liveness_recordings(const struct hs_liveness *liveness) {
    uint64_t bits = 0;
    for (int i = 0; i < HS_MAX_RECORDINGS; i++) {
        bits |= liveness->recordings[i] == NULL ? 0 : liveness->recordings[i]->bit;
    }
    return bits;
}

struct hs_recording *hs_liveness_find(const struct hs_liveness *liveness, struct hs_handle handle) {
    for (int i = 0; i < HS_MAX_RECORDINGS; i++) {
        if (liveness->recordings[i] != NULL &&
            liveness->recordings[i]->handle.number == handle.number) {
            return liveness->recordings[i];
        }
    }
    return NULL;
}

static void record_death(struct hs_recording *recording, const struct hs_dead *dead) {
    const struct hs_sample *sample = &dead->sample;
    struct hs_weight weight = hs_estimate_weigh(sample->size, sample->drawn, dead->thinning);
    int64_t middle = dead->seen_alive_us + (dead->found_dead_us - dead->seen_alive_us) / 2;
    recording->deaths++;
    struct hs_site_sums sites = recording->sums[hs_generation_of(sample->site.bits)].sites;
    struct hs_site_id site = {hs_number_of(sample->site.bits)};
    if (hs_site_sums_add_death(sites, site, middle - sample->allocated_us, dead->collections,
                               weight.objects) != HS_OK) {
        hs_recording_drop(recording, HS_DROP_NATIVE_MEMORY);
    }
}

static void found_dead(void *context, hs_ref ref, const struct hs_sample *sample, uint32_t thinning,
                       uint32_t place) {
    (void)ref;
    (void)place;
    struct pass *pass = context;
    struct hs_liveness *liveness = pass->liveness;
    bool was_seen = sample->allocated_us < liveness->taken_us;
    struct hs_dead dead = {
        .sample = *sample,
        .seen_alive_us = was_seen ? liveness->taken_us : sample->allocated_us,
        .found_dead_us = sample->allocated_us > pass->now_us ? sample->allocated_us : pass->now_us,
        .thinning = thinning,
        /* Several collections since the last liveness pass: any may have been its end. The first one is, of
         * most objects, so it counts as having survived what it was seen to survive, and no more. */
        .collections = hs_epochs_survived(liveness->collections, &sample->birth),
    };
    uint64_t forgotten;
    hs_dead_ring_add(liveness->store->dead_ring, &dead, &forgotten);
    for (int i = 0; i < HS_MAX_RECORDINGS; i++) {
        struct hs_recording *recording = liveness->recordings[i];
        if (recording != NULL && (recording->bit & sample->recordings) != 0) {
            record_death(recording, &dead);
        }
        if (recording != NULL && (recording->bit & forgotten) != 0) {
            hs_recording_drop(recording, HS_DROP_DEAD_FORGOTTEN);
        }
    }
}

/* Under G1 nothing shows that a humongous object has lived through a marking, and it is kept until one. */
static uint32_t settled_epoch(const struct hs_epochs *epochs) {
    return epochs->collector == HS_G1 ? 0 : epochs->confirmed_epoch;
}

static void look_at_all(struct hs_liveness *liveness, bool saw_collection, void *env) {
    struct hs_live_look look = {.recordings = hs_liveness_recordings(liveness),
                                .settled_epoch = settled_epoch(&liveness->epochs),
                                .saw_collection = saw_collection};
    struct pass pass = {.liveness = liveness, .now_us = hs_clock_monotonic_us()};
    hs_live_sweep(liveness->store->live, &look, liveness->ops, env, found_dead, &pass);
    liveness->taken_us = pass.now_us;
    liveness->collections = hs_epochs_observed(&liveness->epochs);
}

void hs_liveness_take(struct hs_liveness *liveness, void *env) {
    bool saw_collection = hs_epochs_advance(&liveness->epochs, liveness->ops, env);
    look_at_all(liveness, saw_collection, env);
}

/* A canary of its own for each try: one that outlived a try may fall to a young collection. */
static bool force(struct hs_liveness *liveness, void *env) {
    uint32_t number = hs_epochs_before_full(&liveness->epochs, liveness->ops, env);
    liveness->ops->force_collection();
    return hs_epochs_after_full(&liveness->epochs, liveness->ops, env, number);
}

/* 1, 2, 4 ms and so on up to 16: the critical sections that were in the way end, and new ones begin. */
static void back_off(int tries) {
    struct timespec pause = {.tv_nsec = 1000000L << (tries > 5 ? 4 : tries - 1)};
    (void)nanosleep(&pause, NULL);
}

static bool force_with_patience(struct hs_liveness *liveness, void *env) {
    int most = liveness->epochs.collector == HS_EPSILON ? 1 : HS_LIVENESS_TRIES;
    bool took_place = force(liveness, env);
    for (int tries = 1; tries < most && !took_place && liveness->epochs.canary != 0; tries++) {
        back_off(tries);
        took_place = force(liveness, env);
    }
    return took_place;
}

struct hs_after hs_liveness_expect(struct hs_liveness *liveness, void *env) {
    uint32_t number = hs_epochs_before_full(&liveness->epochs, liveness->ops, env);
    if (number == 0 || number > INT32_MAX) {
        return HS_AFTER_FORCED;
    }
    return (struct hs_after){(int32_t)number};
}

bool hs_liveness_take_after(struct hs_liveness *liveness, void *env, struct hs_after after) {
    bool took_place = after.number > 0 && hs_epochs_after_full(&liveness->epochs, liveness->ops,
                                                               env, (uint32_t)after.number);
    if (!took_place) {
        took_place = force_with_patience(liveness, env);
    }
    look_at_all(liveness, took_place, env);
    return took_place;
}
