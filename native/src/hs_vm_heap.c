/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_vm_heap.h"

#include <dlfcn.h>
#include <string.h>

#include "hs_ops.h"

typedef jlong amount(void);

static amount *find(void *library, const char *name) {
    void *symbol = dlsym(library, name);
    amount *function;
    memcpy(&function, &symbol, sizeof function); /* C knows no cast from one to the other */
    return function;
}

void hs_vm_find_heap(const void *inside_libjvm, struct hs_vm_heap *room) {
    Dl_info info;
    *room = (struct hs_vm_heap){0};
    if (dladdr(inside_libjvm, &info) == 0 || info.dli_fname == NULL) {
        return;
    }
    void *library = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    if (library == NULL) {
        return;
    }
    room->total_memory = find(library, "JVM_TotalMemory");
    room->free_memory = find(library, "JVM_FreeMemory");
    if (room->total_memory != NULL && room->free_memory != NULL) {
        room->max_memory = find(library, "JVM_MaxMemory");
    }
    (void)dlclose(library);
}

uint32_t hs_vm_unused_heap(const struct hs_vm_heap *room) {
    jlong max = room->max_memory == NULL ? 0 : room->max_memory();
    if (max <= 0) {
        return HS_WHOLE_HEAP;
    }
    jlong used = room->total_memory() - room->free_memory();
    jlong unused = used < 0 || used > max ? 0 : max - used;
    return (uint32_t)((double)unused / (double)max * HS_WHOLE_HEAP);
}

uint64_t hs_vm_used_heap(const struct hs_vm_heap *room) {
    if (room->max_memory == NULL) {
        return 0;
    }
    jlong used = room->total_memory() - room->free_memory();
    return used < 0 ? 0 : (uint64_t)used;
}
