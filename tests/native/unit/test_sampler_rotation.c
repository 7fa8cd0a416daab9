/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "rotating_sampler.h"

#include <unistd.h>

#include "made_up_clocks.h"
#include "poll.h"
#include "walk_items.h"

static char report_path[64];

TestSuite(sampler_rotation, .init = set_up, .fini = tear_down);

Test(sampler_rotation, callbacks_get_the_next_generation_when_a_table_fills_up) {
    struct hs_store *first = session_of()->store;
    rotate();
    cr_assert_eq(session_of()->store, first, "there is room");
    for (int round = 0; round < 50; round++) {
        uint32_t generation = session_of()->store->code_generation;
        (void)fill_and_rotate();
        cr_assert_neq(session_of()->store->code_generation, generation);
        cr_assert_null(session_of()->store->previous);
        cr_assert_eq(sampler.liveness.store, session_of()->store);
        cr_assert_eq(snapshot() & HS_INFO_NO_TABLES, 0);
    }
}

/* Where all code had to be learned again after each rotation, a tenth of javac's samples were requested from the VM. */
Test(sampler_rotation, learned_code_goes_on) {
    struct hs_walk_items items;
    struct hs_run runs[HS_WALK_MAX_ITEMS];
    hs_sampler_lock(&sampler);
    struct hs_store *store = session_of()->store;
    sampler.intake.lookup.layout = METHOD_LAYOUT;
    cr_assert_eq(hs_lookup_on(&sampler.intake.lookup, 0, false), HS_OK);
    hs_store_renew_stack_cache(store, &METHOD_LAYOUT);
    hs_stack_cache *learned = atomic_load(&store->stack_cache);
    sample_once(session_of());
    const struct hs_frame_id first = {1};
    const struct hs_java_frame frame = {.method_id = 64, .bci = 3, .frame = first};
    int32_t line = hs_frames_get(store->frames, first)->line;
    items_of_one(&items, 1, 2);
    hs_stack_cache_put_run(learned, &items, 0, &frame, 1);
    hs_stack_cache_runs(learned, &items, runs);
    (void)fill_and_rotate_locked();
    hs_sampler_renew_stack_cache(&sampler); /* as the sweeper does in the same round */
    hs_sampler_leave(&sampler);
    cr_assert_neq(session_of()->store, store);
    const hs_stack_cache *next = atomic_load(&session_of()->store->stack_cache);
    cr_assert_not_null(next);
    struct hs_run run = hs_stack_cache_run(next, &items, 0);
    cr_assert_eq(run.count, 1);
    cr_assert_eq(hs_frames_get(session_of()->store->frames, run.frames->frame)->line, line);
}

/* Learned stacks of the new tables would come on top of two generations. */
Test(sampler_rotation, nothing_is_learned_before_the_old_tables_are_gone) {
    hs_sampler_lock(&sampler);
    sampler.intake.lookup.layout = METHOD_LAYOUT;
    cr_assert_eq(hs_lookup_on(&sampler.intake.lookup, 0, false), HS_OK);
    uint32_t token = hs_phaser_enter(&sampler.intake.phaser, 5);
    (void)fill_and_rotate_locked();
    bool is_open = session_of()->store->previous != NULL;
    hs_sampler_renew_stack_cache(&sampler);
    bool is_learned = atomic_load(&session_of()->store->stack_cache) != NULL;
    hs_phaser_exit(&sampler.intake.phaser, token);
    hs_sampler_rotate(&sampler, FAKE_ENV);
    hs_sampler_renew_stack_cache(&sampler);
    bool is_learned_later = atomic_load(&session_of()->store->stack_cache) != NULL;
    hs_sampler_leave(&sampler);
    cr_assert(is_open);
    cr_assert_not(is_learned);
    cr_assert(is_learned_later);
}

/* A new generation of threads alone leaves the room of the next stack cache free. */
Test(sampler_rotation, learning_goes_on_while_only_old_threads_stay) {
    struct hs_thread_id id;
    hs_sampler_lock(&sampler);
    sampler.intake.lookup.layout = METHOD_LAYOUT;
    cr_assert_eq(hs_lookup_on(&sampler.intake.lookup, 0, false), HS_OK);
    struct hs_store *store = session_of()->store;
    hs_store_renew_stack_cache(store, &METHOD_LAYOUT);
    for (int64_t thread = 100; !hs_store_fills_up(store); thread++) {
        (void)hs_threads_put(store->threads, thread, &id);
    }
    uint32_t token = hs_phaser_enter(&sampler.intake.phaser, 5);
    (void)fill_and_rotate_locked();
    bool is_open = session_of()->store->previous == store;
    hs_stack_cache_discard(atomic_load(&session_of()->store->stack_cache));
    hs_sampler_renew_stack_cache(&sampler);
    bool is_new = !hs_stack_cache_is_discarded(atomic_load(&session_of()->store->stack_cache));
    hs_phaser_exit(&sampler.intake.phaser, token);
    hs_sampler_rotate(&sampler, FAKE_ENV);
    hs_sampler_renew_stack_cache(&sampler);
    bool has_ended = session_of()->store->previous == NULL;
    hs_sampler_leave(&sampler);
    cr_assert(is_open);
    cr_assert(is_new);
    cr_assert(has_ended);
    (void)snapshot();
}

