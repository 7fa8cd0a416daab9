/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_session.h"

#include <criterion/criterion.h>

#include "hs_mem.h"
#include "small_store.h"

static size_t used_before;
static struct hs_store *store;
static struct hs_session session;

static void set_up(void) {
    fake_reset();
    used_before = hs_mem_used();
    store = small_store();
    memset(&session, 0, sizeof session);
    session.store = store;
}

static void tear_down(void) {
    for (uint32_t i = 0; i < session.count; i++) {
        hs_recording_free(session.recordings[i]);
    }
    hs_store_free(store, &FAKE_OPS, FAKE_ENV);
    cr_assert_eq(fake_outstanding(), 0);
    cr_assert_eq(hs_mem_used(), used_before);
}

TestSuite(session, .init = set_up, .fini = tear_down);

static struct hs_recording *record(const struct hs_filter *filter) {
    struct hs_recording *recording = small_recording(store, session.count, filter);
    session.recordings[session.count++] = recording;
    return recording;
}

Test(session, without_recordings_no_event_is_wanted) {
    struct hs_event event = small_event(store, "shop.Cart", 7, 24);
    event.recordings = 5;
    cr_assert_not(hs_session_match(&session, &event));
    cr_assert_eq(event.recordings, 0);
}

Test(session, an_event_goes_to_those_that_want_it) {
    const char *classes[] = {"shop.Cart"};
    const char *packages[] = {"java"};
    const int64_t threads[] = {7};
    record(NULL);
    record(&(struct hs_filter){.classes = classes, .class_count = 1});
    record(&(struct hs_filter){.packages = packages, .package_count = 1});
    record(&(struct hs_filter){.threads = threads, .thread_count = 1});
    struct hs_event cart = small_event(store, "shop.Cart", 7, 24);
    struct hs_event text = small_event(store, "java.lang.String", 8, 24);
    cr_assert(hs_session_match(&session, &cart));
    cr_assert_eq(cart.recordings, 0xB);
    cr_assert(hs_session_match(&session, &text));
    cr_assert_eq(text.recordings, 0x5);
    for (uint32_t i = 0; i < 4; i++) {
        atomic_store(&session.recordings[i]->deadline_us, 1000);
    }
    cr_assert_not(hs_session_match(&session, &cart), "their time is up");
}

Test(session, a_thread_is_wanted_by_one_recording_or_by_none) {
    const int64_t threads[] = {7, 9};
    const int64_t others[] = {5};
    cr_assert_not(hs_session_wants_thread(&session, 7), "there is no recording");
    record(&(struct hs_filter){.threads = others, .thread_count = 1});
    record(&(struct hs_filter){.threads = threads, .thread_count = 2});
    cr_assert(hs_session_wants_thread(&session, 5));
    cr_assert(hs_session_wants_thread(&session, 9));
    cr_assert_not(hs_session_wants_thread(&session, 8));
    cr_assert_not(hs_session_wants_thread(&session, -1));
    record(NULL);
    cr_assert(hs_session_wants_thread(&session, 8));
}

Test(session, as_many_recordings_as_there_can_be) {
    for (int i = 0; i < HS_MAX_RECORDINGS; i++) {
        record(NULL);
    }
    struct hs_event event = small_event(store, "shop.Cart", 7, 24);
    cr_assert(hs_session_match(&session, &event));
    cr_assert_eq(event.recordings, UINT64_MAX);
    hs_session_count(&session, &event, small_stack(store, 1));
    hs_session_drop(&session, &event, HS_DROP_TRUNCATED);
    for (int i = 0; i < HS_MAX_RECORDINGS; i++) {
        cr_assert_eq(hs_tally_sum(&session.recordings[i]->samples), 1);
        cr_assert_eq(session.recordings[i]->drops[HS_DROP_TRUNCATED], 1);
    }
}

Test(session, drops_are_counted_where_the_event_was_wanted) {
    struct hs_recording *first = record(NULL);
    struct hs_recording *second = record(NULL);
    struct hs_event event = {.recordings = second->bit};
    hs_session_drop(&session, &event, HS_DROP_NO_REFERENCE);
    hs_session_drop(&session, &event, HS_DROP_NO_REFERENCE);
    cr_assert_eq(small_drops(first), 0);
    cr_assert_eq(small_drops(second), 2);
    cr_assert_eq(second->drops[HS_DROP_NO_REFERENCE], 2);
}

