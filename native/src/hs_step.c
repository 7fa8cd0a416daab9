/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_step.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>

#include "hs_clock.h"
#include "hs_hash.h"
#include "hs_mem.h"

static pthread_key_t key;
static bool has_key; /* written inside pthread_once */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static _Atomic uint32_t next_stripe;
static _Atomic uint32_t trails; /* now; relaxed */

static void forget(void *value) {
    struct hs_step *step = value;
    if (step->trail != NULL) {
        hs_mem_free(step->trail, sizeof *step->trail);
        atomic_fetch_sub_explicit(&trails, 1, memory_order_relaxed);
    }
    hs_mem_free(step, sizeof *step);
}

static void make_key(void) {
    has_key = pthread_key_create(&key, forget) == 0;
}

struct hs_step *hs_step_known(void) {
    (void)pthread_once(&once, make_key);
    return has_key ? pthread_getspecific(key) : NULL;
}

struct hs_step *hs_step_current(void) {
    struct hs_step *step = hs_step_known();
    if (step != NULL || !has_key) {
        return step;
    }
    step = hs_mem_new(sizeof *step);
    if (step == NULL) {
        return NULL;
    }
    step->interval = HS_VM_DEFAULT_INTERVAL;
    step->stripe = atomic_fetch_add_explicit(&next_stripe, 1, memory_order_relaxed);
    step->random = hs_hash_mix((uint64_t)hs_clock_ns(CLOCK_MONOTONIC) ^ (uintptr_t)step);
    if (pthread_setspecific(key, step) != 0) {
        forget(step);
        return NULL;
    }
    return step;
}

void hs_step_begin(struct hs_step *step, uint32_t generation, uint32_t interval) {
    step->allocated = 0;
    step->reported = 0; /* of another Java thread, where a native thread attaches again */
    step->gap = 0;
    step->interval = interval;
    step->generation = generation;
}

uint32_t hs_step_reach(struct hs_step *step, uint32_t generation, uint32_t interval,
                       bool is_doubtful, bool *is_late) {
    uint32_t drawn = step->interval;
    if (step->generation != generation) {
        step->allocated = 0;
        step->gap = 0;
    }
    *is_late = is_doubtful && step->generation != generation;
    step->interval = interval;
    step->generation = generation;
    step->samples++;
    return drawn;
}

void hs_step_draw_gap(struct hs_step *step, uint64_t mean) {
    uint64_t random = (uint64_t)hs_step_random(step) << 32 | hs_step_random(step);
    double unit = (double)((random >> 11) + 1) * 0x1p-53; /* in (0, 1] */
    /* P(gap > k) = (1 - 1/mean)^k. With a mean of 1 the quotient is 0. Greatest: 37 means. */
    step->gap = 1 + (uint64_t)(log1p(unit - 1.0) / log1p(-1.0 / (double)mean));
}

static struct hs_trail *new_trail(void) {
    struct hs_trail *trail = NULL;
    if (atomic_fetch_add_explicit(&trails, 1, memory_order_relaxed) < HS_MAX_TRAILS) {
        trail = hs_mem_new(sizeof *trail);
    }
    if (trail == NULL) {
        atomic_fetch_sub_explicit(&trails, 1, memory_order_relaxed);
    }
    return trail;
}

struct hs_trail *hs_step_trail(struct hs_step *step) {
    if (step->trail == NULL && step->walks < HS_WALKS_BEFORE_TRAIL) {
        step->walks++;
    } else if (step->trail == NULL) {
        step->trail = new_trail();
    }
    return step->trail;
}

uint32_t hs_step_random(struct hs_step *step) {
    step->random += UINT64_C(0x9E3779B97F4A7C15);
    return (uint32_t)(hs_hash_mix(step->random) >> 32);
}
