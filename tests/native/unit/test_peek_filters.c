/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Under filters of system calls. Not under musl, whose headers do not have what makes them. */
#include <criterion/criterion.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "needs_peek.h"

enum { IS_ALLOWED = 1, IS_FORBIDDEN, NO_FILTERS };

/* What the system does from now on where this process makes the call. */
static bool filter(uint32_t action) {
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, action),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog program = {sizeof code / sizeof code[0], code};
    return prctl(PR_SET_NO_NEW_PRIVS, 1UL, 0UL, 0UL, 0UL) == 0 &&
           prctl(PR_SET_SECCOMP, (unsigned long)SECCOMP_MODE_FILTER, &program, 0UL, 0UL) == 0;
}

/* What a process with this filter finds: twice the same. */
static int answer_under(uint32_t action) {
    int status;
    pid_t pid = fork();
    if (pid == 0) {
        bool is_filtered = filter(action);
        bool first = hs_peek_is_allowed();
        bool second = hs_peek_is_allowed();
        bool has_child = waitpid(-1, NULL, __WALL) > 0;
        _exit(!is_filtered                   ? NO_FILTERS
              : has_child || first != second ? 0
              : first                        ? IS_ALLOWED
                                             : IS_FORBIDDEN);
    }
    cr_assert_eq(waitpid(pid, &status, 0), pid);
    cr_assert(WIFEXITED(status), "the filter has ended it");
    return WEXITSTATUS(status);
}

Test(peek_filters, asks_a_filter_without_harm) {
    NEEDS_PEEK();
    if (answer_under(SECCOMP_RET_ALLOW) == NO_FILTERS) {
        cr_skip_test("the system has no filters");
    }
    cr_assert_eq(answer_under(SECCOMP_RET_ALLOW), IS_ALLOWED);
    cr_assert_eq(answer_under(SECCOMP_RET_ERRNO | EPERM), IS_FORBIDDEN);
    cr_assert_eq(answer_under(SECCOMP_RET_TRAP), IS_FORBIDDEN);
    cr_assert_eq(answer_under(SECCOMP_RET_KILL_THREAD), IS_FORBIDDEN);
    cr_assert_eq(answer_under(SECCOMP_RET_KILL_PROCESS), IS_FORBIDDEN);
}