Test(session, counts_at_the_site_and_at_the_thread) {
    struct hs_recording *wanting = record(NULL);
    struct hs_recording *other = record(NULL);
    struct hs_event event = small_event(store, "shop.Cart", 7, 24);
    struct hs_stack_id stack = small_stack(store, 1);
    struct hs_weight weight = hs_estimate_weigh(24, 4096, 0);
    struct hs_total total;
    event.drawn = 4096;
    event.recordings = wanting->bit;
    hs_session_count(&session, &event, stack);
    hs_session_count(&session, &event, stack);
    const struct hs_site *site = hs_sites_get(store->sites, event.site, &(struct hs_site){0});
    cr_assert_eq(site->stack.number, stack.number);
    cr_assert_eq(site->class_name.number, event.class_name.number);
    cr_assert(hs_site_sums_read(wanting->sums[0].sites, event.site, &total));
    cr_assert_eq(total.samples, 2);
    cr_assert_eq(total.sampled_bytes, 48);
    cr_assert_float_eq(total.weight.bytes, 2.0 * weight.bytes, 1e-6);
    cr_assert_float_eq(total.weight.objects_variance, 2.0 * weight.objects_variance, 1e-6);
    cr_assert(hs_thread_sums_read(wanting->sums[0].threads, event.thread, &total));
    cr_assert_eq(total.samples, 2);
    cr_assert_eq(hs_tally_sum(&wanting->samples), 2);
    cr_assert_eq(small_drops(wanting), 0);
    cr_assert_eq(hs_tally_sum(&other->samples), 0);
    cr_assert_not(hs_site_sums_read(other->sums[0].sites, event.site, &total));
}

/* No room was left for the name of its class. */
Test(session, a_class_without_a_number_is_the_unknown_one) {
    record(NULL);
    struct hs_event event = small_event(store, "shop.Cart", 7, 24);
    event.class_name.number = 0;
    event.class_text = "shop.Late";
    event.class_bytes = 9;
    cr_assert(hs_session_match(&session, &event));
    hs_session_count(&session, &event, small_stack(store, 1));
    const struct hs_site *site = hs_sites_get(store->sites, event.site, &(struct hs_site){0});
    uint32_t bytes;
    const char *name = hs_names_text(store->names, site->class_name, &bytes);
    cr_assert(bytes == 9 && memcmp(name, "(unknown)", 9) == 0);
    cr_assert_eq(site->stack.number, small_stack(store, 1).number, "and its stack stays");
}

/* The sites of some classes alone, where no whole site finds room; then "(other)". */
Test(session, a_full_table_of_sites_keeps_classes) {
    struct hs_recording *recording = record(NULL);
    uint32_t spare = SMALL_LIMITS.sites / 8;
    char name[16];
    for (uint32_t i = 0; i < SMALL_LIMITS.sites + 4; i++) {
        (void)snprintf(name, sizeof name, "shop.Class%u", i);
        struct hs_event event = small_event(store, name, 7, 24);
        cr_assert(hs_session_match(&session, &event));
        hs_session_count(&session, &event, small_stack(store, (int32_t)i));
        const struct hs_site *site = hs_sites_get(store->sites, event.site, &(struct hs_site){0});
        bool is_whole = i < SMALL_LIMITS.sites - spare;
        bool is_other = i >= SMALL_LIMITS.sites;
        cr_assert_eq(site == NULL, is_other, "site %u", i);
        cr_assert(is_other || site->class_name.number == event.class_name.number);
        cr_assert(is_other || (site->stack.number == HS_STACK_UNKNOWN) == !is_whole);
        uint64_t lost = is_whole ? 0 : i + 1 - (SMALL_LIMITS.sites - spare);
        cr_assert_eq(recording->drops[HS_DROP_SITES_FULL], lost);
        cr_assert_eq(small_drops(recording), lost, "no other cause");
    }
    cr_assert_eq(hs_tally_sum(&recording->samples), SMALL_LIMITS.sites + 4);
}

