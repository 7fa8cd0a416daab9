/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_reach.h"

#include <criterion/criterion.h>

#include "hs_mem.h"

/* A heap of a few objects: what is reported is an edge from one to another, or from a root (0). */
enum { MOST_OBJECTS = 16, MOST_EDGES = 32, MINUTE_US = 60000000, REFERENT = 3, CONTENT = 4 };

struct edge {
    uint32_t from;
    uint32_t to;
    bool is_field;
    int32_t index;
};

static struct heap {
    struct hs_reach *reach;
    int64_t tags[MOST_OBJECTS];  /* of objects, which references are numbers of */
    int64_t class[MOST_OBJECTS]; /* tag of the object's class */
    bool is_gone[MOST_OBJECTS];
    bool is_visited[MOST_OBJECTS];
    struct edge edges[MOST_EDGES];
    uint32_t edge_count;
    uint32_t walks;
    uint32_t shown;         /* edges, of all walks */
    uint32_t repeated;      /* so often each is shown */
    enum hs_status marking; /* what mark answers */
    enum hs_status walking; /* what the walks end with */
    uint32_t failing_walk;  /* which does; 0: every one */
} heap;

static size_t used_before;

static enum hs_status mark(void *context, hs_ref ref, uint32_t asked) {
    cr_assert_eq(context, &heap);
    if (heap.is_gone[ref]) {
        return HS_CLOSED;
    }
    heap.tags[ref] = hs_reach_object_tag(heap.tags[ref], asked);
    return heap.marking;
}

static bool show(struct hs_reach *reach, const struct edge *edge) {
    const struct hs_reach_edge shown = {.is_field = edge->is_field,
                                        .index = edge->index,
                                        .referrer_class = heap.class[edge->from],
                                        .referee = heap.tags[edge->to]};
    heap.shown++;
    enum hs_reach_step self = hs_reach_see(reach, &shown);
    heap.is_visited[edge->to] = heap.is_visited[edge->to] || self == HS_REACH_DESCEND;
    return self != HS_REACH_STOP;
}

/* Edges are listed from the roots on, so that one pass reaches all. */
static enum hs_status walk(void *context, struct hs_reach *reach) {
    cr_assert_eq(context, &heap);
    heap.walks++;
    memset(heap.is_visited, 0, sizeof heap.is_visited);
    heap.is_visited[0] = true;
    for (uint32_t i = 0; i < heap.edge_count; i++) {
        for (uint32_t n = 0; heap.is_visited[heap.edges[i].from] && n < heap.repeated; n++) {
            if (!show(reach, &heap.edges[i])) {
                return HS_OK;
            }
        }
    }
    bool is_failing = heap.failing_walk == 0 || heap.failing_walk == heap.walks;
    return is_failing ? heap.walking : HS_OK;
}

static struct hs_reach *reach_new(uint32_t capacity, int64_t budget_us) {
    const struct hs_reach_wish wish = {.vm = {.context = &heap, .mark = mark, .walk = walk},
                                       .budget_us = budget_us};
    cr_assert_eq(hs_reach_new(&wish, capacity, &heap.reach), HS_OK);
    return heap.reach;
}

static void set_up(void) {
    used_before = hs_mem_used();
    memset(&heap, 0, sizeof heap);
    heap.repeated = 1;
    (void)reach_new(MOST_OBJECTS, MINUTE_US);
}

static void tear_down(void) {
    hs_reach_free(heap.reach);
    cr_assert_eq(hs_mem_used(), used_before);
}

TestSuite(reach, .init = set_up, .fini = tear_down);

static void edge(uint32_t from, uint32_t to) {
    heap.edges[heap.edge_count++] = (struct edge){.from = from, .to = to};
}

static void field(uint32_t from, int32_t index, uint32_t to) {
    heap.edges[heap.edge_count++] = (struct edge){from, to, true, index};
}

/* An object that is a reference, itself held by a root. */
static void reference(uint32_t object, enum hs_reach_kind kind) {
    heap.class[object] = hs_reach_class_tag(0, kind, REFERENT);
    edge(0, object);
}

