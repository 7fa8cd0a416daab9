/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_vm_walk.h"

#include "hs_vm_methods.h"

/* A JNIEnv lies within its JavaThread, which is smaller than this. */
enum { MAX_ENV_OFFSET = 16 * 1024 };

static const char ODD_ENV[] = "a thread's JNIEnv is not where those of other threads are";

/* The offset is learned from a platform thread, which names its JavaThread in a field, and checked against
 * the first sample of each. */
uintptr_t hs_vm_current_java_thread(const struct hs_vm_access *vm, jthread thread) {
    struct hs_lookup *lookup = vm->lookup;
    uintptr_t env = (uintptr_t)vm->jni;
    if (vm->self->env == env) {
        return vm->self->java_thread;
    }
    uintptr_t offset = atomic_load_explicit(&lookup->env_offset, memory_order_relaxed);
    uintptr_t named = (uintptr_t)(*vm->jni)->GetLongField(vm->jni, thread, vm->java_thread_field);
    if (offset == 0 && named != 0) {
        offset = env - named;
        if (env <= named || offset > MAX_ENV_OFFSET || offset % sizeof(void *) != 0) {
            hs_lookup_off(lookup, ODD_ENV);
            return 0;
        }
        atomic_store_explicit(&lookup->env_offset, offset, memory_order_relaxed);
    }
    if (offset == 0) {
        return 0; /* a virtual thread, and no other has come by yet */
    }
    if (named != 0 && named != env - offset) {
        hs_lookup_off(lookup, ODD_ENV);
        return 0;
    }
    vm->self->env = env;
    vm->self->java_thread = env - offset;
    return env - offset;
}

static bool is_virtual(const struct hs_vm_access *vm, jthread thread) {
    return (*vm->jni)->GetLongField(vm->jni, thread, vm->java_thread_field) == 0;
}

bool hs_vm_walk_current(const struct hs_vm_access *vm, jthread thread, uint32_t max_items,
                        struct hs_walk_items *items) {
    struct hs_lookup *lookup = vm->lookup;
    struct hs_walk_start start;
    uintptr_t java_thread = hs_vm_current_java_thread(vm, thread);
    if (java_thread == 0 ||
        !hs_walk_begin(&lookup->layout, java_thread, (uintptr_t)&start, &start)) {
        return false;
    }
    start.last_walk = hs_thread_state_last_walk(vm->self);
    enum hs_walk_end end = hs_walk(&lookup->walker, &start, max_items, items);
    return !hs_walk_is_given_up(end) && (end != HS_WALK_CONTINUATION || is_virtual(vm, thread));
}

void hs_vm_put_frames(const struct hs_vm_access *vm, struct hs_lookup_scratch *scratch,
                      const jvmtiFrameInfo *infos, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        scratch->frames[i] = hs_vm_java_frame(&infos[i]);
        scratch->methods[i] = hs_vm_method(vm, infos[i].method);
    }
}
