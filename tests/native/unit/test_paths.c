/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "paths_under_test.h"

TestSuite(paths, .init = clear, .fini = end);

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
