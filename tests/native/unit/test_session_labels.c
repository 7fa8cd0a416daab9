/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Sites of samples with labels, and what becomes of labels that find no room. */
#include "hs_session.h"

#include "hs_mem.h"
#include "labelled.h"
#include "small_store.h"

static const struct hs_limits LIMITS = {
    .depth = 16, .tracked = 64, .stacks = 64, .names = 64, .sites = 32, .threads = 4, .dead = 4};

static size_t used_before;
static struct hs_store *store;
static struct hs_session session;
static struct hs_recording *recording;
static struct hs_last_site last;

static void set_up(void) {
    fake_reset();
    used_before = hs_mem_used();
    cr_assert_eq(hs_store_new(&LIMITS, &store), HS_OK);
    recording = small_recording(store, 0, NULL);
    last = (struct hs_last_site){0};
    session = (struct hs_session){.store = store, .count = 1, .recordings = {recording}};
}

static void tear_down(void) {
    cr_assert(hs_labels_is_valid(store->labels));
    hs_recording_free(recording);
    hs_store_free(store, &FAKE_OPS, FAKE_ENV);
    cr_assert_eq(hs_mem_used(), used_before);
}

TestSuite(session_labels, .init = set_up, .fini = tear_down);

/* Counts one sample of 24 bytes; answers its site. */
static struct hs_site_id count(const char *class_name, int32_t line, struct hs_label_set *labels) {
    struct hs_event event = small_event(store, class_name, 7, 24);
    event.labels = labels;
    event.last_site = &last;
    cr_assert(hs_session_match(&session, &event));
    hs_session_count(&session, &event, small_stack(store, line));
    return event.site;
}

static struct hs_label_set *labels_of(uint64_t word) {
    return hs_label_sets_find(word);
}

static struct hs_label_id label_of(struct hs_site_id id) {
    return hs_sites_get(store->sites, id, &(struct hs_site){0})->label;
}

static bool label_is(struct hs_site_id id, uint32_t tenant) {
    char bytes[LABELLED_BYTES];
    uint32_t wanted = labelled_bytes(tenant, bytes);
    uint32_t found;
    const char *text = hs_labels_get(store->labels, label_of(id), &found);
    return text != NULL && found == wanted && memcmp(text, bytes, found) == 0;
}

static uint64_t samples_of(struct hs_site_id id) {
    struct hs_total total = {0};
    (void)hs_site_sums_read(recording->sums[0].sites, id, &total);
    return total.samples;
}

Test(session_labels, each_set_has_a_site_of_its_own) {
    uint64_t acme = labelled_add(1);
    uint64_t blue = labelled_add(2);
    struct hs_site_id without = {0};
    struct hs_site_id with_acme = {0};
    struct hs_site_id with_blue = {0};
    for (int i = 0; i < 3; i++) {
        without = count("shop.Cart", 1, NULL);
        with_acme = count("shop.Cart", 1, labels_of(acme));
        (void)count("shop.Cart", 1, labels_of(acme)); /* as the last one */
        with_blue = count("shop.Cart", 1, labels_of(blue));
    }
    cr_assert_eq(label_of(without).number, 0);
    cr_assert(label_is(with_acme, 1));
    cr_assert(label_is(with_blue, 2));
    cr_assert_eq(samples_of(without), 3);
    cr_assert_eq(samples_of(with_acme), 6);
    cr_assert_eq(samples_of(with_blue), 3);
    cr_assert_eq(small_drops(recording), 0);
    (void)hs_label_sets_remove(&labelled_phaser, acme);
    (void)hs_label_sets_remove(&labelled_phaser, blue);
}

/* Copies of the Java classes, or one that lost a set and made it again. */
Test(session_labels, equal_sets_are_one) {
    uint64_t first = labelled_add(1);
    uint64_t second = labelled_add(1);
    struct hs_site_id site = count("shop.Cart", 1, labels_of(first));
    cr_assert_eq(count("shop.Cart", 1, labels_of(second)).number, site.number);
    (void)hs_label_sets_remove(&labelled_phaser, first);
    (void)hs_label_sets_remove(&labelled_phaser, second);
    cr_assert(label_is(site, 1), "samples keep the labels of a set that is gone");
}

/* What a set remembers is of other tables. */
Test(session_labels, other_tables_give_other_numbers) {
    uint64_t word = labelled_add(1);
    uint64_t before = labelled_add(2);
    struct hs_store *first = store;
    (void)count("shop.Cart", 1, labels_of(before));
    struct hs_site_id site = count("shop.Cart", 1, labels_of(word));
    cr_assert_eq(hs_store_new(&LIMITS, &store), HS_OK);
    session.store = store;
    struct hs_site_id next = count("shop.Cart", 1, labels_of(word));
    cr_assert(label_is(next, 1));
    cr_assert_neq(hs_sites_get(first->sites, site, &(struct hs_site){0})->label.number,
                  label_of(next).number);
    session.store = first;
    struct hs_store *second = store;
    store = first;
    cr_assert(label_is(count("shop.Cart", 1, labels_of(word)), 1));
    store = second;
    hs_store_free(first, &FAKE_OPS, FAKE_ENV);
    (void)hs_label_sets_remove(&labelled_phaser, word);
    (void)hs_label_sets_remove(&labelled_phaser, before);
}

