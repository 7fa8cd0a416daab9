/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "child_under_test.h"
#include "poll.h"

/* What a child is before hs_child_fork returns there. */

TestSuite(child_state, .init = child_set_up);

static struct hs_child child;

static bool is_child(void) {
    return prepare_and_fork(&child) == HS_CHILD_CHILD;
}

static void say_descriptors(void) {
    char text[64];
    int others = 0;
    for (int file = 0; file < 2000; file++) {
        others += file != child.pipe[1] && fcntl(file, F_GETFD) >= 0;
    }
    (void)snprintf(text, sizeof text, "pipe %d others %d", child.pipe[1], others);
    say(&child, text);
}

static void has_only_the_pipe(int others) {
    char expected[64];
    for (int i = 0; i < 40; i++) {
        (void)dup(STDOUT_FILENO);
    }
    cr_assert_geq(fcntl(STDOUT_FILENO, F_DUPFD, 900), 900);
    descriptors_before = entries_of("/proc/self/fd");
    cr_assert_eq(hs_child_prepare(&child), HS_OK);
    (void)snprintf(expected, sizeof expected, "pipe %d others %d", child.pipe[1], others);
    if (hs_child_fork(&child) == HS_CHILD_CHILD) {
        say_descriptors();
    }
    says(&child, expected);
}

Test(child_state, it_has_no_descriptor_but_the_pipe_and_two_of_proc) {
    has_only_the_pipe(2);
}

Test(child_state, nor_where_the_kernel_closes_no_range) {
    hs_child_fail(HS_CHILD_CALL_CLOSE_RANGE, ENOSYS);
    has_only_the_pipe(2);
}

Test(child_state, nor_without_proc) {
    hs_child_fail(HS_CHILD_CALL_CLOSE_RANGE, ENOSYS);
    hs_child_fail(HS_CHILD_CALL_PROC, EACCES);
    has_only_the_pipe(0);
}

/* Where the application has closed its output, the pipe must not take its place. */
Test(child_state, text_does_not_get_into_the_pipe) {
    if (is_emulated()) { /* a limit of the size of files also ends writing to a pipe or a device there */
        return;
    }
    int saved[3];
    for (int i = 0; i < 3; i++) {
        saved[i] = fcntl(i, F_DUPFD_CLOEXEC, 100);
        (void)close(i);
    }
    enum hs_child_side side = prepare_and_fork(&child);
    if (side == HS_CHILD_CHILD) {
        for (int i = 0; i < 3; i++) {
            (void)!write(i, "text", 4);
        }
        say(&child, "an answer");
    }
    struct answer answer = read_answer(&child);
    for (int i = 0; i < 3; i++) {
        (void)dup2(saved[i], i);
        (void)close(saved[i]);
    }
    cr_assert_eq(answer.end, HS_CHILD_ENDED);
    cr_assert_eq(answer.bytes.length, 9);
    hs_buffer_free(&answer.bytes);
    nothing_is_left();
}

static void on_signal(int signal) {
    (void)signal;
}

Test(child_state, its_signal_handlers_are_the_default_ones) {
    sigset_t some;
    sigset_t now;
    sigemptyset(&some);
    sigaddset(&some, SIGTERM);
    sigaddset(&some, SIGSEGV);
    for (int number = 1; number < NSIG; number++) {
        (void)signal(number, number % 2 == 0 ? on_signal : SIG_IGN);
    }
    (void)sigprocmask(SIG_BLOCK, &some, NULL);
    if (is_child()) {
        char text[200] = "not so: ";
        for (int number = 1; number < NSIG; number++) {
            struct sigaction action;
            bool is_right = sigaction(number, NULL, &action) != 0 ||
                            action.sa_handler == (number == SIGPIPE ? SIG_IGN : SIG_DFL);
            (void)sigprocmask(SIG_BLOCK, NULL, &now);
            if (!is_right || sigismember(&now, number) == 1) {
                (void)sprintf(text + strlen(text), "%d ", number);
            }
        }
        say(&child, text);
    }
    says(&child, "not so: ");
    (void)sigprocmask(SIG_BLOCK, NULL, &now);
    cr_assert_eq(sigismember(&now, SIGTERM), 1);
    cr_assert_eq(sigismember(&now, SIGUSR1), 0);
}

static int nice_of_child(int own) {
    return own + 10 > 19 ? 19 : own + 10;
}

