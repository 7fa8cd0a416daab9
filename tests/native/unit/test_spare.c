/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "emulated.h"
#include "hs_spare.h"

#define MIB ((uintptr_t)1 << 20)

enum { REGIONS = 16, ROWS = 9 };

/* As the VM has them, with other fields in between. */
struct region {
    uintptr_t bottom;
    uintptr_t other;
    uintptr_t end;
    uintptr_t top;
};

struct heap {
    uintptr_t other[3];
    struct {
        uintptr_t other;
        struct {
            uintptr_t other;
            const struct region *const *base;
            uintptr_t length;
        } table;
    } manager;
};

static struct region regions[REGIONS];
static const struct region *addresses[REGIONS];
static struct heap heap;
static const struct heap *heap_at;
static struct hs_vm_field rows[ROWS];
static struct hs_vm_tables tables;
static struct hs_spare_layout layout;
static struct hs_spare spare;

static void name_fields(const char *manager, const char *region) {
    const struct hs_vm_field fields[ROWS] = {
        {.type = "Universe", .field = "_collectedHeap", .is_static = 1, .address = &heap_at},
        {.type = "G1CollectedHeap", .field = "_hrm", .offset = offsetof(struct heap, manager)},
        {.type = manager, .field = "_regions", .offset = 8},
        {.type = "G1HeapRegionTable", .field = "_base", .offset = 8},
        {.type = "G1HeapRegionTable", .field = "_length", .offset = 16},
        {.type = region, .field = "_bottom", .offset = offsetof(struct region, bottom)},
        {.type = region, .field = "_top", .offset = offsetof(struct region, top)},
        {.type = region, .field = "_end", .offset = offsetof(struct region, end)},
    };
    memcpy(rows, fields, sizeof rows);
    tables.fields = rows;
}

/* Full regions of 4 MiB, one after the other. */
static void set_up(void) {
    for (uintptr_t i = 0; i < REGIONS; i++) {
        uintptr_t bottom = 256 * MIB + i * 4 * MIB;
        regions[i] = (struct region){bottom, 0, bottom + 4 * MIB, bottom + 4 * MIB};
        addresses[i] = &regions[i];
    }
    heap.manager.table.base = addresses;
    heap.manager.table.length = REGIONS;
    heap_at = &heap;
    name_fields("HeapRegionManager", "HeapRegion");
}

static void find(void) {
    cr_assert(hs_spare_read(&tables, &layout));
    hs_spare_find(&layout, &spare);
}

TestSuite(spare, .init = set_up, .timeout = 60);

Test(spare, regions_without_objects_that_lie_side_by_side_are_one_part) {
    find();
    cr_assert_eq(spare.count, 0, "all are full");
    regions[3].top = regions[3].bottom;
    regions[4].top = regions[4].bottom;
    regions[9].top = regions[9].bottom;
    find();
    cr_assert_eq(spare.count, 2);
    cr_assert_eq(spare.ranges[1].begin, regions[3].bottom);
    cr_assert_eq(spare.ranges[1].bytes, 8 * MIB);
    cr_assert_eq(spare.ranges[0].begin, regions[9].bottom);
    cr_assert_eq(spare.ranges[0].bytes, 4 * MIB);
}

Test(spare, the_rest_of_a_region_is_one_from_the_next_huge_page_on) {
    regions[5].top = regions[5].bottom + 24;
    regions[7].top = regions[7].bottom + 3 * MIB;
    regions[8].top = regions[8].bottom;
    find();
    cr_assert_eq(spare.count, 2);
    cr_assert_eq(spare.ranges[1].begin, regions[5].bottom + 2 * MIB);
    cr_assert_eq(spare.ranges[1].bytes, 2 * MIB);
    cr_assert_eq(spare.ranges[0].begin, regions[8].bottom);
    cr_assert_eq(spare.ranges[0].bytes, 4 * MIB);
}

Test(spare, places_without_a_region_are_passed_over) {
    addresses[2] = NULL;
    regions[3].top = regions[3].bottom;
    find();
    cr_assert_eq(spare.count, 1);
    cr_assert_eq(spare.ranges[0].begin, regions[3].bottom);
}

Test(spare, newer_names_are_known) {
    name_fields("G1HeapRegionManager", "G1HeapRegion");
    regions[3].top = regions[3].bottom;
    find();
    cr_assert_eq(spare.count, 1);
}

