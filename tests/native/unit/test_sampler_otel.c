/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* A running sampler beside an SDK: a library that is loaded, keys that are published, samples, a snapshot. */
#include "hs_sampler.h"

#include "attached_record.h"
#include "otel_sdk.h"
#include "poll.h"
#include "published_context.h"
#include "running_sampler.h"

static struct hs_sampler sampler;
static struct hs_buffer buffer;
static struct payload payload;
static size_t used_before;

static void set_up(void) {
    (void)hs_thread_state_current();
    used_before = hs_mem_used();
    sampler_begin(&sampler);
}

static void tear_down(void) {
    hs_buffer_free(&buffer);
    hs_sampler_destroy(&sampler, FAKE_ENV);
    cr_assert_eq(fake_outstanding(), 0);
    cr_assert_eq(hs_mem_used(), used_before);
}

TestSuite(sampler_otel, .init = set_up, .fini = tear_down);

static bool is_on(void) {
    return hs_otel_is_on(&sampler.intake.otel);
}

static bool is_off(void) {
    hs_sweeper_wake(&sampler.sweeper);
    return !is_on();
}

static bool is_unloaded(void) {
    return !sdk_is_loaded("gd");
}

static bool becomes_on(void) {
    hs_sweeper_wake(&sampler.sweeper);
    return is_on();
}

static void publish_keys(void) {
    static const char *const KEYS[] = {"route", "user", NULL};
    payload_schema(&payload, "tlsdesc_v1_dev");
    payload_keys(&payload, KEYS);
    context_write(context_map(), &payload, 1);
}

Test(sampler_otel, reads_the_record_from_the_first_sample_on) {
    NEEDS_PEEK();
    struct sdk sdk = sdk_open("gd");
    publish_keys();
    sdk.attach(attached_record);
    struct hs_handle handle = sampler_open(&sampler, 1, 0);
    cr_assert(is_on());
    cr_assert_neq(callback(&sampler, "shop.Cart", 24), 0);
    cr_assert_eq(hs_sampler_snapshot(&sampler, FAKE_ENV, handle, HS_AFTER_NONE, NULL, &buffer),
                 HS_OK);
    struct block block = block_read(&buffer);
    cr_assert_eq(block.sections[SITES].count, 1u);
    cr_assert(block_labels_are(&block, 0, ATTACHED_LABELS, sizeof ATTACHED_LABELS - 1));
    cr_assert_eq(block.sections[EXAMPLES].count, 1u);
    cr_assert_arr_eq(block_entry(&block, EXAMPLES, 0, 32) + 8, attached_record, 24);
    sdk.attach(NULL);
}

Test(sampler_otel, finds_a_library_that_is_loaded_while_it_runs) {
    NEEDS_PEEK();
    (void)sampler_open(&sampler, 1, 0);
    cr_assert_not(is_on());
    (void)sdk_open("gd");
    cr_assert(POLL(becomes_on()));
}

Test(sampler_otel, lets_a_closed_library_go_when_sampling_ends) {
    NEEDS_PEEK();
    if (!sdk_unloads()) {
        cr_skip_test("musl unloads nothing");
    }
    struct sdk sdk = sdk_open("gd");
    struct hs_handle handle = sampler_open(&sampler, 1, 0);
    cr_assert(is_on());
    cr_assert_eq(dlclose(sdk.handle), 0);
    cr_assert_not(is_unloaded());
    cr_assert_eq(hs_sampler_close(&sampler, FAKE_ENV, handle), HS_OK);
    cr_assert_not(is_on());
    cr_assert(is_unloaded());
}

Test(sampler_otel, follows_no_library_after_a_start_that_failed) {
    NEEDS_PEEK();
    struct hs_filter all = {0};
    struct hs_handle handle;
    struct sdk sdk = sdk_open("gd");
    fake.enable_status = HS_JVMTI;
    cr_assert_neq(hs_sampler_open(&sampler, FAKE_ENV, sampler.config_version, &all, 1, 0, &handle),
                  HS_OK);
    cr_assert_not(is_on());
    cr_assert_eq(dlclose(sdk.handle), 0);
    cr_assert_eq(is_unloaded(), sdk_unloads());
}

Test(sampler_otel, lets_a_closed_library_go_when_another_one_is_loaded) {
    NEEDS_PEEK();
    if (!sdk_unloads()) {
        cr_skip_test("musl unloads nothing");
    }
    struct sdk sdk = sdk_open("gd");
    char path[512];
    (void)sampler_open(&sampler, 1, 0);
    cr_assert_eq(dlclose(sdk.handle), 0);
    sdk_path(path, "new");
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    cr_assert_not_null(handle);
    cr_assert(POLL(is_off()));
    cr_assert(POLL(is_unloaded()));
}

Test(sampler_otel, is_on_again_after_a_pause) {
    NEEDS_PEEK();
    (void)sdk_open("gd");
    for (int i = 0; i < 3; i++) {
        struct hs_handle handle = sampler_open(&sampler, 1, 0);
        cr_assert(is_on());
        cr_assert_eq(hs_sampler_close(&sampler, FAKE_ENV, handle), HS_OK);
        cr_assert_not(is_on());
    }
}
