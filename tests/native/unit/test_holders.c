/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "holders_under_test.h"

TestSuite(holders, .init = set_up, .fini = tear_down, .timeout = 120);

/* An emulator's child cannot make the thread that watches. */
static int last_way(void) {
    return is_emulated() ? HS_WAY_ONE_STOP : HS_WAY_CHILD;
}

Test(holders, a_small_heap_is_walked_in_one_stop) {
    struct hs_holders *holders = find();
    const struct hs_holders_figures *figures = hs_holders_figures(holders);
    cr_assert_eq(figures->way, HS_WAY_ONE_STOP);
    cr_assert_str_eq(figures->reason, "");
    cr_assert(figures->has_dominators);
    cr_assert_gt(figures->nodes, CLASSES);
    cr_assert_gt(figures->edges, 1);
    cr_assert_gt(figures->bytes, 0);
    cr_assert_leq(figures->longest_pause_us, figures->time_us);
    check_paths(holders);
    hs_holders_free(holders);
}

Test(holders, a_larger_heap_is_walked_in_a_child) {
    heap.described.used = UINT64_C(200) << 20;
    struct hs_holders *holders = find();
    const struct hs_holders_figures *figures = hs_holders_figures(holders);
    cr_assert_eq(figures->way, HS_WAY_CHILD, "%s", figures->reason);
    if (!is_emulated()) { /* there the end of the work is not seen */
        cr_assert_str_eq(figures->reason, "one stop: about 1258 ms, 1000 ms allowed");
        cr_assert(figures->has_dominators);
        check_paths(holders);
    }
    hs_holders_free(holders);
}

/* The calls of leave_out that a fork came after. */
static int left_out_before_fork;

static void note_fork(void) {
    left_out_before_fork = heap.left_out;
}

/* Otherwise later children of the application would lack it. */
Test(holders, what_a_child_does_not_get_is_left_out_for_its_fork_alone) {
    cr_assert_eq(pthread_atfork(note_fork, NULL, NULL), 0);
    limits.ways = 1 << HS_WAY_CHILD;
    hs_holders_free(find());
    cr_assert_eq(left_out_before_fork, 1, "%d: left out at the fork", left_out_before_fork);
    cr_assert_eq(heap.left_out, 2, "%d: once, and no more", heap.left_out);
    heap.left_out = 0;
    hs_child_fail(HS_CHILD_CALL_FORK, EPERM);
    hs_holders_free(find());
    hs_child_fail(HS_CHILD_CALL_FORK, 0);
    cr_assert_eq(heap.left_out, 2, "%d: likewise", heap.left_out);
    heap.left_out = 0;
    limits.ways = 1 << HS_WAY_ONE_STOP;
    hs_holders_free(find());
    cr_assert_eq(heap.left_out, 0);
}

Test(holders, a_good_moment_for_a_fork_is_awaited_for_a_while) {
    limits.ways = 1 << HS_WAY_CHILD;
    limits.time_us = 10000000;
    hs_holders_free(find());
    cr_assert_gt(heap.awaited_us, 500000, "%lld", (long long)heap.awaited_us);
    cr_assert_leq(heap.awaited_us, 600000, "%lld", (long long)heap.awaited_us);
    limits.time_us = 60000000;
    heap.left_out = 0;
    hs_holders_free(find());
    cr_assert_eq(heap.awaited_us, 1000000);
    heap.awaited_us = 0;
    limits.ways = 1 << HS_WAY_ONE_STOP;
    hs_holders_free(find());
    cr_assert_eq(heap.awaited_us, 0, "there is no fork");
}

Test(holders, nothing_is_possible_where_the_vm_says_so) {
    heap.described.why_not = "no reason";
    check_none(find(), HS_UNRESOLVED_NOT_POSSIBLE, "no reason");
}

Test(holders, a_child_is_refused_where_it_would_share_the_heap) {
    heap.described.is_copied = false;
    limits.ways = 1 << HS_WAY_CHILD;
    check_none(find(), HS_UNRESOLVED_NOT_POSSIBLE, "child: it would share the heap");
    cr_assert_eq(heap.walks, 0);
}

