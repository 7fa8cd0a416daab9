/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* One publishes editions whose values all are the same number; readers never see two in one reading. It goes
 * on until each reader has looked often enough. */
#include <criterion/criterion.h>

#include "crew.h"
#include "hs_board.h"
#include "hs_check.h"

enum { EDITIONS = 20000, READINGS = 1000, VALUES = 100, READERS = 3 };

static struct hs_board board;
static _Atomic int looking = READERS; /* this many have not looked often enough */
static _Atomic int64_t published;
static _Atomic bool is_over;

static void publish(int number) {
    (void)number;
    for (int64_t edition = 1; edition <= EDITIONS || looking > 0; edition++) {
        int64_t values[VALUES];
        for (int i = 0; i < VALUES; i++) {
            values[i] = edition;
        }
        hs_board_publish(&board, values, VALUES);
        published = edition;
    }
    is_over = true;
}

static void look(int number) {
    (void)number;
    int64_t newest = 0;
    for (int readings = 1; !is_over; readings++) {
        int64_t values[VALUES];
        hs_board_read(&board, values, VALUES);
        for (int i = 1; i < VALUES; i++) {
            HS_CHECK(values[i] == values[0]);
        }
        HS_CHECK(values[0] >= newest);
        newest = values[0];
        looking -= readings == READINGS;
    }
}

static crew_work *const WORKS[] = {publish, look, look, look};

Test(stress_board, no_reading_is_of_two_editions) {
    crew_each(READERS + 1, WORKS);
    int64_t last;
    hs_board_read(&board, &last, 1);
    cr_assert_geq(last, EDITIONS);
    cr_assert_eq(last, published);
}
