/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include <pthread.h>

#include "fault.h"
#include "hs_thread_state.h"

static void *look(void *result) {
    *(struct hs_thread_state **)result = hs_thread_state_current();
    return NULL;
}

static enum hs_status step_round(void) {
    pthread_t thread;
    struct hs_thread_state *self = NULL;
    cr_assert_eq(pthread_create(&thread, NULL, look, &self), 0);
    cr_assert_eq(pthread_join(thread, NULL), 0);
    return self == NULL ? HS_NO_MEMORY : HS_OK;
}

Test(fault_step, a_thread_without_a_record) {
    cr_assert_eq(fault_each(step_round, false), 1);
}

/* The thread goes on without a record and gets one later. */
Test(fault_step, a_thread_recovers) {
    hs_mem_fail_at(1);
    cr_assert_null(hs_thread_state_current());
    cr_assert_not_null(hs_thread_state_current());
}

/* A walk does without a last walk, and has one later. */
Test(fault_step, a_thread_without_a_trail) {
    struct hs_thread_state *self = hs_thread_state_current();
    cr_assert_not_null(self);
    self->walks = HS_WALKS_BEFORE_MEMORY;
    hs_mem_fail_at(1);
    cr_assert_null(hs_thread_state_last_walk(self));
    cr_assert_not_null(hs_thread_state_last_walk(self));
}
