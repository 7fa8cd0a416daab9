/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Assertions in three levels.
 *
 * HS_CHECK     cheap, in every build: a broken promise of our own; aborts with file and line.
 * HS_DCHECK    debug builds only (no NDEBUG): costs more than a compare.
 * HS_UNREACHABLE  a switch that has covered all values.
 *
 * Never for what a user, the VM or the machine can cause: that is a status. */
#ifndef HS_CHECK_H
#define HS_CHECK_H

#include <stdio.h>
#include <stdlib.h>

static inline _Noreturn void hs_check_failed(const char *file, int line, const char *what) {
    fprintf(stderr, "heapsampler: %s:%d: check failed: %s\n", file, line, what);
    abort();
}

#define HS_CHECK(condition) \
    ((condition) ? (void)0 : hs_check_failed(__FILE__, __LINE__, #condition))

#ifdef NDEBUG
#define HS_DCHECK(condition) ((void)sizeof(condition))
#else
#define HS_DCHECK(condition) HS_CHECK(condition)
#endif

#define HS_UNREACHABLE() hs_check_failed(__FILE__, __LINE__, "unreachable")

#endif
