/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Spare: the parts of G1's heap in which there is no object. A child need not have them. Where it has, the application's next
 * objects go into memory that both share, and the system copies each page of it when the application first writes there
 * (doc/holders.md).
 *
 * Where the regions are, the tables of libjvm say (hs_hotspot.h). Nothing is found where they do not, where something looks
 * odd, or with another collector.
 *
 * Thread: any, in a pause, one at a time. */
#ifndef HS_SPARE_H
#define HS_SPARE_H

#include "hs_hotspot.h"

/* Offsets in bytes. */
struct hs_spare_layout {
    const void *heap;     /* where the address of the G1CollectedHeap is; NULL: not known */
    uint32_t table_base;  /* in the heap: the address of the array of regions */
    uint32_t table_count; /* the same: its length */
    uint32_t bottom;      /* of a region */
    uint32_t top;
    uint32_t end;
};

enum { HS_SPARE_RANGES = 256 };

struct hs_spare {
    uint32_t count;
    uint32_t smallest; /* where there is no more room: the one that a larger one replaces */
    struct {
        uintptr_t begin;
        size_t bytes;
    } ranges[HS_SPARE_RANGES];
};

/* Reads where they are. The caller knows that the collector is G1. False where the tables do not say it; then `heap` is NULL. */
bool hs_spare_read(const struct hs_vm_tables *tables, struct hs_spare_layout *layout);

/* Finds the parts that have a whole huge page: from their first one to their last, so that none of these is split. Where there are
 * more than there is room for, the largest; of equal ones the highest. */
void hs_spare_find(const struct hs_spare_layout *layout, struct hs_spare *spare);

/* A wait for the next collection. Just after one the regions for new objects are spare; before, they are full of garbage, which the
 * child gets, and which the system copies page by page when the collector has freed them and the application writes there. */
struct hs_spare_wait {
    int64_t most_us; /* set by the caller; the rest is 0 */
    int64_t began_us;
    bool has_begun;
    uint64_t first; /* bytes in use when it began */
    uint64_t last;
};

/* Is it worth while to wait on? Not after a collection; nor when the time is over; nor where, at the rate since it began, the
 * application will not use up what is free before that: then a collection may not come in time, and few pages will be
 * written. `used`, `unused`: bytes of the heap at this moment. */
bool hs_spare_waits(struct hs_spare_wait *wait, int64_t now_us, uint64_t used, uint64_t unused);

/* Leaves them out of forks of this process from now on, or no more. What cannot be left out, is not. */
void hs_spare_leave_out(const struct hs_spare *spare, bool is_out);

#endif
