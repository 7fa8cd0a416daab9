/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* What the tests of the live table share: samples made from a number, and lists of what was visited. */
#ifndef LIVE_TABLE_H
#define LIVE_TABLE_H

#include <criterion/criterion.h>

#include "fake_ops.h"
#include "hs_live.h"

#define EVERYTHING UINT64_MAX

enum { VISITED_MAX = 1 << 17 };

struct visited {
    uint32_t count;
    struct {
        struct hs_sample sample;
        uint32_t thinning;
    } list[VISITED_MAX];
};

static inline void visit(void *context, hs_ref ref, const struct hs_sample *sample,
                         uint32_t thinning, uint32_t place) {
    (void)place;
    (void)ref;
    struct visited *visited = context;
    cr_assert_lt(visited->count, VISITED_MAX);
    visited->list[visited->count].sample = *sample;
    visited->list[visited->count].thinning = thinning;
    visited->count++;
}

/* The sample with this number as its site; everything else follows from it. */
static inline struct hs_sample sample_number(uint32_t number) {
    return (struct hs_sample){
        .recordings = 1,
        .allocated_us = 1000 + (int64_t)number,
        .size = 16 + (uint64_t)number * 8,
        .site = {number},
        .thread = {number % 7},
        .drawn = 512 + number,
        .birth = {.epoch = number + 1, .pause = number + 2, .collections = number + 3},
    };
}

static inline bool is_sample_number(const struct hs_sample *sample) {
    struct hs_sample wanted = sample_number(sample->site.bits);
    return sample->allocated_us == wanted.allocated_us && sample->size == wanted.size &&
           sample->thread.bits == wanted.thread.bits && sample->drawn == wanted.drawn &&
           sample->birth.epoch == wanted.birth.epoch && sample->birth.pause == wanted.birth.pause &&
           sample->birth.collections == wanted.birth.collections;
}

/* As every collector but generational ZGC has it, and after a collection. */
static const struct hs_live_look LOOK = {.recordings = EVERYTHING, .saw_collection = true};

static inline hs_live *live_new_bounded_from(uint32_t capacity, uint64_t garbage_bytes,
                                             uint64_t garbage_from) {
    hs_live *live;
    fake_reset();
    cr_assert_eq(hs_live_new(capacity, garbage_bytes, garbage_from, &live), HS_OK);
    return live;
}

static inline hs_live *live_new_bounded(uint32_t capacity, uint64_t garbage_bytes) {
    return live_new_bounded_from(capacity, garbage_bytes, 0);
}

static inline hs_live *live_new(uint32_t capacity) {
    return live_new_bounded(capacity, 0);
}

/* Adds sample `number` as a callback would; its reference, or 0 when it was not taken. */
static inline hs_ref live_add(hs_live *live, uint32_t number, uint32_t random) {
    hs_ref ref = fake_ref();
    hs_ref displaced = 77;
    struct hs_sample sample = sample_number(number);
    enum hs_status status = hs_live_add(live, ref, &sample, random, &displaced);
    if (status != HS_OK) {
        cr_assert_eq(status, HS_FULL);
        cr_assert_eq(displaced, 0);
        fake_release(FAKE_ENV, ref);
        return 0;
    }
    if (displaced != 0) {
        cr_assert_neq(displaced, ref);
        fake_release(FAKE_ENV, displaced);
    }
    return ref;
}

static inline void live_sweep(hs_live *live, struct visited *dead) {
    dead->count = 0;
    hs_live_sweep(live, &LOOK, &FAKE_OPS, FAKE_ENV, visit, dead);
    cr_assert_eq(hs_live_count(live), fake_outstanding());
}

static inline void live_read(hs_live *live, uint32_t level, struct visited *visited) {
    visited->count = 0;
    (void)hs_live_each(live, level, EVERYTHING, visit, visited);
}

static inline void live_finish(hs_live *live) {
    cr_assert(hs_live_is_valid(live));
    hs_live_clear(live, &FAKE_OPS, FAKE_ENV);
    cr_assert(hs_live_is_valid(live));
    cr_assert_eq(hs_live_count(live), 0);
    cr_assert_eq(fake_outstanding(), 0, "each reference is given back");
    hs_live_free(live);
}

#endif