Test(child_state, it_gives_way) {
    char expected[200];
    int own = getpriority(PRIO_PROCESS, 0);
    if (is_child()) {
        char text[200];
        struct rlimit core = {1, 1};
        (void)getrlimit(RLIMIT_CORE, &core);
        (void)sprintf(text, "nice %d policy %d core %d dumpable %d group %d input and output %d",
                      getpriority(PRIO_PROCESS, 0), (int)syscall(SYS_sched_getscheduler, 0),
                      (int)core.rlim_cur, prctl(PR_GET_DUMPABLE, 0, 0, 0, 0), getpgrp() == getpid(),
                      (int)syscall(SYS_ioprio_get, 1, 0) >> 13);
        say(&child, text);
    }
    (void)sprintf(expected, "nice %d policy 3 core 0 dumpable 0 group 1 input and output 3",
                  nice_of_child(own));
    says(&child, expected);
}

/* Also as that of an application that gives way itself. */
Test(child_state, it_is_nicer_than_the_application) {
    cr_assert_eq(setpriority(PRIO_PROCESS, 0, 15), 0);
    if (is_child()) {
        say(&child, getpriority(PRIO_PROCESS, 0) == 19 ? "nicer" : "not nicer");
    }
    says(&child, "nicer");
}

/* Only root may have one to begin with. */
Test(child_state, it_has_no_real_time_priority) {
    const struct sched_param one = {.sched_priority = 1};
    int policy =
        syscall(SYS_sched_setscheduler, 0, SCHED_FIFO, &one) == 0 ? SCHED_FIFO : SCHED_OTHER;
    if (is_child()) {
        say(&child, (int)syscall(SYS_sched_getscheduler, 0) == SCHED_BATCH ? "none" : "some");
    }
    says(&child, "none");
    cr_assert_eq((int)syscall(SYS_sched_getscheduler, 0), policy);
}

/* A session of its own would be a group of its own for the scheduler: nice means something only inside of one. */
Test(child_state, it_stays_in_the_session) {
    pid_t session = getsid(0);
    if (is_child()) {
        say(&child, getsid(0) == session ? "same" : "another");
    }
    says(&child, "same");
}

/* An error report of the VM is a file, and then a program that the user has set. */
Test(child_state, it_writes_no_file) {
    char path[] = "/tmp/hs-child-XXXXXX";
    int file = mkstemp(path);
    cr_assert_geq(file, 0);
    (void)close(file);
    if (is_child()) {
        file = open(path, O_WRONLY | O_CLOEXEC);
        (void)!write(file, "report", 6);
        say(&child, "it goes on");
    }
    child = ends_as(&child, HS_CHILD_DIED);
    (void)unlink(path);
    cr_assert(WIFSIGNALED(child.status) && WTERMSIG(child.status) == SIGXFSZ);
}

static void say_oom_score(void) {
    char text[16] = "";
    int file = open("/proc/self/oom_score_adj", O_RDONLY);
    ssize_t length = file < 0 ? -1 : read(file, text, sizeof text - 1);
    text[length > 1 ? length - 1 : 0] = '\0';
    say(&child, text);
}

Test(child_state, it_is_the_first_to_go_when_memory_runs_out) {
    if (is_child()) {
        say_oom_score();
    }
    says(&child, "1000");
}

static void be_another_user(void) {
    if (getuid() == 0) {
        cr_assert_eq(setgid(65534), 0);
        cr_assert_eq(setuid(65534), 0);
        (void)prctl(PR_SET_DUMPABLE, 1, 0, 0, 0); /* which setuid has ended */
    }
}

Test(child_state, also_where_it_is_not_root) {
    be_another_user();
    if (is_child()) {
        say_oom_score();
    }
    says(&child, "1000");
}

static struct hs_child_progress progress;

static void say_how(void *context, bool has_ended) {
    say(context, has_ended ? "ended" : "did not end");
}

static void wait_for_condition(void) {
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
    (void)pthread_mutex_lock(&mutex);
    for (;;) {
        (void)pthread_cond_wait(&never, &mutex);
    }
}

Test(child_state, the_end_of_work_is_found_also_where_it_is_not_root) {
    if (is_emulated()) {
        return;
    }
    be_another_user();
    if (is_child()) {
        (void)hs_child_watch(&child, &progress, 20000000, say_how, &child);
        wait_for_condition();
    }
    says(&child, "ended");
}

Test(child_state, a_user_with_too_many_processes_has_no_child) {
    struct rlimit before;
    be_another_user();
    cr_assert_eq(getrlimit(RLIMIT_NPROC, &before), 0);
    const struct rlimit none = {0, before.rlim_max};
    cr_assert_eq(setrlimit(RLIMIT_NPROC, &none), 0);
    enum hs_child_side side = prepare_and_fork(&child);
    if (side == HS_CHILD_CHILD) {
        _exit(0);
    }
    if (side == HS_CHILD_NONE) { /* this system keeps such limits */
        cr_assert_eq(child.error, EAGAIN);
    }
    ends_as(&child, HS_CHILD_DIED);
    cr_assert_eq(setrlimit(RLIMIT_NPROC, &before), 0);
}

