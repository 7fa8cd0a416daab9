/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* For tests of what hs_peek copies: they are skipped where the system does not allow it, as under qemu. */
#ifndef TEST_NEEDS_PEEK_H
#define TEST_NEEDS_PEEK_H

#include <criterion/criterion.h>

#include "hs_peek.h"

#define NEEDS_PEEK()                               \
    do {                                           \
        if (!hs_peek_is_allowed()) {               \
            cr_skip_test("the system forbids it"); \
        }                                          \
    } while (0)

#endif