Test(session, totals_stay_right_when_the_sites_are_full) {
    enum { EVENTS = 30 };
    struct hs_recording *recording = record(NULL);
    for (int32_t i = 0; i < EVENTS; i++) {
        struct hs_event event = small_event(store, "shop.Cart", i % 6, 16 + 8 * (uint64_t)i);
        cr_assert(hs_session_match(&session, &event));
        hs_session_count(&session, &event, small_stack(store, i));
        const struct hs_site *site = hs_sites_get(store->sites, event.site, &(struct hs_site){0});
        cr_assert_not_null(site, "its class finds room");
        cr_assert_eq(site->stack.number == HS_STACK_UNKNOWN, i >= (int32_t)SMALL_LIMITS.sites - 1);
    }
    struct hs_total sites = small_total(recording->sums[0].sites.totals, SMALL_LIMITS.sites);
    struct hs_total threads = small_total(recording->sums[0].threads.totals, SMALL_LIMITS.threads);
    uint64_t bytes = EVENTS * 16 + 8 * (EVENTS * (EVENTS - 1) / 2);
    cr_assert_eq(hs_tally_sum(&recording->samples), EVENTS);
    cr_assert_eq(sites.samples, EVENTS);
    cr_assert_eq(threads.samples, EVENTS, "threads beyond the bound are the other one");
    cr_assert_eq(sites.sampled_bytes, bytes);
    cr_assert_eq(threads.sampled_bytes, bytes);
    cr_assert_eq(sites.weight.bytes, (double)bytes);
    cr_assert_eq(sites.weight.objects, (double)EVENTS);
    cr_assert_eq(recording->drops[HS_DROP_SITES_FULL], EVENTS - SMALL_LIMITS.sites + 1);
}

Test(session, tracks_until_the_budget_is_used_and_then_thins) {
    struct hs_recording *recording = record(NULL);
    struct hs_event event = small_event(store, "shop.Cart", 7, 24);
    cr_assert(hs_session_match(&session, &event));
    for (uint32_t i = 0; i < SMALL_LIMITS.tracked; i++) {
        cr_assert_eq(hs_session_track(&session, &event, fake_ref()), 0);
    }
    hs_ref ref = fake_ref();
    cr_assert_eq(hs_session_track(&session, &event, ref), ref, "not taken: stays the caller's");
    fake_release(FAKE_ENV, ref);
    cr_assert_eq(recording->drops[HS_DROP_THINNED], 1);
    event.random = 0x1000;
    ref = fake_ref();
    hs_ref displaced = hs_session_track(&session, &event, ref);
    cr_assert_neq(displaced, 0);
    cr_assert_neq(displaced, ref);
    fake_release(FAKE_ENV, displaced);
    cr_assert_eq(hs_live_count(store->live), SMALL_LIMITS.tracked);
    cr_assert_eq(recording->drops[HS_DROP_THINNED], 1);
}

static void assert_tracked(void *context, hs_ref ref, const struct hs_sample *sample,
                           uint32_t thinning, uint32_t place) {
    (void)place;
    (void)ref;
    const struct hs_event *event = context;
    cr_assert_eq(sample->recordings, event->recordings);
    cr_assert_eq(sample->allocated_us, event->now_us);
    cr_assert_eq(sample->size, event->size);
    cr_assert_eq(sample->site.bits, event->site.number);
    cr_assert_eq(sample->thread.bits, event->thread.number);
    cr_assert_eq(sample->drawn, event->drawn);
    cr_assert(memcmp(&sample->birth, &event->birth, sizeof event->birth) == 0);
    cr_assert_eq(thinning, 0);
}

Test(session, what_is_tracked_is_the_event) {
    struct hs_event event = {
        .recordings = 9,
        .now_us = 123456789,
        .size = 4096,
        .drawn = 65536,
        .thread = {3},
        .site = {5},
        .birth = {7, 8, 9},
    };
    cr_assert_eq(hs_session_track(&session, &event, fake_ref()), 0);
    cr_assert_eq(hs_live_each(store->live, 0, 1, assert_tracked, &event), 0);
    cr_assert_eq(hs_live_count(store->live), 1);
}

/* A thread remembers the site of its last sample, and its tables. */
Test(session, the_site_of_the_last_sample_is_remembered) {
    struct hs_last_site last = {0};
    struct hs_recording *recording = record(NULL);
    struct hs_event event = small_event(store, "shop.Cart", 7, 24);
    struct hs_event other = small_event(store, "shop.Item", 7, 24);
    struct hs_stack_id stack = small_stack(store, 1);
    event.recordings = other.recordings = recording->bit;
    event.last_site = other.last_site = &last;
    hs_session_count(&session, &event, stack);
    cr_assert_eq(last.tables, store->code_serial);
    cr_assert_eq(last.id.number, event.site.number);
    uint32_t site = event.site.number;
    hs_session_count(&session, &other, stack);
    cr_assert_neq(other.site.number, site, "another class");
    hs_session_count(&session, &event, small_stack(store, 2));
    cr_assert(event.site.number != site && event.site.number != other.site.number, "another stack");
    hs_session_count(&session, &event, stack);
    cr_assert_eq(event.site.number, site);
    last.id.number = other.site.number; /* to see that it is what counts */
    hs_session_count(&session, &event, stack);
    cr_assert_eq(event.site.number, other.site.number);
}

