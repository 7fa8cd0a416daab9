/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Clocks whose time a test makes up, in the place of those of the C library, which hs_clock.h reads, and sleep that only
 * moves them. One test program, one file that includes it. */
#ifndef MADE_UP_CLOCKS_H
#define MADE_UP_CLOCKS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Relaxed is enough: a sweeper that reads them has no part in what the test asserts. */
static _Atomic bool is_made_up;
static _Atomic int64_t monotonic_ns;
static _Atomic int64_t process_ns;
static _Atomic int64_t thread_ns;

/* By so much each clock has moved when it is read the next time. */
static _Atomic int64_t monotonic_step_ns;
static _Atomic int64_t thread_step_ns;

/* A thread that sleeps does not wait, but the clock moves. */
static _Atomic bool is_sleep_made_up;

static int64_t made_up(clockid_t clock) {
    if (clock == CLOCK_PROCESS_CPUTIME_ID) {
        return process_ns;
    }
    return clock == CLOCK_THREAD_CPUTIME_ID ? atomic_fetch_add(&thread_ns, thread_step_ns)
                                            : atomic_fetch_add(&monotonic_ns, monotonic_step_ns);
}

int read_clock(clockid_t clock, struct timespec *time) __asm__("clock_gettime");

int read_clock(clockid_t clock, struct timespec *time) {
    if (!is_made_up) {
        return (int)syscall(SYS_clock_gettime, clock, time);
    }
    int64_t ns = made_up(clock);
    *time = (struct timespec){.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};
    return 0;
}

int sleep_or_move(const struct timespec *time, struct timespec *left) __asm__("nanosleep");

int sleep_or_move(const struct timespec *time, struct timespec *left) {
    if (!is_sleep_made_up) {
        return (int)syscall(SYS_nanosleep, time, left);
    }
    monotonic_ns += (int64_t)time->tv_sec * 1000000000 + time->tv_nsec;
    return 0;
}

/* From now on time passes only where the test says so: no load of the machine changes a result. */
static inline void make_up_time(void) {
    monotonic_ns = INT64_C(1000000000000);
    is_made_up = true;
    is_sleep_made_up = true;
}

static inline void let_pass(int64_t us) {
    monotonic_ns += us * 1000;
}

#endif