#ifndef __SANITIZE_ADDRESS__ /* which ends a process without memory */
Test(child_state, a_limit_of_memory_is_the_childs_too) {
    const struct rlimit little = {0, 0};
    if (is_emulated()) {
        return;
    }
    if (is_child()) {
        (void)setrlimit(RLIMIT_DATA, &little);
        say(&child, hs_mem_new(64 << 20) == NULL ? "none" : "some");
    }
    says(&child, "none");
}
#endif

/* --- Its end ---------------------------------------------------------------------------------------- */

/* Through another process, since the parent is killed. The child keeps `pipe` open. */
static pid_t start_parent(void (*in_child)(void), int pipe[2]) {
    cr_assert_eq(pipe2(pipe, O_CLOEXEC), 0);
    pid_t parent = fork();
    if (parent == 0) {
        if (hs_child_prepare(&child) == HS_OK && hs_child_fork(&child) == HS_CHILD_CHILD) {
            in_child();
        }
        (void)!write(pipe[1], &child.pid, sizeof child.pid);
        for (;;) {
            (void)pause();
        }
    }
    cr_assert_gt(parent, 0);
    return parent;
}

static bool is_there(pid_t pid) {
    return kill(pid, 0) == 0;
}

static void write_for_ever(void) {
    static char bytes[1 << 20];
    hs_child_write(&child, bytes, sizeof bytes);
}

static void block_all(void) {
    sigset_t all;
    sigfillset(&all);
    (void)sigprocmask(SIG_SETMASK, &all, NULL);
    hang();
}

static void dies_with_parent(void (*in_child)(void)) {
    int pipe[2];
    pid_t pid = 0;
    if (is_emulated()) {
        return;
    }
    /* What its parent leaves comes to us, so that its end can be seen. */
    cr_assert_eq(prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0), 0);
    pid_t parent = start_parent(in_child, pipe);
    cr_assert_eq(read(pipe[0], &pid, sizeof pid), sizeof pid);
    cr_assert(is_there(pid));
    cr_assert_eq(kill(parent, SIGKILL), 0);
    cr_assert_eq(waitpid(parent, NULL, 0), parent);
    int status = 0;
    cr_assert(POLL(waitpid(pid, &status, WNOHANG) == pid), "it lives without its parent");
    (void)close(pipe[0]);
    (void)close(pipe[1]);
    nothing_is_left();
}

Test(child_state, a_parent_that_is_killed_takes_it_along) {
    dies_with_parent(hang);
}

Test(child_state, also_while_it_writes) {
    dies_with_parent(write_for_ever);
}

Test(child_state, also_when_it_blocks_all_signals) {
    dies_with_parent(block_all);
}

Test(child_state, a_pipe_without_a_reader_ends_it) {
    if (is_child()) {
        write_for_ever();
    }
    (void)close(child.pipe[0]);
    child.pipe[0] = -1;
    int status = 0;
    cr_assert_eq(waitpid(child.pid, &status, 0), child.pid);
    cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 1, "%x", (unsigned)status);
    hs_child_end(&child);
    nothing_is_left();
}

Test(child_state, a_parent_gone_before_it_could_be_watched_ends_it) {
    hs_child_fail(HS_CHILD_CALL_PARENT, ESRCH);
    if (is_child()) {
        say(&child, "an answer");
    }
    child = ends_as(&child, HS_CHILD_DIED);
    cr_assert_eq(WEXITSTATUS(child.status), 1);
}

static void *fork_there(void *unused) {
    (void)unused;
    if (is_child()) {
        hang();
    }
    /* The last but one that a child does to itself. */
    int nice = nice_of_child(getpriority(PRIO_PROCESS, 0));
    cr_assert(POLL(getpriority(PRIO_PROCESS, (id_t)child.pid) == nice));
    return NULL;
}

/* So it must be a thread that stays, as the VM's does. */
Test(child_state, the_end_of_the_thread_that_forked_ends_it) {
    pthread_t thread;
    cr_assert_eq(pthread_create(&thread, NULL, fork_there, NULL), 0);
    cr_assert_eq(pthread_join(thread, NULL), 0);
    child = ends_as(&child, HS_CHILD_DIED);
    cr_assert(WIFSIGNALED(child.status) && WTERMSIG(child.status) == SIGKILL);
}