Test(holders, a_child_is_refused_where_there_is_too_little_memory) {
    heap.described.used = UINT64_C(100) << 20;
    heap.described.room = UINT64_C(150) << 20;
    limits.ways = 1 << HS_WAY_CHILD;
    check_none(find(), HS_UNRESOLVED_NOT_POSSIBLE, "child: 127 MiB needed, 1024 allowed, 120 free");
    heap.described.room = UINT64_MAX;
    limits.memory = UINT64_C(100) << 20;
    check_none(find(), HS_UNRESOLVED_NOT_POSSIBLE, "child: 127 MiB needed, 100 allowed");
    cr_assert_eq(heap.walks, 0);
    heap.described.feature = 21; /* where garbage is taken to be a part of it */
    struct hs_holders *holders = find();
    cr_assert_eq(hs_holders_figures(holders)->way, HS_WAY_CHILD);
    hs_holders_free(holders);
}

Test(holders, a_step_that_fails_is_said) {
    heap.open_fails = HS_UNSUPPORTED;
    check_none(find(), HS_UNRESOLVED_NOT_POSSIBLE, "the VM refuses");
    heap.open_fails = HS_OK;
    for (int way = HS_WAY_ONE_STOP; way <= last_way(); way++) {
        limits.ways = UINT32_C(1) << way;
        heap.mark_fails = HS_JVMTI;
        check_none(find(), HS_UNRESOLVED_NOT_POSSIBLE, "the VM refuses marks");
        heap.mark_fails = HS_OK;
        heap.walk_fails = HS_JVMTI;
        check_none(find(), HS_UNRESOLVED_NOT_POSSIBLE, "the VM refuses the walk");
        heap.walk_fails = HS_OK;
        check_nothing_left();
    }
}

Test(holders, a_child_that_cannot_begin_is_said) {
    static const enum hs_child_call CALLS[] = {HS_CHILD_CALL_PIPE, HS_CHILD_CALL_FORK};
    limits.ways = 1 << HS_WAY_CHILD;
    for (int i = 0; i < 2; i++) {
        hs_child_fail(CALLS[i], EAGAIN);
        check_none(find(), HS_UNRESOLVED_NOT_POSSIBLE, "child: no fork, error 11");
        hs_child_fail(CALLS[i], 0);
        check_nothing_left();
    }
    if (!is_emulated()) { /* there it dies */
        hs_child_fail(HS_CHILD_CALL_THREAD, EAGAIN);
        struct hs_holders *holders = find();
        check_unresolved(holders, HS_UNRESOLVED_NOT_POSSIBLE);
        cr_assert_str_eq(hs_holders_figures(holders)->failure,
                         "the child process gave no answer; search again");
        hs_holders_free(holders);
        hs_child_fail(HS_CHILD_CALL_THREAD, 0);
    }
}

/* Also without the memory for the pipe, which is there before the walk. */
Test(holders, short_passes_follow_where_the_fork_is_refused) {
    static const enum hs_child_call CALLS[] = {HS_CHILD_CALL_PIPE, HS_CHILD_CALL_FORK};
    limits.ways = 1 << HS_WAY_CHILD | 1 << HS_WAY_PASSES;
    for (int i = 0; i < 2; i++) {
        hs_child_fail(CALLS[i], EPERM);
        struct hs_holders *holders = find();
        hs_child_fail(CALLS[i], 0);
        const struct hs_holders_figures *figures = hs_holders_figures(holders);
        cr_assert_eq(figures->way, HS_WAY_PASSES);
        cr_assert_str_eq(figures->reason, "child: no fork, error 1");
        cr_assert_str_eq(figures->failure, "");
        cr_assert_not(figures->has_dominators);
        check_paths(holders);
        hs_holders_free(holders);
        check_nothing_left();
    }
}

