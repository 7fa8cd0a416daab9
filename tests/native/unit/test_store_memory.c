/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* What a store at the default limits takes at most: full, in a rotation, and with a snapshot. */
#include "hs_store.h"

#include <stdio.h>

#include "hs_encode.h"
#include "hs_mem.h"
#include "hs_options.h"
#include "hs_rotation.h"
#include "small_store.h"
#include "tier.h"
#include "walk_items.h"

/* With the shape below: the limits are numbers, and names and stacks may be longer. While a callback stays in the learned
 * stacks, no rotation begins, and the tables fill up; other learned stacks may have followed. When one stays that came in a
 * rotation, both generations are there, and the new one fills up, without learned stacks. */
enum { MOST_BYTES = 32 << 20 };
enum { MOST_BYTES_WITHOUT_ROTATION = 36 << 20, MOST_BYTES_WITH_TWO_STACK_CACHES = 42 << 20 };
enum { MOST_BYTES_WITH_TWO_GENERATIONS = 43 << 20 };

/* As in a large application: a stack has some frames and a class of its own, so that all tables fill up at about the
 * same time. Each stack allocates some objects that live, and some that die at different ages. */
enum { FRAMES = 40, OWN_FRAMES = 2, STACKS_OF_A_THREAD = 4, OBJECTS = 3, DEATHS = 2 };

static struct hs_session session;
static struct hs_recording *recordings[HS_MAX_RECORDINGS];
static struct hs_epochs epochs;
static struct hs_phaser phaser;
static uint32_t lanes;

static struct hs_limits default_limits(void) {
    struct hs_options options;
    char message[HS_OPTIONS_MESSAGE];
    cr_assert(hs_options_read("", &options, message));
    return (struct hs_limits){.depth = options.max_depth,
                              .tracked = 65536,
                              .stacks = options.max_stacks,
                              .names = options.max_names,
                              .sites = options.max_sites,
                              .threads = options.max_threads,
                              .dead = options.max_dead};
}

static struct hs_name_id name_of(const char *format, uint32_t i) {
    char text[80];
    struct hs_name_id id;
    int bytes = snprintf(text, sizeof text, format, i);
    cr_assert_eq(hs_names_put(session.store->names, text, (size_t)bytes, &id), HS_OK);
    return id;
}

static struct hs_frame_id frame_of(struct hs_name_id class_name, struct hs_name_id method,
                                   uint32_t i, uint32_t line) {
    struct hs_frame frame = {.class_name = class_name,
                             .method = method,
                             .descriptor = name_of("(Ljava/util/List;)V", 0),
                             .file = name_of("Cart.java", 0),
                             .line = (int32_t)(line + i % 1000)};
    struct hs_frame_id id;
    cr_assert_eq(hs_frames_put(session.store->frames, &frame, (struct hs_name_id){0}, &id), HS_OK);
    return id;
}

static struct hs_stack_id stack_of(uint32_t i) {
    struct hs_frame_id frames[FRAMES];
    struct hs_name_id own = name_of("io.example.shop.generated.Cart$$Handler%u", i);
    struct hs_name_id shared = name_of("io.example.shop.Dispatcher", 0);
    struct hs_stack_id id;
    bool is_whole;
    for (uint32_t f = 0; f < FRAMES; f++) {
        bool is_own = f < OWN_FRAMES;
        frames[f] = frame_of(is_own ? own : shared, name_of("handle", 0), is_own ? i : 0, f);
    }
    cr_assert_eq(hs_stacks_put_what_fits(session.store->stacks, frames, FRAMES, &id, &is_whole),
                 HS_OK);
    return id;
}

/* Samples of one stack. */
static void sample(uint32_t i) {
    struct hs_store *store = session.store;
    struct hs_event event = {
        .now_us = 1000, .java_thread = i / STACKS_OF_A_THREAD, .size = 24, .stripe = i % lanes};
    event.class_name = name_of("io.example.shop.generated.Order%u", i);
    if (hs_threads_put(store->threads, event.java_thread, &event.thread) == HS_OK) {
        hs_threads_set_name(store->threads, event.thread, "http-nio-8080-exec-1", 20);
    }
    cr_assert(hs_session_match(&session, &event));
    hs_session_count(&session, &event, stack_of(i));
    for (int n = 0; n < OBJECTS && hs_live_count(store->live) < store->limits.tracked; n++) {
        cr_assert_eq(hs_session_track(&session, &event, fake_ref()), 0);
    }
    hs_totals *sites = recordings[0]->sums[store->code_generation].sites.totals;
    for (uint32_t lane = 1; lane < lanes; lane++) { /* as if threads had met */
        cr_assert_neq(hs_totals_add_lane(sites, lane, event.site.number), HS_NO_MEMORY);
    }
    for (uint32_t collections = 0; collections < DEATHS; collections++) {
        cr_assert_eq(hs_totals_add_death(sites, event.site.number, 5000, collections, 1.0), HS_OK);
    }
}

