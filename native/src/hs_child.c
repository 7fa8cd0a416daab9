/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "hs_child_parts.h"
#include "hs_clock.h"

/* Newer than some headers; the same numbers on all our processors. */
enum { CALL_PIDFD_SEND_SIGNAL = 424, CALL_PIDFD_OPEN = 434 };

enum {
    EXIT_US = 1000000, /* for a child that has answered */
    SLICE_MS = 20,     /* how long the reader waits without looking for the child */
    END_US = 60000000  /* for the system to end a process */
};

/* Relaxed: set before the test begins. */
static _Atomic int failures[HS_CHILD_CALL_COUNT];

/* A child that did not end in time. Relaxed: one caller at a time. */
static _Atomic pid_t left_behind;

void hs_child_fail(enum hs_child_call call, int error) {
    atomic_store_explicit(&failures[call], error, memory_order_relaxed);
}

bool hs_child_fails(enum hs_child_call call) {
    int error = atomic_load_explicit(&failures[call], memory_order_relaxed);
    if (error != 0) {
        errno = error;
    }
    return error != 0;
}

static void close_at(int *file) {
    if (*file >= 0) {
        (void)close(*file);
        *file = -1;
    }
}

enum hs_status hs_child_prepare(struct hs_child *child) {
    int ends[2];
    *child = (struct hs_child){.pipe = {-1, -1}, .pidfd = -1, .status = -1};
    pid_t left = atomic_load_explicit(&left_behind, memory_order_relaxed);
    if (left != 0 &&
        (hs_child_fails(HS_CHILD_CALL_WAIT) || wait4(left, NULL, WNOHANG, NULL) == 0)) {
        child->error = EBUSY;
        return HS_BUSY;
    }
    atomic_store_explicit(&left_behind, 0, memory_order_relaxed);
    if (hs_child_fails(HS_CHILD_CALL_PIPE) || pipe2(ends, O_CLOEXEC) != 0) {
        child->error = errno;
        return HS_NO_MEMORY;
    }
    (void)fcntl(ends[0], F_SETFL, O_NONBLOCK);
    child->pipe[0] = ends[0];
    child->pipe[1] = ends[1];
    return HS_OK;
}

/* Signals stay away from the child until it has no handlers of the application's. */
enum hs_child_side hs_child_fork(struct hs_child *child) {
    sigset_t all;
    sigset_t old;
    pid_t parent = getpid();
    sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &old);
    pid_t pid = hs_child_fails(HS_CHILD_CALL_FORK) ? -1 : fork();
    if (pid == 0) {
        hs_child_become(child, parent);
        return HS_CHILD_CHILD;
    }
    int error = errno;
    if (pid > 0 && !hs_child_fails(HS_CHILD_CALL_PIDFD)) {
        child->pidfd = (int)syscall(CALL_PIDFD_OPEN, pid, 0);
    }
    (void)pthread_sigmask(SIG_SETMASK, &old, NULL);
    close_at(&child->pipe[1]);
    if (pid < 0) {
        child->error = error;
        return HS_CHILD_NONE;
    }
    child->pid = pid;
    return HS_CHILD_PARENT;
}

struct reading {
    struct hs_child *child;
    struct hs_buffer *bytes;
    size_t most_bytes;
    struct hs_child_header header;
    size_t header_count; /* bytes of it that are there */
    struct rusage usage;
};

/* Returns whether the child has ended; then there is no zombie any more. */
static bool has_gone(struct reading *reading) {
    struct hs_child *child = reading->child;
    int status = -1;
    pid_t pid;
    if (child->pid == 0 || hs_child_fails(HS_CHILD_CALL_WAIT)) {
        return child->pid == 0;
    }
    do {
        pid = wait4(child->pid, &status, WNOHANG, &reading->usage);
    } while (pid < 0 && errno == EINTR);
    if (pid == 0) {
        return false;
    }
    child->status = pid < 0 ? -1 : status; /* ECHILD: another has waited for it */
    child->pid = 0;
    return true;
}

static bool is_all(const struct reading *reading) {
    return reading->header_count == sizeof reading->header &&
           reading->bytes->length == reading->header.bytes;
}

/* Adds what came. HS_CHILD_ENDED: so far it is right. */
static enum hs_child_end take(struct reading *reading, const char *from, size_t count) {
    size_t missing = sizeof reading->header - reading->header_count;
    size_t part = count < missing ? count : missing;
    memcpy((char *)&reading->header + reading->header_count, from, part);
    reading->header_count += part;
    if (part == missing && missing > 0) { /* it is there now */
        if (reading->header.magic != HS_CHILD_MAGIC) {
            return HS_CHILD_DIED;
        }
        if (reading->header.bytes > reading->most_bytes) {
            return HS_CHILD_TOO_MUCH;
        }
        hs_buffer_expect(reading->bytes, (size_t)reading->header.bytes);
    }
    if (count - part > reading->header.bytes - reading->bytes->length) {
        return HS_CHILD_DIED;
    }
    hs_buffer_bytes(reading->bytes, from + part, count - part);
    return reading->bytes->has_failed ? HS_CHILD_NO_MEMORY : HS_CHILD_ENDED;
}

