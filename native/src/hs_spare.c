/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_spare.h"

#include <string.h>
#include <sys/mman.h>

/* No structure that we read is larger; more regions no VM makes; no region is smaller. */
enum { MAX_OFFSET = 64 * 1024, MAX_REGIONS = 1 << 20, LEAST_REGION = 1 << 20 };

/* Of the processors that we know, or a multiple of it. */
enum { HUGE_PAGE = 2 << 20 };

/* ---- the layout ---- */

static bool find(const struct hs_vm_tables *tables, const char *type, const char *newer,
                 const char *field, uint32_t *offset) {
    const struct hs_vm_field *row = hs_hotspot_field(tables, type, field);
    row = row == NULL && newer != NULL ? hs_hotspot_field(tables, newer, field) : row;
    if (row == NULL || row->is_static != 0 || row->offset > MAX_OFFSET ||
        row->offset % sizeof(void *) != 0) {
        return false;
    }
    *offset += (uint32_t)row->offset;
    return true;
}

bool hs_spare_read(const struct hs_vm_tables *tables, struct hs_spare_layout *layout) {
    const struct hs_vm_field *heap = hs_hotspot_field(tables, "Universe", "_collectedHeap");
    uint32_t table = 0;
    *layout = (struct hs_spare_layout){.heap = NULL};
    if (heap == NULL || heap->is_static == 0 || heap->address == NULL ||
        !find(tables, "G1CollectedHeap", NULL, "_hrm", &table) ||
        !find(tables, "HeapRegionManager", "G1HeapRegionManager", "_regions", &table)) {
        return false;
    }
    layout->table_base = layout->table_count = table;
    if (!find(tables, "G1HeapRegionTable", NULL, "_base", &layout->table_base) ||
        !find(tables, "G1HeapRegionTable", NULL, "_length", &layout->table_count) ||
        !find(tables, "HeapRegion", "G1HeapRegion", "_bottom", &layout->bottom) ||
        !find(tables, "HeapRegion", "G1HeapRegion", "_top", &layout->top) ||
        !find(tables, "HeapRegion", "G1HeapRegion", "_end", &layout->end)) {
        return false;
    }
    layout->heap = heap->address;
    return true;
}

/* ---- the heap ---- */

static uintptr_t word_at(uintptr_t address) {
    uintptr_t word;
    memcpy(&word, (const void *)address, sizeof word);
    return word;
}

/* The smallest part that was kept; of equal ones the lowest. */
static uint32_t find_smallest(const struct hs_spare *spare) {
    uint32_t found = 0;
    for (uint32_t i = 1; i < spare->count; i++) {
        size_t bytes = spare->ranges[i].bytes;
        size_t least = spare->ranges[found].bytes;
        bool is_lower = spare->ranges[i].begin < spare->ranges[found].begin;
        found = bytes < least || (bytes == least && is_lower) ? i : found;
    }
    return found;
}

/* Keeps a part from its first huge page to its last; where there is no place, if it is larger than another one. */
static void keep(struct hs_spare *spare, uintptr_t begin, uintptr_t end) {
    begin = (begin + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    end = end / HUGE_PAGE * HUGE_PAGE;
    if (begin >= end) {
        return;
    }
    bool is_full = spare->count == HS_SPARE_RANGES;
    uint32_t place = is_full ? spare->smallest : spare->count++;
    if (is_full && spare->ranges[place].bytes >= end - begin) {
        return;
    }
    spare->ranges[place].begin = begin;
    spare->ranges[place].bytes = end - begin;
    if (spare->count == HS_SPARE_RANGES) {
        spare->smallest = find_smallest(spare);
    }
}

/* From the highest region down: of equal parts those are kept that come first, and G1 takes regions for new objects from the
 * highest. */
void hs_spare_find(const struct hs_spare_layout *layout, struct hs_spare *spare) {
    spare->count = 0;
    uintptr_t heap = layout->heap == NULL ? 0 : word_at((uintptr_t)layout->heap);
    if (heap == 0) {
        return;
    }
    uintptr_t base = word_at(heap + layout->table_base);
    uintptr_t count = word_at(heap + layout->table_count);
    uintptr_t after = UINTPTR_MAX; /* where the region after begins */
    uintptr_t begin = 0;           /* of the part that grows */
    uintptr_t end = 0;
    for (uintptr_t i = base != 0 && count <= MAX_REGIONS ? count : 0; i > 0; i--) {
        uintptr_t region = word_at(base + (i - 1) * sizeof(uintptr_t));
        if (region == 0) {
            continue; /* never used yet */
        }
        uintptr_t bottom = word_at(region + layout->bottom);
        uintptr_t top = word_at(region + layout->top);
        uintptr_t region_end = word_at(region + layout->end);
        if (region_end > after || top < bottom || region_end < top ||
            region_end - bottom < LEAST_REGION) {
            spare->count = 0; /* these are no regions */
            return;
        }
        if (region_end != begin) {
            keep(spare, begin, end);
            end = region_end;
        }
        begin = top;
        after = bottom;
    }
    keep(spare, begin, end);
}

/* From then on the rate says something. */
enum { RATE_US = 10000 };

bool hs_spare_waits(struct hs_spare_wait *wait, int64_t now_us, uint64_t used, uint64_t unused) {
    if (!wait->has_begun) {
        wait->has_begun = true;
        wait->began_us = now_us;
        wait->first = wait->last = used;
    }
    int64_t elapsed = now_us - wait->began_us;
    bool is_over = used < wait->last || elapsed >= wait->most_us;
    wait->last = used;
    if (is_over || elapsed < RATE_US) {
        return !is_over;
    }
    double rate = (double)(used - wait->first) / (double)elapsed;
    return rate * (double)(wait->most_us - elapsed) >= (double)unused;
}

void hs_spare_leave_out(const struct hs_spare *spare, bool is_out) {
    for (uint32_t i = 0; i < spare->count; i++) {
        (void)madvise((void *)spare->ranges[i].begin, spare->ranges[i].bytes,
                      is_out ? MADV_DONTFORK : MADV_DOFORK);
    }
}
