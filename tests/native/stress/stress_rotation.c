/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Tables that are far too small for what is sampled: the sweeper makes generation after generation of them, while
 * callbacks add samples at stacks and from threads that were never there before, and snapshots are taken. No
 * sample is lost or counted twice, and living objects keep their stacks. */
#include "crew.h"
#include "hs_encode.h"
#include "unit/rotating_store.h"
#include "unit/running_sampler.h"

enum { CALLBACKS = 3, SAMPLES = 20000, LIVING = 16, GENERATIONS = 40 };

static struct hs_sampler sampler;
static struct hs_handle handle;
static _Atomic int callbacks_left;
static _Atomic uint32_t stacks_left; /* to be used once each */
static _Atomic uint64_t bytes_sampled;
static _Atomic uint32_t generations; /* that have filled up */

static void rest(void) {
    struct timespec pause = {.tv_nsec = 100000};
    (void)nanosleep(&pause, NULL);
}

/* One of many new stacks; or, for an object that stays, the one that its size says. */
static hs_ref call_back(struct hs_thread_state *self, uint32_t stack, int64_t thread,
                        uint64_t size) {
    uint32_t token = hs_phaser_enter(&sampler.intake.phaser, self->stripe);
    struct hs_session *session =
        atomic_load_explicit(&sampler.intake.session, memory_order_seq_cst);
    hs_ref ref = rotating_sample(session, stack, thread, size);
    bool is_full = hs_store_fills_up(session->store);
    generations += hs_store_tells_that_it_fills_up(session->store);
    hs_phaser_exit(&sampler.intake.phaser, token);
    bytes_sampled += size;
    if (is_full) {
        hs_sweeper_wake(&sampler.sweeper);
        rest();
    }
    return ref;
}

static void sample(int number) {
    struct hs_thread_state *self = hs_thread_state_current();
    struct seeded seeded = {(uint64_t)number + 1};
    for (int i = 0; i < SAMPLES || generations < GENERATIONS; i++) {
        uint32_t stack = 1000 + stacks_left++ / 4;
        int64_t thread = 100 + (int64_t)seeded_below(&seeded, 1000000);
        hs_ref ref = call_back(self, stack, thread, 16 + 8 * (uint64_t)seeded_below(&seeded, 9));
        if (ref != 0) {
            fake_clear(ref);
        }
    }
    callbacks_left--;
}

static uint64_t sum_of(const struct block *block, int tag, size_t at) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < block->sections[tag].count; i++) {
        sum += block_u64(block_entry(block, tag, i, 64), at);
    }
    return sum;
}

/* Answers the samples of all sites. */
static uint64_t take_snapshot(void) {
    struct hs_buffer buffer = {0};
    bool is_over = callbacks_left == 0;
    HS_CHECK(hs_sampler_snapshot(&sampler, FAKE_ENV, handle, HS_AFTER_NONE, NULL, &buffer) ==
             HS_OK);
    struct block block = block_read(&buffer);
    uint64_t samples = sum_of(&block, SITES, 8);
    if (is_over) {
        HS_CHECK((int64_t)samples == block_info(&block, HS_INFO_SAMPLES));
        HS_CHECK(sum_of(&block, SITES, 48) == bytes_sampled);
        HS_CHECK(sum_of(&block, THREADS, 16) == samples);
        HS_CHECK(sum_of(&block, THREADS, 56) == bytes_sampled);
        HS_CHECK(block.sections[LIVE].count == LIVING);
    }
    hs_buffer_free(&buffer);
    return samples;
}

/* What one snapshot has, the next one has, except for samples that are being added or moved in that moment. */
static void read_all(int number) {
    (void)number;
    uint64_t seen = 0;
    while (callbacks_left > 0) {
        uint64_t samples = take_snapshot();
        HS_CHECK(samples + CALLBACKS >= seen);
        seen = samples;
        rest();
    }
}

static void check_living(void *context, hs_ref ref, const struct hs_sample *sample,
                         uint32_t thinning, uint32_t place) {
    (void)place;
    (void)ref;
    (void)thinning;
    const struct hs_store *store = context;
    cr_assert_eq(hs_generation_of(sample->site.bits), store->code_generation);
    const struct hs_site *site = hs_sites_get(
        store->sites, (struct hs_site_id){hs_number_of(sample->site.bits)}, &(struct hs_site){0});
    cr_assert_not_null(site);
    cr_assert_eq(rotating_frames(store, site->stack, (uint32_t)(sample->size / 8) - 1000),
                 ROTATING_DEPTH, "object of %lu bytes", sample->size);
}

Test(stress_rotation, tables_are_exchanged_under_callbacks_and_snapshots) {
    crew_work *const works[] = {sample, sample, sample, read_all};
    sampler_begin(&sampler);
    cr_assert_eq(sampler_configure(&sampler, &ROTATING_LIMITS, &SAMPLER_STRATEGY, &SAMPLER_TRAITS),
                 HS_OK);
    handle = sampler_open(&sampler, 0, 0);
    for (uint32_t stack = 0; stack < LIVING; stack++) {
        cr_assert_neq(call_back(hs_thread_state_current(), stack, 5, 8 * (1000 + (uint64_t)stack)),
                      0);
    }
    callbacks_left = CALLBACKS;
    crew_each(CALLBACKS + 1, works);
    (void)take_snapshot();
    hs_lock_acquire(&sampler.control);
    hs_lock_acquire(&sampler.sweep);
    struct hs_store *store = sampler.liveness.store;
    (void)hs_live_each(store->live, 0, UINT64_MAX, check_living, store);
    hs_lock_release(&sampler.sweep);
    hs_lock_release(&sampler.control);
    hs_sampler_destroy(&sampler, FAKE_ENV);
    cr_assert_eq(fake_outstanding(), 0);
}
