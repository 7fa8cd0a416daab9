/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include <criterion/criterion.h>

#include "hs_board.h"

static struct hs_board board;

Test(board, is_empty_before_the_first_edition) {
    int64_t values[3] = {7, 7, 7};
    hs_board_read(&board, values, 3);
    cr_assert_eq(values[0] | values[1] | values[2], 0);
}

Test(board, holds_what_was_published_last) {
    for (int64_t i = 1; i <= 5; i++) {
        const int64_t written[] = {i, 10 * i};
        int64_t values[2];
        hs_board_publish(&board, written, 2);
        hs_board_read(&board, values, 2);
        cr_assert_eq(values[0], i);
        cr_assert_eq(values[1], 10 * i);
    }
}
