/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_proc.h"

#include <criterion/criterion.h>
#include <errno.h>

#include "files_under.h"

TestSuite(proc, .init = files_set_up, .fini = files_tear_down);

static struct hs_proc proc;

static void opens(const char *text) {
    file_has("/proc/file", text);
    cr_assert(hs_proc_open(&proc, files_root, "/proc/file"));
}

static void next_is(const char *expected) {
    const char *line = hs_proc_next(&proc);
    cr_assert_not_null(line);
    cr_assert_str_eq(line, expected);
}

static void ends(void) {
    cr_assert_null(hs_proc_next(&proc));
    cr_assert_null(hs_proc_next(&proc));
    hs_proc_close(&proc);
    cr_assert_eq(proc.file, -1);
}

Test(proc, lines_come_one_by_one) {
    opens("one\n\nthree\n");
    next_is("one");
    next_is("");
    next_is("three");
    ends();
}

Test(proc, the_last_line_may_have_no_end) {
    opens("one\ntwo");
    next_is("one");
    next_is("two");
    ends();
}

Test(proc, an_empty_file_has_no_line) {
    opens("");
    ends();
}

Test(proc, lines_lie_across_blocks) {
    char text[100 * 1000] = "";
    size_t length = 0;
    for (int i = 0; i < 5000; i++) {
        length += (size_t)sprintf(text + length, "line %d %.*s\n", i, i % 7, "abcdefg");
    }
    opens(text);
    for (int i = 0; i < 5000; i++) {
        char expected[64];
        (void)sprintf(expected, "line %d %.*s", i, i % 7, "abcdefg");
        next_is(expected);
    }
    ends();
}

/* Of each length around a block, with a line before and after. */
Test(proc, a_long_line_is_cut) {
    static char text[3 * HS_PROC_BLOCK];
    for (size_t bytes = HS_PROC_BLOCK - 4; bytes < 2 * HS_PROC_BLOCK + 4;
         bytes += bytes == HS_PROC_BLOCK + 4 ? HS_PROC_BLOCK - 8 : 1) {
        memcpy(text, "first\n", 6);
        memset(text + 6, 'x', bytes);
        memcpy(text + 6 + bytes, "\nlast\n", 7);
        opens(text);
        next_is("first");
        const char *line = hs_proc_next(&proc);
        cr_assert_not_null(line);
        size_t expected = bytes < HS_PROC_BLOCK - 1 ? bytes : HS_PROC_BLOCK - 1;
        cr_assert_eq(strlen(line), expected, "%zu of %zu", strlen(line), bytes);
        next_is("last");
        ends();
    }
}

Test(proc, a_long_line_may_be_the_last) {
    static char text[2 * HS_PROC_BLOCK];
    memset(text, 'x', sizeof text - 1);
    opens(text);
    const char *line = hs_proc_next(&proc);
    cr_assert_not_null(line);
    cr_assert_eq(strlen(line), HS_PROC_BLOCK - 1);
    ends();
}

Test(proc, a_file_that_is_not_there_is_said) {
    cr_assert_not(hs_proc_open(&proc, files_root, "/proc/none"));
    cr_assert_eq(errno, ENOENT);
    hs_proc_close(&proc);
}

Test(proc, a_path_may_be_too_long) {
    char path[5000];
    memset(path, 'x', sizeof path - 1);
    path[sizeof path - 1] = '\0';
    cr_assert_not(hs_proc_open(&proc, "/", path));
    cr_assert_eq(errno, ENAMETOOLONG);
}

Test(proc, a_folder_has_no_lines) {
    cr_assert(hs_proc_open(&proc, "", "/proc"));
    ends();
}

static void number_is(const char *text, bool is_one, uint64_t expected) {
    uint64_t value = 7;
    file_has("/proc/number", text);
    cr_assert_eq(hs_proc_number(files_root, "/proc/number", &value), is_one, "%s", text);
    cr_assert_eq(value, is_one ? expected : 7, "%s", text);
}

Test(proc, numbers_are_read) {
    number_is("42\n", true, 42);
    number_is("0", true, 0);
    number_is("max\n", true, UINT64_MAX);
    number_is("18446744073709551616\n", true, UINT64_MAX);
    number_is("", false, 0);
    number_is("none\n", false, 0);
    number_is("-1\n", false, 0);
    uint64_t value = 7;
    cr_assert_not(hs_proc_number(files_root, "/proc/none", &value));
    cr_assert_eq(value, 7);
}

static void value_is(const char *line, const char *key, bool is_there, uint64_t expected) {
    uint64_t value = 7;
    cr_assert_eq(hs_proc_value(line, key, &value), is_there, "%s", line);
    cr_assert_eq(value, is_there ? expected : 7, "%s", line);
}

Test(proc, values_follow_their_keys) {
    value_is("MemAvailable:    1234 kB", "MemAvailable", true, 1234);
    value_is("inactive_file 99", "inactive_file", true, 99);
    value_is("VmSize:\t  17 kB", "VmSize", true, 17);
    value_is("inactive_files 99", "inactive_file", false, 0);
    value_is("total_inactive_file 99", "inactive_file", false, 0);
    value_is("Max address space         unlimited            unlimited            bytes",
             "Max address space", false, 0);
    value_is("Max address space         5000                 unlimited            bytes",
             "Max address space", true, 5000);
    value_is("MemAvailable:", "MemAvailable", false, 0);
    value_is("", "MemAvailable", false, 0);
}
