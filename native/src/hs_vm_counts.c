/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_vm_counts.h"

#include <string.h>

#include "hs_estimate.h"
#include "hs_vm_walk.h"

/* The JavaThread of the running thread; 0 where nothing can be read there. */
static uintptr_t readable_thread(const struct hs_vm_access *vm, jthread thread) {
    /* acquire: pairs with the release in hs_vm_discover. */
    bool has_layout = atomic_load_explicit(&vm->lookup->has_layout, memory_order_acquire);
    return has_layout && thread != NULL ? hs_vm_current_java_thread(vm, thread) : 0;
}

/* The address of an object, as its local reference has it. Compared only: it may be out of date. */
static uintptr_t address_of(jobject object) {
    uintptr_t address;
    memcpy(&address, (const void *)((uintptr_t)object & ~(uintptr_t)7), sizeof address);
    return address;
}

/* A sample that begins a buffer: is it due? */
static bool is_due(const struct hs_vm_access *vm, struct hs_refill *refill, uint64_t allocated,
                   uint64_t size, uint32_t interval) {
    refill->since = hs_estimate_since(vm->self->reported, allocated, size);
    double chance = hs_estimate_due(size, interval, refill);
    return (double)hs_thread_state_random(vm->self) < chance * 0x1p32;
}

bool hs_vm_is_due(const struct hs_vm_access *vm, struct hs_bias *bias, jthread thread,
                  jobject object, uint64_t size, uint32_t interval) {
    struct hs_thread_state *self = vm->self;
    self->density = (struct hs_density){0};
    uintptr_t java_thread = readable_thread(vm, thread);
    if (java_thread == 0) {
        self->allocated = 0;
        return true;
    }
    uint64_t allocated = hs_hotspot_allocated(&vm->lookup->layout, java_thread);
    struct hs_refill refill;
    bool is_kept =
        interval == 0 ||
        !hs_hotspot_refill(&vm->lookup->layout, java_thread, address_of(object), &refill) ||
        is_due(vm, &refill, allocated, size, interval);
    self->reported = allocated;
    if (is_kept && bias != NULL) {
        hs_bias_add(bias, self, size, interval, allocated);
    } else if (bias == NULL) {
        self->allocated = 0;
    }
    return is_kept;
}
