/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Samples of threads with an OpenTelemetry record. */
#include "attached_record.h"
#include "intake_under_test.h"
#include "labelled.h"

TestSuite(intake_otel, .init = set_up, .fini = tear_down);

static struct hs_site_id take(void) {
    report.last = FAKE_NONE;
    cr_assert_neq(fake_take_in(&report), 0);
    check_left();
    return self->last_site.id;
}

static const char *labels_of(struct hs_site_id site, uint32_t *bytes) {
    struct hs_site found;
    struct hs_label_id label = hs_sites_get(session.store->sites, site, &found)->label;
    *bytes = 0;
    return hs_labels_get(session.store->labels, label, bytes);
}

static void has_labels(struct hs_site_id site, const char *text, size_t bytes) {
    uint32_t count;
    const char *labels = labels_of(site, &count);
    cr_assert_eq(count, bytes);
    cr_assert_arr_eq(labels, text, bytes);
}

static uint32_t examples_of(struct hs_site_id site, struct hs_example result[HS_EXAMPLES]) {
    return hs_examples_read(recording->sums[0].examples, site, result);
}

Test(intake_otel, a_sample_has_the_labels_and_the_trace_of_the_record) {
    NEEDS_PEEK();
    struct hs_example examples[HS_EXAMPLES];
    attach_record(&intake.otel);
    struct hs_site_id site = take();
    has_labels(site, ATTACHED_LABELS, sizeof ATTACHED_LABELS - 1);
    cr_assert_eq(examples_of(site, examples), 1u);
    cr_assert_arr_eq(&examples[0], attached_record, sizeof examples[0]);
    attach_trace(5);
    cr_assert_eq(take().number, site.number);
    cr_assert_eq(examples_of(site, examples), 2u);
    cr_assert_eq(examples[1].trace[0], 5);
    cr_assert_eq(small_drops(recording), 0u);
}

Test(intake_otel, an_open_scope_wins) {
    NEEDS_PEEK();
    struct hs_example examples[HS_EXAMPLES];
    uint64_t word = labelled_add(1);
    attach_record(&intake.otel);
    uint64_t previous = hs_label_scopes_open(self, report.thread, word);
    struct hs_site_id inside = take();
    has_labels(inside, "tenant\0t1", 10);
    cr_assert_eq(examples_of(inside, examples), 0u);
    hs_label_scopes_close(self, previous);
    struct hs_site_id outside = take();
    cr_assert_neq(outside.number, inside.number);
    has_labels(outside, ATTACHED_LABELS, sizeof ATTACHED_LABELS - 1);
    (void)hs_label_sets_remove(&labelled_phaser, word);
}

Test(intake_otel, without_a_record_a_sample_is_as_before) {
    NEEDS_PEEK();
    struct hs_site_id before = take();
    attach_record(&intake.otel);
    attached = NULL;
    cr_assert_eq(take().number, before.number);
    uint32_t bytes;
    (void)labels_of(before, &bytes);
    cr_assert_eq(bytes, 0u);
    cr_assert_not(hs_examples_has_any(recording->sums[0].examples));
}

Test(intake_otel, a_record_without_attributes_gives_a_trace_only) {
    NEEDS_PEEK();
    struct hs_example examples[HS_EXAMPLES];
    uint32_t bytes;
    attach_record(&intake.otel);
    attached_record[26] = 0;
    struct hs_site_id site = take();
    (void)labels_of(site, &bytes);
    cr_assert_eq(bytes, 0u);
    cr_assert_eq(examples_of(site, examples), 1u);
}

Test(intake_otel, labels_that_find_no_room_are_other) {
    NEEDS_PEEK();
    struct hs_label_id id;
    char bytes[LABELLED_BYTES];
    for (uint32_t i = 0; i < HS_MAX_LABELS - 1; i++) {
        cr_assert_eq(hs_labels_put(session.store->labels, bytes, labelled_bytes(i, bytes), &id),
                     HS_OK);
    }
    attach_record(&intake.otel);
    has_labels(take(), "\0", 1);
    cr_assert_eq(recording->drops[HS_DROP_LABELS_FULL], 1u);
    cr_assert_eq(small_drops(recording), 1u);
}

Test(intake_otel, without_memory_for_an_example_the_sample_counts) {
    NEEDS_PEEK();
    struct hs_example examples[HS_EXAMPLES];
    attach_record(&intake.otel);
    attached_record[26] = 0;
    attach_trace(0);
    struct hs_site_id site = take(); /* all but the example has its memory now */
    attach_trace(3);
    hs_mem_fail_at(1);
    cr_assert_eq(take().number, site.number);
    cr_assert_eq(hs_tally_sum(&recording->samples), 2u);
    cr_assert_eq(examples_of(site, examples), 0u);
    cr_assert_eq(take().number, site.number);
    cr_assert_eq(examples_of(site, examples), 1u);
}