/* What classes refer to has nodes before the walk begins, and keeps them. */
Test(holders, values_of_classes_are_there_where_the_fork_is_refused) {
    uint32_t value = fake_object(&heap, APP);
    uint32_t other = fake_object(&heap, APP);
    heap.value_of[TEXT] = value;
    fake_root(&heap, other, (struct hs_root){.kind = HS_ROOT_JNI_GLOBAL});
    fake_root(&heap, TEXT, (struct hs_root){.kind = HS_ROOT_SYSTEM_CLASS});
    fake_refer(&heap, TEXT, other, HS_EDGE_STATIC_FIELD, 1);
    fake_refer(&heap, value, heap.targets[1], HS_EDGE_FIELD, 3);
    limits.ways = 1 << HS_WAY_CHILD | 1 << HS_WAY_PASSES;
    hs_child_fail(HS_CHILD_CALL_FORK, EPERM);
    struct hs_holders *holders = find();
    hs_child_fail(HS_CHILD_CALL_FORK, 0);
    cr_assert_eq(hs_holders_figures(holders)->way, HS_WAY_PASSES);
    struct hs_path path;
    cr_assert(hs_holders_next(holders, &path));
    cr_assert_eq(path.outcome, HS_HELD);
    cr_assert_eq(path.step_count, 2);
    cr_assert(hs_holders_next(holders, &path));
    cr_assert_eq(path.outcome, HS_HELD, "%d", (int)path.outcome);
    cr_assert_eq(path.root.kind, HS_ROOT_SYSTEM_CLASS, "%d", (int)path.root.kind);
    const struct hs_path_step *last = &path.steps[path.step_count - 1];
    cr_assert_eq(last->kind, HS_EDGE_FIELD);
    cr_assert_eq(last->index, 3);
    cr_assert_eq(last[-1].kind, HS_EDGE_OTHER);
    cr_assert_eq(last[-1].index, FAKE_FIELD);
    hs_holders_free(holders);
}

/* Before JDK 19 the VM looks through the heap after each pass. */
Test(holders, a_refused_fork_where_passes_are_slow_is_a_matter_of_the_pause) {
    limits.ways = 1 << HS_WAY_CHILD | 1 << HS_WAY_PASSES;
    limits.pause_us = 1000;
    heap.described.used = 30000000;
    hs_child_fail(HS_CHILD_CALL_FORK, EPERM);
    check_none(find(), HS_UNRESOLVED_PAUSE,
               "each short pass: about 12 ms, 1 ms allowed; child: no fork, error 1");
    hs_child_fail(HS_CHILD_CALL_FORK, 0);
}

static enum hs_status walks_slowly(void *context, struct hs_trace *trace) {
    (void)usleep(SLOW_US);
    return fake_walk(context, trace);
}

Test(holders, the_pause_of_a_refused_fork_counts) {
    limits.ways = 1 << HS_WAY_CHILD | 1 << HS_WAY_PASSES;
    vm.walk = walks_slowly;
    hs_child_fail(HS_CHILD_CALL_FORK, EPERM);
    struct hs_holders *holders = find();
    hs_child_fail(HS_CHILD_CALL_FORK, 0);
    const struct hs_holders_figures *figures = hs_holders_figures(holders);
    cr_assert_eq(figures->way, HS_WAY_PASSES);
    cr_assert_geq(figures->longest_pause_us, SLOW_US);
    cr_assert_geq(figures->pauses_us, figures->longest_pause_us);
    hs_holders_free(holders);
}

Test(holders, a_class_that_was_loaded_meanwhile_is_said) {
    enum { LOADED_SINCE = 0 };
    uint32_t object = fake_object(&heap, LOADED_SINCE);
    fake_refer(&heap, heap.targets[0], object, HS_EDGE_FIELD, 1);
    fake_root(&heap, object, (struct hs_root){.kind = HS_ROOT_JNI_GLOBAL});
    fake_refer(&heap, object, heap.targets[1], HS_EDGE_FIELD, REFERENT);
    for (int way = HS_WAY_ONE_STOP; way <= HS_WAY_PASSES; way++) {
        if (way == HS_WAY_CHILD && is_emulated()) {
            continue;
        }
        limits.ways = UINT32_C(1) << way;
        struct hs_holders *holders = find();
        struct hs_path path;
        cr_assert(hs_holders_next(holders, &path));
        cr_assert_eq(path.outcome, HS_HELD);
        cr_assert(hs_holders_next(holders, &path));
        cr_assert_eq(path.outcome, HS_UNRESOLVED_NOT_POSSIBLE, "way %d: %d", way,
                     (int)path.outcome);
        cr_assert_str_eq(hs_holders_figures(holders)->failure,
                         "a class was loaded during the walk, so its references are not known;"
                         " search again");
        hs_holders_free(holders);
    }
}

