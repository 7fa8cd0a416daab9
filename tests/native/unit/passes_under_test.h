/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Passes over a heap of a few objects: a class's static field holds an application object, whose field holds the first target. */
#ifndef PASSES_UNDER_TEST_H
#define PASSES_UNDER_TEST_H

#include "fake_heap.h"
#include "hs_mem.h"

enum { LINKS = 20, SLOW_US = 400 };

static struct fake_heap heap;
static struct hs_holders_vm vm;
static struct hs_holders_limits limits;
static size_t used_before;
static uint32_t app;

/* A class's static field holds an application object, whose field holds the target; another target is held by nothing. */
static inline void set_up(void) {
    make_up_time();
    used_before = hs_mem_used();
    fake_heap_init(&heap);
    vm = fake_vm_of(&heap);
    app = fake_object(&heap, APP);
    heap.targets[heap.target_count++] = fake_object(&heap, PLAIN);
    heap.targets[heap.target_count++] = fake_object(&heap, PLAIN);
    fake_root(&heap, APP, (struct hs_root){.kind = HS_ROOT_SYSTEM_CLASS});
    fake_refer(&heap, APP, app, HS_EDGE_STATIC_FIELD, 4);
    fake_refer(&heap, app, heap.targets[0], HS_EDGE_FIELD, 2);
    limits = (struct hs_holders_limits){.pause_us = 10000,
                                        .time_us = 20000000,
                                        .memory = UINT64_C(1) << 30,
                                        .ways = 1 << HS_WAY_PASSES};
}

static inline void tear_down(void) {
    cr_assert_eq(hs_mem_used(), used_before);
    cr_assert_eq(heap.closed, heap.opened, "tags are off");
}

static inline struct hs_holders *find(void) {
    struct hs_holders *holders = NULL;
    cr_assert_eq(hs_holders_find(&limits, heap.target_count, &vm, NULL, &holders), HS_OK);
    return holders;
}

static inline struct hs_path next(struct hs_holders *holders) {
    struct hs_path path;
    cr_assert(hs_holders_next(holders, &path));
    return path;
}

/* The outcomes of the two targets. */
static inline void check_outcomes(enum hs_outcome first, enum hs_outcome second) {
    struct hs_holders *holders = find();
    enum hs_outcome outcome = next(holders).outcome;
    cr_assert_eq(outcome, first, "%d", (int)outcome);
    outcome = next(holders).outcome;
    cr_assert_eq(outcome, second, "%d", (int)outcome);
    hs_holders_free(holders);
}

/* A row of objects from `from` on; returns the last. */
static inline uint32_t chain(uint32_t from, uint32_t length) {
    for (uint32_t i = 0; i < length; i++) {
        uint32_t link = fake_object(&heap, APP);
        fake_refer(&heap, from, link, HS_EDGE_FIELD, (int32_t)(i % 2));
        from = link;
    }
    return from;
}

/* As many links, with edges that take 16 ms each, or only the first of them; returns the last one. */
static inline uint32_t slow_chain_from(uint32_t last, int32_t links) {
    heap.slow_us = SLOW_US;
    for (int32_t i = 0; i < links; i++) {
        last = chain(last, 1);
        for (int32_t j = 0; j < 40; j++) {
            fake_refer(&heap, last, app, HS_EDGE_ELEMENT, j);
        }
    }
    return last;
}

static inline uint32_t slow_chain(int32_t links) {
    return slow_chain_from(app, links);
}

#endif
