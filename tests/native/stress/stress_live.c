/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Callbacks add far more than the table holds, objects die, a sweeper buries them and a reader looks
 * on. The fake VM aborts when a reference is given back twice or inspected afterwards; one that is
 * never given back shows in the end. And none is left out uncounted: each that was taken is dead, thinned
 * out, shown or hidden, at any moment and each only once. */
#include <sched.h>

#include "crew.h"
#include "hs_clock.h"
#include "unit/live_table.h"

enum {
    ADDERS = 3,
    SAMPLES = 60000,
    SAMPLES_MAX = 600000,
    SWEEPS = 100,
    MOST_US = 1000000,
    CAPACITY = 256
};

static hs_live *live;
static _Atomic int adders_left;
static _Atomic uint64_t sweeps;                           /* those that buried someone */
static pthread_mutex_t sweep = PTHREAD_MUTEX_INITIALIZER; /* HS_RANK_SWEEP */

/* Additions, each counted before and after; those that were refused only after. */
static _Atomic uint64_t begun;
static _Atomic uint64_t taken;
static _Atomic uint64_t refused;
static uint64_t buried; /* guarded by `sweep` */

static void check_visit(void *context, hs_ref ref, const struct hs_sample *sample,
                        uint32_t thinning, uint32_t place) {
    (void)place;
    (void)ref;
    HS_CHECK(is_sample_number(sample));
    HS_CHECK(sample->recordings == 1 && thinning <= 24 + 8); /* the table's levels and its own */
    *(uint64_t *)context += 1;
}

static int64_t latest_us;

/* Enough, and in the company of enough sweeps; the yields are for a machine with few processors. */
static bool goes_on(uint32_t added) {
    if (added >= SAMPLES) {
        sched_yield();
    }
    bool is_late = added % 256 == 0 && hs_clock_monotonic_us() > latest_us;
    return added < SAMPLES || (!is_late && sweeps < SWEEPS && added < SAMPLES_MAX);
}

static void add(int number) {
    struct seeded seeded = {(uint64_t)number + 1};
    for (uint32_t i = 0; goes_on(i); i++) {
        struct hs_sample sample = sample_number(i);
        hs_ref displaced = 77;
        hs_ref ref = fake_ref();
        uint32_t random = seeded_u32(&seeded);
        hs_live_prefetch(live);
        (void)hs_live_wants(live, sample.size, random); /* its answer may be outdated at once */
        begun++;
        enum hs_status status = hs_live_add(live, ref, &sample, random, &displaced);
        HS_CHECK(status == HS_OK || (status == HS_FULL && displaced == 0));
        *(status == HS_OK ? &taken : &refused) += 1;
        HS_CHECK(hs_live_count(live) <= hs_live_capacity(live));
        if (status != HS_OK) {
            fake_release(FAKE_ENV, ref);
        } else if (displaced != 0) {
            fake_release(FAKE_ENV, displaced);
        }
        if (i % 4 != 0) {
            fake_clear(ref); /* dead, whether it is still in the table or not */
        }
    }
    adders_left--;
}

static void sweep_on(int number) {
    (void)number;
    while (adders_left > 0) {
        pthread_mutex_lock(&sweep);
        uint64_t before = buried;
        hs_live_sweep(live, &LOOK, &FAKE_OPS, FAKE_ENV, check_visit, &buried);
        bool has_buried = buried > before;
        pthread_mutex_unlock(&sweep);
        sweeps += has_buried;
    }
}

/* One reading. What is displaced meanwhile may be found before and be thinned out after it, or the other
 * way round; so each bound takes the counters from the side where that cannot break it. */
static void read_at(uint32_t level) {
    uint64_t shown = 0;
    uint64_t taken_before = taken;
    uint64_t refused_before = refused;
    uint64_t thinned_before = hs_live_thinned(live, 1);
    uint64_t hidden = hs_live_each(live, level, 1, check_visit, &shown);
    HS_CHECK(shown + hidden <= hs_live_capacity(live));
    HS_CHECK(level > 0 || hidden == 0);
    HS_CHECK(taken_before <= buried + hs_live_thinned(live, 1) + shown + hidden);
    HS_CHECK(buried + thinned_before + shown + hidden <= begun - refused_before);
}

