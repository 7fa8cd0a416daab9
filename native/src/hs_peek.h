/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Peek: copies memory of this process that other code owns, and that may not be there any more.
 *
 * The kernel copies it (process_vm_readv), so a wrong address is an answer and not a signal. It is a system call: 2 to 3
 * microseconds on a slow virtual machine, less elsewhere. It takes no lock of ours and allocates nothing. A seccomp
 * filter may forbid it, and may even end the process that makes the call; then nothing can be copied.
 *
 * `process`: the number of this process, getpid(). Thread: any, also Callback. */
#ifndef HS_PEEK_H
#define HS_PEEK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Copies all `bytes` bytes, and returns whether they were there. Else `to` has any part of them. */
bool hs_peek(int process, void *to, uint64_t from, size_t bytes);

/* Does this system allow it? To be called before the first hs_peek. Where the process has a seccomp filter, a fork of it tries
 * first, once; its end gives no signal, and only a wait for clones sees it. Thread: any but Callback. */
bool hs_peek_is_allowed(void);

#endif
