/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Addresses instead of tags. */
#include "trace_under_test.h"

TestSuite(trace_places, .init = set_up, .fini = tear_down);

/* A class that leads to the others' objects is followed last. */
static void prove_places(void) {
    fake_root(&heap, TEXT, (struct hs_root){.kind = HS_ROOT_SYSTEM_CLASS});
    fake_refer(&heap, TEXT, APP, HS_EDGE_STATIC_FIELD, 1);
    fake_prove(&heap);
}

/* A row of objects below a static field of a class, with a target at its end, to which the first one leads as well. */
static uint32_t row_of(uint32_t class_number, int length) {
    uint32_t first = fake_object(&heap, APP);
    uint32_t last = first;
    fake_refer(&heap, class_number, first, HS_EDGE_STATIC_FIELD, 7);
    for (int i = 0; i < length; i++) {
        uint32_t next = fake_object(&heap, APP);
        fake_refer(&heap, last, APP, HS_EDGE_CLASS, 0);
        fake_refer(&heap, last, next, HS_EDGE_FIELD, 1);
        last = next;
    }
    fake_refer(&heap, last, target(PLAIN), HS_EDGE_FIELD, 2);
    fake_refer(&heap, first, heap.targets[0], HS_EDGE_FIELD, 3);
    return first;
}

static uint32_t row_below(uint32_t class_number) {
    return row_of(class_number, 20);
}

static uint32_t tagged(void) {
    uint32_t count = 0;
    for (uint32_t i = CLASSES + 1; i < heap.object_count; i++) {
        count += heap.objects[i].tag == 0 ? 0 : 1;
    }
    return count;
}

Test(trace_places, proved_places_make_tags_unnecessary) {
    prove_places();
    heap.has_places = false;
    (void)row_below(APP);
    walk();
    uint32_t nodes = hs_graph_node_count(trace->graph);
    uint64_t edges = hs_graph_edge_count(trace->graph);
    cr_assert_eq(nodes, CLASSES + 22);
    cr_assert_eq(tagged(), 22);
    hs_trace_free(trace);
    fake_heap_init(&heap);
    heap.target_count = 0;
    prove_places();
    (void)row_below(APP);
    walk();
    cr_assert_eq(trace->end, HS_TRACE_WHOLE);
    cr_assert_eq(hs_graph_node_count(trace->graph), nodes);
    cr_assert_eq(hs_graph_edge_count(trace->graph), edges);
    cr_assert_eq(tagged(), 1, "the target alone");
    cr_assert_neq(hs_trace_node(trace, 0), 0);
    hs_trace_finish(trace);
    cr_assert_null(trace->places.nodes);
}

/* An object that was shown before they are proved keeps its tag. */
Test(trace_places, a_root_before_the_proof_is_the_same_object_after_it) {
    uint32_t object = row_below(APP);
    fake_root(&heap, object, (struct hs_root){.kind = HS_ROOT_JNI_GLOBAL});
    prove_places();
    walk();
    cr_assert_eq(hs_graph_node_count(trace->graph), CLASSES + 22);
    cr_assert_eq(tagged(), 2);
    cr_assert_eq(hs_trace_node(trace, 0), CLASSES + 3);
}

Test(trace_places, without_proof_there_are_tags) {
    prove_places();
    (void)row_below(APP);
    heap.odd = SOFT;
    walk();
    cr_assert_eq(trace->end, HS_TRACE_WHOLE);
    cr_assert_eq(tagged(), 22);
    cr_assert_neq(hs_trace_node(trace, 0), 0);
    cr_assert_null(trace->places.nodes);
}

Test(trace_places, no_proof_of_those_that_refer_leaves_it_at_tags) {
    prove_places();
    (void)row_below(APP);
    heap.odd_from = OTHERS + 20;
    walk();
    cr_assert_eq(trace->end, HS_TRACE_WHOLE);
    cr_assert_eq(tagged(), 22);
}

/* A word that does not change may be the address of one class by chance. */
Test(trace_places, one_class_proves_nothing_however_often_it_is_shown) {
    heap.has_places = true;
    fake_root(&heap, TEXT, (struct hs_root){.kind = HS_ROOT_SYSTEM_CLASS});
    for (int i = 0; i < 40; i++) {
        fake_refer(&heap, TEXT, SOFT, HS_EDGE_CONSTANT_POOL, i);
    }
    fake_refer(&heap, TEXT, APP, HS_EDGE_STATIC_FIELD, 1);
    (void)row_below(APP);
    walk();
    cr_assert_eq(trace->end, HS_TRACE_WHOLE);
    cr_assert_eq(tagged(), 22);
}

