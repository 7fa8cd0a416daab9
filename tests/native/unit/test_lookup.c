/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_lookup.h"

#include "hs_clock.h"
#include "hs_mem.h"
#include "seeded.h"
#include "synthetic_vm.h"
#include "walk_items.h"

static struct hs_lookup lookup;
static struct hs_walk_items items;

static const char *reason(void) {
    return atomic_load(&lookup.reason);
}

static void begin(void) {
    memset(&lookup, 0xA5, sizeof lookup);
    hs_lookup_init(&lookup);
}

static void begin_on(bool verifies_all) {
    begin();
    cr_assert_eq(hs_lookup_on(&lookup, 0, verifies_all), HS_OK);
}

/* ---- on and off ---- */

Test(lookup, is_off_until_it_is_switched_on) {
    size_t before = hs_mem_used();
    begin();
    cr_assert_not(hs_lookup_is_on(&lookup));
    cr_assert_str_eq(reason(), "sampling has not begun yet");
    cr_assert_eq(hs_lookup_on(&lookup, 0, false), HS_OK);
    cr_assert(hs_lookup_is_on(&lookup));
    cr_assert_null(reason());
    cr_assert_gt(hs_mem_used(), before);
    hs_lookup_destroy(&lookup);
    cr_assert_not(hs_lookup_is_on(&lookup));
    cr_assert_eq(hs_mem_used(), before);
    hs_lookup_destroy(&lookup);
}

Test(lookup, a_reason_for_never_going_on_replaces_that_of_the_beginning) {
    begin();
    hs_lookup_off(&lookup, "no tables");
    cr_assert_not(hs_lookup_is_on(&lookup));
    cr_assert_str_eq(reason(), "no tables");
    hs_lookup_destroy(&lookup);
}

Test(lookup, goes_off_for_a_reason) {
    begin_on(false);
    hs_lookup_off(&lookup, "a stack differed");
    cr_assert_not(hs_lookup_is_on(&lookup));
    cr_assert_str_eq(reason(), "a stack differed");
    hs_lookup_destroy(&lookup);
}

Test(lookup, the_first_reason_stays) {
    begin_on(false);
    hs_lookup_off(&lookup, "a stack differed");
    hs_lookup_off(&lookup, "something else");
    cr_assert_str_eq(reason(), "a stack differed");
    hs_lookup_destroy(&lookup);
}

Test(lookup, the_walker_knows_the_layout_and_the_continuation) {
    struct synthetic_vm *vm = vm_new(&VM_KINDS[1]);
    begin();
    lookup.layout = vm->layout;
    cr_assert_eq(hs_lookup_on(&lookup, vm_method(51), false), HS_OK);
    cr_assert_eq(lookup.walker.layout, &lookup.layout);
    cr_assert_eq(lookup.walker.shape, hs_walk_shape());
    cr_assert_eq(lookup.walker.continuation_root, vm_method(51));
    cr_assert_eq(lookup.walker.code.base, (uintptr_t)vm->heaps[0].memory);
    hs_lookup_destroy(&lookup);
    vm_free(vm);
}

/* ---- counts ---- */

Test(lookup, counts_add_up_over_all_stripes) {
    begin();
    for (uint32_t what = 0; what < HS_LOOKUP_COUNTS; what++) {
        cr_assert_eq(hs_lookup_counted(&lookup, what), 0);
        for (uint32_t stripe = 0; stripe < 40 + what; stripe++) {
            hs_lookup_count(&lookup, stripe, what);
        }
        hs_lookup_count(&lookup, UINT32_MAX, what);
    }
    for (uint32_t what = 0; what < HS_LOOKUP_COUNTS; what++) {
        cr_assert_eq(hs_lookup_counted(&lookup, what), 41 + what);
    }
    hs_lookup_destroy(&lookup);
}

/* ---- distrust ---- */

static void begin_proved(void) {
    begin_on(false);
    for (uint32_t i = 0; i < HS_LOOKUP_PROBATION; i++) {
        hs_lookup_agree(&lookup, i);
    }
}

