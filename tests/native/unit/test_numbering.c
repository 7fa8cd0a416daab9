/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_numbering.h"

#include <criterion/criterion.h>

#include "hs_mem.h"

static const uint32_t ENDS[] = {1, 2, 63, 64, 65, 127, 128, 129, 1000};

enum { END_COUNT = sizeof ENDS / sizeof ENDS[0] };

static void assert_numbers(const struct hs_numbering *numbering, uint32_t end, uint32_t step) {
    uint32_t count = 0;
    uint32_t next = hs_numbering_next(numbering, 0);
    for (uint32_t id = 0; id < end; id++) {
        bool is_marked = id % step == 0;
        cr_assert_eq(hs_numbering_of(numbering, id), is_marked ? count : HS_NO_NUMBER, "id %u", id);
        if (is_marked) {
            cr_assert_eq(next, id);
            next = hs_numbering_next(numbering, id + 1);
            count++;
        }
    }
    cr_assert_eq(next, HS_NO_NUMBER);
    cr_assert_eq(numbering->count, count);
    cr_assert_eq(hs_numbering_of(numbering, end), HS_NO_NUMBER);
    cr_assert_eq(hs_numbering_of(numbering, UINT32_MAX), HS_NO_NUMBER);
    cr_assert_eq(hs_numbering_next(numbering, end), HS_NO_NUMBER);
}

Test(numbering, is_dense_and_in_the_order_of_the_ids) {
    size_t before = hs_mem_used();
    for (int i = 0; i < END_COUNT; i++) {
        for (uint32_t step = 1; step < 130; step++) {
            struct hs_numbering numbering;
            cr_assert(hs_numbering_new(&numbering, ENDS[i]));
            for (uint32_t id = (ENDS[i] - 1) / step * step + step; id >= step;) {
                id -= step;
                cr_assert(hs_numbering_mark(&numbering, id));
                cr_assert_not(hs_numbering_mark(&numbering, id), "it is marked already");
            }
            hs_numbering_settle(&numbering);
            assert_numbers(&numbering, ENDS[i], step);
            hs_numbering_free(&numbering);
        }
    }
    cr_assert_eq(hs_mem_used(), before);
}

Test(numbering, ids_beyond_the_end_have_none) {
    struct hs_numbering numbering;
    cr_assert(hs_numbering_new(&numbering, 64));
    cr_assert_not(hs_numbering_mark(&numbering, 64));
    cr_assert_not(hs_numbering_mark(&numbering, UINT32_MAX));
    hs_numbering_settle(&numbering);
    cr_assert_eq(numbering.count, 0);
    cr_assert_eq(hs_numbering_next(&numbering, 0), HS_NO_NUMBER);
    hs_numbering_free(&numbering);
}

Test(numbering, takes_less_than_two_bits_for_each) {
    struct hs_numbering numbering;
    size_t before = hs_mem_used();
    cr_assert(hs_numbering_new(&numbering, 65536));
    cr_assert_lt(hs_mem_used() - before, 65536 / 4);
    hs_numbering_free(&numbering);
}

Test(numbering, without_memory_there_is_none) {
    for (uint64_t n = 1; n <= 2; n++) {
        struct hs_numbering numbering;
        size_t before = hs_mem_used();
        hs_mem_fail_at(n);
        cr_assert_not(hs_numbering_new(&numbering, 1000));
        hs_mem_fail_at(0);
        hs_numbering_free(&numbering);
        cr_assert_eq(hs_mem_used(), before);
    }
}
