/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* The sections LABELS and SITE_LABELS. */
#include "encoded_store.h"
#include "labelled.h"

TestSuite(encode_labels, .init = set_up, .fini = tear_down);

static void sample_with(int32_t line, uint64_t word) {
    struct hs_event event = small_event(store, "shop.Order", 7, 24);
    event.recordings = 1;
    event.labels = word == 0 ? NULL : hs_label_sets_find(word);
    hs_session_count(&session, &event, small_stack(store, line));
}

Test(encode_labels, without_labels_there_are_no_sections) {
    sample_with(1, 0);
    struct block block = encode(0);
    cr_assert_null(block.sections[LABELS].data);
    cr_assert_null(block.sections[SITE_LABELS].data);
    cr_assert_eq(block.sections[SITES].count, 1);
}

/* Every byte of them. */
Test(encode_labels, are_the_bytes_of_the_format) {
    static const unsigned char LABELS_GOLDEN[] = {
        0,  0, 0, 0,                                                     /* none */
        1,  0, 0, 0, 0,                                                  /* "(other)" */
        10, 0, 0, 0, 't', 'e', 'n', 'a', 'n', 't', 0, 't', '1', 0,       /* tenant=t1 */
        11, 0, 0, 0, 't', 'e', 'n', 'a', 'n', 't', 0, 't', '4', '2', 0}; /* tenant=t42 */
    static const unsigned char SITES_GOLDEN[] = {2, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 1, 0, 0, 0};
    uint64_t first = labelled_add(1);
    uint64_t second = labelled_add(42);
    sample_with(1, first);
    sample_with(1, 0);
    sample_with(1, second);
    sample_with(1, HS_LABELS_OTHER);
    struct block block = encode(0);
    cr_assert_eq(block.sections[LABELS].count, 4);
    cr_assert_eq(block.sections[LABELS].bytes, sizeof LABELS_GOLDEN);
    cr_assert(memcmp(block.sections[LABELS].data, LABELS_GOLDEN, sizeof LABELS_GOLDEN) == 0);
    cr_assert_eq(block.sections[SITE_LABELS].bytes, sizeof SITES_GOLDEN);
    cr_assert(memcmp(block.sections[SITE_LABELS].data, SITES_GOLDEN, sizeof SITES_GOLDEN) == 0);
    for (uint32_t i = 1; i < 4; i++) {
        cr_assert(memcmp(block_entry(&block, SITES, 0, 64), block_entry(&block, SITES, i, 64), 8) ==
                      0,
                  "the same stack and class");
    }
    (void)hs_label_sets_remove(&labelled_phaser, first);
    (void)hs_label_sets_remove(&labelled_phaser, second);
}

Test(encode_labels, a_recording_has_only_the_labels_of_its_sites) {
    uint64_t first = labelled_add(1);
    uint64_t second = labelled_add(2);
    sample_with(1, first);
    sample_with(1, second);
    struct hs_event event = small_event(store, "shop.Order", 7, 24);
    event.recordings = 2;
    event.labels = hs_label_sets_find(second);
    hs_session_count(&session, &event, small_stack(store, 1));
    struct block block = encode(1);
    cr_assert_eq(block.sections[LABELS].count, 2);
    cr_assert(block_labels_are(&block, 0, "tenant\0t2", 10));
    (void)hs_label_sets_remove(&labelled_phaser, first);
    (void)hs_label_sets_remove(&labelled_phaser, second);
}

/* All that found no room has the labels "(other)". */
Test(encode_labels, the_other_site_has_other_labels) {
    char name[16];
    uint64_t word = labelled_add(1);
    for (uint32_t i = 0; i < 2 * SMALL_LIMITS.sites; i++) {
        (void)snprintf(name, sizeof name, "shop.C%u", i);
        struct hs_event event = small_event(store, name, 7, 24);
        event.recordings = 1;
        event.labels = hs_label_sets_find(word);
        hs_session_count(&session, &event, small_stack(store, (int32_t)i));
    }
    struct block block = encode(0);
    cr_assert_eq(block_u32(block_entry(&block, SITES, 0, 64), 0), BLOCK_NONE, "the site (other)");
    cr_assert(block_labels_are(&block, 0, "\0", 1));
    uint64_t samples = 0;
    for (uint32_t i = 0; i < block.sections[SITES].count; i++) {
        samples += block_u64(block_entry(&block, SITES, i, 64), 8);
    }
    cr_assert_eq(samples, 2 * SMALL_LIMITS.sites);
    (void)hs_label_sets_remove(&labelled_phaser, word);
}
