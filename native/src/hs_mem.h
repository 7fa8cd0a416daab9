/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Memory: the only place that takes memory and gives it back: from malloc, and blocks of HS_MEM_LARGE and of a page
 * and more from the system, to which they return when they are freed.
 *
 * Counts every byte in use, refuses what would exceed the budget, and can be told to fail at the
 * n-th call, so that a test can walk every failure path. Nothing here is called from a callback in
 * the steady state. */
#ifndef HS_MEM_H
#define HS_MEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { HS_LINE = 64 }; /* bytes of a cache line */

#define HS_MEM_LARGE ((size_t)4 * 1024)

/* Budget of a process that never requested another one: 256 MiB. */
#define HS_MEM_DEFAULT_BUDGET ((size_t)256 << 20)

/* Zeroed memory of `bytes` bytes, aligned to 16; NULL without memory, or when the budget is used up.
 * Thread: Any. Owns: the caller, until hs_mem_free with the same size. */
void *hs_mem_new(size_t bytes);

/* Zeroed array of `count` elements; NULL also when the product overflows. As hs_mem_new. */
void *hs_mem_new_array(size_t count, size_t element_bytes);

/* The same, but it begins at a cache line. Takes a line more, and hs_mem_free_lines gives it back. */
void *hs_mem_new_lines(size_t bytes);
void hs_mem_free_lines(void *memory, size_t bytes);

/* Gives `bytes` bytes back; harmless for NULL. Thread: Any. */
void hs_mem_free(void *memory, size_t bytes);

/* Bytes in use now, and at their highest. Thread: Any. */
size_t hs_mem_used(void);
size_t hs_mem_peak(void);

/* Replaces the budget; what is in use stays. Thread: Any. */
void hs_mem_set_budget(size_t bytes);

/* Has the C library put together what all of this process, the VM too, has freed in small pieces, and give whole pages back. glibc
 * else does so when a thread wants a larger piece: some 0.15 us for each, in a pause too. Other C libraries are let be. It takes as
 * long now, and as long no other thread gets memory from the same arena. False, and nothing is done: more bytes than `most` are
 * free, of others too, or the C library has no such function. One that does not say how many there are (glibc until 2.32) does it
 * always. Thread: Any. */
bool hs_mem_join_freed(size_t most);

/* Test only: the n-th call from now fails (1 is the next); 0 ends it. Thread: Any. */
void hs_mem_fail_at(uint64_t n);

#endif
