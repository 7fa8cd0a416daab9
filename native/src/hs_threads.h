/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Threads that allocated: Java thread id and name as one number.
 *
 * A Java thread id is never used twice in a process. The name is the one the thread had when it was
 * first sampled. Number 0 is the thread "(other)". Names of threads have a table of their own, bounded
 * by the number of threads: a program may name threads without end, and must not use up the room of the
 * names of code by it. */
#ifndef HS_THREADS_H
#define HS_THREADS_H

#include <stdbool.h>

#include "hs_check.h"
#include "hs_ids.h"
#include "hs_names.h"

#define HS_THREAD_OTHER 0

typedef struct hs_threads hs_threads;

/* Owns: the caller frees. Fails: HS_NO_MEMORY, HS_INVALID. */
enum hs_status hs_threads_new(uint32_t max_threads, hs_threads **result);
void hs_threads_free(hs_threads *threads);

/* A number that no other table of the process has or had, above 0. Thread: Any. */
uint64_t hs_threads_serial(const hs_threads *threads);

/* The number of a thread, or HS_THREAD_OTHER if it was not met yet. Thread: Callback. */
struct hs_thread_id hs_threads_find(const hs_threads *threads, int64_t java_id);

/* Is the table full? Thread: Any. */
bool hs_threads_is_full(const hs_threads *threads);

/* Is half of the table used? Virtual threads take no more than that: a program may start thousands of them
 * in a second. Thread: Any. */
bool hs_threads_is_half_full(const hs_threads *threads);

/* Adds a thread, without a name. Thread: Callback. Fails: HS_FULL, HS_NO_MEMORY. */
enum hs_status hs_threads_put(hs_threads *threads, int64_t java_id, struct hs_thread_id *id);

/* The same, but fails with HS_FULL for a new thread when `limit` threads are there. */
enum hs_status hs_threads_put_within(hs_threads *threads, uint32_t limit, int64_t java_id,
                                     struct hs_thread_id *id);

/* Gives the thread of a number, one that hs_threads_put has answered, its name; the first name stays. Without
 * memory it stays nameless. Thread: Callback. */
void hs_threads_set_name(hs_threads *threads, struct hs_thread_id id, const char *text,
                         size_t bytes);

/* Java id (-1 for none) of a number. Thread: Any. */
int64_t hs_threads_java_id(const hs_threads *threads, struct hs_thread_id id);

/* The number of a thread's name. Thread: Any. */
struct hs_thread_name_id hs_threads_name(const hs_threads *threads, struct hs_thread_id id);

/* The bytes of such a name, not terminated; "" for none. Thread: Any. Owns: the table. */
const char *hs_threads_name_text(const hs_threads *threads, struct hs_thread_name_id name,
                                 uint32_t *bytes);

/* One more than the highest number given so far. Thread: Any. */
uint32_t hs_threads_end(const hs_threads *threads);

#ifdef HS_CHECKS
/* Are both tables valid, and has each name a thread? Thread: one that no other uses the table beside. */
bool hs_threads_is_valid(const hs_threads *threads);
#endif

#endif