/* Its memory would come on top of two generations. */
Test(sampler_rotation, a_callback_that_stays_in_learned_stacks_delays_the_beginning) {
    hs_sampler_lock(&sampler);
    fill();
    struct hs_store *store = session_of()->store;
    hs_store_renew_stack_cache(store, &METHOD_LAYOUT);
    hs_stack_cache *learned = atomic_load(&store->stack_cache);
    uint32_t token = hs_phaser_enter(&sampler.intake.phaser, 5);
    sampler.next_rotation_us = 0;
    hs_sampler_rotate(&sampler, FAKE_ENV);
    bool has_begun = session_of()->store != store;
    bool is_learned = atomic_load(&store->stack_cache) == learned;
    hs_phaser_exit(&sampler.intake.phaser, token);
    hs_sampler_leave(&sampler);
    cr_assert_not(has_begun);
    cr_assert(is_learned);
    cr_assert_not(sampler.lacks_tables, "memory is there");
    rotate();
    cr_assert_neq(session_of()->store, store);
    (void)snapshot();
}

/* What hs_sampler_rotate takes, in reads of the clock, of which each takes 1 ms: the time that it waits for callbacks. */
static int64_t rotating_ms(void) {
    int64_t began_ns = monotonic_ns;
    hs_sampler_rotate(&sampler, FAKE_ENV);
    return (monotonic_ns - began_ns) / 1000000;
}

/* A thread in a debugger may stay for hours, and collections may follow each other closely: callers would wait for the
 * lock each time. `is_open`: the rotation has begun before the callback got stuck. */
static void check_that_waits_are_rare(bool is_open) {
    enum { ROUNDS = 100, ROUND_MS = 100 };
    hs_sweeper_stop(&sampler.sweeper, INT32_MAX);
    hs_sampler_lock(&sampler);
    fill();
    struct hs_store *store = session_of()->store;
    if (!is_open) {
        hs_store_renew_stack_cache(store, &METHOD_LAYOUT);
    }
    uint32_t token = hs_phaser_enter(&sampler.intake.phaser, 5);
    sampler.next_rotation_us = 0;
    monotonic_ns = hs_clock_ns(CLOCK_MONOTONIC);
    monotonic_step_ns = 1000000;
    is_made_up = true;
    int64_t first_ms = rotating_ms();
    int64_t others_ms = 0;
    for (int i = 0; i < ROUNDS; i++) {
        others_ms += rotating_ms();
        monotonic_ns += INT64_C(1000000) * ROUND_MS;
    }
    is_made_up = false;
    bool has_begun = session_of()->store != store;
    hs_phaser_exit(&sampler.intake.phaser, token);
    hs_sampler_leave(&sampler);
    cr_assert_eq(has_begun, is_open);
    cr_assert_geq(first_ms, 200, "a thread that waits for a processor may need it");
    cr_assert_lt(others_ms, ROUNDS * ROUND_MS / 2, "%ld ms", (long)others_ms);
    rotate();
    cr_assert_neq(session_of()->store, store);
    cr_assert_null(session_of()->store->previous);
    (void)snapshot();
}

Test(sampler_rotation, while_a_callback_delays_the_beginning_waits_are_rare) {
    check_that_waits_are_rare(false);
}

Test(sampler_rotation, while_a_callback_delays_the_end_waits_are_rare) {
    check_that_waits_are_rare(true);
}

