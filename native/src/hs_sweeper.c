/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_sweeper.h"

#include <limits.h>
#include <linux/futex.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "hs_clock.h"
#include "hs_mem.h"
#include "hs_thread_state.h"

/* The VM needs room for its guard pages; musl's default of 128 KiB is too little. */
enum { STACK_BYTES = 1024 * 1024 };

/* A thread that is in order needs a moment to end, also when its caller has no patience left. */
enum { LEAST_US_TO_END = 200000 };

/* How far the thread has come. WORKED: its first round is over. GONE: it only has to return. */
enum { BEGUN, WORKED, GONE };

/* Freed by the last of the two that know it: the thread itself, and who started it. */
struct hs_sweeper_thread {
    struct hs_sweeper *sweeper;
    const struct hs_ops *ops;
    pthread_t id;
    uint32_t signals;          /* given before the thread began */
    _Atomic uint32_t progress; /* written by the thread, a futex; release/acquire */
    bool is_refused;           /* by the VM; written by the thread before it is GONE */
    _Atomic bool is_abandoned; /* written by who started it: no other round; release/acquire */
    _Atomic uint32_t users;    /* acq_rel */
};

static void let_go(struct hs_sweeper_thread *thread) {
    if (atomic_fetch_sub_explicit(&thread->users, 1, memory_order_acq_rel) == 1) {
        hs_mem_free(thread, sizeof *thread);
    }
}

