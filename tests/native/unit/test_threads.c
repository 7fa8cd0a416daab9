/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_threads.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "hs_mem.h"

/* Adds a thread with a name, as a callback does; answers its number. */
static struct hs_thread_id put(hs_threads *threads, int64_t java_id, const char *name) {
    struct hs_thread_id id;
    cr_assert_eq(hs_threads_put(threads, java_id, &id), HS_OK);
    hs_threads_set_name(threads, id, name, strlen(name));
    return id;
}

static void assert_name(const hs_threads *threads, struct hs_thread_id id, const char *name) {
    uint32_t bytes;
    const char *text = hs_threads_name_text(threads, hs_threads_name(threads, id), &bytes);
    cr_assert_eq(bytes, strlen(name), "%.*s", (int)bytes, text);
    cr_assert(memcmp(text, name, bytes) == 0, "%.*s", (int)bytes, text);
}

Test(threads, a_table_has_a_serial_that_none_had_before) {
    hs_threads *first;
    hs_threads *second;
    cr_assert_eq(hs_threads_new(5, &first), HS_OK);
    cr_assert_eq(hs_threads_new(5, &second), HS_OK);
    uint64_t serial = hs_threads_serial(second);
    cr_assert_gt(hs_threads_serial(first), 0);
    cr_assert_gt(serial, hs_threads_serial(first));
    hs_threads_free(second);
    cr_assert_eq(hs_threads_new(5, &second), HS_OK); /* perhaps at the same address */
    cr_assert_gt(hs_threads_serial(second), serial);
    hs_threads_free(second);
    hs_threads_free(first);
}

Test(threads, have_an_id_and_a_name) {
    static const int64_t IDS[] = {1, 2, INT64_MAX, (int64_t)1 << 32, 0};
    static const char *const NAMES[] = {"main", "worker-1", "", "main", "worker-2"};
    size_t before = hs_mem_used();
    hs_threads *threads;
    struct hs_thread_id numbers[5];
    cr_assert_eq(hs_threads_new(5, &threads), HS_OK);
    for (uint32_t i = 0; i < 5; i++) {
        cr_assert_eq(hs_threads_find(threads, IDS[i]).number, HS_THREAD_OTHER);
        numbers[i] = put(threads, IDS[i], NAMES[i]);
        cr_assert_eq(numbers[i].number, i + 1);
    }
    for (uint32_t i = 0; i < 5; i++) {
        cr_assert_eq(hs_threads_find(threads, IDS[i]).number, numbers[i].number);
        cr_assert_eq(hs_threads_java_id(threads, numbers[i]), IDS[i]);
        assert_name(threads, numbers[i], NAMES[i]);
    }
    cr_assert(hs_threads_is_valid(threads));
    hs_threads_free(threads);
    hs_threads_free(NULL);
    cr_assert_eq(hs_mem_used(), before);
}

Test(threads, that_find_no_room_are_the_other_one) {
    hs_threads *threads;
    struct hs_thread_id id;
    cr_assert_eq(hs_threads_new(1, &threads), HS_OK);
    cr_assert_not(hs_threads_is_full(threads));
    (void)put(threads, 7, "main");
    cr_assert(hs_threads_is_full(threads));
    cr_assert_eq(hs_threads_put(threads, 8, &id), HS_FULL);
    cr_assert_eq(id.number, HS_THREAD_OTHER);
    cr_assert_eq(hs_threads_find(threads, 8).number, HS_THREAD_OTHER);
    cr_assert_eq(hs_threads_java_id(threads, (struct hs_thread_id){HS_THREAD_OTHER}), -1);
    cr_assert_eq(hs_threads_name(threads, (struct hs_thread_id){HS_THREAD_OTHER}).number, 0);
    cr_assert(hs_threads_is_valid(threads));
    hs_threads_free(threads);
}

Test(threads, unknown_numbers_have_neither) {
    static const struct hs_thread_id UNKNOWN[] = {{1}, {10}, {11}, {UINT32_MAX}};
    hs_threads *threads;
    cr_assert_eq(hs_threads_new(10, &threads), HS_OK);
    for (int i = 0; i < 4; i++) {
        cr_assert_eq(hs_threads_java_id(threads, UNKNOWN[i]), -1);
        cr_assert_eq(hs_threads_name(threads, UNKNOWN[i]).number, 0);
    }
    cr_assert(hs_threads_is_valid(threads));
    hs_threads_free(threads);
    cr_assert_eq(hs_threads_new(0, &threads), HS_INVALID);
    cr_assert_null(threads);
}

Test(threads, keep_the_name_they_were_first_sampled_with) {
    hs_threads *threads;
    cr_assert_eq(hs_threads_new(10, &threads), HS_OK);
    struct hs_thread_id first = put(threads, 7, "main");
    cr_assert_eq(put(threads, 7, "renamed").number, first.number);
    assert_name(threads, first, "main");
    cr_assert(hs_threads_is_valid(threads));
    hs_threads_free(threads);
}

/* Each thread has a name of its own, and there is room for as many names as threads. */
Test(threads, each_may_have_a_name_of_its_own) {
    enum { COUNT = 200 };
    hs_threads *threads;
    char name[16];
    cr_assert_eq(hs_threads_new(COUNT, &threads), HS_OK);
    for (int i = 0; i < COUNT; i++) {
        cr_assert_eq(hs_threads_is_half_full(threads), i >= COUNT / 2, "%d threads", i);
        (void)snprintf(name, sizeof name, "t%d", i);
        assert_name(threads, put(threads, i, name), name);
    }
    cr_assert(hs_threads_is_valid(threads));
    hs_threads_free(threads);
}

Test(threads, the_walker_finds_names_that_have_changed) {
    hs_threads *threads;
    uint32_t bytes;
    cr_assert_eq(hs_threads_new(5, &threads), HS_OK);
    struct hs_thread_id id = put(threads, 7, "main");
    const char *text = hs_threads_name_text(threads, hs_threads_name(threads, id), &bytes);
    *(char *)(uintptr_t)text = 'p';
    cr_assert_not(hs_threads_is_valid(threads));
    hs_threads_free(threads);
}