/* Memory is there for the runs that are kept, and not for the tables that they would go to. */
Test(sampler_rotation, learned_code_is_given_up_without_memory) {
    struct hs_walk_items items;
    struct hs_run runs[HS_WALK_MAX_ITEMS];
    const struct hs_java_frame frame = {.method_id = 64, .bci = 3, .frame = {1}};
    hs_sampler_lock(&sampler);
    fill();
    struct hs_store *store = session_of()->store;
    size_t before = hs_mem_used();
    hs_store_renew_stack_cache(store, &METHOD_LAYOUT);
    hs_stack_cache *learned = atomic_load(&store->stack_cache);
    items_of_one(&items, 1, 2);
    hs_stack_cache_put_run(learned, &items, 0, &frame, 1);
    hs_stack_cache_runs(learned, &items, runs);
    sampler.next_rotation_us = 0;
    hs_mem_fail_at(2);
    hs_sampler_rotate(&sampler, FAKE_ENV);
    hs_mem_fail_at(0);
    hs_sampler_leave(&sampler);
    cr_assert_eq(session_of()->store, store);
    cr_assert(sampler.lacks_tables);
    cr_assert_null(atomic_load(&store->stack_cache));
    cr_assert_eq(hs_mem_used(), before);
}

/* It is notified once for each generation, so that the sweeper is not woken for each sample. */
Test(sampler_rotation, the_sweeper_is_notified_once) {
    hs_sampler_lock(&sampler);
    cr_assert_not(hs_store_tells_that_it_fills_up(session_of()->store));
    fill();
    cr_assert(hs_store_tells_that_it_fills_up(session_of()->store));
    cr_assert_not(hs_store_tells_that_it_fills_up(session_of()->store));
    hs_sampler_leave(&sampler);
}

/* The wake of a callback may come when the sweeper ends already. */
Test(sampler_rotation, the_sweeper_is_notified_again_when_sampling_goes_on) {
    be_patient();
    hs_sampler_lock(&sampler);
    fill();
    bool has_told = hs_store_tells_that_it_fills_up(session_of()->store);
    sampler.next_rotation_us = INT64_MAX;
    hs_sampler_leave(&sampler);
    cr_assert(has_told);
    cr_assert_eq(hs_sampler_pause(&sampler, FAKE_ENV, handle), HS_OK);
    cr_assert_eq(sampler_resume(&sampler, handle, 0), HS_OK);
    cr_assert(hs_store_tells_that_it_fills_up(session_of()->store));
    cr_assert_not(hs_store_tells_that_it_fills_up(session_of()->store));
}

/* Where code in use alone fills a table, rotations do not follow each other without end. */
Test(sampler_rotation, rests_after_each) {
    (void)fill_and_rotate();
    hs_sampler_lock(&sampler);
    cr_assert_gt(sampler.next_rotation_us, 0);
    sampler.next_rotation_us = INT64_MAX;
    fill();
    uint32_t generation = session_of()->store->code_generation;
    hs_sampler_rotate(&sampler, FAKE_ENV);
    cr_assert_eq(session_of()->store->code_generation, generation);
    hs_sampler_leave(&sampler);
    rotate();
    cr_assert_neq(session_of()->store->code_generation, generation);
}

/* Returns how many times its processor time the sampler rests after a rotation, in which a hundred times as much time
 * passes. */
static int64_t rest_after_rotation(void) {
    hs_sampler_lock(&sampler);
    sampler.next_rotation_us = 0;
    monotonic_ns = hs_clock_ns(CLOCK_MONOTONIC);
    monotonic_step_ns = 1000000;
    thread_step_ns = 10000;
    is_made_up = true;
    uint32_t generation = session_of()->store->code_generation;
    hs_sampler_rotate(&sampler, FAKE_ENV);
    int64_t rest_us = sampler.next_rotation_us - (monotonic_ns - monotonic_step_ns) / 1000;
    is_made_up = false;
    sampler.next_rotation_us = INT64_MAX;
    cr_assert_neq(session_of()->store->code_generation, generation);
    hs_sampler_leave(&sampler);
    return rest_us / 10;
}

/* A busy machine makes a rotation longer, and not dearer. */
Test(sampler_rotation, rests_by_its_processor_time) {
    hs_sweeper_stop(&sampler.sweeper, INT32_MAX);
    fill();
    (void)snapshot(); /* it finds that none is alive */
    cr_assert_eq(rest_after_rotation(), 4);
}

/* Live objects keep half of a table in use. */
Test(sampler_rotation, rests_longer_where_the_code_in_use_fills_a_table) {
    hs_sweeper_stop(&sampler.sweeper, INT32_MAX);
    while (!hs_store_fills_up(session_of()->store)) {
        cr_assert_neq(rotating_sample(session_of(), next_stack++, 7, 8000), 0);
    }
    cr_assert_eq(rest_after_rotation(), 32);
}

static uint64_t samples_left(const struct hs_store *store) {
    const struct hs_sums *sums = hs_liveness_find(&sampler.liveness, handle)->sums;
    return small_total(sums[store->code_generation].sites.totals, ROTATING_LIMITS.sites).samples;
}

