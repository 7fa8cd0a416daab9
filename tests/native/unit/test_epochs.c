/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "epochs_under_test.h"

static bool is_pausing(int collector) {
    return collector == HS_SERIAL || collector == HS_PARALLEL || collector == HS_G1;
}

/* A collection that frees young objects: in a pause, where the collector works so. */
static void collect(void) {
    if (is_pausing((int)epochs.collector)) {
        hs_epochs_pause(&epochs);
    }
    fake_collect();
}

Test(epochs, nothing_is_confirmed_before_a_collection_was_seen) {
    for (int c = HS_SERIAL; c <= HS_UNKNOWN_COLLECTOR; c++) {
        begin((enum hs_collector)c, BORN_OLD);
        struct hs_birth early = birth();
        cr_assert_not(is_confirmed(early), "collector %d", c);
        for (int i = 0; i < 3; i++) {
            cr_assert_not(advance(), "the canary lives");
            cr_assert_not(is_confirmed(early), "collector %d", c);
            cr_assert_not(is_confirmed(birth()), "collector %d", c);
            cr_assert_eq(hs_epochs_survived(hs_epochs_observed(&epochs), &early), 0);
        }
        cr_assert_eq(fake_outstanding(), 1, "one canary at a time");
        finish();
    }
}

Test(epochs, what_is_older_than_a_dead_canary_is_confirmed) {
    for (int c = HS_SERIAL; c <= HS_UNKNOWN_COLLECTOR; c++) {
        begin((enum hs_collector)c, BORN_OLD);
        struct hs_birth older = birth();
        advance();
        collect();
        cr_assert(advance(), "collector %d", c);
        cr_assert(is_confirmed(older), "collector %d", c);
        cr_assert_eq(hs_epochs_survived(hs_epochs_observed(&epochs), &older), 1);
        finish();
    }
}

/* The one promise that must never break: the collection that ended the canary may have begun before
 * the object was there. */
Test(epochs, what_is_younger_than_a_dead_canary_is_not_confirmed_by_its_death) {
    for (int c = HS_SERIAL; c <= HS_UNKNOWN_COLLECTOR; c++) {
        begin((enum hs_collector)c, BORN_OLD);
        advance();
        collect();
        struct hs_birth younger = birth();
        cr_assert(advance());
        cr_assert_not(is_confirmed(younger), "collector %d", c);
        collect();
        cr_assert(advance());
        cr_assert(is_confirmed(younger), "the next one counts, collector %d", c);
        uint32_t survived = hs_epochs_survived(hs_epochs_observed(&epochs), &younger);
        bool is_exact = c == HS_SERIAL || c == HS_PARALLEL;
        cr_assert(survived == 1 || (!is_exact && survived == 2), "a collection was seen late");
        finish();
    }
}

/* Between two sweeps there may be several canaries' worth of time, but each death counts only for
 * what was there before that canary. Objects born at random moments, a model that knows the truth:
 * n = 20,000 steps for each collector, no tolerance. */
Test(epochs, a_long_history_confirms_no_object_that_has_not_survived) {
    for (int c = HS_SERIAL; c <= HS_UNKNOWN_COLLECTOR; c++) {
        begin((enum hs_collector)c, 0);
        struct hs_birth born[64];
        int born_at[64];
        int collected_at = -1; /* when the last collection began */
        unsigned dice = 12345;
        for (int i = 0; i < 64; i++) {
            born[i] = birth();
            born_at[i] = 0;
        }
        for (int self = 1; self <= 20000; self++) {
            dice = dice * 1103515245u + 12345u;
            unsigned i = dice >> 16 & 63;
            switch (dice >> 28) {
            case 0:
                collect();
                collected_at = self;
                break;
            case 1: advance(); break;
            case 2: hs_epochs_pause(&epochs); break; /* one that frees nothing */
            default:
                born[i] = birth();
                born_at[i] = self;
                break;
            }
            if (is_confirmed(born[i])) {
                cr_assert_gt(collected_at, born_at[i], "collector %d, step %d", c, self);
            }
        }
        finish();
    }
}

