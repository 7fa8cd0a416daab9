/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_live.h"

#include <criterion/criterion.h>
#include <signal.h>

#include "hs_mem.h"
#include "live_table.h"
#include "seeded.h"

enum { CAPACITY = 64, HALF = 1u << 31 }; /* HALF passes level 0 only */
#define QUARTER (1u << 30)               /* passes levels 0 and 1 */

static struct visited seen;

static bool is_seen(uint32_t number) {
    for (uint32_t i = 0; i < seen.count; i++) {
        if (seen.list[i].sample.site.bits == number) {
            return true;
        }
    }
    return false;
}

Test(live, keeps_a_sample_as_it_is) {
    size_t before = hs_mem_used();
    hs_live *live = live_new(CAPACITY);
    for (uint32_t i = 0; i < 10; i++) {
        cr_assert_neq(live_add(live, i, HALF), 0);
    }
    cr_assert_eq(hs_live_count(live), 10);
    cr_assert_eq(hs_live_capacity(live), CAPACITY);
    cr_assert_eq(hs_live_level(live), 0);
    live_read(live, 0, &seen);
    cr_assert_eq(seen.count, 10);
    for (uint32_t i = 0; i < 10; i++) {
        cr_assert(is_sample_number(&seen.list[i].sample));
        cr_assert_eq(seen.list[i].sample.recordings, 1);
        cr_assert_eq(seen.list[i].thinning, 0);
        cr_assert(is_seen(i));
    }
    live_finish(live);
    cr_assert_eq(hs_mem_used(), before);
    hs_live_free(NULL);
}

Test(live, keeps_large_sizes_and_all_recordings) {
    hs_live *live = live_new(4);
    struct hs_sample sample = sample_number(1);
    sample.size = ((uint64_t)1 << 34) + 24; /* an array of 2^31 longs, and more */
    sample.recordings = UINT64_MAX;
    hs_ref displaced;
    cr_assert_eq(hs_live_add(live, fake_ref(), &sample, UINT32_MAX, &displaced), HS_OK);
    live_read(live, 0, &seen);
    cr_assert_eq(seen.list[0].sample.size, sample.size);
    cr_assert_eq(seen.list[0].sample.recordings, UINT64_MAX);
    live_finish(live);
}

Test(live, a_table_without_room_takes_nothing) {
    hs_live *live = live_new(0);
    cr_assert_not(hs_live_wants(live, 16, 0));
    cr_assert_eq(live_add(live, 1, 0), 0);
    live_sweep(live, &seen);
    cr_assert_eq(seen.count, 0);
    live_read(live, 0, &seen);
    hs_live_forget(live, 1);
    live_finish(live);
}

Test(live, sweep_gives_the_dead_and_keeps_the_others) {
    hs_live *live = live_new(CAPACITY);
    hs_ref refs[CAPACITY];
    for (uint32_t i = 0; i < CAPACITY; i++) {
        refs[i] = live_add(live, i, HALF);
    }
    for (uint32_t i = 0; i < CAPACITY; i += 3) {
        fake_clear(refs[i]);
    }
    live_sweep(live, &seen);
    cr_assert_eq(seen.count, (CAPACITY + 2) / 3);
    for (uint32_t i = 0; i < CAPACITY; i++) {
        cr_assert_eq(is_seen(i), i % 3 == 0);
        cr_assert_eq(fake_is_released(refs[i]), i % 3 == 0);
    }
    for (uint32_t i = 0; i < seen.count; i++) {
        cr_assert(is_sample_number(&seen.list[i].sample));
        cr_assert_eq(seen.list[i].thinning, 0);
    }
    live_sweep(live, &seen);
    cr_assert_eq(seen.count, 0, "no object dies twice");
    live_read(live, 0, &seen);
    cr_assert_eq(seen.count, CAPACITY - (CAPACITY + 2) / 3);
    live_finish(live);
}

