/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Threads that allocated: Java thread id and name as one number.
 *
 * A Java thread id is never used twice in a process. The name is the one the thread had when it was
 * first sampled. Number 0 is the thread "(other)". */
#ifndef HS_THREADS_H
#define HS_THREADS_H

#include <stdatomic.h>

#include "hs_intern.h"

#define HS_THREAD_OTHER 0

typedef struct hs_threads hs_threads;

/* Owns: the caller frees. Fails: HS_NO_MEMORY, HS_INVALID. */
enum hs_status hs_threads_new(uint32_t max_threads, hs_threads **result);
void hs_threads_free(hs_threads *threads);

/* The number of a thread, or 0 if it was not met yet. Thread: Callback. */
uint32_t hs_threads_find(const hs_threads *threads, int64_t java_id);

/* Adds a thread with its name. Thread: Callback. Fails: HS_FULL, HS_NO_MEMORY. */
enum hs_status hs_threads_put(hs_threads *threads, int64_t java_id, uint32_t name, uint32_t *id);

/* Java id (-1 for none) and name of a number. Thread: Any. */
int64_t hs_threads_java_id(const hs_threads *threads, uint32_t id);
uint32_t hs_threads_name(const hs_threads *threads, uint32_t id);

/* One more than the highest number given so far. Thread: Any. */
uint32_t hs_threads_end(const hs_threads *threads);

#endif
