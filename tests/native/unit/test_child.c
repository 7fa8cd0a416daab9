/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include "child_under_test.h"
#include "poll.h"

TestSuite(child, .init = child_set_up);

Test(child, a_child_answers_with_its_copy_of_the_memory) {
    struct hs_child child;
    char text[] = "before";
    if (prepare_and_fork(&child) == HS_CHILD_CHILD) {
        text[0] = 'B';
        say(&child, text);
    }
    says(&child, "Before");
    cr_assert_str_eq(text, "before");
    cr_assert(WIFEXITED(child.status) && WEXITSTATUS(child.status) == 0);
}

Test(child, an_answer_may_be_empty) {
    struct hs_child child;
    if (prepare_and_fork(&child) == HS_CHILD_CHILD) {
        say(&child, "");
    }
    says(&child, "");
}

enum { LARGE = 3000000 }; /* more than a pipe takes */

static unsigned char *new_pattern(void) {
    unsigned char *bytes = malloc(LARGE);
    cr_assert_not_null(bytes);
    for (int i = 0; i < LARGE; i++) {
        bytes[i] = (unsigned char)(i * 7 + i / 251);
    }
    return bytes;
}

static void is_pattern(struct hs_child *child, const unsigned char *pattern) {
    struct answer answer = read_for(child, CHILD_PATIENCE_US, LARGE);
    cr_assert_eq(answer.end, HS_CHILD_ENDED);
    cr_assert_eq(answer.bytes.length, LARGE);
    cr_assert_eq(memcmp(answer.bytes.data, pattern, LARGE), 0);
    hs_buffer_free(&answer.bytes);
    nothing_is_left();
}

Test(child, a_large_answer_comes_whole) {
    struct hs_child child;
    unsigned char *pattern = new_pattern();
    if (prepare_and_fork(&child) == HS_CHILD_CHILD) {
        hs_child_write(&child, pattern, LARGE);
    }
    is_pattern(&child, pattern);
    free(pattern);
}

static void tick(int signal) {
    (void)signal;
}

Test(child, signals_do_not_disturb_the_reader) {
    const struct sigaction on_tick = {.sa_handler = tick}; /* no SA_RESTART: EINTR everywhere */
    const struct itimerval often = {{0, 200}, {0, 200}};
    const struct itimerval never = {{0, 0}, {0, 0}};
    struct hs_child child;
    unsigned char *pattern = new_pattern();
    (void)sigaction(SIGALRM, &on_tick, NULL);
    (void)setitimer(ITIMER_REAL, &often, NULL);
    if (prepare_and_fork(&child) == HS_CHILD_CHILD) {
        (void)poll(NULL, 0, 20);
        hs_child_write(&child, pattern, LARGE);
    }
    is_pattern(&child, pattern);
    (void)setitimer(ITIMER_REAL, &never, NULL);
    free(pattern);
}

Test(child, reports_time_and_memory_of_its_own) {
    enum { OWN = 32 << 20 };
    struct hs_child child;
    if (prepare_and_fork(&child) == HS_CHILD_CHILD) {
        char *memory = malloc(OWN);
        if (memory != NULL) {
            memset(memory, 1, OWN);
        }
        int64_t end = hs_clock_ns(CLOCK_PROCESS_CPUTIME_ID) + 50000000;
        while (hs_clock_ns(CLOCK_PROCESS_CPUTIME_ID) < end) {
        }
        say(&child, "");
    }
    struct answer answer = read_answer(&child);
    cr_assert_eq(answer.end, HS_CHILD_ENDED);
    cr_assert_geq(answer.cpu_us, 50000);
    cr_assert(answer.private_bytes == 0 || answer.private_bytes >= OWN);
    cr_assert_lt(answer.private_bytes, 4u * OWN);
    hs_buffer_free(&answer.bytes);
    nothing_is_left();
}

/* --- Failures ------------------------------------------------------------------------------------- */

Test(child, without_a_pipe_there_is_none) {
    struct hs_child child;
    hs_child_fail(HS_CHILD_CALL_PIPE, EMFILE);
    cr_assert_eq(hs_child_prepare(&child), HS_NO_MEMORY);
    cr_assert_eq(child.error, EMFILE);
    hs_child_end(&child);
    nothing_is_left();
}