/* Reads all that has come. `*is_end`: nothing more will come. */
static enum hs_child_end take_all(struct reading *reading, bool *is_end) {
    char bytes[16 * 1024];
    enum hs_child_end so_far = HS_CHILD_ENDED;
    ssize_t count = 1;
    while (so_far == HS_CHILD_ENDED && !is_all(reading) && count > 0) {
        do {
            count = read(reading->child->pipe[0], bytes, sizeof bytes);
        } while (count < 0 && errno == EINTR);
        if (count > 0) {
            so_far = take(reading, bytes, (size_t)count);
        }
    }
    *is_end = count == 0 || (count < 0 && errno != EAGAIN);
    return so_far;
}

/* Another process may have the pipe as well, by a fork of its own without an exec, so its end alone is not waited for. */
static enum hs_child_end receive(struct reading *reading, int64_t end_us) {
    struct pollfd pipe = {.fd = reading->child->pipe[0], .events = POLLIN};
    for (;;) {
        bool is_last = has_gone(reading);
        bool is_end = false;
        enum hs_child_end so_far = take_all(reading, &is_end);
        if (so_far != HS_CHILD_ENDED || is_all(reading)) {
            return so_far;
        }
        if (is_last || is_end) {
            return HS_CHILD_DIED;
        }
        int64_t left_us = end_us - hs_clock_monotonic_us();
        if (left_us <= 0) {
            return HS_CHILD_LATE;
        }
        int slice_ms = left_us / 1000 < SLICE_MS ? (int)(left_us / 1000) + 1 : SLICE_MS;
        (void)poll(&pipe, 1, slice_ms);
    }
}

static void kill_it(const struct hs_child *child) {
    if (child->pidfd < 0 || syscall(CALL_PIDFD_SEND_SIGNAL, child->pidfd, SIGKILL, NULL, 0) != 0) {
        (void)kill(child->pid, SIGKILL);
    }
}

/* Waits until the child has gone. Returns whether it has, before this time. */
static bool await_gone(struct reading *reading, int64_t end_us) {
    for (long wait_us = 50; !has_gone(reading); wait_us = wait_us < 10000 ? wait_us * 2 : wait_us) {
        const struct timespec time = {.tv_nsec = wait_us * 1000};
        if (hs_clock_monotonic_us() >= end_us || hs_child_fails(HS_CHILD_CALL_WAIT)) {
            return false;
        }
        (void)nanosleep(&time, NULL);
    }
    return true;
}

/* Leaves no process behind, and no descriptor. The child may take `patience_us` to end itself. */
static void end(struct reading *reading, int64_t patience_us) {
    struct hs_child *child = reading->child;
    int64_t now_us = hs_clock_monotonic_us();
    close_at(&child->pipe[0]);
    close_at(&child->pipe[1]);
    if (!await_gone(reading, now_us + patience_us)) {
        kill_it(child);
    }
    if (!await_gone(reading, now_us + patience_us + END_US)) {
        atomic_store_explicit(&left_behind, child->pid, memory_order_relaxed);
        child->pid = 0;
    }
    close_at(&child->pidfd);
}

static int64_t us_of(struct timeval time) {
    return (int64_t)time.tv_sec * 1000000 + time.tv_usec;
}

/* Why it ended without an answer. */
static enum hs_child_end reason_of(const struct hs_child *child) {
    int status = child->status;
    switch (status >= 0 && WIFEXITED(status) ? WEXITSTATUS(status) : HS_CHILD_EXIT_DONE) {
    case HS_CHILD_EXIT_STUCK: return HS_CHILD_LATE;
    case HS_CHILD_EXIT_NO_ROOM: return HS_CHILD_NO_ROOM;
    default: return HS_CHILD_DIED;
    }
}

enum hs_child_end hs_child_read(struct hs_child *child, int64_t most_us, size_t most_bytes,
                                struct hs_buffer *bytes, int64_t *cpu_us, uint64_t *private_bytes) {
    struct reading reading = {.child = child, .bytes = bytes, .most_bytes = most_bytes};
    enum hs_child_end result =
        child->pid == 0 ? HS_CHILD_DIED : receive(&reading, hs_clock_monotonic_us() + most_us);
    end(&reading, result == HS_CHILD_ENDED ? EXIT_US : 0);
    result = result == HS_CHILD_DIED ? reason_of(child) : result;
    if (result != HS_CHILD_ENDED) {
        hs_buffer_free(bytes);
    }
    *cpu_us = us_of(reading.usage.ru_utime) + us_of(reading.usage.ru_stime);
    *private_bytes = 0;
    if (result == HS_CHILD_ENDED) {
        *cpu_us = *cpu_us > reading.header.cpu_us ? *cpu_us : reading.header.cpu_us;
        *private_bytes = reading.header.private_bytes;
    }
    return result;
}

void hs_child_end(struct hs_child *child) {
    struct reading reading = {.child = child};
    end(&reading, 0);
}
