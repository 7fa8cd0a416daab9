/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Searches in a heap of a few objects: a class's static field holds an application object, whose field holds the target. */
#ifndef HOLDERS_UNDER_TEST_H
#define HOLDERS_UNDER_TEST_H

#include <errno.h>
#include <string.h>
#include <sys/wait.h>

#include "emulated.h"
#include "fake_heap.h"
#include "hs_mem.h"

enum { SLOW_US = 50000 };

static struct fake_heap heap;
static struct hs_holders_vm vm;
static struct hs_holders_limits limits;
static size_t used_before;

/* A class's static field holds an application object, whose field holds the target. */
static inline void set_up(void) {
    used_before = hs_mem_used();
    fake_heap_init(&heap);
    vm = fake_vm_of(&heap);
    uint32_t app = fake_object(&heap, APP);
    heap.targets[heap.target_count++] = fake_object(&heap, PLAIN);
    heap.targets[heap.target_count++] = fake_object(&heap, PLAIN); /* no reference leads there */
    fake_root(&heap, APP, (struct hs_root){.kind = HS_ROOT_SYSTEM_CLASS});
    fake_refer(&heap, APP, app, HS_EDGE_STATIC_FIELD, 4);
    fake_refer(&heap, app, heap.targets[0], HS_EDGE_FIELD, 2);
    limits = (struct hs_holders_limits){
        .pause_us = 1000000, .time_us = 20000000, .memory = UINT64_C(1) << 30};
}

static inline void check_nothing_left(void) {
    cr_assert_eq(hs_mem_used(), used_before);
    cr_assert_eq(heap.closed, heap.opened, "tags are off");
    cr_assert(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD, "no process is left");
}

static inline void tear_down(void) {
    check_nothing_left();
}

static inline struct hs_holders *find(void) {
    struct hs_holders *holders = NULL;
    cr_assert_eq(hs_holders_find(&limits, heap.target_count, &vm, NULL, &holders), HS_OK);
    return holders;
}

static inline void check_paths(struct hs_holders *holders) {
    struct hs_path path;
    cr_assert(hs_holders_next(holders, &path));
    cr_assert_eq(path.outcome, HS_HELD);
    cr_assert_eq(path.root.kind, HS_ROOT_STATIC_FIELD);
    cr_assert_eq(path.step_count, 2);
    cr_assert_eq(path.steps[0].from_class, APP);
    cr_assert_eq(path.steps[0].index, 4);
    cr_assert_eq(path.steps[1].kind, HS_EDGE_FIELD);
    cr_assert_eq(path.steps[1].index, 2);
    cr_assert_eq(path.steps[1].to_class, PLAIN);
    cr_assert(hs_holders_next(holders, &path));
    cr_assert_eq(path.outcome, HS_UNRESOLVED_ONLY_WEAK);
    cr_assert_not(hs_holders_next(holders, &path));
}

static inline void check_unresolved(struct hs_holders *holders, enum hs_outcome outcome) {
    struct hs_path path;
    for (uint32_t i = 0; i < heap.target_count; i++) {
        cr_assert(hs_holders_next(holders, &path));
        cr_assert_eq(path.outcome, outcome, "%d", (int)path.outcome);
    }
    cr_assert_not(hs_holders_next(holders, &path));
}

/* There was no way, and this is why. */
static inline void check_none(struct hs_holders *holders, enum hs_outcome outcome,
                              const char *reason) {
    check_unresolved(holders, outcome);
    cr_assert(strstr(hs_holders_figures(holders)->reason, reason) != NULL, "%s",
              hs_holders_figures(holders)->reason);
    hs_holders_free(holders);
}

#endif
