/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* The live table with a bound on what it may hold: is the bound kept, and is it still unbiased? */
#include <criterion/criterion.h>
#include <math.h>

#include "hs_levels.h"
#include "live_table.h"
#include "seeded.h"

enum { KIB = 1024, MIB = 1024 * KIB, CAPACITY = 1024, INTERVAL = 512 * KIB };

static struct visited seen;

/* A sample of this many bytes, born in this epoch; its number is its site. Its reference, or 0. */
static hs_ref add(hs_live *live, uint32_t number, uint64_t size, uint32_t epoch, uint32_t random) {
    struct hs_sample sample = {.recordings = 1,
                               .size = size,
                               .site = {number},
                               .drawn = INTERVAL,
                               .birth = {.epoch = epoch}};
    hs_ref displaced;
    hs_ref ref = fake_ref();
    if (hs_live_add(live, ref, &sample, random, &displaced) != HS_OK) {
        fake_release(FAKE_ENV, ref);
        return 0;
    }
    if (displaced != 0) {
        fake_release(FAKE_ENV, displaced);
    }
    return ref;
}

/* A look in which what was born before `epoch` has lived through a collection. */
static void look(hs_live *live, uint32_t epoch, bool saw_collection) {
    struct hs_live_look what = {
        .recordings = EVERYTHING, .settled_epoch = epoch, .saw_collection = saw_collection};
    seen.count = 0;
    hs_live_sweep(live, &what, &FAKE_OPS, FAKE_ENV, visit, &seen);
}

static uint64_t charged(hs_live *live) {
    return hs_garbage_charged(hs_live_garbage(live));
}

Test(live_held, the_level_rises_before_the_charges_are_more_than_the_bound) {
    enum { PLACES = 8 };
    hs_live *live = live_new_bounded(CAPACITY, PLACES * 16 * KIB);
    for (uint32_t i = 0; i < PLACES; i++) {
        cr_assert_neq(add(live, i, 64, 1, i % 2 == 0 ? UINT32_MAX : 0), 0);
        cr_assert_eq(charged(live), (i + 1) * 16 * KIB);
    }
    cr_assert_eq(hs_live_level(live), 0);
    cr_assert_not(hs_garbage_is_in_force(hs_live_garbage(live)));
    cr_assert_eq(add(live, 100, 64, 1, UINT32_MAX), 0, "the level has risen under it");
    cr_assert_eq(hs_live_level(live), 1);
    cr_assert(hs_garbage_is_in_force(hs_live_garbage(live)));
    cr_assert(hs_garbage_take_due(hs_live_garbage(live)), "a sweep would make room");
    look(live, 1, false);
    cr_assert_eq(hs_live_count(live), PLACES / 2);
    cr_assert_eq(charged(live), PLACES / 2 * 16 * KIB);
    live_finish(live);
}

Test(live_held, what_has_lived_through_a_collection_is_no_longer_charged) {
    hs_live *live = live_new_bounded(CAPACITY, MIB);
    for (uint32_t i = 0; i < 10; i++) {
        (void)add(live, i, 64, i < 6 ? 1 : 2, UINT32_MAX);
    }
    look(live, 1, false);
    cr_assert_eq(charged(live), 10 * 16 * KIB);
    look(live, 2, true);
    cr_assert_eq(charged(live), 4 * 16 * KIB, "those born since");
    look(live, 3, true);
    cr_assert_eq(charged(live), 0);
    cr_assert_eq(hs_live_count(live), 10, "and are tracked nevertheless");
    live_finish(live);
}

Test(live_held, the_dead_and_the_forgotten_give_their_charges_back) {
    hs_live *live = live_new_bounded(CAPACITY, MIB);
    hs_ref ref = add(live, 0, 300 * KIB, 1, 0);
    (void)add(live, 1, 64, 1, 0);
    fake_clear(ref);
    look(live, 1, true);
    cr_assert_eq(seen.count, 1);
    cr_assert_eq(charged(live), 16 * KIB);
    hs_live_forget(live, 1);
    look(live, 1, false);
    cr_assert_eq(charged(live), 0);
    live_finish(live);
}