Test(child, without_a_fork_there_is_none) {
    struct hs_child child;
    hs_child_fail(HS_CHILD_CALL_FORK, EAGAIN);
    cr_assert_eq(prepare_and_fork(&child), HS_CHILD_NONE);
    cr_assert_eq(child.error, EAGAIN);
    ends_as(&child, HS_CHILD_DIED);
}

Test(child, what_is_only_prepared_is_given_back) {
    struct hs_child child;
    cr_assert_eq(hs_child_prepare(&child), HS_OK);
    hs_child_end(&child);
    nothing_is_left();
    hs_child_end(&child);
    nothing_is_left();
}

Test(child, one_that_is_not_read_is_ended) {
    struct hs_child child;
    if (prepare_and_fork(&child) == HS_CHILD_CHILD) {
        hang();
    }
    hs_child_end(&child);
    nothing_is_left();
    cr_assert(WIFSIGNALED(child.status) && WTERMSIG(child.status) == SIGKILL);
}

Test(child, one_that_is_killed_has_died) {
    struct hs_child child;
    if (prepare_and_fork(&child) == HS_CHILD_CHILD) {
        hang();
    }
    cr_assert_eq(kill(child.pid, SIGKILL), 0);
    child = ends_as(&child, HS_CHILD_DIED);
    cr_assert(WIFSIGNALED(child.status) && WTERMSIG(child.status) == SIGKILL);
}

Test(child, one_that_crashes_has_died_quietly) {
    struct hs_child child;
    if (prepare_and_fork(&child) == HS_CHILD_CHILD) {
        *(volatile int *)16 = 1;
    }
    child = ends_as(&child, HS_CHILD_DIED);
    cr_assert(WIFSIGNALED(child.status) && !WCOREDUMP(child.status));
}

Test(child, one_that_hangs_is_late) {
    struct hs_child child;
    if (prepare_and_fork(&child) == HS_CHILD_CHILD) {
        hang();
    }
    int64_t begin = hs_clock_monotonic_us();
    struct answer answer = read_for(&child, 100000, CHILD_MOST);
    cr_assert_eq(answer.end, HS_CHILD_LATE);
    cr_assert_geq(hs_clock_monotonic_us() - begin, 100000);
    nothing_is_left();
}

static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;
static _Atomic int is_held;
static _Atomic int may_go;

static void *hold_it(void *unused) {
    (void)unused;
    (void)pthread_mutex_lock(&held);
    is_held = 1;
    (void)POLL(may_go);
    (void)pthread_mutex_unlock(&held);
    return NULL;
}

Test(child, one_that_waits_for_a_lock_of_another_thread_is_late) {
    struct hs_child child;
    pthread_t other;
    cr_assert_eq(pthread_create(&other, NULL, hold_it, NULL), 0);
    cr_assert(POLL(is_held));
    if (prepare_and_fork(&child) == HS_CHILD_CHILD) {
        (void)pthread_mutex_lock(&held);
        say(&child, "it was free");
    }
    struct answer answer = read_for(&child, 100000, CHILD_MOST);
    cr_assert_eq(answer.end, HS_CHILD_LATE);
    may_go = 1;
    cr_assert_eq(pthread_join(other, NULL), 0);
    nothing_is_left();
}

Test(child, one_without_time_is_late) {
    struct hs_child child;
    if (prepare_and_fork(&child) == HS_CHILD_CHILD) {
        hang();
    }
    cr_assert_eq(read_for(&child, 0, CHILD_MOST).end, HS_CHILD_LATE);
    nothing_is_left();
}

Test(child, one_that_stops_is_late) {
    struct hs_child child;
    if (prepare_and_fork(&child) == HS_CHILD_CHILD) {
        (void)raise(SIGSTOP);
        say(&child, "went on");
    }
    cr_assert_eq(read_for(&child, 100000, CHILD_MOST).end, HS_CHILD_LATE);
    nothing_is_left();
}

