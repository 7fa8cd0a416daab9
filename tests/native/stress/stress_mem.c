/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "crew.h"
#include "hs_mem.h"

enum { THREADS = 4, ROUNDS = 20000, HELD = 8 };

static size_t limit;

static void take_and_give(int number) {
    struct seeded seeded = {(uint64_t)number + 1};
    void *held[HELD] = {NULL};
    size_t bytes[HELD] = {0};
    for (int i = 0; i < ROUNDS; i++) {
        uint32_t at = seeded_below(&seeded, HELD);
        hs_mem_free(held[at], bytes[at]);
        bytes[at] = 1 + seeded_below(&seeded, 4096);
        held[at] = hs_mem_new(bytes[at]);
    }
    for (int i = 0; i < HELD; i++) {
        hs_mem_free(held[i], bytes[i]);
    }
}

Test(stress_mem, every_byte_is_counted_and_the_budget_kept) {
    size_t before = hs_mem_used();
    limit = before + 40000; /* of up to 131,072 that they want */
    hs_mem_set_budget(limit);
    crew_all(THREADS, take_and_give);
    hs_mem_set_budget(HS_MEM_DEFAULT_BUDGET);
    cr_assert_eq(hs_mem_used(), before);
    cr_assert_leq(hs_mem_peak(), limit, "what was handed out never exceeded the budget");
    cr_assert_gt(hs_mem_peak(), before);
}

static _Atomic int failures;

static void take_once(int number) {
    for (int i = 0; i < 1000; i++) {
        void *memory = hs_mem_new((size_t)number + 1);
        failures += memory == NULL;
        hs_mem_free(memory, (size_t)number + 1);
    }
}

Test(stress_mem, exactly_one_call_fails_as_told) {
    failures = 0;
    hs_mem_fail_at(1234);
    crew_all(THREADS, take_once);
    hs_mem_fail_at(0);
    cr_assert_eq(failures, 1);
}