Test(live_held, a_displaced_entry_takes_its_charge_with_it) {
    hs_live *live = live_new_bounded(4, MIB);
    for (uint32_t i = 0; i < 4; i++) {
        (void)add(live, i, 20 * KIB, 1, UINT32_MAX);
    }
    for (uint32_t i = 0; i < 4; i++) {
        cr_assert_neq(add(live, 10 + i, 64, 1, 0), 0);
    }
    cr_assert_eq(charged(live), 4 * 16 * KIB);
    cr_assert_not(hs_garbage_is_in_force(hs_live_garbage(live)),
                  "it was the places that were too few");
    live_finish(live);
    live = live_new_bounded(4, MIB);
    (void)add(live, 0, 64, 1, 0);
    hs_live_clear(live, &FAKE_OPS, FAKE_ENV);
    cr_assert_eq(charged(live), 0);
    live_finish(live);
}

Test(live_held, charges_grow_with_the_level_at_the_next_sweep) {
    hs_live *live = live_new_bounded(CAPACITY, 64 * KIB);
    struct hs_sample sample = {.recordings = 1, .size = 64, .drawn = 1024, .birth = {.epoch = 1}};
    hs_ref displaced;
    for (int i = 0; i < 64; i++) {
        cr_assert_eq(hs_live_add(live, fake_ref(), &sample, 0, &displaced), HS_OK);
    }
    cr_assert_eq(charged(live), 64 * KIB, "each stands for 1 KiB");
    cr_assert_eq(hs_live_add(live, fake_ref(), &sample, 0, &displaced), HS_OK);
    cr_assert_eq(hs_live_level(live), 1);
    cr_assert_eq(charged(live), 66 * KIB, "at level 1 for 2 KiB");
    look(live, 1, false); /* all pass every level: there is no way to keep the bound */
    cr_assert_eq(charged(live), 65 * 16 * KIB, "at 16 KiB they grow no more");
    cr_assert_eq(hs_live_level(live), 24);
    live_finish(live);
}

Test(live_held, the_level_falls_only_after_a_collection_and_one_at_a_time) {
    enum { PLACES = 8 };
    hs_live *live = live_new_bounded(CAPACITY, PLACES * 16 * KIB);
    for (uint32_t i = 0; i < 40 && hs_live_level(live) < 2; i++) {
        (void)add(live, i, 64, 1, i < PLACES ? UINT32_MAX : UINT32_MAX >> 1);
    }
    cr_assert_eq(hs_live_level(live), 2);
    look(live, 1, false);
    cr_assert_eq(hs_live_count(live), 0);
    look(live, 1, false);
    cr_assert_eq(hs_live_level(live), 2, "dropped objects are still held");
    look(live, 2, true);
    cr_assert_eq(hs_live_level(live), 1);
    look(live, 2, false);
    cr_assert_eq(hs_live_level(live), 1);
    look(live, 3, true);
    cr_assert_eq(hs_live_level(live), 0);
    for (uint32_t i = 0; i < PLACES + PLACES / 2; i++) {
        cr_assert_neq(add(live, i, 64, 3, 0), 0);
    }
    cr_assert_eq(hs_live_level(live), 1, "until it is swept, a level makes room of half the bound");
    live_finish(live);
}

Test(live_held, the_level_stays_where_as_much_was_held_as_may_be) {
    enum { PLACES = 8 };
    hs_live *live = live_new_bounded(CAPACITY, PLACES * 16 * KIB);
    for (uint32_t i = 0; i <= PLACES; i++) {
        (void)add(live, i, 64, 1, i < 3 ? 0 : UINT32_MAX);
    }
    cr_assert_eq(hs_live_level(live), 1);
    look(live, 1, false);
    cr_assert_eq(charged(live), 3 * 16 * KIB);
    look(live, 2, true);
    cr_assert_eq(charged(live), 0);
    cr_assert_eq(hs_live_level(live), 1,
                 "3 of 8 were held: twice of that is too near to the bound");
    live_finish(live);
}

