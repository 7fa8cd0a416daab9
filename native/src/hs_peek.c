/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_peek.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

/* Not the function of glibc, which began with 2.15. */
bool hs_peek(int process, void *to, uint64_t from, size_t bytes) {
    struct iovec local = {.iov_base = to, .iov_len = bytes};
    struct iovec remote = {.iov_base = (void *)(uintptr_t)from, .iov_len = bytes};
    int saved = errno;
    long copied = syscall(SYS_process_vm_readv, (long)process, &local, 1UL, &remote, 1UL, 0UL);
    errno = saved;
    return copied >= 0 && (size_t)copied == bytes;
}

static bool copies_own(void) {
    const char there = 1;
    char copy = 0;
    return hs_peek((int)getpid(), &copy, (uintptr_t)&there, 1) && copy == there;
}

/* ---- where there is a filter ---- */

/* In the child. It leaves no core file of all this memory behind. */
static void try_in_child(_Atomic bool *copies) {
    (void)prctl(PR_SET_DUMPABLE, 0UL, 0UL, 0UL, 0UL);
    atomic_store_explicit(copies, copies_own(), memory_order_release);
    (void)syscall(SYS_exit_group, 0L);
}

/* A fork without a signal at its end: no code of the application waits for it, or sees it. */
static bool child_copies(_Atomic bool *copies) {
    sigset_t all;
    sigset_t old;
    sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &old);
    long child = syscall(SYS_clone, 0UL, 0UL, 0UL, 0UL, 0UL);
    if (child == 0) {
        try_in_child(copies);
    }
    (void)pthread_sigmask(SIG_SETMASK, &old, NULL);
    while (child > 0 && waitpid((pid_t)child, NULL, __WALL) < 0 && errno == EINTR) {
    }
    return child > 0 && atomic_load_explicit(copies, memory_order_acquire);
}

/* A filter may end the process that makes the call, so a copy of this one makes it first. */
static bool filter_allows(void) {
    _Atomic bool *copies =
        mmap(NULL, sizeof *copies, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (copies == MAP_FAILED) {
        return false;
    }
    bool result = child_copies(copies);
    (void)munmap((void *)copies, sizeof *copies);
    return result;
}

bool hs_peek_is_allowed(void) {
    enum { UNKNOWN, ALLOWED, FORBIDDEN };
    static _Atomic int known; /* of filters; relaxed: threads that ask at once all find out */
    if (prctl(PR_GET_SECCOMP, 0UL, 0UL, 0UL, 0UL) <= 0) {
        return copies_own();
    }
    if (atomic_load_explicit(&known, memory_order_relaxed) == UNKNOWN) {
        atomic_store_explicit(&known, filter_allows() ? ALLOWED : FORBIDDEN, memory_order_relaxed);
    }
    return atomic_load_explicit(&known, memory_order_relaxed) == ALLOWED;
}
