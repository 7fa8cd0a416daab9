/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Is the thinned table unbiased? Simulations far above its capacity, with fixed seeds. In each the
 * truth is known, and the error of many runs is compared with its own standard error. */
#include <criterion/criterion.h>
#include <math.h>

#include "live_table.h"
#include "seeded.h"

static struct visited seen;

/* Errors of many runs: their mean must be 0 within `sigmas` of its standard error. */
struct errors {
    double sum;
    double squares;
    int runs;
};

static void note(struct errors *errors, double estimate, double truth) {
    double e = estimate - truth;
    errors->sum += e;
    errors->squares += e * e;
    errors->runs++;
}

static double z_of(const struct errors *errors) {
    return errors->sum / sqrt(errors->squares);
}

static double weight(uint32_t thinning) {
    return ldexp(1.0, (int)thinning);
}

/* Sum of 2^thinning over the entries with a site below `sites`, at the level in force. */
static double count_live(hs_live *live, uint32_t sites) {
    double sum = 0.0;
    live_read(live, hs_live_level(live), &seen);
    for (uint32_t i = 0; i < seen.count; i++) {
        sum += seen.list[i].sample.site.bits < sites ? weight(seen.list[i].thinning) : 0.0;
    }
    return sum;
}

/* n = 5,000 immortal samples a run into 128 places, 400 runs, seed 11. The first tenth (site 0 of
 * 10) is what an unfair table would forget. Tolerance 4 standard errors for each of the two: false
 * alarm 1.3e-4. */
Test(live_thinning, all_live_samples_are_estimated_without_bias) {
    enum { RUNS = 400, SAMPLES = 5000, CAPACITY = 128 };
    struct seeded seeded = {11};
    struct errors all = {0};
    struct errors eldest = {0};
    for (int run = 0; run < RUNS; run++) {
        hs_live *live = live_new(CAPACITY);
        for (uint32_t i = 0; i < SAMPLES; i++) {
            live_add(live, i / (SAMPLES / 10), seeded_u32(&seeded));
            cr_assert_leq(hs_live_count(live), CAPACITY);
        }
        note(&all, count_live(live, 10), SAMPLES);
        note(&eldest, count_live(live, 1), (double)SAMPLES / 10);
        cr_assert_gt(hs_live_level(live), 4);
        live_finish(live);
    }
    cr_assert_leq(fabs(z_of(&all)), 4.0, "%.2f standard errors off", z_of(&all));
    cr_assert_leq(fabs(z_of(&eldest)), 4.0, "eldest: %.2f standard errors off", z_of(&eldest));
}

/* One run of life and death: each of 3,000 samples lives for an exponential time with mean 600 (or,
 * one in ten, 3,000) further samples; the table has 64 places and is swept every 150. In a swell and
 * an ebb the level has to rise and to fall. */
struct world {
    hs_live *live;
    struct seeded seeded;
    uint32_t dies_at[4000];
    hs_ref ref[4000];
    double deaths; /* as the table sees them */
    int rises;
    int falls;
};

enum { LIVES = 3000, SWEEP_EVERY = 150 };

static void sweep_world(struct world *world) {
    uint32_t level = hs_live_level(world->live);
    live_sweep(world->live, &seen);
    world->falls += hs_live_level(world->live) < level;
    for (uint32_t i = 0; i < seen.count; i++) {
        cr_assert(is_sample_number(&seen.list[i].sample));
        world->deaths += weight(seen.list[i].thinning);
    }
}

static void die(struct world *world, uint32_t now) {
    for (uint32_t i = 0; i < now; i++) {
        if (world->ref[i] != 0 && world->dies_at[i] <= now) {
            if (!fake_is_released(world->ref[i])) {
                fake_clear(world->ref[i]);
            }
            world->ref[i] = 0;
        }
    }
}

/* Answers the true number of those alive at the end. */
static uint32_t live_a_world(struct world *world) {
    uint32_t alive = 0;
    for (uint32_t i = 0; i < LIVES; i++) {
        double mean = seeded_below(&world->seeded, 10) == 0 ? 3000.0 : 600.0;
        double ebb = i / 1000 % 2 == 0 ? 1.0 : 0.01;
        uint32_t level = hs_live_level(world->live);
        world->dies_at[i] = i + 1 + (uint32_t)seeded_exponential(&world->seeded, mean * ebb);
        world->ref[i] = live_add(world->live, i, seeded_u32(&world->seeded));
        world->rises += hs_live_level(world->live) > level;
        alive += world->dies_at[i] > LIVES;
        if ((i + 1) % SWEEP_EVERY == 0) {
            die(world, i + 1);
            sweep_world(world);
        }
    }
    return alive;
}

/* 1,500 runs of n = 3,000 samples as above, seed 12; the living and the dead must both be unbiased
 * within 4 standard errors: false alarm 1.3e-4. */
Test(live_thinning, the_living_and_the_dead_are_estimated_without_bias) {
    enum { RUNS = 1500, CAPACITY = 64 };
    static struct world world;
    struct errors living = {0};
    struct errors dead = {0};
    memset(&world, 0, sizeof world);
    world.seeded.state = 12;
    for (int run = 0; run < RUNS; run++) {
        world.live = live_new(CAPACITY);
        world.deaths = 0.0;
        uint32_t alive = live_a_world(&world);
        note(&living, count_live(world.live, UINT32_MAX), alive);
        note(&dead, world.deaths, LIVES - alive);
        live_finish(world.live);
    }
    cr_assert_gt(world.rises, RUNS, "the level rose");
    cr_assert_gt(world.falls, RUNS, "and fell");
    cr_assert_leq(fabs(z_of(&living)), 4.0, "living: %.2f standard errors off", z_of(&living));
    cr_assert_leq(fabs(z_of(&dead)), 4.0, "dead: %.2f standard errors off", z_of(&dead));
}

/* As the first, but read at every level above the one in force: each reading is unbiased by itself.
 * n = 2,000 samples, 64 places, 300 runs, seed 13; three extra levels within 4 standard errors each:
 * false alarm 2e-4. */
Test(live_thinning, a_reading_at_a_higher_level_is_unbiased_too) {
    enum { RUNS = 300, SAMPLES = 2000, CAPACITY = 64, LEVELS = 3 };
    struct seeded seeded = {13};
    struct errors errors[LEVELS] = {{0}};
    for (int run = 0; run < RUNS; run++) {
        hs_live *live = live_new(CAPACITY);
        for (uint32_t i = 0; i < SAMPLES; i++) {
            live_add(live, i, seeded_u32(&seeded));
        }
        for (uint32_t l = 0; l < LEVELS; l++) {
            double sum = 0.0;
            live_read(live, hs_live_level(live) + l, &seen);
            for (uint32_t i = 0; i < seen.count; i++) {
                sum += weight(seen.list[i].thinning);
            }
            note(&errors[l], sum, SAMPLES);
        }
        live_finish(live);
    }
    for (int l = 0; l < LEVELS; l++) {
        cr_assert_leq(fabs(z_of(&errors[l])), 4.0, "%.2f standard errors off", z_of(&errors[l]));
    }
}
