/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_mem.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* All counters are statistics or limits: relaxed, nothing is published through them. */
static atomic_size_t used;
static atomic_size_t peak;
static atomic_size_t budget = HS_MEM_DEFAULT_BUDGET;
static _Atomic uint64_t fail_in;

static int told_to_fail(void) {
    uint64_t n = atomic_load_explicit(&fail_in, memory_order_relaxed);
    while (n != 0) {
        if (atomic_compare_exchange_weak_explicit(&fail_in, &n, n - 1, memory_order_relaxed,
                                                  memory_order_relaxed)) {
            return n == 1;
        }
    }
    return 0;
}

static void raise_peak(size_t now) {
    size_t seen = atomic_load_explicit(&peak, memory_order_relaxed);
    while (now > seen && !atomic_compare_exchange_weak_explicit(
                             &peak, &seen, now, memory_order_relaxed, memory_order_relaxed)) {
    }
}

/* Large blocks are the system's, not malloc's. A freed block of malloc's stays in the process as long as something
 * above it is in use, in each of its heaps, of which callbacks on many threads use many; and freeing large blocks
 * teaches malloc to take the next ones from there as well. Small blocks, also the JVM's, some of which it
 * never frees, may move into a freed page of a table, so that the next table takes new memory. So a page
 * of the system is large already. Where the sanitizer looks at all memory it sees more of malloc's. */
static bool is_large(size_t bytes) {
#ifdef __SANITIZE_ADDRESS__
    (void)bytes;
    return false;
#else
    return bytes >= HS_MEM_LARGE && bytes >= (size_t)sysconf(_SC_PAGESIZE);
#endif
}

/* Up to this size, a block is one that a table grows by, and is filled soon. Then its pages come with it, for less than a
 * page fault each, most of them in a sample. Larger ones are tables, of which parts may never be touched. */
enum { MOST_AT_ONCE = 32768 };

static void *get(size_t bytes) {
    if (!is_large(bytes)) {
        return calloc(1, bytes);
    }
    int at_once = bytes <= MOST_AT_ONCE ? MAP_POPULATE : 0;
    void *memory =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | at_once, -1, 0);
    if (memory == MAP_FAILED) {
        return NULL;
    }
    return memory;
}

/* The system refuses to unmap a part of what it has joined when the process has as many mappings as it may
 * (vm.max_map_count). Then only the addresses are lost: the memory goes back. */
static void give_back(void *memory, size_t bytes) {
    if (!is_large(bytes)) {
        free(memory);
    } else if (munmap(memory, bytes) != 0) {
        (void)madvise(memory, bytes, MADV_DONTNEED);
    }
}

void *hs_mem_new(size_t bytes) {
    if (bytes == 0 || told_to_fail()) {
        return NULL;
    }
    size_t now = atomic_fetch_add_explicit(&used, bytes, memory_order_relaxed) + bytes;
    void *memory = NULL;
    if (now >= bytes && now <= atomic_load_explicit(&budget, memory_order_relaxed)) {
        memory = get(bytes);
    }
    if (memory == NULL) {
        atomic_fetch_sub_explicit(&used, bytes, memory_order_relaxed);
        return NULL;
    }
    raise_peak(now);
    return memory;
}

void *hs_mem_new_array(size_t count, size_t element_bytes) {
    if (element_bytes != 0 && count > SIZE_MAX / element_bytes) {
        return NULL;
    }
    return hs_mem_new(count * element_bytes);
}

void hs_mem_free(void *memory, size_t bytes) {
    if (memory != NULL) {
        give_back(memory, bytes);
        atomic_fetch_sub_explicit(&used, bytes, memory_order_relaxed);
    }
}

/* In front of what is given out, where its line leaves at least 16 bytes: the address of the whole. Not
 * aligned_alloc, since calloc need not touch the pages of a large table. */
void *hs_mem_new_lines(size_t bytes) {
    char *whole = bytes == 0 || bytes > SIZE_MAX - HS_LINE ? NULL : hs_mem_new(bytes + HS_LINE);
    if (whole == NULL) {
        return NULL;
    }
    char *memory = whole + HS_LINE - (uintptr_t)whole % HS_LINE;
    memcpy(memory - sizeof whole, &whole, sizeof whole);
    return memory;
}

void hs_mem_free_lines(void *memory, size_t bytes) {
    if (memory != NULL) {
        char *whole;
        memcpy(&whole, (char *)memory - sizeof whole, sizeof whole);
        hs_mem_free(whole, bytes + HS_LINE);
    }
}

size_t hs_mem_used(void) {
    return atomic_load_explicit(&used, memory_order_relaxed);
}

size_t hs_mem_peak(void) {
    return atomic_load_explicit(&peak, memory_order_relaxed);
}

void hs_mem_set_budget(size_t bytes) {
    atomic_store_explicit(&budget, bytes, memory_order_relaxed);
}

/* As struct mallinfo2 of glibc 2.33, which older headers do not have. */
struct malloc_figures {
    size_t before[8];
    size_t free_bytes;
    size_t keepcost;
};

/* Of all arenas; 0: not known. */
static size_t free_bytes(void) {
    void *symbol = dlsym(RTLD_DEFAULT, "mallinfo2");
    struct malloc_figures (*read)(void);
    memcpy(&read, &symbol, sizeof read); /* C knows no cast from one to the other */
    return read == NULL ? 0 : read().free_bytes;
}

bool hs_mem_join_freed(size_t most) {
    void *symbol = dlsym(RTLD_DEFAULT, "malloc_trim");
    int (*trim)(size_t);
    memcpy(&trim, &symbol, sizeof trim);
    if (trim == NULL || free_bytes() > most) {
        return false;
    }
    (void)trim(0);
    return true;
}

void hs_mem_fail_at(uint64_t n) {
    atomic_store_explicit(&fail_in, n, memory_order_relaxed);
}
