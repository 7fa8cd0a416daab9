/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_oom_file.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { STRANGER = 65534 };

/* What the end of a test removes lies in the folder, whatever has failed. */
static char folder[64];
static char path[128];
static char other[128];

static void set_up(void) {
    (void)alarm(100); /* nothing here may wait */
    (void)snprintf(folder, sizeof folder, "/tmp/hs-oom-file-XXXXXX");
    cr_assert_not_null(mkdtemp(folder));
    (void)snprintf(path, sizeof path, "%s/report.txt", folder);
    (void)snprintf(other, sizeof other, "%s/other", folder);
}

static void tear_down(void) {
    (void)alarm(0);
    (void)chmod(folder, 0700);
    (void)(unlink(path) != 0 && rmdir(path));
    (void)unlink(other);
    cr_assert_eq(rmdir(folder), 0);
}

TestSuite(oom_file, .init = set_up, .fini = tear_down);

static void write_file(const char *name, const char *text) {
    FILE *file = fopen(name, "w");
    cr_assert_not_null(file);
    cr_assert_geq(fputs(text, file), 0);
    cr_assert_eq(fclose(file), 0);
}

static long size_of(const char *name) {
    struct stat status;
    cr_assert_eq(stat(name, &status), 0);
    return (long)status.st_size;
}

/* And nothing has come of the question. */
static void is_said_to_open(void) {
    bool was_there = access(path, F_OK) == 0;
    long bytes = was_there ? size_of(path) : 0;
    const char *why = hs_oom_file_why_not(path);
    cr_assert_null(why, "%s", why);
    cr_assert_eq(access(path, F_OK) == 0, was_there);
    cr_assert(!was_there || size_of(path) == bytes);
}

