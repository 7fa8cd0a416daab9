/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_mem.h"

#include <criterion/criterion.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static void restore(void) {
    hs_mem_set_budget(HS_MEM_DEFAULT_BUDGET);
    hs_mem_fail_at(0);
}

TestSuite(mem, .fini = restore);

Test(mem, memory_is_zeroed_aligned_and_counted) {
    size_t before = hs_mem_used();
    for (size_t bytes = 1; bytes < 200000; bytes = bytes * 3 + 1) {
        unsigned char *memory = hs_mem_new(bytes);
        cr_assert_not_null(memory);
        cr_assert_eq((uintptr_t)memory % 16, 0);
        for (size_t i = 0; i < bytes; i++) {
            cr_assert_eq(memory[i], 0);
            memory[i] = 0xA5; /* so that a block used again would show */
        }
        cr_assert_eq(hs_mem_used(), before + bytes);
        hs_mem_free(memory, bytes);
        cr_assert_eq(hs_mem_used(), before);
    }
}

Test(mem, lines_begin_at_one_and_are_counted_with_one_more) {
    size_t before = hs_mem_used();
    for (size_t bytes = 1; bytes < 500000; bytes = bytes * 3 + 1) {
        unsigned char *memory = hs_mem_new_lines(bytes);
        cr_assert_not_null(memory);
        cr_assert_eq((uintptr_t)memory % HS_LINE, 0);
        for (size_t i = 0; i < bytes; i++) {
            cr_assert_eq(memory[i], 0);
            memory[i] = 0xA5; /* so that a block used again would show */
        }
        cr_assert_eq(hs_mem_used(), before + bytes + HS_LINE);
        hs_mem_free_lines(memory, bytes);
        cr_assert_eq(hs_mem_used(), before);
    }
    cr_assert_null(hs_mem_new_lines(0));
    cr_assert_null(hs_mem_new_lines(SIZE_MAX));
    cr_assert_null(hs_mem_new_lines(SIZE_MAX - HS_LINE));
    hs_mem_fail_at(1);
    cr_assert_null(hs_mem_new_lines(8));
    hs_mem_free_lines(NULL, 8);
    cr_assert_eq(hs_mem_used(), before);
}

Test(mem, nothing_comes_of_no_bytes) {
    size_t before = hs_mem_used();
    cr_assert_null(hs_mem_new(0));
    cr_assert_null(hs_mem_new_array(0, 8));
    cr_assert_null(hs_mem_new_array(8, 0));
    hs_mem_free(NULL, 100);
    cr_assert_eq(hs_mem_used(), before);
}

Test(mem, the_budget_is_exact) {
    size_t before = hs_mem_used();
    hs_mem_set_budget(before + 1000);
    void *most = hs_mem_new(900);
    cr_assert_not_null(most);
    cr_assert_null(hs_mem_new(101), "one byte too many");
    cr_assert_eq(hs_mem_used(), before + 900, "what is refused is not counted");
    void *rest = hs_mem_new(100);
    cr_assert_not_null(rest, "exactly the budget");
    cr_assert_null(hs_mem_new(1));
    hs_mem_free(most, 900);
    most = hs_mem_new(900);
    cr_assert_not_null(most, "freed memory can be allocated again");
    hs_mem_free(most, 900);
    hs_mem_free(rest, 100);
    cr_assert_eq(hs_mem_used(), before);
}

Test(mem, a_smaller_budget_leaves_what_is_in_use) {
    size_t before = hs_mem_used();
    void *memory = hs_mem_new(1000);
    hs_mem_set_budget(before + 10);
    cr_assert_eq(hs_mem_used(), before + 1000);
    cr_assert_null(hs_mem_new(1));
    hs_mem_free(memory, 1000);
    memory = hs_mem_new(10);
    cr_assert_not_null(memory);
    hs_mem_free(memory, 10);
}

Test(mem, an_array_counts_its_product_and_refuses_an_overflow) {
    size_t before = hs_mem_used();
    void *array = hs_mem_new_array(7, 24);
    cr_assert_not_null(array);
    cr_assert_eq(hs_mem_used(), before + 168);
    hs_mem_free(array, 168);
    cr_assert_null(hs_mem_new_array(SIZE_MAX / 8 + 1, 8), "the product is 0");
    cr_assert_null(hs_mem_new_array(SIZE_MAX / 8 + 2, 8), "the product is 8");
    cr_assert_null(hs_mem_new_array(3, SIZE_MAX / 3 + 2), "the product is small");
    cr_assert_eq(hs_mem_used(), before);
}

Test(mem, a_sum_that_overflows_is_refused) {
    void *memory = hs_mem_new(100);
    size_t before = hs_mem_used();
    cr_assert_null(hs_mem_new(SIZE_MAX - before + 1), "the sum is 0");
    cr_assert_null(hs_mem_new(SIZE_MAX - before + 50), "the sum is small");
    cr_assert_eq(hs_mem_used(), before);
    hs_mem_free(memory, 100);
}

Test(mem, the_peak_is_the_highest_use) {
    void *small = hs_mem_new(16);
    void *large = hs_mem_new((size_t)1 << 20);
    size_t peak = hs_mem_used();
    cr_assert_eq(hs_mem_peak(), peak);
    hs_mem_free(large, (size_t)1 << 20);
    cr_assert_eq(hs_mem_peak(), peak, "the peak does not fall");
    cr_assert_null(hs_mem_new(HS_MEM_DEFAULT_BUDGET + 1));
    cr_assert_eq(hs_mem_peak(), peak, "what is refused does not raise it");
    hs_mem_free(small, 16);
}

