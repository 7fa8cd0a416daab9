/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "trace_under_test.h"

TestSuite(trace, .init = set_up, .fini = tear_down);

Test(trace, a_static_field_leads_to_a_target) {
    fake_root(&heap, APP, (struct hs_root){.kind = HS_ROOT_SYSTEM_CLASS});
    fake_refer(&heap, APP, target(PLAIN), HS_EDGE_STATIC_FIELD, 7);
    walk();
    cr_assert_eq(trace->end, HS_TRACE_WHOLE);
    cr_assert_eq(hs_graph_root_count(trace->graph), 1);
    cr_assert_eq(hs_graph_root(trace->graph, 0)->to, APP);
    struct hs_edge edge = edge_of(APP);
    cr_assert_eq(edge.to, hs_trace_node(trace, 0));
    cr_assert_eq(edge.kind, HS_EDGE_STATIC_FIELD);
    cr_assert_eq(edge.index, 7);
    cr_assert_eq(hs_graph_class_of(trace->graph, edge.to), PLAIN);
}

Test(trace, objects_that_lead_nowhere_are_left_out) {
    uint32_t app = fake_object(&heap, APP);
    uint32_t text = fake_object(&heap, TEXT);
    fake_root(&heap, app, (struct hs_root){.kind = HS_ROOT_JNI_GLOBAL});
    fake_root(&heap, fake_object(&heap, PLAIN), (struct hs_root){.kind = HS_ROOT_JNI_GLOBAL});
    fake_refer(&heap, app, fake_object(&heap, PLAIN), HS_EDGE_FIELD, 0);
    fake_refer(&heap, app, text, HS_EDGE_FIELD, 1);
    fake_refer(&heap, text, fake_object(&heap, BYTES), HS_EDGE_FIELD, 0);
    fake_refer(&heap, app, APP, HS_EDGE_CLASS, 0);
    walk();
    cr_assert_eq(hs_graph_node_count(trace->graph), CLASSES + 1);
    cr_assert_eq(hs_graph_edge_count(trace->graph), 0);
    cr_assert_eq(hs_graph_root_count(trace->graph), 1);
}

Test(trace, text_leads_to_an_array_that_is_a_target) {
    uint32_t text = fake_object(&heap, TEXT);
    fake_root(&heap, text, (struct hs_root){.kind = HS_ROOT_JNI_GLOBAL});
    fake_refer(&heap, text, target(BYTES), HS_EDGE_FIELD, 2);
    walk();
    cr_assert_neq(hs_trace_node(trace, 0), 0);
    cr_assert_eq(edge_of(CLASSES + 1).to, hs_trace_node(trace, 0));
}

Test(trace, a_weak_referent_is_not_held_and_a_soft_one_is_softly) {
    uint32_t weak = fake_object(&heap, WEAK);
    uint32_t soft = fake_object(&heap, SOFT);
    uint32_t weakly = target(APP);
    uint32_t softly = target(APP);
    uint32_t strongly = target(APP);
    fake_root(&heap, weak, (struct hs_root){.kind = HS_ROOT_JNI_GLOBAL});
    fake_root(&heap, soft, (struct hs_root){.kind = HS_ROOT_JNI_GLOBAL});
    fake_refer(&heap, weak, weakly, HS_EDGE_FIELD, REFERENT);
    fake_refer(&heap, weak, strongly, HS_EDGE_FIELD, REFERENT + 1);
    fake_refer(&heap, soft, softly, HS_EDGE_FIELD, REFERENT);
    walk();
    cr_assert_eq(hs_trace_node(trace, 0), 0);
    cr_assert_eq(hs_trace_outcome(trace, false), HS_UNRESOLVED_ONLY_WEAK);
    cr_assert_eq(edge_of(CLASSES + 1).strength, HS_EDGE_STRONG);
    cr_assert_eq(edge_of(CLASSES + 1).to, hs_trace_node(trace, 2));
    cr_assert_eq(edge_of(CLASSES + 2).strength, HS_EDGE_SOFT);
    cr_assert_eq(edge_of(CLASSES + 2).to, hs_trace_node(trace, 1));
}

