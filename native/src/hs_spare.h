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

/* Leaves them out of forks of this process from now on, or no more. What cannot be left out, is not. */
void hs_spare_leave_out(const struct hs_spare *spare, bool is_out);

#endif