Test(live, freed_places_are_used_again_before_anyone_is_thinned) {
    hs_live *live = live_new(CAPACITY);
    for (uint32_t round = 0; round < 50; round++) {
        for (uint32_t i = 0; i < CAPACITY; i++) {
            hs_ref ref = live_add(live, i, HALF);
            cr_assert_neq(ref, 0);
            fake_clear(ref);
        }
        cr_assert_eq(hs_live_count(live), CAPACITY);
        live_sweep(live, &seen);
        cr_assert_eq(seen.count, CAPACITY);
        cr_assert_eq(hs_live_count(live), 0);
    }
    cr_assert_eq(hs_live_level(live), 0);
    live_finish(live);
}

Test(live, a_full_table_raises_its_level_and_never_grows) {
    hs_live *live = live_new(CAPACITY);
    struct seeded seeded = {1};
    for (uint32_t i = 0; i < 100 * CAPACITY; i++) {
        uint32_t level = hs_live_level(live);
        uint32_t random = seeded_u32(&seeded);
        bool is_wanted = hs_live_wants(live, 16, random);
        cr_assert_eq(is_wanted, level == 0 || random >> (32 - level) == 0);
        bool is_taken = live_add(live, i, random) != 0;
        cr_assert(is_wanted || !is_taken, "not wanted, not taken");
        cr_assert_geq(hs_live_level(live), level);
        cr_assert_leq(hs_live_count(live), CAPACITY);
        cr_assert_eq(hs_live_count(live), fake_outstanding(), "displaced means handed back");
    }
    cr_assert_geq(hs_live_level(live), 5);
    cr_assert_leq(hs_live_level(live), 9);
    live_finish(live);
}

Test(live, only_what_the_level_no_longer_wants_is_displaced) {
    hs_live *live = live_new(CAPACITY);
    hs_ref refs[CAPACITY];
    for (uint32_t i = 0; i < CAPACITY; i++) {
        refs[i] = live_add(live, i, i % 2 == 0 ? HALF : QUARTER);
    }
    cr_assert_eq(hs_live_level(live), 0);
    for (uint32_t i = 0; i < CAPACITY / 4; i++) {
        cr_assert_neq(live_add(live, 1000 + i, QUARTER - 1 - i * 7919), 0);
    }
    cr_assert_eq(hs_live_level(live), 1);
    for (uint32_t i = 1; i < CAPACITY; i += 2) {
        cr_assert_not(fake_is_released(refs[i]), "sample %u passes the level", i);
    }
    live_read(live, 1, &seen);
    cr_assert_eq(seen.count, CAPACITY / 2 + CAPACITY / 4);
    for (uint32_t i = 0; i < seen.count; i++) {
        cr_assert_eq(seen.list[i].thinning, 1);
    }
    live_finish(live);
}

Test(live, sweep_drops_what_the_level_no_longer_wants_without_a_death) {
    hs_live *live = live_new(CAPACITY);
    hs_ref refs[CAPACITY];
    for (uint32_t i = 0; i < CAPACITY; i++) {
        refs[i] = live_add(live, i, i == 5 || i == 6 ? 0 : HALF);
    }
    hs_ref last = live_add(live, 100, 0); /* raises the level */
    cr_assert_neq(last, 0);
    cr_assert_eq(hs_live_level(live), 1);
    for (uint32_t i = 0; i < CAPACITY; i++) {
        if (!fake_is_released(refs[i]) && i != 6) {
            fake_clear(refs[i]);
        }
    }
    live_sweep(live, &seen);
    cr_assert_eq(seen.count, 1, "only the dead that count");
    cr_assert_eq(seen.list[0].sample.site.bits, 5);
    cr_assert_eq(seen.list[0].thinning, 1);
    cr_assert_eq(hs_live_count(live), 2);
    live_finish(live);
}

