/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Labels through generations of tables: they move by content, and sums stay exact. */
#include "hs_rotation.h"

#include "labelled.h"
#include "rotated_session.h"

TestSuite(rotation_labels, .init = set_up, .fini = tear_down);

enum { TENANTS = 8, NONE = TENANTS, OTHERS, ROWS };

/* Samples by tenant, without labels, and with other ones. */
struct by_label {
    uint64_t samples[ROWS];
};

static uint32_t row_of(const struct hs_store *store, const struct hs_site *site) {
    char bytes[LABELLED_BYTES];
    uint32_t count;
    if (site == NULL || site->label.number == HS_LABEL_OTHER) {
        return OTHERS;
    }
    const char *text = hs_labels_get(store->labels, site->label, &count);
    for (uint32_t i = 0; i < TENANTS && text != NULL; i++) {
        if (count == labelled_bytes(i, bytes) && memcmp(text, bytes, count) == 0) {
            return i;
        }
    }
    cr_assert_eq(site->label.number, 0);
    return NONE;
}

static struct by_label read_all(void) {
    struct by_label sums = {{0}};
    const struct hs_store *store = session.store;
    struct hs_site_sums totals = recordings[0]->sums[store->code_generation].sites;
    for (uint32_t id = 0; id < hs_intern_end(store->sites.table); id++) {
        struct hs_total total;
        if (hs_site_sums_read(totals, (struct hs_site_id){id}, &total)) {
            sums.samples[row_of(store, hs_sites_get(store->sites, (struct hs_site_id){id},
                                                    &(struct hs_site){0}))] += total.samples;
        }
    }
    return sums;
}

static uint64_t sum_of(const struct by_label *sums) {
    uint64_t sum = 0;
    for (int i = 0; i < ROWS; i++) {
        sum += sums->samples[i];
    }
    return sum;
}

static uint64_t words[TENANTS];

static void add_tenants(void) {
    for (uint32_t i = 0; i < TENANTS; i++) {
        words[i] = labelled_add(i);
    }
}

static void remove_tenants(void) {
    for (uint32_t i = 0; i < TENANTS; i++) {
        (void)hs_label_sets_remove(&labelled_phaser, words[i]);
    }
}

static void take(uint32_t stack, uint64_t word, uint64_t size) {
    hs_ref ref = rotating_sample_with(&session, "shop.Order", stack, 5, size,
                                      word == 0 ? NULL : hs_label_sets_find(word));
    if (ref != 0) {
        fake_clear(ref);
    }
}

/* One stack with some sets, and without: large sites find room. */
Test(rotation_labels, labels_of_large_sites_stay) {
    enum { LARGE = 1 << 20 };
    add_tenants();
    uint64_t taken = 0;
    uint32_t stack = 0;
    for (int round = 0; round < 20; round++) {
        for (uint32_t i = 0; i <= TENANTS; i++, taken++) {
            take(0, i < TENANTS ? words[i] : 0, LARGE);
        }
        uint32_t before = stack;
        stack = fill(stack);
        sweep();
        rotate();
        struct by_label sums = read_all();
        for (uint32_t i = 0; i < TENANTS; i++) {
            cr_assert_eq(sums.samples[i], (uint64_t)round + 1, "round %d", round);
        }
        cr_assert_eq(sum_of(&sums), taken + stack);
        cr_assert_gt(stack, before);
        cr_assert(hs_labels_is_valid(session.store->labels));
    }
    cr_assert_eq(recordings[0]->drops[HS_DROP_LABELS_FULL], 0);
    remove_tenants();
}

/* Each stack has all labels: the sites do not find room. Samples are then at "(other)", and each is counted once for
 * that. */
Test(rotation_labels, what_finds_no_room_loses_its_labels_and_no_sum) {
    add_tenants();
    uint64_t taken = 0;
    for (uint32_t stack = 0, round = 0; round < 12; round++) {
        for (; !hs_store_fills_up(session.store); stack++) {
            for (uint32_t i = 0; i < TENANTS; i++, taken++) {
                take(stack, words[i], 24);
            }
        }
        sweep();
        rotate();
        struct by_label sums = read_all();
        cr_assert_eq(sum_of(&sums), taken, "round %u", round);
        cr_assert_eq(sums.samples[NONE], 0, "they have labels");
    }
    struct by_label sums = read_all();
    /* "(other)" as a site has lost its class; that is counted as SITES_FULL. */
    uint64_t counted =
        recordings[0]->drops[HS_DROP_LABELS_FULL] + recordings[0]->drops[HS_DROP_SITES_FULL];
    cr_assert_gt(sums.samples[OTHERS], 0);
    cr_assert_geq(counted, sums.samples[OTHERS]);
    remove_tenants();
}

/* A live object keeps stack and labels. */
static void look(void *context, hs_ref ref, const struct hs_sample *sample, uint32_t thinning,
                 uint32_t place) {
    (void)ref;
    (void)thinning;
    (void)place;
    const struct hs_store *store = session.store;
    const struct hs_site *site = hs_sites_get(
        store->sites, (struct hs_site_id){hs_number_of(sample->site.bits)}, &(struct hs_site){0});
    uint32_t number = (uint32_t)(sample->size / 8) - 1000;
    cr_assert_eq(row_of(store, site), number % TENANTS);
    cr_assert_eq(rotating_frames(store, site->stack, number), ROTATING_DEPTH);
    *(uint32_t *)context += 1;
}

