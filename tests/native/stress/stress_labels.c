/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Labels under many threads: sets are added and removed while samples read them and the tables that number them are
 * exchanged; and virtual threads open and close scopes in a map that is too small for them, so that they displace each
 * other. No sample gets another set than the one that its thread has open, and no sample is lost. */
#include "crew.h"
#include "hs_encode.h"
#include "hs_hash.h"
#include "hs_label_scopes.h"
#include "unit/labelled.h"
#include "unit/rotating_store.h"
#include "unit/running_sampler.h"

/* ---- sets, samples, rotations ---- */

enum { CALLBACKS = 3, OWNERS = 2, SAMPLES = 15000, TENANTS = 64, GENERATIONS = 12 };

static struct hs_sampler sampler;
static struct hs_handle handle;
static _Atomic int callbacks_left;
static _Atomic uint32_t generations;
static _Atomic uint64_t taken[TENANTS];
/* The set of each tenant, which is removed and added again and again. */
static _Atomic uint64_t words[TENANTS];

static void rest(void) {
    struct timespec pause = {.tv_nsec = 100000};
    (void)nanosleep(&pause, NULL);
}

/* A platform thread with that set in force. */
static void call_back(struct hs_thread_state *self, uint32_t tenant, uint32_t stack,
                      int64_t thread) {
    uint64_t previous = hs_label_scopes_open(
        self, thread, atomic_load_explicit(&words[tenant], memory_order_relaxed));
    uint32_t token = hs_phaser_enter(&sampler.intake.phaser, self->stripe);
    struct hs_session *session =
        atomic_load_explicit(&sampler.intake.session, memory_order_seq_cst);
    struct hs_label_set *set = hs_label_sets_find(hs_label_scopes_word(self, thread));
    HS_CHECK(set == NULL || labelled_is(set, tenant));
    hs_ref ref =
        rotating_sample_with(session, "shop.Order", stack, thread, 24 + 8 * (uint64_t)tenant, set);
    HS_CHECK(set == NULL || labelled_is(set, tenant));
    bool is_full = hs_store_fills_up(session->store);
    generations += hs_store_tells_that_it_fills_up(session->store);
    hs_phaser_exit(&sampler.intake.phaser, token);
    hs_label_scopes_close(self, previous);
    taken[tenant]++;
    if (ref != 0) {
        fake_clear(ref);
    }
    if (is_full) {
        hs_sweeper_wake(&sampler.sweeper);
        rest();
    }
}

static void sample(int number) {
    struct hs_thread_state *self = hs_thread_state_current();
    struct seeded seeded = {(uint64_t)number + 1};
    for (int i = 0; i < SAMPLES || generations < GENERATIONS; i++) {
        uint32_t stack = seeded_below(&seeded, 4) == 0 ? seeded_u32(&seeded) % 1000000 : 7;
        call_back(self, seeded_below(&seeded, TENANTS), stack, 100 + number);
    }
    callbacks_left--;
}

/* Each tenant has one thread that does this. */
static void own(int number) {
    struct seeded seeded = {(uint64_t)number + 70};
    while (callbacks_left > 0) {
        uint32_t tenant = seeded_below(&seeded, TENANTS / OWNERS) * OWNERS +
                          (uint32_t)(number - CALLBACKS) % OWNERS;
        uint64_t word = atomic_load_explicit(&words[tenant], memory_order_relaxed);
        if (word != 0) {
            HS_CHECK(hs_label_sets_remove(&sampler.intake.phaser, word) == 1);
        }
        word = labelled_add_beside(&sampler.intake.phaser, tenant);
        atomic_store_explicit(&words[tenant], word, memory_order_relaxed);
    }
}