/* It is reached from a static field, and the VM has not listed it. */
Test(holders, a_virtual_thread_whose_stack_no_pass_sees_is_said) {
    uint32_t thread = fake_object(&heap, THREAD);
    fake_refer(&heap, APP, thread, HS_EDGE_STATIC_FIELD, 5);
    limits.ways = 1 << HS_WAY_PASSES;
    struct hs_holders *holders = find();
    struct hs_path path;
    cr_assert(hs_holders_next(holders, &path));
    cr_assert(hs_holders_next(holders, &path));
    cr_assert_eq(path.outcome, HS_UNRESOLVED_NOT_POSSIBLE);
    cr_assert_str_eq(hs_holders_figures(holders)->failure,
                     "short stops do not show the stacks of virtual threads");
    hs_holders_free(holders);
}

Test(holders, no_short_passes_is_said) {
    vm.passes = (struct hs_passes_vm){0};
    limits.ways = 1 << HS_WAY_PASSES;
    check_none(find(), HS_UNRESOLVED_NOT_POSSIBLE, "short passes: not in this VM");
}

/* The second target is held by what a class refers to, which is added before the walk, and its edge after it. */
Test(holders, without_memory_there_is_an_answer_or_none) {
    heap.value_of[TEXT] = fake_object(&heap, APP);
    fake_refer(&heap, heap.value_of[TEXT], heap.targets[1], HS_EDGE_FIELD, 3);
    for (int way = HS_WAY_ONE_STOP; way <= last_way(); way++) {
        limits.ways = UINT32_C(1) << way;
        bool is_whole = false;
        for (uint64_t n = 1; !is_whole; n++) {
            struct hs_holders *holders = NULL;
            struct hs_path path;
            hs_mem_fail_at(n);
            enum hs_status status =
                hs_holders_find(&limits, heap.target_count, &vm, NULL, &holders);
            cr_assert(status == HS_OK || (status == HS_NO_MEMORY && holders == NULL));
            if (status == HS_OK) {
                cr_assert(hs_holders_next(holders, &path));
                is_whole = path.outcome == HS_HELD && hs_holders_figures(holders)->has_dominators &&
                           n > 20;
                cr_assert(hs_holders_next(holders, &path));
                cr_assert_neq(path.outcome, HS_UNRESOLVED_ONLY_WEAK, "way %d, call %d", way,
                              (int)n);
            }
            hs_holders_free(holders);
            check_nothing_left();
            cr_assert_lt(n, 200);
        }
        hs_mem_fail_at(0);
    }
}

Test(holders, only_one_question_at_a_time) {
    struct hs_holders *other = NULL;
    struct hs_holders_limits none = limits;
    none.memory = 0;
    cr_assert_eq(hs_holders_find(&none, 1, &vm, NULL, &other), HS_INVALID);
    struct hs_holders *holders = find();
    hs_holders_free(holders);
    holders = find();
    hs_holders_free(holders);
}

static enum hs_status asks_again(void *context, struct hs_trace *trace) {
    struct hs_holders *other = NULL;
    cr_assert_eq(hs_holders_find(&limits, 1, &vm, NULL, &other), HS_BUSY);
    return fake_walk(context, trace);
}

Test(holders, a_second_question_is_refused_meanwhile) {
    struct hs_holders_vm asking = vm;
    struct hs_holders *holders = NULL;
    asking.walk = asks_again;
    cr_assert_eq(hs_holders_find(&limits, heap.target_count, &asking, NULL, &holders), HS_OK);
    check_paths(holders);
    hs_holders_free(holders);
}
