/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_dominators.h"

#include <criterion/criterion.h>

#include "hs_clock.h"
#include "hs_mem.h"
#include "random_graph.h"

static struct small_graph g;
static struct hs_graph *graph;
static struct hs_dominators dominators;
static size_t used_before;

static void clear(void) {
    used_before = hs_mem_used();
    small_clear(&g);
}

static void find(void) {
    if (graph == NULL) {
        graph = small_build(&g);
    }
    cr_assert(hs_dominators_find(&dominators, graph, SMALL_FACTS, INT64_MAX));
}

static void forget(void) {
    hs_dominators_free(&dominators);
    hs_graph_free(graph);
    graph = NULL;
    cr_assert_eq(hs_mem_used(), used_before);
}

TestSuite(dominators, .init = clear, .fini = forget);

static bool dominates(uint32_t node, uint32_t target) {
    return hs_dominators_is(&dominators, node, target);
}

Test(dominators, two_ways_meet_again) {
    uint32_t top = small_object(&g, SHOP);
    uint32_t left = small_object(&g, SHOP);
    uint32_t right = small_object(&g, SHOP);
    uint32_t bottom = small_object(&g, SHOP);
    uint32_t behind = small_object(&g, SHOP);
    small_root(&g, top, HS_ROOT_LOCAL, 1);
    small_field(&g, top, left, 0);
    small_field(&g, top, right, 1);
    small_field(&g, left, bottom, 0);
    small_field(&g, right, bottom, 0);
    small_field(&g, bottom, behind, 0);
    small_field(&g, behind, bottom, 0);
    small_field(&g, behind, behind, 1);
    find();
    cr_assert(dominates(top, bottom));
    cr_assert(dominates(top, left));
    cr_assert_not(dominates(left, bottom));
    cr_assert_not(dominates(right, bottom));
    cr_assert_not(dominates(bottom, top));
    cr_assert(dominates(bottom, behind));
    cr_assert_not(dominates(behind, bottom));
    cr_assert(dominates(bottom, bottom));
    cr_assert(dominates(top, behind));
}

Test(dominators, two_roots_dominate_nothing) {
    uint32_t a = small_object(&g, SHOP);
    uint32_t b = small_object(&g, SHOP);
    uint32_t shared = small_object(&g, SHOP);
    small_root(&g, a, HS_ROOT_LOCAL, 1);
    small_static(&g, SHOP, b, 1);
    small_field(&g, a, shared, 0);
    small_field(&g, b, shared, 0);
    find();
    cr_assert_not(dominates(a, shared));
    cr_assert_not(dominates(b, shared));
    cr_assert(dominates(shared, shared));
    cr_assert(dominates(SHOP, b), "a class that stays is a root");
    cr_assert_not(dominates(SHOP, shared));
}

Test(dominators, only_strong_references_count) {
    uint32_t cache = small_object(&g, SHOP);
    uint32_t order = small_object(&g, ORDER);
    uint32_t soft = small_object(&g, ORDER);
    small_root(&g, cache, HS_ROOT_LOCAL, 1);
    small_field(&g, cache, order, 0);
    small_link(&g, SHOP, order, HS_EDGE_FIELD, HS_EDGE_SOFT, 0);
    small_link(&g, cache, soft, HS_EDGE_FIELD, HS_EDGE_FINAL, 1);
    find();
    cr_assert(dominates(cache, order));
    cr_assert_not(dominates(cache, soft));
    cr_assert_not(dominates(soft, soft), "no strong path leads there");
    cr_assert_not(dominates(soft, order));
}

Test(dominators, our_own_objects_hold_nothing) {
    uint32_t engine = small_object(&g, OWN);
    uint32_t shop = small_object(&g, SHOP);
    uint32_t order = small_object(&g, ORDER);
    small_root(&g, engine, HS_ROOT_JNI_GLOBAL, 0);
    small_root(&g, shop, HS_ROOT_LOCAL, 0);
    small_field(&g, engine, order, 0);
    small_static(&g, OWN, order, 0);
    small_field(&g, shop, order, 0);
    find();
    cr_assert(dominates(shop, order));
    cr_assert_not(dominates(engine, order));
}

Test(dominators, an_object_leads_to_its_class_unless_that_stays) {
    uint32_t plugin = small_object(&g, PLUGIN);
    uint32_t loader = small_object(&g, LOADER);
    uint32_t shop = small_object(&g, SHOP);
    small_root(&g, plugin, HS_ROOT_LOCAL, 1);
    small_root(&g, shop, HS_ROOT_LOCAL, 1);
    small_link(&g, PLUGIN, loader, HS_EDGE_CLASS_LOADER, HS_EDGE_STRONG, 0);
    find();
    cr_assert(dominates(plugin, loader));
    cr_assert(dominates(plugin, PLUGIN));
    cr_assert(dominates(PLUGIN, loader));
    cr_assert_not(dominates(shop, SHOP));
    cr_assert_not(dominates(ADDON, ADDON));
}

Test(dominators, an_empty_graph) {
    find();
    cr_assert(dominates(SHOP, SHOP));
    cr_assert_not(dominates(PLUGIN, PLUGIN));
}

/* ---- large ones: they must end, and without a deep stack ---- */

enum { MANY = 1000000 };

static struct hs_graph *large_new(uint32_t objects) {
    cr_assert_eq(hs_graph_new(CLASS_COUNT, 1 << 28, &graph), HS_OK);
    for (uint32_t i = 0; i < objects; i++) {
        cr_assert_neq(hs_graph_add_node(graph, JDK), 0);
    }
    return graph;
}

static void large_field(uint32_t from, uint32_t to) {
    const struct hs_edge edge = {.to = to, .kind = HS_EDGE_FIELD};
    cr_assert(hs_graph_add_edge(graph, from, &edge));
}

