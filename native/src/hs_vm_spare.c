/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_vm_spare.h"

#include <time.h>

#include "hs_clock.h"

/* Between two looks. An application may write some 20 MB in a ms. */
enum { LOOK_NS = 500000 };

void hs_vm_spare_read(jvmtiEnv *jvmti, enum hs_collector collector, struct hs_vm_spare *self) {
    struct hs_vm_tables tables;
    self->layout.heap = NULL;
    if (collector == HS_G1 &&
        hs_hotspot_find((const void *)(uintptr_t)(*jvmti)->GetStackTrace, &tables) == NULL) {
        (void)hs_spare_read(&tables, &self->layout);
    }
}

void hs_vm_spare_await(const struct hs_vm_spare *self, const struct hs_vm_heap *heap,
                       int64_t most_us) {
    const struct timespec time = {.tv_nsec = LOOK_NS};
    struct hs_spare_wait wait = {.most_us = most_us};
    if (self->layout.heap == NULL || heap->max_memory == NULL) {
        return;
    }
    while (hs_spare_waits(&wait, hs_clock_monotonic_us(), hs_vm_used_heap(heap),
                          (uint64_t)heap->free_memory())) {
        (void)nanosleep(&time, NULL);
    }
}

void hs_vm_spare_leave_out(struct hs_vm_spare *self, bool is_out) {
    if (is_out) {
        hs_spare_find(&self->layout, &self->spare);
    }
    hs_spare_leave_out(&self->spare, is_out);
}
