/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "paths_under_test.h"

TestSuite(paths_long, .init = clear, .fini = end);

/* ---- long paths ---- */

Test(paths_long, alike_steps_in_a_row_become_one) {
    uint32_t list = object(SHOP);
    uint32_t nodes[10];
    uint32_t order = object(ORDER);
    small_static(&g, SHOP, list, 0);
    for (uint32_t i = 0; i < 10; i++) {
        nodes[i] = object(JDK);
        field(i == 0 ? list : nodes[i - 1], nodes[i], 1);
    }
    field(nodes[9], order, 2);
    find();
    const char *whole =
        "static > Shop.static 0 Shop > Shop.field 1 JDK > JDK.field 1 JDK repeated > "
        "JDK.field 2 Order";
    for (uint32_t times = 0; times < 2; times++) {
        TOLD(order, whole);
        TOLD(nodes[5], "static > Shop.static 0 Shop > Shop.field 1 JDK > JDK.field 1 JDK repeated");
        TOLD(nodes[9], "static > Shop.static 0 Shop > Shop.field 1 JDK > JDK.field 1 JDK repeated");
        TOLD(nodes[1], "static > Shop.static 0 Shop > Shop.field 1 JDK > JDK.field 1 JDK");
        TOLD(nodes[0], "static > Shop.static 0 Shop > Shop.field 1 JDK");
    }
}

Test(paths_long, steps_that_differ_stay) {
    uint32_t a = object(SHOP);
    uint32_t b = object(SHOP);
    uint32_t c = object(SHOP);
    uint32_t d = object(SHOP);
    small_static(&g, SHOP, a, 1);
    field(a, b, 1);
    small_link(&g, b, c, HS_EDGE_ELEMENT, HS_EDGE_STRONG, 1);
    small_link(&g, c, d, HS_EDGE_ELEMENT, HS_EDGE_STRONG, 2);
    find();
    TOLD(d, "static > Shop.static 1 Shop > Shop.field 1 Shop > Shop.element 1 Shop > "
            "Shop.element 2 Shop");
}

/* After the first target of a list, the others take a few steps each, not a million. */
Test(paths_long, many_targets_in_a_long_list) {
    enum { MANY = 1000000, TARGETS = 20000 };
    cr_assert_eq(hs_graph_new(CLASS_COUNT, 1 << 28, &graph), HS_OK);
    for (uint32_t i = 0; i < MANY; i++) {
        cr_assert_neq(hs_graph_add_node(graph, JDK), 0);
    }
    for (uint32_t n = FIRST_OBJECT; n < CLASS_COUNT + MANY; n++) {
        const struct hs_edge edge = {.to = n + 1, .kind = HS_EDGE_FIELD};
        cr_assert(hs_graph_add_edge(graph, n, &edge));
    }
    const struct hs_root root = {.to = FIRST_OBJECT, .kind = HS_ROOT_JNI_GLOBAL};
    cr_assert(hs_graph_add_root(graph, &root));
    cr_assert_eq(hs_paths_find(graph, SMALL_FACTS, &paths), HS_OK);
    for (uint32_t i = 0; i < TARGETS; i++) {
        TOLD(CLASS_COUNT + MANY - i * 7, "jni global > JDK > JDK.field 0 JDK repeated");
    }
}

Test(paths_long, too_many_steps_are_cut_in_the_middle) {
    uint32_t nodes[300];
    chain(nodes, 300);
    find();
    hs_paths_to(paths, nodes[HS_MAX_STEPS - 1], HS_UNRESOLVED_TIME, &path);
    cr_assert_eq(path.step_count, HS_MAX_STEPS);
    for (uint32_t i = 0; i < HS_MAX_STEPS; i++) {
        cr_assert_eq(path.steps[i].index, i);
        cr_assert_eq(path.steps[i].flags, 0);
    }
    for (uint32_t last = HS_MAX_STEPS; last < 300; last++) {
        hs_paths_to(paths, nodes[last], HS_UNRESOLVED_TIME, &path);
        cr_assert_eq(path.outcome, HS_HELD);
        cr_assert_eq(path.root.kind, HS_ROOT_STATIC_FIELD);
        cr_assert_eq(path.step_count, HS_MAX_STEPS);
        for (uint32_t i = 0; i < HS_MAX_STEPS; i++) {
            bool is_first_half = i < HS_MAX_STEPS / 2;
            cr_assert_eq(path.steps[i].index, is_first_half ? i : last - (HS_MAX_STEPS - 1) + i);
            cr_assert_eq(path.steps[i].flags, i == HS_MAX_STEPS / 2 - 1 ? HS_STEP_CUT : 0);
        }
    }
}

/* ---- dominators ---- */

/* The flags that say so, as a row of digits. */
static const char *dominating(uint32_t node) {
    static char text[HS_MAX_STEPS + 1];
    hs_paths_to(paths, node, HS_UNRESOLVED_ONLY_WEAK, &path);
    for (uint32_t i = 0; i < path.step_count; i++) {
        text[i] = (path.steps[i].flags & HS_STEP_DOMINATES) != 0 ? '1' : '0';
    }
    text[path.step_count] = 0;
    return text;
}

static void find_dominators(void) {
    graph = small_build(&g);
    cr_assert_eq(hs_paths_find(graph, SMALL_FACTS, &paths), HS_OK);
    cr_assert(hs_paths_find_dominators(paths, INT64_MAX));
}

Test(paths_long, steps_say_whether_the_target_dies_with_their_object) {
    uint32_t shop = object(SHOP);
    uint32_t list = object(JDK);
    uint32_t order = object(ORDER);
    uint32_t soft = object(ORDER);
    small_static(&g, SHOP, shop, 0);
    field(shop, list, 0);
    field(list, order, 0);
    field(order, object(ARRAY), 0);
    small_root(&g, list, HS_ROOT_LOCAL, 1);
    small_link(&g, shop, soft, HS_EDGE_FIELD, HS_EDGE_SOFT, 1);
    find_dominators();
    cr_assert_str_eq(dominating(shop), "1");
    cr_assert_str_eq(dominating(list), "01");
    cr_assert_str_eq(dominating(soft + 1), "0111");
    cr_assert_str_eq(dominating(soft), "00", "nothing holds it strongly");
}

/* The last of several alike counts: the thread's local goes past the first elements. */
Test(paths_long, a_repeated_step_says_it_of_its_last_object) {
    uint32_t nodes[6];
    for (uint32_t i = 0; i < 6; i++) {
        nodes[i] = object(JDK);
    }
    small_static(&g, SHOP, nodes[0], 0);
    for (uint32_t i = 1; i < 6; i++) {
        field(nodes[i - 1], nodes[i], 0);
    }
    small_root(&g, nodes[3], HS_ROOT_LOCAL, 1);
    find_dominators();
    for (uint32_t times = 0; times < 2; times++) {
        cr_assert_str_eq(dominating(nodes[5]), "01");
        cr_assert_str_eq(dominating(nodes[2]), "11");
        cr_assert_str_eq(dominating(nodes[3]), "01");
    }
}

Test(paths_long, without_dominators_no_step_says_so) {
    uint32_t shop = object(SHOP);
    small_static(&g, SHOP, shop, 0);
    find();
    cr_assert_not(hs_paths_has_dominators(paths));
    cr_assert_str_eq(dominating(shop), "0");
}
