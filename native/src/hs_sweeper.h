/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Sweeper: the one background thread. Sleeps until a collection was signalled or
 * HS_SWEEPER_PERIOD_MS have passed, does its work, sleeps again. Meanwhile it ticks each
 * HS_SWEEPER_TICK_MS, for cheap work that must not wait that long.
 *
 * The thread exists only while sampling is on; the VM knows it as a daemon, and all that it allocates
 * is not sampled. It is woken through a futex, a word of memory that lives as long as the process: a
 * descriptor would be left open after the end, since a late signal from the VM thread must never meet
 * one that is closed, or another's. */
#ifndef HS_SWEEPER_H
#define HS_SWEEPER_H

#include <pthread.h>
#include <stdatomic.h>

#include "hs_ops.h"

#define HS_SWEEPER_PERIOD_MS 2000
#define HS_SWEEPER_TICK_MS   500

/* QUIT is 0: a sweeper that never ran is not woken. */
enum hs_sweeper_order { HS_SWEEPER_QUIT, HS_SWEEPER_FINISH, HS_SWEEPER_RUN };

typedef void hs_sweeper_work(void *context, void *env);
typedef void hs_sweeper_tick(void *context);

struct hs_sweeper {
    _Atomic uint32_t signals;            /* given so far; the futex; release/acquire */
    _Atomic enum hs_sweeper_order order; /* what the thread is to do; release/acquire */
    _Atomic uint64_t rounds;             /* times the work was done; relaxed */
    /* The rest: HS_RANK_CONTROL, constant while the thread runs. */
    bool is_running;
    struct hs_sweeper_thread *thread;
    const struct hs_ops *ops;
    hs_sweeper_work *work;
    hs_sweeper_tick *tick; /* constant; NULL: none */
    void *context;
};

/* Starts the thread; returns when it is known to the VM and has done its first round. Attaching to the VM runs
 * Java code and other agents. If both take longer than `patience_us`, the thread is left alone: once it is
 * attached it detaches again, without a round, or after the one that it is in.
 * Thread: Control, without HS_RANK_SWEEP, which the work may want. Fails: HS_NO_THREAD, HS_NO_MEMORY,
 * HS_NOT_ATTACHED; nothing works then. */
enum hs_status hs_sweeper_start(struct hs_sweeper *sweeper, const struct hs_ops *ops,
                                hs_sweeper_work *work, void *context, int64_t patience_us);

/* Wakes the thread, if one runs. Thread: Any, also the VM thread inside a pause: never waits. */
void hs_sweeper_wake(struct hs_sweeper *sweeper);

/* Ends the thread, after one more round, and waits for its end, `patience_us` or 200 ms at most, whichever is
 * longer: detaching from the VM runs foreign code as well. References to dead objects cost every later collection
 * something, so the last round matters. A thread that is not awaited ends by itself. Harmless when none
 * runs. Thread: Control, without HS_RANK_SWEEP, which the work may want. */
void hs_sweeper_stop(struct hs_sweeper *sweeper, int64_t patience_us);

/* Tells the thread to end without another round and does not wait. Thread: Any. For the death of the
 * VM. */
void hs_sweeper_abandon(struct hs_sweeper *sweeper);

#endif
