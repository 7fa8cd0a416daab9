/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Probes: static probes (USDT) that show the tracked samples to profilers outside the process, such as OpenTelemetry's
 * for eBPF. Arguments, times and what a listener may conclude: doc/probes.md.
 *
 *   otel_memory:alloc(id, size, weighted_bytes)   a sample is tracked
 *   otel_memory:free(id)                          it is tracked no more
 *   heapsampler:weight(id, weighted_bytes)        it stands for more from now on
 *
 * A probe is a `nop` that a listener replaces with a breakpoint, and a note in the library's file that says where it
 * is, in which registers its arguments are, and where its *semaphore* is: the number of its listeners, which they
 * change from outside. At 0 a caller has nothing to do: one load and a branch. The call fires the probe; it does
 * nothing else.
 *
 * Thread: Any, in both parts. Order: the numbers are relaxed, each is correct by itself. */
#ifndef HS_PROBES_H
#define HS_PROBES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* The semaphores. This process only reads them. */
struct hs_probe_listeners {
    _Atomic unsigned short alloc;
    _Atomic unsigned short free;
    _Atomic unsigned short weight;
};
extern struct hs_probe_listeners hs_probe_listeners;

static inline bool hs_probe_is_heard(const _Atomic unsigned short *semaphore) {
    return __builtin_expect(atomic_load_explicit(semaphore, memory_order_relaxed) != 0, 0);
}

/* An id is never 0. */
void hs_probe_alloc(uint64_t id, uint64_t size, uint64_t weighted_bytes);
void hs_probe_free(uint64_t id);
void hs_probe_weight(uint64_t id, uint64_t weighted_bytes);

#endif