/* Until it is full. */
static void learn(struct hs_store *store) {
    static struct hs_walk_items items;
    struct hs_java_frame frames[2] = {{.method_id = 8, .frame = {1}},
                                      {.method_id = 16, .frame = {2}}};
    struct hs_run runs[HS_WALK_MAX_ITEMS];
    hs_store_renew_stack_cache(store, &METHOD_LAYOUT);
    hs_store_free_retired(store, &phaser, 0);
    hs_stack_cache *stack_cache = atomic_load(&store->stack_cache);
    for (uint32_t i = 0; hs_stack_cache_takes_runs(stack_cache); i++) {
        frames[0].method_id = 8 * (uintptr_t)i;
        items_of_one(&items, 1, i);
        hs_stack_cache_put_run(stack_cache, &items, 0, frames, 2);
        hs_stack_cache_runs(stack_cache, &items, runs); /* in use, so it is kept */
    }
    for (uint32_t i = 0; !hs_stack_cache_is_full(stack_cache) || i < 16384; i++) {
        items_begin(&items, HS_WALK_BOTTOM);
        for (uint32_t f = 0; f < 20; f++) {
            items_add_compiled(&items, 1, i * 20 + f);
        }
        static const uint32_t BEGINS[20];
        static const struct hs_stack_id STACK = {1};
        hs_stack_cache_put_stack(stack_cache, &items, frames, 2, BEGINS, STACK);
        hs_stack_cache_put_stack(stack_cache, &items, frames, 2, BEGINS, STACK);
    }
}

static bool open_nowhere(struct hs_sink *sink, size_t bytes) {
    (void)sink;
    return bytes > 0;
}

static void write_nowhere(struct hs_sink *sink, size_t at, const void *bytes, size_t count) {
    (void)sink;
    (void)at;
    (void)bytes;
    (void)count;
}

/* Its block is not in our memory. */
static void take_snapshot(void) {
    struct hs_sink sink = {open_nowhere, write_nowhere};
    struct hs_buffer buffer = {.sink = &sink};
    struct hs_view view = {.store = session.store, .recording = recordings[0], .epochs = &epochs};
    cr_assert_eq(hs_encode(&view, &buffer), HS_OK);
    hs_buffer_free(&buffer);
}

static void begin(uint32_t lanes_of_sums) {
    struct hs_limits limits = default_limits();
    lanes = lanes_of_sums;
    fake_reset();
    hs_epochs_init(&epochs, HS_Z, 0);
    cr_assert_eq(hs_store_new(&limits, &session.store), HS_OK);
    session.count = 1;
    recordings[0] = session.recordings[0] = small_recording(session.store, 0, NULL);
}

static void end(void) {
    hs_epochs_release(&epochs, &FAKE_OPS, FAKE_ENV);
    hs_recording_free(recordings[0]);
    hs_store_free(session.store, &FAKE_OPS, FAKE_ENV);
    cr_assert_eq(fake_outstanding(), 0);
}

/* Each test is a process of its own, so this is its peak. */
static void assert_peak(size_t most, const char *when) {
    cr_assert_leq(hs_mem_peak(), most, "%s: %zu bytes", when, hs_mem_peak());
}

static uint32_t fill(uint32_t next) {
    learn(session.store);
    while (!hs_store_fills_up(session.store)) {
        sample(next++);
    }
    return next;
}

static int kept_rotations;

static void begin_rotation(void) {
    struct hs_store *next = NULL;
    struct hs_kept_runs *kept;
    if (!hs_store_make_way(session.store, &phaser, 0, &kept)) {
        return;
    }
    kept_rotations += kept != NULL; /* of code, not of threads alone */
    cr_assert_eq(hs_store_new_generation(session.store, &next), HS_OK);
    cr_assert(hs_rotation_prepare(next, recordings));
    hs_rotation_keep_runs(next, kept);
    session.store = next;
}

static void end_rotation(void) {
    cr_assert(hs_rotation_move_last(session.store, recordings));
    hs_rotation_end(session.store, recordings, &FAKE_OPS, FAKE_ENV);
}

static void assert_peaks(uint32_t lanes_of_sums) {
    const int rounds = tier_is_long() ? 5 : 3;
    uint32_t next = 0;
    begin(lanes_of_sums);
    for (int round = 0; round < rounds; round++) {
        next = fill(next);
        assert_peak(MOST_BYTES, "full");
        take_snapshot();
        assert_peak(MOST_BYTES, "with a snapshot");
        begin_rotation();
        end_rotation();
        assert_peak(MOST_BYTES, "in a rotation");
    }
    cr_assert_eq(hs_live_count(session.store->live), session.store->limits.tracked);
    cr_assert_gt(kept_rotations, 1);
    end();
}

