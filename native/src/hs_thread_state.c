/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_thread_state.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>

#include "hs_clock.h"
#include "hs_hash.h"
#include "hs_mem.h"

static pthread_key_t key;
/* Written inside pthread_once: release when the key is there, acquire when read, so that a sample need not call it. */
static _Atomic bool has_key;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static _Atomic uint32_t next_stripe;
static _Atomic uint32_t last_walks; /* now; relaxed */

static void forget(void *value) {
    struct hs_thread_state *self = value;
    if (self->last_walk != NULL) {
        hs_mem_free_lines(self->last_walk, sizeof *self->last_walk);
        atomic_fetch_sub_explicit(&last_walks, 1, memory_order_relaxed);
    }
    hs_mem_free(self, sizeof *self);
}

static void make_key(void) {
    atomic_store_explicit(&has_key, pthread_key_create(&key, forget) == 0, memory_order_release);
}

static bool is_key_there(void) {
    return atomic_load_explicit(&has_key, memory_order_acquire);
}

struct hs_thread_state *hs_thread_state_known(void) {
    if (!is_key_there()) {
        (void)pthread_once(&once, make_key);
    }
    return is_key_there() ? pthread_getspecific(key) : NULL;
}

struct hs_thread_state *hs_thread_state_current(void) {
    struct hs_thread_state *self = hs_thread_state_known();
    if (self != NULL || !is_key_there()) {
        return self;
    }
    self = hs_mem_new(sizeof *self);
    if (self == NULL) {
        return NULL;
    }
    self->interval = HS_VM_DEFAULT_INTERVAL;
    self->stripe = atomic_fetch_add_explicit(&next_stripe, 1, memory_order_relaxed);
    self->random = hs_hash_mix((uint64_t)hs_clock_ns(CLOCK_MONOTONIC) ^ (uintptr_t)self);
    if (pthread_setspecific(key, self) != 0) {
        forget(self);
        return NULL;
    }
    return self;
}

void hs_thread_state_begin(struct hs_thread_state *self, uint32_t enable, uint32_t interval) {
    self->allocated = 0;
    self->reported = 0; /* of another Java thread, where a native thread attaches again */
    self->gap = 0;
    self->interval = interval;
    self->enable = enable;
}

uint32_t hs_thread_state_reach(struct hs_thread_state *self, uint32_t enable, uint32_t interval,
                               bool is_doubtful, bool *is_late) {
    uint32_t drawn = self->interval;
    if (self->enable != enable) {
        self->allocated = 0;
        self->gap = 0;
    }
    *is_late = is_doubtful && self->enable != enable;
    self->interval = interval;
    self->enable = enable;
    self->samples++;
    return drawn;
}

void hs_thread_state_draw_gap(struct hs_thread_state *self, uint64_t mean) {
    uint64_t random = (uint64_t)hs_thread_state_random(self) << 32 | hs_thread_state_random(self);
    double unit = (double)((random >> 11) + 1) * 0x1p-53; /* in (0, 1] */
    /* P(gap > k) = (1 - 1/mean)^k. With a mean of 1 the quotient is 0. Maximum: 37 means. */
    self->gap = 1 + (uint64_t)(log1p(unit - 1.0) / log1p(-1.0 / (double)mean));
}

static struct hs_last_walk *new_last_walk(void) {
    struct hs_last_walk *last_walk = NULL;
    if (atomic_fetch_add_explicit(&last_walks, 1, memory_order_relaxed) < HS_MAX_LAST_WALKS) {
        last_walk = hs_mem_new_lines(sizeof *last_walk);
    }
    if (last_walk == NULL) {
        atomic_fetch_sub_explicit(&last_walks, 1, memory_order_relaxed);
    }
    return last_walk;
}

struct hs_last_walk *hs_thread_state_last_walk(struct hs_thread_state *self) {
    if (self->last_walk == NULL && self->walks < HS_WALKS_BEFORE_MEMORY) {
        self->walks++;
    } else if (self->last_walk == NULL) {
        self->last_walk = new_last_walk();
    }
    return self->last_walk;
}

uint32_t hs_thread_state_random(struct hs_thread_state *self) {
    self->random += UINT64_C(0x9E3779B97F4A7C15);
    return (uint32_t)(hs_hash_mix(self->random) >> 32);
}
