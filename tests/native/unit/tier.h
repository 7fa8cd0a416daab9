/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* How often a test repeats itself. */
#ifndef HS_TEST_TIER_H
#define HS_TEST_TIER_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Returns whether this is `tests/run long`, which has time for all repetitions. */
static inline bool tier_is_long(void) {
    const char *text = getenv("HEAPSAMPLER_LONG");
    return text != NULL && strcmp(text, "true") == 0;
}

#endif
