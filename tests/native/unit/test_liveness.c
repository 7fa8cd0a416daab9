/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_liveness.h"

#include <criterion/criterion.h>

#include "hs_clock.h"
#include "hs_mem.h"
#include "small_store.h"

static size_t used_before;
static struct hs_liveness liveness;

static void set_up(void) {
    fake_reset();
    used_before = hs_mem_used();
    memset(&liveness, 0, sizeof liveness);
    liveness.ops = &FAKE_OPS;
    liveness.store = small_store();
    hs_epochs_init(&liveness.epochs, HS_Z, 0);
}

static void tear_down(void) {
    for (int i = 0; i < HS_MAX_RECORDINGS; i++) {
        hs_recording_free(liveness.recordings[i]);
    }
    hs_epochs_release(&liveness.epochs, &FAKE_OPS, FAKE_ENV);
    hs_store_free(liveness.store, &FAKE_OPS, FAKE_ENV);
    cr_assert_eq(fake_outstanding(), 0);
    cr_assert_eq(hs_mem_used(), used_before);
}

/* All zero where no object died. */
static struct hs_lifetimes lifetimes_of(const struct hs_recording *recording, uint32_t site) {
    struct hs_lifetimes lifetimes = {0};
    (void)hs_totals_lifetimes(recording->sums[0].sites.totals, site, &lifetimes);
    return lifetimes;
}

TestSuite(liveness, .init = set_up, .fini = tear_down);

static struct hs_recording *record(uint32_t place) {
    return liveness.recordings[place] = small_recording(liveness.store, place, NULL);
}

static hs_ref track(uint64_t recordings, uint32_t site, int64_t allocated_us) {
    struct hs_sample sample = {
        .recordings = recordings,
        .allocated_us = allocated_us,
        .size = 24,
        .site = {site},
        .birth = hs_epochs_now(&liveness.epochs),
    };
    hs_ref ref = fake_ref();
    hs_ref displaced;
    cr_assert_eq(hs_live_add(liveness.store->live, ref, &sample, UINT32_MAX, &displaced), HS_OK);
    return ref;
}

static void take(void) {
    hs_liveness_take(&liveness, FAKE_ENV);
}

Test(liveness, knows_its_recordings) {
    cr_assert_eq(hs_liveness_recordings(&liveness), 0);
    cr_assert_null(hs_liveness_find(&liveness, (struct hs_handle){1}));
    struct hs_recording *first = record(0);
    struct hs_recording *last = record(HS_MAX_RECORDINGS - 1);
    cr_assert_eq(hs_liveness_recordings(&liveness), UINT64_C(1) << 63 | 1);
    cr_assert_eq(hs_liveness_find(&liveness, first->handle), first);
    cr_assert_eq(hs_liveness_find(&liveness, last->handle), last);
    cr_assert_null(hs_liveness_find(&liveness, (struct hs_handle){2}));
    cr_assert_null(hs_liveness_find(&liveness, (struct hs_handle){0}));
}

Test(liveness, notes_who_died_in_every_recording_that_saw_it) {
    struct hs_recording *first = record(0);
    struct hs_recording *second = record(1);
    hs_ref both = track(3, 5, 100);
    hs_ref one = track(2, 6, 100);
    track(3, 7, 100);
    take();
    cr_assert_eq(hs_dead_ring_count(liveness.store->dead_ring), 0);
    fake_clear(both);
    fake_clear(one);
    take();
    cr_assert_eq(first->deaths, 1);
    cr_assert_eq(second->deaths, 2);
    cr_assert_eq(lifetimes_of(first, 5).deaths, 1);
    cr_assert_eq(lifetimes_of(first, 6).deaths, 0);
    cr_assert_eq(lifetimes_of(second, 5).deaths, 1);
    cr_assert_eq(lifetimes_of(second, 6).deaths, 1);
    cr_assert_eq(lifetimes_of(second, 7).deaths, 0);
    cr_assert_eq(hs_dead_ring_count(liveness.store->dead_ring), 2);
    cr_assert_eq(hs_live_count(liveness.store->live), 1);
    take();
    cr_assert_eq(second->deaths, 2, "no object dies twice");
}