Test(mem, the_nth_call_fails_and_only_that) {
    size_t before = hs_mem_used();
    for (uint64_t n = 1; n <= 5; n++) {
        hs_mem_fail_at(n);
        for (uint64_t i = 1; i <= 7; i++) {
            void *memory = hs_mem_new(8);
            cr_assert_eq(memory == NULL, i == n, "call %d of fail_at(%d)", (int)i, (int)n);
            hs_mem_free(memory, 8);
        }
    }
    hs_mem_fail_at(1);
    hs_mem_fail_at(0);
    void *memory = hs_mem_new_array(2, 8);
    cr_assert_not_null(memory, "0 ends it");
    hs_mem_free(memory, 16);
    hs_mem_fail_at(1);
    cr_assert_null(hs_mem_new_array(2, 8), "arrays count as calls");
    cr_assert_eq(hs_mem_used(), before);
}

#ifndef __SANITIZE_ADDRESS__ /* which keeps what is freed */

#ifdef __x86_64__ /* qemu, in which others run, ignores MAP_POPULATE */

/* How many pages of a new block are in memory before anyone has touched it. */
static size_t pages_at_once(size_t bytes) {
    unsigned char pages[512] = {0};
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t count = 0;
    void *memory = hs_mem_new(bytes);
    cr_assert_not_null(memory);
    cr_assert_eq(mincore(memory, bytes, pages), 0);
    for (size_t i = 0; i < bytes / page; i++) {
        count += pages[i] & 1;
    }
    hs_mem_free(memory, bytes);
    return count;
}

/* Tables of which parts may never be touched take no more than they need. */
Test(mem, pages_of_small_blocks_come_at_once_and_those_of_large_ones_with_use) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    if (page <= 32768) { /* or else it is malloc's */
        cr_assert_eq(pages_at_once(32768), 32768 / page);
    }
    cr_assert_eq(pages_at_once(1 << 20), 0);
}

#endif

static size_t resident(void) {
    char line[80] = "";
    char *second;
    FILE *file = fopen("/proc/self/statm", "r");
    cr_assert_not_null(file);
    cr_assert_not_null(fgets(line, sizeof line, file));
    (void)fclose(file);
    (void)strtoul(line, &second, 10); /* all pages; then those that are there */
    return strtoul(second, NULL, 10) * (size_t)sysconf(_SC_PAGESIZE);
}

/* As the tables of generations come and go, with small blocks between them that stay. */
static void check_goes_back(size_t bytes) {
    enum { COUNT = 512 };
    void *large[COUNT];
    void *small[COUNT];
    for (int round = 0; round <= 3; round++) {
        bool is_warm = round > 0; /* at first malloc takes what it keeps for small ones */
        size_t before = resident();
        for (int i = 0; i < COUNT; i++) {
            large[i] = hs_mem_new(bytes);
            small[i] = hs_mem_new(24);
            cr_assert(large[i] != NULL && small[i] != NULL);
            memset(large[i], 1, bytes);
        }
        cr_assert(!is_warm || resident() >= before + COUNT * bytes * 9 / 10);
        for (int i = 0; i < COUNT; i++) {
            hs_mem_free(large[i], bytes);
        }
        cr_assert(!is_warm || resident() <= before + COUNT * bytes / 10, "round %d", round);
        for (int i = 0; i < COUNT; i++) {
            hs_mem_free(small[i], 24);
        }
    }
}

Test(mem, what_chunks_of_tables_took_goes_back_to_the_system) {
    check_goes_back(16384 + 24);
}

/* The pages of the index of a table. */
Test(mem, what_small_pages_of_tables_took_goes_back_to_the_system) {
    check_goes_back(4096);
}

#ifdef __GLIBC__
/* Small pieces stay apart until a larger one is wanted. */
Test(mem, what_was_freed_in_small_pieces_is_put_together) {
    enum { PIECES = 200000, BYTES = 64 };
    static void *pieces[PIECES];
    for (int i = 0; i < PIECES; i++) {
        pieces[i] = malloc(BYTES);
        cr_assert_not_null(pieces[i]);
        memset(pieces[i], 1, BYTES);
    }
    size_t before = resident();
    for (int i = 0; i < PIECES - 1; i++) {
        free(pieces[i]);
    }
    cr_assert_geq(resident(), before - PIECES * BYTES / 10, "they are apart");
    if (dlsym(RTLD_DEFAULT, "mallinfo2") != NULL) {
        cr_assert_not(hs_mem_join_freed(PIECES * BYTES / 2), "more is free than may be");
        cr_assert_geq(resident(), before - PIECES * BYTES / 10);
    }
    cr_assert(hs_mem_join_freed(4 * PIECES * BYTES));
    cr_assert_leq(resident(), before - PIECES * BYTES / 2);
    free(pieces[PIECES - 1]);
}
#endif

static bool cannot_unmap;

/* In the place of the C library's. The system refuses to split a mapping when the process has as many as it may. */
int unmap(void *memory, size_t bytes) __asm__("munmap");

int unmap(void *memory, size_t bytes) {
    if (cannot_unmap) {
        errno = ENOMEM;
        return -1;
    }
    return (int)syscall(SYS_munmap, memory, bytes);
}

Test(mem, what_cannot_be_unmapped_goes_back_nevertheless) {
    enum { BYTES = 8 << 20 };
    size_t before = resident();
    size_t used = hs_mem_used();
    char *memory = hs_mem_new(BYTES);
    cr_assert_not_null(memory);
    memset(memory, 1, BYTES);
    cr_assert_geq(resident(), before + BYTES * 9 / 10);
    cannot_unmap = true;
    hs_mem_free(memory, BYTES);
    cannot_unmap = false;
    cr_assert_leq(resident(), before + BYTES / 10);
    cr_assert_eq(hs_mem_used(), used);
    cr_assert_eq(syscall(SYS_munmap, memory, BYTES), 0);
}
#endif
