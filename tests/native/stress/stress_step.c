/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "crew.h"
#include "hs_mem.h"
#include "hs_step.h"

enum { THREADS = 8, WAVES = 60 };

static _Atomic uint64_t seeds[THREADS];

static void look(int number) {
    struct hs_step *step = hs_step_current();
    HS_CHECK(step != NULL && step == hs_step_current());
    HS_CHECK(step->samples == 0 && step->interval == HS_VM_DEFAULT_INTERVAL);
    seeds[number] = step->random;
    step->samples = 7; /* must not show in a later thread */
}

Test(stress_step, each_thread_has_a_record_that_goes_with_it) {
    size_t before = hs_mem_used();
    for (int wave = 0; wave < WAVES; wave++) {
        crew_all(THREADS, look);
        cr_assert_eq(hs_mem_used(), before);
        for (int i = 0; i < THREADS; i++) {
            for (int j = 0; j < i; j++) {
                cr_assert_neq(seeds[i], seeds[j]);
            }
        }
    }
}