Test(liveness, a_death_lies_between_two_looks) {
    record(0);
    int64_t born = hs_clock_monotonic_us();
    hs_ref seen = track(1, 5, born - 1);
    take();
    int64_t first = liveness.taken_us;
    cr_assert_geq(first, born);
    hs_ref unseen = track(1, 6, first + 1);
    fake_clear(seen);
    fake_clear(unseen);
    take();
    const struct hs_dead *dead = hs_dead_ring_get(liveness.store->dead_ring, 0);
    cr_assert_eq(dead->sample.site.bits, 5);
    cr_assert_eq(dead->seen_alive_us, first);
    cr_assert_eq(dead->found_dead_us, liveness.taken_us);
    dead = hs_dead_ring_get(liveness.store->dead_ring, 1);
    cr_assert_eq(dead->sample.site.bits, 6);
    cr_assert_eq(dead->seen_alive_us, first + 1, "seen when it was born");
}

Test(liveness, a_lifetime_ends_in_the_middle_of_what_is_known) {
    struct hs_recording *recording = record(0);
    int64_t now = hs_clock_monotonic_us();
    hs_ref ref = track(1, 5, now - 40000000); /* born 40 s ago */
    liveness.taken_us = now - 30000000;       /* seen alive 30 s ago: it died about 15 s ago */
    fake_clear(ref);
    take();
    struct hs_lifetimes lifetimes = lifetimes_of(recording, 5);
    cr_assert_eq(lifetimes.by_age[hs_lifetime_bucket(25000000)], 1.0);
}

Test(liveness, the_collection_that_ended_an_object_is_not_survived) {
    struct hs_recording *recording = record(0);
    hs_ref refs[3];
    refs[0] = track(1, 5, 100);
    take(); /* sets the first canary */
    for (int i = 0; i < 3; i++) {
        if (i > 0) {
            refs[i] = track(1, 5 + (uint32_t)i, 100);
        }
        fake_collect();
        take();
    }
    for (int i = 0; i < 3; i++) {
        fake_clear(refs[i]);
    }
    fake_collect();
    take();
    for (uint32_t i = 0; i < 3; i++) {
        struct hs_lifetimes lifetimes = lifetimes_of(recording, 5 + i);
        cr_assert_eq(lifetimes.by_collections[3 - i], 1.0, "object %u", i);
        cr_assert_eq(hs_dead_ring_get(liveness.store->dead_ring, i)->collections, 3 - i);
    }
}

/* The sweeper comes late, or one call of the application makes two collections. */
Test(liveness, of_two_collections_between_looks_the_first_is_taken_for_the_end) {
    hs_epochs_init(&liveness.epochs, HS_SERIAL, 0);
    struct hs_recording *recording = record(0);
    hs_ref old = track(1, 5, 100);
    take();
    hs_epochs_pause(&liveness.epochs);
    take();
    hs_ref young = track(1, 6, 100);
    hs_epochs_pause(&liveness.epochs);
    hs_epochs_pause(&liveness.epochs);
    fake_clear(old);
    fake_clear(young);
    take();
    cr_assert_eq(lifetimes_of(recording, 5).by_collections[1], 1.0);
    cr_assert_eq(lifetimes_of(recording, 6).by_collections[0], 1.0);
}

/* A pause, a birth and a death, all between the look at the canary and the look at the object. */
static hs_ref late;

static void be_born_and_die(hs_ref canary) {
    (void)canary;
    hs_epochs_pause(&liveness.epochs);
    late = track(1, 5, hs_clock_monotonic_us());
    fake_clear(late);
}

