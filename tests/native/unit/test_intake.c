/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Every way that a sample can end. After each, the thread has left the phaser, the sample was counted once, or
 * dropped for one cause, or neither, and the only reference left is that of a tracked object. */
#include "intake_under_test.h"

TestSuite(intake, .init = set_up, .fini = tear_down);

static const enum hs_drop NO_DROP = HS_DROP_COUNT;

static void use_store(const struct hs_limits *limits) {
    hs_store_free(session.store, &FAKE_OPS, FAKE_ENV);
    cr_assert_eq(hs_store_new(limits, &session.store), HS_OK);
}

static uint64_t seen(void) {
    return hs_intake_seen(&intake);
}

/* Takes in `report`, which was the first, and checks what became of it. */
static void ends_as(uint64_t picked, uint64_t counted, enum hs_drop drop) {
    (void)fake_take_in(&report);
    check_left();
    cr_assert_eq(seen(), picked);
    cr_assert_eq(hs_tally_sum(&recording->samples), counted);
    cr_assert_eq(small_drops(recording), drop != NO_DROP);
    cr_assert(drop == NO_DROP || recording->drops[drop] == 1, "another cause was counted");
    cr_assert_eq(small_total(recording->sums[0].sites.totals, SMALL_LIMITS.sites).samples, counted);
    cr_assert_eq(small_total(recording->sums[0].threads.totals, SMALL_LIMITS.threads).samples,
                 counted);
}

static void ends_as_nothing(enum fake_call last) {
    ends_as(0, 0, NO_DROP);
    cr_assert_eq(report.last, last, "the VM got other requests");
}

static void ends_as_drop(enum hs_drop drop) {
    ends_as(1, 0, drop);
    cr_assert_eq(fake_outstanding(), 0);
}

/* `drop`: counted beside it. */
static void ends_as_counted(enum hs_drop drop, bool is_tracked) {
    ends_as(1, 1, drop);
    cr_assert_eq(hs_live_count(session.store->live), is_tracked);
}

/* ---- it is no sample ---- */

Test(intake, threads_of_our_own_are_no_samples) {
    self->is_hidden = true;
    ends_as_nothing(FAKE_NONE);
    self->is_hidden = false;
}

Test(intake, an_allocation_that_the_gap_passes_over_is_no_sample) {
    intake.strategy = (struct hs_strategy){HS_BY_ALLOCATIONS, 100};
    self->gap = 5;
    ends_as_nothing(FAKE_NONE);
    cr_assert_eq(self->gap, 4, "it counts for the gap");
}

Test(intake, without_a_session_it_is_no_sample) {
    publish(NULL);
    ends_as_nothing(FAKE_NONE);
}

Test(intake, one_that_is_not_due_is_no_sample) {
    report.is_not_due = true;
    ends_as_nothing(FAKE_IS_DUE);
}

Test(intake, one_without_a_thread_is_no_sample) {
    report.report.has_thread = false;
    ends_as_nothing(FAKE_IS_DUE);
}

/* Kept with the chance 16 / 2^31. */
Test(intake, one_that_the_strategy_does_not_pick_is_no_sample) {
    session.interval = INT32_MAX;
    report.report.size = 16;
    ends_as_nothing(FAKE_IS_DUE);
}

/* ---- it is a sample that no recording wants ---- */

Test(intake, of_a_thread_that_no_recording_wants_not_even_the_class_is_named) {
    const int64_t threads[] = {8};
    hs_recording_free(recording);
    recording = small_recording(session.store, 0,
                                &(struct hs_filter){.threads = threads, .thread_count = 1});
    session.recordings[0] = recording;
    ends_as(1, 0, NO_DROP);
    cr_assert_eq(report.last, FAKE_THREAD_ID);
}

/* Another recording wants the thread, but not the class. */
Test(intake, of_a_class_that_no_recording_wants_no_stack_is_requested) {
    const char *classes[] = {"shop.Order"};
    const int64_t threads[] = {8};
    struct hs_recording *other = recording;
    recording = small_recording(session.store, 0,
                                &(struct hs_filter){.threads = threads, .thread_count = 1});
    session.recordings[0] = recording;
    hs_recording_free(other);
    other = small_recording(session.store, 1,
                            &(struct hs_filter){.classes = classes, .class_count = 1});
    session.recordings[session.count++] = other;
    ends_as(1, 0, NO_DROP);
    cr_assert_eq(report.last, FAKE_NAME_CLASS);
    session.count--;
    hs_recording_free(other);
}

