/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* OpenTelemetry libraries: which loaded libraries export the thread-local variable `otel_thread_ctx_v1`, and where the
 * running thread has it.
 *
 * The JVM opens libraries with RTLD_LOCAL, so a look-up by name alone finds none. The symbol tables of all loaded libraries
 * are searched instead. A library that was found is held open (dlopen with RTLD_NOLOAD), so that its variable stays while
 * callbacks read it; dlclose by its owner then has an effect only after hs_otel_libraries_free. musl never unloads.
 *
 * The variable has one address for each thread. A callback gets it from __tls_get_addr, with the module number and the offset: the
 * same function that code of the library calls. That takes no lock and no memory if the thread has the module's block of
 * thread-local memory. If not, glibc makes the block (malloc, and for a moment the loader's lock for thread-local memory,
 * under which no foreign code runs). So a thread calls it once for each hs_otel_libraries, and keeps the address. Without memory
 * glibc would end the process, so the thread tries to get as much memory first, and has no address without it.
 * doc/otel-context.md has what else was considered. */
#ifndef HS_OTEL_LIBRARY_H
#define HS_OTEL_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* As many are followed at once. Others are ignored. */
enum { HS_OTEL_LIBRARIES = 2 };

/* How many libraries were loaded and unloaded in the life of this process. */
struct hs_otel_loads {
    uint64_t adds;
    uint64_t subs;
};

struct hs_otel_library {
    unsigned long module; /* number of its block of thread-local memory */
    unsigned long offset; /* of the variable in that */
    size_t block_bytes;
    void *handle; /* NULL: nothing to close */
};

/* Arguments of __tls_get_addr, and its type. */
struct hs_tls_index {
    unsigned long module;
    unsigned long offset;
};
typedef void *hs_tls_get_addr(struct hs_tls_index *index);

/* Immutable once it is shared. */
struct hs_otel_libraries {
    uint64_t serial; /* never 0, never given again */
    hs_tls_get_addr *get_addr;
    int process; /* for hs_peek */
    uint32_t count;
    bool has_other_version; /* a library exports the variable of another version */
    struct hs_otel_library items[HS_OTEL_LIBRARIES];
};

/* Where one thread has the variables. All zero: not known. */
struct hs_otel_slots {
    uint64_t serial;                       /* of the hs_otel_libraries that these are for */
    void *const *slots[HS_OTEL_LIBRARIES]; /* NULL: no memory yet */
};

/* Counts; cheap. Waits for the loader's lock that guards its list, for as long as that changes.
 * Thread: the sweeper or control, without any lock. */
struct hs_otel_loads hs_otel_loads_now(void);

/* Searches all libraries. `*result` is NULL where none exports the variable. Waits while another thread is inside dlopen,
 * and for the constructors that run there, but only when a library was found.
 * Thread: the sweeper or control, without any lock: a constructor may call us.
 * Owns: the caller frees. Fails: HS_NO_MEMORY, as false. */
bool hs_otel_libraries_find(struct hs_otel_libraries **result);

/* Lets the libraries go; dlclose may run their destructors. Harmless for NULL.
 * Thread: as above, with no callback that may still have them. */
void hs_otel_libraries_free(struct hs_otel_libraries *libraries);

/* Finds the variables of the running thread, for hs_otel_slots_of. Thread: Callback. */
void hs_otel_slots_find(struct hs_otel_slots *slots, const struct hs_otel_libraries *libraries);

/* The variables of the running thread, whose own `slots` are. Thread: Callback, where the libraries stay meanwhile. */
static inline const struct hs_otel_slots *
hs_otel_slots_of(struct hs_otel_slots *slots, const struct hs_otel_libraries *libraries) {
    if (slots->serial != libraries->serial) {
        hs_otel_slots_find(slots, libraries);
    }
    return slots;
}

#endif
