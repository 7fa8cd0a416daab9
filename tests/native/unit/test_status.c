/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_status.h"

#include <criterion/criterion.h>
#include <string.h>

Test(status, every_number_has_a_text_of_its_own) {
    for (int i = 0; i < HS_STATUS_COUNT; i++) {
        const char *text = hs_status_text(i);
        cr_assert_not_null(text, "status %d", i);
        cr_assert_gt(strlen(text), 0, "status %d", i);
        cr_assert_neq(text[strlen(text) - 1], '.', "status %d", i);
        for (int j = 0; j < i; j++) {
            cr_assert_str_neq(text, hs_status_text(j), "status %d and %d", i, j);
        }
    }
}

Test(status, other_numbers_have_none) {
    cr_assert_null(hs_status_text(-1));
    cr_assert_null(hs_status_text(HS_STATUS_COUNT));
    cr_assert_null(hs_status_text(1 << 30));
}

/* Java knows these numbers. */
Test(status, numbers_are_pinned) {
    static const int NUMBERS[] = {
        HS_OK,           HS_INVALID,  HS_NO_MEMORY, HS_FULL,       HS_BUSY,
        HS_CLOSED,       HS_TOO_MANY, HS_OWNED,     HS_JVMTI,      HS_UNSUPPORTED,
        HS_NO_THREAD,    HS_VM_DEAD,  HS_OWN,       HS_NO_STACK,   HS_CHANGED,
        HS_NOT_ATTACHED, HS_STUCK,    HS_INSIDE,    HS_MISCOUNTED,
    };
    for (int i = 0; i < (int)(sizeof NUMBERS / sizeof NUMBERS[0]); i++) {
        cr_assert_eq(NUMBERS[i], i);
    }
}

Test(status, drop_causes_keep_their_order) {
    static const int CAUSES[] = {
        HS_DROP_STACKS_FULL, HS_DROP_NAMES_FULL,    HS_DROP_SITES_FULL,   HS_DROP_THREADS_FULL,
        HS_DROP_NO_STACK,    HS_DROP_NO_REFERENCE,  HS_DROP_THINNED,      HS_DROP_PHANTOM,
        HS_DROP_OWN,         HS_DROP_NATIVE_MEMORY, HS_DROP_TRUNCATED,    HS_DROP_DEAD_FORGOTTEN,
        HS_DROP_CAPPED,      HS_DROP_BURST,         HS_DROP_VALUE_OBJECT, HS_DROP_LABELS_FULL,
        HS_DROP_COUNT,
    };
    for (int i = 0; i < (int)(sizeof CAUSES / sizeof CAUSES[0]); i++) {
        cr_assert_eq(CAUSES[i], i);
    }
}