Test(store_memory, is_bounded_in_rotations_and_with_snapshots) {
    assert_peaks(1);
}

Test(store_memory, is_bounded_where_threads_meet) {
    assert_peaks(HS_TOTALS_MAX_LANES);
}

/* For one more stack, and its names. */
static bool has_room(const struct hs_store *store) {
    return hs_intern_end(store->names.table) + 2 * FRAMES < store->limits.names &&
           hs_frames_end(store->frames) + FRAMES < store->limits.names &&
           hs_intern_end(store->stacks.table) < store->limits.stacks &&
           hs_intern_end(store->sites.table) < store->limits.sites;
}

/* A snapshot moves the sums, the old tables stay, and the new ones are used. */
static void assert_peak_with_a_stuck_callback(uint32_t lanes_of_sums) {
    begin(lanes_of_sums);
    uint32_t next = fill(0);
    begin_rotation();
    cr_assert(hs_rotation_move(session.store, recordings));
    while (has_room(session.store)) {
        sample(next++);
    }
    take_snapshot();
    assert_peak(MOST_BYTES_WITH_TWO_GENERATIONS, "in a rotation, with a snapshot");
    end_rotation();
    end();
}

/* It sees the learned stacks, so they cannot make way. The tables fill up then. */
Test(store_memory, is_bounded_while_a_callback_stays_in_the_learned_stacks) {
    begin(1);
    uint32_t next = fill(0);
    uint32_t token = hs_phaser_enter(&phaser, 5);
    begin_rotation();
    cr_assert_null(session.store->previous);
    while (has_room(session.store)) {
        sample(next++);
    }
    take_snapshot();
    assert_peak(MOST_BYTES_WITHOUT_ROTATION, "full, with a snapshot");
    hs_phaser_exit(&phaser, token);
    end();
}

/* What it has learned is full or untrue, and the next one cannot be renewed either. */
Test(store_memory, is_bounded_while_a_callback_stays_in_the_learned_stacks_before) {
    begin(1);
    uint32_t next = fill(0);
    uint32_t token = hs_phaser_enter(&phaser, 5);
    learn(session.store);
    cr_assert_not_null(session.store->retired);
    begin_rotation();
    cr_assert_null(session.store->previous);
    while (has_room(session.store)) {
        sample(next++);
    }
    take_snapshot();
    assert_peak(MOST_BYTES_WITH_TWO_STACK_CACHES, "full, with a snapshot");
    hs_phaser_exit(&phaser, token);
    end();
}

Test(store_memory, is_bounded_while_a_callback_stays_in_the_old_tables) {
    assert_peak_with_a_stuck_callback(1);
}

Test(store_memory, is_bounded_while_a_callback_stays_where_threads_meet) {
    assert_peak_with_a_stuck_callback(HS_TOTALS_MAX_LANES);
}

/* ---- limits ---- */

static struct hs_limits limits_with(const char *text) {
    struct hs_options options;
    char message[HS_OPTIONS_MESSAGE];
    cr_assert(hs_options_read(text, &options, message), "%s", message);
    uint64_t tracked = options.max_tracked == UINT64_MAX ? 65536 : options.max_tracked;
    return (struct hs_limits){.depth = (uint32_t)options.max_depth,
                              .tracked = (uint32_t)tracked,
                              .stacks = (uint32_t)options.max_stacks,
                              .names = (uint32_t)options.max_names,
                              .sites = (uint32_t)options.max_sites,
                              .threads = (uint32_t)options.max_threads,
                              .dead = (uint32_t)options.max_dead};
}

static void assert_fits(const char *text) {
    struct hs_limits limits = limits_with(text);
    static const struct hs_filter ALL;
    struct hs_recording *recording = NULL;
    cr_assert_eq(hs_store_new(&limits, &session.store), HS_OK, "%s", text);
    cr_assert_eq(hs_recording_new(&ALL, limits.sites, limits.threads, &recording), HS_OK, "%s",
                 text);
    hs_recording_free(recording);
    hs_store_free(session.store, &FAKE_OPS, FAKE_ENV);
}

Test(store_memory, the_largest_value_of_each_option_fits_into_the_budget) {
    static const char *const LARGEST[] = {
        "maxDepth=1024",    "maxTracked=2097152", "maxStacks=4194304", "maxNames=4194304",
        "maxSites=4194304", "maxThreads=4194304", "maxDead=524288"};
    for (size_t i = 0; i < sizeof LARGEST / sizeof LARGEST[0]; i++) {
        assert_fits(LARGEST[i]);
    }
}
