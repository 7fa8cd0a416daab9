/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Child: a fork of the process in the middle of something, which finishes it with a copy of the memory, and writes what
 * it found into a pipe. The parent goes on at once (doc/holders.md).
 *
 * Knows nothing of the VM. The child is a single thread in a process that had many: locks that others held at the fork
 * stay held in it. So it may hang; then the parent ends it at the deadline.
 *
 * What the child is, before hs_child_fork returns there: all descriptors but the pipe are closed; signal handlers are
 * the default ones, and none is blocked; oom_score_adj is 1000; it dies with its parent; it has the lowest priority, also of
 * input and output; it makes no core file; it is no target of the terminal. */
#ifndef HS_CHILD_H
#define HS_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "hs_buffer.h"
#include "hs_status.h"

struct hs_child {
    pid_t pid;    /* 0: there is none */
    int pipe[2];  /* -1: closed */
    int error;    /* errno of what failed */
};

/* Makes the pipe, so that later only the fork can fail. Thread: any. Fails: HS_NO_MEMORY, `error` says what. Afterwards
 * the caller must call hs_child_end. */
enum hs_status hs_child_prepare(struct hs_child *child);

enum hs_child_side { HS_CHILD_NONE, HS_CHILD_PARENT, HS_CHILD_CHILD };

/* Forks: returns on both sides. HS_CHILD_NONE: it could not, `error` says why. Thread: any; in the VM's thread, in a
 * pause, so nothing is taken or waited for but the fork itself. */
enum hs_child_side hs_child_fork(struct hs_child *child);

/* In the child: calls `finish` on a new thread as soon as the forking thread sleeps and `progress` has not changed for
 * 100 ms, which is when the work it was in has ended (it then waits in the VM for threads that are not there). `finish`
 * writes with hs_child_write, and leaves the process. Also after `most_us` from the fork. Fails: HS_NO_THREAD. */
enum hs_status hs_child_watch(struct hs_child *child, const uint64_t *progress, int64_t most_us,
                              void (*finish)(void *context, bool has_ended), void *context);

/* In the child: writes all of it, and leaves with _exit: 0, or 1 where the pipe has no reader. */
_Noreturn void hs_child_write(struct hs_child *child, const void *bytes, size_t count);

enum hs_child_end { HS_CHILD_ENDED, HS_CHILD_DIED, HS_CHILD_LATE, HS_CHILD_TOO_MUCH, HS_CHILD_NO_MEMORY };

/* In the parent: reads until the child closes the pipe or the time is over; then ends the child, if it still lives, and
 * waits for it. `most_bytes` bounds what is read. Afterwards there is no process, no zombie, no descriptor, whatever it returns.
 * `cpu_us`, `peak_bytes`: what it took (wait4). Thread: one that may wait. */
enum hs_child_end hs_child_read(struct hs_child *child, int64_t most_us, size_t most_bytes,
                                struct hs_buffer *bytes, int64_t *cpu_us, uint64_t *peak_bytes);

/* Gives back what is left, after each of the above. */
void hs_child_end(struct hs_child *child);

/* How much memory a child may take: the least of what the machine has available (/proc/meminfo, MemAvailable), what each
 * memory cgroup of the process leaves (v1 and v2, all levels), and RLIMIT_AS; SIZE_MAX where nothing bounds it or
 * nothing is known. `root`: "" but in tests. Thread: any; reads files. */
uint64_t hs_child_room(const char *root);

/* Is the memory at each of these addresses private to the process, so that a child has a copy of it? By
 * /proc/self/maps; false where that cannot be read, or an address lies in no mapping. `root`: "" but in tests. */
bool hs_child_has_copy(const char *root, const uintptr_t *addresses, uint32_t count);

#endif
