/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_paths.h"

#include <criterion/criterion.h>
#include <stdio.h>

#include "hs_mem.h"
#include "small_graph.h"

/* A path is compared as text: the root, then each step as in "0>SHOP.3" for a step of kind 0 to an object of SHOP. */
static struct small_graph g;
static struct hs_graph *graph;
static struct hs_paths *paths;
static struct hs_path path;
static size_t used_before;

static const char *const CLASS_NAMES[] = {"?",   "[]",     "Thread", "JDK",    "Shop",   "Order",
                                          "Own", "Plugin", "Addon",  "Loader", "Virtual"};
static const char *const ROOT_NAMES[] = {"none",       "static", "thread",  "local", "jni local",
                                         "jni global", "system", "monitor", "other", "finalizer"};
static const char *const STEP_NAMES[] = {"root",      "field",  "static",  "element",
                                         "class",     "loader", "signers", "domain",
                                         "interface", "super",  "pool",    "other"};

static void clear(void) {
    used_before = hs_mem_used();
    small_clear(&g);
}

static void find(void) {
    graph = small_build(&g);
    cr_assert_eq(hs_paths_find(graph, SMALL_FACTS, &paths), HS_OK);
}

static void end(void) {
    hs_paths_free(paths);
    hs_graph_free(graph);
    cr_assert_eq(hs_mem_used(), used_before);
}

TestSuite(paths, .init = clear, .fini = end);

static size_t append_step(char *text, size_t size, const struct hs_path_step *step) {
    int n = step->kind == HS_EDGE_NONE
                ? snprintf(text, size, " > ")
                : snprintf(text, size, " > %s.%s %u ", CLASS_NAMES[step->from_class],
                           STEP_NAMES[step->kind], step->index);
    size_t length = (size_t)n;
    n = snprintf(text + length, size - length, "%s%s%s%s%s",
                 (step->flags & HS_STEP_CLASS) != 0 ? "class " : "", CLASS_NAMES[step->to_class],
                 (step->flags & HS_STEP_SOFT) != 0 ? " soft" : "",
                 (step->flags & HS_STEP_REPEATED) != 0 ? " repeated" : "",
                 (step->flags & HS_STEP_CUT) != 0 ? " cut" : "");
    return length + (size_t)n;
}

static const char *told(uint32_t node) {
    static char text[16384];
    hs_paths_to(paths, node, HS_UNRESOLVED_ONLY_WEAK, &path);
    if (path.outcome != HS_HELD) {
        cr_assert_eq(path.step_count, 0);
        cr_assert_eq(path.root.kind, HS_ROOT_NONE);
        return path.outcome == HS_UNRESOLVED_ONLY_WEAK ? "only weak" : "other";
    }
    cr_assert_eq(path.root.to, 0);
    size_t length = (size_t)snprintf(text, sizeof text, "%s", ROOT_NAMES[path.root.kind]);
    for (uint32_t i = 0; i < path.step_count; i++) {
        length += append_step(text + length, sizeof text - length, &path.steps[i]);
    }
    return text;
}

#define TOLD(node, text) cr_assert_str_eq(told(node), text, "%s", told(node))

static uint32_t object(uint32_t class_number) {
    return small_object(&g, class_number);
}

static void field(uint32_t from, uint32_t to, uint32_t index) {
    small_field(&g, from, to, index);
}

/* ---- what a path begins with ---- */

Test(paths, a_static_field_of_the_application) {
    uint32_t list = object(JDK);
    uint32_t order = object(ORDER);
    small_static(&g, SHOP, list, 3);
    field(list, order, 1);
    find();
    TOLD(list, "static > Shop.static 3 JDK");
    TOLD(order, "static > Shop.static 3 JDK > JDK.field 1 Order");
}

Test(paths, nothing_reaches_an_object) {
    uint32_t order = object(ORDER);
    find();
    TOLD(order, "only weak");
    hs_paths_to(paths, order, HS_UNRESOLVED_TIME, &path);
    cr_assert_eq(path.outcome, HS_UNRESOLVED_TIME);
    TOLD(0, "only weak");
    TOLD(order + 1, "only weak");
    TOLD(UINT32_MAX, "only weak");
}

