/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include <criterion/criterion.h>
#include <string.h>

#include "hs_choice.h"

#define MIB ((uint64_t)1 << 20)

static struct hs_holders_limits limits;
static struct hs_holders_heap heap;
static uint64_t memory;
static char reason[HS_REASON_BYTES];

static void set_up(void) {
    limits =
        (struct hs_holders_limits){.pause_us = 10000, .time_us = 20000000, .memory = 1024 * MIB};
    heap = (struct hs_holders_heap){.collector = HS_G1,
                                    .feature = 25,
                                    .used = 1000 * MIB,
                                    .is_copied = true,
                                    .has_passes = true,
                                    .room = UINT64_MAX};
    memory = 0;
    reason[0] = 0;
}

TestSuite(choice, .init = set_up, .timeout = 60);

static enum hs_holders_way choose(void) {
    reason[0] = 0;
    return hs_choose(&limits, &heap, &memory, reason);
}

Test(choice, one_stop_before_a_child_before_short_passes) {
    heap.used = MIB / 2;
    cr_assert_eq(choose(), HS_WAY_ONE_STOP);
    cr_assert_str_eq(reason, "");
    cr_assert_eq(memory, 128 * MIB);
    heap.used = 1000 * MIB;
    limits.memory = 1500 * MIB;
    cr_assert_eq(choose(), HS_WAY_CHILD);
    cr_assert_str_eq(reason, "one stop: about 6291 ms, 10 ms allowed");
    cr_assert_eq(memory, 500 * MIB);
    heap.is_copied = false;
    cr_assert_eq(choose(), HS_WAY_PASSES);
    cr_assert_str_eq(reason,
                     "one stop: about 6291 ms, 10 ms allowed; child: it would share the heap");
    cr_assert_eq(memory, 128 * MIB);
    heap.has_passes = false;
    cr_assert_eq(choose(), HS_WAY_NONE);
}

Test(choice, only_allowed_ways_are_taken_and_explained) {
    for (int way = HS_WAY_ONE_STOP; way <= HS_WAY_PASSES; way++) {
        limits.ways = UINT32_C(1) << way;
        limits.memory = 1500 * MIB;
        limits.pause_us = way == HS_WAY_ONE_STOP ? 20000000 : 1000;
        cr_assert_eq(choose(), way);
        cr_assert_str_eq(reason, "");
    }
    limits.ways = 1 << HS_WAY_ONE_STOP;
    limits.pause_us = 1000;
    cr_assert_eq(choose(), HS_WAY_NONE);
    cr_assert_str_eq(reason, "one stop: about 6291 ms, 1 ms allowed");
}

/* The application lives in the same room. */
Test(choice, a_search_in_this_process_leaves_a_part_of_the_room) {
    heap.room = 100 * MIB;
    limits.ways = 1 << HS_WAY_PASSES;
    cr_assert_eq(choose(), HS_WAY_PASSES);
    cr_assert_eq(memory, 80 * MIB);
    limits.ways = 1 << HS_WAY_ONE_STOP;
    limits.pause_us = 20000000;
    cr_assert_eq(choose(), HS_WAY_ONE_STOP);
    cr_assert_eq(memory, 80 * MIB);
    limits.memory = 50 * MIB;
    cr_assert_eq(choose(), HS_WAY_ONE_STOP);
    cr_assert_eq(memory, 50 * MIB);
}

/* There each walk ends with a look at all objects. */
Test(choice, before_jdk_19_a_short_pass_is_not_short_on_a_large_heap) {
    limits.ways = 1 << HS_WAY_PASSES;
    heap.feature = 18;
    cr_assert_eq(choose(), HS_WAY_NONE);
    cr_assert(strstr(reason, "each short pass: about ") == reason, "%s", reason);
    cr_assert(strstr(reason, " ms, 10 ms allowed") != NULL, "%s", reason);
    cr_assert_eq(hs_choice_pass_us(&heap), 2 * hs_choice_tail_us(&heap));
    limits.pause_us = hs_choice_pass_us(&heap) + 1;
    cr_assert_eq(choose(), HS_WAY_PASSES);
    limits.pause_us = hs_choice_pass_us(&heap) - 1;
    cr_assert_eq(choose(), HS_WAY_NONE, "the VM's own part would be more than half of it");
    heap.feature = 19;
    cr_assert_eq(hs_choice_pass_us(&heap), 0);
    limits.pause_us = 1;
    cr_assert_eq(choose(), HS_WAY_PASSES);
}