Test(live_held, a_large_object_is_thinned_by_its_size) {
    hs_live *live = live_new_bounded(CAPACITY, MIB); /* a sixteenth: 64 KiB */
    cr_assert_eq(add(live, 0, MIB, 1, UINT32_MAX), 0);
    cr_assert_eq(add(live, 1, MIB, 1, UINT32_MAX >> 3), 0);
    hs_ref ref = add(live, 2, MIB, 1, UINT32_MAX >> 4);
    cr_assert_neq(ref, 0);
    cr_assert_eq(hs_live_level(live), 0, "no other sample pays for it");
    for (int i = 0; i < 2; i++) {
        live_read(live, 0, &seen);
        cr_assert_eq(seen.count, 1);
        cr_assert_eq(seen.list[0].thinning, 4);
    }
    cr_assert_eq(charged(live), MIB);
    fake_clear(ref);
    look(live, 1, true);
    cr_assert_eq(seen.count, 1);
    cr_assert_eq(seen.list[0].thinning, 4, "dead as well, it stands for 16");
    live_finish(live);
}

Test(live_held, a_large_object_that_is_refused_does_not_wake_the_sweeper) {
    hs_live *live = live_new_bounded(CAPACITY, MIB);
    cr_assert_eq(add(live, 0, MIB, 1, UINT32_MAX), 0);
    cr_assert(hs_garbage_is_in_force(hs_live_garbage(live)));
    cr_assert_not(hs_garbage_take_due(hs_live_garbage(live)), "a sweep would drop nothing");
    live_finish(live);
}

Test(live_held, a_large_object_that_will_be_refused_is_not_wanted) {
    hs_live *live = live_new_bounded(CAPACITY, 4 * MIB); /* a sixteenth: 256 KiB */
    cr_assert(hs_live_wants(live, MIB, UINT32_MAX >> 2), "two levels of its own");
    cr_assert_not(hs_garbage_is_in_force(hs_live_garbage(live)));
    cr_assert_not(hs_live_wants(live, MIB, UINT32_MAX >> 1));
    cr_assert(hs_garbage_is_in_force(hs_live_garbage(live)));
    cr_assert(hs_live_wants(live, 256 * KIB, UINT32_MAX));
    live_finish(live);
}

Test(live_held, a_large_object_stands_for_both_its_own_levels_and_the_tables) {
    hs_live *live = live_new_bounded(2, 4 * MIB); /* a sixteenth: 256 KiB */
    cr_assert_neq(add(live, 0, MIB, 1, 0), 0);
    cr_assert_neq(add(live, 1, 64, 1, 0), 0);
    cr_assert_eq(add(live, 2, 64, 1, 0), 0, "all pass every level, and there is no place");
    live_read(live, hs_live_level(live), &seen);
    cr_assert_eq(seen.count, 2);
    for (uint32_t i = 0; i < seen.count; i++) {
        cr_assert_eq(seen.list[i].thinning, seen.list[i].sample.site.bits == 0 ? 24 + 2 : 24);
    }
    cr_assert_eq(charged(live), MIB + 16 * KIB, "inspected by others, it keeps its charge");
    live_finish(live);
}

/* Adds one that finds no room, while the sweep is at a dead one. */
static void add_one_too_many(void *context, hs_ref ref, const struct hs_sample *sample,
                             uint32_t thinning, uint32_t place) {
    (void)place;
    (void)ref;
    hs_live *live = context;
    (void)sample;
    (void)thinning;
    cr_assert_neq(add(live, 100, 64, 1, 0), 0);
    cr_assert_eq(hs_live_level(live), 1);
}

