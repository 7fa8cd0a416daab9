/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* A small graph, the search over it, and its paths as text. */
#ifndef TEST_PATHS_UNDER_TEST_H
#define TEST_PATHS_UNDER_TEST_H

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

static inline void clear(void) {
    used_before = hs_mem_used();
    small_clear(&g);
}

static inline void find(void) {
    graph = small_build(&g);
    cr_assert_eq(hs_paths_find(graph, SMALL_FACTS, &paths), HS_OK);
}

static inline void end(void) {
    hs_paths_free(paths);
    hs_graph_free(graph);
    cr_assert_eq(hs_mem_used(), used_before);
}

static inline size_t append_step(char *text, size_t size, const struct hs_path_step *step) {
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

static inline const char *told(uint32_t node) {
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

static inline uint32_t object(uint32_t class_number) {
    return small_object(&g, class_number);
}

static inline void field(uint32_t from, uint32_t to, uint32_t index) {
    small_field(&g, from, to, index);
}

/* Alternating classes, so that no two steps in a row are alike. */
static inline void chain(uint32_t *nodes, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        nodes[i] = object(i % 2 == 0 ? SHOP : ORDER);
        if (i == 0) {
            small_static(&g, SHOP, nodes[i], 0);
        } else {
            field(nodes[i - 1], nodes[i], i);
        }
    }
}

#endif