Test(child, one_that_the_system_does_not_end_is_waited_for_later) {
    struct hs_child child;
    struct hs_child next;
    if (prepare_and_fork(&child) == HS_CHILD_CHILD) {
        hang();
    }
    hs_child_fail(HS_CHILD_CALL_WAIT, EINTR);
    cr_assert_eq(read_for(&child, 1000, CHILD_MOST).end, HS_CHILD_LATE);
    cr_assert_eq(entries_of("/proc/self/fd"), descriptors_before);
    cr_assert_eq(hs_child_prepare(&next), HS_BUSY);
    cr_assert_eq(next.error, EBUSY);
    hs_child_end(&next);
    hs_child_fail(HS_CHILD_CALL_WAIT, 0);
    cr_assert(POLL(hs_child_prepare(&next) == HS_OK));
    hs_child_end(&next);
    nothing_is_left();
}

/* --- The host's other habits ---------------------------------------------------------------------- */

static void answers(void) {
    struct hs_child child;
    if (prepare_and_fork(&child) == HS_CHILD_CHILD) {
        say(&child, "an answer");
    }
    says(&child, "an answer");
}

static void dies(void) {
    struct hs_child child;
    if (prepare_and_fork(&child) == HS_CHILD_CHILD) {
        _exit(0);
    }
    ends_as(&child, HS_CHILD_DIED);
}

static void is_late(void) {
    struct hs_child child;
    if (prepare_and_fork(&child) == HS_CHILD_CHILD) {
        hang();
    }
    cr_assert_eq(read_for(&child, 50000, CHILD_MOST).end, HS_CHILD_LATE);
    nothing_is_left();
}

Test(child, the_end_of_children_may_be_ignored) {
    (void)signal(SIGCHLD, SIG_IGN);
    answers();
    dies();
    is_late();
}

Test(child, children_may_leave_no_zombie) {
    const struct sigaction action = {.sa_handler = tick, .sa_flags = SA_NOCLDWAIT};
    (void)sigaction(SIGCHLD, &action, NULL);
    answers();
    dies();
    is_late();
}

static void reap_all(int signal) {
    int error = errno;
    while (waitpid(-1, NULL, WNOHANG) > 0) {
    }
    errno = error;
    (void)signal;
}

Test(child, another_may_wait_for_all_children) {
    const struct sigaction action = {.sa_handler = reap_all};
    (void)sigaction(SIGCHLD, &action, NULL);
    answers();
    dies();
    is_late();
}

Test(child, without_pidfd_it_is_ended_as_well) {
    hs_child_fail(HS_CHILD_CALL_PIDFD, ENOSYS);
    answers();
    is_late();
}

static _Atomic int stop;

static void *run_programs(void *unused) {
    int count = 0;
    for (; !stop || count == 0; count++) {
        pid_t pid = fork();
        if (pid == 0) {
            char *const arguments[] = {"true", NULL};
            (void)execv("/bin/true", arguments);
            _exit(0);
        }
        if (pid > 0) {
            (void)waitpid(pid, NULL, 0);
        }
    }
    (void)unused;
    return NULL;
}

Test(child, other_threads_may_run_programs_meanwhile) {
    pthread_t others[2];
    for (int i = 0; i < 2; i++) {
        cr_assert_eq(pthread_create(&others[i], NULL, run_programs, NULL), 0);
    }
    for (int i = 0; i < 50; i++) {
        struct hs_child child;
        if (prepare_and_fork(&child) == HS_CHILD_CHILD) {
            say(&child, "an answer");
        }
        struct answer answer = read_answer(&child);
        cr_assert_eq(answer.end, HS_CHILD_ENDED);
        cr_assert_eq(child.status, 0);
        hs_buffer_free(&answer.bytes);
    }
    stop = 1;
    for (int i = 0; i < 2; i++) {
        cr_assert_eq(pthread_join(others[i], NULL), 0);
    }
    nothing_is_left();
}

Test(child, a_hundred_in_a_row_leave_nothing) {
    for (int i = 0; i < 100; i++) {
        struct hs_child child;
        if (prepare_and_fork(&child) == HS_CHILD_CHILD) {
            if (i % 3 == 0) {
                say(&child, "an answer");
            } else if (i % 3 == 1) {
                _exit(1);
            }
            hang();
        }
        static const enum hs_child_end ENDS[] = {HS_CHILD_ENDED, HS_CHILD_DIED, HS_CHILD_LATE};
        struct answer answer = read_for(&child, i % 3 == 2 ? 2000 : CHILD_PATIENCE_US, CHILD_MOST);
        cr_assert_eq(answer.end, ENDS[i % 3]);
        hs_buffer_free(&answer.bytes);
    }
    nothing_is_left();
}