Test(live_held, a_level_that_rises_during_a_sweep_makes_another_one_due) {
    enum { PLACES = 8 };
    hs_live *live = live_new_bounded(CAPACITY, PLACES * 16 * KIB);
    hs_ref last = 0;
    for (uint32_t i = 0; i < PLACES; i++) {
        last = add(live, i, 64, 1, i == 0 ? UINT32_MAX : 0);
    }
    fake_clear(last);
    struct hs_live_look what = {.recordings = EVERYTHING, .settled_epoch = 1};
    hs_live_sweep(live, &what, &FAKE_OPS, FAKE_ENV, add_one_too_many, live);
    cr_assert_eq(hs_live_count(live), PLACES, "the first had been inspected before");
    struct hs_garbage *garbage = hs_live_garbage(live);
    cr_assert(hs_garbage_take_due(garbage), "no other thread would wake the sweeper");
    hs_garbage_ask_for_sweep(garbage);
    look(live, 1, false);
    cr_assert_eq(hs_live_count(live), PLACES - 1);
    cr_assert_not(hs_garbage_take_due(garbage), "that was it");
    live_finish(live);
}

/* Only objects of a MiB or more hold anything; as many of that size as `places` are the bound. */
static hs_live *live_new_for_large(uint32_t capacity, uint32_t places) {
    return live_new_bounded_from(capacity, (uint64_t)places * MIB, MIB);
}

static uint32_t large_level(hs_live *live) {
    return hs_levels_of_garbage(hs_live_levels(live));
}

Test(live_held, where_only_large_ones_hold_anything_no_others_pay) {
    enum { PLACES = 16, SMALL = 100 };
    hs_live *live = live_new_for_large(CAPACITY, PLACES);
    for (uint32_t i = 0; i < SMALL; i++) {
        cr_assert_neq(add(live, i, 64, 1, UINT32_MAX), 0);
    }
    cr_assert_eq(charged(live), 0);
    for (uint32_t i = 0; i < PLACES; i++) {
        cr_assert_neq(add(live, i, MIB, 1, i % 2 == 0 ? UINT32_MAX : 0), 0);
    }
    cr_assert_eq(charged(live), PLACES * MIB);
    cr_assert(hs_live_wants(live, MIB, UINT32_MAX));
    cr_assert_eq(add(live, 0, MIB, 1, UINT32_MAX), 0, "their level has risen under it");
    cr_assert_eq(large_level(live), 1);
    cr_assert_eq(hs_live_level(live), 0);
    cr_assert_not(hs_live_wants(live, MIB, UINT32_MAX));
    cr_assert(hs_live_wants(live, MIB - 8, UINT32_MAX));
    cr_assert(hs_garbage_take_due(hs_live_garbage(live)));
    live_read(live, hs_live_levels(live), &seen);
    cr_assert_eq(seen.count, SMALL + PLACES / 2, "the others do not count from now on");
    look(live, 0, false);
    cr_assert_eq(hs_live_count(live), SMALL + PLACES / 2);
    live_read(live, 0, &seen);
    for (uint32_t i = 0; i < seen.count; i++) {
        cr_assert_eq(seen.list[i].thinning, seen.list[i].sample.size == 64 ? 0 : 1);
    }
    live_finish(live);
}

Test(live_held, small_ones_are_taken_where_large_ones_hold_too_much) {
    hs_live *live = live_new_for_large(CAPACITY, 16);
    for (uint32_t i = 0; i < 100; i++) {
        (void)add(live, i, MIB, 1, 0); /* all pass every level: more than the bound are held */
    }
    look(live, 0, false);
    cr_assert_gt(charged(live), 16 * MIB);
    uint32_t levels = hs_live_levels(live);
    cr_assert_eq(large_level(live), HS_MAX_LEVEL);
    cr_assert_eq(add(live, 200, MIB, 1, 0), 0, "there is no room, and no level above");
    cr_assert_neq(add(live, 200, 64, 1, UINT32_MAX), 0);
    cr_assert_eq(hs_live_levels(live), levels);
    live_finish(live);
}

