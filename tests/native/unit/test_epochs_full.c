/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Canaries in a heap that is nearly full. */
#include "epochs_under_test.h"

static void collect(void) {
    if (epochs.collector == HS_G1) {
        hs_epochs_pause(&epochs);
    }
    fake_collect();
}

enum { FULL = HS_WHOLE_HEAP - HS_WHOLE_HEAP / 16 + 1 };

Test(epochs_full, no_canary_is_made_in_a_heap_that_is_nearly_full) {
    static const enum hs_collector FAILING[] = {HS_G1,
                                                HS_Z,
                                                HS_Z_GENERATIONAL,
                                                HS_SHENANDOAH,
                                                HS_SHENANDOAH_GENERATIONAL,
                                                HS_UNKNOWN_COLLECTOR};
    for (size_t c = 0; c < sizeof FAILING / sizeof *FAILING; c++) {
        begin(FAILING[c], BORN_OLD);
        struct hs_birth older = birth();
        advance();
        fake.used_heap = FULL;
        collect();
        cr_assert(advance());
        cr_assert(is_confirmed(older), "collector %d", FAILING[c]);
        struct hs_birth younger = birth();
        collect();
        cr_assert_not(advance());
        cr_assert_eq(fake_outstanding(), 0, "no canary, collector %d", FAILING[c]);
        fake.used_heap = FULL - 1;
        advance();
        cr_assert_eq(fake_outstanding(), 1, "room again, collector %d", FAILING[c]);
        collect();
        cr_assert(advance());
        cr_assert(is_confirmed(younger), "collector %d", FAILING[c]);
        finish();
    }
}

/* They serve small objects when large ones have failed already. */
Test(epochs_full, serial_and_parallel_have_room_for_a_canary_to_the_end) {
    for (int c = HS_SERIAL; c <= HS_PARALLEL; c++) {
        begin((enum hs_collector)c, BORN_OLD);
        fake.used_heap = HS_WHOLE_HEAP;
        advance();
        cr_assert_eq(fake_outstanding(), 1, "collector %d", c);
        finish();
    }
}

Test(epochs_full, a_canary_that_found_no_room_is_not_tried_again_before_there_is_more) {
    begin(HS_G1, BORN_OLD);
    fake.used_heap = HS_WHOLE_HEAP / 2; /* where objects take whole regions */
    fake.refuses_garbage = true;
    advance();
    uint32_t tried_at = epochs.epoch;
    advance();
    cr_assert_eq(epochs.epoch, tried_at, "no second failure");
    fake.refuses_garbage = false;
    fake.used_heap = HS_WHOLE_HEAP / 2 - HS_WHOLE_HEAP / 16;
    advance();
    cr_assert_eq(fake_outstanding(), 1);
    finish();
}

/* A canary that finds no room while half of the heap is unused. */
static void fail_at_half(void) {
    begin(HS_G1, BORN_OLD);
    fake.used_heap = HS_WHOLE_HEAP / 2;
    fake.refuses_garbage = true;
    advance();
    fake.refuses_garbage = false;
    advance();
    cr_assert_eq(fake_outstanding(), 0, "not tried again");
}

static void empty_the_heap(hs_ref none) {
    cr_assert_eq(none, 0);
    fake.used_heap = HS_WHOLE_HEAP / 16;
}

/* The error of memory that another thread met at the same time may have freed what filled the heap. */
Test(epochs_full, what_was_unused_before_a_failure_counts) {
    begin(HS_G1, BORN_OLD);
    fake.used_heap = HS_WHOLE_HEAP / 2;
    fake.refuses_garbage = true;
    fake.after_garbage = empty_the_heap;
    advance();
    fake.after_garbage = NULL;
    fake.refuses_garbage = false;
    fake.used_heap = HS_WHOLE_HEAP / 2 - HS_WHOLE_HEAP / 16;
    advance();
    cr_assert_eq(fake_outstanding(), 1);
    finish();
}

Test(epochs_full, failure_is_forgotten_after_some_pauses) {
    fail_at_half();
    for (int i = 1; i < 10; i++) {
        hs_epochs_pause(&epochs);
        advance();
        cr_assert_eq(fake_outstanding(), 0, "after pause %d", i);
    }
    hs_epochs_pause(&epochs);
    advance();
    cr_assert_eq(fake_outstanding(), 1);
    finish();
}

Test(epochs_full, failure_is_forgotten_when_a_forced_collection_has_its_canary) {
    fail_at_half();
    uint32_t number = before_full();
    cr_assert_neq(number, 0);
    collect();
    cr_assert(after_full(number));
    cr_assert_eq(fake_outstanding(), 1, "the next one");
    finish();
}

Test(epochs_full, failure_is_forgotten_when_sampling_begins_again) {
    fail_at_half();
    hs_epochs_forget_failure(&epochs);
    advance();
    cr_assert_eq(fake_outstanding(), 1);
    finish();
}

/* Its caller allocates itself, and is no thread of ours. */
Test(epochs_full, a_forced_collection_has_its_canary_in_a_full_heap) {
    begin(HS_G1, BORN_OLD);
    fake.used_heap = HS_WHOLE_HEAP;
    struct hs_birth older = birth();
    uint32_t number = before_full();
    cr_assert_neq(number, 0);
    collect();
    cr_assert(after_full(number));
    cr_assert(is_confirmed(older));
    finish();
}