Test(paths, a_thread_local) {
    uint32_t thread = object(THREAD);
    uint32_t map = object(JDK);
    uint32_t inherited = object(ARRAY);
    uint32_t name = object(ORDER);
    field(thread, name, LOCALS - 1);
    field(thread, map, LOCALS);
    field(thread, inherited, INHERITABLE);
    small_root(&g, map, HS_ROOT_JNI_GLOBAL, 0);
    small_root(&g, thread, HS_ROOT_THREAD, 42);
    small_root(&g, thread, HS_ROOT_JNI_GLOBAL, 0);
    find();
    TOLD(map, "thread > Thread > Thread.field 5 JDK");
    cr_assert_eq(path.root.thread, 42);
    cr_assert_eq(path.root.method, 0);
    TOLD(inherited, "thread > Thread > Thread.field 6 []");
    TOLD(name, "thread > Thread > Thread.field 4 Order");
    cr_assert_eq(path.root.thread, 42);
}

/* The thread itself belongs to the phase of static fields; the path to its locals begins with the thread still. */
Test(paths, a_thread_local_of_a_thread_that_a_static_field_holds) {
    uint32_t thread = object(THREAD);
    uint32_t other = object(THREAD);
    uint32_t map = object(JDK);
    field(thread, map, LOCALS);
    small_static(&g, SHOP, thread, 0);
    small_root(&g, other, HS_ROOT_THREAD, 41);
    small_root(&g, thread, HS_ROOT_THREAD, 42);
    find();
    TOLD(thread, "static > Shop.static 0 Thread");
    TOLD(map, "thread > Thread > Thread.field 5 JDK");
    cr_assert_eq(path.root.thread, 42);
}

Test(paths, a_thread_local_of_a_virtual_thread) {
    uint32_t scheduler = object(JDK);
    uint32_t thread = object(VIRTUAL_THREAD);
    uint32_t map = object(ARRAY);
    uint32_t order = object(ORDER);
    small_static(&g, JDK, scheduler, 0);
    field(scheduler, thread, 0);
    field(scheduler, map, 1);
    field(thread, map, LOCALS);
    field(map, order, 9);
    find();
    TOLD(order, "thread > Virtual > Virtual.field 5 [] > [].field 9 Order");
    cr_assert_eq(path.root.thread, 0);
    TOLD(thread, "static > JDK.static 0 JDK > JDK.field 0 Virtual");
}

Test(paths, locals_of_an_unreachable_thread_are_unreachable) {
    uint32_t thread = object(VIRTUAL_THREAD);
    uint32_t map = object(ARRAY);
    field(thread, map, LOCALS);
    find();
    TOLD(map, "only weak");
}

Test(paths, roots_of_each_kind) {
    static const struct {
        enum hs_root_kind kind;
        const char *told;
    } ROOTS[] = {
        {HS_ROOT_THREAD, "thread > Order"},       {HS_ROOT_LOCAL, "local > Order"},
        {HS_ROOT_JNI_LOCAL, "jni local > Order"}, {HS_ROOT_JNI_GLOBAL, "jni global > Order"},
        {HS_ROOT_SYSTEM_CLASS, "system > Order"}, {HS_ROOT_MONITOR, "monitor > Order"},
        {HS_ROOT_OTHER, "other > Order"}};
    uint32_t objects[7];
    for (uint32_t i = 0; i < 7; i++) {
        objects[i] = object(ORDER);
        small_root(&g, objects[i], ROOTS[i].kind, i);
    }
    find();
    for (uint32_t i = 0; i < 7; i++) {
        TOLD(objects[i], ROOTS[i].told);
        cr_assert_eq(path.root.thread, i);
        cr_assert_eq(path.root.method, 7);
        cr_assert_eq(path.root.depth, 1);
        cr_assert_eq(path.root.slot, 2);
    }
}

/* ---- which one, of several ---- */

