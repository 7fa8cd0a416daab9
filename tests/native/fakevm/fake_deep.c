/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Lives with a run of frames that the depth cuts: its last ones are learned, but only met higher up do they
 * count. */
#include "fake_life.h"
#include "hs_vm.h"

enum { DEPTH = 4, INLINED = 8, MOST = DEPTH + INLINED + 2 };

static struct hs_intake *intake(void) {
    return &hs_vm_sampler()->intake;
}

static uint64_t counted(enum hs_lookup_count what) {
    return hs_lookup_counted(&intake()->lookup, what);
}

static bool is_distrusted(void) {
    const struct hs_session *session = atomic_load(&intake()->session);
    return hs_stack_cache_is_discarded(atomic_load(&session->store->stack_cache));
}

/* A sample in the first of the steps, each at this bytecode, which are all inlined into price; beneath this many
 * others. */
static void sample_beneath(uint32_t others, jlocation bci, jlocation price_bci) {
    static struct fake_frame frames[MOST];
    uint32_t count = 0;
    while (count < others) {
        frames[count++] = (struct fake_frame){IS_ADD, 6};
    }
    for (uint32_t i = 0; i < INLINED; i++) {
        frames[count++] = (struct fake_frame){IS_STEP + i, bci};
    }
    frames[count++] = (struct fake_frame){IS_PRICE, price_bci};
    frames[count++] = (struct fake_frame){IS_MAIN, 30};
    fake_set_stack(frames, count);
    life_sample(CLASS_CART, 24, &FAKE_PLATFORM_THREAD, true);
}

static jint begin(void) {
    life.is_whole = true;
    life.depth = DEPTH;
    life.feature = 21;
    life_load();
    life_configure();
    jint all = life_open(false);
    fake_inline_steps();
    return all;
}

static void end(jint all) {
    life_control("close", all);
    life_unload();
}

/* The second run has the methods of the first, at other lines. Its numbers are compared with the VM's. */
static void straddling_life(void) {
    jint all = begin();
    sample_beneath(DEPTH, 0, 1);
    sample_beneath(DEPTH, 6, 2);
    cr_assert_eq(counted(HS_LOOKUP_ASKED), 2);
    sample_beneath(0, 6, 2);
    cr_assert_eq(counted(HS_LOOKUP_COMPOSED), 1, "the run was learned whole");
    cr_assert_eq(counted(HS_LOOKUP_VERIFIED), 1);
    cr_assert_not(is_distrusted(), "its numbers are those of the first run");
    end(all);
}

void fake_straddling_life(void) {
    fake_run(straddling_life);
    life_check_all_is_back(0);
}

/* The one before the last of the run, while the last one is queried. */
static void rewritten_amid_life(void) {
    jint all = begin();
    fake_rewrite_amid(IS_STEP + INLINED - 1, IS_STEP + INLINED - 2);
    sample_beneath(DEPTH, 0, 1);
    sample_beneath(0, 0, 1);
    cr_assert_eq(counted(HS_LOOKUP_ASKED), 2, "a run of two versions was learned");
    sample_beneath(0, 0, 1);
    cr_assert_eq(counted(HS_LOOKUP_COMPOSED), 1, "now it is of one");
    cr_assert_not(is_distrusted());
    end(all);
}

void fake_rewritten_amid_life(void) {
    fake_run(rewritten_amid_life);
    life_check_all_is_back(0);
}