Test(lookup, every_hit_is_checked_until_enough_have_agreed) {
    begin_on(false);
    for (uint32_t i = 0; i < HS_LOOKUP_PROOF; i++) {
        cr_assert(hs_lookup_is_due(&lookup, HS_LOOKUP_FIRST_CHECKS, false, 12345), "hit %u", i);
        cr_assert(hs_lookup_is_due(&lookup, 0, false, 12345), "one that the VM gave no answer for");
        hs_lookup_agree(&lookup, i);
    }
    cr_assert_eq(hs_lookup_counted(&lookup, HS_LOOKUP_VERIFIED), HS_LOOKUP_PROOF);
    cr_assert_not(hs_lookup_is_due(&lookup, HS_LOOKUP_FIRST_CHECKS, false, 12345));
    hs_lookup_agree(&lookup, 0);
    cr_assert_eq(hs_lookup_counted(&lookup, HS_LOOKUP_VERIFIED), HS_LOOKUP_PROOF + 1);
    hs_lookup_destroy(&lookup);
}

/* As many as agree in between are compared, and no more than their share. */
Test(lookup, one_in_eight_is_checked_until_more_have_agreed) {
    uint32_t hits = 0;
    begin_on(false);
    for (uint32_t i = 0; i < HS_LOOKUP_PROOF; i++) {
        hs_lookup_agree(&lookup, i);
    }
    for (uint32_t due = 0; due < HS_LOOKUP_PROBATION - HS_LOOKUP_PROOF; hits++) {
        bool is_due = hs_lookup_is_due(&lookup, HS_LOOKUP_FIRST_CHECKS, false, hits);
        cr_assert_eq(is_due, hits % HS_LOOKUP_PROBATION_EVERY == 0, "hit %u", hits);
        if (is_due) {
            hs_lookup_agree(&lookup, 0);
            due++;
        }
    }
    for (uint32_t random = 1; random < HS_LOOKUP_CHECK_EVERY; random++) {
        cr_assert_not(hs_lookup_is_due(&lookup, HS_LOOKUP_FIRST_CHECKS, false, random));
    }
    cr_assert(hs_lookup_is_due(&lookup, HS_LOOKUP_FIRST_CHECKS, false, 0));
    hs_lookup_destroy(&lookup);
}

Test(lookup, the_first_hits_of_a_thread_are_checked) {
    begin_proved();
    for (uint32_t hits = 0; hits < HS_LOOKUP_FIRST_CHECKS + 10; hits++) {
        cr_assert_eq(hs_lookup_is_due(&lookup, hits, false, 12345), hits < HS_LOOKUP_FIRST_CHECKS);
    }
    cr_assert_not(hs_lookup_is_due(&lookup, UINT32_MAX, false, 12345));
    hs_lookup_destroy(&lookup);
}

/* Threads that live for five samples, as where each request has one: only the first of them are compared. */
Test(lookup, the_first_hits_of_the_process_are_checked) {
    enum { THREADS = 80000, SAMPLES = 5 };
    uint32_t due = 0;
    begin_proved();
    for (uint32_t i = 0; i < THREADS * SAMPLES; i++) {
        bool is_due = hs_lookup_is_due(&lookup, i % SAMPLES, false, 12345);
        cr_assert(is_due || i >= HS_LOOKUP_CHECKED_FIRST, "hit %u", i);
        due += is_due;
    }
    cr_assert_eq(due, HS_LOOKUP_CHECKED_FIRST);
    hs_lookup_destroy(&lookup);
}

/* 4 million hits, of which 1 in 1,024 is due: 3,906 expected, standard deviation 62.5. The share may
 * be off by 5 of these: a right one fails for 1 seed in 1.7 million. Seed 3. */
Test(lookup, a_share_of_the_hits_is_checked) {
    enum { HITS = 4000000 };
    struct seeded seeded = {3};
    double expected = (double)HITS / HS_LOOKUP_CHECK_EVERY;
    uint32_t due = 0;
    begin_proved();
    for (uint32_t i = 0; i < HITS; i++) {
        due += hs_lookup_is_due(&lookup, HS_LOOKUP_FIRST_CHECKS + i, false, seeded_u32(&seeded));
    }
    cr_assert_float_eq(due, expected, 5 * sqrt(expected), "%u", due);
    hs_lookup_destroy(&lookup);
}

Test(lookup, hits_with_a_new_run_are_checked_more_often) {
    enum { HITS = 16000 };
    uint32_t due = 0;
    begin_proved();
    for (uint32_t random = 1; random <= HITS; random++) {
        due += hs_lookup_is_due(&lookup, HS_LOOKUP_FIRST_CHECKS, true, random);
    }
    cr_assert_eq(due, HITS / HS_LOOKUP_DECODED_EVERY);
    hs_lookup_destroy(&lookup);
}

