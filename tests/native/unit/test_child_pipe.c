/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include <signal.h>
#include <unistd.h>

#include "child_under_test.h"

/* Answers that are whole, cut, too long, or none. */

TestSuite(child_pipe, .init = child_set_up);

/* Writes what hs_child_write would not. */
static void write_raw(const struct hs_child *child, const void *bytes, size_t count) {
    (void)(write(child->pipe[1], bytes, count) < 0);
}

Test(child_pipe, garbage_is_no_answer) {
    struct hs_child child;
    if (prepare_and_fork(&child) == HS_CHILD_CHILD) {
        char garbage[4000];
        memset(garbage, 0xa5, sizeof garbage);
        write_raw(&child, garbage, sizeof garbage);
        hang();
    }
    ends_as(&child, HS_CHILD_DIED);
}

Test(child_pipe, nothing_is_no_answer) {
    struct hs_child child;
    if (prepare_and_fork(&child) == HS_CHILD_CHILD) {
        _exit(0);
    }
    ends_as(&child, HS_CHILD_DIED);
}

/* Another process has the pipe as well, until this test ends. */
static pid_t fork_with_pipe(const struct hs_child *child) {
    pid_t other = fork();
    if (other == 0) {
        (void)close(child->pipe[0]);
        hang();
    }
    cr_assert_gt(other, 0);
    return other;
}

static void end_other(pid_t other) {
    (void)kill(other, SIGKILL);
    cr_assert_eq(waitpid(other, NULL, 0), other);
    nothing_is_left();
}

Test(child_pipe, an_answer_is_whole_though_another_process_has_the_pipe) {
    struct hs_child child;
    cr_assert_eq(hs_child_prepare(&child), HS_OK);
    pid_t other = fork_with_pipe(&child);
    if (hs_child_fork(&child) == HS_CHILD_CHILD) {
        say(&child, "an answer");
    }
    struct answer answer = read_answer(&child);
    cr_assert_eq(answer.end, HS_CHILD_ENDED);
    cr_assert_eq(answer.bytes.length, 9);
    hs_buffer_free(&answer.bytes);
    end_other(other);
}

Test(child_pipe, a_death_is_seen_though_another_process_has_the_pipe) {
    struct hs_child child;
    cr_assert_eq(hs_child_prepare(&child), HS_OK);
    pid_t other = fork_with_pipe(&child);
    if (hs_child_fork(&child) == HS_CHILD_CHILD) {
        _exit(7);
    }
    int64_t begin = hs_clock_monotonic_us();
    cr_assert_eq(read_answer(&child).end, HS_CHILD_DIED);
    cr_assert_lt(hs_clock_monotonic_us() - begin, CHILD_PATIENCE_US / 2);
    cr_assert_eq(WEXITSTATUS(child.status), 7);
    end_other(other);
}

/* What hs_child_write sends first, for the given number of bytes. */
static void begin_raw(const struct hs_child *child, uint64_t bytes) {
    const uint64_t header[4] = {UINT64_C(0x31444c4843534548), bytes, 0, 0};
    write_raw(child, header, sizeof header);
}

Test(child_pipe, half_an_answer_is_none) {
    struct hs_child child;
    if (prepare_and_fork(&child) == HS_CHILD_CHILD) {
        begin_raw(&child, 10);
        write_raw(&child, "12345", 5);
        _exit(0);
    }
    ends_as(&child, HS_CHILD_DIED);
}

Test(child_pipe, half_a_header_is_none) {
    struct hs_child child;
    if (prepare_and_fork(&child) == HS_CHILD_CHILD) {
        write_raw(&child, "12345", 5);
        _exit(0);
    }
    ends_as(&child, HS_CHILD_DIED);
}

Test(child_pipe, more_than_it_said_is_no_answer) {
    struct hs_child child;
    if (prepare_and_fork(&child) == HS_CHILD_CHILD) {
        char both[32 + 6] = "";
        const uint64_t header[4] = {UINT64_C(0x31444c4843534548), 5, 0, 0};
        memcpy(both, header, sizeof header);
        write_raw(&child, both, sizeof both);
        hang();
    }
    ends_as(&child, HS_CHILD_DIED);
}

Test(child_pipe, an_answer_of_the_most_bytes_is_read) {
    struct hs_child child;
    if (prepare_and_fork(&child) == HS_CHILD_CHILD) {
        say(&child, "12345");
    }
    struct answer answer = read_for(&child, CHILD_PATIENCE_US, 5);
    cr_assert_eq(answer.end, HS_CHILD_ENDED);
    hs_buffer_free(&answer.bytes);
    nothing_is_left();
}

Test(child_pipe, an_answer_of_one_more_is_too_much) {
    struct hs_child child;
    if (prepare_and_fork(&child) == HS_CHILD_CHILD) {
        say(&child, "123456");
    }
    cr_assert_eq(read_for(&child, CHILD_PATIENCE_US, 5).end, HS_CHILD_TOO_MUCH);
    nothing_is_left();
}

Test(child_pipe, endless_bytes_take_no_memory) {
    struct hs_child child;
    if (prepare_and_fork(&child) == HS_CHILD_CHILD) {
        begin_raw(&child, UINT64_MAX);
        for (;;) {
            begin_raw(&child, UINT64_MAX);
        }
    }
    ends_as(&child, HS_CHILD_TOO_MUCH);
    cr_assert_eq(hs_mem_peak(), memory_before);
}

Test(child_pipe, a_parent_without_memory_ends_it) {
    struct hs_child child;
    if (prepare_and_fork(&child) == HS_CHILD_CHILD) {
        say(&child, "12345");
    }
    hs_mem_fail_at(1);
    ends_as(&child, HS_CHILD_NO_MEMORY);
}

Test(child_pipe, a_child_without_memory_says_so_itself) {
    struct hs_child child;
    if (prepare_and_fork(&child) == HS_CHILD_CHILD) {
        hs_mem_set_budget(hs_mem_used() + 100000);
        say(&child, hs_mem_new(100001) == NULL && hs_mem_new(1000) != NULL ? "none" : "some");
    }
    says(&child, "none");
    hs_mem_free(hs_mem_new(1000000), 1000000);
}
