/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "paths_under_test.h"

TestSuite(path_bytes, .init = clear, .fini = end);

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

Test(path_bytes, bytes_of_several_paths_are_read_back) {
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

Test(path_bytes, bytes_that_are_cut_are_refused) {
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

Test(path_bytes, bytes_that_are_wrong_are_refused) {
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

Test(path_bytes, outcomes_that_do_not_exist_are_refused) {
    find();
    hs_paths_to(paths, 0, HS_UNRESOLVED_NOT_POSSIBLE, &path);
    write_path();
    with_word(0, HS_OUTCOME_COUNT);
    with_word(0, HS_HELD); /* without steps */
    with_word(4, HS_ROOT_LOCAL);
    hs_buffer_free(&buffer);
}

/* Also where the bytes go on. */
Test(path_bytes, more_steps_than_a_path_has_are_refused) {
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
Test(path_bytes, rubbish_is_refused_or_read_as_it_is) {
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
