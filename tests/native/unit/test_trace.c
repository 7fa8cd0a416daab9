/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include <string.h>

#include "fake_heap.h"
#include "hs_mem.h"

static struct fake_heap heap;
static struct hs_trace *trace;
static size_t used_before;

static void set_up(void) {
    used_before = hs_mem_used();
    fake_heap_init(&heap);
    trace = NULL;
}

static void tear_down(void) {
    hs_trace_free(trace);
    cr_assert_eq(hs_mem_used(), used_before);
}

static void walk_with(const struct hs_class_facts *facts) {
    struct hs_trace_size size = {CLASSES, heap.target_count, 1};
    cr_assert_eq(hs_trace_new(size, facts, &trace), HS_OK);
    cr_assert_eq(hs_trace_open(trace, UINT64_C(1) << 30), HS_OK);
    cr_assert_eq(fake_mark(&heap, trace), HS_OK);
    cr_assert_eq(fake_walk(&heap, trace), HS_OK);
}

static void walk(void) {
    walk_with(FAKE_FACTS);
}

static uint32_t target(uint32_t class_number) {
    heap.targets[heap.target_count++] = fake_object(&heap, class_number);
    return heap.targets[heap.target_count - 1];
}

/* The only edge of the node, which must be one. */
static struct hs_edge edge_of(uint32_t node) {
    struct hs_edge edge;
    struct hs_graph_edges edges = hs_graph_edges_of(trace->graph, node);
    cr_assert(hs_graph_next_edge(&edges, &edge));
    cr_assert_not(hs_graph_next_edge(&edges, &(struct hs_edge){0}));
    return edge;
}

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

