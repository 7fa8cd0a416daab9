/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_labels.h"

#include "hs_mem.h"
#include "labelled.h"

static size_t used_before;
static hs_labels *labels;

static void set_up(void) {
    used_before = hs_mem_used();
    cr_assert_eq(hs_labels_new(&labels), HS_OK);
}

static void tear_down(void) {
    cr_assert(hs_labels_is_valid(labels));
    hs_labels_free(labels);
    cr_assert_eq(hs_mem_used(), used_before);
}

TestSuite(labels, .init = set_up, .fini = tear_down);

static enum hs_status put(uint32_t sixteenths, uint32_t tenant, struct hs_label_id *id) {
    char bytes[LABELLED_BYTES];
    return hs_labels_put_within(labels, sixteenths, bytes, labelled_bytes(tenant, bytes), id);
}

Test(labels, the_other_set_is_there_from_the_beginning) {
    uint32_t count;
    const char *bytes = hs_labels_get(labels, (struct hs_label_id){HS_LABEL_OTHER}, &count);
    cr_assert(bytes != NULL && count == 1 && bytes[0] == '\0');
    cr_assert_null(hs_labels_get(labels, (struct hs_label_id){0}, &count));
    cr_assert_eq(count, 0);
    cr_assert_eq(hs_labels_end(labels), HS_LABEL_OTHER + 1);
}

Test(labels, equal_sets_have_equal_numbers) {
    struct hs_label_id first;
    struct hs_label_id second;
    struct hs_label_id again;
    cr_assert_eq(put(16, 1, &first), HS_OK);
    cr_assert_eq(put(16, 2, &second), HS_OK);
    cr_assert_eq(put(16, 1, &again), HS_OK);
    cr_assert_neq(first.number, second.number);
    cr_assert_eq(first.number, again.number);
    char bytes[LABELLED_BYTES];
    uint32_t count;
    const char *text = hs_labels_get(labels, second, &count);
    cr_assert_eq(count, labelled_bytes(2, bytes));
    cr_assert(memcmp(text, bytes, count) == 0);
}

Test(labels, a_full_table_refuses_new_sets_and_finds_the_old_ones) {
    struct hs_label_id id;
    for (uint32_t i = 1; i < HS_MAX_LABELS / 2; i++) {
        cr_assert_eq(put(8, i, &id), HS_OK);
    }
    cr_assert_eq(put(8, 9999, &id), HS_FULL, "half is used");
    cr_assert_eq(id.number, 0);
    cr_assert_not(hs_labels_is_beyond(labels, 12));
    for (uint32_t i = HS_MAX_LABELS / 2; i < HS_MAX_LABELS; i++) {
        cr_assert_eq(put(16, i, &id), HS_OK);
    }
    cr_assert(hs_labels_is_beyond(labels, 12));
    cr_assert_eq(put(16, 9999, &id), HS_FULL);
    cr_assert_eq(put(1, 17, &id), HS_OK, "it is there");
}

/* All sets that threads may open at a time, in use, do not make the next generation due. */
Test(labels, as_many_sets_as_may_be_open_leave_room) {
    struct hs_label_id id;
    for (uint32_t i = 0; i < HS_MAX_LABEL_SETS; i++) {
        cr_assert_eq(put(8, i, &id), HS_OK);
    }
    cr_assert_not(hs_labels_is_beyond(labels, 12));
}

Test(labels, long_sets_are_bounded_by_their_bytes) {
    enum { VALUE = 700 };
    char bytes[VALUE + 4] = "k";
    struct hs_label_id id;
    enum hs_status status = HS_OK;
    uint32_t count = 0;
    memset(bytes + 2, 'v', VALUE);
    for (; status == HS_OK; count++) {
        (void)snprintf(bytes + 2, 8, "%06u", count);
        bytes[8] = '-';
        status = hs_labels_put(labels, bytes, VALUE + 3, &id);
    }
    cr_assert_eq(status, HS_FULL);
    cr_assert_eq(count - 1, HS_MAX_LABEL_BYTES / (VALUE + 3));
    cr_assert(hs_labels_is_beyond(labels, 12));
    cr_assert_eq(put(16, 1, &id), HS_OK, "a short one has room");
}
