/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Trail: the compiled frames of a thread's last walk.
 *
 * The next walk mostly meets the same frames again, at the same places: all that lies towards the
 * root of a loop. A frame with the same stack pointer and the same pc is as large as it was then, if
 * the code is still the same one; so a walk along a trail does not have to wait for each frame to find
 * out where the next one is.
 *
 * Thread: the one whose stack it is. Zero: nothing is known. */
#ifndef HS_TRAIL_H
#define HS_TRAIL_H

#include <stdint.h>

enum { HS_TRAIL_FRAMES = 64 };

struct hs_trail_frame {
    uintptr_t sp;
    uint64_t word;        /* its item: hs_walk.h */
    uint32_t blob;        /* distance of its block from the lowest address of code */
    uint32_t frame_words; /* its size */
    uint32_t reach;       /* hs_recall */
};

/* Two walks in turns, leaf first: the last one is read while the present one is written. */
struct hs_trail {
    uint32_t last; /* 0 or 1 */
    uint32_t counts[2];
    struct hs_trail_frame frames[2][HS_TRAIL_FRAMES];
};

#endif