static void assert_states(uint32_t count, const enum hs_reach_state *expected) {
    cr_assert_eq(hs_reach_count(heap.reach), count);
    for (uint32_t i = 0; i < count; i++) {
        cr_assert_eq(hs_reach_state(heap.reach, i), expected[i], "state %u is %d", i,
                     (int)hs_reach_state(heap.reach, i));
    }
}

#define FINDS(...)                                                 \
    do {                                                           \
        static const enum hs_reach_state STATES[] = {__VA_ARGS__}; \
        hs_reach_find(heap.reach);                                 \
        assert_states(sizeof STATES / sizeof STATES[0], STATES);   \
    } while (0)

Test(reach, no_query_is_no_walk) {
    hs_reach_find(heap.reach);
    cr_assert_eq(hs_reach_count(heap.reach), 0);
    cr_assert_eq(heap.walks, 0);
    cr_assert_eq(hs_reach_state(heap.reach, 0), HS_REACH_UNKNOWN);
}

Test(reach, a_chain_from_a_root_is_strong_and_ends_the_walk) {
    edge(0, 1);
    field(1, REFERENT, 2); /* a field of that number, of an object that is no reference */
    edge(0, 3);
    hs_reach_ask(heap.reach, 2);
    FINDS(HS_REACH_STRONG);
    cr_assert_eq(heap.walks, 1);
    cr_assert_eq(heap.shown, 2, "objects after the last queried one are not inspected");
}

Test(reach, a_soft_referent_and_what_it_holds_are_soft) {
    reference(1, HS_REACH_SOFT_CLASS);
    field(1, REFERENT, 2);
    edge(2, 3);
    hs_reach_ask(heap.reach, 2);
    hs_reach_ask(heap.reach, 3);
    FINDS(HS_REACH_SOFT, HS_REACH_SOFT);
    cr_assert_eq(heap.walks, 2);
}

Test(reach, strong_wins_whichever_edge_comes_first) {
    reference(1, HS_REACH_SOFT_CLASS);
    field(1, REFERENT, 2);
    edge(0, 2);
    field(1, REFERENT, 2);
    hs_reach_ask(heap.reach, 2);
    FINDS(HS_REACH_STRONG);
}

Test(reach, another_field_of_a_reference_is_strong) {
    reference(1, HS_REACH_SOFT_CLASS);
    reference(2, HS_REACH_WEAK_CLASS);
    field(1, CONTENT, 3);
    field(2, CONTENT, 4);
    hs_reach_ask(heap.reach, 3);
    hs_reach_ask(heap.reach, 4);
    FINDS(HS_REACH_STRONG, HS_REACH_STRONG);
}

Test(reach, an_edge_that_is_no_field_has_no_index) {
    reference(1, HS_REACH_WEAK_CLASS);
    edge(1, 2);
    heap.edges[heap.edge_count - 1].index = REFERENT;
    hs_reach_ask(heap.reach, 2);
    FINDS(HS_REACH_STRONG);
}

Test(reach, a_weak_referent_is_neither_and_so_is_an_object_that_is_not_shown) {
    reference(1, HS_REACH_WEAK_CLASS);
    field(1, REFERENT, 2);
    hs_reach_ask(heap.reach, 2);
    hs_reach_ask(heap.reach, 3);
    FINDS(HS_REACH_NONE, HS_REACH_NONE);
    cr_assert_eq(heap.walks, 2);
}

Test(reach, a_soft_reference_behind_a_weak_one_is_neither) {
    reference(1, HS_REACH_WEAK_CLASS);
    field(1, REFERENT, 2);
    heap.class[2] = hs_reach_class_tag(0, HS_REACH_SOFT_CLASS, REFERENT);
    field(2, REFERENT, 3);
    hs_reach_ask(heap.reach, 3);
    FINDS(HS_REACH_NONE);
}

Test(reach, all_states_at_once_in_the_order_of_asking) {
    reference(1, HS_REACH_SOFT_CLASS);
    reference(2, HS_REACH_WEAK_CLASS);
    field(1, REFERENT, 3);
    field(2, REFERENT, 4);
    edge(0, 5);
    heap.is_gone[6] = true;
    for (hs_ref ref = 6; ref >= 3; ref--) {
        hs_reach_ask(heap.reach, ref);
    }
    FINDS(HS_REACH_GONE, HS_REACH_STRONG, HS_REACH_NONE, HS_REACH_SOFT);
}

