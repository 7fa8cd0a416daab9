/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* The part of Criterion that our tests use, for builds in which Criterion itself cannot run
 * (ThreadSanitizer, another processor, another libc): every test of the file in turn, stopping at the
 * first failure. PLAIN_FORKS: each test in a process of its own, as in Criterion; without, a test that
 * expects a signal is left out. PLAIN_WITHOUT_MAIN: only the assertions, for fuzzers. */
#ifndef HS_PLAIN_CRITERION_H
#define HS_PLAIN_CRITERION_H

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef PLAIN_FORKS
#include <sys/wait.h>
#include <unistd.h>
#endif

struct plain_options {
    int dummy;
    void (*init)(void);
    void (*fini)(void);
    double timeout;
    int signal;
    int exit_code;
    bool disabled;
    const char *description;
};

struct plain_test {
    const char *name;
    void (*body)(void);
    const struct plain_options *suite; /* init and fini hold for all its tests, around their own */
    struct plain_options options;
    struct plain_test *next;
};

static struct plain_test *plain_first, **plain_last = &plain_first;

/* A tentative definition: TestSuite, if there is one, gives it its values. */
#define Test(suite, test, ...)                                              \
    static struct plain_options suite##_options;                            \
    static void suite##_##test##_body(void);                                \
    static struct plain_test suite##_##test = {#suite "::" #test,           \
                                               suite##_##test##_body,       \
                                               &suite##_options,            \
                                               {.dummy = 0, ##__VA_ARGS__}, \
                                               NULL};                       \
    __attribute__((constructor)) static void suite##_##test##_add(void) {   \
        *plain_last = &suite##_##test;                                      \
        plain_last = &suite##_##test.next;                                  \
    }                                                                       \
    static void suite##_##test##_body(void)

#define TestSuite(suite, ...) \
    static struct plain_options suite##_options = {.dummy = 0, ##__VA_ARGS__}

__attribute__((format(printf, 4, 5), unused, noreturn)) static void
plain_fail(const char *file, int line, const char *what, const char *format, ...) {
    fprintf(stderr, "%s:%d: failed: %s ", file, line, what);
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    abort();
}

#define PLAIN(condition, what, ...) \
    ((condition) ? (void)0 : plain_fail(__FILE__, __LINE__, what, " " __VA_ARGS__))

#define cr_assert(condition, ...)      PLAIN(condition, #condition, ##__VA_ARGS__)
#define cr_assert_not(condition, ...)  PLAIN(!(condition), "not " #condition, ##__VA_ARGS__)
#define cr_assert_eq(a, b, ...)        PLAIN((a) == (b), #a " == " #b, ##__VA_ARGS__)
#define cr_assert_neq(a, b, ...)       PLAIN((a) != (b), #a " != " #b, ##__VA_ARGS__)
#define cr_assert_lt(a, b, ...)        PLAIN((a) < (b), #a " < " #b, ##__VA_ARGS__)
#define cr_assert_leq(a, b, ...)       PLAIN((a) <= (b), #a " <= " #b, ##__VA_ARGS__)
#define cr_assert_gt(a, b, ...)        PLAIN((a) > (b), #a " > " #b, ##__VA_ARGS__)
#define cr_assert_geq(a, b, ...)       PLAIN((a) >= (b), #a " >= " #b, ##__VA_ARGS__)
#define cr_assert_null(a, ...)         PLAIN((a) == NULL, #a " == NULL", ##__VA_ARGS__)
#define cr_assert_not_null(a, ...)     PLAIN((a) != NULL, #a " != NULL", ##__VA_ARGS__)
#define cr_assert_str_eq(a, b, ...)    PLAIN(strcmp(a, b) == 0, #a " is " #b, ##__VA_ARGS__)
#define cr_assert_str_neq(a, b, ...)   PLAIN(strcmp(a, b) != 0, #a " is not " #b, ##__VA_ARGS__)
#define cr_assert_arr_eq(a, b, n, ...) PLAIN(memcmp(a, b, n) == 0, #a " is " #b, ##__VA_ARGS__)
#define cr_assert_float_eq(a, b, e, ...) \
    PLAIN(fabs((double)(a) - (double)(b)) <= (e), #a " is about " #b, ##__VA_ARGS__)
#define cr_assert_fail(...) PLAIN(false, "", ##__VA_ARGS__)

#define cr_expect          cr_assert
#define cr_expect_not      cr_assert_not
#define cr_expect_eq       cr_assert_eq
#define cr_expect_neq      cr_assert_neq
#define cr_expect_lt       cr_assert_lt
#define cr_expect_leq      cr_assert_leq
#define cr_expect_gt       cr_assert_gt
#define cr_expect_geq      cr_assert_geq
#define cr_expect_null     cr_assert_null
#define cr_expect_not_null cr_assert_not_null
#define cr_expect_str_eq   cr_assert_str_eq
#define cr_expect_str_neq  cr_assert_str_neq
#define cr_expect_arr_eq   cr_assert_arr_eq
#define cr_expect_float_eq cr_assert_float_eq
#define cr_fail            cr_assert_fail

#define cr_log_info(...)  ((void)printf(__VA_ARGS__), (void)putchar('\n'))
#define cr_log_warn       cr_log_info
#define cr_log_error      cr_log_info
#define cr_skip_test(...) return

#ifndef PLAIN_WITHOUT_MAIN
static inline void plain_call(void (*function)(void)) {
    if (function != NULL) {
        function();
    }
}

static inline void plain_run(const struct plain_test *test) {
    plain_call(test->suite->init);
    plain_call(test->options.init);
    test->body();
    plain_call(test->options.fini);
    plain_call(test->suite->fini);
}

#ifdef PLAIN_FORKS
static inline bool plain_can_run(const struct plain_test *test) {
    return !test->options.disabled;
}

static inline void plain_run_apart(const struct plain_test *test) {
    int status = 0;
    pid_t child = fork();
    PLAIN(child >= 0, "fork");
    if (child == 0) {
        plain_run(test);
        exit(0);
    }
    PLAIN(waitpid(child, &status, 0) == child, "waitpid");
    int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    int exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    PLAIN(signal == test->options.signal && exit_code == test->options.exit_code, "the test",
          "ended with signal %d, exit code %d", signal, exit_code);
}
#else
static inline bool plain_can_run(const struct plain_test *test) {
    return !test->options.disabled && test->options.signal == 0 && test->options.exit_code == 0;
}

#define plain_run_apart plain_run
#endif

int main(void) {
    int count = 0;
    for (struct plain_test *test = plain_first; test != NULL; test = test->next) {
        if (!plain_can_run(test)) {
            printf("left out: %s\n", test->name);
            continue;
        }
        printf("%s\n", test->name);
        fflush(stdout);
        plain_run_apart(test);
        count++;
    }
    printf("Tested: %d | Passing: %d\n", count, count);
    return 0;
}
#endif

#endif
