/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* What a sample meets while it is taken in: another session, a new thread, labels. */
#include <pthread.h>

#include "intake_under_test.h"

TestSuite(intake_beside, .init = set_up, .fini = tear_down);

/* ---- the session is exchanged while a callback is inside ---- */

static struct hs_session next;
static enum fake_call exchanged_in;
static bool was_awaited; /* the wait ended while the callback was inside */

/* As hs_sampler_switch.c does it. */
static void exchange(enum fake_call call) {
    if (call == exchanged_in) {
        struct hs_session *to = next.count == 0 ? NULL : &next;
        cr_assert_eq(atomic_exchange(&intake.session, to), &session);
        was_awaited = hs_phaser_wait(&intake.phaser, 0);
    }
}

/* The exchange comes in this call. What the old session leads to may be freed once the wait has succeeded. */
static void exchange_in(enum fake_call call) {
    exchanged_in = call;
    was_awaited = true;
    report = fake_report(&intake, "shop.Cart", SIZE);
    report.during = exchange;
    (void)fake_take_in(&report);
    cr_assert_not(was_awaited, "the old session would have been freed under call %d", (int)call);
    check_left();
    cr_assert(hs_phaser_wait(&intake.phaser, 0), "it has left");
}

Test(intake_beside, a_sample_counts_in_the_session_that_it_has_entered) {
    struct hs_recording *later = small_recording(session.store, 1, NULL);
    next = session;
    next.recordings[0] = later;
    for (uint64_t i = 1; i < FAKE_RELEASE; i++) {
        publish(&session);
        exchange_in((enum fake_call)i);
        cr_assert_eq(hs_tally_sum(&recording->samples), i);
        cr_assert_eq(hs_tally_sum(&later->samples), i - 1);
        report = fake_report(&intake, "shop.Cart", SIZE);
        (void)fake_take_in(&report);
        cr_assert_eq(hs_tally_sum(&recording->samples), i);
        cr_assert_eq(hs_tally_sum(&later->samples), i, "the next one is in the new session");
    }
    hs_recording_free(later);
}

Test(intake_beside, a_sample_counts_although_sampling_ends_meanwhile) {
    next = (struct hs_session){.count = 0};
    for (uint64_t i = 1; i < FAKE_RELEASE; i++) {
        publish(&session);
        exchange_in((enum fake_call)i);
        cr_assert_eq(hs_tally_sum(&recording->samples), i);
    }
    cr_assert_eq(small_drops(recording), 0);
}

/* ---- threads ---- */

static void *take_in_without_memory(void *unused) {
    (void)unused;
    hs_mem_fail_at(1);
    (void)fake_take_in(&report);
    hs_mem_fail_at(0);
    return NULL;
}

static void *begin_thread(void *made) {
    hs_intake_thread(&intake);
    const struct hs_thread_state *mine = hs_thread_state_known();
    *(bool *)made = mine != NULL;
    cr_assert(mine == NULL || (mine->interval == 4096 && mine->enable == 3));
    return NULL;
}

static void run(void *(*function)(void *), void *argument) {
    pthread_t thread;
    cr_assert_eq(pthread_create(&thread, NULL, function, argument), 0);
    cr_assert_eq(pthread_join(thread, NULL), 0);
}

Test(intake_beside, without_memory_for_its_thread_it_is_dropped_at_each_recording) {
    run(take_in_without_memory, NULL);
    check_left();
    cr_assert_eq(report.last, FAKE_NONE);
    cr_assert_eq(small_drops(recording), 1);
    cr_assert_eq(recording->drops[HS_DROP_NATIVE_MEMORY], 1);
    publish(NULL);
    run(take_in_without_memory, NULL);
    check_left();
    cr_assert_eq(small_drops(recording), 1);
}

Test(intake_beside, a_thread_that_begins_has_a_step_while_sampling_is_on) {
    bool made = false;
    atomic_store(&intake.enable, 3);
    hs_interval_set(&intake.interval, 4096);
    run(begin_thread, &made);
    cr_assert(made);
    publish(NULL);
    run(begin_thread, &made);
    cr_assert_not(made);
    cr_assert_eq(atomic_load(&intake.births), 2);
}

/* ---- labels ---- */

static uint64_t add_labels(void) {
    uint64_t word;
    cr_assert_eq(hs_label_sets_add(&intake.phaser, "tenant\0acme", 12, 1, &word), HS_OK);
    return word;
}

/* The labels of the last sample, as their number. */
static uint32_t last_label(void) {
    struct hs_site site;
    cr_assert_not_null(hs_sites_get(session.store->sites, self->last_site.id, &site));
    return site.label.number;
}

static void take_one(int64_t thread) {
    report = fake_report(&intake, "shop.Cart", SIZE);
    report.thread = thread;
    (void)fake_take_in(&report);
    check_left();
}

Test(intake_beside, a_sample_has_the_labels_of_its_thread) {
    enum { THREAD = 7, FIBRE = 8, OTHER = 9 };
    bool is_lost;
    uint64_t word = add_labels();
    take_one(THREAD);
    cr_assert_eq(last_label(), 0);
    uint64_t previous = hs_label_scopes_open(self, THREAD, word);
    take_one(THREAD);
    cr_assert_gt(last_label(), HS_LABEL_OTHER);
    take_one(OTHER); /* carried by the same thread of the system */
    cr_assert_eq(last_label(), 0);
    size_t used = hs_mem_used();
    cr_assert_eq(hs_label_map_open(FIBRE, word, &is_lost), 0);
    used_before += hs_mem_used() - used; /* the map stays */
    take_one(FIBRE);
    cr_assert_gt(last_label(), HS_LABEL_OTHER);
    hs_label_map_close(FIBRE, 0);
    take_one(FIBRE);
    cr_assert_eq(last_label(), 0);
    (void)hs_label_sets_remove(&intake.phaser, word);
    take_one(THREAD);
    cr_assert_eq(last_label(), 0, "the set was removed while it was open");
    hs_label_scopes_close(self, previous);
    cr_assert_eq(small_drops(recording), 0);
}

Test(intake_beside, a_loss_is_counted_at_each_recording) {
    hs_intake_lose(&intake, HS_DROP_LABELS_FULL);
    cr_assert_eq(recording->drops[HS_DROP_LABELS_FULL], 1);
    publish(NULL);
    hs_intake_lose(&intake, HS_DROP_LABELS_FULL);
    cr_assert_eq(small_drops(recording), 1, "there is none now");
    check_left();
}
