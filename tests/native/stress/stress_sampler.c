/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Everything at once, over the callbacks that the VM calls: samples, threads that begin, control threads that open,
 * pause, reset, read and close recordings and change intervals, collections that wake the sweeper. In the end
 * every reference and every byte is back, and what was sampled was counted. */
#include "crew.h"
#include "hs_clock.h"
#include "hs_encode.h"
#include "hs_mem.h"
#include "hs_sampler_parts.h"
#include "hs_vm.h"
#include "tabled_vm.h"
#include "unit/block.h"
#include "unit/poll.h"

enum { CALLBACKS = 3, CONTROL_ROUNDS = 60, MOST_US = 2000000, SAMPLE_INTERVAL = 4096 };

static const struct hs_limits LIMITS = {
    .depth = 16, .tracked = 256, .stacks = 64, .names = 64, .sites = 64, .threads = 16, .dead = 32};
static const struct hs_strategy STRATEGY = {.kind = HS_BY_BYTES};
static const struct hs_vm_traits TRAITS = {.collector = HS_Z, .feature = 21};

static struct hs_sampler *sampler;
static struct hs_config_version config_version;
static size_t used_before;
static _Atomic int controls_left;
static _Atomic uint64_t tracked;
static _Atomic uint64_t turns;
static _Atomic uint64_t fired;
static uint64_t least_size;

static void begin(void) {
    tabled_reset();
    (void)hs_thread_state_current();
    used_before = hs_mem_used();
    cr_assert_eq(hs_vm_open(&tabled_invoke, &tabled_jni, "io.heapsampler"), HS_OK);
    sampler = hs_vm_sampler();
    cr_assert_eq(
        hs_sampler_configure(sampler, FAKE_ENV, &LIMITS, &STRATEGY, &TRAITS, &config_version),
        HS_OK);
    tracked = 0;
    fired = 0;
    least_size = 16;
}

static void end(void) {
    cr_assert_eq(fake.enables, fake.disables);
    hs_vm_close(&tabled_jni);
    cr_assert_null(hs_vm_sampler());
    cr_assert_eq(fake_outstanding(), 0);
    cr_assert_eq(fake.attached, 0);
    cr_assert_eq(tabled_lent, 0, "%ld pieces of memory are not given back", tabled_lent);
    cr_assert_eq(hs_mem_used(), used_before);
}

static void rest(void) {
    struct timespec pause = {.tv_nsec = 100000};
    (void)nanosleep(&pause, NULL);
}

