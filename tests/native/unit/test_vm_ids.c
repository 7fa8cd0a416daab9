/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* A VM that answers GetStackTrace and nothing else. Its ids lie in a page that may not be read: a test
 * that goes on has shown that nothing was read through them. */
#include <criterion/criterion.h>
#include <sys/mman.h>

#include "hs_vm_ids.h"

enum { CELLS = 1 << 16, DEEPEST = 100, PART = 32 };

static uintptr_t *cells; /* not to be read */
static jvmtiFrameInfo stack[DEEPEST];
static uint32_t depth;
static uint32_t asked; /* answers */
static jint asked_from;
static jvmtiError refusal;
static jint short_by; /* frames that are missing */

static jvmtiError JNICALL answer(jvmtiEnv *jvmti, jthread thread, jint start, jint max,
                                 jvmtiFrameInfo *infos, jint *count) {
    (void)jvmti;
    cr_assert_null(thread);
    cr_assert_lt((uint32_t)start, depth);
    asked++;
    asked_from = start;
    if (refusal != JVMTI_ERROR_NONE) {
        return refusal;
    }
    jint left = (jint)depth - start - short_by;
    *count = left < max ? left : max;
    for (jint i = 0; i < *count; i++) {
        infos[i] = stack[start + i];
    }
    return JVMTI_ERROR_NONE;
}

static const struct jvmtiInterface_1_ FUNCTIONS = {.GetStackTrace = answer};
static jvmtiEnv jvmti = &FUNCTIONS;

static jmethodID cell(uint32_t number) {
    return (jmethodID)(void *)&cells[number];
}

static void set_up(void) {
    cells = mmap(NULL, CELLS * sizeof *cells, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    cr_assert_neq((void *)cells, MAP_FAILED);
    depth = 3;
    for (uint32_t i = 0; i < DEEPEST; i++) {
        stack[i] = (jvmtiFrameInfo){.method = cell(i)};
    }
}

static bool are_ids(const jvmtiFrameInfo *infos, uint32_t count, uint32_t feature) {
    struct hs_vm_access vm = {.jvmti = &jvmti, .feature = feature};
    return hs_vm_are_method_ids(&vm, infos, count);
}

TestSuite(vm_ids, .init = set_up);

Test(vm_ids, what_two_answers_have_is_believed_for_good) {
    cr_assert(are_ids(stack, 3, 17));
    cr_assert_eq(asked, 1u);
    cr_assert(are_ids(stack, 3, 21));
    cr_assert_eq(asked, 1u, "known by now");
}

Test(vm_ids, what_lay_in_a_freed_table_is_refused) {
    jvmtiFrameInfo first[3] = {stack[0], stack[1], stack[2]};
    first[1].method = cell(CELLS - 1); /* it looks like any other */
    cr_assert_not(are_ids(first, 3, 17));
    cr_assert_not(are_ids(first, 3, 17), "and is no better the second time");
    cr_assert(are_ids(stack, 3, 17));
}

Test(vm_ids, a_value_that_is_no_address_is_refused_however_often_it_is_returned) {
    static const uintptr_t ODD[] = {0, 8, 0xfff8, 0x7f0000001004};
    cr_assert(are_ids(stack, 3, 21), "the others are known");
    for (uint32_t i = 0; i < sizeof ODD / sizeof ODD[0]; i++) {
        stack[2].method = (jmethodID)ODD[i];
        cr_assert_not(are_ids(stack, 3, 21), "%zx", (size_t)ODD[i]);
        cr_assert_not(are_ids(stack, 3, 21), "%zx", (size_t)ODD[i]);
    }
}

Test(vm_ids, a_vm_that_refuses_or_answers_less_confirms_nothing) {
    refusal = JVMTI_ERROR_INTERNAL;
    cr_assert_not(are_ids(stack, 3, 17));
    refusal = JVMTI_ERROR_NONE;
    short_by = 1;
    cr_assert_not(are_ids(stack, 3, 17));
    short_by = 0;
    cr_assert(are_ids(stack, 3, 17));
}

/* All of them find room: five in one set of four have a chance of 3 in 10 million. */
Test(vm_ids, only_the_part_with_unknown_ids_is_queried) {
    depth = DEEPEST;
    cr_assert(are_ids(stack, DEEPEST, 17));
    cr_assert_eq(asked, (DEEPEST + PART - 1) / PART);
    stack[70].method = cell(DEEPEST);
    cr_assert(are_ids(stack, DEEPEST, 17));
    cr_assert_eq(asked, (DEEPEST + PART - 1) / PART + 1);
    cr_assert_eq(asked_from, 64);
}

Test(vm_ids, ids_beyond_the_last_part_are_compared_too) {
    jvmtiFrameInfo first[DEEPEST];
    depth = DEEPEST;
    memcpy(first, stack, sizeof first);
    first[DEEPEST - 1].method = cell(CELLS - 1);
    cr_assert_not(are_ids(first, DEEPEST, 17));
}

/* More than there are places. */
Test(vm_ids, displaced_ids_are_queried_again) {
    for (int round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < CELLS; i++) {
            stack[0].method = cell(i);
            cr_assert(are_ids(stack, 1, 17));
        }
    }
    cr_assert_gt(asked, (uint32_t)CELLS);
}

Test(vm_ids, where_ids_are_indexes_nothing_is_queried) {
    stack[0].method = (jmethodID)(uintptr_t)3;
    cr_assert(are_ids(stack, 1, 26));
    cr_assert_eq(asked, 0u);
}

/* From 23 on the VM cannot answer what lies in a freed table. */
Test(vm_ids, where_every_answer_is_right_nothing_is_queried) {
    cr_assert(are_ids(stack, 3, 23));
    cr_assert(are_ids(stack, 3, 25));
    cr_assert_eq(asked, 0u);
    stack[1].method = NULL;
    cr_assert_not(are_ids(stack, 3, 25), "an id that may not be read through");
    stack[1].method = cell(1);
    cr_assert(are_ids(stack, 3, 22));
    cr_assert_eq(asked, 1u, "22 is not one of them");
}