Test(live, a_sample_keeps_the_highest_level_it_has_lived_under) {
    hs_live *live = live_new(CAPACITY);
    live_add(live, 0, 0);
    for (uint32_t i = 1; i < CAPACITY; i++) {
        live_add(live, i, QUARTER);
    }
    live_add(live, CAPACITY, 0); /* level 2: nothing else passes level 1 */
    cr_assert_eq(hs_live_level(live), 2);
    live_sweep(live, &seen); /* drops the others, lowers the level */
    cr_assert_eq(hs_live_count(live), 2);
    cr_assert_eq(hs_live_level(live), 1);
    live_sweep(live, &seen);
    cr_assert_eq(hs_live_level(live), 0);
    live_add(live, 200, HALF);
    live_read(live, 0, &seen);
    cr_assert_eq(seen.count, 3);
    for (uint32_t i = 0; i < 3; i++) {
        cr_assert_eq(seen.list[i].thinning, seen.list[i].sample.site.bits == 200 ? 0 : 2);
    }
    live_finish(live);
}

static void let_die(hs_ref ref) {
    if (!fake_is_released(ref)) {
        fake_clear(ref);
    }
}

Test(live, the_level_falls_only_when_there_is_room) {
    hs_live *live = live_new(CAPACITY);
    hs_ref refs[CAPACITY + 1];
    for (uint32_t i = 0; i <= CAPACITY; i++) {
        refs[i] = live_add(live, i, i % 4 == 0 && i < CAPACITY ? HALF : 0);
    }
    cr_assert_eq(hs_live_level(live), 1);
    live_sweep(live, &seen);
    cr_assert_eq(hs_live_count(live), CAPACITY / 4 * 3 + 1);
    cr_assert_eq(hs_live_level(live), 1, "full of samples that pass");
    for (uint32_t i = 0; i < CAPACITY / 2; i++) {
        let_die(refs[i]);
    }
    live_sweep(live, &seen);
    cr_assert_eq(hs_live_level(live), 1, "not yet");
    for (uint32_t i = CAPACITY / 2; i < CAPACITY; i++) {
        let_die(refs[i]);
    }
    live_sweep(live, &seen);
    cr_assert_eq(hs_live_level(live), 0, "nearly empty");
    live_finish(live);
}

Test(live, the_level_of_the_smallest_table_falls_too) {
    for (uint32_t capacity = 1; capacity <= 8; capacity++) {
        hs_live *live = live_new(capacity);
        for (uint32_t i = 0; i <= capacity; i++) {
            live_add(live, i, 0x1000000);
        }
        cr_assert_gt(hs_live_level(live), 0);
        fake_collect();
        for (uint32_t i = 1; i <= capacity + 1; i++) {
            fake_clear((hs_ref)i << FAKE_SHIFT);
        }
        for (int i = 0; i < 40; i++) {
            live_sweep(live, &seen);
        }
        cr_assert_eq(hs_live_count(live), 0);
        cr_assert_eq(hs_live_level(live), 0, "capacity %u", capacity);
        live_finish(live);
    }
}

Test(live, each_shows_what_counts_at_a_level) {
    hs_live *live = live_new(CAPACITY);
    static const uint32_t RANDOM[] = {HALF, QUARTER, 1u << 29, 1u << 28, 1u << 3, 1, 0, UINT32_MAX};
    for (uint32_t i = 0; i < 8; i++) {
        live_add(live, i, RANDOM[i]);
    }
    static const uint32_t PASSING[] = {8, 6, 5, 4, 3};
    for (uint32_t level = 0; level < 5; level++) {
        live_read(live, level, &seen);
        cr_assert_eq(seen.count, PASSING[level], "level %u", level);
        for (uint32_t i = 0; i < seen.count; i++) {
            cr_assert_eq(seen.list[i].thinning, level);
        }
    }
    live_read(live, 0, &seen);
    cr_assert_eq(seen.list[0].thinning, 0, "reading at a level changes nothing");
    cr_assert_eq(hs_live_level(live), 0);
    live_finish(live);
}

