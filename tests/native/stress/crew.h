/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* A crew of threads that start together. A thread checks with HS_CHECK, which ends the program: the
 * assertions of Criterion are for the test's own thread. */
#ifndef CREW_H
#define CREW_H

#include <criterion/criterion.h>
#include <pthread.h>

#include "hs_check.h"
#include "unit/seeded.h"

enum { CREW_MAX = 16 };

typedef void crew_work(int number);

static pthread_barrier_t crew_barrier;

struct crew_member {
    crew_work *work;
    int number;
};

static inline void *crew_run(void *argument) {
    struct crew_member *member = argument;
    (void)pthread_barrier_wait(&crew_barrier);
    member->work(member->number);
    return NULL;
}

/* Thread i does works[i * stride]; returns when all are done. */
static inline void crew_do(int count, crew_work *const works[], int stride) {
    pthread_t threads[CREW_MAX];
    struct crew_member members[CREW_MAX];
    cr_assert_leq(count, CREW_MAX);
    cr_assert_eq(pthread_barrier_init(&crew_barrier, NULL, (unsigned)count), 0);
    for (int i = 0; i < count; i++) {
        members[i] = (struct crew_member){.work = works[i * stride], .number = i};
        cr_assert_eq(pthread_create(&threads[i], NULL, crew_run, &members[i]), 0);
    }
    for (int i = 0; i < count; i++) {
        cr_assert_eq(pthread_join(threads[i], NULL), 0);
    }
    (void)pthread_barrier_destroy(&crew_barrier);
}

/* Waits for the others of the crew: what follows starts at the same time in each. */
static inline void crew_meet(void) {
    (void)pthread_barrier_wait(&crew_barrier);
}

/* Thread i does works[i]. */
static inline void crew_each(int count, crew_work *const works[]) {
    crew_do(count, works, 1);
}

/* All do the same. */
static inline void crew_all(int count, crew_work *work) {
    crew_do(count, &work, 0);
}

#endif
