/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Everything at once: callbacks, control threads that open, pause, reset, read and close recordings,
 * collections that wake the sweeper, threads that come and go. In the end every reference and every
 * byte is back. */
#include "crew.h"
#include "hs_encode.h"
#include "unit/poll.h"
#include "unit/running_sampler.h"

enum { CALLBACKS = 3, CONTROL_ROUNDS = 60, MOST_US = 2000000 };

static struct hs_sampler sampler;
static _Atomic int controls_left;
static _Atomic uint64_t tracked;
static _Atomic uint64_t turns;

static void rest(void) {
    struct timespec pause = {.tv_nsec = 100000};
    (void)nanosleep(&pause, NULL);
}

static void call_back(int number) {
    static const char *const CLASSES[] = {"shop.Cart", "shop.Order", "byte[]", "java.lang.String"};
    struct seeded seeded = {(uint64_t)number + 1};
    uint64_t count = 0;
    while (controls_left > 0) {
        turns++;
        if (fake.made > FAKE_REFS / 2 || seeded_below(&seeded, 64) == 0) {
            rest();
            continue;
        }
        hs_ref ref = callback(&sampler, CLASSES[seeded_below(&seeded, 4)],
                              16 + 8 * (uint64_t)seeded_below(&seeded, 100));
        if (ref != 0) {
            count++;
            if (seeded_below(&seeded, 3) != 0) {
                fake_clear(ref);
            }
        }
    }
    tracked += count;
}

/* What lives was allocated before: at no site more than was counted there, unless it is thinned. */
static void check_block(const struct hs_buffer *buffer) {
    struct block block = block_read(buffer);
    static _Thread_local uint64_t living[64 + 1];
    memset(living, 0, sizeof living);
    for (uint32_t i = 0; i < block.sections[LIVE].count; i++) {
        uint32_t site = block_u32(block_entry(&block, LIVE, i, 40), 0);
        HS_CHECK(site < block.sections[SITES].count);
        living[site]++;
    }
    for (uint32_t i = 0; i < block.sections[SITES].count; i++) {
        const unsigned char *site = block_entry(&block, SITES, i, 64);
        HS_CHECK(living[i] <= block_u64(site, 8));
        HS_CHECK(block_u32(site, 0) == BLOCK_NONE ||
                 block_u32(site, 0) < block.sections[STACKS].count);
        HS_CHECK(block_u32(site, 4) < block.sections[NAMES].count);
    }
}

static void take_snapshot(int32_t handle, bool after_collection) {
    struct hs_buffer buffer = {0};
    HS_CHECK(hs_sampler_snapshot(&sampler, FAKE_ENV, handle, after_collection, &buffer) == HS_OK);
    check_block(&buffer);
    hs_buffer_free(&buffer);
}

static void control(int number) {
    static const struct hs_filter ALL;
    struct seeded seeded = {(uint64_t)number + 50};
    int64_t end = hs_clock_monotonic_us() + MOST_US;
    for (int i = 0; i < CONTROL_ROUNDS && hs_clock_monotonic_us() < end; i++) {
        int32_t handle;
        int64_t values[HS_STATUS_VALUES];
        uint32_t interval = 64u << seeded_below(&seeded, 10);
        HS_CHECK(hs_sampler_open(&sampler, FAKE_ENV, sampler.terms, &ALL, interval,
                                 i % 7 == 0 ? 500 : 0, &handle) == HS_OK);
        uint64_t before = turns;
        HS_CHECK(POLL(turns > before + 20));
        take_snapshot(handle, i % 5 == 0);
        HS_CHECK(hs_sampler_set_interval(&sampler, handle, interval / 2) == HS_OK);
        HS_CHECK(hs_sampler_pause(&sampler, handle) == HS_OK);
        take_snapshot(handle, false);
        HS_CHECK(hs_sampler_resume(&sampler, handle, interval) == HS_OK);
        HS_CHECK(hs_sampler_reset(&sampler, FAKE_ENV, handle) == HS_OK);
        take_snapshot(handle, false);
        hs_sampler_status(&sampler, values);
        HS_CHECK(hs_sampler_close(&sampler, FAKE_ENV, handle) == HS_OK);
    }
    controls_left--;
}

static void collect(int number) {
    (void)number;
    while (controls_left > 0) {
        hs_epochs_pause(&sampler.census.epochs);
        fake_collect();
        hs_sweeper_wake(&sampler.sweeper);
        rest();
    }
}

/* Controllers that do not know each other, each with a strategy of its own. */
static _Atomic uint64_t admitted;

static void compete(int number) {
    struct hs_strategy mine = {HS_BY_TIME, 1000 + (uint64_t)number};
    for (int i = 0; i < 20 * CONTROL_ROUNDS; i++) {
        int32_t terms;
        int32_t handle = 0;
        enum hs_status status =
            hs_sampler_configure(&sampler, &SAMPLER_LIMITS, &mine, &SAMPLER_TRAITS, &terms);
        (void)sched_yield(); /* the other's turn */
        if (status == HS_OK) {
            status = hs_sampler_open_own(&sampler, FAKE_ENV, terms, 4096, &handle);
        }
        HS_CHECK(status == HS_OK || status == HS_BUSY || status == HS_CHANGED);
        if (status == HS_OK) {
            int64_t values[HS_IN_FORCE_VALUES];
            admitted++;
            hs_sampler_in_force(&sampler, values);
            HS_CHECK(values[0] == 1 && values[1] == handle && values[2] == 1);
            HS_CHECK(values[5] == HS_BY_TIME && values[6] == (int64_t)mine.amount);
            HS_CHECK(hs_sampler_close(&sampler, FAKE_ENV, handle) == HS_OK);
        }
    }
}

Test(stress_sampler, whoever_is_admitted_has_its_own_strategy) {
    (void)hs_step_current();
    sampler_begin(&sampler);
    crew_all(3, compete);
    cr_assert_gt(admitted, 0);
    cr_assert_eq(fake.enables, fake.disables);
    hs_sampler_destroy(&sampler, FAKE_ENV);
}

Test(stress_sampler, callbacks_control_and_collections_at_once) {
    crew_work *const works[] = {call_back, call_back, call_back, control, control, collect};
    (void)hs_step_current();
    size_t before = hs_mem_used();
    sampler_begin(&sampler);
    controls_left = 2;
    tracked = 0;
    crew_each(CALLBACKS + 3, works);
    cr_assert_gt(tracked, 0);
    hs_sampler_destroy(&sampler, FAKE_ENV);
    cr_assert_eq(fake_outstanding(), 0);
    cr_assert_eq(fake.attached, 0);
    cr_assert_eq(fake.enables, fake.disables);
    cr_assert_eq(hs_mem_used(), before);
}
