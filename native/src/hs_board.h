/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Board: numbers that are published together and read without waiting.
 *
 * There are two copies. A writer fills the one that is not published, and publishes it. A reader whose
 * copy was published over meanwhile reads again, so it needs no lock and sees no mixture. */
#ifndef HS_BOARD_H
#define HS_BOARD_H

#include <stdatomic.h>
#include <stdint.h>

enum { HS_BOARD_VALUES = 256 };

struct hs_board {
    /* Times it was published; the lowest bit is the copy to read. Written by one thread at a time. */
    _Atomic uint64_t edition;
    _Atomic int64_t copies[2][HS_BOARD_VALUES]; /* release, pairs with the acquire of readers */
};

/* Publishes `count` values, HS_BOARD_VALUES at most. Thread: one at a time. */
void hs_board_publish(struct hs_board *board, const int64_t *values, uint32_t count);

/* The first `count` values as last published; 0 before that. Thread: Any; does not wait. */
void hs_board_read(struct hs_board *board, int64_t *values, uint32_t count);

#endif
