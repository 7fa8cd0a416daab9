/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Child: a fork of the process in the middle of something, which finishes it with a copy of the memory, and writes what
 * it found into a pipe. The parent goes on at once (doc/holders.md). Linux only.
 *
 * Knows nothing of the VM. The child is a single thread in a process that had many: locks that others held at the fork
 * stay held in it (not those of malloc: libc takes them before the fork). So it may hang; then the parent ends it at the
 * deadline.
 *
 * What the child is, before hs_child_fork returns there: it is killed when the thread that forked ends, or its process; all
 * descriptors but its own are closed, standard input and output too (its own: the pipe, two files of /proc); signal
 * handlers are the default ones, none is blocked, SIGPIPE is ignored; it has a process group of its own, so the terminal's
 * signals do not reach it; oom_score_adj is 1000; it is 10 nicer than the application (doc/holders.md says why not 19),
 * and idle for input and output; it ends when it writes into a file, and makes no core file; no other process of the user
 * can attach to it.
 *
 * What the application sees of it: one child process more, whose end gives a SIGCHLD. Where SIGCHLD is ignored, or
 * another waits for all children, hs_child_read knows no exit status, and relies on what came through the pipe. */
#ifndef HS_CHILD_H
#define HS_CHILD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "hs_buffer.h"
#include "hs_status.h"

struct hs_child {
    pid_t pid;    /* in the parent; 0: there is none */
    pid_t parent; /* in the child */
    int pipe[2];  /* -1: closed */
    int pidfd;    /* the same process, for a signal that cannot reach another one; -1: none */
    int error;    /* errno of what failed */
    int status;   /* as wait4 returned it; -1: not known */
    /* Where hs_child_room says less, the watcher ends the child: before the system does, which may end the application
     * with it. Set by the caller between hs_child_prepare and hs_child_watch; 0: it does not look. */
    uint64_t least_room;
};

/* Makes the pipe, so that later only the fork can fail. Thread: any. Fails: HS_NO_MEMORY, `error` says what; HS_BUSY while
 * an earlier child is still there, because the system could not end it. Afterwards the caller must call hs_child_end. */
enum hs_status hs_child_prepare(struct hs_child *child);

enum hs_child_side { HS_CHILD_NONE, HS_CHILD_PARENT, HS_CHILD_CHILD };

/* Forks: returns on both sides. HS_CHILD_NONE: it could not, `error` says why. Thread: any that lives as long as the
 * child may, such as the VM's, in a pause: nothing is taken or waited for but the fork itself, with what libc and others
 * have registered with pthread_atfork. */
enum hs_child_side hs_child_fork(struct hs_child *child);

/* How far the work in the child has come. The forking thread is in the VM's hands and calls back now and then: only
 * between hs_child_enter and hs_child_leave does it touch what `finish` reads.
 *
 * `steps`: odd inside a callback, even outside. Written by the forking thread alone; hs_child_leave stores with
 * release, the watcher loads with acquire: an even value that it sees gives it all that the callback wrote, and later
 * ones have not begun.
 * `is_over`: written by the watcher, once. It and the store of an odd value, each followed by a load of the other, are seq_cst:
 * either the watcher sees that a callback is inside, and waits for it, or the callback sees that it is over. */
struct hs_child_progress {
    _Atomic uint64_t steps;
    _Atomic bool is_over;
};

static inline void hs_child_leave(struct hs_child_progress *progress) {
    uint64_t steps = atomic_load_explicit(&progress->steps, memory_order_relaxed);
    atomic_store_explicit(&progress->steps, steps + 1, memory_order_release);
}

/* A callback begins. Returns false when it is over: then the callback touches nothing, and hs_child_leave is not called. */
static inline bool hs_child_enter(struct hs_child_progress *progress) {
    uint64_t steps = atomic_load_explicit(&progress->steps, memory_order_relaxed);
    atomic_store_explicit(&progress->steps, steps + 1, memory_order_seq_cst);
    if (!atomic_load_explicit(&progress->is_over, memory_order_seq_cst)) {
        return true;
    }
    hs_child_leave(progress);
    return false;
}

/* In the child, on the thread that forked: from now on a new thread, the watcher, calls `finish` once, when the work
 * has ended (`has_ended`), or `most_us` from now. The work has ended when for 100 ms no callback has been entered and the
 * thread that forked has waited for a condition (it then waits in the VM for threads that are not there). A thread that
 * waits for a lock does not look so, nor one that waits for the processor or for memory. Where /proc does not say, only
 * the time ends it.
 * When `finish` runs no callback is inside, and none is entered any more; it sees all that the callbacks and the caller
 * have written before. It leaves the process with hs_child_write. Where a callback does not leave within a second
 * after the time, the child ends without it. The watcher also ends a child whose parent is gone, or without room
 * (`least_room`), or whose thread has waited for a lock for a second: no thread is there to leave it.
 * `progress` is zeroed, stays, and is entered only after this call. Fails: HS_NO_THREAD. */
enum hs_status hs_child_watch(struct hs_child *child, struct hs_child_progress *progress,
                              int64_t most_us, void (*finish)(void *context, bool has_ended),
                              void *context);

/* In the child: writes all of it, and leaves with _exit: 0, or 1 where the pipe has no reader. Thread: any. */
_Noreturn void hs_child_write(struct hs_child *child, const void *bytes, size_t count);

enum hs_child_end {
    HS_CHILD_ENDED,     /* all that it wrote is there */
    HS_CHILD_DIED,      /* it ended before, or wrote something else; `status` */
    HS_CHILD_LATE,      /* the time was over first */
    HS_CHILD_TOO_MUCH,  /* it has more than `most_bytes` */
    HS_CHILD_NO_MEMORY, /* the parent has no memory for it */
    HS_CHILD_NO_ROOM,   /* there was less than `least_room` */
    HS_CHILD_LOCKED /* it waited for a lock that a thread of the parent had at the fork; the next one may do better */
};

/* In the parent: reads until all is there or the child or the time is over; then ends the child, if it still lives, and
 * waits for it. `bytes` is empty before; afterwards too, except after HS_CHILD_ENDED. With each result there is no process, no
 * zombie, no descriptor afterwards; but a process that the system does not end within a minute (it is in
 * uninterruptible sleep) is left for hs_child_prepare. Leave the child less time in hs_child_watch than here, so that it can
 * answer late. Thread: one that may wait; it may be interrupted by signals.
 * `cpu_us`, `private_bytes`: its processor time, and the memory that it had alone at its end; 0: not known. */
enum hs_child_end hs_child_read(struct hs_child *child, int64_t most_us, size_t most_bytes,
                                struct hs_buffer *bytes, int64_t *cpu_us, uint64_t *private_bytes);

/* In the parent: closes the pipe, and ends the child, after each of the above. A second call does nothing. */
void hs_child_end(struct hs_child *child);

/* Test only: calls of this kind fail with this errno until it is 0. Thread: any. */
enum hs_child_call {
    HS_CHILD_CALL_PIPE,
    HS_CHILD_CALL_FORK,
    HS_CHILD_CALL_THREAD,
    HS_CHILD_CALL_CLOSE_RANGE,
    HS_CHILD_CALL_PROC, /* each file of /proc/self that a child opens */
    HS_CHILD_CALL_PIDFD,
    HS_CHILD_CALL_PARENT, /* the child finds its parent gone */
    HS_CHILD_CALL_WAIT,   /* the system does not end a child */
    HS_CHILD_CALL_COUNT
};
void hs_child_fail(enum hs_child_call call, int error);

#endif