Test(paths, a_longer_path_from_the_application_beats_a_shorter_one_from_the_jdk) {
    uint32_t first = object(SHOP);
    uint32_t order = object(ORDER);
    small_static(&g, JDK, order, 0);
    small_root(&g, order, HS_ROOT_LOCAL, 1);
    small_static(&g, SHOP, first, 1);
    field(first, order, 2);
    find();
    TOLD(order, "static > Shop.static 1 Shop > Shop.field 2 Order");
}

Test(paths, a_longer_path_from_the_jdk_beats_a_local) {
    uint32_t first = object(JDK);
    uint32_t order = object(ORDER);
    small_root(&g, order, HS_ROOT_LOCAL, 1);
    small_root(&g, order, HS_ROOT_JNI_LOCAL, 1);
    small_root(&g, first, HS_ROOT_MONITOR, 1);
    field(first, order, 2);
    find();
    TOLD(order, "monitor > JDK > JDK.field 2 Order");
}

Test(paths, the_shortest_one_within_a_phase) {
    uint32_t far = object(JDK);
    uint32_t near = object(ARRAY);
    uint32_t middle = object(SHOP);
    uint32_t order = object(ORDER);
    small_static(&g, SHOP, far, 0);
    small_static(&g, SHOP, near, 1);
    field(far, middle, 0);
    field(middle, order, 0);
    field(near, order, 0);
    find();
    TOLD(order, "static > Shop.static 1 [] > [].field 0 Order");
}

Test(paths, static_fields_before_threads_before_jni_globals_before_the_rest) {
    enum { COUNT = 4 };
    uint32_t objects[COUNT];
    for (uint32_t i = 0; i < COUNT; i++) {
        objects[i] = object(ORDER);
        const enum hs_root_kind kinds[COUNT] = {HS_ROOT_OTHER, HS_ROOT_JNI_GLOBAL, HS_ROOT_THREAD,
                                                HS_ROOT_NONE};
        for (uint32_t n = 0; n <= i; n++) {
            if (kinds[n] != HS_ROOT_NONE) {
                small_root(&g, objects[i], kinds[n], 1);
            } else {
                small_static(&g, JDK, objects[i], 0);
            }
        }
    }
    find();
    TOLD(objects[0], "other > Order");
    TOLD(objects[1], "jni global > Order");
    TOLD(objects[2], "thread > Order");
    TOLD(objects[3], "static > JDK.static 0 Order");
}

Test(paths, cycles_self_edges_and_parallel_edges) {
    uint32_t a = object(SHOP);
    uint32_t b = object(ORDER);
    small_static(&g, SHOP, a, 0);
    field(a, a, 0);
    field(a, b, 1);
    field(a, b, 2);
    field(b, a, 0);
    field(b, b, 1);
    find();
    TOLD(a, "static > Shop.static 0 Shop");
    TOLD(b, "static > Shop.static 0 Shop > Shop.field 1 Order");
    TOLD(b, "static > Shop.static 0 Shop > Shop.field 1 Order");
}

/* ---- objects and classes that end a path ---- */

Test(paths, our_own_objects_hold_nothing) {
    uint32_t engine = object(OWN);
    uint32_t order = object(ORDER);
    uint32_t behind = object(ORDER);
    small_static(&g, OWN, order, 0);
    small_static(&g, SHOP, engine, 0);
    small_root(&g, engine, HS_ROOT_JNI_GLOBAL, 0);
    small_root(&g, OWN, HS_ROOT_JNI_GLOBAL, 0);
    field(engine, behind, 0);
    small_link(&g, engine, behind, HS_EDGE_FIELD, HS_EDGE_SOFT, 1);
    find();
    TOLD(engine, "static > Shop.static 0 Own");
    TOLD(order, "only weak");
    TOLD(behind, "only weak");
}

