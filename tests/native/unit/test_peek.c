/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include <criterion/criterion.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
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

/* ---- filters ---- */

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

Test(peek, asks_a_filter_without_harm) {
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