Test(live_held, the_level_of_large_ones_falls_only_after_a_collection) {
    enum { PLACES = 16 };
    hs_live *live = live_new_for_large(CAPACITY, PLACES);
    for (uint32_t i = 0; i < 80 && large_level(live) < 2; i++) {
        (void)add(live, i, MIB, 1, i < PLACES ? UINT32_MAX : UINT32_MAX >> 1);
    }
    look(live, 0, false);
    cr_assert_eq(hs_live_count(live), 0);
    look(live, 0, false);
    cr_assert_eq(large_level(live), 2, "dropped objects are still held");
    look(live, 0, true);
    cr_assert_eq(large_level(live), 1);
    for (uint32_t i = 0; i < PLACES; i++) {
        cr_assert_neq(add(live, i, MIB, 1, 0), 0);
        cr_assert_eq(large_level(live), 1);
    }
    (void)add(live, PLACES, MIB, 1, 0);
    cr_assert_eq(large_level(live), 2, "the room is that of the bound: it was swept at level 1");
    hs_live_forget(live, 1);
    for (int i = 0; i < 3; i++) {
        look(live, 0, true); /* at the first there was much */
    }
    cr_assert_eq(hs_live_levels(live), 0);
    live_finish(live);
}

Test(live_held, a_large_one_passes_the_level_of_all_too) {
    enum { PLACES = 4 };
    hs_live *live = live_new_for_large(PLACES, 64);
    for (uint32_t i = 0; i < PLACES; i++) {
        cr_assert_neq(add(live, i, 64, 1, UINT32_MAX), 0);
    }
    cr_assert_neq(add(live, PLACES, MIB, 1, 0), 0, "in the place of a small one");
    cr_assert_eq(hs_live_level(live), 1);
    cr_assert_not(hs_live_wants(live, MIB, UINT32_MAX));
    live_read(live, hs_live_levels(live), &seen);
    cr_assert_eq(seen.count, 1);
    cr_assert_eq(seen.list[0].thinning, 1);
    for (int i = 0; i < 3; i++) {
        look(live, 0, false);
    }
    cr_assert_eq(hs_live_level(live), 1, "one of four places is taken");
    hs_live_forget(live, 1);
    look(live, 0, false);
    cr_assert_eq(hs_live_level(live), 0, "it falls without a collection: small ones hold nothing");
    live_finish(live);
}

Test(live_held, a_large_one_takes_the_place_of_one_that_its_level_no_longer_wants) {
    enum { PLACES = 16 };
    hs_live *live = live_new_for_large(2 * PLACES, PLACES);
    for (uint32_t i = 0; i < PLACES; i++) {
        (void)add(live, i, MIB, 1, i % 2 == 0 ? UINT32_MAX : 0);
        (void)add(live, i, 64, 1, UINT32_MAX);
    }
    cr_assert_neq(add(live, PLACES, MIB, 1, 0), 0);
    cr_assert_eq(large_level(live), 1);
    cr_assert_eq(hs_live_level(live), 0, "small ones keep their places");
    cr_assert_eq(hs_live_count(live), 2 * PLACES);
    cr_assert_eq(hs_live_thinned(live, 1), 1);
    cr_assert_eq(charged(live), PLACES * MIB);
    live_finish(live);
}

/* Errors of many runs: their mean must be 0 within 4 of its standard errors. */
struct errors {
    double sum;
    double squares;
};

static void note(struct errors *errors, double error) {
    errors->sum += error;
    errors->squares += error * error;
}

static double z_of(const struct errors *errors) {
    return errors->sum / sqrt(errors->squares);
}

enum { CYCLES = 6, PER_CYCLE = 800, LARGE_EACH = 10 };

static uint64_t size_number(uint32_t number) {
    return number % LARGE_EACH == 0 ? 200 * KIB : 64;
}

/* Makes samples of which one in eight lives on and the others are garbage that the table holds, swept
 * every hundred; then a collection. `hits` are what the table says of small and large survivors. */
