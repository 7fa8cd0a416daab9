/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Assertions in three levels.
 *
 * HS_CHECK     cheap, in every build: a broken promise of our own; aborts with file and line.
 * HS_DCHECK    where HS_CHECKS is defined: in debug builds (no NDEBUG) and in those that build the tests. What another
 *              function of ours relies on; never in the library that is shipped. There hs_X_is_valid() is
 *              there as well: it walks a whole table, and returns false when an invariant of it is broken.
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

#if !defined(NDEBUG) && !defined(HS_CHECKS)
#define HS_CHECKS
#endif

#ifdef HS_CHECKS
#define HS_DCHECK(condition) HS_CHECK(condition)
#else
#define HS_DCHECK(condition) ((void)sizeof(condition))
#endif

#define HS_UNREACHABLE() hs_check_failed(__FILE__, __LINE__, "unreachable")

#endif