Test(paths, a_class_that_stays_is_not_passed_through) {
    uint32_t key = object(ARRAY);
    uint32_t order = object(ORDER);
    uint32_t pooled = object(ORDER);
    small_static(&g, SHOP, key, 0);
    field(key, JDK, 0); /* to JDK.class, whose static field is the JDK's */
    small_static(&g, JDK, order, 1);
    small_link(&g, JDK, pooled, HS_EDGE_CONSTANT_POOL, HS_EDGE_STRONG, 2);
    find();
    TOLD(JDK, "static > Shop.static 0 [] > [].field 0 class JDK");
    TOLD(order, "static > JDK.static 1 Order");
    TOLD(pooled, "system > class JDK > JDK.pool 2 Order");
}

Test(paths, what_else_a_class_that_stays_refers_to) {
    uint32_t pooled = object(ORDER);
    small_link(&g, SHOP, pooled, HS_EDGE_CONSTANT_POOL, HS_EDGE_STRONG, 2);
    find();
    TOLD(pooled, "system > class Shop > Shop.pool 2 Order");
    TOLD(SHOP, "system > class Shop");
    TOLD(ORDER, "only weak");
}

/* It is an object of java.lang.Class, whose fields have the same numbers as its own. */
Test(paths, a_static_field_of_a_class_that_was_loaded_since_has_no_class) {
    uint32_t since = object(JDK);
    uint32_t order = object(ORDER);
    uint32_t domain = object(ARRAY);
    small_root(&g, since, HS_ROOT_SYSTEM_CLASS, 0);
    small_link(&g, since, order, HS_EDGE_STATIC_FIELD, HS_EDGE_STRONG, 3);
    small_link(&g, since, domain, HS_EDGE_PROTECTION_DOMAIN, HS_EDGE_STRONG, 0);
    find();
    TOLD(order, "system > JDK > ?.static 3 Order");
    TOLD(domain, "system > JDK > ?.domain 0 []");
}

Test(paths, an_object_leads_to_its_class_unless_that_stays) {
    uint32_t shop = object(SHOP);
    uint32_t plugin = object(PLUGIN);
    uint32_t unknown = object(UNKNOWN);
    uint32_t loader = object(LOADER);
    small_static(&g, SHOP, shop, 0);
    field(shop, plugin, 0);
    field(shop, unknown, 1);
    small_link(&g, PLUGIN, loader, HS_EDGE_CLASS_LOADER, HS_EDGE_STRONG, 0);
    find();
    TOLD(loader,
         "static > Shop.static 0 Shop > Shop.field 0 Plugin > Plugin.class 0 class Plugin > "
         "Plugin.loader 0 Loader");
    TOLD(SHOP, "system > class Shop"); /* which has edges; ORDER has none */
    TOLD(ORDER, "only weak");
}

/* ---- class loaders that may go ---- */

/* A plugin whose class has a static field; the loader lives by a field of the shop. */
static uint32_t plugin_loader(void) {
    uint32_t shop = object(SHOP);
    uint32_t loader = object(LOADER);
    small_static(&g, SHOP, shop, 0);
    field(shop, loader, 1);
    field(loader, PLUGIN, 2);
    small_link(&g, PLUGIN, loader, HS_EDGE_CLASS_LOADER, HS_EDGE_STRONG, 0);
    return loader;
}

Test(paths, a_static_field_of_a_class_that_may_go) {
    uint32_t loader = plugin_loader();
    uint32_t order = object(ORDER);
    small_static(&g, PLUGIN, order, 4);
    small_static(&g, PLUGIN, loader, 5);
    find();
    TOLD(order, "static > Plugin.static 4 Order");
    TOLD(loader, "static > Shop.static 0 Shop > Shop.field 1 Loader");
    TOLD(PLUGIN, "static > Shop.static 0 Shop > Shop.field 1 Loader > Loader.field 2 class Plugin");
    TOLD(order, "static > Plugin.static 4 Order");
}

Test(paths, a_loader_is_not_explained_by_a_static_field_of_its_class) {
    uint32_t loader = object(LOADER);
    uint32_t stack = object(ARRAY);
    small_static(&g, PLUGIN, loader, 5);
    small_static(&g, ADDON, loader, 6);
    field(stack, ADDON, 0);
    small_root(&g, stack, HS_ROOT_LOCAL, 3);
    find();
    TOLD(loader, "local > [] > [].field 0 class Addon > Addon.static 6 Loader");
    cr_assert_eq(path.root.thread, 3);
}

