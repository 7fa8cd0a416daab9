/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Last walk: the compiled frames that a thread's last walk met.
 *
 * The next walk of the thread mostly meets the same frames at the same addresses: all those towards the root of
 * a loop. If a frame has the same stack pointer and the same pc, and its code is still the same, it has the same
 * size. So the walk need not load the size from each frame before it can go to the next one.
 *
 * Thread: the one whose stack it is. All zero: nothing is remembered. */
#ifndef HS_LAST_WALK_H
#define HS_LAST_WALK_H

#include <stdint.h>

enum { HS_LAST_WALK_FRAMES = 64 };

struct hs_last_walk_frame {
    uintptr_t sp;
    uint64_t word;        /* its item: hs_walk.h */
    uint32_t blob;        /* distance of its block from the lowest address of code */
    uint32_t frame_words; /* its size */
    uint32_t reach;       /* hs_recall */
};

/* Root first, so the frames that the next walk meets again, towards the root, stay where they are. */
struct hs_last_walk {
    uint32_t count;
    struct hs_last_walk_frame frames[HS_LAST_WALK_FRAMES];
};

#endif
