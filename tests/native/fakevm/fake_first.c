/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* What a stack costs when it is met for the first time: calls of JNI and JVMTI within one sample. */
#include <stdio.h>

#include "fake_life.h"
#include "hs_vm.h"

/* Of one method: its class, signature, name and descriptor, file, lines, and what is given back of these. */
enum { CALLS_PER_METHOD = 10 };

/* Of one sample: the stack, three times at most, and its thread, class and weak reference. */
enum { CALLS_BESIDE = 8 };

static uint64_t calls_so_far(void) {
    uint64_t sum = 0;
    for (int i = 0; i < FAKE_MAX_FUNCTIONS; i++) {
        const char *name = fake_plan->functions[i].name;
        sum +=
            strchr(name, ',') == NULL ? fake_plan->functions[i].called : 0; /* lies are no calls */
    }
    return sum;
}

static uint32_t calls_of(const char *function) {
    for (int i = 0; i < FAKE_MAX_FUNCTIONS; i++) {
        if (strcmp(fake_plan->functions[i].name, function) == 0) {
            return fake_plan->functions[i].called;
        }
    }
    return 0;
}

/* The calls of a sample on a stack of FAKE_STEPS frames, each at this bytecode. */
static uint64_t calls_in(jlocation bci) {
    static struct fake_frame frames[FAKE_STEPS];
    for (uint32_t i = 0; i < FAKE_STEPS; i++) {
        frames[i] = (struct fake_frame){IS_STEP + i, bci};
    }
    fake_set_stack(frames, FAKE_STEPS);
    uint64_t before = calls_so_far();
    life_sample(CLASS_CART, 24, &FAKE_PLATFORM_THREAD, true);
    return calls_so_far() - before;
}

/* price has more lines than are kept: only these are asked for again. */
static void check_long_table(void) {
    static const struct fake_frame FIRST[] = {{IS_PRICE, 1}, {IS_MAIN, 30}};
    static const struct fake_frame SECOND[] = {{IS_PRICE, 2}, {IS_MAIN, 30}};
    fake_set_stack(FIRST, 2);
    life_sample(CLASS_CART, 24, &FAKE_PLATFORM_THREAD, true);
    uint32_t names = calls_of("GetMethodName");
    uint32_t lines = calls_of("GetLineNumberTable");
    fake_set_stack(SECOND, 2);
    life_sample(CLASS_CART, 24, &FAKE_PLATFORM_THREAD, true);
    cr_assert_eq(calls_of("GetMethodName"), names);
    cr_assert_gt(calls_of("GetLineNumberTable"), lines);
}

static void first_life(void) {
    life.is_whole = true;
    life.depth = FAKE_STEPS + 1;
    life_load();
    life_configure();
    jint all = life_open(false);
    life_stand(IN_CART);
    life_sample(CLASS_CART, 24, &FAKE_PLATFORM_THREAD, true); /* the class and the thread */
    uint64_t first = calls_in(0);
    uint64_t second = calls_in(6);
    uint64_t again = calls_in(6);
    cr_log_info("Java %d: %d new frames of new methods %lu calls, of known methods %lu, again %lu",
                (int)life.feature, FAKE_STEPS, (unsigned long)first, (unsigned long)second,
                (unsigned long)again);
    (void)fflush(stdout);
    cr_assert_leq(first, FAKE_STEPS * CALLS_PER_METHOD + CALLS_BESIDE, "%lu", (unsigned long)first);
    cr_assert_leq(second, CALLS_BESIDE, "%lu", (unsigned long)second);
    check_long_table();
    life_snapshot(all, false);
    life_control("close", all);
    life_unload();
}

void fake_first_life_on_17(void) {
    life.feature = 17;
    fake_run(first_life);
    life_check_all_is_back(0);
}

void fake_first_life_on_25(void) {
    life.feature = 25;
    fake_run(first_life);
    life_check_all_is_back(0);
}
