/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_sweeper.h"

#include <limits.h>
#include <linux/futex.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "hs_step.h"

/* The VM needs room for its guard pages; musl's default of 128 KiB is too little. */
enum { STACK_BYTES = 1024 * 1024 };

struct launch {
    struct hs_sweeper *sweeper;
    uint32_t signals; /* given before the thread began */
    sem_t is_ready;
    bool is_attached;
};

static uint32_t signals_of(struct hs_sweeper *sweeper) {
    return atomic_load_explicit(&sweeper->signals, memory_order_acquire);
}

/* Waits until there are other than so many signals, for a period at most. Returns how many there are. */
static uint32_t wait_for_signal(struct hs_sweeper *sweeper, uint32_t seen) {
    const struct timespec period = {.tv_sec = HS_SWEEPER_PERIOD_MS / 1000,
                                    .tv_nsec = HS_SWEEPER_PERIOD_MS % 1000 * 1000000L};
    (void)syscall(SYS_futex, &sweeper->signals, FUTEX_WAIT_PRIVATE, seen, &period, NULL, 0);
    return signals_of(sweeper);
}

static enum hs_sweeper_order order_of(struct hs_sweeper *sweeper) {
    return atomic_load_explicit(&sweeper->order, memory_order_acquire);
}

/* Answers whether there is to be another one. */
static bool work_once(struct hs_sweeper *sweeper, void *env) {
    enum hs_sweeper_order order = order_of(sweeper);
    if (order != HS_SWEEPER_QUIT) {
        sweeper->work(sweeper->context, env);
        atomic_fetch_add_explicit(&sweeper->rounds, 1, memory_order_relaxed);
    }
    return order == HS_SWEEPER_RUN;
}

static void *run(void *argument) {
    struct launch *launch = argument;
    struct hs_sweeper *sweeper = launch->sweeper;
    uint32_t signals = launch->signals;
    struct hs_step *step = hs_step_current();
    if (step != NULL) {
        step->is_hidden = true;
    }
    void *env = step == NULL ? NULL : sweeper->ops->attach();
    launch->is_attached = env != NULL;
    bool goes_on = env != NULL && work_once(sweeper, env);
    sem_post(&launch->is_ready); /* `launch` is gone from here on */
    if (env == NULL) {
        return NULL;
    }
    while (goes_on) {
        signals = wait_for_signal(sweeper, signals);
        goes_on = work_once(sweeper, env);
    }
    sweeper->ops->detach();
    return NULL;
}

/* All signals blocked: they are for the application's threads. The VM unblocks its own on attach. */
static int create(struct hs_sweeper *sweeper, struct launch *launch) {
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
    error = pthread_create(&sweeper->thread, &attributes, run, launch);
    (void)pthread_sigmask(SIG_SETMASK, &old, NULL);
    (void)pthread_attr_destroy(&attributes);
    return error;
}

enum hs_status hs_sweeper_start(struct hs_sweeper *sweeper, const struct hs_ops *ops,
                                hs_sweeper_work *work, void *context) {
    struct launch launch = {.sweeper = sweeper, .signals = signals_of(sweeper)};
    if (sem_init(&launch.is_ready, 0, 0) != 0) {
        return HS_NO_THREAD;
    }
    sweeper->ops = ops;
    sweeper->work = work;
    sweeper->context = context;
    atomic_store_explicit(&sweeper->order, HS_SWEEPER_RUN, memory_order_release);
    if (create(sweeper, &launch) == 0) {
        while (sem_wait(&launch.is_ready) != 0) {
        }
        sweeper->is_running = launch.is_attached;
        if (!launch.is_attached) {
            (void)pthread_join(sweeper->thread, NULL);
        }
    }
    (void)sem_destroy(&launch.is_ready);
    if (!sweeper->is_running) {
        atomic_store_explicit(&sweeper->order, HS_SWEEPER_QUIT, memory_order_release);
    }
    return sweeper->is_running ? HS_OK : HS_NO_THREAD;
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

void hs_sweeper_stop(struct hs_sweeper *sweeper) {
    if (!sweeper->is_running) {
        return;
    }
    if (order_of(sweeper) == HS_SWEEPER_RUN) {
        end(sweeper, HS_SWEEPER_FINISH);
    }
    (void)pthread_join(sweeper->thread, NULL);
    sweeper->is_running = false;
}