Test(session_labels, the_other_set_is_counted) {
    struct hs_site_id site = {0};
    for (int i = 0; i < 3; i++) {
        site = count("shop.Cart", 1, labels_of(HS_LABELS_OTHER));
    }
    cr_assert_eq(label_of(site).number, HS_LABEL_OTHER);
    cr_assert_eq(recording->drops[HS_DROP_LABELS_FULL], 3);
    cr_assert_eq(small_drops(recording), 3);
    cr_assert_eq(hs_tally_sum(&recording->samples), 3);
}

/* Sets come and go until the table of the store is full: it knows those that it has. */
Test(session_labels, a_full_table_of_labels_has_other_ones) {
    uint64_t known = labelled_add(1);
    (void)count("shop.Cart", 1, labels_of(known));
    for (uint32_t i = 2; i < HS_MAX_LABELS; i++) {
        char bytes[LABELLED_BYTES];
        struct hs_label_id id;
        cr_assert_eq(hs_labels_put(store->labels, bytes, labelled_bytes(i, bytes), &id), HS_OK);
    }
    uint64_t late = labelled_add(HS_MAX_LABELS);
    for (uint64_t i = 1; i <= 2; i++) {
        cr_assert_eq(label_of(count("shop.Cart", 1, labels_of(late))).number, HS_LABEL_OTHER);
        cr_assert_eq(recording->drops[HS_DROP_LABELS_FULL], i);
        cr_assert(label_is(count("shop.Cart", 1, labels_of(known)), 1));
    }
    cr_assert(hs_store_fills_up(store), "the next tables have room");
    cr_assert_eq(small_drops(recording), 2);
    (void)hs_label_sets_remove(&labelled_phaser, known);
    (void)hs_label_sets_remove(&labelled_phaser, late);
}

/* 13 of 16 sites may have labels; their samples are counted there or at "(other)", with their stacks. */
Test(session_labels, sites_with_labels_leave_room_for_those_without) {
    enum { MOST = 26, SETS = 40 };
    uint64_t words[SETS];
    for (uint32_t i = 0; i < SETS; i++) {
        words[i] = labelled_add(i);
        struct hs_site_id site = count("shop.Cart", 1, labels_of(words[i]));
        cr_assert_eq(hs_sites_get(store->sites, site, &(struct hs_site){0})->stack.number,
                     small_stack(store, 1).number);
        cr_assert(i < MOST ? label_is(site, i) : label_of(site).number == HS_LABEL_OTHER, "set %u",
                  i);
        cr_assert_eq(recording->drops[HS_DROP_LABELS_FULL], i < MOST ? 0 : i + 1 - MOST);
    }
    cr_assert_eq(label_of(count("shop.Cart", 2, NULL)).number, 0, "as before there were labels");
    cr_assert_eq(small_drops(recording), SETS - MOST);
    cr_assert_eq(small_total(recording->sums[0].sites.totals, LIMITS.sites).samples, SETS + 1);
    for (uint32_t i = 0; i < SETS; i++) {
        (void)hs_label_sets_remove(&labelled_phaser, words[i]);
    }
}

/* At the end a site has its class alone, then is "(other)", with any labels. */
Test(session_labels, sums_are_exact_when_all_tables_are_full) {
    enum { SAMPLES = 200 };
    char name[16];
    uint64_t word = labelled_add(1);
    for (uint32_t i = 0; i < SAMPLES; i++) {
        (void)snprintf(name, sizeof name, "shop.C%u", i % 40);
        (void)count(name, (int32_t)(i % 40), i % 3 == 0 ? NULL : labels_of(word));
    }
    struct hs_total sum = small_total(recording->sums[0].sites.totals, LIMITS.sites);
    cr_assert_eq(sum.samples, SAMPLES);
    cr_assert_eq(sum.sampled_bytes, 24 * SAMPLES);
    cr_assert_gt(recording->drops[HS_DROP_SITES_FULL], 0);
    cr_assert_gt(recording->drops[HS_DROP_LABELS_FULL], 0);
    (void)hs_label_sets_remove(&labelled_phaser, word);
}

Test(session_labels, without_memory_for_a_set_it_is_another_one_until_there_is_some) {
    static char bytes[HS_MAX_LABEL_SET];
    uint64_t word;
    memset(bytes, 'v', sizeof bytes);
    bytes[1] = bytes[HS_MAX_LABEL_VALUE + 2] = '\0';
    cr_assert_eq(hs_label_sets_add(&labelled_phaser, bytes, HS_MAX_LABEL_VALUE + 3, 1, &word),
                 HS_OK);
    /* The chunk that entries lie in is full. */
    for (uint32_t i = 0; hs_mem_used() != 0; i++) {
        struct hs_label_id id;
        char others[LABELLED_BYTES];
        hs_mem_fail_at(1);
        enum hs_status status =
            hs_labels_put(store->labels, others, labelled_bytes(i, others), &id);
        hs_mem_fail_at(0);
        if (status != HS_OK) {
            break;
        }
    }
    struct hs_event event = small_event(store, "shop.Cart", 7, 24);
    event.labels = labels_of(word);
    struct hs_stack_id stack = small_stack(store, 1);
    cr_assert(hs_session_match(&session, &event));
    hs_mem_fail_at(1);
    hs_session_count(&session, &event, stack);
    hs_mem_fail_at(0);
    cr_assert_eq(recording->drops[HS_DROP_LABELS_FULL], 1);
    uint32_t found;
    struct hs_site_id site = count("shop.Cart", 1, labels_of(word));
    cr_assert_not_null(hs_labels_get(store->labels, label_of(site), &found));
    cr_assert_eq(found, HS_MAX_LABEL_VALUE + 3, "it was not remembered that there was no room");
    (void)hs_label_sets_remove(&labelled_phaser, word);
}