Test(liveness, an_object_born_during_the_census_has_survived_nothing) {
    hs_epochs_init(&liveness.epochs, HS_SERIAL, 0);
    record(0);
    fake.after_garbage = be_born_and_die;
    take();
    fake.after_garbage = NULL;
    cr_assert(fake_is_released(late));
    cr_assert_eq(hs_dead_ring_get(liveness.store->dead_ring, 0)->collections, 0);
}

Test(liveness, what_left_the_ring_is_counted_where_it_was_known) {
    struct hs_recording *first = record(0);
    struct hs_recording *second = record(1);
    for (uint32_t i = 0; i < SMALL_LIMITS.dead + 3; i++) {
        hs_ref ref = track(i == 0 ? 2 : 3, 1, 100);
        fake_clear(ref);
    }
    take();
    cr_assert_eq(first->deaths, SMALL_LIMITS.dead + 2);
    cr_assert_eq(second->deaths, SMALL_LIMITS.dead + 3);
    cr_assert_eq(first->drops[HS_DROP_DEAD_FORGOTTEN], 2);
    cr_assert_eq(second->drops[HS_DROP_DEAD_FORGOTTEN], 3);
    cr_assert_eq(lifetimes_of(second, 1).deaths, SMALL_LIMITS.dead + 3, "the lifetimes stay");
}

Test(liveness, lifetimes_are_weighed_with_thinning_and_interval) {
    struct hs_recording *recording = record(0);
    struct hs_sample sample = {.recordings = 1, .size = 4096, .drawn = 65536, .site = {5}};
    for (uint32_t i = 0; i <= SMALL_LIMITS.tracked; i++) {
        hs_ref displaced;
        hs_ref ref = fake_ref();
        cr_assert_eq(hs_live_add(liveness.store->live, ref, &sample,
                                 i % 2 == 0 ? 0x10000000 + i * 0x123457 : UINT32_MAX, &displaced),
                     HS_OK);
        fake_clear(ref);
        if (displaced != 0) {
            fake_release(FAKE_ENV, displaced);
        }
    }
    cr_assert_eq(hs_live_level(liveness.store->live), 1);
    take();
    struct hs_weight weight = hs_estimate_weigh(4096, 65536, 1);
    struct hs_lifetimes lifetimes = lifetimes_of(recording, 5);
    double sum = 0.0;
    for (int i = 0; i < HS_LIFETIME_AGES; i++) {
        sum += lifetimes.by_age[i];
    }
    cr_assert_eq(lifetimes.deaths, SMALL_LIMITS.tracked / 2 + 1);
    cr_assert_float_eq(sum, (double)lifetimes.deaths * weight.objects, 1e-6);
}

Test(liveness, what_belongs_to_closed_recordings_goes_without_a_trace) {
    record(0);
    hs_ref orphan = track(4, 5, 100);
    hs_ref dead = track(4, 5, 100);
    fake_clear(dead);
    take();
    cr_assert(fake_is_released(orphan));
    cr_assert(fake_is_released(dead));
    cr_assert_eq(hs_dead_ring_count(liveness.store->dead_ring), 0);
}

Test(liveness, a_forced_collection_is_noticed) {
    record(0);
    hs_ref ref = track(1, 5, 100);
    struct hs_birth birth = hs_epochs_now(&liveness.epochs);
    cr_assert(hs_liveness_take_after(&liveness, FAKE_ENV, HS_AFTER_FORCED));
    cr_assert_eq(fake.forced, 1);
    cr_assert(hs_epochs_is_confirmed(&liveness.epochs, &birth, 24));
    cr_assert_not(fake_is_released(ref));
    fake_clear(ref);
    cr_assert(hs_liveness_take_after(&liveness, FAKE_ENV, HS_AFTER_FORCED));
    cr_assert(fake_is_released(ref));
}

/* Small or as large as what may be born old. */
static bool is_confirmed(const struct hs_birth *birth) {
    return hs_epochs_is_confirmed(&liveness.epochs, birth, 24) &&
           hs_epochs_is_confirmed(&liveness.epochs, birth, UINT32_MAX);
}

