/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_sweeper.h"

#include <poll.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "hs_step.h"

/* The VM needs room for its guard pages; musl's default of 128 KiB is too little. */
enum { STACK_BYTES = 1024 * 1024 };

struct launch {
    struct hs_sweeper *sweeper;
    sem_t is_ready;
    bool is_attached;
};

static int event_of(struct hs_sweeper *sweeper) {
    return atomic_load_explicit(&sweeper->event, memory_order_acquire) - 1;
}

static void wait_for_event(struct hs_sweeper *sweeper) {
    struct pollfd event = {.fd = event_of(sweeper), .events = POLLIN};
    uint64_t count;
    if (poll(&event, 1, HS_SWEEPER_PERIOD_MS) > 0) {
        (void)!read(event.fd, &count, sizeof count);
    }
}

static enum hs_sweeper_order order_of(struct hs_sweeper *sweeper) {
    return atomic_load_explicit(&sweeper->order, memory_order_acquire);
}

static void *run(void *argument) {
    struct launch *launch = argument;
    struct hs_sweeper *sweeper = launch->sweeper;
    struct hs_step *step = hs_step_current();
    if (step != NULL) {
        step->is_hidden = true;
    }
    void *env = step == NULL ? NULL : sweeper->ops->attach();
    launch->is_attached = env != NULL;
    sem_post(&launch->is_ready); /* `launch` is gone from here on */
    if (env == NULL) {
        return NULL;
    }
    enum hs_sweeper_order order;
    do {
        wait_for_event(sweeper);
        order = order_of(sweeper);
        if (order != HS_SWEEPER_QUIT) {
            sweeper->work(sweeper->context, env);
            atomic_fetch_add_explicit(&sweeper->rounds, 1, memory_order_relaxed);
        }
    } while (order == HS_SWEEPER_RUN);
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

static bool make_event(struct hs_sweeper *sweeper) {
    if (event_of(sweeper) >= 0) {
        return true;
    }
    int event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (event >= 0) {
        atomic_store_explicit(&sweeper->event, event + 1, memory_order_release);
    }
    return event >= 0;
}

enum hs_status hs_sweeper_start(struct hs_sweeper *sweeper, const struct hs_ops *ops,
                                hs_sweeper_work *work, void *context) {
    struct launch launch = {.sweeper = sweeper};
    if (!make_event(sweeper) || sem_init(&launch.is_ready, 0, 0) != 0) {
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
    return sweeper->is_running ? HS_OK : HS_NO_THREAD;
}

static void signal_event(struct hs_sweeper *sweeper) {
    uint64_t one = 1;
    int event = event_of(sweeper);
    if (event >= 0) {
        (void)!write(event, &one, sizeof one);
    }
}

void hs_sweeper_wake(struct hs_sweeper *sweeper) {
    /* One that ends was signalled already, and one that has ended is spared a system call in each
     * pause. */
    if (order_of(sweeper) == HS_SWEEPER_RUN) {
        signal_event(sweeper);
    }
}

static void end(struct hs_sweeper *sweeper, enum hs_sweeper_order order) {
    atomic_store_explicit(&sweeper->order, order, memory_order_release);
    signal_event(sweeper);
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