/* A sweep walks over the living as it is; a walk over them and all sums, in each, would add to it without end. */
Test(sampler_rotation, only_a_reader_moves_while_a_callback_is_stuck) {
    uint32_t token = hs_phaser_enter(&sampler.intake.phaser, 5);
    struct hs_session *stuck = fill_and_rotate();
    for (int round = 0; round < 3; round++) {
        sample_once(stuck);
        uint64_t left = samples_left(stuck->store);
        cr_assert_gt(left, 0);
        hs_sampler_sweep(&sampler, FAKE_ENV);
        cr_assert_eq(samples_left(stuck->store), left, "a sweep has moved");
        (void)snapshot();
        cr_assert_eq(samples_left(stuck->store), 0, "a snapshot has not");
    }
    hs_phaser_exit(&sampler.intake.phaser, token);
}

static bool reports(const char *what) {
    char text[4096] = {0};
    FILE *file = fopen(report_path, "r");
    cr_assert_not_null(file);
    (void)fread(text, 1, sizeof text - 1, file);
    (void)fclose(file);
    (void)unlink(report_path);
    return strstr(text, what) != NULL;
}

/* The thread that ran out does not move, since that takes memory; the sweeper does. */
Test(sampler_rotation, a_report_reads_what_a_stuck_callback_has_added) {
    (void)snprintf(report_path, sizeof report_path, "/tmp/hs-rotation-%d.txt", (int)getpid());
    cr_assert_eq(hs_sampler_report_on_oom(&sampler, report_path), HS_OK);
    hs_sweeper_stop(&sampler.sweeper, INT32_MAX);
    uint32_t token = hs_phaser_enter(&sampler.intake.phaser, 5);
    struct hs_session *stuck = fill_and_rotate();
    cr_assert_neq(rotating_sample(stuck, next_stack++, 7, 1 << 20), 0);
    hs_sampler_exhausted(&sampler, FAKE_ENV, "Java heap space", true);
    hs_sampler_sweep(&sampler, FAKE_ENV);
    cr_assert(reports(" objects (1 samples) of shop.Order\n"));
    hs_phaser_exit(&sampler.intake.phaser, token);
}

/* Its tables are kept, and what it adds to them is in the next snapshot. */
Test(sampler_rotation, a_stuck_callback_only_delays) {
    uint32_t token = hs_phaser_enter(&sampler.intake.phaser, 5);
    struct hs_session *stuck = fill_and_rotate();
    cr_assert_neq(session_of(), stuck);
    cr_assert_eq(session_of()->store->previous, stuck->store);
    for (int i = 0; i < 20; i++) {
        sample_once(stuck);
        (void)snapshot();
        sample_once(session_of());
        (void)snapshot();
    }
    (void)fill_and_rotate();
    cr_assert_eq(session_of()->store->previous, stuck->store, "there is no third generation");
    hs_phaser_exit(&sampler.intake.phaser, token);
    rotate();
    cr_assert_null(session_of()->store->previous);
    (void)snapshot();
    rotate();
    cr_assert_not(hs_store_fills_up(session_of()->store));
}

/* The tables stay as they are, and it is said so, until there is memory. */
Test(sampler_rotation, without_memory_the_old_tables_stay) {
    hs_sampler_lock(&sampler);
    fill();
    struct hs_store *before = session_of()->store;
    hs_mem_set_budget(hs_mem_used() + 1000);
    sampler.next_rotation_us = 0;
    hs_sampler_rotate(&sampler, FAKE_ENV);
    cr_assert_eq(session_of()->store, before);
    cr_assert(sampler.lacks_tables);
    hs_mem_set_budget(HS_MEM_DEFAULT_BUDGET);
    hs_sampler_leave(&sampler);
    rotate();
    cr_assert_neq(session_of()->store, before);
    cr_assert_eq(snapshot() & HS_INFO_NO_TABLES, 0);
}

/* Tries again, and returns the rest after that, with the time of the try; in microseconds. */
static int64_t rest_after_try(void) {
    sampler.next_rotation_us = 0;
    int64_t began_us = hs_clock_monotonic_us();
    hs_sampler_rotate(&sampler, FAKE_ENV);
    return sampler.next_rotation_us - began_us;
}

/* Each try gives up the learned stacks, so that nearly all stacks would come from the VM if one followed another for
 * long; but memory may be back soon. What is checked under the lock would hang where it fails. */
