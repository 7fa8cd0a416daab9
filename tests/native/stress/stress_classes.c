/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Callbacks find and add classes while some are unloaded and purged. The fake VM aborts when a
 * reference is inspected after it was given back, which is what the phaser is there to prevent. */
#include <sched.h>

#include "crew.h"
#include "hs_classes.h"
#include "hs_clock.h"
#include "unit/fake_ops.h"

enum { CALLBACKS = 3, PURGES = 500, MOST_US = 1500000, PATIENCE_US = 1000000, KINDS = 200 };

static hs_classes *classes;
static struct hs_phaser phaser;
static _Atomic bool is_over;
/* The class object of each kind now; a new one when it is unloaded and loaded again. */
static _Atomic hs_ref loaded[KINDS];

/* A thread that has read a reference and is then delayed. */
static bool is_same(void *env, uintptr_t object, hs_ref ref) {
    sched_yield();
    return !fake_is_cleared(env, ref) && object == ref;
}

static void call_back(int number) {
    struct seeded seeded = {(uint64_t)number + 1};
    uint16_t hint = 0; /* mostly that of another class, or of one that has gone */
    while (!is_over) {
        uint32_t kind = seeded_below(&seeded, KINDS);
        uint32_t token = hs_phaser_enter(&phaser, (uint32_t)number);
        hs_ref object = atomic_load(&loaded[kind]);
        uint32_t hash = kind / 2; /* some share a hash */
        uint32_t name = hs_classes_find(classes, hash, is_same, FAKE_ENV, object, &hint).number;
        HS_CHECK(name == 0 || name == kind + 1);
        name = hs_classes_try(classes, hint, is_same, FAKE_ENV, object).number;
        HS_CHECK(name == 0 || name == kind + 1);
        if (object == 0) {
            hs_ref ref = fake_ref();
            if (hs_classes_put(classes, hash, ref, (struct hs_name_id){kind + 1})) {
                atomic_store(&loaded[kind], ref);
            } else {
                fake_release(FAKE_ENV, ref);
            }
        }
        hs_phaser_exit(&phaser, token);
        if (seeded_below(&seeded, 32) == 0) {
            sched_yield();
        }
    }
}

static void unload_and_purge(int number) {
    struct seeded seeded = {(uint64_t)number + 100};
    int64_t end = hs_clock_monotonic_us() + MOST_US;
    for (uint32_t purges = 0; purges == 0 || (purges < PURGES && hs_clock_monotonic_us() < end);) {
        for (int i = 0; i < 20; i++) {
            hs_ref ref = atomic_exchange(&loaded[seeded_below(&seeded, KINDS)], 0);
            if (ref != 0) {
                fake_clear(ref);
            }
        }
        uint32_t released = fake.released;
        hs_classes_purge(classes, &FAKE_OPS, FAKE_ENV, &phaser, PATIENCE_US);
        purges += fake.released > released;
    }
    is_over = true;
}

Test(stress_classes, no_reference_is_used_after_it_was_given_back) {
    crew_work *const works[] = {call_back, call_back, call_back, unload_and_purge};
    fake_reset();
    memset(&phaser, 0, sizeof phaser);
    memset(loaded, 0, sizeof loaded);
    is_over = false;
    cr_assert_eq(hs_classes_new(&classes), HS_OK);
    crew_each(CALLBACKS + 1, works);
    hs_classes_clear(classes, &FAKE_OPS, FAKE_ENV);
    hs_classes_free(classes);
    cr_assert_eq(fake_outstanding(), 0);
}
