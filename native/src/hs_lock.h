/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Mutex with a rank. Two are for control threads and the sweeper, the third for calls of System.gc(), the last for
 * sets of labels; the callback of a sample takes none.
 *
 * A thread may take a lock only while it holds none of an equal or higher rank; debug builds abort
 * otherwise. The rank a thread holds is kept in a pthread key, not in thread-local storage, so that
 * the library needs nothing but libc. */
#ifndef HS_LOCK_H
#define HS_LOCK_H

#include <pthread.h>
#include <stdbool.h>

#include "hs_status.h"

enum hs_rank {
    HS_RANK_CONTROL = 1,  /* opening, closing, pausing recordings: hs_sampler */
    HS_RANK_SWEEP = 2,    /* reading or emptying the live table: sweeper, snapshots */
    HS_RANK_GC_CALLS = 3, /* copying a call of System.gc(): hs_gc_calls */
    HS_RANK_LABELS = 4,   /* adding and removing a set of labels: hs_label_sets */
};

struct hs_lock {
    pthread_mutex_t mutex;
    enum hs_rank rank;
};

/* One that is there from the beginning. */
#define HS_LOCK_INIT(its_rank) \
    { .mutex = PTHREAD_MUTEX_INITIALIZER, .rank = (its_rank) }

/* Fails: HS_NO_MEMORY. */
enum hs_status hs_lock_init(struct hs_lock *lock, enum hs_rank rank);
void hs_lock_destroy(struct hs_lock *lock);

/* Waits for the lock. Thread: Control, Sweeper; never Callback. HS_RANK_GC_CALLS: any thread that calls System.gc(),
 * outside of the VM. HS_RANK_LABELS: any thread inside a native of Java. */
void hs_lock_acquire(struct hs_lock *lock);
/* Takes the lock only if it is free; returns whether it did. Thread: as hs_lock_acquire, and one
 * that has run out of memory. */
bool hs_lock_try(struct hs_lock *lock);

void hs_lock_release(struct hs_lock *lock);

#endif