/* The samples of all sites. A site with labels of a tenant has objects of its size. */
static uint64_t check_sites(const struct block *block) {
    uint64_t samples = 0;
    for (uint32_t i = 0; i < block->sections[SITES].count; i++) {
        const unsigned char *site = block_entry(block, SITES, i, 64);
        samples += block_u64(site, 8);
        uint64_t size = block_u64(site, 8) == 0 ? 0 : block_u64(site, 48) / block_u64(site, 8);
        uint32_t tenant = (uint32_t)(size - 24) / 8;
        bool has_labels = block->sections[LABELS].count > 0 &&
                          block_u32(block_entry(block, SITE_LABELS, i, 4), 0) != 0 &&
                          !block_labels_are(block, i, "\0", 1);
        char bytes[LABELLED_BYTES];
        HS_CHECK(!has_labels || size == 0 ||
                 block_labels_are(block, i, bytes, labelled_bytes(tenant, bytes)));
    }
    return samples;
}

static uint64_t take_snapshot(bool is_over) {
    struct hs_buffer buffer = {0};
    HS_CHECK(hs_sampler_snapshot(&sampler, FAKE_ENV, handle, HS_AFTER_NONE, NULL, &buffer) ==
             HS_OK);
    struct block block = block_read(&buffer);
    uint64_t samples = 0;
    if (is_over) {
        samples = check_sites(&block);
        HS_CHECK((int64_t)samples == block_info(&block, HS_INFO_SAMPLES));
    }
    hs_buffer_free(&buffer);
    return samples;
}

static void read_all(int number) {
    (void)number;
    while (callbacks_left > 0) {
        (void)take_snapshot(false);
        rest();
    }
}

Test(stress_labels, sets_come_and_go_under_samples_and_rotations) {
    crew_work *const works[] = {sample, sample, sample, own, own, read_all};
    sampler_begin(&sampler);
    cr_assert_eq(sampler_configure(&sampler, &ROTATING_LIMITS, &SAMPLER_STRATEGY, &SAMPLER_TRAITS),
                 HS_OK);
    handle = sampler_open(&sampler, 0, 0);
    callbacks_left = CALLBACKS;
    crew_each(CALLBACKS + OWNERS + 1, works);
    uint64_t sum = 0;
    for (uint32_t i = 0; i < TENANTS; i++) {
        sum += taken[i];
        if (words[i] != 0) {
            cr_assert_eq(hs_label_sets_remove(&sampler.intake.phaser, words[i]), 1);
        }
    }
    cr_assert_eq(take_snapshot(true), sum);
    cr_assert_eq(hs_label_sets_count(), 0);
    hs_sampler_destroy(&sampler, FAKE_ENV);
    cr_assert_eq(fake_outstanding(), 0);
}

/* ---- virtual threads ---- */

enum { CARRIERS = 4, FIBRES = 3000, STEPS = 150000, MOST_DEPTH = 3 };

/* A virtual thread, carried by one carrier at a time; what it has open, outermost first. */
struct fibre {
    int64_t id;
    uint32_t depth;
    uint64_t previous[MOST_DEPTH];
    bool is_lost; /* its labels may be gone */
};

static struct fibre fibres[CARRIERS][FIBRES];
static _Atomic int64_t next_id = 1000;
static _Atomic uint64_t losses;

static uint64_t word_of(int64_t id, uint32_t depth) {
    return (uint64_t)id << 12 | depth;
}

/* Its own labels, or none where others have displaced them. */
static void check(struct fibre *fibre) {
    uint64_t state = hs_label_map_state(fibre->id);
    HS_CHECK(state == 0 || hs_label_word_of(state) >> 12 == (uint64_t)fibre->id);
    HS_CHECK(state == 0 || fibre->is_lost || (state & 15) == fibre->depth);
    fibre->is_lost = fibre->is_lost || (state == 0 && fibre->depth > 0);
}

