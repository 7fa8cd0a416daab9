/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include <pthread.h>

#include "fault.h"
#include "hs_step.h"

static void *look(void *result) {
    *(struct hs_step **)result = hs_step_current();
    return NULL;
}

static enum hs_status step_round(void) {
    pthread_t thread;
    struct hs_step *step = NULL;
    cr_assert_eq(pthread_create(&thread, NULL, look, &step), 0);
    cr_assert_eq(pthread_join(thread, NULL), 0);
    return step == NULL ? HS_NO_MEMORY : HS_OK;
}

Test(fault_step, a_thread_without_a_record) {
    cr_assert_eq(fault_each(step_round, false), 1);
}

/* The thread goes on without a record and gets one later. */
Test(fault_step, a_thread_recovers) {
    hs_mem_fail_at(1);
    cr_assert_null(hs_step_current());
    cr_assert_not_null(hs_step_current());
}

/* A walk does without a trail, and has one later. */
Test(fault_step, a_thread_without_a_trail) {
    struct hs_step *step = hs_step_current();
    cr_assert_not_null(step);
    step->walks = HS_WALKS_BEFORE_TRAIL;
    hs_mem_fail_at(1);
    cr_assert_null(hs_step_trail(step));
    cr_assert_not_null(hs_step_trail(step));
}