static void live_a_cycle(hs_live *live, uint32_t cycle, struct seeded *seeded, uint64_t bound,
                         bool settles) {
    hs_ref dying[PER_CYCLE];
    for (uint32_t i = 0; i < PER_CYCLE; i++) {
        bool survives = i / LARGE_EACH % 8 == 0;
        hs_ref ref = add(live, i, size_number(i), cycle, seeded_u32(seeded));
        dying[i] = survives ? 0 : ref;
        if (i % 100 == 99) {
            look(live, settles ? cycle : 0, false);
            cr_assert_leq(charged(live), bound);
        }
    }
    for (uint32_t i = 0; i < PER_CYCLE; i++) {
        if (dying[i] != 0 && !fake_is_released(dying[i])) {
            fake_clear(dying[i]);
        }
    }
    look(live, settles ? cycle + 1 : 0, true);
    cr_assert(!settles || charged(live) == 0);
}

/* What the table says in the end, small ones first. */
static void weigh_all(hs_live *live, double weights[2]) {
    live_read(live, hs_live_levels(live), &seen);
    for (uint32_t i = 0; i < seen.count; i++) {
        weights[seen.list[i].sample.size > 64] += ldexp(1.0, (int)seen.list[i].thinning);
    }
}

enum { RUNS = 300, BOUND = 32 * 16 * KIB, TRUE_SUM = CYCLES * PER_CYCLE / 8 };

/* n = 6 cycles of 800 samples into a bound of 32 small or 2 large ones, 300 runs, seed 21; living small
 * and living large ones each within 4 standard errors: false alarm 1.3e-4. */
Test(live_held, what_lives_is_estimated_without_bias_and_the_bound_is_kept) {
    struct seeded seeded = {21};
    struct errors small = {0};
    struct errors large = {0};
    uint32_t most = 0;
    for (int run = 0; run < RUNS; run++) {
        hs_live *live = live_new_bounded(CAPACITY, BOUND);
        double weights[2] = {0};
        for (uint32_t cycle = 1; cycle <= CYCLES; cycle++) {
            live_a_cycle(live, cycle, &seeded, BOUND, true);
            most = hs_live_level(live) > most ? hs_live_level(live) : most;
        }
        weigh_all(live, weights);
        note(&large, weights[1] - (double)TRUE_SUM / LARGE_EACH);
        note(&small, weights[0] - (double)TRUE_SUM * (LARGE_EACH - 1) / LARGE_EACH);
        live_finish(live);
    }
    cr_assert_geq(most, 4, "the bound was felt");
    cr_assert_leq(fabs(z_of(&small)), 4.0, "small: %.2f standard errors off", z_of(&small));
    cr_assert_leq(fabs(z_of(&large)), 4.0, "large: %.2f standard errors off", z_of(&large));
}

/* The same, seed 22, where only the large ones hold anything and those that live do as well: small ones are
 * all there, large ones within 4 standard errors: false alarm 6.3e-5. */
Test(live_held, large_ones_alone_are_estimated_without_bias_and_small_ones_exactly) {
    enum { ROOM = 4 * CAPACITY };
    struct seeded seeded = {22};
    struct errors large = {0};
    uint32_t most = 0;
    for (int run = 0; run < RUNS; run++) {
        hs_live *live = live_new_bounded_from(ROOM, BOUND, 100 * KIB);
        double weights[2] = {0};
        for (uint32_t cycle = 1; cycle <= CYCLES; cycle++) {
            live_a_cycle(live, cycle, &seeded, BOUND, false);
            most = large_level(live) > most ? large_level(live) : most;
        }
        weigh_all(live, weights);
        note(&large, weights[1] - (double)TRUE_SUM / LARGE_EACH);
        cr_assert_eq(weights[0], (double)TRUE_SUM * (LARGE_EACH - 1) / LARGE_EACH);
        cr_assert_eq(hs_live_level(live), 0);
        live_finish(live);
    }
    cr_assert_geq(most, 2, "the bound was felt");
    cr_assert_leq(fabs(z_of(&large)), 4.0, "%.2f standard errors off", z_of(&large));
}