/* There both ends are one word. */
Test(trace_places, a_reference_to_itself_proves_nothing_of_those_that_refer) {
    heap.has_places = true;
    fake_root(&heap, TEXT, (struct hs_root){.kind = HS_ROOT_SYSTEM_CLASS});
    fake_refer(&heap, TEXT, APP, HS_EDGE_STATIC_FIELD, 1);
    for (uint32_t other = OTHERS; other <= CLASSES; other++) {
        fake_root(&heap, other, (struct hs_root){.kind = HS_ROOT_SYSTEM_CLASS});
        fake_refer(&heap, other, other, HS_EDGE_CONSTANT_POOL, 1);
    }
    (void)row_below(APP);
    walk();
    cr_assert_eq(trace->end, HS_TRACE_WHOLE);
    cr_assert_eq(tagged(), 22);
}

/* Roots that are classes, and a row of objects of which each refers to the next. */
static void prove_by_objects(void) {
    heap.has_places = true;
    fake_root(&heap, TEXT, (struct hs_root){.kind = HS_ROOT_SYSTEM_CLASS});
    fake_refer(&heap, TEXT, APP, HS_EDGE_STATIC_FIELD, 1);
    for (uint32_t other = OTHERS; other <= CLASSES; other++) {
        fake_root(&heap, other, (struct hs_root){.kind = HS_ROOT_SYSTEM_CLASS});
    }
}

Test(trace_places, objects_prove_those_that_refer_as_well) {
    prove_by_objects();
    (void)row_of(APP, 60);
    walk();
    cr_assert_eq(trace->end, HS_TRACE_WHOLE);
    cr_assert_eq(hs_graph_node_count(trace->graph), CLASSES + 62);
    cr_assert_gt(tagged(), HS_PROOF_OBJECTS - 4);
    cr_assert_lt(tagged(), HS_PROOF_OBJECTS + 4, "%u", tagged());
    cr_assert_neq(hs_trace_node(trace, 0), 0);
}

Test(trace_places, an_object_that_refers_from_another_place_leaves_it_at_tags) {
    prove_by_objects();
    heap.odd_from = row_of(APP, 60) + 10;
    walk();
    cr_assert_eq(trace->end, HS_TRACE_WHOLE);
    cr_assert_eq(tagged(), 62);
}

/* Both words are right for classes alone, which is not enough for the one that refers. */
Test(trace_places, one_address_for_all_other_objects_leaves_it_at_tags) {
    prove_by_objects();
    heap.constant = 8;
    (void)row_of(APP, 60);
    walk();
    cr_assert_eq(trace->end, HS_TRACE_WHOLE);
    cr_assert_eq(tagged(), 62);
    cr_assert_neq(hs_trace_node(trace, 0), 0);
}

Test(trace_places, a_class_at_another_place_after_the_proof_ends_the_walk) {
    prove_places();
    (void)row_below(APP);
    heap.odd = APP; /* comes after the others */
    walk();
    cr_assert_eq(trace->end, HS_TRACE_ODD);
    cr_assert_eq(hs_trace_outcome(trace, false), HS_UNRESOLVED_NOT_POSSIBLE);
}

Test(trace_places, a_target_at_another_place_after_the_proof_ends_the_walk) {
    prove_places();
    uint32_t object = target(APP);
    fake_refer(&heap, APP, object, HS_EDGE_STATIC_FIELD, 2);
    fake_refer(&heap, object, fake_object(&heap, APP), HS_EDGE_FIELD, 1);
    heap.odd_from = object;
    walk();
    cr_assert_eq(trace->end, HS_TRACE_ODD);
}

Test(trace_places, an_edge_from_an_object_that_no_edge_led_to_ends_the_walk) {
    prove_places();
    heap.odd_from = row_below(APP);
    walk();
    cr_assert_eq(trace->end, HS_TRACE_ODD);
}

Test(trace_places, without_memory_for_places_the_walk_ends) {
    bool has_ended = false;
    for (uint64_t n = 1; n < 12; n++) {
        fake_heap_init(&heap);
        heap.target_count = 0;
        prove_places();
        (void)row_below(APP);
        struct hs_trace_size size = {CLASSES, 1, 1};
        cr_assert_eq(hs_trace_new(size, FAKE_FACTS, &trace), HS_OK);
        cr_assert_eq(hs_trace_open(trace, UINT64_C(1) << 30), HS_OK);
        cr_assert_eq(fake_mark(&heap, trace), HS_OK);
        hs_mem_fail_at(n);
        cr_assert_eq(fake_walk(&heap, trace), HS_OK);
        hs_mem_fail_at(0);
        cr_assert(trace->end == HS_TRACE_WHOLE || trace->end == HS_TRACE_MEMORY);
        has_ended = has_ended || trace->end == HS_TRACE_MEMORY;
        hs_trace_free(trace);
        trace = NULL;
    }
    cr_assert(has_ended);
}
