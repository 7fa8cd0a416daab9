/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Lets each call of hs_mem fail once: the first in the first round, the second in the second, until a
 * round comes through without a failure. After each round the memory must be back where it was. */
#ifndef FAULT_H
#define FAULT_H

#include <criterion/criterion.h>

#include "hs_mem.h"
#include "hs_status.h"

/* One round, cleaned up after itself: the first status that was not HS_OK, or HS_OK. */
typedef enum hs_status fault_round(void);

/* Has the failure that hs_mem_fail_at(n) announced come already? Ends it. */
static inline bool fault_has_struck(uint64_t n) {
    for (uint64_t i = 0; i < n; i++) {
        void *memory = hs_mem_new(8);
        if (memory == NULL) {
            hs_mem_fail_at(0);
            return false;
        }
        hs_mem_free(memory, 8);
    }
    hs_mem_fail_at(0);
    return true;
}

/* Answers the number of calls that failed. `may_succeed`: a round that lacks memory may still come
 * through, with less than it wanted; otherwise it must return HS_NO_MEMORY. */
static inline uint64_t fault_each(fault_round *round, bool may_succeed) {
    for (uint64_t n = 1;; n++) {
        size_t before = hs_mem_used();
        hs_mem_fail_at(n);
        enum hs_status status = round();
        bool has_struck = fault_has_struck(n);
        cr_assert_eq(hs_mem_used(), before, "call %d: memory was lost", (int)n);
        if (!has_struck) {
            cr_assert_eq(status, HS_OK);
            return n - 1;
        }
        cr_assert(status == HS_NO_MEMORY || (may_succeed && status == HS_OK), "call %d: status %d",
                  (int)n, (int)status);
        cr_assert_lt(n, 10000);
    }
}

#endif
