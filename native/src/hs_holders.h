/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Holders: which references keep sampled objects alive, found by one of three ways (doc/holders.md):
 *
 *   in one stop      the walk, and the graph, in this process: for small heaps
 *   in a child       the same in a fork, whose copy of the heap does not change: the application stops for the fork
 *   in short passes  level by level in this process, each in a pause of its own: where there can be no child
 *
 * The choice is here, and the sequence of each; the VM's part is a table of functions. Targets have the numbers from 0 on.
 *
 * Thread: Control, one at a time in the process (HS_BUSY). Holds HS_RANK_SWEEP only while live objects are marked. */
#ifndef HS_HOLDERS_H
#define HS_HOLDERS_H

#include "hs_child.h"
#include "hs_paths.h"

enum hs_holders_way { HS_WAY_NONE, HS_WAY_ONE_STOP, HS_WAY_CHILD, HS_WAY_PASSES };

/* What the caller allows; all are above 0. */
struct hs_holders_limits {
    int64_t pause_us;    /* each stop of the application */
    int64_t time_us;     /* the whole call */
    uint64_t memory;     /* native bytes besides what the process has, a child's included */
    uint32_t ways;       /* bits 1 << hs_holders_way; 0: all */
};

struct hs_holders_figures {
    enum hs_holders_way way;
    bool has_dominators;
    int64_t longest_pause_us;
    int64_t pauses_us; /* all together */
    int64_t time_us;
    int64_t cpu_us;  /* a child's; else 0 */
    uint64_t bytes;  /* at most in use for it, a child's included */
    uint64_t nodes;
    uint64_t edges;
    /* Why no other way was taken, or none at all: one line of ASCII, with figures; empty if the first choice was taken. */
    char reason[160];
};

struct hs_holders;

#endif
