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

/* Adds a part, or makes the last one longer. */
static void add(struct hs_spare *spare, uintptr_t begin, uintptr_t end) {
    uint32_t last = spare->count - 1;
    if (spare->count > 0 && spare->ranges[last].begin + spare->ranges[last].bytes == begin) {
        spare->ranges[last].bytes += end - begin;
        return;
    }
    /* One that was too short gives way. */
    if (spare->count > 0 && spare->ranges[last].bytes < HUGE_PAGE) {
        spare->count--;
    }
    if (begin < end && spare->count < HS_SPARE_RANGES) {
        spare->ranges[spare->count].begin = begin;
        spare->ranges[spare->count++].bytes = end - begin;
    }
}

static void keep_huge_pages_whole(struct hs_spare *spare) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < spare->count; i++) {
        uintptr_t begin = (spare->ranges[i].begin + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
        uintptr_t end = (spare->ranges[i].begin + spare->ranges[i].bytes) / HUGE_PAGE * HUGE_PAGE;
        if (begin < end) {
            spare->ranges[count].begin = begin;
            spare->ranges[count++].bytes = end - begin;
        }
    }
    spare->count = count;
}

void hs_spare_find(const struct hs_spare_layout *layout, struct hs_spare *spare) {
    spare->count = 0;
    uintptr_t heap = layout->heap == NULL ? 0 : word_at((uintptr_t)layout->heap);
    if (heap == 0) {
        return;
    }
    uintptr_t base = word_at(heap + layout->table_base);
    uintptr_t count = word_at(heap + layout->table_count);
    uintptr_t before = 0; /* where the region before ends */
    for (uintptr_t i = 0; base != 0 && count <= MAX_REGIONS && i < count; i++) {
        uintptr_t region = word_at(base + i * sizeof(uintptr_t));
        if (region == 0) {
            continue; /* never used yet */
        }
        uintptr_t bottom = word_at(region + layout->bottom);
        uintptr_t top = word_at(region + layout->top);
        uintptr_t end = word_at(region + layout->end);
        if (bottom < before || top < bottom || end < top || end - bottom < LEAST_REGION) {
            spare->count = 0; /* these are no regions */
            return;
        }
        add(spare, top, end);
        before = end;
    }
    keep_huge_pages_whole(spare);
}

void hs_spare_leave_out(const struct hs_spare *spare, bool is_out) {
    for (uint32_t i = 0; i < spare->count; i++) {
        (void)madvise((void *)spare->ranges[i].begin, spare->ranges[i].bytes,
                      is_out ? MADV_DONTFORK : MADV_DOFORK);
    }
}