Test(rotation_labels, live_objects_keep_their_labels) {
    enum { LIVING = 30 };
    add_tenants();
    for (uint32_t i = 0; i < LIVING; i++) {
        cr_assert_neq(rotating_sample_with(&session, "shop.Order", i, 5, 8 * (1000 + (uint64_t)i),
                                           hs_label_sets_find(words[i % TENANTS])),
                      0);
    }
    uint32_t stack = LIVING;
    for (int round = 0; round < 30; round++) {
        uint32_t seen = 0;
        stack = fill(stack);
        sweep();
        rotate();
        (void)hs_live_each(session.store->live, 0, UINT64_MAX, look, &seen);
        cr_assert_eq(seen, (uint32_t)LIVING);
    }
    remove_tenants();
}

/* As samples with other sets would, until more than that many sixteenths are used. */
static void fill_labels(uint32_t sixteenths) {
    static uint32_t tenant = 1000;
    while (!hs_labels_is_beyond(session.store->labels, sixteenths)) {
        char bytes[LABELLED_BYTES];
        struct hs_label_id id;
        cr_assert_eq(
            hs_labels_put(session.store->labels, bytes, labelled_bytes(tenant++, bytes), &id),
            HS_OK);
    }
}

static bool is_whole(const struct hs_site *site, uint32_t stacks) {
    uint32_t stack = 0;
    while (stack < stacks && rotating_frames(session.store, site->stack, stack) != ROTATING_DEPTH) {
        stack++;
    }
    return stack < stacks;
}

/* Callbacks have filled the next table before the sums are moved. */
Test(rotation_labels, what_finds_no_room_for_its_labels_keeps_its_stack) {
    enum { STACKS = 10, NOT_LARGE = STACKS * TENANTS };
    add_tenants();
    for (uint32_t i = 0; i < NOT_LARGE; i++) {
        take(i % STACKS, words[i % TENANTS], 24);
        take(i % STACKS, words[i / STACKS], 24);
    }
    fill_labels(12);
    sweep();
    struct hs_store *store = next_generation();
    fill_labels(4);
    cr_assert(hs_rotation_move_last(store, recordings));
    hs_rotation_end(store, recordings, &FAKE_OPS, FAKE_ENV);
    struct hs_site_sums sums = recordings[0]->sums[store->code_generation].sites;
    for (uint32_t id = 0; id < hs_intern_end(store->sites.table); id++) {
        struct hs_total total;
        const struct hs_site *site =
            hs_sites_get(store->sites, (struct hs_site_id){id}, &(struct hs_site){0});
        if (hs_site_sums_read(sums, (struct hs_site_id){id}, &total) && total.samples > 0) {
            cr_assert_not_null(site);
            cr_assert(is_whole(site, STACKS));
        }
    }
    struct by_label all = read_all();
    cr_assert_eq(all.samples[OTHERS], 2ULL * NOT_LARGE);
    cr_assert_eq(recordings[0]->drops[HS_DROP_LABELS_FULL], 2ULL * NOT_LARGE);
    cr_assert_eq(recordings[0]->drops[HS_DROP_STACKS_FULL], 0);
    remove_tenants();
}

/* A program that labels by ids: the table of labels fills up, and the next one has room for new sets. */
Test(rotation_labels, a_full_table_of_labels_makes_the_next_generation_due) {
    uint64_t taken = 0;
    uint32_t tenant = 500;
    for (int round = 0; round < 3; round++) {
        cr_assert_not(hs_store_fills_up(session.store));
        for (int i = 0; i < 3; i++, tenant++, taken++) {
            uint64_t word = labelled_add(tenant);
            take(0, word, 24);
            (void)hs_label_sets_remove(&labelled_phaser, word);
        }
        cr_assert_not(hs_store_fills_up(session.store));
        fill_labels(12);
        cr_assert(hs_store_fills_up(session.store));
        sweep();
        rotate();
        cr_assert_not(hs_labels_is_beyond(session.store->labels, 8));
        uint64_t fresh = labelled_add(tenant);
        struct hs_event event = {.size = 24, .labels = hs_label_sets_find(fresh)};
        struct hs_stack_id id;
        (void)hs_names_put(session.store->names, "shop.Fresh", 10, &event.class_name);
        cr_assert(hs_session_match(&session, &event));
        cr_assert_eq(rotating_stack(session.store, 0, &id), HS_OK);
        hs_session_count(&session, &event, id);
        taken++;
        cr_assert_gt(
            hs_sites_get(session.store->sites, event.site, &(struct hs_site){0})->label.number,
            HS_LABEL_OTHER, "it is named");
        (void)hs_label_sets_remove(&labelled_phaser, fresh);
    }
    struct hs_total sum = small_total(
        recordings[0]->sums[session.store->code_generation].sites.totals, ROTATING_LIMITS.sites);
    cr_assert_eq(sum.samples, taken);
}
