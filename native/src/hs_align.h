/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Align: which Java frames each item of a walk stands for.
 *
 * The VM gives the Java frames of a stack, hs_walk the physical ones, both leaf first; the items cut
 * the frames into runs, in order. What is known of the cut: an interpreted frame and a native wrapper
 * stand for one frame; a compiled one for at least one, and its run ends with the method that was
 * compiled; an item that has been met before stands for the run that it stood for then. All cuts
 * that agree with this are considered at once. An item is settled when its run begins and ends at
 * the same places in all of them; the others stay open, and another stack may settle them.
 *
 * Arithmetic only. Thread: Any, with a scratch space of its own. */
#ifndef HS_ALIGN_H
#define HS_ALIGN_H

#include <stdbool.h>
#include <stdint.h>

#include "hs_java_frame.h"

enum { HS_ALIGN_MAX = 320, HS_ALIGN_WORDS = HS_ALIGN_MAX / 64 + 1 };

/* No physical frame stands for more Java frames: the VM inlines 100 levels at most, unless told
 * otherwise. Needed only where the VM's answer was cut. */
enum { HS_ALIGN_MAX_RUN = 128 };

struct hs_align_item {
    uintptr_t root; /* Method that its run ends with */
    bool is_single; /* stands for one frame */
    /* The run it is known to stand for; count 0: not known. */
    const struct hs_java_frame *run;
    uint32_t count;
};

struct hs_align_problem {
    const struct hs_align_item *items;
    uint32_t item_count;
    bool items_are_cut; /* more items may follow */
    const struct hs_java_frame *frames;
    const uintptr_t *methods; /* Method of each frame */
    uint32_t frame_count;
    bool frames_are_cut; /* more frames may follow */
};

/* Frames `begin` to `end` - 1; empty: not settled. */
struct hs_span {
    uint32_t begin;
    uint32_t end;
};

/* Scratch: after i items, at which frame may the next one begin? */
enum { HS_ALIGN_ROOTS = 16 };
struct hs_align {
    /* Rows of the roots met last: in a deep recursion many items share a few. */
    struct {
        uintptr_t root; /* 0: none */
        uint64_t row[HS_ALIGN_WORDS];
    } roots[HS_ALIGN_ROOTS];
    uint64_t reached[HS_ALIGN_MAX + 1][HS_ALIGN_WORDS];
};

/* Sets spans[0 .. item_count - 1]. Returns false when no cut agrees with what is known: then
 * something that was taken for granted is wrong, and nothing is settled. Both counts are at most
 * HS_ALIGN_MAX. */
bool hs_align(struct hs_align *scratch, const struct hs_align_problem *problem,
              struct hs_span *spans);

#endif