static void read_on(int number) {
    uint32_t higher = 0;
    uint64_t others = 0;
    (void)number;
    while (adders_left > 0) {
        pthread_mutex_lock(&sweep);
        read_at(hs_live_levels(live) + higher++ % 3);
        read_at(0);
        HS_CHECK(hs_live_each(live, 1, 2, check_visit, &others) == 0 && others == 0);
        hs_live_forget(live, 2);
        pthread_mutex_unlock(&sweep);
    }
}

static void run_from(uint32_t capacity, uint64_t garbage_bytes, uint64_t garbage_from) {
    crew_work *const works[] = {add, add, add, sweep_on, read_on};
    live = live_new_bounded_from(capacity, garbage_bytes, garbage_from);
    adders_left = ADDERS;
    sweeps = 0;
    begun = 0;
    taken = 0;
    refused = 0;
    buried = 0;
    latest_us = hs_clock_monotonic_us() + MOST_US;
    crew_each(ADDERS + 2, works);
    cr_assert_eq(hs_live_count(live), fake_outstanding());
    for (uint32_t level = 0; level < 25; level++) {
        uint64_t shown = 0;
        uint64_t hidden = hs_live_each(live, level, 1, check_visit, &shown);
        cr_assert_eq(shown + hidden, hs_live_count(live), "what is counted is there");
        cr_assert_eq(buried + hs_live_thinned(live, 1) + shown + hidden, taken);
    }
    hs_live_clear(live, &FAKE_OPS, FAKE_ENV);
    cr_assert_eq(hs_garbage_charged(hs_live_garbage(live)), 0,
                 "no charge is lost or given back twice");
    live_finish(live);
}

static void run(uint32_t capacity, uint64_t garbage_bytes) {
    run_from(capacity, garbage_bytes, 0);
}

Test(stress_live, no_reference_is_lost_or_given_back_twice) {
    run(CAPACITY, 0);
}

/* All threads are at the same few places. */
Test(stress_live, a_small_table_under_a_crowd) {
    run(3, 0);
}

/* The bound makes the level rise where places are left, and charges grow while callbacks add. */
Test(stress_live, what_is_held_is_counted_right) {
    run(CAPACITY, CAPACITY * UINT64_C(400));
    run(CAPACITY, 1 << 30);
}

/* Two levels rise and fall in one word, by callbacks and the sweeper. */
Test(stress_live, large_ones_have_a_level_of_their_own) {
    run_from(CAPACITY, 40 * UINT64_C(65536), 16384);
}

enum { ROUNDS = 1500, RACERS = 3, PLACES = 6 };

static hs_live *tables[ROUNDS];

/* Fresh tables, the first entries of which all want at the same time; each is full in the end. */
static void race(int number) {
    (void)number;
    for (int round = 0; round < ROUNDS; round++) {
        crew_meet();
        for (uint32_t i = 0; i < PLACES / RACERS; i++) {
            struct hs_sample sample = sample_number(i);
            hs_ref displaced;
            hs_ref ref = fake_ref();
            HS_CHECK(hs_live_add(tables[round], ref, &sample, 0, &displaced) == HS_OK);
            HS_CHECK(displaced == 0);
        }
    }
}

Test(stress_live, a_race_for_a_place_has_one_winner) {
    fake_reset();
    for (int round = 0; round < ROUNDS; round++) {
        cr_assert_eq(hs_live_new(PLACES, 0, 0, &tables[round]), HS_OK);
    }
    crew_all(RACERS, race);
    cr_assert_eq(fake_outstanding(), ROUNDS * PLACES);
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t count = 0;
        cr_assert_eq(hs_live_each(tables[round], 0, 1, check_visit, &count), 0);
        cr_assert_eq(count, PLACES);
        cr_assert(hs_live_is_valid(tables[round]));
        hs_live_clear(tables[round], &FAKE_OPS, FAKE_ENV);
        hs_live_free(tables[round]);
    }
    cr_assert_eq(fake_outstanding(), 0);
}
