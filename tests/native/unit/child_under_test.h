/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* A child of a test: how it is made, and that nothing of it stays. In the child no assertion works: it says what it saw
 * through its pipe. */
#ifndef TEST_CHILD_UNDER_TEST_H
#define TEST_CHILD_UNDER_TEST_H

#include "hs_child.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "emulated.h"
#include "hs_clock.h"
#include "hs_mem.h"
#include "poll.h"

enum { CHILD_PATIENCE_US = 60000000, CHILD_MOST = 1 << 20 };

static int descriptors_before;
static int threads_before;
static size_t memory_before;

/* Entries of a folder. That of our descriptors has one more while it is read, each time. */
static inline int entries_of(const char *path) {
    int count = 0;
    DIR *folder = opendir(path);
    cr_assert_not_null(folder);
    // cppcheck-suppress readdirCalled ; the folder is no other thread's
    while (readdir(folder) != NULL) {
        count++;
    }
    (void)closedir(folder);
    return count;
}

static inline void child_set_up(void) {
    (void)alarm(300); /* nothing here may wait indefinitely */
    descriptors_before = entries_of("/proc/self/fd");
    threads_before = entries_of("/proc/self/task");
    memory_before = hs_mem_used();
}

static inline void nothing_is_left(void) {
    cr_assert_eq(entries_of("/proc/self/fd"), descriptors_before, "descriptors");
    /* One that is joined is still listed for a moment. */
    cr_assert(POLL(entries_of("/proc/self/task") == threads_before), "threads");
    cr_assert_eq(hs_mem_used(), memory_before, "memory");
    cr_assert_eq(waitpid(-1, NULL, WNOHANG), -1, "a process");
    cr_assert_eq(errno, ECHILD);
}

/* What hs_child_read returned. */
struct answer {
    enum hs_child_end end;
    struct hs_buffer bytes;
    int64_t cpu_us;
    uint64_t private_bytes;
};

static inline enum hs_child_side prepare_and_fork(struct hs_child *child) {
    cr_assert_eq(hs_child_prepare(child), HS_OK);
    return hs_child_fork(child);
}

static inline struct answer read_for(struct hs_child *child, int64_t most_us, size_t most_bytes) {
    struct answer answer = {.bytes = {.length = 0}};
    answer.end = hs_child_read(child, most_us, most_bytes, &answer.bytes, &answer.cpu_us,
                               &answer.private_bytes);
    cr_assert(answer.end == HS_CHILD_ENDED || answer.bytes.data == NULL);
    cr_assert_eq(child->pid, 0);
    hs_child_end(child);
    return answer;
}

static inline struct answer read_answer(struct hs_child *child) {
    return read_for(child, CHILD_PATIENCE_US, CHILD_MOST);
}

/* Reads, and nothing is left. */
static inline struct hs_child ends_as(struct hs_child *child, enum hs_child_end expected) {
    struct answer answer = read_answer(child);
    cr_assert_eq(answer.end, expected, "%d, status %x", (int)answer.end, (unsigned)child->status);
    hs_buffer_free(&answer.bytes);
    nothing_is_left();
    return *child;
}

static inline _Noreturn void hang(void) {
    for (;;) {
        (void)pause();
    }
}

/* The child answers with text. */
static inline _Noreturn void say(struct hs_child *child, const char *text) {
    hs_child_write(child, text, strlen(text));
}

static inline void says(struct hs_child *child, const char *expected) {
    char text[4096] = "";
    struct answer answer = read_answer(child);
    cr_assert_eq(answer.end, HS_CHILD_ENDED, "%d, status %x", (int)answer.end,
                 (unsigned)child->status);
    cr_assert_lt(answer.bytes.length, sizeof text);
    if (answer.bytes.length > 0) {
        memcpy(text, answer.bytes.data, answer.bytes.length);
    }
    hs_buffer_free(&answer.bytes);
    cr_assert_str_eq(text, expected);
    nothing_is_left();
}

#endif