Test(paths, the_class_of_a_dead_loader_is_no_root) {
    uint32_t loader = object(LOADER);
    uint32_t order = object(ORDER);
    uint32_t soft = object(JDK);
    uint32_t lively = plugin_loader();
    field(loader, ADDON, 2);
    small_static(&g, ADDON, order, 0);
    small_static(&g, PLUGIN, lively, 0);
    small_static(&g, JDK, soft, 0);
    small_link(&g, soft, ADDON, HS_EDGE_FIELD, HS_EDGE_SOFT, 1);
    find();
    TOLD(order, "static > JDK.static 0 JDK > JDK.field 1 class Addon soft > Addon.static 0 Order");
    TOLD(loader, "only weak");
}

/* ---- references that are not strong ---- */

Test(paths, soft_references_only_if_nothing_else) {
    uint32_t cache = object(JDK);
    uint32_t order = object(ORDER);
    uint32_t both = object(ORDER);
    uint32_t behind = object(ARRAY);
    small_static(&g, SHOP, cache, 0);
    small_link(&g, cache, order, HS_EDGE_FIELD, HS_EDGE_SOFT, 1);
    small_link(&g, cache, both, HS_EDGE_FIELD, HS_EDGE_SOFT, 2);
    field(order, behind, 3);
    small_root(&g, both, HS_ROOT_LOCAL, 1);
    find();
    TOLD(order, "static > Shop.static 0 JDK > JDK.field 1 Order soft");
    TOLD(behind, "static > Shop.static 0 JDK > JDK.field 1 Order soft > Order.field 3 []");
    TOLD(both, "local > Order");
}

Test(paths, the_queue_of_finalizers_comes_last) {
    uint32_t finalizer = object(JDK);
    uint32_t dead = object(SHOP);
    uint32_t soft = object(ORDER);
    uint32_t behind = object(ORDER);
    uint32_t live = object(ORDER);
    small_static(&g, JDK, finalizer, 0);
    small_link(&g, finalizer, dead, HS_EDGE_FIELD, HS_EDGE_FINAL, 1);
    small_link(&g, finalizer, live, HS_EDGE_FIELD, HS_EDGE_FINAL, 2);
    field(dead, behind, 3);
    small_link(&g, behind, soft, HS_EDGE_FIELD, HS_EDGE_SOFT, 4);
    small_link(&g, finalizer, live, HS_EDGE_FIELD, HS_EDGE_SOFT, 5);
    find();
    TOLD(dead, "finalizer > Shop");
    TOLD(behind, "finalizer > Shop > Shop.field 3 Order");
    TOLD(soft, "finalizer > Shop > Shop.field 3 Order > Order.field 4 Order soft");
    TOLD(live, "static > JDK.static 0 JDK > JDK.field 5 Order soft");
}

/* ---- long paths ---- */