Test(spare, nothing_is_found_where_the_tables_do_not_say_it) {
    for (int i = 0; i < ROWS - 1; i++) {
        name_fields("HeapRegionManager", "HeapRegion");
        rows[i].field = "_other";
        cr_assert_not(hs_spare_read(&tables, &layout));
        hs_spare_find(&layout, &spare);
        cr_assert_eq(spare.count, 0);
        name_fields("HeapRegionManager", "HeapRegion");
        rows[i].offset += i == 0 ? 0 : 4;
        rows[i].is_static = 0;
        cr_assert_not(hs_spare_read(&tables, &layout), "%d", i);
    }
}

Test(spare, nothing_is_found_where_something_looks_odd) {
    regions[3].top = regions[3].bottom;
    regions[9].top = regions[9].end + 8;
    find();
    cr_assert_eq(spare.count, 0, "a top behind the end");
    regions[9].top = regions[9].bottom - 8;
    find();
    cr_assert_eq(spare.count, 0, "or in front of the bottom");
    regions[9] = regions[2];
    find();
    cr_assert_eq(spare.count, 0, "in another order");
    set_up();
    regions[3].top = regions[3].bottom;
    heap.manager.table.length = UINTPTR_MAX;
    find();
    cr_assert_eq(spare.count, 0);
    heap_at = NULL;
    find();
    cr_assert_eq(spare.count, 0);
}

enum { MANY = 4 * HS_SPARE_RANGES, LARGE = HS_SPARE_RANGES / 4 };

/* Every second region is free, and as many pairs of regions as LARGE, below these or above. Returns the regions. */
static const struct region *fill_many(bool are_large_above) {
    static struct region many[MANY];
    static const struct region *all[MANY];
    uintptr_t first_large = are_large_above ? MANY - 4 * LARGE : 0;
    for (uintptr_t i = 0; i < MANY; i++) {
        bool is_of_large = i >= first_large && i < first_large + (uintptr_t)4 * LARGE;
        bool is_free = is_of_large ? i % 4 < 2 : i % 2 == 0;
        uintptr_t bottom = 1024 * MIB + i * 4 * MIB;
        many[i] = (struct region){bottom, 0, bottom + 4 * MIB, bottom + (is_free ? 0 : 4 * MIB)};
        all[i] = &many[i];
    }
    heap.manager.table.base = all;
    heap.manager.table.length = MANY;
    return many;
}

Test(spare, where_there_are_too_many_the_largest_are_kept_and_the_highest_of_equal_ones) {
    for (int are_large_above = 0; are_large_above <= 1; are_large_above++) {
        const struct region *many = fill_many(are_large_above != 0);
        find();
        uint32_t large = 0;
        uintptr_t lowest = UINTPTR_MAX; /* of the others */
        for (uint32_t i = 0; i < spare.count; i++) {
            bool is_large = spare.ranges[i].bytes == 8 * MIB;
            large += is_large ? 1 : 0;
            lowest = !is_large && spare.ranges[i].begin < lowest ? spare.ranges[i].begin : lowest;
        }
        cr_assert_eq(spare.count, HS_SPARE_RANGES);
        cr_assert_eq(large, LARGE);
        uintptr_t highest = are_large_above != 0 ? MANY - 4 * LARGE - 2 : MANY - 2;
        uintptr_t others = HS_SPARE_RANGES - LARGE;
        cr_assert_eq(lowest, many[highest - 2 * (others - 1)].bottom);
    }
}

/* As many parts of a free region each, below them as many of two, and a few of three. */
Test(spare, of_equal_ones_the_highest_are_kept_after_all_others_were_replaced) {
    enum { FEW = 10, ALL = HS_SPARE_RANGES * (2 + 3) + FEW * 4 };
    static struct region many[ALL];
    static const struct region *all[ALL];
    uintptr_t lowest_kept = UINTPTR_MAX; /* of two regions each */
    uint32_t large = 0;
    for (uintptr_t i = 0; i < ALL; i++) {
        uintptr_t in_rest = i - FEW * 4;
        uintptr_t in_small = in_rest - (uintptr_t)HS_SPARE_RANGES * 3;
        bool is_full = i < FEW * 4                 ? i % 4 == 3
                       : in_small < (uintptr_t)ALL ? in_small % 2 == 1
                                                   : in_rest % 3 == 2;
        uintptr_t bottom = 1024 * MIB + i * 4 * MIB;
        many[i] = (struct region){bottom, 0, bottom + 4 * MIB, bottom + (is_full ? 4 * MIB : 0)};
        all[i] = &many[i];
    }
    heap.manager.table.base = all;
    heap.manager.table.length = ALL;
    find();
    cr_assert_eq(spare.count, HS_SPARE_RANGES);
    for (uint32_t i = 0; i < spare.count; i++) {
        large += spare.ranges[i].bytes == 12 * MIB ? 1 : 0;
        bool is_lower = spare.ranges[i].bytes == 8 * MIB && spare.ranges[i].begin < lowest_kept;
        lowest_kept = is_lower ? spare.ranges[i].begin : lowest_kept;
    }
    cr_assert_eq(large, FEW);
    cr_assert_eq(lowest_kept, many[FEW * 4 + FEW * 3].bottom);
}