Test(epochs, the_pause_count_confirms_what_came_before_the_first_pause) {
    static const enum hs_collector PAUSING[] = {HS_SERIAL, HS_PARALLEL, HS_G1};
    for (int i = 0; i < 3; i++) {
        begin(PAUSING[i], BORN_OLD);
        advance();
        struct hs_birth after_canary = birth();
        collect();
        struct hs_birth after_pause = birth();
        cr_assert(advance());
        cr_assert(is_confirmed(after_canary), "younger than the canary, older than the pause");
        cr_assert_not(is_confirmed(after_pause));
        finish();
    }
}

/* Serial and Parallel do so for a class histogram and for a heap dump. */
Test(epochs, a_collection_without_a_pause_confirms_what_is_older_than_the_canary) {
    for (int c = HS_SERIAL; c <= HS_G1; c++) {
        begin((enum hs_collector)c, BORN_OLD);
        struct hs_birth older = birth();
        advance();
        fake_collect();
        struct hs_birth younger = birth();
        cr_assert(advance());
        cr_assert(is_confirmed(older), "collector %d", c);
        cr_assert_not(is_confirmed(younger), "no collection has seen it, collector %d", c);
        collect();
        cr_assert(advance());
        cr_assert(is_confirmed(younger), "collector %d", c);
        finish();
    }
}

Test(epochs, pauses_confirm_nothing_where_they_free_nothing) {
    for (int c = HS_Z; c <= HS_UNKNOWN_COLLECTOR; c++) {
        begin((enum hs_collector)c, 0);
        advance();
        struct hs_birth after_canary = birth();
        hs_epochs_pause(&epochs);
        hs_epochs_pause(&epochs);
        fake_collect();
        cr_assert(advance());
        cr_assert_not(is_confirmed(after_canary), "collector %d", c);
        finish();
    }
}

Test(epochs, a_pause_alone_confirms_nothing) {
    for (int c = HS_SERIAL; c <= HS_G1; c++) {
        begin((enum hs_collector)c, 0);
        struct hs_birth older = birth();
        advance();
        hs_epochs_pause(&epochs); /* G1 remarks; the canary lives */
        cr_assert_not(advance());
        cr_assert_not(is_confirmed(older), "collector %d", c);
        finish();
    }
}

/* What other threads may do while the canary is being made. */
static struct hs_birth meanwhile;

static void be_born(hs_ref canary) {
    (void)canary;
    meanwhile = birth();
}

static void be_born_after_a_pause(hs_ref canary) {
    fake_clear(canary);
    hs_epochs_pause(&epochs);
    meanwhile = birth();
}

Test(epochs, an_object_born_right_after_the_canary_was_made_is_younger) {
    for (int c = HS_Z; c <= HS_UNKNOWN_COLLECTOR; c++) {
        begin((enum hs_collector)c, 0);
        fake.after_garbage = be_born;
        advance();
        fake.after_garbage = NULL;
        fake_collect();
        cr_assert(advance());
        cr_assert_not(is_confirmed(meanwhile), "collector %d", c);
        finish();
    }
}

Test(epochs, a_pause_right_after_the_canary_was_made_is_its_first) {
    for (int c = HS_SERIAL; c <= HS_G1; c++) {
        begin((enum hs_collector)c, 0);
        fake.after_garbage = be_born_after_a_pause;
        advance();
        fake.after_garbage = NULL;
        cr_assert(advance());
        cr_assert_not(is_confirmed(meanwhile), "collector %d", c);
        finish();
    }
}

Test(epochs, what_may_be_born_old_needs_a_forced_collection) {
    for (int c = HS_SERIAL; c <= HS_UNKNOWN_COLLECTOR; c++) {
        begin((enum hs_collector)c, BORN_OLD);
        struct hs_birth older = birth();
        advance();
        collect();
        advance();
        cr_assert(hs_epochs_is_confirmed(&epochs, &older, BORN_OLD - 1));
        cr_assert_eq(hs_epochs_is_confirmed(&epochs, &older, BORN_OLD), !is_pausing(c));
        cr_assert_eq(hs_epochs_is_confirmed(&epochs, &older, BORN_OLD + 1), !is_pausing(c));
        uint32_t number = before_full();
        cr_assert_neq(number, 0);
        struct hs_birth younger = birth();
        collect();
        cr_assert(after_full(number));
        cr_assert(hs_epochs_is_confirmed(&epochs, &older, BORN_OLD), "collector %d", c);
        cr_assert_not(hs_epochs_is_confirmed(&epochs, &younger, BORN_OLD), "collector %d", c);
        finish();
    }
}