/* Of the recordings that are requested: 1 has the sites 0 to 3, 2 the others, 4 all. */
Test(live, each_returns_how_many_are_hidden_at_a_level) {
    hs_live *live = live_new(CAPACITY);
    static const uint32_t RANDOM[] = {HALF, QUARTER, HALF, 0, 0, HALF, 0, QUARTER};
    for (uint32_t i = 0; i < 8; i++) {
        struct hs_sample sample = sample_number(i);
        hs_ref displaced;
        sample.recordings = (i < 4 ? 1 : 2) | 4;
        cr_assert_eq(hs_live_add(live, fake_ref(), &sample, RANDOM[i], &displaced), HS_OK);
    }
    static const struct {
        uint64_t recordings;
        uint64_t hidden[3]; /* at each level */
        uint32_t all;
    } WANTED[] = {{1, {0, 2, 3}, 4},
                  {2, {0, 1, 2}, 4},
                  {4, {0, 3, 5}, 8},
                  {3, {0, 3, 5}, 8},
                  {8, {0, 0, 0}, 0}};
    for (uint32_t i = 0; i < sizeof WANTED / sizeof WANTED[0]; i++) {
        for (uint32_t level = 0; level < 3; level++) {
            seen.count = 0;
            uint64_t hidden = hs_live_each(live, level, WANTED[i].recordings, visit, &seen);
            cr_assert_eq(hidden, WANTED[i].hidden[level], "row %u, level %u", i, level);
            cr_assert_eq(seen.count, WANTED[i].all - hidden, "row %u, level %u", i, level);
        }
    }
    cr_assert_eq(hs_live_thinned(live, 4), 0, "no sample has been taken out");
    live_finish(live);
}

Test(live, what_no_recording_wants_any_more_goes_with_the_next_sweep) {
    hs_live *live = live_new(CAPACITY);
    hs_ref refs[4];
    for (uint32_t i = 0; i < 4; i++) {
        struct hs_sample sample = sample_number(i);
        hs_ref displaced;
        sample.recordings = i; /* of 1 and 2 */
        refs[i] = fake_ref();
        cr_assert_eq(hs_live_add(live, refs[i], &sample, 0, &displaced), HS_OK);
    }
    fake_clear(refs[1]);
    hs_live_forget(live, 1);
    live_read(live, 0, &seen);
    for (uint32_t i = 0; i < seen.count; i++) {
        cr_assert_eq(seen.list[i].sample.recordings, seen.list[i].sample.site.bits & 2);
    }
    live_sweep(live, &seen);
    cr_assert_eq(seen.count, 0, "no recording is left to count it");
    cr_assert(fake_is_released(refs[0]));
    cr_assert(fake_is_released(refs[1]));
    cr_assert_eq(hs_live_count(live), 2);
    seen.count = 0;
    hs_live_sweep(live, &(struct hs_live_look){.recordings = 1}, &FAKE_OPS, FAKE_ENV, visit, &seen);
    cr_assert_eq(hs_live_count(live), 0, "recording 2 was closed");
    live_finish(live);
}

Test(live, the_dead_name_only_open_recordings) {
    hs_live *live = live_new(CAPACITY);
    struct hs_sample sample = sample_number(1);
    hs_ref displaced;
    hs_ref ref = fake_ref();
    sample.recordings = 7;
    cr_assert_eq(hs_live_add(live, ref, &sample, 0, &displaced), HS_OK);
    fake_clear(ref);
    seen.count = 0;
    hs_live_sweep(live, &(struct hs_live_look){.recordings = 5}, &FAKE_OPS, FAKE_ENV, visit, &seen);
    cr_assert_eq(seen.count, 1);
    cr_assert_eq(seen.list[0].sample.recordings, 5);
    live_finish(live);
}

/* A callback that adds while the sweeper is at an entry: here, from within the visit. */
struct busy_sweep {
    hs_live *live;
    uint32_t to_add;
    uint32_t added;
};

