/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Clocks whose time a test makes up, in the place of those of the C library, which hs_clock.h reads. One test
 * program, one file that includes it. */
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

#endif
