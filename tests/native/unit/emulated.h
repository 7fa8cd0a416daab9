/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

#ifndef TEST_EMULATED_H
#define TEST_EMULATED_H

#include <criterion/criterion.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* In qemu-user, in which tests of other processors run, threads have no state in /proc, some limits and options of processes
 * do nothing, and a child of a process with several threads cannot make one. Seen by the first. */
static inline bool is_emulated(void) {
    char text[256] = "";
    FILE *file = fopen("/proc/self/stat", "re");
    cr_assert_not_null(file);
    (void)!fgets(text, sizeof text, file);
    (void)fclose(file);
    return strstr(text, ") R ") == NULL;
}

#endif
