/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_label_scopes.h"

#include <criterion/criterion.h>

enum { THREAD = 7, OTHER_THREAD = 8 };

static struct hs_thread_state self;

static void set_up(void) {
    self = (struct hs_thread_state){0};
}

TestSuite(label_scopes, .init = set_up);

static uint64_t word(void) {
    return hs_label_scopes_word(&self, THREAD);
}

static uint64_t open(uint64_t set) {
    uint64_t previous = hs_label_scopes_open(&self, THREAD, set);
    cr_assert_geq((int64_t)previous, 0, "as Java has it");
    return previous;
}

Test(label_scopes, a_thread_has_no_labels_at_first) {
    cr_assert_eq(word(), 0);
    cr_assert_eq(hs_label_scopes_word(&self, -1), 0, "nor one without an id");
}

Test(label_scopes, the_inner_set_replaces_the_outer_one_and_closing_restores_it) {
    uint64_t outer = open(0x1002);
    cr_assert_eq(outer, 0);
    cr_assert_eq(word(), 0x1002);
    uint64_t inner = open(0x1003);
    cr_assert_eq(word(), 0x1003);
    hs_label_scopes_close(&self, inner);
    cr_assert_eq(word(), 0x1002);
    hs_label_scopes_close(&self, outer);
    cr_assert_eq(word(), 0);
    cr_assert_eq(self.label_state, 0);
}

Test(label_scopes, a_scope_without_labels_hides_those_outside) {
    uint64_t outer = open(0x1002);
    uint64_t inner = open(0);
    cr_assert_eq(word(), 0);
    hs_label_scopes_close(&self, inner);
    cr_assert_eq(word(), 0x1002);
    hs_label_scopes_close(&self, outer);
}

Test(label_scopes, closing_an_outer_scope_ends_the_inner_ones) {
    uint64_t outer = open(0x1002);
    uint64_t middle = open(0x1003);
    uint64_t inner = open(0x1004);
    hs_label_scopes_close(&self, outer);
    cr_assert_eq(word(), 0);
    hs_label_scopes_close(&self, inner);
    hs_label_scopes_close(&self, middle);
    cr_assert_eq(word(), 0, "they are over");
    uint64_t next = open(0x1005);
    hs_label_scopes_close(&self, middle);
    cr_assert_eq(word(), 0x1005, "a late one ends nothing of its own depth");
    hs_label_scopes_close(&self, next);
    cr_assert_eq(word(), 0);
}

Test(label_scopes, closing_twice_is_closing_once) {
    uint64_t outer = open(0x1002);
    uint64_t inner = open(0x1003);
    hs_label_scopes_close(&self, inner);
    hs_label_scopes_close(&self, inner);
    cr_assert_eq(word(), 0x1002);
    hs_label_scopes_close(&self, outer);
    hs_label_scopes_close(&self, outer);
    cr_assert_eq(word(), 0);
}

Test(label_scopes, an_os_thread_that_attaches_again_is_another_thread) {
    (void)open(0x1002);
    cr_assert_eq(hs_label_scopes_word(&self, OTHER_THREAD), 0);
    cr_assert_eq(hs_label_scopes_open(&self, OTHER_THREAD, 0x1003), 0, "nothing was open");
    cr_assert_eq(hs_label_scopes_word(&self, OTHER_THREAD), 0x1003);
    cr_assert_eq(word(), 0, "the one before is gone for good");
    hs_label_scopes_close(&self, 0);
    cr_assert_eq(hs_label_scopes_word(&self, OTHER_THREAD), 0);
}

Test(label_scopes, scopes_that_are_too_deep_change_nothing) {
    enum { DEEP = 3 * HS_LABEL_MOST_SCOPES };
    static uint64_t previous[DEEP];
    for (uint64_t i = 0; i < DEEP; i++) {
        previous[i] = open(0x1000 + i);
        uint64_t deepest = i < HS_LABEL_MOST_SCOPES ? i : HS_LABEL_MOST_SCOPES - 1;
        cr_assert_eq(word(), 0x1000 + deepest);
    }
    for (uint64_t i = DEEP; i-- > 0;) {
        hs_label_scopes_close(&self, previous[i]);
        uint64_t deepest = i < HS_LABEL_MOST_SCOPES ? i : HS_LABEL_MOST_SCOPES;
        cr_assert_eq(word(), deepest == 0 ? 0 : 0x1000 + deepest - 1);
    }
}

Test(label_scopes, what_is_no_state_changes_nothing) {
    (void)open(0x1002);
    hs_label_scopes_close(&self, UINT64_MAX);
    cr_assert_eq(word(), 0x1002);
    (void)open(UINT64_MAX);
    cr_assert_eq(hs_label_depth_of(self.label_state), 2, "of a word only its bits count");
}

Test(label_scopes, virtual_threads_have_theirs_in_the_map) {
    bool is_lost;
    (void)open(0x1002);
    cr_assert_eq(hs_label_map_open(OTHER_THREAD, 0x1003, &is_lost), 0);
    cr_assert_eq(hs_label_scopes_word(&self, OTHER_THREAD), 0x1003, "on any carrier");
    cr_assert_eq(word(), 0x1002);
    hs_label_map_close(OTHER_THREAD, 0);
    cr_assert_eq(hs_label_scopes_word(&self, OTHER_THREAD), 0);
}