Test(sampler_rotation, without_memory_it_rests_longer_each_time) {
    enum { TRIES = 8 };
    static const int64_t SECONDS[TRIES] = {2, 4, 8, 16, 32, 60, 60, 0};
    int64_t rests[2][TRIES];
    hs_sampler_lock(&sampler);
    for (int twice = 0; twice < 2; twice++) {
        fill();
        hs_mem_set_budget(hs_mem_used() + 1000);
        for (int i = 0; i < TRIES; i++) {
            if (i == TRIES - 1) {
                hs_mem_set_budget(HS_MEM_DEFAULT_BUDGET);
            }
            rests[twice][i] = rest_after_try();
        }
    }
    hs_sampler_leave(&sampler);
    for (int i = 0; i < 2 * TRIES; i++) {
        int64_t rest_us = rests[i / TRIES][i % TRIES];
        int64_t least_us = SECONDS[i % TRIES] * 1000000;
        cr_assert(rest_us >= least_us && rest_us < least_us * 3 / 2 + 1000000, "try %d: %ld us", i,
                  (long)rest_us);
    }
}

Test(sampler_rotation, without_memory_it_rests) {
    hs_sampler_lock(&sampler);
    fill();
    struct hs_store *store = session_of()->store;
    hs_mem_set_budget(hs_mem_used() + 1000);
    sampler.next_rotation_us = 0;
    int64_t began_us = hs_clock_monotonic_us();
    hs_sampler_rotate(&sampler, FAKE_ENV);
    cr_assert_geq(sampler.next_rotation_us, began_us + 2000000);
    hs_mem_set_budget(HS_MEM_DEFAULT_BUDGET);
    hs_store_renew_stack_cache(store, &METHOD_LAYOUT);
    hs_stack_cache *learned = atomic_load(&store->stack_cache);
    cr_assert_not_null(learned);
    hs_sampler_rotate(&sampler, FAKE_ENV);
    cr_assert_eq(session_of()->store, store);
    cr_assert_eq(atomic_load(&store->stack_cache), learned);
    hs_sampler_leave(&sampler);
    rotate();
    cr_assert_neq(session_of()->store, store);
    hs_sampler_lock(&sampler);
    cr_assert_lt(sampler.next_rotation_us, hs_clock_monotonic_us() + 2000000);
    hs_sampler_leave(&sampler);
}

/* Sums go with the recording, tables with the last one. */
Test(sampler_rotation, recordings_come_and_go_in_the_middle) {
    uint32_t token = hs_phaser_enter(&sampler.intake.phaser, 5);
    (void)fill_and_rotate();
    cr_assert_not_null(session_of()->store->previous);
    struct hs_handle other = sampler_open(&sampler, 0, 0);
    sample_once(session_of());
    (void)snapshot();
    cr_assert_eq(hs_sampler_close(&sampler, FAKE_ENV, other), HS_OK);
    (void)snapshot();
    hs_phaser_exit(&sampler.intake.phaser, token);
    cr_assert_eq(hs_sampler_reset(&sampler, FAKE_ENV, handle), HS_OK);
    next_stack = 0;
    (void)snapshot();
    rotate();
    cr_assert_eq(hs_sampler_close(&sampler, FAKE_ENV, handle), HS_OK);
    cr_assert_null(sampler.liveness.store);
}

/* What the sweeper's rounds take at least while another thread has the lock. */
static int64_t shortest_round_us(void) {
    int64_t least = INT64_MAX;
    for (int i = 0; i < 10; i++) {
        uint64_t rounds = atomic_load(&sampler.sweeper.rounds);
        int64_t began_us = hs_clock_monotonic_us();
        hs_sweeper_wake(&sampler.sweeper);
        cr_assert(POLL(atomic_load(&sampler.sweeper.rounds) > rounds));
        int64_t took_us = hs_clock_monotonic_us() - began_us;
        if (i > 0 && took_us < least) { /* the first may have begun before */
            least = took_us;
        }
    }
    return least;
}

/* Only a rotation that is due is worth a wait for the lock. */
Test(sampler_rotation, the_sweeper_waits_for_the_lock_only_when_one_is_due) {
    enum { WAIT_US = 50000 };
    hs_sampler_lock(&sampler);
    fill();
    cr_assert_geq(shortest_round_us(), WAIT_US, "it is due");
    sampler.next_rotation_us = INT64_MAX;
    cr_assert_lt(shortest_round_us(), WAIT_US, "it rests");
    sampler.next_rotation_us = 0;
    uint32_t token = hs_phaser_enter(&sampler.intake.phaser, 5);
    hs_sampler_rotate(&sampler, FAKE_ENV);
    fill();
    sampler.next_rotation_us = 0;
    cr_assert_not_null(sampler.liveness.store->previous);
    cr_assert_lt(shortest_round_us(), WAIT_US, "one is in progress");
    hs_phaser_exit(&sampler.intake.phaser, token);
    hs_sampler_leave(&sampler);
}
