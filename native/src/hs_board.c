/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_board.h"

#include "hs_check.h"

void hs_board_publish(struct hs_board *board, const int64_t *values, uint32_t count) {
    HS_CHECK(count <= HS_BOARD_VALUES);
    uint64_t edition = atomic_load_explicit(&board->edition, memory_order_relaxed) + 1;
    _Atomic int64_t *copy = board->copies[edition & 1];
    for (uint32_t i = 0; i < count; i++) {
        /* release: a reader that sees this value sees the edition before, and reads again. */
        atomic_store_explicit(&copy[i], values[i], memory_order_release);
    }
    atomic_store_explicit(&board->edition, edition, memory_order_release);
}

void hs_board_read(struct hs_board *board, int64_t *values, uint32_t count) {
    uint64_t edition;
    uint64_t after = atomic_load_explicit(&board->edition, memory_order_acquire);
    do {
        edition = after;
        _Atomic int64_t *copy = board->copies[edition & 1];
        for (uint32_t i = 0; i < count; i++) {
            values[i] = atomic_load_explicit(&copy[i], memory_order_acquire);
        }
        after = atomic_load_explicit(&board->edition, memory_order_acquire);
    } while (after != edition);
}
