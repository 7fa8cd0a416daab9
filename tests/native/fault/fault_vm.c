/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Each call of JNI, JVMTI and hs_mem fails once: in one life of the library the first call, in the
 * next the second, until one comes through. GetStackTrace fails in two more ways, with a wrong answer
 * (fake_lie). After each, everything is given back, and the life that
 * follows is as if nothing had been. The definition of a life, and all checks, are in
 * fakevm/fake_life.c. Each has a process of its own, for the library keeps what it found out about
 * the VM. HS_FAULT_STRIDE=9: only the first call of each function, the tenth and so on; with
 * HS_FAULT_SECOND=4 the first, the fourth, the thirteenth and so on. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fakevm/fakevm.h"

enum { MOST_CALLS = 5000, SECONDS = 60 };

static void make_plan(void) {
    fake_plan =
        mmap(NULL, sizeof *fake_plan, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    cr_assert_neq(fake_plan, MAP_FAILED);
}

static void live_twice(void) {
    fake_plan->is_armed = true;
    fake_life();
    fake_plan->is_armed = false;
    fake_life();
}

/* Runs it in a process of its own, with the n-th call of the function on the thread failing. */
static void run_apart(void (*life)(void), enum fake_thread thread, const char *function,
                      uint64_t n) {
    static const struct rlimit NO_CORE = {0, 0};
    int status = 0;
    fake_plan->thread = thread;
    strcpy(fake_plan->function, function);
    fake_plan->at = n;
    fake_plan->count = 0;
    fake_plan->is_armed = false;
    fake_plan->has_struck = false;
    pid_t child = fork();
    cr_assert_geq(child, 0);
    if (child == 0) {
        (void)setrlimit(RLIMIT_CORE, &NO_CORE);
        (void)alarm(SECONDS);
        life();
        _exit(0);
    }
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert_eq(status, 0, "%s, call %d on thread %d: status %x; more above", function, (int)n,
                 (int)thread, (unsigned)status);
}

static uint64_t setting(const char *name, uint64_t otherwise) {
    const char *text = getenv(name);
    long value = text == NULL ? (long)otherwise : strtol(text, NULL, 10);
    cr_assert_gt(value, 0);
    return (uint64_t)value;
}

/* Returns which call fails after the n-th. */
static uint64_t call_after(uint64_t n) {
    uint64_t stride = setting("HS_FAULT_STRIDE", 1);
    uint64_t next = n == 1 ? setting("HS_FAULT_SECOND", 1 + stride) : n + stride;
    cr_assert_gt(next, n);
    return next;
}

/* Returns how many calls there are, each of which has failed in its turn; with a stride, this many at
 * most. */
static uint64_t fail_each_of(void (*life)(void), enum fake_thread thread, const char *function) {
    uint64_t n = 1;
    run_apart(life, thread, function, n);
    while (fake_plan->has_struck) {
        n = call_after(n);
        cr_assert_lt(n, (uint64_t)MOST_CALLS);
        run_apart(life, thread, function, n);
    }
    return n - 1;
}

/* The same for all functions, also for those that are called only because another one has failed. */
static uint64_t fail_each(void (*life)(void), enum fake_thread thread) {
    uint64_t sum = 0;
    run_apart(life, thread, "", 0);
    for (int i = 0; i < FAKE_MAX_FUNCTIONS && fake_plan->functions[i].name[0] != 0; i++) {
        sum += fail_each_of(life, thread, fake_plan->functions[i].name);
    }
    return sum;
}

Test(fault_vm, every_call_fails_once) {
    make_plan();
    cr_assert_geq(fail_each(live_twice, FAKE_MAIN), 250);
    cr_assert_geq(fail_each(live_twice, FAKE_OTHER), 4);
    cr_assert_geq(fail_each(live_twice, FAKE_SWEEPER), 5);
    for (int i = 0; i < FAKE_MAX_FUNCTIONS && fake_plan->functions[i].name[0] != 0; i++) {
        cr_assert_gt(fake_plan->functions[i].struck, 0, "%s never failed",
                     fake_plan->functions[i].name);
        cr_log_info("%s: %u", fake_plan->functions[i].name, fake_plan->functions[i].struck);
    }
}

Test(fault_vm, every_allocation_fails_once) {
    make_plan();
    cr_assert_geq(fail_each_of(live_twice, FAKE_MEMORY, "hs_mem"), 60);
}

static void agents_twice(void) {
    fake_plan->is_armed = true;
    fake_agents();
    fake_plan->is_armed = false;
    fake_agents();
}

Test(fault_vm, an_agent_with_wrong_options_leaves_the_vm_alone) {
    make_plan();
    run_apart(fake_wrong_agent, FAKE_MAIN, "", 0);
}

Test(fault_vm, lookups_prove_themselves_before_a_hit_is_believed) {
    make_plan();
    run_apart(fake_unproved_life, FAKE_MAIN, "", 0);
}

Test(fault_vm, stacks_are_learned_beside_threads_that_do_not_return) {
    make_plan();
    run_apart(fake_life_beside_stuck_learners, FAKE_MAIN, "", 0);
}

Test(fault_vm, stacks_of_a_version_that_is_not_known_are_requested) {
    make_plan();
    run_apart(fake_life_of_tomorrow, FAKE_MAIN, "", 0);
}

Test(fault_vm, a_search_without_time_says_so) {
    make_plan();
    run_apart(fake_life_without_time, FAKE_MAIN, "", 0);
}

Test(fault_vm, value_objects_are_counted_without_a_reference) {
    make_plan();
    run_apart(fake_life_of_values, FAKE_MAIN, "", 0);
}

Test(fault_vm, a_call_from_inside_of_a_snapshot_is_refused) {
    make_plan();
    run_apart(fake_called_back_life, FAKE_MAIN, "", 0);
}

Test(fault_vm, a_sample_of_which_all_is_known_requests_no_memory_and_little_of_the_vm) {
    make_plan();
    run_apart(fake_hot_life, FAKE_MAIN, "", 0);
}

Test(fault_vm, of_a_thread_that_no_recording_wants_no_more_than_its_id_is_requested) {
    make_plan();
    run_apart(fake_filtered_life, FAKE_MAIN, "", 0);
}

Test(fault_vm, a_method_is_queried_once) {
    make_plan();
    run_apart(fake_first_life_on_17, FAKE_MAIN, "", 0);
    make_plan();
    run_apart(fake_first_life_on_25, FAKE_MAIN, "", 0);
}

Test(fault_vm, a_class_is_queried_again_when_it_was_redefined_amid_a_stack) {
    make_plan();
    run_apart(fake_redefined_amid_life, FAKE_MAIN, "", 0);
}

Test(fault_vm, a_run_is_learned_as_it_is_where_the_depth_cuts_it) {
    make_plan();
    run_apart(fake_straddling_life, FAKE_MAIN, "", 0);
}

Test(fault_vm, a_run_is_decoded_where_its_methods_are_known) {
    make_plan();
    cr_assert_geq(fail_each(fake_decoded_life, FAKE_MAIN), 20);
}

Test(fault_vm, a_run_that_was_decoded_is_in_use_when_it_is_met_again) {
    make_plan();
    run_apart(fake_decoded_use_life, FAKE_MAIN, "", 0);
}

Test(fault_vm, a_run_of_a_method_that_moved_meanwhile_is_not_decoded) {
    make_plan();
    run_apart(fake_moved_life, FAKE_MAIN, "", 0);
}

Test(fault_vm, a_run_is_decoded_of_each_kind_of_frame) {
    make_plan();
    run_apart(fake_all_kinds_life, FAKE_MAIN, "", 0);
}

Test(fault_vm, a_run_is_decoded_only_within_the_depth) {
    make_plan();
    run_apart(fake_decoded_cut_life, FAKE_MAIN, "", 0);
}

Test(fault_vm, a_run_that_was_decoded_is_compared_more_often) {
    make_plan();
    run_apart(fake_compared_life, FAKE_MAIN, "", 0);
}

Test(fault_vm, a_run_of_a_replaced_method_is_not_decoded) {
    make_plan();
    run_apart(fake_replaced_life, FAKE_MAIN, "", 0);
}

Test(fault_vm, a_run_that_was_decoded_wrongly_ends_lookups) {
    make_plan();
    run_apart(fake_wrongly_decoded_life, FAKE_MAIN, "", 0);
}

Test(fault_vm, a_run_is_not_learned_when_a_method_beyond_the_depth_was_redefined_amid) {
    make_plan();
    run_apart(fake_rewritten_amid_life, FAKE_MAIN, "", 0);
}

Test(fault_vm, a_run_is_not_learned_when_its_lines_changed_amid_the_sample) {
    make_plan();
    run_apart(fake_reused_amid_life, FAKE_MAIN, "", 0);
}

Test(fault_vm, a_thread_is_counted_at_its_number_in_a_new_table) {
    make_plan();
    run_apart(fake_renewed_threads_life, FAKE_MAIN, "", 0);
}

Test(fault_vm, names_that_differ_from_the_answer_are_not_read_again) {
    make_plan();
    run_apart(fake_mixed_names_life, FAKE_MAIN, "", 0);
}

Test(fault_vm, names_that_were_read_before_a_difference_are_requested) {
    make_plan();
    run_apart(fake_distrusted_names_life, FAKE_MAIN, "", 0);
}

Test(fault_vm, a_class_that_was_taken_over_is_compared_as_well) {
    make_plan();
    run_apart(fake_mixed_owners_life, FAKE_MAIN, "", 0);
    run_apart(fake_same_owners_life, FAKE_MAIN, "", 0);
    run_apart(fake_mixed_files_life, FAKE_MAIN, "", 0);
    run_apart(fake_mixed_flags_life, FAKE_MAIN, "", 0);
}

Test(fault_vm, an_id_that_one_answer_has_is_not_queried) {
    make_plan();
    run_apart(fake_stale_life, FAKE_MAIN, "", 0);
}

Test(fault_vm, lookups_end_when_two_answers_differ_from_a_hit_and_not_before) {
    make_plan();
    run_apart(fake_swapped_life, FAKE_MAIN, "", 0);
}

Test(fault_vm, without_a_proof_nothing_is_said_of_how_objects_are_reachable) {
    make_plan();
    run_apart(fake_odd_fields_life, FAKE_MAIN, "", 0);
}

Test(fault_vm, an_engine_of_another_process_is_none) {
    make_plan();
    run_apart(fake_foreign_properties, FAKE_MAIN, "", 0);
}

Test(fault_vm, every_call_of_an_agent_fails_once) {
    make_plan();
    cr_assert_geq(fail_each(agents_twice, FAKE_MAIN), 40);
    cr_assert_geq(fail_each_of(agents_twice, FAKE_MEMORY, "hs_mem"), 10);
}

Test(fault_vm, every_call_after_the_death_of_the_vm_fails_once) {
    make_plan();
    cr_assert_geq(fail_each(fake_death, FAKE_MAIN), 5);
    (void)fail_each(fake_death, FAKE_SWEEPER);
}