Test(liveness, an_expected_collection_serves_in_place_of_a_forced_one) {
    hs_epochs_init(&liveness.epochs, HS_SERIAL, 1 << 20);
    record(0);
    hs_ref ref = track(1, 5, 100);
    struct hs_birth before = hs_epochs_now(&liveness.epochs);
    struct hs_after expected = hs_liveness_expect(&liveness, FAKE_ENV);
    cr_assert_gt(expected.number, 0);
    fake_collect();
    fake_clear(ref);
    struct hs_birth after = hs_epochs_now(&liveness.epochs);
    cr_assert(hs_liveness_take_after(&liveness, FAKE_ENV, expected));
    cr_assert_eq(fake.forced, 0);
    cr_assert(is_confirmed(&before));
    cr_assert_not(hs_epochs_is_confirmed(&liveness.epochs, &after, 24));
    cr_assert(fake_is_released(ref));
}

Test(liveness, a_sweep_after_an_expected_collection_takes_nothing_from_it) {
    hs_epochs_init(&liveness.epochs, HS_SERIAL, 1 << 20);
    record(0);
    struct hs_birth before = hs_epochs_now(&liveness.epochs);
    struct hs_after expected = hs_liveness_expect(&liveness, FAKE_ENV);
    fake_collect();
    take();
    struct hs_birth after = hs_epochs_now(&liveness.epochs);
    cr_assert_not(is_confirmed(&before), "nothing says that it was a full one");
    cr_assert(hs_liveness_take_after(&liveness, FAKE_ENV, expected));
    cr_assert_eq(fake.forced, 0);
    cr_assert(is_confirmed(&before));
    cr_assert_not(hs_epochs_is_confirmed(&liveness.epochs, &after, 24));
}

Test(liveness, two_can_expect_the_same_collection) {
    record(0);
    struct hs_birth before = hs_epochs_now(&liveness.epochs);
    struct hs_after one = hs_liveness_expect(&liveness, FAKE_ENV);
    struct hs_birth between = hs_epochs_now(&liveness.epochs);
    struct hs_after other = hs_liveness_expect(&liveness, FAKE_ENV);
    fake_collect();
    cr_assert(hs_liveness_take_after(&liveness, FAKE_ENV, one));
    cr_assert(is_confirmed(&before));
    cr_assert(hs_liveness_take_after(&liveness, FAKE_ENV, other));
    cr_assert(is_confirmed(&between));
    cr_assert_eq(fake.forced, 0);
}

Test(liveness, where_an_expected_collection_did_not_come_one_is_forced) {
    record(0);
    struct hs_birth before = hs_epochs_now(&liveness.epochs);
    cr_assert(hs_liveness_take_after(&liveness, FAKE_ENV, hs_liveness_expect(&liveness, FAKE_ENV)));
    cr_assert_eq(fake.forced, 1);
    cr_assert(is_confirmed(&before));
    fake.refuses_garbage = true;
    cr_assert_eq(hs_liveness_expect(&liveness, FAKE_ENV).number, HS_AFTER_FORCED.number,
                 "no canary, no number");
    fake.refuses_garbage = false;
}

Test(liveness, a_forced_collection_that_did_not_come_is_noticed_too) {
    record(0);
    struct hs_birth birth = hs_epochs_now(&liveness.epochs);
    fake.ignores_forced = HS_LIVENESS_TRIES;
    cr_assert_not(hs_liveness_take_after(&liveness, FAKE_ENV, HS_AFTER_FORCED));
    cr_assert_eq(fake.forced, HS_LIVENESS_TRIES);
    cr_assert_not(hs_epochs_is_confirmed(&liveness.epochs, &birth, 24));
    fake.refuses_garbage = true;
    cr_assert_not(hs_liveness_take_after(&liveness, FAKE_ENV, HS_AFTER_FORCED),
                  "no canary, no proof");
    cr_assert_eq(fake.forced, HS_LIVENESS_TRIES + 1, "and no other try");
}