Test(lookup, all_hits_are_checked_when_asked_for) {
    struct seeded seeded = {4};
    begin_on(true);
    for (uint32_t i = 0; i < 10000; i++) {
        cr_assert(hs_lookup_is_due(&lookup, seeded_u32(&seeded), false, seeded_u32(&seeded)));
    }
    hs_lookup_destroy(&lookup);
}

/* ---- putting together ---- */

enum { RUNS = 4 };
static const uint32_t LENGTHS[RUNS] = {2, 1, 3, 1};
static const uint32_t BEGINS[RUNS + 1] = {0, 2, 3, 6, 7};
static struct hs_java_frame wanted_frames[8];
static struct hs_composed composed;
static hs_stack_cache *gapped;
static uintptr_t cell;
static struct fake_method method;

/* Items of two, one, three and one frames; the second and the last are interpreted. */
static hs_stack_cache *learn_some(enum hs_walk_end end) {
    hs_stack_cache *stack_cache;
    cr_assert_eq(hs_stack_cache_new(&METHOD_LAYOUT, &stack_cache), HS_OK);
    cell = method_init(&method, 1);
    items_begin(&items, end);
    for (uint32_t i = 0; i < BEGINS[RUNS]; i++) {
        wanted_frames[i] = (struct hs_java_frame){(uintptr_t)&cell, (int32_t)i, {70 + i}};
    }
    for (uint32_t i = 0; i < RUNS; i++) {
        if (i % 2 == 0) {
            items_add_compiled(&items, 7, i);
        } else {
            items_add_interpreted(&items, cell, i);
        }
        hs_stack_cache_put_run(stack_cache, &items, i, &wanted_frames[BEGINS[i]], LENGTHS[i]);
    }
    return stack_cache;
}

static uint32_t compose(const hs_stack_cache *stack_cache, uint32_t wanted) {
    memset(&composed, 0xA5, sizeof composed);
    return hs_lookup_compose(stack_cache, &items, wanted, &composed);
}

static void check_composed(uint32_t count) {
    static const struct hs_java_frame UNTOUCHED = {
        UINT64_C(0xA5A5A5A5A5A5A5A5), (int32_t)0xA5A5A5A5, {0xA5A5A5A5}};
    cr_assert_arr_eq(composed.frames, wanted_frames, count * sizeof wanted_frames[0]);
    cr_assert_arr_eq(&composed.frames[count], &UNTOUCHED, sizeof UNTOUCHED, "%u frames", count);
    for (uint32_t i = 0; i < RUNS; i++) {
        cr_assert_eq(composed.begins[i], BEGINS[i] < count ? BEGINS[i] : HS_BEGIN_UNKNOWN,
                     "item %u", i);
    }
    cr_assert_eq(composed.begins[RUNS], 0xA5A5A5A5);
    cr_assert_eq(composed.leaf_count, count);
    cr_assert_eq(composed.root_count, 0);
}

Test(lookup, a_whole_walk_is_put_together) {
    static const enum hs_walk_end ENDS[] = {HS_WALK_BOTTOM, HS_WALK_CONTINUATION};
    for (int e = 0; e < 2; e++) {
        hs_stack_cache *stack_cache = learn_some(ENDS[e]);
        for (uint32_t wanted = 1; wanted < 20; wanted++) {
            uint32_t count = wanted < BEGINS[RUNS] ? wanted : BEGINS[RUNS];
            cr_assert_eq(compose(stack_cache, wanted), count, "%u wanted", wanted);
            check_composed(count);
        }
        hs_stack_cache_free(stack_cache);
    }
}

/* Of a walk that was cut there must be as many frames as were wanted: more would follow. */
Test(lookup, a_walk_that_was_cut_must_have_enough) {
    hs_stack_cache *stack_cache = learn_some(HS_WALK_CUT);
    for (uint32_t wanted = 1; wanted < 20; wanted++) {
        uint32_t count = wanted <= BEGINS[RUNS] ? wanted : 0;
        cr_assert_eq(compose(stack_cache, wanted), count, "%u wanted", wanted);
        if (count > 0) {
            check_composed(count);
        }
    }
    hs_stack_cache_free(stack_cache);
}

