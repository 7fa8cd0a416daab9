/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Examples through generations of tables. */
#include "hs_rotation.h"

#include "attached_record.h"
#include "rotated_session.h"

TestSuite(rotation_examples, .init = set_up, .fini = tear_down);

/* Large, so that the site keeps its stack in the next tables. */
static void sample_with(unsigned char trace) {
    struct hs_event event = small_event(session.store, "shop.Order", 7, 1 << 30);
    struct hs_otel_context context = attached_context(trace);
    event.recordings = 1;
    hs_session_count_in(&session, &event, small_stack(session.store, 1), &context);
}

/* The traces that all sites of a recording have, as digits. */
static uint32_t traces(uint32_t recording) {
    const struct hs_store *store = session.store;
    uint32_t digits = 0;
    for (uint32_t id = 0; id < hs_intern_end(store->sites.table); id++) {
        struct hs_example examples[HS_EXAMPLES];
        uint32_t count =
            hs_examples_read(recordings[recording]->sums[store->code_generation].examples,
                             (struct hs_site_id){id}, examples);
        for (uint32_t i = 0; i < count; i++) {
            digits = digits * 10 + examples[i].trace[0];
        }
    }
    return digits;
}

Test(rotation_examples, stay_with_their_site) {
    uint32_t stack = 0;
    sample_with(1);
    sample_with(2);
    for (int round = 0; round < 5; round++) {
        stack = fill(stack);
        sweep();
        rotate();
        cr_assert_eq(traces(0), 12u);
        cr_assert_eq(traces(1), 0u);
    }
    sample_with(3);
    sample_with(4);
    cr_assert_eq(traces(0), 234u);
}

Test(rotation_examples, that_a_late_callback_adds_are_moved_by_the_next_pass) {
    sample_with(1);
    (void)fill(0);
    struct hs_session old = session;
    struct hs_store *store = next_generation();
    cr_assert(hs_rotation_move(store, recordings));
    cr_assert_eq(traces(0), 1u);
    struct hs_session new = session;
    session = old;
    sample_with(2);
    session = new;
    cr_assert(hs_rotation_move_last(store, recordings));
    hs_rotation_end(store, recordings, &FAKE_OPS, FAKE_ENV);
    cr_assert_eq(traces(0), 12u);
    const struct hs_sums *before = &recordings[0]->sums[1 - store->code_generation];
    cr_assert_not(hs_examples_has_any(before->examples),
                  "the generation after the next one has other sites with these numbers");
}