Test(epochs, nothing_is_born_old_where_the_bound_is_zero) {
    begin(HS_SERIAL, 0);
    struct hs_birth older = birth();
    advance();
    collect();
    advance();
    cr_assert(hs_epochs_is_confirmed(&epochs, &older, UINT64_MAX));
    finish();
}

Test(epochs, a_forced_collection_that_did_not_happen_confirms_nothing) {
    for (int c = HS_SERIAL; c <= HS_UNKNOWN_COLLECTOR; c++) {
        begin((enum hs_collector)c, BORN_OLD);
        struct hs_birth older = birth();
        uint32_t number = before_full();
        cr_assert_neq(number, 0);
        cr_assert_not(after_full(number));
        cr_assert_not(is_confirmed(older));
        cr_assert_not(hs_epochs_is_confirmed(&epochs, &older, BORN_OLD));
        collect(); /* an ordinary one, later */
        cr_assert(advance());
        cr_assert(is_confirmed(older));
        cr_assert_eq(hs_epochs_is_confirmed(&epochs, &older, BORN_OLD), !is_pausing(c));
        finish();
    }
}

Test(epochs, a_forced_collection_confirms_what_came_since_the_last_canary) {
    begin(HS_Z, 0);
    advance();
    struct hs_birth between = birth();
    uint32_t number = before_full();
    cr_assert_neq(number, 0);
    cr_assert_eq(fake_outstanding(), 1, "the old canary went back");
    collect();
    cr_assert(after_full(number));
    cr_assert(is_confirmed(between));
    finish();
}

Test(epochs, a_collection_found_right_before_a_forced_one_counts_too) {
    begin(HS_Z, 0);
    struct hs_birth older = birth();
    advance();
    collect();
    uint32_t number = before_full();
    cr_assert_neq(number, 0);
    cr_assert(is_confirmed(older));
    collect();
    cr_assert(after_full(number));
    cr_assert_eq(hs_epochs_survived(hs_epochs_observed(&epochs), &older), 2);
    finish();
}

Test(epochs, without_a_canary_nothing_is_seen_and_the_next_look_tries_again) {
    begin(HS_Z, 0);
    struct hs_birth older = birth();
    fake.refuses_garbage = true;
    cr_assert_not(advance());
    collect();
    cr_assert_not(advance());
    cr_assert_eq(before_full(), 0);
    cr_assert_not(is_confirmed(older));
    fake.refuses_garbage = false;
    cr_assert_not(advance());
    collect();
    cr_assert(advance());
    cr_assert(is_confirmed(older));
    finish();
}

Test(epochs, pauses_are_collections_only_where_each_pause_is_one) {
    for (int c = HS_SERIAL; c <= HS_UNKNOWN_COLLECTOR; c++) {
        begin((enum hs_collector)c, 0);
        struct hs_birth older = birth();
        advance();
        for (int i = 0; i < 5; i++) {
            hs_epochs_pause(&epochs);
        }
        fake_collect();
        advance();
        uint32_t wanted = c == HS_SERIAL || c == HS_PARALLEL ? 5 : 1;
        cr_assert_eq(hs_epochs_survived(hs_epochs_observed(&epochs), &older), wanted,
                     "collector %d", c);
        struct hs_birth younger = birth();
        cr_assert_eq(hs_epochs_survived(hs_epochs_observed(&epochs), &younger), 0, "collector %d",
                     c);
        cr_assert_eq(hs_epochs_collections(&epochs), wanted, "collector %d", c);
        cr_assert_eq(younger.collections, wanted, "collector %d", c);
        finish();
    }
}

/* A pause after the last look, then an object: the table is read before the next look. */
Test(epochs, an_object_younger_than_the_last_look_has_survived_nothing) {
    for (int c = HS_SERIAL; c <= HS_UNKNOWN_COLLECTOR; c++) {
        begin((enum hs_collector)c, 0);
        advance();
        hs_epochs_pause(&epochs);
        struct hs_birth younger = birth();
        cr_assert_eq(hs_epochs_survived(hs_epochs_observed(&epochs), &younger), 0, "collector %d",
                     c);
        finish();
    }
}