Test(trace, one_object_may_be_several_targets) {
    uint32_t object = target(PLAIN);
    heap.targets[heap.target_count++] = object;
    heap.targets[heap.target_count++] = APP; /* a class */
    fake_root(&heap, object, (struct hs_root){.kind = HS_ROOT_JNI_GLOBAL});
    walk();
    cr_assert_neq(hs_trace_node(trace, 0), 0);
    cr_assert_eq(hs_trace_node(trace, 1), hs_trace_node(trace, 0));
    cr_assert_eq(hs_trace_node(trace, 2), APP);
}

Test(trace, a_thread_has_its_id_also_as_a_target) {
    for (int as_target = 0; as_target < 2; as_target++) {
        hs_trace_free(trace);
        fake_heap_init(&heap);
        heap.thread = as_target == 1 ? target(THREAD) : fake_object(&heap, THREAD);
        heap.thread_id = 42;
        fake_root(&heap, heap.thread, (struct hs_root){.kind = HS_ROOT_THREAD});
        walk();
        cr_assert_eq(hs_graph_root(trace->graph, 0)->thread, 42);
        cr_assert(as_target == 0 || hs_trace_node(trace, 0) != 0);
    }
}

Test(trace, a_class_that_was_loaded_since_is_a_root) {
    uint32_t object = fake_object(&heap, 0);
    uint32_t class_object = fake_object(&heap, 0);
    fake_root(&heap, object, (struct hs_root){.kind = HS_ROOT_JNI_GLOBAL});
    fake_refer(&heap, object, class_object, HS_EDGE_CLASS, 0);
    fake_refer(&heap, class_object, target(PLAIN), HS_EDGE_STATIC_FIELD, 1);
    walk();
    cr_assert_neq(hs_trace_node(trace, 0), 0);
    cr_assert_eq(hs_graph_root_count(trace->graph), 2);
    cr_assert_eq(hs_graph_root(trace->graph, 1)->kind, HS_ROOT_SYSTEM_CLASS);
}

/* It may be a class of weak references. */
Test(trace, a_field_of_a_class_that_was_loaded_since_holds_nothing) {
    uint32_t since = fake_object(&heap, 0);
    uint32_t app = fake_object(&heap, APP);
    fake_root(&heap, since, (struct hs_root){.kind = HS_ROOT_JNI_GLOBAL});
    fake_refer(&heap, since, target(APP), HS_EDGE_FIELD, 0);
    fake_refer(&heap, since, app, HS_EDGE_ELEMENT, 0);
    fake_refer(&heap, app, target(APP), HS_EDGE_FIELD, 0);
    walk();
    cr_assert_eq(hs_trace_node(trace, 0), 0);
    cr_assert_neq(hs_trace_node(trace, 1), 0, "an element is one");
    cr_assert_eq(hs_trace_outcome(trace, false), HS_UNRESOLVED_NOT_POSSIBLE,
                 "it is not known to be unreachable");
}

Test(trace, a_reference_whose_referent_has_no_known_number_holds_nothing) {
    uint32_t weak = fake_object(&heap, WEAK);
    struct hs_class_facts facts[CLASSES + 1];
    memcpy(facts, FAKE_FACTS, sizeof facts);
    facts[WEAK].referent = HS_NO_FIELD;
    fake_root(&heap, weak, (struct hs_root){.kind = HS_ROOT_JNI_GLOBAL});
    fake_refer(&heap, weak, target(APP), HS_EDGE_FIELD, REFERENT);
    walk_with(facts);
    cr_assert_eq(hs_trace_node(trace, 0), 0);
    cr_assert_eq(hs_trace_outcome(trace, false), HS_UNRESOLVED_NOT_POSSIBLE);
}