static void large_root(uint32_t to) {
    cr_assert(hs_graph_add_root(graph, &(struct hs_root){.to = to, .kind = HS_ROOT_OTHER}));
}

Test(dominators, a_list_of_a_million) {
    (void)large_new(MANY);
    large_root(FIRST_OBJECT);
    for (uint32_t n = FIRST_OBJECT; n < CLASS_COUNT + MANY; n++) {
        large_field(n, n + 1);
    }
    find();
    for (uint32_t n = FIRST_OBJECT; n < CLASS_COUNT + MANY; n++) {
        cr_assert(dominates(n, CLASS_COUNT + MANY));
        cr_assert_not(dominates(n + 1, n));
    }
}

/* At the deadline nothing is left behind, also in the middle of its work. */
Test(dominators, end_at_the_deadline) {
    (void)large_new(MANY);
    large_root(FIRST_OBJECT);
    for (uint32_t n = FIRST_OBJECT; n < CLASS_COUNT + MANY; n++) {
        large_field(n, n + 1);
        large_field(n, n % 1000 + FIRST_OBJECT);
    }
    size_t used = hs_mem_used();
    cr_assert_not(hs_dominators_find(&dominators, graph, SMALL_FACTS, 0));
    int64_t most_us = 1000;
    uint32_t ended = 0;
    while (
        !hs_dominators_find(&dominators, graph, SMALL_FACTS, hs_clock_monotonic_us() + most_us)) {
        cr_assert_eq(hs_mem_used(), used);
        cr_assert_null(dominators.places);
        most_us += most_us / 4;
        ended++;
    }
    cr_assert_gt(ended, 0);
    cr_assert(dominates(FIRST_OBJECT, CLASS_COUNT + MANY));
}

/* As java.util.LinkedList: the list knows both ends, so no element dominates another one. */
Test(dominators, a_list_of_a_million_in_both_directions) {
    (void)large_new(MANY);
    uint32_t list = FIRST_OBJECT;
    uint32_t last = CLASS_COUNT + MANY;
    large_root(list);
    large_field(list, list + 1);
    large_field(list, last);
    for (uint32_t n = list + 1; n <= last; n++) {
        if (n < last) {
            large_field(n, n + 1);
        }
        if (n > list + 1) {
            large_field(n, n - 1);
        }
    }
    find();
    for (uint32_t n = list + 1; n < last; n++) {
        cr_assert(dominates(list, n));
        cr_assert_not(dominates(n, n + 1));
        cr_assert_not(dominates(n + 1, n));
    }
}

/* A list whose values are also in an array: neither dominates the values. */
Test(dominators, a_list_and_an_array_of_half_a_million) {
    enum { COUNT = MANY / 2 };
    (void)large_new(2 + 2 * COUNT);
    uint32_t array = FIRST_OBJECT;
    uint32_t list = array + 1;
    uint32_t value = list + COUNT; /* of element i at value + i + 1, its list node at list + i */
    large_root(array);
    large_root(list);
    for (uint32_t i = 0; i < COUNT; i++) {
        large_field(list + i, value + i + 1);
        if (i + 1 < COUNT) {
            large_field(list + i, list + i + 1);
        }
    }
    for (uint32_t i = 0; i < COUNT; i++) {
        large_field(array, value + i + 1);
    }
    find();
    for (uint32_t i = 0; i < COUNT; i++) {
        cr_assert_not(dominates(array, value + i + 1));
        cr_assert_not(dominates(list + i, value + i + 1));
        cr_assert(dominates(value + i + 1, value + i + 1));
        cr_assert(i == 0 || dominates(list + i - 1, list + i));
    }
}

/* ---- against a search without the node ---- */

static struct small_edge references[2 * MOST_SMALL];
static uint32_t reference_count;

/* Which nodes the roots reach strongly, when `removed` is none of them. */
static void reach_without(uint32_t removed, bool *reached) {
    memset(reached, 0, sizeof(bool) * MOST_SMALL);
    for (uint32_t i = 0; i < g.root_count; i++) {
        reached[g.roots[i].to] = g.roots[i].to != removed;
    }
    for (uint32_t n = 1; n <= CLASS_COUNT; n++) {
        bool is_root = small_has(&g, n, HS_CLASS_STAYS) && !small_has(&g, n, HS_CLASS_OWN);
        reached[n] = (reached[n] || is_root) && n != removed;
    }
    for (bool has_changed = true; has_changed;) {
        has_changed = false;
        for (uint32_t i = 0; i < reference_count; i++) {
            uint32_t from = references[i].from;
            uint32_t to = references[i].edge.to;
            bool leads = reached[from] && !small_has(&g, from, HS_CLASS_OWN) && to != removed &&
                         references[i].edge.strength == HS_EDGE_STRONG;
            has_changed = has_changed || (leads && !reached[to]);
            reached[to] = reached[to] || leads;
        }
    }
}

Test(dominators, are_those_without_which_a_search_does_not_get_there) {
    struct seeded seeded = {29};
    uint32_t found = 0;
    for (uint32_t round = 0; round < 3000; round++) {
        random_graph(&g, &seeded, false);
        reference_count = small_references(&g, references);
        find();
        bool reached[MOST_SMALL];
        bool without[MOST_SMALL];
        reach_without(0, reached);
        for (uint32_t node = 1; node <= g.node_count; node++) {
            reach_without(node, without);
            for (uint32_t target = 1; target <= g.node_count; target++) {
                bool expected = reached[target] && !without[target];
                cr_assert_eq(dominates(node, target), expected, "round %u: %u of %u", round, node,
                             target);
                found += expected && node != target;
            }
        }
        forget();
    }
    cr_assert_gt(found, 10000);
}