static void step(struct fibre *fibre, struct seeded *seeded) {
    uint32_t way = seeded_below(seeded, 8);
    if (fibre->id == 0 || (way == 0 && fibre->depth > 0)) { /* it dies, perhaps inside its scopes */
        *fibre = (struct fibre){.id = next_id++};
    } else if (way < 5 && fibre->depth < MOST_DEPTH) {
        bool is_lost;
        uint32_t depth = fibre->depth++;
        fibre->previous[depth] =
            hs_label_map_open(fibre->id, word_of(fibre->id, fibre->depth), &is_lost);
        losses += is_lost;
        fibre->is_lost =
            fibre->is_lost || is_lost || hs_label_depth_of(fibre->previous[depth]) != depth;
    } else if (fibre->depth > 0) {
        hs_label_map_close(fibre->id, fibre->previous[--fibre->depth]);
        if (fibre->depth == 0) {
            HS_CHECK(hs_label_map_state(fibre->id) == 0 || fibre->is_lost);
            *fibre = (struct fibre){.id = next_id++};
        }
    }
    check(fibre);
}

static void carry(int number) {
    struct seeded seeded = {(uint64_t)number + 1};
    for (int round = 0; round < CARRIERS; round++) {
        for (int i = 0; i < STEPS / CARRIERS; i++) {
            step(&fibres[(number + round) % CARRIERS][seeded_below(&seeded, FIBRES)], &seeded);
        }
        crew_meet(); /* then another carrier has them */
    }
}

Test(stress_labels, virtual_threads_displace_each_other) {
    bool is_lost;
    (void)hs_label_map_open(1, 2, &is_lost);
    hs_mem_set_budget(hs_mem_used()); /* one level is all there is */
    crew_all(CARRIERS, carry);
    hs_mem_set_budget(HS_MEM_DEFAULT_BUDGET);
    cr_assert_gt(losses, 0);
}

/* ---- virtual threads whose places are the same eight ---- */

enum { MEETING = 12, MEETINGS = 2000000, FIRST_LEVEL_BUCKETS = 512 };

static struct fibre meeting[CARRIERS][MEETING];

/* As the map finds the bucket of a thread in its first level. */
static bool is_in_first_bucket(int64_t id) {
    return (hs_hash_mix((uint64_t)id) & (FIRST_LEVEL_BUCKETS - 1)) == 0;
}

static void open_or_close(struct fibre *fibre) {
    bool is_lost;
    if (fibre->depth < MOST_DEPTH) {
        uint32_t depth = fibre->depth++;
        fibre->previous[depth] =
            hs_label_map_open(fibre->id, word_of(fibre->id, fibre->depth), &is_lost);
        losses += is_lost;
    } else {
        while (fibre->depth > 0) {
            hs_label_map_close(fibre->id, fibre->previous[--fibre->depth]);
        }
    }
    uint64_t state = hs_label_map_state(fibre->id);
    HS_CHECK(state == 0 || hs_label_word_of(state) >> 12 == (uint64_t)fibre->id);
    HS_CHECK(fibre->depth > 0 || state == 0);
}

static void meet_others(int number) {
    struct seeded seeded = {(uint64_t)number + 1};
    for (int i = 0; i < MEETINGS; i++) {
        open_or_close(&meeting[number][seeded_below(&seeded, MEETING)]);
    }
}

/* So each one displaces others all the time, in the middle of what they do. */
Test(stress_labels, virtual_threads_meet_in_one_bucket) {
    int64_t id = 1;
    bool is_lost;
    if (hs_label_map_bytes() == 0) { /* under TSan all tests are one process */
        (void)hs_label_map_open(id, 2, &is_lost);
        hs_label_map_close(id, 0);
    }
    hs_mem_set_budget(hs_mem_used());
    uint32_t before = hs_label_map_count();
    uint64_t lost_before = losses;
    for (int i = 0; i < CARRIERS * MEETING; i++) {
        do {
            id++;
        } while (!is_in_first_bucket(id));
        meeting[i / MEETING][i % MEETING].id = id;
    }
    crew_all(CARRIERS, meet_others);
    hs_mem_set_budget(HS_MEM_DEFAULT_BUDGET);
    cr_assert_gt(losses - lost_before, (uint64_t)MEETINGS / 100);
    cr_assert_leq(hs_label_map_count(), before + 8);
}