Test(lookup, an_unknown_item_ends_it) {
    hs_stack_cache *stack_cache = learn_some(HS_WALK_BOTTOM);
    cell = 0; /* both interpreted ones */
    for (uint32_t wanted = 1; wanted < 20; wanted++) {
        cr_assert_eq(compose(stack_cache, wanted), wanted <= LENGTHS[0] ? wanted : 0);
    }
    cell = method_init(&method, 1);
    items_add_compiled(&items, 8, 0);
    cr_assert_eq(compose(stack_cache, 7), 7, "what lies behind the wanted ones need not be known");
    cr_assert_eq(compose(stack_cache, 8), 0);
    hs_stack_cache_free(stack_cache);
}

/* What is known before the first gap and behind the last one. */
static void check_gap(uint32_t leaf_count, uint32_t root_count) {
    const struct hs_java_frame *root = &wanted_frames[BEGINS[RUNS] - root_count];
    cr_assert_eq(compose(gapped, 20), 0);
    cr_assert_eq(composed.leaf_count, leaf_count);
    cr_assert_eq(composed.root_count, root_count);
    cr_assert_arr_eq(composed.frames, wanted_frames, leaf_count * sizeof *root);
    cr_assert_arr_eq(&composed.frames[HS_ALIGN_MAX - root_count], root, root_count * sizeof *root);
}

Test(lookup, both_sides_of_a_gap_are_there) {
    gapped = learn_some(HS_WALK_BOTTOM);
    items.words[items.at[1]] ^= 64; /* another method */
    check_gap(2, 4);
    items.words[items.at[2]] ^= 1;
    check_gap(2, 1);
    items.words[items.at[1]] ^= 64;
    check_gap(3, 1);
    items.words[items.at[0]] ^= 1;
    check_gap(0, 1);
    items.words[items.at[3]] ^= 64;
    check_gap(0, 0);
    hs_stack_cache_free(gapped);
}

/* More frames follow behind the last item: nobody knows how many. */
Test(lookup, a_walk_that_was_cut_has_no_root) {
    gapped = learn_some(HS_WALK_CUT);
    check_gap(BEGINS[RUNS], 0);
    items.words[items.at[1]] ^= 64;
    check_gap(2, 0);
    hs_stack_cache_free(gapped);
}

/* Runs of 100 frames, four of them behind a gap and one before it: room is for two. */
Test(lookup, what_is_known_behind_a_gap_fits_into_the_room) {
    static struct hs_java_frame run[100];
    cr_assert_eq(hs_stack_cache_new(&METHOD_LAYOUT, &gapped), HS_OK);
    items_begin(&items, HS_WALK_BOTTOM);
    for (uint32_t i = 0; i < 6; i++) {
        items_add_compiled(&items, 7, i);
        if (i != 1) {
            run[0].bci = (int32_t)i;
            hs_stack_cache_put_run(gapped, &items, i, run, 100);
        }
    }
    cr_assert_eq(compose(gapped, HS_ALIGN_MAX), 0);
    cr_assert_eq(composed.leaf_count, 100);
    cr_assert_eq(composed.root_count, 200);
    cr_assert_eq(composed.frames[HS_ALIGN_MAX - 100].bci, 5);
    cr_assert_eq(composed.frames[HS_ALIGN_MAX - 200].bci, 4);
    hs_stack_cache_free(gapped);
}

Test(lookup, an_empty_walk_is_nothing) {
    hs_stack_cache *stack_cache = learn_some(HS_WALK_BOTTOM);
    items_begin(&items, HS_WALK_BOTTOM);
    cr_assert_eq(compose(stack_cache, 5), 0);
    hs_stack_cache_free(stack_cache);
}

/* ---- when another table is due ---- */

static hs_stack_cache *new_learned(bool is_full) {
    struct hs_java_frame run[HS_ALIGN_MAX_RUN] = {{0}};
    hs_stack_cache *stack_cache;
    cr_assert_eq(hs_stack_cache_new(&METHOD_LAYOUT, &stack_cache), HS_OK);
    for (uint32_t i = 0; is_full && !hs_stack_cache_is_full(stack_cache); i++) {
        run[0].bci = (int32_t)i;
        items_of_one(&items, 1, i);
        hs_stack_cache_put_run(stack_cache, &items, 0, run, HS_ALIGN_MAX_RUN);
    }
    return stack_cache;
}