static void call_back(int number) {
    struct seeded seeded = {(uint64_t)number + 1};
    struct tabled_thread self = {.id = number + 1};
    uint64_t count = 0;
    while (controls_left > 0) {
        uint32_t way = seeded_below(&seeded, 64);
        turns++;
        if (fake.made > FAKE_REFS / 2 || way == 0) {
            rest();
        } else if (way == 1) {
            tabled_told.ThreadStart(&tabled_jvmti, &tabled_jni, (jthread)(void *)&self);
        } else if (tabled_is_sampling) {
            uint64_t size = least_size + 8 * (uint64_t)seeded_below(&seeded, 100);
            hs_ref ref = tabled_sample(&self, &seeded, size);
            fired++;
            count += ref != 0;
            if (ref != 0 && seeded_below(&seeded, 3) != 0) {
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

static void take_snapshot(struct hs_handle handle, struct hs_after after) {
    struct hs_buffer buffer = {0};
    HS_CHECK(hs_sampler_snapshot(sampler, &tabled_jni, handle, after, NULL, &buffer) == HS_OK);
    check_block(&buffer);
    hs_buffer_free(&buffer);
}

static void control(int number) {
    static const struct hs_filter ALL;
    struct seeded seeded = {(uint64_t)number + 50};
    int64_t end = hs_clock_monotonic_us() + MOST_US;
    for (int i = 0; i < CONTROL_ROUNDS && hs_clock_monotonic_us() < end; i++) {
        struct hs_handle handle;
        int64_t values[HS_STATUS_VALUES];
        uint32_t interval = 64u << seeded_below(&seeded, 10);
        HS_CHECK(hs_sampler_open(sampler, &tabled_jni, config_version, &ALL, interval,
                                 i % 7 == 0 ? 500 : 0, &handle) == HS_OK);
        uint64_t before = turns;
        HS_CHECK(POLL(turns > before + 20));
        take_snapshot(handle, i % 5 == 0 ? HS_AFTER_FORCED : HS_AFTER_NONE);
        HS_CHECK(hs_sampler_set_interval(sampler, &tabled_jni, handle, interval / 2) == HS_OK);
        HS_CHECK(hs_sampler_pause(sampler, &tabled_jni, handle) == HS_OK);
        take_snapshot(handle, HS_AFTER_NONE);
        hs_lock_acquire(&sampler->control);
        HS_CHECK(hs_sampler_change_locked(sampler, handle, interval, true) == HS_OK);
        hs_sampler_leave(sampler);
        HS_CHECK(hs_sampler_reset(sampler, &tabled_jni, handle) == HS_OK);
        take_snapshot(handle, HS_AFTER_NONE);
        hs_sampler_status(sampler, values);
        HS_CHECK(hs_sampler_close(sampler, &tabled_jni, handle) == HS_OK);
    }
    controls_left--;
}

static void collect(int number) {
    (void)number;
    while (controls_left > 0) {
        tabled_collect();
        rest();
    }
}

/* Controllers that do not know each other, each with a strategy of its own. */
static _Atomic uint64_t admitted;

static void compete(int number) {
    static const struct hs_hold HOLD = {.interval = 4096, .name = "competitor"};
    struct hs_strategy mine = {HS_BY_TIME, 1000 + (uint64_t)number};
    for (int i = 0; i < 20 * CONTROL_ROUNDS; i++) {
        struct hs_config_version mine_terms;
        struct hs_hold_id id = {0};
        enum hs_status status =
            hs_sampler_configure(sampler, FAKE_ENV, &LIMITS, &mine, &TRAITS, &mine_terms);
        (void)sched_yield(); /* the other's turn */
        if (status == HS_OK) {
            status = hs_sampler_hold(sampler, &tabled_jni, mine_terms, 4096, &HOLD, &id);
        }
        HS_CHECK(status == HS_OK || status == HS_BUSY || status == HS_STUCK ||
                 status == HS_CHANGED);
        if (status == HS_OK) {
            int64_t status_values[HS_STATUS_VALUES];
            const int64_t *values = status_values + HS_FIGURES;
            bool is_closed;
            admitted++;
            hs_sampler_status(sampler, status_values);
            HS_CHECK(values[0] == 1 && values[1] > 0 && values[2] == 1);
            HS_CHECK(values[5] == HS_BY_TIME && values[6] == (int64_t)mine.amount);
            HS_CHECK(hs_sampler_release(sampler, &tabled_jni, id, &is_closed) == HS_OK);
            HS_CHECK(is_closed);
        }
    }
}

Test(stress_sampler, an_admitted_recording_has_its_own_strategy) {
    begin();
    crew_all(3, compete);
    cr_assert_gt(admitted, 0);
    end();
}

static crew_work *const WORKS[] = {call_back, call_back, call_back, control, control, collect};

Test(stress_sampler, callbacks_control_and_collections_at_once) {
    begin();
    controls_left = 2;
    crew_each(CALLBACKS + 3, WORKS);
    cr_assert_gt(tracked, 0);
    end();
}

/* One recording is there all the time: no sample gets lost between a session and the next. The objects are so
 * large that each interval samples them: none is thinned when the interval grows. */
Test(stress_sampler, a_permanent_recording_sees_every_sample) {
    static const struct hs_filter ALL;
    int64_t values[HS_STATUS_VALUES];
    struct hs_buffer buffer = {0};
    struct hs_handle lasting = {0};
    begin();
    least_size = UINT64_C(1) << 32;
    hs_sampler_status(sampler, values);
    int64_t seen_before = values[HS_FIGURE_SEEN]; /* for as long as the library is loaded */
    cr_assert_eq(
        hs_sampler_open(sampler, &tabled_jni, config_version, &ALL, SAMPLE_INTERVAL, 0, &lasting),
        HS_OK);
    controls_left = 2;
    crew_each(CALLBACKS + 3, WORKS);
    hs_sampler_status(sampler, values);
    cr_assert_eq(values[HS_FIGURE_SEEN] - seen_before, (int64_t)fired, "%ld seen",
                 values[HS_FIGURE_SEEN] - seen_before);
    cr_assert_eq(hs_sampler_snapshot(sampler, &tabled_jni, lasting, HS_AFTER_NONE, NULL, &buffer),
                 HS_OK);
    struct block block = block_read(&buffer);
    cr_assert_eq(block_info(&block, HS_INFO_SAMPLES), (int64_t)fired);
    hs_buffer_free(&buffer);
    cr_assert_eq(hs_sampler_close(sampler, &tabled_jni, lasting), HS_OK);
    end();
}
