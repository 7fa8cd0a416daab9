/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Lives in which the VM answers GetStackTrace wrongly, as JDK 17 and 21 do while a method is redefined, or numbers
 * fields as it likes. */
#include "fake_life.h"
#include "hs_vm.h"

static const char MISMATCH[] = "a stack that was looked up differed from the JVM's own";

static void sample(void) {
    life_sample(CLASS_CART, 24, &FAKE_PLATFORM_THREAD, true);
}

static struct hs_lookup *lookup(void) {
    return &hs_vm_sampler()->intake.lookup;
}

/* Stacks that are known, and the number of frames of the last one. */
static uint32_t stacks(uint32_t *frames) {
    const struct hs_session *session = atomic_load(&hs_vm_sampler()->intake.session);
    uint32_t newest = hs_intern_end(session->store->stacks.table) - 1;
    (void)hs_stacks_get(session->store->stacks, (struct hs_stack_id){newest}, frames);
    return newest - HS_STACK_UNKNOWN;
}

static void begin(void) {
    life.is_whole = true;
    life_load();
    life_configure();
    cr_assert(hs_lookup_is_on(lookup()));
}

static void end(jint recording) {
    life_control("close", recording);
    life_unload();
}

/* A stale id may not be queried, and the memory it leads to may not be read: both end the process. */
static void stale_life(void) {
    uint32_t frames = 0;
    begin();
    jint all = life_open(false);
    life_stand(IN_DEEP);
    fake_lie(FAKE_STALE);
    sample();
    cr_assert_eq(stacks(&frames), 1);
    cr_assert_eq(frames, 0, "it has a stack");
    sample();
    cr_assert_eq(stacks(&frames), 2);
    cr_assert_eq(frames, 5);
    cr_assert(hs_lookup_is_on(lookup()));
    life_snapshot(all, HS_AFTER_NONE.number);
    end(all);
}

void fake_stale_life(void) {
    fake_run(stale_life);
    life_check_all_is_back(0);
}

/* Until a sample was looked up and compared. Returns how many were. */
static uint64_t verified_hit(void) {
    life_stand(IN_CART);
    for (int i = 0; i < 8; i++) {
        sample();
    }
    uint64_t verified = hs_lookup_counted(lookup(), HS_LOOKUP_VERIFIED);
    cr_assert_gt(verified, 0);
    return verified;
}

/* After a hit was compared with a wrong answer: was it left alone, and neither believed? */
static void check_left_alone(uint64_t verified, uint32_t known, const char *what) {
    uint32_t frames = 0;
    cr_assert(hs_lookup_is_on(lookup()), "%s", what);
    cr_assert_eq(hs_lookup_counted(lookup(), HS_LOOKUP_MISMATCHES), 0, "%s", what);
    cr_assert_eq(hs_lookup_counted(lookup(), HS_LOOKUP_VERIFIED), verified, "%s", what);
    cr_assert_eq(stacks(&frames), known, "%s", what);
}

static void swapped_life(void) {
    uint32_t frames = 0;
    begin();
    jint all = life_open(false);
    life_stand(IN_DEEP);
    sample(); /* so that what methods are swapped for is known to be one */
    uint64_t verified = verified_hit();
    uint32_t known = stacks(&frames);
    fake_lie(FAKE_SWAPPED);
    sample();
    check_left_alone(verified, known, "one wrong answer");
    fake_lie(FAKE_SWAPPED);
    fake_lie(FAKE_STALE);
    sample();
    check_left_alone(verified, known + 1, "a wrong one, and none");
    (void)stacks(&frames);
    cr_assert_eq(frames, 0, "one of them was believed");
    sample();
    check_left_alone(verified + 1, known + 1, "a right one");
    life_snapshot(all, HS_AFTER_NONE.number);
    fake_lie(FAKE_SWAPPED);
    fake_lie(FAKE_SWAPPED);
    sample();
    cr_assert_not(hs_lookup_is_on(lookup()));
    cr_assert_eq(hs_lookup_counted(lookup(), HS_LOOKUP_MISMATCHES), 1);
    cr_assert_str_eq(atomic_load(&lookup()->reason), MISMATCH);
    end(all);
}

void fake_swapped_life(void) {
    fake_run(swapped_life);
    life_check_all_is_back(0);
}

static void odd_fields_life(void) {
    life.has_odd_fields = true;
    begin();
    fake_number_fields_from(1);
    jint all = life_open(false);
    life_sample_hot();
    life_snapshot_with_reach(all);
    fake_number_fields_from(0);
    life.has_odd_fields = false;
    life_snapshot_with_reach(all);
    end(all);
}

void fake_odd_fields_life(void) {
    fake_run(odd_fields_life);
    life_check_all_is_back(0);
}

static void called_back_life(void) {
    begin();
    jint all = life_open(false);
    life_sample_hot();
    life_snapshot_called_back(all);
    life_snapshot(all, HS_AFTER_NONE.number);
    end(all);
}

void fake_called_back_life(void) {
    fake_run(called_back_life);
    life_check_all_is_back(0);
}