Test(lookup, a_table_is_needed_while_there_is_none) {
    begin();
    cr_assert_not(hs_lookup_is_outdated(&lookup, NULL, 0));
    cr_assert_eq(hs_lookup_on(&lookup, 0, false), HS_OK);
    cr_assert(hs_lookup_is_outdated(&lookup, NULL, 0));
    cr_assert(hs_lookup_is_outdated(&lookup, NULL, 1), "still");
    hs_lookup_off(&lookup, "a stack differed");
    cr_assert_not(hs_lookup_is_outdated(&lookup, NULL, 2));
    hs_lookup_destroy(&lookup);
}

Test(lookup, a_discarded_table_is_outdated_at_once) {
    begin_on(false);
    hs_stack_cache *stack_cache = new_learned(false);
    cr_assert_not(hs_lookup_is_outdated(&lookup, stack_cache, 0));
    cr_assert_not(hs_lookup_is_outdated(&lookup, stack_cache, 100 * HS_LOOKUP_RENEW_US));
    hs_stack_cache_discard(stack_cache);
    cr_assert(hs_lookup_is_outdated(&lookup, stack_cache, 100 * HS_LOOKUP_RENEW_US));
    hs_lookup_off(&lookup, "a stack differed");
    cr_assert_not(hs_lookup_is_outdated(&lookup, stack_cache, 100 * HS_LOOKUP_RENEW_US));
    hs_stack_cache_free(stack_cache);
    hs_lookup_destroy(&lookup);
}

Test(lookup, a_full_table_is_outdated_once_in_a_while) {
    const int64_t start = 1000000;
    begin_on(false);
    cr_assert(hs_lookup_is_outdated(&lookup, NULL, start));
    hs_stack_cache *stack_cache = new_learned(true);
    cr_assert_not(hs_lookup_is_outdated(&lookup, stack_cache, start));
    cr_assert_not(hs_lookup_is_outdated(&lookup, stack_cache, start + HS_LOOKUP_RENEW_US - 1));
    cr_assert(hs_lookup_is_outdated(&lookup, stack_cache, start + HS_LOOKUP_RENEW_US));
    cr_assert_not(hs_lookup_is_outdated(&lookup, stack_cache, start + HS_LOOKUP_RENEW_US + 1));
    cr_assert(hs_lookup_is_outdated(&lookup, stack_cache, start + 2 * HS_LOOKUP_RENEW_US));
    hs_stack_cache_discard(stack_cache);
    cr_assert(hs_lookup_is_outdated(&lookup, stack_cache, start + 2 * HS_LOOKUP_RENEW_US + 1));
    hs_stack_cache_free(stack_cache);
    hs_lookup_destroy(&lookup);
}

/* ---- the room ---- */

Test(lookup, each_room_is_for_one_at_a_time) {
    struct hs_lookup_room *rooms[HS_LOOKUP_ROOMS];
    begin_on(false);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < HS_LOOKUP_ROOMS; i++) {
            rooms[i] = hs_lookup_enter(&lookup);
            cr_assert_not_null(rooms[i]);
            cr_assert(i == 0 || rooms[i]->scratch != rooms[i - 1]->scratch);
        }
        cr_assert_null(hs_lookup_enter(&lookup));
        for (int i = 0; i < HS_LOOKUP_ROOMS; i++) {
            hs_lookup_leave(rooms[i]);
        }
    }
    hs_lookup_destroy(&lookup);
}

Test(lookup, a_room_that_is_not_left_costs_no_other) {
    begin_on(false);
    cr_assert_not_null(hs_lookup_enter(&lookup));
    for (int i = 0; i < 100; i++) {
        struct hs_lookup_room *room = hs_lookup_enter(&lookup);
        cr_assert_not_null(room);
        hs_lookup_leave(room);
    }
    int64_t now_us = hs_clock_monotonic_us();
    cr_assert_eq(hs_lookup_stuck_rooms(&lookup, now_us), 0, "not yet");
    cr_assert_eq(hs_lookup_stuck_rooms(&lookup, now_us + HS_LOOKUP_STUCK_US + 1), 1);
    hs_lookup_destroy(&lookup);
}
