/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Version: which version of a method a jmethodID leads to, and a signature of it.
 *
 * Up to JDK 25 an id is the address of a cell that is never freed. The cell holds the address of the current
 * version of one method of one class, and is cleared when the class is unloaded: class, name and descriptor
 * of an id never change. A redefinition makes a new version at another address, but the address of an old
 * one can be used again. So the signature says what a version has that others may not: everything that stands
 * behind its bytecodes (line numbers, handlers, variables), and how much there is. Equal id, address and
 * signature mean equal names and lines, as far as 64 bits can tell.
 *
 * Reading is safe for the id of a frame of the running stack, which keeps the class loaded: the VM may free
 * a version that nobody runs at any time, but the memory of a loaded class stays mapped. The cell is read again
 * after each step: while it leads to the method, that step has read no freed memory, and the next one may
 * follow the pointer or use the length that it gave. Not excluded: two redefinitions between two such reads,
 * the third version in the memory of the first. A version that runs on the stack is not freed at all. */
#ifndef HS_VERSION_H
#define HS_VERSION_H

#include <stdbool.h>
#include <stdint.h>

#include "hs_hotspot.h"

/* The Method that an id leads to now; 0 when its class is unloaded. Thread: Any; up to JDK 25. */
static inline uintptr_t hs_version_method(uintptr_t id) {
    /* Acquire: what is read of a method before this look was read before it. */
    return __atomic_load_n((const uintptr_t *)id, __ATOMIC_ACQUIRE);
}

/* The signature of `method`, if the id leads to it from the beginning to the end. `layout` must know methods
 * (hs_hotspot.h). False also for a method with odd sizes, and for 0; then the
 * id is not read through.
 * Thread: Callback; a frame of the id, or of `method`, is on its stack. */
bool hs_version_sign(const struct hs_layout *layout, uintptr_t id, uintptr_t method,
                     uint64_t *signature);

/* The bytecode index of `bcp` in `method`, if the id leads to the method from the beginning to the end; 0 of a native method.
 * `layout` must know methods. False also when the pointer does not lead to a bytecode of it.
 * Thread: Callback; a frame of `method` is on its stack. */
bool hs_version_bci(const struct hs_layout *layout, uintptr_t id, uintptr_t method, uintptr_t bcp,
                    int32_t *bci);

/* Is it a native method? `layout` must know scopes. The Method is read, so an id must just have led to it.
 * Thread: Callback; a frame of `method` is on its stack. */
bool hs_version_is_native(const struct hs_layout *layout, uintptr_t method);

/* Longer texts are not read: as much as a name may have (hs_names.h). */
enum { HS_VERSION_MAX_TEXT = 1024 };

struct hs_version_text {
    const char *text; /* not terminated */
    size_t bytes;
};

/* What a version says of its class and its names. */
struct hs_version_names {
    /* The constants of its class: one pool for all methods of one version of the class, another one for any other
     * class or version. 0: unknown. */
    uintptr_t pool;
    struct hs_version_text name;
    struct hs_version_text descriptor;
};

/* The names of `method`, if the id leads to it from the beginning to the end. `layout` must know names
 * (hs_hotspot.h). False also for 0; then the id is not read through.
 *
 * The cell is read again before each pointer is followed, as above. The last one leads to a Symbol, which is no memory
 * of the version: a name stands in one place in the VM, and each version of the method counts as a user of it. So it
 * stays as long as the class, and so do the texts, which are the VM's.
 * Thread: Callback; a frame of the id, or of `method`, is on its stack. */
bool hs_version_read_names(const struct hs_layout *layout, uintptr_t id, uintptr_t method,
                           struct hs_version_names *names);

#endif