static void add_meanwhile(void *context, hs_ref ref, const struct hs_sample *sample,
                          uint32_t thinning, uint32_t place) {
    (void)place;
    (void)ref;
    struct busy_sweep *sweep = context;
    (void)sample;
    (void)thinning;
    while (sweep->to_add > 0) {
        sweep->to_add--;
        sweep->added += live_add(sweep->live, 1000 + sweep->to_add, 1) != 0;
    }
}

/* The level rises while a sweep is on its way: what the sweep has passed already lives under the new
 * level as well, and may be displaced by it. If it stays, it must count as what it is then. */
Test(live, a_level_that_rises_during_a_sweep_counts_for_all) {
    hs_live *live = live_new(CAPACITY);
    hs_ref refs[CAPACITY];
    for (uint32_t i = 0; i < CAPACITY; i++) {
        refs[i] = live_add(live, i, i < 8 ? HALF : 1);
    }
    for (uint32_t i = 8; i < CAPACITY; i++) {
        fake_clear(refs[i]);
    }
    struct busy_sweep sweep = {.live = live, .to_add = 4};
    hs_live_sweep(live, &LOOK, &FAKE_OPS, FAKE_ENV, add_meanwhile, &sweep);
    cr_assert_eq(sweep.added, 4);
    live_read(live, hs_live_level(live), &seen);
    for (uint32_t i = 0; i < seen.count; i++) {
        cr_assert_eq(seen.list[i].thinning, 1, "sample %u has lived under level 1",
                     seen.list[i].sample.site.bits);
    }
    cr_assert_eq(seen.count, 4, "the others do not count at level 1");
    live_finish(live);
}

static void add_one(void *context, hs_ref ref, const struct hs_sample *sample, uint32_t thinning,
                    uint32_t place) {
    (void)place;
    (void)ref;
    struct busy_sweep *sweep = context;
    (void)thinning;
    if (sample->site.bits == CAPACITY - 1) { /* the last to be inspected */
        cr_assert_neq(live_add(sweep->live, 2000, 1), 0);
        sweep->added++;
    }
}

/* The sweep has freed a place and another sample takes it, under the level that the sweep then lowers. */
Test(live, what_comes_during_a_sweep_counts_at_the_level_of_that_moment) {
    hs_live *live = live_new(CAPACITY);
    hs_ref refs[CAPACITY + 1];
    for (uint32_t i = 0; i <= CAPACITY; i++) {
        refs[i] = live_add(live, i, i % 2 == 0 && i < CAPACITY ? HALF : QUARTER - 1 - i * 7919);
    }
    cr_assert_eq(hs_live_level(live), 1);
    for (uint32_t i = 0; i <= CAPACITY; i++) {
        let_die(refs[i]);
    }
    struct busy_sweep sweep = {.live = live};
    hs_live_sweep(live, &LOOK, &FAKE_OPS, FAKE_ENV, add_one, &sweep);
    cr_assert_eq(sweep.added, 1);
    cr_assert_eq(hs_live_level(live), 0);
    live_read(live, 0, &seen);
    cr_assert_eq(seen.count, 1);
    cr_assert_eq(seen.list[0].thinning, 1);
    live_finish(live);
}

Test(live, a_table_that_still_holds_references_is_not_freed) {
    hs_live *live = live_new(4);
    live_add(live, 0, 0);
    size_t before = hs_mem_used();
    hs_live_free(live);
    cr_assert_eq(hs_mem_used(), before, "nor is the process ended");
    hs_live_clear(live, &FAKE_OPS, FAKE_ENV);
    hs_live_free(live);
    cr_assert_lt(hs_mem_used(), before);
}

Test(live, the_walker_finds_a_charge_without_an_owner) {
    hs_live *live = live_new_bounded_from(10, 1 << 20, 0);
    cr_assert(hs_live_is_valid(live));
    hs_garbage_change(hs_live_garbage(live), HS_GARBAGE_NOTHING, 5);
    cr_assert_not(hs_live_is_valid(live));
    hs_garbage_change(hs_live_garbage(live), 5, HS_GARBAGE_NOTHING);
    live_finish(live);
}
