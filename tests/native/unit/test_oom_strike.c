/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include <signal.h>
#include <sys/mman.h>

#include "small_oom.h"

TestSuite(oom_strike, .init = set_up, .fini = tear_down);

/* ---- between the two steps of a strike ----
 *
 * The reason lies in memory that may not be read yet. So the strike, which has made the report DUE, stops where
 * it copies the reason, and something else happens; then it goes on. */
static char *secret;
static size_t page_bytes;
static void (*meanwhile)(void);

static void on_fault(int signal_number) {
    (void)signal_number;
    cr_assert_eq(mprotect(secret, page_bytes, PROT_READ | PROT_WRITE), 0);
    cr_assert_eq(atomic_load(&oom.state), HS_OOM_DUE);
    meanwhile();
}

static bool strike_while(void (*function)(void)) {
    struct sigaction action = {.sa_handler = on_fault, .sa_flags = SA_NODEFER};
    struct sigaction before;
    meanwhile = function;
    page_bytes = (size_t)sysconf(_SC_PAGESIZE);
    secret = mmap(NULL, page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    cr_assert_neq(secret, MAP_FAILED);
    strcpy(secret, "Java heap space");
    cr_assert_eq(mprotect(secret, page_bytes, PROT_NONE), 0);
    cr_assert_eq(sigaction(SIGSEGV, &action, &before), 0);
    bool is_due = hs_oom_strike(&oom, secret, true);
    cr_assert_eq(sigaction(SIGSEGV, &before, NULL), 0);
    cr_assert_eq(munmap(secret, page_bytes), 0);
    return is_due;
}

static void do_nothing(void) {
}

static void strike_too(void) {
    cr_assert_not(hs_oom_strike(&oom, "Metaspace", true), "the buffer is another's");
}

static void disarm(void) {
    cr_assert_eq(hs_oom_arm(&oom, NULL), HS_OK);
    cr_assert_not(hs_oom_is_on(&oom));
    cr_assert_null(oom.sums);
    strike_too();
    cr_assert_not(write_it());
}

static void name_another(void);

static void disarm_and_name_another(void) {
    disarm();
    cr_assert_eq(hs_oom_reserve(&oom, LIMITS.sites + 1), HS_OK);
    name_another();
    cr_assert(hs_oom_is_on(&oom));
    strike_too();
}

static void disarm_and_arm_and_disarm(void) {
    disarm();
    arm();
    disarm();
}

static void name_another(void) {
    (void)snprintf(path, sizeof path, "%s/another.txt", folder);
    cr_assert_eq(hs_oom_arm(&oom, path), HS_OK);
    cr_assert_not(write_it(), "it is not ready");
}

Test(oom_strike, an_undisturbed_strike_is_due) {
    arm();
    cr_assert(strike_while(do_nothing));
    cr_assert(write_it());
    cr_assert_not_null(strstr(report(), ": Java heap space\n"));
}

Test(oom_strike, a_second_strike_leaves_the_first_alone) {
    arm();
    cr_assert(strike_while(strike_too));
    cr_assert(write_it());
    cr_assert_not_null(strstr(report(), ": Java heap space\n"));
}

/* There is something to do: to forget it. */
static void check_forgotten(void) {
    cr_assert(hs_oom_is_due(&oom));
    cr_assert_not(write_it());
    cr_assert_neq(access(path, F_OK), 0);
    cr_assert_eq(atomic_load(&oom.state), HS_OOM_OFF);
    cr_assert_not(hs_oom_strike(&oom, "again", true));
}

Test(oom_strike, disarming_during_a_strike_takes_effect) {
    arm();
    cr_assert(strike_while(disarm));
    check_forgotten();
    arm();
    cr_assert(hs_oom_strike(&oom, "Java heap space", true), "and can arm again later");
}

Test(oom_strike, what_was_disarmed_during_a_strike_is_not_reported_later) {
    arm();
    cr_assert(strike_while(disarm));
    arm();
    cr_assert_not(write_it());
    cr_assert(hs_oom_strike(&oom, "again", true));
    cr_assert(write_it());
    cr_assert_not_null(strstr(report(), ": again\n"));
}

Test(oom_strike, what_was_disarmed_during_a_strike_can_be_discarded) {
    arm();
    cr_assert(strike_while(disarm));
    hs_oom_discard(&oom);
    cr_assert_eq(atomic_load(&oom.state), HS_OOM_OFF);
}

/* Its time and its reason are true. */
Test(oom_strike, a_file_named_after_disarming_during_a_strike_gets_the_report) {
    arm();
    cr_assert(strike_while(disarm_and_name_another));
    cr_assert(write_it());
    cr_assert_not_null(strstr(report(), ": Java heap space\n"));
}

Test(oom_strike, disarming_again_during_a_strike_takes_effect) {
    arm();
    cr_assert(strike_while(disarm_and_arm_and_disarm));
    check_forgotten();
}

Test(oom_strike, a_file_named_during_a_strike_gets_the_report) {
    arm();
    cr_assert(strike_while(name_another));
    cr_assert(write_it());
    cr_assert_not_null(strstr(report(), ": Java heap space\n"));
}

/* Each report has its own reason. */
Test(oom_strike, the_heap_comes_first_in_another_file_too) {
    arm();
    cr_assert(hs_oom_strike(&oom, "Java heap space", true));
    cr_assert(write_it());
    (void)unlink(path);
    name_another();
    cr_assert(hs_oom_strike(&oom, "Metaspace", false));
    cr_assert(hs_oom_strike(&oom, "Java heap space again", true));
    cr_assert_not(hs_oom_strike(&oom, "and again", true));
    cr_assert(write_it());
    cr_assert_not_null(strstr(report(), ": Java heap space again\n"));
}
