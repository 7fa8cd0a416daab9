/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* The section EXAMPLES. */
#include "attached_record.h"
#include "encoded_store.h"

TestSuite(encode_examples, .init = set_up, .fini = tear_down);

/* `trace` 0: without. */
static void sample_with(int32_t line, unsigned char trace, uint64_t wanted_by) {
    struct hs_event event = small_event(store, "shop.Order", 7, 24);
    struct hs_otel_context context = attached_context(trace);
    context.label_bytes = 0;
    context.has_trace = trace != 0;
    event.recordings = wanted_by;
    hs_session_count_in(&session, &event, small_stack(store, line), &context);
}

Test(encode_examples, without_examples_there_is_no_section) {
    sample_with(1, 0, 3);
    struct block block = encode(0);
    cr_assert_null(block.sections[EXAMPLES].data);
    cr_assert_eq(block.sections[SITES].count, 1u);
}

/* Every byte of them. */
Test(encode_examples, are_the_bytes_of_the_format) {
    static const unsigned char GOLDEN[] = {
        0, 0, 0, 0, 0, 0, 0, 0, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7,
        7, 7, 7, 7, 7, 7, 7, 7, 2, 0, 0, 0, 0, 0, 0, 0, 8, 8, 8, 8, 8, 8, 8, 8,
        8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 2, 0, 0, 0, 0, 0, 0, 0,
        9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9};
    sample_with(1, 7, 1);
    sample_with(2, 0, 1);
    sample_with(3, 8, 1);
    sample_with(3, 9, 1);
    struct block block = encode(0);
    cr_assert_eq(block.sections[EXAMPLES].count, 3u);
    cr_assert_eq(block.sections[EXAMPLES].bytes, sizeof GOLDEN);
    cr_assert_arr_eq(block.sections[EXAMPLES].data, GOLDEN, sizeof GOLDEN);
    cr_assert_null(block.sections[LABELS].data);
}

Test(encode_examples, a_recording_has_those_of_its_own_samples) {
    sample_with(1, 7, 1);
    sample_with(1, 8, 2);
    struct block first = encode(0);
    cr_assert_eq(first.sections[EXAMPLES].count, 1u);
    cr_assert_eq(block_entry(&first, EXAMPLES, 0, 32)[8], 7);
    struct block second = encode(1);
    cr_assert_eq(second.sections[EXAMPLES].count, 1u);
    cr_assert_eq(block_entry(&second, EXAMPLES, 0, 32)[8], 8);
}

Test(encode_examples, come_after_labels) {
    struct hs_event event = small_event(store, "shop.Order", 7, 24);
    struct hs_otel_context context = attached_context(7);
    event.recordings = 1;
    hs_session_count_in(&session, &event, small_stack(store, 1), &context);
    struct block block = encode(0);
    cr_assert_eq(block.sections[EXAMPLES].count, 1u);
    cr_assert(block_labels_are(&block, 0, ATTACHED_LABELS, sizeof ATTACHED_LABELS - 1));
}

/* All of them, or no block. */
Test(encode_examples, are_not_left_out_without_memory) {
    sample_with(1, 7, 1);
    struct hs_view view = {.store = store, .recording = session.recordings[0], .epochs = &epochs};
    enum hs_status status = HS_NO_MEMORY;
    for (uint64_t n = 1; status != HS_OK; n++) {
        hs_buffer_free(&buffer);
        hs_mem_fail_at(n);
        status = hs_encode(&view, &buffer);
        hs_mem_fail_at(0);
        cr_assert(status == HS_OK || status == HS_NO_MEMORY);
    }
    struct block block = block_read(&buffer);
    cr_assert_eq(block.sections[EXAMPLES].count, 1u);
}