/* Does a child have this byte? */
static bool has_child(const char *byte) {
    int ends[2];
    int status = 0;
    cr_assert_eq(pipe(ends), 0);
    pid_t pid = fork();
    if (pid == 0) {
        _exit(write(ends[1], byte, 1) == 1 ? 0 : errno);
    }
    cr_assert_eq(waitpid(pid, &status, 0), pid);
    (void)close(ends[0]);
    (void)close(ends[1]);
    cr_assert(WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == EFAULT));
    return WEXITSTATUS(status) == 0;
}

Test(spare, a_part_that_is_left_out_has_no_copy_in_a_child) {
    char *memory = mmap(NULL, 12 * MIB, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    cr_assert_neq(memory, MAP_FAILED);
    uintptr_t begin = ((uintptr_t)memory + 4 * MIB - 1) / (4 * MIB) * (4 * MIB);
    char *first = memory + (begin - (uintptr_t)memory);
    first[0] = 1;
    first[4 * MIB] = 1;
    heap.manager.table.length = 2;
    regions[0] = (struct region){begin, 0, begin + 4 * MIB, begin};
    regions[1] = (struct region){begin + 4 * MIB, 0, begin + 8 * MIB, begin + 8 * MIB};
    find();
    cr_assert_eq(spare.count, 1);
    hs_spare_leave_out(&spare, true);
    cr_assert(is_emulated() || !has_child(first)); /* an emulator's child has all */
    cr_assert(has_child(first + 4 * MIB));
    cr_assert_eq(first[0], 1, "and stays here");
    hs_spare_leave_out(&spare, false);
    cr_assert(has_child(first));
    cr_assert_eq(munmap(memory, 12 * MIB), 0);
}

/* ---- the wait for a collection ---- */

enum { HEAP_BYTES = 1000000, MOST_US = 1000000 };

/* The heap fills up with this many bytes in a ms: when does the wait end? A collection takes `collected` off at `at_us`. */
static int64_t waited(uint64_t per_ms, int64_t at_us, uint64_t collected) {
    struct hs_spare_wait wait = {.most_us = MOST_US};
    int64_t us = 0;
    for (;;) {
        uint64_t used = per_ms * (uint64_t)us / 1000;
        used -= us >= at_us ? collected : 0;
        used = used < HEAP_BYTES ? used : HEAP_BYTES;
        if (!hs_spare_waits(&wait, 77 + us, used, HEAP_BYTES - used)) {
            return us;
        }
        us += 500;
    }
}

Test(spare, a_wait_ends_with_a_collection) {
    cr_assert_eq(waited(10000, 50000, 400000), 50000);
    cr_assert_eq(waited(10000, 5000, 40000), 5000, "also before the rate is known");
    cr_assert_eq(waited(2000, 400000, 600000), 400000);
}

Test(spare, a_wait_ends_where_no_collection_is_to_be_expected) {
    cr_assert_eq(waited(0, MOST_US, 0), 10000, "an application that does nothing");
    cr_assert_eq(waited(900, MOST_US, 0), 10000);
}

Test(spare, a_wait_ends_with_its_time) {
    struct hs_spare_wait none = {.most_us = 0};
    cr_assert_not(hs_spare_waits(&none, 1, 1, 1));
    cr_assert_eq(waited(1100, 2 * MOST_US, 0), MOST_US);
}

/* It allocates fast at first, and then no more. */
Test(spare, a_wait_looks_at_the_rate_all_the_time) {
    struct hs_spare_wait wait = {.most_us = MOST_US};
    cr_assert(hs_spare_waits(&wait, 0, 0, HEAP_BYTES));
    cr_assert(hs_spare_waits(&wait, 20000, HEAP_BYTES / 10, HEAP_BYTES * 9 / 10));
    cr_assert(hs_spare_waits(&wait, 40000, HEAP_BYTES / 10, HEAP_BYTES * 9 / 10));
    cr_assert_not(hs_spare_waits(&wait, 200000, HEAP_BYTES / 10, HEAP_BYTES * 9 / 10));
}
