/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Peek: copies memory of this process that other code owns, and that may not be there any more.
 *
 * The kernel copies it (process_vm_readv), so a wrong address is an answer and not a signal. It is a system call: 2 to 3
 * microseconds on a slow virtual machine, less elsewhere. It takes no lock of ours and allocates nothing. A seccomp
 * filter may forbid it; then nothing can be copied.
 *
 * `process`: the number of this process, getpid(). Thread: any, also Callback. */
#ifndef HS_PEEK_H
#define HS_PEEK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Copies all `bytes` bytes, and returns whether they were there. Else `to` has any part of them. */
bool hs_peek(int process, void *to, uint64_t from, size_t bytes);

/* Does this system allow it? Thread: any. */
bool hs_peek_is_allowed(void);

#endif