/* The sweeper comes late: what is born between a collection and the look that finds it. */
Test(epochs, an_object_born_after_an_unseen_collection_has_not_survived_it) {
    static const enum hs_collector COUNTED[] = {HS_G1, HS_Z, HS_SHENANDOAH};
    for (size_t c = 0; c < sizeof COUNTED / sizeof *COUNTED; c++) {
        begin(COUNTED[c], BORN_OLD);
        advance();
        struct hs_birth before = birth();
        hs_epochs_pause(&epochs);
        fake_collect();
        struct hs_birth after = birth();
        cr_assert(advance());
        cr_assert_eq(hs_epochs_survived(hs_epochs_observed(&epochs), &before), 1, "collector %d",
                     COUNTED[c]);
        cr_assert_eq(hs_epochs_survived(hs_epochs_observed(&epochs), &after), 0, "collector %d",
                     COUNTED[c]);
        hs_epochs_pause(&epochs);
        fake_collect();
        cr_assert(advance());
        cr_assert_eq(hs_epochs_survived(hs_epochs_observed(&epochs), &before), 2);
        cr_assert_eq(hs_epochs_survived(hs_epochs_observed(&epochs), &after), 1);
        finish();
    }
}

/* Where a collector puts a small object into the old generation, young collections do not free it. */
static void begin_with_a_canary_born_old(enum hs_collector collector) {
    begin(collector, BORN_OLD);
    advance();
    atomic_store(&fake.collected,
                 atomic_load(&fake.garbage_made)); /* fake_collect passes it over */
}

Test(epochs, a_canary_born_in_the_old_generation_is_replaced_after_two_pauses) {
    for (int c = HS_SERIAL; c <= HS_PARALLEL; c++) {
        begin_with_a_canary_born_old((enum hs_collector)c);
        struct hs_birth before = birth();
        collect();
        cr_assert_not(advance(), "one pause may have come before it was there");
        cr_assert_eq(fake.garbage_made, 1);
        collect();
        cr_assert_not(advance());
        cr_assert_not(is_confirmed(before), "nothing by a canary that lives, collector %d", c);
        cr_assert_eq(fake.garbage_made, 2, "another canary, collector %d", c);
        cr_assert_eq(fake_outstanding(), 1, "instead of the old one");
        struct hs_birth after = birth();
        collect();
        cr_assert(advance());
        cr_assert(is_confirmed(before), "collector %d", c);
        cr_assert(is_confirmed(after), "collector %d", c);
        finish();
    }
}

/* A full collection frees it and has inspected all other objects as well. */
Test(epochs, a_canary_born_in_the_old_generation_counts_when_it_is_freed) {
    for (int c = HS_SERIAL; c <= HS_PARALLEL; c++) {
        begin_with_a_canary_born_old((enum hs_collector)c);
        struct hs_birth before = birth();
        collect();
        hs_epochs_pause(&epochs);
        fake_clear(epochs.canary);
        cr_assert(advance());
        cr_assert(is_confirmed(before), "collector %d", c);
        finish();
    }
}

/* Pauses that free nothing are usual there, and each new canary begins with a new number. */
Test(epochs, a_canary_stays_where_pauses_are_not_collections) {
    for (int c = HS_G1; c <= HS_UNKNOWN_COLLECTOR; c++) {
        begin((enum hs_collector)c, BORN_OLD);
        advance();
        for (int i = 0; i < 5; i++) {
            hs_epochs_pause(&epochs);
            cr_assert_not(advance());
        }
        cr_assert_eq(fake.garbage_made, 1, "collector %d", c);
        finish();
    }
}

Test(epochs, releasing_twice_is_harmless) {
    begin(HS_G1, 0);
    advance();
    hs_epochs_release(&epochs, &FAKE_OPS, FAKE_ENV);
    hs_epochs_release(&epochs, &FAKE_OPS, FAKE_ENV);
    cr_assert_not(advance(), "and a new canary follows");
    cr_assert_eq(fake_outstanding(), 1);
    finish();
}