/* A number of tables that are gone says nothing, even for an equal pair. */
Test(session, the_last_site_of_other_tables_is_none) {
    struct hs_recording *recording = record(NULL);
    struct hs_event event = small_event(store, "shop.Cart", 7, 24);
    struct hs_stack_id stack = small_stack(store, 1);
    struct hs_store *before = small_store();
    cr_assert_neq(before->code_serial, store->code_serial);
    struct hs_last_site last = {.tables = before->code_serial,
                                .site = {.stack = stack, .class_name = event.class_name},
                                .id = {7}};
    hs_store_free(before, &FAKE_OPS, FAKE_ENV);
    event.recordings = recording->bit;
    event.last_site = &last;
    hs_session_count(&session, &event, stack);
    cr_assert_neq(event.site.number, 7);
    cr_assert_eq(last.tables, store->code_serial);
    cr_assert_eq(last.id.number, event.site.number);
}

/* More sites would not help. */
Test(session, without_memory_for_its_site_an_event_is_dropped) {
    struct hs_recording *recording = record(NULL);
    struct hs_event event = small_event(store, "shop.Cart", 7, 24);
    struct hs_stack_id stack = small_stack(store, 1);
    cr_assert(hs_session_match(&session, &event));
    hs_mem_fail_at(1);
    hs_session_count(&session, &event, stack);
    hs_mem_fail_at(0);
    cr_assert_eq(event.recordings, 0, "so it is not tracked");
    cr_assert_eq(hs_tally_sum(&recording->samples), 0);
    cr_assert_eq(recording->drops[HS_DROP_NATIVE_MEMORY], 1);
    cr_assert_eq(small_drops(recording), 1);
}

/* Nor would a table with more room for its class alone help: the page of that site's number is what is missing. */
Test(session, without_memory_for_its_class_alone_an_event_is_dropped) {
    enum { PAGE = 512, SITES = PAGE - 1 + 73 }; /* an eighth is for classes alone */
    struct hs_limits limits = SMALL_LIMITS;
    struct hs_site_id id;
    limits.sites = SITES;
    hs_store_free(store, &FAKE_OPS, FAKE_ENV);
    cr_assert_eq(hs_store_new(&limits, &store), HS_OK);
    session.store = store;
    struct hs_recording *recording = record(NULL);
    struct hs_event event = small_event(store, "shop.Cart", 7, 24);
    struct hs_site site = {.class_name = event.class_name};
    for (site.stack.number = 2; site.stack.number < PAGE + 1; site.stack.number++) {
        cr_assert_eq(hs_sites_put(store->sites, &site, &id), HS_OK);
    }
    cr_assert(hs_session_match(&session, &event));
    hs_mem_fail_at(1);
    hs_session_count(&session, &event, (struct hs_stack_id){1});
    hs_mem_fail_at(0);
    cr_assert_eq(event.recordings, 0);
    cr_assert_eq(hs_tally_sum(&recording->samples), 0);
    cr_assert_eq(recording->drops[HS_DROP_NATIVE_MEMORY], 1);
    cr_assert_eq(small_drops(recording), 1, "not for the lack of sites");
}

/* Nor is a site remembered that stands in for one without room. */
Test(session, a_substitute_site_is_not_remembered) {
    struct hs_last_site last = {0};
    struct hs_recording *recording = record(NULL);
    struct hs_event event = small_event(store, "shop.Cart", 7, 24);
    event.recordings = recording->bit;
    event.last_site = &last;
    uint64_t full = 0;
    for (int32_t line = 0; line < 16 && full == 0; line++) {
        hs_session_count(&session, &event, small_stack(store, line));
        full = recording->drops[HS_DROP_SITES_FULL];
    }
    cr_assert_eq(full, 1);
    cr_assert_neq(last.id.number, event.site.number);
    hs_session_count(&session, &event, small_stack(store, 15));
    cr_assert_eq(recording->drops[HS_DROP_SITES_FULL], 2, "each one is counted");
}