static void come_to(struct hs_sweeper_thread *thread, uint32_t progress) {
    atomic_store_explicit(&thread->progress, progress, memory_order_release);
    (void)syscall(SYS_futex, &thread->progress, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

/* Returns whether the thread came so far before this monotonic time. */
static bool await(struct hs_sweeper_thread *thread, uint32_t progress, int64_t end_us) {
    uint32_t now;
    while ((now = atomic_load_explicit(&thread->progress, memory_order_acquire)) < progress) {
        int64_t left_us = end_us - hs_clock_monotonic_us();
        if (left_us <= 0) {
            return false;
        }
        const struct timespec left = {.tv_sec = (time_t)(left_us / 1000000),
                                      .tv_nsec = (long)(left_us % 1000000 * 1000)};
        (void)syscall(SYS_futex, &thread->progress, FUTEX_WAIT_PRIVATE, now, &left, NULL, 0);
    }
    return true;
}

static uint32_t signals_of(struct hs_sweeper *sweeper) {
    return atomic_load_explicit(&sweeper->signals, memory_order_acquire);
}

/* Waits until there are other than this many signals, for a tick at most. Returns how many there are. */
static uint32_t wait_for_tick(struct hs_sweeper *sweeper, uint32_t seen) {
    const struct timespec period = {.tv_nsec = HS_SWEEPER_TICK_MS * 1000000L};
    (void)syscall(SYS_futex, &sweeper->signals, FUTEX_WAIT_PRIVATE, seen, &period, NULL, 0);
    return signals_of(sweeper);
}

/* The same for a period. One that is to end gets a signal, so that it does not tick. */
static uint32_t wait_for_signal(struct hs_sweeper *sweeper, uint32_t seen) {
    uint32_t signals = wait_for_tick(sweeper, seen);
    for (int left = HS_SWEEPER_PERIOD_MS / HS_SWEEPER_TICK_MS - 1; left > 0 && signals == seen;
         left--) {
        if (sweeper->tick != NULL) {
            sweeper->tick(sweeper->context);
        }
        signals = wait_for_tick(sweeper, seen);
    }
    return signals;
}

static enum hs_sweeper_order order_of(struct hs_sweeper *sweeper) {
    return atomic_load_explicit(&sweeper->order, memory_order_acquire);
}

static bool is_abandoned(struct hs_sweeper_thread *thread) {
    return atomic_load_explicit(&thread->is_abandoned, memory_order_acquire);
}

/* Returns whether there is to be another one. */
static bool work_once(struct hs_sweeper_thread *thread, void *env) {
    struct hs_sweeper *sweeper = thread->sweeper;
    enum hs_sweeper_order order = is_abandoned(thread) ? HS_SWEEPER_QUIT : order_of(sweeper);
    if (order != HS_SWEEPER_QUIT) {
        sweeper->work(sweeper->context, env);
        atomic_fetch_add_explicit(&sweeper->rounds, 1, memory_order_relaxed);
    }
    return order == HS_SWEEPER_RUN;
}

static void work_on(struct hs_sweeper_thread *thread, void *env) {
    uint32_t signals = thread->signals;
    bool goes_on = work_once(thread, env);
    come_to(thread, WORKED);
    while (goes_on && !is_abandoned(thread)) {
        signals = wait_for_signal(thread->sweeper, signals);
        goes_on = work_once(thread, env);
    }
}

static void *run(void *argument) {
    struct hs_sweeper_thread *thread = argument;
    struct hs_thread_state *self = hs_thread_state_current();
    if (self != NULL) {
        self->is_hidden = true;
    }
    void *env = self == NULL ? NULL : thread->ops->attach();
    thread->is_refused = env == NULL;
    if (env != NULL) {
        work_on(thread, env);
        thread->ops->detach();
    }
    come_to(thread, GONE);
    let_go(thread);
    return NULL;
}

/* All signals blocked: they are for the application's threads. The VM unblocks its own on attach. */
static int create(struct hs_sweeper_thread *thread) {
    pthread_attr_t attributes;
    sigset_t all;
    sigset_t old;
    int error = pthread_attr_init(&attributes);
    if (error != 0) {
        return error;
    }
    (void)pthread_attr_setstacksize(&attributes, STACK_BYTES);
    sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &old);
    error = pthread_create(&thread->id, &attributes, run, thread);
    (void)pthread_sigmask(SIG_SETMASK, &old, NULL);
    (void)pthread_attr_destroy(&attributes);
    return error;
}

/* From now on the thread does no other round. */
static enum hs_status give_up(struct hs_sweeper_thread *thread) {
    atomic_store_explicit(&thread->is_abandoned, true, memory_order_release);
    (void)pthread_detach(thread->id);
    return HS_NOT_ATTACHED;
}

/* Waits until the thread has done its first round. The thread is not to be used after a failure. */
static enum hs_status await_first_round(struct hs_sweeper_thread *thread, int64_t patience_us) {
    if (!await(thread, WORKED, hs_clock_monotonic_us() + patience_us)) {
        return give_up(thread);
    }
    if (thread->is_refused) {
        (void)pthread_join(thread->id, NULL);
        return HS_NO_THREAD;
    }
    return HS_OK;
}

static struct hs_sweeper_thread *new_thread(struct hs_sweeper *sweeper) {
    struct hs_sweeper_thread *thread = hs_mem_new(sizeof *thread);
    if (thread == NULL) {
        return NULL;
    }
    thread->sweeper = sweeper;
    thread->ops = sweeper->ops;
    thread->signals = signals_of(sweeper);
    thread->users = 2;
    return thread;
}

static enum hs_status launch(struct hs_sweeper *sweeper, int64_t patience_us) {
    struct hs_sweeper_thread *thread = new_thread(sweeper);
    if (thread == NULL) {
        return HS_NO_MEMORY;
    }
    enum hs_status status = HS_NO_THREAD;
    if (create(thread) == 0) {
        status = await_first_round(thread, patience_us);
    } else {
        let_go(thread); /* in the place of the thread */
    }
    if (status == HS_OK) {
        sweeper->thread = thread;
    } else {
        let_go(thread);
    }
    return status;
}

enum hs_status hs_sweeper_start(struct hs_sweeper *sweeper, const struct hs_ops *ops,
                                hs_sweeper_work *work, void *context, int64_t patience_us) {
    sweeper->ops = ops;
    sweeper->work = work;
    sweeper->context = context;
    atomic_store_explicit(&sweeper->order, HS_SWEEPER_RUN, memory_order_release);
    enum hs_status status = launch(sweeper, patience_us);
    sweeper->is_running = status == HS_OK;
    if (!sweeper->is_running) {
        atomic_store_explicit(&sweeper->order, HS_SWEEPER_QUIT, memory_order_release);
    }
    return status;
}

static void give_signal(struct hs_sweeper *sweeper) {
    atomic_fetch_add_explicit(&sweeper->signals, 1, memory_order_acq_rel);
    (void)syscall(SYS_futex, &sweeper->signals, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

void hs_sweeper_wake(struct hs_sweeper *sweeper) {
    /* One that ends was signalled already, and one that has ended is spared a system call in each
     * pause. */
    if (order_of(sweeper) == HS_SWEEPER_RUN) {
        give_signal(sweeper);
    }
}

static void end(struct hs_sweeper *sweeper, enum hs_sweeper_order order) {
    atomic_store_explicit(&sweeper->order, order, memory_order_release);
    give_signal(sweeper);
}

void hs_sweeper_abandon(struct hs_sweeper *sweeper) {
    end(sweeper, HS_SWEEPER_QUIT);
}

void hs_sweeper_stop(struct hs_sweeper *sweeper, int64_t patience_us) {
    if (!sweeper->is_running) {
        return;
    }
    if (order_of(sweeper) == HS_SWEEPER_RUN) {
        end(sweeper, HS_SWEEPER_FINISH);
    }
    struct hs_sweeper_thread *thread = sweeper->thread;
    int64_t wait_us = patience_us > LEAST_US_TO_END ? patience_us : LEAST_US_TO_END;
    if (await(thread, GONE, hs_clock_monotonic_us() + wait_us)) {
        (void)pthread_join(thread->id, NULL);
    } else {
        /* Another one may be started before this one looks at its orders again. */
        (void)give_up(thread);
    }
    let_go(thread);
    sweeper->is_running = false;
}
