/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "crew.h"
#include "hs_mem.h"
#include "hs_thread_state.h"

enum { THREADS = 8, WAVES = 60 };

static _Atomic uint64_t seeds[THREADS];

static void look(int number) {
    struct hs_thread_state *self = hs_thread_state_current();
    HS_CHECK(self != NULL && self == hs_thread_state_current());
    HS_CHECK(self->samples == 0 && self->interval == HS_VM_DEFAULT_INTERVAL);
    seeds[number] = self->random;
    self->samples = 7; /* must not show in a later thread */
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