Test(trace, missing_values_of_classes_are_reported) {
    walk();
    cr_assert_eq(hs_trace_lack(trace, HS_UNRESOLVED_ONLY_WEAK), HS_UNRESOLVED_ONLY_WEAK);
    trace->is_short_of_time = true;
    cr_assert_eq(hs_trace_lack(trace, HS_UNRESOLVED_ONLY_WEAK), HS_UNRESOLVED_TIME);
    trace->lacks_value = true;
    cr_assert_eq(hs_trace_lack(trace, HS_UNRESOLVED_ONLY_WEAK), HS_UNRESOLVED_MEMORY);
}

Test(trace, without_memory_there_is_none) {
    struct hs_trace_size size = {CLASSES, 3, 2};
    for (uint64_t n = 1; n <= 4; n++) {
        hs_mem_fail_at(n);
        cr_assert_eq(hs_trace_new(size, FAKE_FACTS, &trace), HS_NO_MEMORY);
        trace = NULL;
        cr_assert_eq(hs_mem_used(), used_before);
    }
    hs_mem_fail_at(0);
}

/* No walk shows what the fields of a class's own object refer to. */
Test(trace, a_value_of_a_class_comes_with_the_edges_of_the_class) {
    uint32_t value = fake_object(&heap, APP);
    fake_root(&heap, APP, (struct hs_root){.kind = HS_ROOT_SYSTEM_CLASS});
    fake_refer(&heap, APP, fake_object(&heap, APP), HS_EDGE_STATIC_FIELD, 7);
    fake_refer(&heap, value, target(PLAIN), HS_EDGE_FIELD, 1);
    heap.value_of[APP] = value;
    walk();
    cr_assert_eq(hs_trace_node(trace, 0), CLASSES + 3);
    struct hs_edge edge;
    struct hs_graph_edges edges = hs_graph_edges_of(trace->graph, APP);
    cr_assert(hs_graph_next_edge(&edges, &edge));
    cr_assert_eq(edge.kind, HS_EDGE_OTHER);
    cr_assert_eq(edge.index, FAKE_FIELD);
    cr_assert_eq(edge.to, CLASSES + 1);
    cr_assert_eq(edge_of(edge.to).to, hs_trace_node(trace, 0));
    cr_assert(hs_graph_next_edge(&edges, &edge));
    cr_assert_eq(edge.kind, HS_EDGE_STATIC_FIELD);
    cr_assert_not(hs_graph_next_edge(&edges, &edge));
}

Test(trace, a_value_of_a_class_without_edges_comes_at_the_end) {
    heap.value_of[TEXT] = target(PLAIN);
    walk();
    hs_trace_finish(trace);
    struct hs_edge edge = edge_of(TEXT);
    cr_assert_eq(edge.kind, HS_EDGE_OTHER);
    cr_assert_eq(edge.to, hs_trace_node(trace, 0));
    hs_trace_finish(trace);
    cr_assert_eq(hs_graph_edge_count(trace->graph), 1);
}

Test(trace, a_value_of_a_class_that_leads_nowhere_is_left_out) {
    heap.value_of[APP] = fake_object(&heap, PLAIN);
    walk();
    hs_trace_finish(trace);
    cr_assert_eq(hs_graph_node_count(trace->graph), CLASSES);
    cr_assert_not(hs_trace_is_class_value(trace, heap.objects[heap.value_of[APP]].tag));
}

Test(trace, classes_may_share_a_value) {
    heap.value_of[APP] = fake_object(&heap, APP);
    heap.value_of[TEXT] = heap.value_of[APP];
    walk();
    hs_trace_finish(trace);
    cr_assert_eq(hs_graph_node_count(trace->graph), CLASSES + 1);
    cr_assert_eq(edge_of(APP).to, edge_of(TEXT).to);
    cr_assert(hs_trace_is_class_value(trace, heap.objects[heap.value_of[APP]].tag));
    cr_assert_not(hs_trace_is_class_value(trace, APP));
}