static void opens(void) {
    is_said_to_open();
    const char *why = "not NULL";
    int file = hs_oom_file_open(path, &why);
    cr_assert_geq(file, 0, "%s", why);
    cr_assert_null(why);
    cr_assert_eq(fcntl(file, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
    cr_assert_eq(write(file, "new", 3), 3);
    cr_assert_eq(close(file), 0);
    cr_assert_eq(size_of(path), 3);
}

static void refuses_at(const char *where, const char *expected) {
    int next = dup(STDIN_FILENO);
    cr_assert_eq(close(next), 0);
    const char *why = hs_oom_file_why_not(where);
    cr_assert_not_null(why, "said early: %s", expected);
    cr_assert_str_eq(why, expected);
    why = NULL;
    cr_assert_eq(hs_oom_file_open(where, &why), -1);
    cr_assert_str_eq(why, expected);
    int same = dup(STDIN_FILENO);
    cr_assert_eq(same, next, "no descriptor is left open");
    cr_assert_eq(close(same), 0);
}

static void refuses(const char *expected) {
    refuses_at(path, expected);
}

Test(oom_file, a_new_file_is_for_its_user_alone) {
    struct stat status;
    opens();
    cr_assert_eq(stat(path, &status), 0);
    cr_assert_eq(status.st_mode & 0777, 0600);
}

Test(oom_file, a_file_of_ours_is_emptied) {
    write_file(path, "an older and longer report");
    opens();
}

Test(oom_file, a_symbolic_link_is_not_followed) {
    write_file(other, "precious");
    cr_assert_eq(symlink(other, path), 0);
    refuses("it is a symbolic link");
    cr_assert_eq(size_of(other), 8);
}

Test(oom_file, nor_one_that_leads_nowhere) {
    cr_assert_eq(symlink(other, path), 0);
    refuses("it is a symbolic link");
    cr_assert_neq(access(other, F_OK), 0);
}

Test(oom_file, a_file_with_a_second_name_is_left_alone) {
    write_file(other, "precious");
    cr_assert_eq(link(other, path), 0);
    refuses("it has another name, too (a hard link)");
    cr_assert_eq(size_of(other), 8);
}

Test(oom_file, a_pipe_without_a_reader_is_not_waited_for) {
    cr_assert_eq(mkfifo(path, 0600), 0);
    refuses("it is no regular file");
}

Test(oom_file, a_pipe_with_a_reader_is_not_written_to) {
    cr_assert_eq(mkfifo(path, 0600), 0);
    int reader = open(path, O_RDONLY | O_NONBLOCK);
    cr_assert_geq(reader, 0);
    refuses("it is no regular file");
    cr_assert_eq(close(reader), 0);
}

Test(oom_file, a_folder_is_no_file) {
    cr_assert_eq(mkdir(path, 0700), 0);
    refuses("it is no regular file");
}

Test(oom_file, a_device_is_no_file) {
    refuses_at("/dev/null", "it is no regular file");
}

Test(oom_file, without_a_folder_there_is_no_file) {
    (void)snprintf(other, sizeof other, "%s/missing/report.txt", folder);
    refuses_at(other, "its folder is not there");
    refuses_at("/dev/null/report.txt", "its folder is not there");
    refuses_at("/hs-oom-file-missing/report.txt", "its folder is not there");
}

Test(oom_file, the_root_is_a_folder_like_any_other) {
    const char *why = hs_oom_file_why_not("/hs-oom-file-missing");
    cr_assert(why == NULL || strcmp(why, "this process may not write it") == 0, "%s", why);
    refuses_at("/", "it is no regular file");
}

Test(oom_file, a_path_that_is_too_long_is_reported) {
    char long_path[PATH_MAX + 8];
    memset(long_path, 'x', sizeof long_path);
    long_path[0] = '/';
    long_path[sizeof long_path - 1] = '\0';
    refuses_at(long_path, "the system refuses to open it");
}

Test(oom_file, a_file_of_ours_that_is_read_only_is_reported) {
    write_file(path, "precious");
    cr_assert_eq(chmod(path, 0444), 0);
    cr_assert_eq(chmod(folder, 0777), 0);
    bool is_root = geteuid() == 0;
    cr_assert(!is_root || seteuid(STRANGER) == 0);
    refuses("this process may not write it");
    cr_assert(!is_root || seteuid(0) == 0);
    cr_assert_eq(size_of(path), 8);
}

/* Only root can give a file away. */
Test(oom_file, a_file_of_another_user_is_left_alone) {
    write_file(path, "bait");
    if (chown(path, STRANGER, (gid_t)-1) != 0) {
        cr_skip_test("needs root");
    }
    refuses("it belongs to another user");
    cr_assert_eq(size_of(path), 4);
}

/* No other user can have put one of root's there; so is /dev/termination-log in a container. */
Test(oom_file, a_file_of_roots_that_may_be_written_is_used) {
    write_file(path, "an older and longer report");
    cr_assert_eq(chmod(path, 0666), 0);
    cr_assert_eq(chmod(folder, 0755), 0);
    if (seteuid(STRANGER) != 0) {
        cr_skip_test("needs root");
    }
    opens();
    cr_assert_eq(seteuid(0), 0);
}

Test(oom_file, a_folder_that_may_not_be_written_is_reported) {
    cr_assert_eq(chmod(folder, 0555), 0);
    bool is_root = geteuid() == 0;
    cr_assert(!is_root || seteuid(STRANGER) == 0);
    refuses("this process may not write it");
    cr_assert(!is_root || seteuid(0) == 0);
}

/* ---- messages ---- */

static int swap_output(int file) {
    int before = dup(STDERR_FILENO);
    cr_assert_geq(before, 0);
    cr_assert_geq(dup2(file, STDERR_FILENO), 0);
    return before;
}

Test(oom_file, a_complaint_is_one_line_whatever_the_path) {
    static char long_path[5000];
    char said[8192];
    int ends[2];
    memset(long_path, 'x', sizeof long_path - 1);
    long_path[1] = '\n';
    cr_assert_eq(pipe(ends), 0);
    int before = swap_output(ends[1]);
    hs_oom_file_complain(long_path, "it is a symbolic link");
    (void)dup2(before, STDERR_FILENO);
    (void)close(ends[1]);
    ssize_t length = read(ends[0], said, sizeof said - 1);
    cr_assert_gt(length, 0);
    said[length] = '\0';
    cr_assert_eq(strchr(said, '\n') - said, length - 1);
    cr_assert_not_null(strstr(said, "in x?xxx"));
    cr_assert_not_null(strstr(said, ": it is a symbolic link. Name a file of this user's own, in a "
                                    "folder that others cannot write to.\n"));
    (void)close(ends[0]);
    (void)close(before);
}

/* An application whose output is not read. */
Test(oom_file, a_complaint_does_not_wait_for_a_reader) {
    static const char FILL[4096];
    int ends[2];
    cr_assert_eq(pipe(ends), 0);
    cr_assert_eq(fcntl(ends[1], F_SETFL, O_NONBLOCK), 0);
    while (write(ends[1], FILL, sizeof FILL) > 0) {
    }
    cr_assert_eq(fcntl(ends[1], F_SETFL, 0), 0);
    int before = swap_output(ends[1]);
    hs_oom_file_complain("/tmp/x", "it is a symbolic link");
    (void)dup2(before, STDERR_FILENO);
    (void)close(before);
    (void)close(ends[0]);
    (void)close(ends[1]);
}

Test(oom_file, without_an_output_nothing_is_said) {
    int before = dup(STDERR_FILENO);
    cr_assert_geq(before, 0);
    cr_assert_eq(close(STDERR_FILENO), 0);
    hs_oom_file_complain("/tmp/x", "it is a symbolic link");
    cr_assert_geq(dup2(before, STDERR_FILENO), 0);
    (void)close(before);
}