Test(intake, a_recording_whose_time_is_up_wants_none) {
    atomic_store(&recording->deadline_us, 1);
    ends_as(1, 0, NO_DROP);
    cr_assert_eq(report.last, FAKE_NAME_CLASS);
}

/* ---- it is dropped ---- */

Test(intake, a_sample_point_of_before_is_a_phantom_where_that_is_to_be_feared) {
    atomic_store(&intake.has_rival, true);
    atomic_store(&intake.enable, 2);
    ends_as_drop(HS_DROP_PHANTOM);
    cr_assert_eq(report.last, FAKE_NAME_CLASS);
}

Test(intake, a_phantom_that_is_not_due_is_still_counted) {
    atomic_store(&intake.has_rival, true);
    atomic_store(&intake.enable, 2);
    report.is_not_due = true;
    ends_as_drop(HS_DROP_PHANTOM);
}

Test(intake, a_vm_that_counts_always_is_not_asked_what_is_due) {
    intake.counts_always = true;
    report.is_not_due = true;
    ends_as_counted(NO_DROP, true);
}

Test(intake, our_own_allocations_are_dropped) {
    report.walked = HS_OWN;
    ends_as_drop(HS_DROP_OWN);
}

Test(intake, without_memory_for_its_stack_it_is_dropped) {
    report.walked = HS_NO_MEMORY;
    ends_as_drop(HS_DROP_NATIVE_MEMORY);
}

Test(intake, without_memory_for_the_name_of_its_class_it_is_dropped) {
    report.named = HS_NO_MEMORY;
    ends_as_drop(HS_DROP_NATIVE_MEMORY);
}

/* An hour is one period, of which one sample at most is kept. */
Test(intake, what_the_cap_refuses_is_dropped) {
    enum { OFFERED = 300 };
    struct hs_strategy hourly = {HS_BY_TIME, UINT64_C(3600000000)};
    cr_assert_eq(hs_intake_set_strategy(&intake, &hourly), HS_OK);
    for (uint64_t i = 1; i <= OFFERED; i++) {
        report = fake_report(&intake, "shop.Cart", SIZE);
        (void)fake_take_in(&report);
        check_left();
        uint64_t refused = recording->drops[HS_DROP_CAPPED] + recording->drops[HS_DROP_BURST];
        cr_assert_eq(small_drops(recording), refused);
        cr_assert_eq(seen(), i);
        cr_assert_eq(hs_tally_sum(&recording->samples) + refused, i);
    }
    cr_assert_leq(hs_tally_sum(&recording->samples), 1);
    cr_assert_gt(recording->drops[HS_DROP_BURST], 0);
}

/* ---- it is counted ---- */

Test(intake, a_sample_is_counted_and_tracked) {
    ends_as_counted(NO_DROP, true);
    cr_assert_eq(report.last, FAKE_NEW_REF);
}

Test(intake, a_sample_that_lacks_something_is_counted_and_says_so) {
    static const struct {
        struct hs_intake_stack found;
        enum hs_drop cause;
    } GAPS[] = {{{.is_missing = true}, HS_DROP_NO_STACK},
                {{.is_truncated = true}, HS_DROP_TRUNCATED},
                {{.is_shortened = true}, HS_DROP_STACKS_FULL},
                {{.lacks_names = true}, HS_DROP_NAMES_FULL}};
    for (uint32_t i = 0; i < sizeof GAPS / sizeof GAPS[0]; i++) {
        report = fake_report(&intake, "shop.Cart", SIZE);
        report.found = GAPS[i].found;
        (void)fake_take_in(&report);
        check_left();
        cr_assert_eq(recording->drops[GAPS[i].cause], 1);
        cr_assert_eq(small_drops(recording), i + 1);
        cr_assert_eq(hs_tally_sum(&recording->samples), i + 1);
    }
}

Test(intake, a_class_without_a_number_is_counted_and_says_so) {
    report.named = HS_FULL;
    ends_as_counted(HS_DROP_NAMES_FULL, true);
}

Test(intake, a_thread_without_room_is_counted_and_says_so) {
    report.numbered = HS_FULL;
    ends_as_counted(HS_DROP_THREADS_FULL, true);
}

