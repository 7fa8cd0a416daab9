/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Tables that outlive the recordings, for a user that opens many short ones. */
#include <criterion/criterion.h>

#include "hs_encode.h"
#include "running_sampler.h"

enum { EVERY = 0 };

static struct hs_sampler sampler;
static size_t used_before;

static void set_up(void) {
    (void)hs_thread_state_current();
    used_before = hs_mem_used();
    sampler_begin(&sampler);
}

static void tear_down(void) {
    hs_sampler_destroy(&sampler, FAKE_ENV);
    cr_assert_eq(fake_outstanding(), 0, "each reference is given back");
    cr_assert_eq(fake.attached, 0, "no thread is left");
    cr_assert_eq(hs_mem_used(), used_before);
}

TestSuite(sampler_kept, .init = set_up, .fini = tear_down);

static struct hs_keeper_id keep_for(hs_ref owner) {
    struct hs_keeper_id id = {0};
    cr_assert_eq(hs_sampler_keep_tables(&sampler, FAKE_ENV, owner, &id), HS_OK);
    cr_assert_gt(id.number, 0);
    return id;
}

static struct hs_keeper_id keep(void) {
    return keep_for(0);
}

static void drop(struct hs_keeper_id id) {
    hs_sampler_drop_tables(&sampler, FAKE_ENV, id);
}

static enum hs_status configure(const struct hs_limits *limits, enum hs_strategy_kind kind) {
    struct hs_strategy strategy = {.kind = kind, .amount = kind == HS_BY_BYTES ? 0 : 100};
    return sampler_configure(&sampler, limits, &strategy, &SAMPLER_TRAITS);
}

/* Terms are set anew for each recording that is the only one, as Java does. */
static struct hs_handle record(void) {
    cr_assert_eq(configure(&SAMPLER_LIMITS, HS_BY_BYTES), HS_OK);
    return sampler_open(&sampler, EVERY, 0);
}

static void end(struct hs_handle handle) {
    cr_assert_eq(hs_sampler_close(&sampler, FAKE_ENV, handle), HS_OK);
}

static uint64_t samples_in_snapshot(struct hs_handle handle) {
    struct hs_buffer buffer = {0};
    cr_assert_eq(hs_sampler_snapshot(&sampler, FAKE_ENV, handle, HS_AFTER_NONE, NULL, &buffer),
                 HS_OK);
    struct block block = block_read(&buffer);
    uint64_t samples = (uint64_t)block_info(&block, HS_INFO_TRACKED);
    hs_buffer_free(&buffer);
    return samples;
}

Test(sampler_kept, the_next_recording_finds_the_tables_without_the_samples) {
    struct hs_keeper_id kept = keep();
    struct hs_handle first = record();
    const struct hs_store *store = sampler.liveness.store;
    cr_assert_neq(callback(&sampler, "shop.Cart", 24), 0);
    struct hs_method_key key = {4096, 1, 7};
    struct hs_method method = {.class_name = {1}, .name = {1}, .descriptor = {1}};
    hs_methods_put(store->methods, store->tables, &key, &method);
    end(first);
    cr_assert(hs_methods_find(store->methods, store->tables, &key, &method), "code is known");
    cr_assert_eq(fake_outstanding(), 0, "no object is referred to");
    cr_assert_eq(fake.attached, 0, "nothing is sampled");
    cr_assert_eq(fake.enables, fake.disables);
    uint32_t names = hs_intern_end(store->names.table);
    struct hs_handle second = record();
    cr_assert_eq(sampler.liveness.store, store);
    cr_assert_eq(samples_in_snapshot(second), 0);
    cr_assert_neq(callback(&sampler, "shop.Cart", 24), 0);
    cr_assert_eq(samples_in_snapshot(second), 1);
    cr_assert_eq(hs_intern_end(store->names.table), names, "its class is known");
    end(second);
    drop(kept);
}