Test(paths, alike_steps_in_a_row_become_one) {
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

Test(paths, steps_that_differ_stay) {
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

/* Alternating classes, so that no two steps in a row are alike. */
static void chain(uint32_t *nodes, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        nodes[i] = object(i % 2 == 0 ? SHOP : ORDER);
        if (i == 0) {
            small_static(&g, SHOP, nodes[i], 0);
        } else {
            field(nodes[i - 1], nodes[i], i);
        }
    }
}

/* After the first target of a list, the others take a few steps each, not a million. */
Test(paths, many_targets_in_a_long_list) {
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

Test(paths, too_many_steps_are_cut_in_the_middle) {
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

Test(paths, steps_say_whether_the_target_dies_with_their_object) {
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
Test(paths, a_repeated_step_says_it_of_its_last_object) {
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

Test(paths, without_dominators_no_step_says_so) {
    uint32_t shop = object(SHOP);
    small_static(&g, SHOP, shop, 0);
    find();
    cr_assert_not(hs_paths_has_dominators(paths));
    cr_assert_str_eq(dominating(shop), "0");
}

/* ---- as bytes ---- */

static struct hs_buffer buffer;

static void write_path(void) {
    buffer.length = 0;
    hs_path_write(&path, &buffer);
    cr_assert_not(buffer.has_failed);
}

static void held_path(void) {
    uint32_t nodes[20];
    chain(nodes, 20);
    small_link(&g, nodes[19], object(JDK), HS_EDGE_FIELD, HS_EDGE_SOFT, HS_EDGE_MAX_INDEX);
    find();
    hs_paths_to(paths, g.node_count, HS_UNRESOLVED_TIME, &path);
    cr_assert_eq(path.step_count, 21);
    path.root.thread = INT64_MIN;
    path.root.method = UINT64_MAX;
    path.root.depth = -1;
    path.root.slot = INT32_MIN;
}

static void are_equal(const struct hs_path *a, const struct hs_path *b) {
    cr_assert_eq(a->outcome, b->outcome);
    cr_assert_eq(a->root.kind, b->root.kind);
    cr_assert_eq(a->root.thread, b->root.thread);
    cr_assert_eq(a->root.method, b->root.method);
    cr_assert_eq(a->root.depth, b->root.depth);
    cr_assert_eq(a->root.slot, b->root.slot);
    cr_assert_eq(a->step_count, b->step_count);
    for (uint32_t i = 0; i < a->step_count; i++) {
        cr_assert_eq(a->steps[i].kind, b->steps[i].kind);
        cr_assert_eq(a->steps[i].flags, b->steps[i].flags);
        cr_assert_eq(a->steps[i].index, b->steps[i].index);
        cr_assert_eq(a->steps[i].from_class, b->steps[i].from_class);
        cr_assert_eq(a->steps[i].to_class, b->steps[i].to_class);
    }
}

Test(paths, bytes_of_several_paths_are_read_back) {
    held_path();
    write_path();
    size_t first = buffer.length;
    struct hs_path none;
    hs_paths_to(paths, 0, HS_UNRESOLVED_DIED, &none);
    hs_path_write(&none, &buffer);
    size_t at = 0;
    struct hs_path back;
    cr_assert(hs_path_read(buffer.data, buffer.length, &at, &back));
    cr_assert_eq(at, first);
    are_equal(&back, &path);
    cr_assert(hs_path_read(buffer.data, buffer.length, &at, &back));
    are_equal(&back, &none);
    cr_assert_eq(at, buffer.length);
    cr_assert_not(hs_path_read(buffer.data, buffer.length, &at, &back));
    cr_assert_eq(at, buffer.length);
    hs_buffer_free(&buffer);
}

static void is_refused(const unsigned char *bytes, size_t length) {
    size_t at = 0;
    struct hs_path back;
    memset(&back, 0x55, sizeof back);
    cr_assert_not(hs_path_read(bytes, length, &at, &back));
    cr_assert_eq(at, 0);
    cr_assert_eq(back.outcome, HS_UNRESOLVED_NOT_POSSIBLE);
    cr_assert_eq(back.step_count, 0);
    cr_assert_eq(back.root.kind, HS_ROOT_NONE);
}

Test(paths, bytes_that_are_cut_are_refused) {
    held_path();
    write_path();
    for (size_t length = 0; length < buffer.length; length++) {
        unsigned char *cut = hs_mem_new(length + 1); /* of that size, for the sanitizer */
        memcpy(cut + 1, buffer.data, length);
        is_refused(cut + 1, length);
        hs_mem_free(cut, length + 1);
    }
    size_t at = SIZE_MAX;
    struct hs_path back;
    cr_assert_not(hs_path_read(buffer.data, buffer.length, &at, &back));
    hs_buffer_free(&buffer);
}

static void with_word(size_t at, uint32_t value) {
    unsigned char kept[4];
    memcpy(kept, buffer.data + at, 4);
    hs_buffer_patch_u32(&buffer, at, value);
    is_refused(buffer.data, buffer.length);
    memcpy(buffer.data + at, kept, 4);
}

Test(paths, bytes_that_are_wrong_are_refused) {
    held_path();
    write_path();
    enum { OUTCOME = 0, ROOT = 4, COUNT = 32, ZERO = 36, STEP = 40, STEP_2 = STEP + 16 };
    const uint32_t rubbish[] = {UINT32_MAX, 0x80000000U, 1000};
    for (uint32_t i = 0; i < 3; i++) {
        with_word(OUTCOME, rubbish[i]);
        with_word(ROOT, rubbish[i]);
        with_word(COUNT, rubbish[i]);
        with_word(ZERO, rubbish[i]);
        with_word(STEP, rubbish[i] | 0xFF);
    }
    with_word(OUTCOME, HS_OUTCOME_COUNT);
    with_word(OUTCOME, HS_UNRESOLVED_DIED); /* which has no steps */
    with_word(ROOT, HS_ROOT_NONE);
    with_word(ROOT, HS_ROOT_KIND_COUNT);
    with_word(ROOT, HS_ROOT_LOCAL); /* whose first step is no static field */
    with_word(COUNT, 0);
    with_word(COUNT, HS_MAX_STEPS + 1);
    with_word(STEP, HS_EDGE_NONE);
    with_word(STEP, HS_EDGE_FIELD);
    with_word(STEP_2, HS_EDGE_NONE);
    with_word(STEP_2, HS_EDGE_KIND_COUNT);
    with_word(STEP_2, HS_EDGE_FIELD | 32 << 8);
    with_word(STEP_2, HS_EDGE_FIELD | 1 << 16);
    with_word(STEP_2 + 4, HS_EDGE_MAX_INDEX + 1);
    size_t at = 0;
    struct hs_path back;
    cr_assert(hs_path_read(buffer.data, buffer.length, &at, &back));
    hs_buffer_free(&buffer);
}

Test(paths, outcomes_that_do_not_exist_are_refused) {
    find();
    hs_paths_to(paths, 0, HS_UNRESOLVED_NOT_POSSIBLE, &path);
    write_path();
    with_word(0, HS_OUTCOME_COUNT);
    with_word(0, HS_HELD); /* without steps */
    with_word(4, HS_ROOT_LOCAL);
    hs_buffer_free(&buffer);
}

/* Also where the bytes go on. */
Test(paths, more_steps_than_a_path_has_are_refused) {
    held_path();
    write_path();
    for (uint32_t i = path.step_count; i <= HS_MAX_STEPS; i++) {
        hs_buffer_u32(&buffer, HS_EDGE_FIELD);
        hs_buffer_u32(&buffer, 0);
        hs_buffer_u64(&buffer, 0);
    }
    size_t at = 0;
    struct hs_path back;
    hs_buffer_patch_u32(&buffer, 32, HS_MAX_STEPS);
    cr_assert(hs_path_read(buffer.data, buffer.length, &at, &back));
    hs_buffer_patch_u32(&buffer, 32, HS_MAX_STEPS + 1);
    is_refused(buffer.data, buffer.length);
    hs_buffer_free(&buffer);
}

/* Any bytes: what is read can be written, and is the same then. */
Test(paths, rubbish_is_refused_or_read_as_it_is) {
    held_path();
    write_path();
    uint32_t accepted = 0;
    for (size_t i = 0; i < buffer.length; i++) {
        for (uint32_t bit = 0; bit < 8; bit++) {
            buffer.data[i] ^= (unsigned char)(1U << bit);
            size_t at = 0;
            struct hs_path back;
            if (hs_path_read(buffer.data, buffer.length, &at, &back)) {
                struct hs_buffer again = {.length = 0};
                hs_path_write(&back, &again);
                cr_assert_eq(again.length, at);
                cr_assert_arr_eq(again.data, buffer.data, at);
                hs_buffer_free(&again);
                accepted++;
            }
            buffer.data[i] ^= (unsigned char)(1U << bit);
        }
    }
    cr_assert_gt(accepted, 0);
    hs_buffer_free(&buffer);
}