Test(liveness, a_forced_collection_that_the_vm_left_out_is_requested_again) {
    record(0);
    struct hs_birth birth = hs_epochs_now(&liveness.epochs);
    fake.ignores_forced = HS_LIVENESS_TRIES - 1;
    cr_assert(hs_liveness_take_after(&liveness, FAKE_ENV, HS_AFTER_FORCED));
    cr_assert_eq(fake.forced, HS_LIVENESS_TRIES);
    cr_assert(hs_epochs_is_confirmed(&liveness.epochs, &birth, 24));
}

Test(liveness, where_nothing_collects_one_try_is_enough) {
    record(0);
    liveness.epochs.collector = HS_EPSILON;
    fake.ignores_forced = HS_LIVENESS_TRIES;
    cr_assert_not(hs_liveness_take_after(&liveness, FAKE_ENV, HS_AFTER_FORCED));
    cr_assert_eq(fake.forced, 1);
}

/* As many as make the level of a bounded table rise; a sweep drops them all. */
static void fill_up(hs_live *live) {
    uint32_t level = hs_live_level(live);
    struct hs_sample sample = {
        .recordings = 1, .size = 24, .birth = hs_epochs_now(&liveness.epochs)};
    hs_ref displaced;
    hs_ref ref;
    do {
        ref = fake_ref();
    } while (hs_live_add(live, ref, &sample, UINT32_MAX >> level, &displaced) == HS_OK);
    fake_release(FAKE_ENV, ref);
    cr_assert_eq(hs_live_level(live), level + 1);
}

Test(liveness, what_is_held_is_charged_and_the_level_kept_until_a_collection_is_seen) {
    struct hs_limits limits = SMALL_LIMITS;
    limits.garbage_bytes = 512; /* 16 of 24 bytes, in powers of two */
    hs_store_free(liveness.store, &FAKE_OPS, FAKE_ENV);
    cr_assert_eq(hs_store_new(&limits, &liveness.store), HS_OK);
    hs_live *live = liveness.store->live;
    record(0);
    fill_up(live);
    take();
    fill_up(live);
    take();
    take();
    cr_assert_eq(hs_live_level(live), 2, "there was no collection");
    cr_assert_eq(hs_live_count(live), 0);
    fake_collect();
    take();
    cr_assert_eq(hs_live_level(live), 1);
    cr_assert(hs_liveness_take_after(&liveness, FAKE_ENV, HS_AFTER_FORCED));
    cr_assert_eq(hs_live_level(live), 0, "a forced one counts, too");
    track(1, 5, 100);
    take();
    cr_assert_eq(hs_garbage_charged(hs_live_garbage(live)), 32);
    fake_collect();
    take();
    cr_assert_eq(hs_garbage_charged(hs_live_garbage(live)), 32,
                 "it may be younger than the collection");
    fake_collect();
    take();
    cr_assert_eq(hs_garbage_charged(hs_live_garbage(live)), 0);
    cr_assert_eq(hs_live_count(live), 1);
}

Test(liveness, under_g1_what_lives_stays_charged) {
    struct hs_limits limits = SMALL_LIMITS;
    limits.garbage_bytes = 1 << 20;
    limits.garbage_from = 24;
    hs_store_free(liveness.store, &FAKE_OPS, FAKE_ENV);
    cr_assert_eq(hs_store_new(&limits, &liveness.store), HS_OK);
    liveness.epochs.collector = HS_G1;
    record(0);
    track(1, 5, 100);
    uint64_t charged = hs_garbage_charged(hs_live_garbage(liveness.store->live));
    cr_assert_gt(charged, 0);
    for (int i = 0; i < 3; i++) {
        fake_collect();
        take();
        cr_assert(hs_liveness_take_after(&liveness, FAKE_ENV, HS_AFTER_FORCED));
        cr_assert_geq(hs_garbage_charged(hs_live_garbage(liveness.store->live)), charged);
    }
    cr_assert_eq(hs_live_count(liveness.store->live), 1);
}