/* The advice for full tables would not help. */
Test(intake, without_memory_for_its_thread_a_sample_is_dropped) {
    report.numbered = HS_NO_MEMORY;
    report.found.is_truncated = true; /* of no interest then */
    ends_as_drop(HS_DROP_NATIVE_MEMORY);
}

Test(intake, a_class_that_the_vm_does_not_name_is_counted_and_says_so) {
    report.named = HS_NO_STACK;
    ends_as_counted(HS_DROP_NO_STACK, true);
}

Test(intake, an_object_that_the_vm_does_not_report_is_counted_and_not_tracked) {
    report.report.has_object = false;
    ends_as_counted(HS_DROP_VALUE_OBJECT, false);
    cr_assert_eq(report.last, FAKE_NUMBER_THREAD);
}

Test(intake, an_object_that_has_no_reference_is_counted_and_not_tracked) {
    report.no_ref = HS_DROP_NO_REFERENCE;
    ends_as_counted(HS_DROP_NO_REFERENCE, false);
}

Test(intake, a_thinned_object_is_counted_and_costs_no_reference) {
    struct hs_limits none = SMALL_LIMITS;
    none.tracked = 0;
    use_store(&none);
    ends_as_counted(HS_DROP_THINNED, false);
    cr_assert_eq(report.last, FAKE_NUMBER_THREAD);
}

/* One that makes room for another gives its reference back in the callback of that other. */
Test(intake, a_full_live_table_keeps_as_many_references_as_it_has_entries) {
    enum { OFFERED = 2000 };
    uint32_t released = 0;
    for (uint32_t i = 0; i < OFFERED; i++) {
        report = fake_report(&intake, "shop.Cart", SIZE);
        (void)fake_take_in(&report);
        released += report.last == FAKE_RELEASE;
        check_left();
    }
    cr_assert_eq(hs_tally_sum(&recording->samples), OFFERED);
    cr_assert_leq(hs_live_count(session.store->live), SMALL_LIMITS.tracked);
    cr_assert_gt(released, 0);
}

Test(intake, each_recording_counts_for_itself) {
    const char *classes[] = {"shop.Item"};
    struct hs_recording *items = small_recording(
        session.store, 1, &(struct hs_filter){.classes = classes, .class_count = 1});
    session.recordings[session.count++] = items;
    ends_as(1, 1, NO_DROP);
    report = fake_report(&intake, "shop.Item", SIZE);
    report.walked = HS_OWN;
    (void)fake_take_in(&report);
    check_left();
    cr_assert_eq(recording->drops[HS_DROP_OWN] + items->drops[HS_DROP_OWN], 2);
    cr_assert_eq(hs_tally_sum(&items->samples), 0);
    hs_recording_free(items);
}

/* ---- the sweeper and the cost ---- */

static uint32_t signals_of_a_sample(void) {
    uint32_t before = atomic_load(&sweeper.signals);
    report = fake_report(&intake, "shop.Cart", SIZE);
    (void)fake_take_in(&report);
    check_left();
    return atomic_load(&sweeper.signals) - before;
}

Test(intake, sweeper_is_woken_when_a_sweep_is_due_and_not_otherwise) {
    atomic_store(&sweeper.order, HS_SWEEPER_RUN);
    cr_assert_eq(signals_of_a_sample(), 0);
    hs_garbage_ask_for_sweep(hs_live_garbage(session.store->live));
    cr_assert_eq(signals_of_a_sample(), 1);
    cr_assert_eq(signals_of_a_sample(), 0);
}

/* Only a measured sample looks for that. */
Test(intake, sweeper_is_woken_once_when_a_table_fills_up) {
    atomic_store(&sweeper.order, HS_SWEEPER_RUN);
    atomic_store(&intake.cost.left, 100);
    cr_assert_eq(signals_of_a_sample(), 0);
    for (char name[] = "a"; !hs_store_fills_up(session.store); name[0]++) {
        (void)small_name(session.store, name);
    }
    cr_assert_eq(signals_of_a_sample(), 1);
    cr_assert_eq(signals_of_a_sample(), 0);
}

Test(intake, measured_samples_have_a_cost) {
    atomic_store(&intake.cost.left, 1);
    ends_as_counted(NO_DROP, true);
    cr_assert_eq(atomic_load(&intake.cost.count), 1);
    (void)signals_of_a_sample();
    cr_assert_eq(atomic_load(&intake.cost.count), 1, "only this many are");
}