Test(sampler_kept, the_last_who_kept_them_gives_them_back) {
    struct hs_keeper_id first = keep();
    struct hs_keeper_id second = keep();
    end(record());
    drop(second);
    drop(second);
    cr_assert_not_null(sampler.liveness.store);
    drop(first);
    cr_assert_null(sampler.liveness.store);
    cr_assert_eq(hs_mem_used(), used_before);
    drop(first);
    end(record());
    cr_assert_null(sampler.liveness.store, "there is no keeper");
}

Test(sampler_kept, a_collected_owner_keeps_none) {
    hs_ref gone = fake_ref();
    hs_ref staying = fake_ref();
    (void)keep_for(gone);
    struct hs_keeper_id kept = keep_for(staying);
    end(record());
    fake_clear(gone);
    hs_sampler_release_orphans(&sampler, FAKE_ENV);
    cr_assert(fake_is_released(gone));
    cr_assert_not_null(sampler.liveness.store, "the other keeps them");
    fake_clear(staying);
    hs_sampler_release_orphans(&sampler, FAKE_ENV);
    cr_assert(fake_is_released(staying));
    cr_assert_null(sampler.liveness.store);
    drop(kept);
}

Test(sampler_kept, a_collected_owner_makes_room_for_another) {
    hs_ref gone = fake_ref();
    (void)keep_for(gone);
    for (int i = 1; i < HS_MAX_HOLDS; i++) {
        (void)keep();
    }
    struct hs_keeper_id id = {1};
    cr_assert_eq(hs_sampler_keep_tables(&sampler, FAKE_ENV, 0, &id), HS_FULL);
    cr_assert_eq(id.number, 0);
    fake_clear(gone);
    (void)keep();
    end(record());
    cr_assert_not_null(sampler.liveness.store);
}

Test(sampler_kept, an_open_recording_keeps_its_tables_when_the_last_keeper_leaves) {
    struct hs_keeper_id kept = keep();
    struct hs_handle handle = record();
    drop(kept);
    cr_assert_neq(callback(&sampler, "shop.Cart", 24), 0);
    cr_assert_eq(samples_in_snapshot(handle), 1);
    end(handle);
    cr_assert_null(sampler.liveness.store);
}

Test(sampler_kept, other_terms_make_others) {
    (void)keep();
    end(record());
    struct hs_limits larger = SAMPLER_LIMITS;
    larger.sites *= 2;
    cr_assert_eq(configure(&larger, HS_BY_BYTES), HS_OK);
    cr_assert_null(sampler.liveness.store);
    end(sampler_open(&sampler, EVERY, 0));
    cr_assert_not_null(sampler.liveness.store);
    cr_assert_eq(configure(&larger, HS_BY_ALLOCATIONS), HS_OK);
    cr_assert_null(sampler.liveness.store);
}

Test(sampler_kept, terms_do_not_change_while_a_recording_is_open) {
    (void)keep();
    struct hs_handle handle = record();
    cr_assert_eq(configure(&SAMPLER_LIMITS, HS_BY_BYTES), HS_BUSY);
    end(handle);
}

Test(sampler_kept, tables_that_fill_up_are_given_back) {
    (void)keep();
    struct hs_handle handle = record();
    for (int i = 0; i < (int)SAMPLER_LIMITS.names / 2; i++) {
        char name[32];
        (void)snprintf(name, sizeof name, "shop.Item%d", i);
        cr_assert_neq(callback(&sampler, name, 24), 0);
    }
    end(handle);
    cr_assert_null(sampler.liveness.store);
}

Test(sampler_kept, the_report_on_oom_has_its_room_again) {
    (void)keep();
    end(record());
    cr_assert_eq(hs_sampler_report_on_oom(&sampler, "unused.txt"), HS_OK);
    struct hs_handle handle = record();
    cr_assert_geq(sampler.oom.size, SAMPLER_LIMITS.sites + 1);
    end(handle);
    cr_assert_eq(hs_sampler_report_on_oom(&sampler, NULL), HS_OK);
}