Test(reach, what_could_not_be_marked_is_unknown) {
    edge(0, 1);
    heap.marking = HS_NO_MEMORY;
    hs_reach_ask(heap.reach, 1);
    FINDS(HS_REACH_UNKNOWN);
    cr_assert_eq(heap.walks, 0);
}

Test(reach, a_first_walk_that_fails_proves_only_what_it_found) {
    reference(1, HS_REACH_SOFT_CLASS);
    field(1, REFERENT, 2);
    edge(0, 3);
    heap.walking = HS_JVMTI;
    hs_reach_ask(heap.reach, 2);
    hs_reach_ask(heap.reach, 3);
    FINDS(HS_REACH_UNKNOWN, HS_REACH_STRONG);
    cr_assert_eq(heap.walks, 1, "what a second one found would not be known to be soft");
}

Test(reach, a_second_walk_that_fails_proves_only_what_it_found) {
    reference(1, HS_REACH_SOFT_CLASS);
    field(1, REFERENT, 2);
    heap.walking = HS_JVMTI;
    heap.failing_walk = 2;
    hs_reach_ask(heap.reach, 2);
    hs_reach_ask(heap.reach, 3);
    FINDS(HS_REACH_SOFT, HS_REACH_UNKNOWN);
}

Test(reach, the_budget_ends_a_walk) {
    hs_reach_free(heap.reach);
    (void)reach_new(MOST_OBJECTS, 0);
    reference(1, HS_REACH_SOFT_CLASS);
    field(1, REFERENT, 2);
    heap.repeated = 100000;
    hs_reach_ask(heap.reach, 2);
    FINDS(HS_REACH_UNKNOWN);
    cr_assert_lt(heap.shown, 3000);
    cr_assert_eq(heap.walks, 1);
}

Test(reach, further_objects_than_there_is_room_for_are_not_asked) {
    hs_reach_free(heap.reach);
    (void)reach_new(1, MINUTE_US);
    edge(0, 1);
    edge(0, 2);
    hs_reach_ask(heap.reach, 2);
    hs_reach_ask(heap.reach, 1);
    FINDS(HS_REACH_STRONG);
    cr_assert_eq(hs_reach_state(heap.reach, 1), HS_REACH_UNKNOWN);
}

Test(reach, tags_of_a_start_before_count_no_more) {
    edge(0, 1);
    edge(0, 2);
    hs_reach_ask(heap.reach, 1);
    hs_reach_ask(heap.reach, 3);
    hs_reach_restart(heap.reach);
    cr_assert_eq(hs_reach_count(heap.reach), 0);
    hs_reach_ask(heap.reach, 3); /* 1 still has the tag that was the first */
    FINDS(HS_REACH_NONE);
}

Test(reach, a_class_of_references_can_be_queried) {
    heap.tags[1] = hs_reach_class_tag(heap.tags[1], HS_REACH_SOFT_CLASS, REFERENT);
    edge(0, 1);
    hs_reach_ask(heap.reach, 1);
    FINDS(HS_REACH_STRONG);
    cr_assert_eq(hs_reach_object_tag(heap.tags[1], 0),
                 hs_reach_class_tag(0, HS_REACH_SOFT_CLASS, REFERENT), "it is still that class");
    cr_assert_eq(hs_reach_class_tag(hs_reach_object_tag(0, 7), HS_REACH_WEAK_CLASS, 0),
                 hs_reach_object_tag(hs_reach_class_tag(0, HS_REACH_WEAK_CLASS, 0), 7));
}

Test(reach, no_memory_is_said) {
    const struct hs_reach_wish wish = {.budget_us = 1};
    struct hs_reach *none = NULL;
    hs_mem_fail_at(1);
    cr_assert_eq(hs_reach_new(&wish, 1, &none), HS_NO_MEMORY);
    cr_assert_null(none);
    hs_reach_free(none);
}
