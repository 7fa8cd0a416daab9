/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "child_under_test.h"

/* FUTEX_WAIT_PRIVATE: the compiler for musl has no linux/futex.h. */
enum { FUTEX_WAIT_HERE = 128 };

/* The work in the child ends as in the VM: its thread waits for a condition that never comes. */

TestSuite(child_watch, .init = child_set_up);

static struct hs_child child;
static struct hs_child_progress progress;
static int64_t began_us;
static int plain; /* written by callbacks, read by finish: no atomic */

static void finish(void *context, bool has_ended) {
    char text[64];
    (void)snprintf(text, sizeof text, "%s %s %d", (const char *)context,
                   has_ended ? "ended" : "did not end", plain);
    say(&child, text);
}

/* In the child. */
static void watch_for(int64_t most_us) {
    began_us = hs_clock_monotonic_us();
    if (hs_child_watch(&child, &progress, most_us, finish, "it") != HS_OK) {
        _exit(9);
    }
}

static void call_back(void) {
    if (hs_child_enter(&progress)) {
        plain++;
        hs_child_leave(&progress);
    }
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;

static _Noreturn void wait_in_vm(void) {
    (void)pthread_mutex_lock(&mutex);
    for (;;) {
        (void)pthread_cond_wait(&never, &mutex);
    }
}

static _Noreturn void wait_in_vm_a_second_at_a_time(void) {
    (void)pthread_mutex_lock(&mutex);
    for (;;) {
        struct timespec end;
        (void)clock_gettime(CLOCK_REALTIME, &end);
        end.tv_sec++;
        (void)pthread_cond_timedwait(&never, &mutex, &end);
    }
}

static void spin_us(int64_t us) {
    int64_t end = hs_clock_monotonic_us() + us;
    while (hs_clock_monotonic_us() < end) {
    }
}

static bool is_child(void) {
    return prepare_and_fork(&child) == HS_CHILD_CHILD;
}

enum { LONG_US = 50000000, SHORT_US = 300000 };

/* A child that is watched for long, and ends with this text. */
static bool is_watched_child(const char *expected) {
    if (is_emulated()) {
        return false;
    }
    if (is_child()) {
        watch_for(LONG_US);
        return true;
    }
    says(&child, expected);
    return false;
}

Test(child_watch, work_has_ended_when_its_thread_waits) {
    if (is_watched_child("it ended 1000")) {
        for (int i = 0; i < 1000; i++) {
            call_back();
        }
        wait_in_vm();
    }
}

Test(child_watch, also_when_it_wakes_now_and_then) {
    if (is_watched_child("it ended 1")) {
        call_back();
        wait_in_vm_a_second_at_a_time();
    }
}

Test(child_watch, work_without_a_callback_ends_too) {
    if (is_watched_child("it ended 0")) {
        wait_in_vm();
    }
}

Test(child_watch, work_goes_on_while_its_thread_runs) {
    if (is_watched_child("it ended 2")) {
        call_back();
        spin_us(400000); /* no callback, as when a table grows */
        call_back();
        wait_in_vm();
    }
}

Test(child_watch, work_goes_on_while_callbacks_come) {
    if (is_watched_child("it ended 20")) {
        for (int i = 0; i < 20; i++) {
            call_back();
            const struct timespec wait = {.tv_nsec = 20000000};
            (void)nanosleep(&wait, NULL);
        }
        wait_in_vm();
    }
}

/* Neither has it ended when it sleeps for something else, which the watcher takes for nothing it knows. */
Test(child_watch, a_thread_that_waits_for_time_has_not_ended) {
    if (is_child()) {
        watch_for(SHORT_US);
        call_back();
        for (;;) {
            (void)pause();
        }
    }
    says(&child, "it did not end 1");
}

static _Atomic int holds;
static _Atomic int may_go;

static void *hold_it(void *unused) {
    (void)pthread_mutex_lock(&mutex);
    holds = 1;
    while (!may_go) {
        (void)sched_yield();
    }
    (void)pthread_mutex_unlock(&mutex);
    (void)unused;
    return NULL;
}

/* With the lock held by another thread at the fork. */
static bool fork_while_held(void (*in_child)(void)) {
    pthread_t other;
    if (is_emulated()) {
        return false;
    }
    cr_assert_eq(pthread_create(&other, NULL, hold_it, NULL), 0);
    while (!holds) {
        (void)sched_yield();
    }
    if (is_child()) {
        in_child();
    }
    may_go = 1;
    cr_assert_eq(pthread_join(other, NULL), 0);
    return true;
}

static uint32_t lock_word = 1; /* not on the stack, as that of a condition of musl */

static void lock_outside(void) {
    watch_for(SHORT_US);
    call_back();
    (void)pthread_mutex_lock(&mutex);
    _exit(8);
}

Test(child_watch, a_thread_that_waits_for_a_lock_has_not_ended) {
    if (fork_while_held(lock_outside)) {
        says(&child, "it did not end 1");
    }
}

static void lock_outside_with_time(void) {
    watch_for(LONG_US);
    call_back();
    (void)pthread_mutex_lock(&mutex);
    _exit(8);
}

/* After a second, long before its time is over. */
Test(child_watch, a_lock_that_no_thread_can_leave_ends_it) {
    if (fork_while_held(lock_outside_with_time)) {
        int64_t begin = hs_clock_monotonic_us();
        ends_as(&child, HS_CHILD_LOCKED);
        cr_assert_lt(hs_clock_monotonic_us() - begin, LONG_US / 2);
    }
}

/* As a lock of tcmalloc, which stays held after a fork: it sleeps for a moment, and looks again. */
static _Noreturn void wait_for_lock_a_moment_at_a_time(void) {
    for (;;) {
        const struct timespec moment = {.tv_nsec = 500000000};
        (void)syscall(SYS_futex, &lock_word, FUTEX_WAIT_HERE, lock_word, &moment, NULL, 0);
    }
}

Test(child_watch, nor_one_that_waits_for_a_lock_a_moment_at_a_time) {
    if (is_emulated()) {
        return;
    }
    if (is_child()) {
        watch_for(800000);
        call_back();
        wait_for_lock_a_moment_at_a_time();
    }
    says(&child, "it did not end 1");
}

static void lock_inside(void) {
    watch_for(SHORT_US);
    (void)hs_child_enter(&progress);
    (void)pthread_mutex_lock(&mutex);
    _exit(8);
}

Test(child_watch, a_callback_that_does_not_leave_makes_it_late) {
    if (fork_while_held(lock_inside)) {
        ends_as(&child, HS_CHILD_LATE);
    }
}

Test(child_watch, after_the_time_no_callback_is_inside) {
    if (is_child()) {
        watch_for(SHORT_US);
        for (;;) {
            if (hs_child_enter(&progress)) {
                plain = 1;
                spin_us(20);
                plain = 0; /* finish never sees the 1 */
                hs_child_leave(&progress);
            }
        }
    }
    says(&child, "it did not end 0");
}

Test(child_watch, what_comes_after_it_is_over_is_not_let_in) {
    struct hs_child_progress over = {.steps = 0};
    cr_assert(hs_child_enter(&over));
    cr_assert_eq(over.steps, 1);
    hs_child_leave(&over);
    cr_assert_eq(over.steps, 2);
    over.is_over = true;
    cr_assert_not(hs_child_enter(&over));
    cr_assert_eq(over.steps % 2, 0);
}

Test(child_watch, without_proc_only_the_time_ends_it) {
    hs_child_fail(HS_CHILD_CALL_PROC, EACCES);
    if (is_child()) {
        watch_for(SHORT_US);
        wait_in_vm();
    }
    says(&child, "it did not end 0");
}

Test(child_watch, without_a_thread_there_is_none) {
    hs_child_fail(HS_CHILD_CALL_THREAD, EAGAIN);
    if (is_child()) {
        enum hs_status status = hs_child_watch(&child, &progress, LONG_US, finish, NULL);
        say(&child, status == HS_NO_THREAD && child.error == EAGAIN ? "none" : "one");
    }
    says(&child, "none");
}

Test(child_watch, without_its_parent_it_ends) {
    if (is_child()) {
        watch_for(LONG_US);
        hs_child_fail(HS_CHILD_CALL_PARENT, ESRCH);
        wait_in_vm();
    }
    child = ends_as(&child, HS_CHILD_DIED);
    cr_assert_eq(WEXITSTATUS(child.status), 1);
}

static void return_only(void *context, bool has_ended) {
    (void)context;
    (void)has_ended;
}

Test(child_watch, a_finish_that_returns_does_not_go_on) {
    if (is_child()) {
        (void)hs_child_watch(&child, &progress, SHORT_US, return_only, NULL);
        wait_in_vm();
    }
    ends_as(&child, HS_CHILD_LATE);
}

Test(child_watch, without_room_it_ends) {
    if (is_child()) {
        child.least_room = UINT64_MAX;
        watch_for(LONG_US);
        for (;;) {
            call_back();
        }
    }
    ends_as(&child, HS_CHILD_NO_ROOM);
}

Test(child_watch, with_room_it_goes_on) {
    if (is_child()) {
        child.least_room = 1;
        watch_for(SHORT_US);
        (void)hs_child_enter(&progress);
        hs_child_leave(&progress);
        spin_us(LONG_US);
    }
    says(&child, "it did not end 0");
}

enum { FRAME_BYTES = 32768, THREADS = 8, THREAD_STACK = 1024 * 1024, PATTERN = 0x5a };
static unsigned char *volatile frames[THREADS];

static void *stay(void *number) {
    unsigned char frame[FRAME_BYTES];
    memset(frame, PATTERN, sizeof frame);
    frames[(intptr_t)number] = frame;
    while (!may_go) {
        (void)sched_yield();
    }
    return NULL;
}

static int changed_bytes(void) {
    int changed = 0;
    for (int i = 0; i < THREADS; i++) {
        for (int byte = 0; byte < FRAME_BYTES; byte++) {
            changed += frames[i][byte] != PATTERN ? 1 : 0;
        }
    }
    return changed;
}

/* A walk in the child reads the frames of the parent's threads: the watcher's stack is none of theirs. */
Test(child_watch, stacks_of_the_parents_threads_stay_as_they_were) {
    if (is_emulated()) {
        return;
    }
    pthread_t others[THREADS];
    pthread_attr_t attributes;
    (void)pthread_attr_init(&attributes);
    (void)pthread_attr_setstacksize(&attributes, THREAD_STACK);
    for (intptr_t i = 0; i < THREADS; i++) {
        cr_assert_eq(pthread_create(&others[i], &attributes, stay, (void *)i), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        while (frames[i] == NULL) {
            (void)sched_yield();
        }
    }
    if (is_child()) {
        char text[32];
        watch_for(LONG_US);
        spin_us(SHORT_US);
        (void)snprintf(text, sizeof text, "%d changed", changed_bytes());
        say(&child, text);
    }
    may_go = 1;
    for (int i = 0; i < THREADS; i++) {
        cr_assert_eq(pthread_join(others[i], NULL), 0);
    }
    (void)pthread_attr_destroy(&attributes);
    says(&child, "0 changed");
}
