/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "needs_peek.h"

enum { PAGE = 4096 };

Test(peek, copies_memory_that_is_there) {
    NEEDS_PEEK();
    char from[300];
    char to[300] = {0};
    memset(from, 7, sizeof from);
    cr_assert(hs_peek(getpid(), to, (uintptr_t)from, sizeof from));
    cr_assert_arr_eq(to, from, sizeof from);
}

Test(peek, returns_false_for_memory_that_is_not) {
    char to[PAGE];
    errno = 5;
    cr_assert_not(hs_peek(getpid(), to, 8, 1));
    cr_assert_not(hs_peek(getpid(), to, UINT64_MAX - 3, 8));
    cr_assert_not(hs_peek(getpid(), to, UINT64_C(1) << 62, 8));
    cr_assert_eq(errno, 5, "a callback leaves it as it was");
}

Test(peek, returns_false_where_a_part_is_missing) {
    char to[64];
    char *pages = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    cr_assert_neq(pages, MAP_FAILED);
    cr_assert_eq(munmap(pages + PAGE, PAGE), 0);
    cr_assert_not(hs_peek(getpid(), to, (uintptr_t)(pages + PAGE - 32), sizeof to));
    cr_assert_eq(munmap(pages, PAGE), 0);
}
