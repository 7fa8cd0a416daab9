/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_phaser.h"

#include <sched.h>
#include <time.h>

#include "hs_clock.h"

static bool is_empty(struct hs_phaser *phaser, uint32_t parity) {
    for (int i = 0; i < HS_PHASER_STRIPES; i++) {
        if (atomic_load_explicit(&phaser->stripes[i].inside[parity], memory_order_seq_cst) != 0) {
            return false;
        }
    }
    return true;
}

static void back_off(int round) {
    if (round < 16) {
        sched_yield();
    } else {
        struct timespec pause = {.tv_sec = 0, .tv_nsec = 100000};
        (void)nanosleep(&pause, NULL);
    }
}

bool hs_phaser_wait(struct hs_phaser *phaser, int64_t timeout_us) {
    int64_t deadline = hs_clock_monotonic_us() + timeout_us;
    uint32_t first = atomic_load_explicit(&phaser->phase, memory_order_relaxed) & 1;
    for (uint32_t flip = 0; flip < 2; flip++) {
        uint32_t old = first ^ flip;
        atomic_fetch_add_explicit(&phaser->phase, 1, memory_order_seq_cst);
        for (int round = 0; !is_empty(phaser, old); round++) {
            if (hs_clock_monotonic_us() > deadline) {
                return false;
            }
            back_off(round);
        }
    }
    return true;
}

bool hs_phaser_look(const struct hs_phaser *phaser, struct hs_phaser_look *look) {
    for (uint32_t left = look->unseen; left != 0; left &= left - 1) {
        uint32_t i = (uint32_t)__builtin_ctz(left);
        if (atomic_load_explicit(&phaser->stripes[i / 2].inside[i % 2], memory_order_seq_cst) ==
            0) {
            look->unseen &= ~(UINT32_C(1) << i);
        }
    }
    return look->unseen == 0;
}