Test(choice, a_stop_takes_longer_with_tags_on_newer_jdks_and_longest_on_zgc) {
    heap.used = 1000000;
    for (heap.feature = 17; heap.feature <= 25; heap.feature += 4) {
        bool is_new = heap.feature >= 21;
        heap.collector = HS_G1;
        cr_assert_eq(hs_choice_stop_us(&heap), 6000);
        heap.collector = HS_SHENANDOAH;
        cr_assert_eq(hs_choice_stop_us(&heap), is_new ? 12000 : 8000);
        heap.collector = HS_Z;
        cr_assert_eq(hs_choice_stop_us(&heap), 24000);
        heap.collector = HS_G1;
        heap.has_tags_alone = true;
        cr_assert_eq(hs_choice_stop_us(&heap), is_new ? 12000 : 8000);
        heap.has_tags_alone = false;
    }
}

/* Up to JDK 18 the walk marks each object that it visits, and from 21 on the VM gives each a hash code. */
Test(choice, a_child_copies_the_heap) {
    limits.ways = 1 << HS_WAY_CHILD;
    heap.used = 400 * MIB;
    for (heap.feature = 18; heap.feature <= 21; heap.feature += 3) {
        cr_assert_eq(choose(), HS_WAY_CHILD);
        cr_assert_eq(memory, 624 * MIB);
    }
}

/* Garbage is used as well, and not copied. */
Test(choice, where_the_whole_heap_would_be_too_much_newer_jdks_get_a_child_for_a_quarter) {
    limits.ways = 1 << HS_WAY_CHILD;
    heap.used = 1000 * MIB;
    heap.feature = 21;
    cr_assert_eq(choose(), HS_WAY_CHILD);
    cr_assert_eq(memory, 252 * MIB, "an eighth of the worst graph");
    heap.feature = 18;
    cr_assert_eq(choose(), HS_WAY_NONE);
}

Test(choice, where_more_memory_is_allowed_a_graph_gets_no_less) {
    limits.ways = 1 << HS_WAY_CHILD;
    for (heap.feature = 18; heap.feature <= 21; heap.feature++) {
        for (heap.used = 10 * MIB; heap.used <= 1000 * MIB; heap.used *= 3) {
            uint64_t before = 0;
            for (limits.memory = MIB; limits.memory <= 3000 * MIB; limits.memory += MIB) {
                memory = 0;
                bool is_possible = choose() == HS_WAY_CHILD;
                cr_assert(is_possible || before == 0);
                cr_assert_geq(memory, before, "JDK %u, heap of %llu MiB, %llu MiB allowed",
                              heap.feature, (unsigned long long)(heap.used / MIB),
                              (unsigned long long)(limits.memory / MIB));
                before = memory;
            }
            cr_assert_eq(before, 3000 * MIB - heap.used);
        }
    }
}

Test(choice, only_passes_that_could_be_are_too_slow) {
    heap.feature = 18;
    cr_assert(hs_choice_is_too_slow(&limits, &heap));
    limits.ways = 1 << HS_WAY_ONE_STOP | 1 << HS_WAY_CHILD;
    cr_assert_not(hs_choice_is_too_slow(&limits, &heap));
    limits.ways = 0;
    heap.has_passes = false;
    cr_assert_not(hs_choice_is_too_slow(&limits, &heap));
    heap.has_passes = true;
    heap.why_not = "no reason";
    cr_assert_not(hs_choice_is_too_slow(&limits, &heap));
}

Test(choice, the_table_of_tags_grows_at_another_size_in_older_vms) {
    heap.feature = 17;
    cr_assert_eq(hs_choice_table_grows_at(&heap), 384156);
    heap.feature = 25;
    cr_assert_eq(hs_choice_table_grows_at(&heap), 460986);
    heap.feature = 0;
    cr_assert_eq(hs_choice_table_grows_at(&heap), 0);
}

Test(choice, a_long_reason_is_cut) {
    for (int i = 0; i < 100; i++) {
        hs_reason_add(reason, "short passes");
    }
    cr_assert_eq(strlen(reason), HS_REASON_BYTES - 1);
}
