/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "crew.h"
#include "hs_lookup.h"

enum { THREADS = 4, ROUNDS = 20000 };

static struct hs_lookup lookup;
static _Atomic uint32_t entered;

static void begin(void) {
    hs_lookup_init(&lookup);
    cr_assert_eq(hs_lookup_on(&lookup, 0, false), HS_OK);
}

static void count(int number) {
    for (uint32_t i = 0; i < ROUNDS; i++) {
        hs_lookup_count(&lookup, (uint32_t)number * 7, HS_LOOKUP_KNOWN);
        hs_lookup_count(&lookup, i, HS_LOOKUP_ASKED);
        HS_CHECK(hs_lookup_counted(&lookup, HS_LOOKUP_ASKED) <= THREADS * ROUNDS);
    }
}

Test(stress_lookup, no_count_is_lost) {
    begin();
    crew_all(THREADS, count);
    cr_assert_eq(hs_lookup_counted(&lookup, HS_LOOKUP_KNOWN), THREADS * ROUNDS);
    cr_assert_eq(hs_lookup_counted(&lookup, HS_LOOKUP_ASKED), THREADS * ROUNDS);
    cr_assert_eq(hs_lookup_counted(&lookup, HS_LOOKUP_MISMATCHES), 0);
    hs_lookup_destroy(&lookup);
}

static void learn(int number) {
    (void)number;
    for (uint32_t i = 0; i < ROUNDS; i++) {
        struct hs_lookup_room *room = hs_lookup_enter(&lookup);
        if (room != NULL) {
            room->scratch->frames[i % HS_ALIGN_MAX].bci++; /* a plain addition */
            hs_lookup_leave(room);
            entered++;
        }
    }
}

Test(stress_lookup, one_at_a_time_is_in_a_room) {
    begin();
    entered = 0;
    crew_all(2 * HS_LOOKUP_ROOMS, learn);
    cr_assert_geq(entered, 1);
    int64_t sum = 0;
    for (uint32_t i = 0; i < HS_LOOKUP_ROOMS * HS_ALIGN_MAX; i++) {
        const struct hs_lookup_scratch *scratch = lookup.rooms[i / HS_ALIGN_MAX].scratch;
        sum += scratch == NULL ? 0 : scratch->frames[i % HS_ALIGN_MAX].bci;
    }
    cr_assert_eq(sum, entered);
    hs_lookup_destroy(&lookup);
}

static const char *const REASONS[THREADS] = {"a", "b", "c", "d"};

/* All at once: the reason of the first is the one that all see for good. */
static void go_off(int number) {
    crew_meet();
    hs_lookup_off(&lookup, REASONS[number]);
    HS_CHECK(!hs_lookup_is_on(&lookup));
    crew_meet();
    const char *reason = atomic_load(&lookup.reason);
    HS_CHECK(reason != NULL);
    crew_meet();
    hs_lookup_off(&lookup, "too late");
    crew_meet();
    HS_CHECK(atomic_load(&lookup.reason) == reason);
}

Test(stress_lookup, the_first_reason_stays) {
    for (int round = 0; round < 200; round++) {
        begin();
        crew_all(THREADS, go_off);
        cr_assert_not(hs_lookup_is_on(&lookup));
        hs_lookup_destroy(&lookup);
    }
}