Test(trace, proved_places_make_tags_unnecessary) {
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
Test(trace, a_root_before_the_proof_is_the_same_object_after_it) {
    uint32_t object = row_below(APP);
    fake_root(&heap, object, (struct hs_root){.kind = HS_ROOT_JNI_GLOBAL});
    prove_places();
    walk();
    cr_assert_eq(hs_graph_node_count(trace->graph), CLASSES + 22);
    cr_assert_eq(tagged(), 2);
    cr_assert_eq(hs_trace_node(trace, 0), CLASSES + 3);
}

Test(trace, without_proof_there_are_tags) {
    prove_places();
    (void)row_below(APP);
    heap.odd = SOFT;
    walk();
    cr_assert_eq(trace->end, HS_TRACE_WHOLE);
    cr_assert_eq(tagged(), 22);
    cr_assert_neq(hs_trace_node(trace, 0), 0);
    cr_assert_null(trace->places.nodes);
}

Test(trace, no_proof_of_those_that_refer_leaves_it_at_tags) {
    prove_places();
    (void)row_below(APP);
    heap.odd_from = OTHERS + 20;
    walk();
    cr_assert_eq(trace->end, HS_TRACE_WHOLE);
    cr_assert_eq(tagged(), 22);
}

/* A word that does not change may be the address of one class by chance. */
Test(trace, one_class_proves_nothing_however_often_it_is_shown) {
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
Test(trace, a_reference_to_itself_proves_nothing_of_those_that_refer) {
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

Test(trace, objects_prove_those_that_refer_as_well) {
    prove_by_objects();
    (void)row_of(APP, 60);
    walk();
    cr_assert_eq(trace->end, HS_TRACE_WHOLE);
    cr_assert_eq(hs_graph_node_count(trace->graph), CLASSES + 62);
    cr_assert_gt(tagged(), HS_PROOF_OBJECTS - 4);
    cr_assert_lt(tagged(), HS_PROOF_OBJECTS + 4, "%u", tagged());
    cr_assert_neq(hs_trace_node(trace, 0), 0);
}

Test(trace, an_object_that_refers_from_another_place_leaves_it_at_tags) {
    prove_by_objects();
    heap.odd_from = row_of(APP, 60) + 10;
    walk();
    cr_assert_eq(trace->end, HS_TRACE_WHOLE);
    cr_assert_eq(tagged(), 62);
}

/* Both words are right for classes alone, which is not enough for the one that refers. */
Test(trace, one_address_for_all_other_objects_leaves_it_at_tags) {
    prove_by_objects();
    heap.constant = 8;
    (void)row_of(APP, 60);
    walk();
    cr_assert_eq(trace->end, HS_TRACE_WHOLE);
    cr_assert_eq(tagged(), 62);
    cr_assert_neq(hs_trace_node(trace, 0), 0);
}

Test(trace, a_class_at_another_place_after_the_proof_ends_the_walk) {
    prove_places();
    (void)row_below(APP);
    heap.odd = APP; /* comes after the others */
    walk();
    cr_assert_eq(trace->end, HS_TRACE_ODD);
    cr_assert_eq(hs_trace_outcome(trace, false), HS_UNRESOLVED_NOT_POSSIBLE);
}

Test(trace, a_target_at_another_place_after_the_proof_ends_the_walk) {
    prove_places();
    uint32_t object = target(APP);
    fake_refer(&heap, APP, object, HS_EDGE_STATIC_FIELD, 2);
    fake_refer(&heap, object, fake_object(&heap, APP), HS_EDGE_FIELD, 1);
    heap.odd_from = object;
    walk();
    cr_assert_eq(trace->end, HS_TRACE_ODD);
}

Test(trace, an_edge_from_an_object_that_no_edge_led_to_ends_the_walk) {
    prove_places();
    heap.odd_from = row_below(APP);
    walk();
    cr_assert_eq(trace->end, HS_TRACE_ODD);
}

Test(trace, without_memory_for_places_the_walk_ends) {
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

/* ---- limits ---- */

enum { LOADER = OTHERS, UNLOADED };

/* The class LOADER is that of a class loader, and UNLOADED may go. */
static const struct hs_class_facts *facts_with_a_loader(void) {
    static struct hs_class_facts facts[CLASSES + 1];
    memcpy(facts, FAKE_FACTS, sizeof facts);
    facts[LOADER].bits = HS_CLASS_LOADER | HS_CLASS_STAYS;
    return facts;
}

/* A root, and a class that may go below it. */
static void see_loader(void) {
    const struct hs_root root = {.kind = HS_ROOT_JNI_GLOBAL};
    int64_t tag = hs_trace_mark_target(trace, 0, 0);
    int64_t unloaded = UNLOADED;
    int64_t other = APP;
    cr_assert_eq(hs_trace_see_root(trace, &root, LOADER, &tag, 8), HS_TRACE_DESCEND);
    cr_assert_eq(hs_trace_see_root(trace, &root, 0, &unloaded, 16), HS_TRACE_DESCEND);
    const struct hs_trace_edge edge = {.kind = HS_EDGE_STATIC_FIELD,
                                       .from = &unloaded,
                                       .tag = &other,
                                       .place = 24,
                                       .from_place = 16};
    cr_assert_eq(hs_trace_see_edge(trace, &edge), HS_TRACE_DESCEND);
    cr_assert_neq(hs_trace_node(trace, 0), 0);
}

/* A walk by addresses that ends with the memory: each object refers to the next one, and to as many known ones. Then the search
 * has the memory that the walk left it, within what the process may take, and that for class loaders as well if one is a target. */
static void search_after(uint64_t most_bytes, int known, uint32_t nodes, bool has_loader) {
    enum { SPACING = 56, AREA_BYTES = 256 * 1024 /* of places, which grow by one at most */ };
    const struct hs_class_facts *facts = facts_with_a_loader();
    struct hs_trace_size size = {CLASSES, has_loader ? 1 : 0, 0};
    struct hs_paths *paths = NULL;
    struct hs_path path;
    uint64_t place = SPACING;
    int64_t tag = 0;
    int64_t no_tag = 0;
    cr_assert_eq(hs_trace_new(size, facts, &trace), HS_OK);
    cr_assert_eq(hs_trace_open(trace, most_bytes), HS_OK);
    hs_mem_set_budget(hs_mem_used() + most_bytes);
    cr_assert_eq(hs_places_new(&trace->places.nodes), HS_OK);
    trace->has_loaders = has_loader;
    if (has_loader) {
        see_loader();
    }
    const struct hs_root root = {.kind = HS_ROOT_JNI_GLOBAL};
    enum hs_trace_step step = hs_trace_see_root(trace, &root, APP, &tag, place);
    while (step == HS_TRACE_DESCEND) {
        bool is_last = hs_graph_node_count(trace->graph) >= nodes;
        for (int i = 0; (i < known || is_last) && step == HS_TRACE_DESCEND; i++) {
            const struct hs_trace_edge edge = {.kind = HS_EDGE_ELEMENT,
                                               .class_tag = APP,
                                               .from_class_tag = APP,
                                               .tag = &tag,
                                               .from = &no_tag,
                                               .place = SPACING,
                                               .from_place = place};
            step = hs_trace_see_edge(trace, &edge);
        }
        const struct hs_trace_edge next = {.kind = HS_EDGE_FIELD,
                                           .class_tag = APP,
                                           .from_class_tag = APP,
                                           .tag = &tag,
                                           .from = &no_tag,
                                           .place = place + SPACING,
                                           .from_place = place};
        step = step == HS_TRACE_DESCEND ? hs_trace_see_edge(trace, &next) : step;
        place += SPACING;
    }
    cr_assert_eq(trace->end, HS_TRACE_MEMORY);
    cr_assert_leq(hs_trace_bytes(trace), most_bytes + AREA_BYTES);
    hs_trace_finish(trace);
    cr_assert_eq(hs_paths_find(trace->graph, facts, &paths), HS_OK, "of %llu bytes",
                 (unsigned long long)most_bytes);
    if (has_loader) {
        hs_paths_to(paths, hs_trace_node(trace, 0), HS_UNRESOLVED_ONLY_WEAK, &path);
        cr_assert_eq(path.outcome, HS_HELD, "of %llu bytes", (unsigned long long)most_bytes);
    }
    hs_paths_free(paths);
    hs_mem_set_budget(HS_MEM_DEFAULT_BUDGET);
    hs_trace_free(trace);
    trace = NULL;
}

Test(trace, leaves_memory_for_the_search) {
    for (uint64_t most = 24 << 20; most <= 28 << 20; most += 400000) {
        search_after(most, 1, UINT32_MAX, false);
        search_after(most, 30, UINT32_MAX, false);
        search_after(most, 1, UINT32_MAX, true);
    }
}

/* An array whose elements are all known takes no node any more. */
Test(trace, one_row_of_edges_leaves_memory_for_the_search) {
    search_after(28 << 20, 1, 600000, false);
    search_after(28 << 20, 1, 500000, true);
}

static enum hs_trace_step step_after(int64_t deadline_us, uint64_t most_bytes, uint32_t edges) {
    struct hs_trace_size size = {CLASSES, 0, 0};
    const struct hs_root root = {.kind = HS_ROOT_JNI_GLOBAL};
    enum hs_trace_step step = HS_TRACE_DESCEND;
    cr_assert_eq(hs_trace_new(size, FAKE_FACTS, &trace), HS_OK);
    cr_assert_eq(hs_trace_open(trace, most_bytes), HS_OK);
    trace->deadline_us = deadline_us;
    for (uint32_t i = 0; i < edges && step != HS_TRACE_STOP; i++) {
        int64_t tag = 0;
        step = hs_trace_see_root(trace, &root, APP, &tag, 0);
    }
    return step;
}

Test(trace, ends_when_the_time_is_over) {
    cr_assert_eq(step_after(1, UINT64_C(1) << 30, 2000), HS_TRACE_STOP);
    cr_assert_eq(trace->end, HS_TRACE_TIME);
    cr_assert_eq(hs_trace_outcome(trace, true), HS_UNRESOLVED_PAUSE);
    cr_assert_eq(hs_trace_outcome(trace, false), HS_UNRESOLVED_TIME);
}

Test(trace, ends_when_the_memory_is_used_up_the_tags_included) {
    enum { MOST = 1 << 20 };
    cr_assert_eq(step_after(0, MOST, MOST), HS_TRACE_STOP);
    cr_assert_eq(trace->end, HS_TRACE_MEMORY);
    cr_assert_eq(hs_trace_outcome(trace, false), HS_UNRESOLVED_MEMORY);
    cr_assert_lt(hs_graph_node_count(trace->graph), MOST / (HS_TAG_BYTES + HS_SEARCH_BYTES));
    int64_t tag = 0;
    cr_assert_eq(hs_trace_see_root(trace, &(struct hs_root){.kind = HS_ROOT_OTHER}, APP, &tag, 0),
                 HS_TRACE_STOP, "and it stays so");
}

/* Else the search would get no memory, and not one path would be found. The graph grows in blocks: some budgets end in one. */
Test(trace, never_takes_more_than_its_memory_for_nodes_and_roots) {
    for (uint64_t most = UINT64_C(1) << 20; most < UINT64_C(16) << 20; most += 700000) {
        cr_assert_eq(step_after(0, most, UINT32_MAX), HS_TRACE_STOP);
        cr_assert_eq(trace->end, HS_TRACE_MEMORY);
        cr_assert_leq(hs_trace_bytes(trace), most);
        hs_trace_free(trace);
        trace = NULL;
    }
}

Test(trace, never_takes_more_than_its_memory_for_edges) {
    for (uint64_t most = UINT64_C(1) << 20; most < UINT64_C(16) << 20; most += 700000) {
        int64_t tag = 0;
        cr_assert_eq(step_after(0, most, 0), HS_TRACE_DESCEND);
        cr_assert_eq(
            hs_trace_see_root(trace, &(struct hs_root){.kind = HS_ROOT_OTHER}, APP, &tag, 0),
            HS_TRACE_DESCEND);
        const struct hs_trace_edge edge = {.kind = HS_EDGE_ELEMENT,
                                           .class_tag = APP,
                                           .from_class_tag = APP,
                                           .tag = &tag,
                                           .from = &tag};
        enum hs_trace_step step = HS_TRACE_DESCEND;
        while (step != HS_TRACE_STOP) {
            step = hs_trace_see_edge(trace, &edge);
        }
        cr_assert_eq(trace->end, HS_TRACE_MEMORY);
        cr_assert_leq(hs_trace_bytes(trace), most);
        hs_trace_free(trace);
        trace = NULL;
    }
}

/* No dominators are sought in a graph of several moments. */
Test(trace, counts_no_memory_for_dominators_where_none_are_sought) {
    (void)step_after(0, 1 << 20, 1000);
    uint64_t bytes = hs_trace_bytes(trace);
    trace->is_of_moments = true;
    uint64_t less = (uint64_t)(HS_SEARCH_BYTES - HS_LEAST_SEARCH_BYTES) *
                    (hs_graph_node_count(trace->graph) + 1);
    cr_assert_eq(hs_trace_bytes(trace), bytes - less);
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
