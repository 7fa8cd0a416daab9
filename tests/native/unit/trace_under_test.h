/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* A trace of a heap of a few objects. */
#ifndef TRACE_UNDER_TEST_H
#define TRACE_UNDER_TEST_H

#include <string.h>

#include "fake_heap.h"
#include "hs_mem.h"

static struct fake_heap heap;
static struct hs_trace *trace;
static size_t used_before;

static inline void set_up(void) {
    used_before = hs_mem_used();
    fake_heap_init(&heap);
    trace = NULL;
}

static inline void tear_down(void) {
    hs_trace_free(trace);
    cr_assert_eq(hs_mem_used(), used_before);
}

static inline void walk_with(const struct hs_class_facts *facts) {
    struct hs_trace_size size = {CLASSES, heap.target_count, 1};
    cr_assert_eq(hs_trace_new(size, facts, &trace), HS_OK);
    cr_assert_eq(hs_trace_open(trace, UINT64_C(1) << 30), HS_OK);
    cr_assert_eq(fake_mark(&heap, trace), HS_OK);
    cr_assert_eq(fake_walk(&heap, trace), HS_OK);
}

static inline void walk(void) {
    walk_with(FAKE_FACTS);
}

static inline uint32_t target(uint32_t class_number) {
    heap.targets[heap.target_count++] = fake_object(&heap, class_number);
    return heap.targets[heap.target_count - 1];
}

/* The only edge of the node, which must be one. */
static inline struct hs_edge edge_of(uint32_t node) {
    struct hs_edge edge;
    struct hs_graph_edges edges = hs_graph_edges_of(trace->graph, node);
    cr_assert(hs_graph_next_edge(&edges, &edge));
    cr_assert_not(hs_graph_next_edge(&edges, &(struct hs_edge){0}));
    return edge;
}

#endif
