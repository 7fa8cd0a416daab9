/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_threads.h"

#include <criterion/criterion.h>

#include "hs_mem.h"

Test(threads, have_an_id_and_a_name) {
    static const int64_t IDS[] = {1, 2, INT64_MAX, (int64_t)1 << 32, 0};
    size_t before = hs_mem_used();
    hs_threads *threads;
    uint32_t numbers[5];
    cr_assert_eq(hs_threads_new(5, &threads), HS_OK);
    for (uint32_t i = 0; i < 5; i++) {
        cr_assert_eq(hs_threads_find(threads, IDS[i]), HS_THREAD_OTHER);
        cr_assert_eq(hs_threads_put(threads, IDS[i], 40 + i, &numbers[i]), HS_OK);
        cr_assert_eq(numbers[i], i + 1);
    }
    for (uint32_t i = 0; i < 5; i++) {
        cr_assert_eq(hs_threads_find(threads, IDS[i]), numbers[i]);
        cr_assert_eq(hs_threads_java_id(threads, numbers[i]), IDS[i]);
        cr_assert_eq(hs_threads_name(threads, numbers[i]), 40 + i);
    }
    hs_threads_free(threads);
    hs_threads_free(NULL);
    cr_assert_eq(hs_mem_used(), before);
}

Test(threads, that_find_no_room_are_the_other_one) {
    hs_threads *threads;
    uint32_t number;
    cr_assert_eq(hs_threads_new(1, &threads), HS_OK);
    cr_assert_eq(hs_threads_put(threads, 7, 3, &number), HS_OK);
    cr_assert_eq(hs_threads_put(threads, 8, 4, &number), HS_FULL);
    cr_assert_eq(number, HS_THREAD_OTHER);
    cr_assert_eq(hs_threads_find(threads, 8), HS_THREAD_OTHER);
    cr_assert_eq(hs_threads_java_id(threads, HS_THREAD_OTHER), -1);
    cr_assert_eq(hs_threads_name(threads, HS_THREAD_OTHER), 0);
    hs_threads_free(threads);
}

Test(threads, unknown_numbers_have_neither) {
    static const uint32_t UNKNOWN[] = {1, 10, 11, UINT32_MAX};
    hs_threads *threads;
    cr_assert_eq(hs_threads_new(10, &threads), HS_OK);
    for (int i = 0; i < 4; i++) {
        cr_assert_eq(hs_threads_java_id(threads, UNKNOWN[i]), -1);
        cr_assert_eq(hs_threads_name(threads, UNKNOWN[i]), 0);
    }
    hs_threads_free(threads);
    cr_assert_eq(hs_threads_new(0, &threads), HS_INVALID);
    cr_assert_null(threads);
}

Test(threads, keep_the_name_they_were_first_sampled_with) {
    hs_threads *threads;
    uint32_t first;
    uint32_t second;
    cr_assert_eq(hs_threads_new(10, &threads), HS_OK);
    cr_assert_eq(hs_threads_put(threads, 7, 3, &first), HS_OK);
    cr_assert_eq(hs_threads_put(threads, 7, 4, &second), HS_OK);
    cr_assert_eq(first, second);
    cr_assert_eq(hs_threads_name(threads, first), 3);
    hs_threads_free(threads);
}
