/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* The part of hs_sampler.h for the process-wide sampler: one for all who share this engine, be it an
 * agent, the application, or both by class loaders that do not know each other. */
#include <string.h>

#include "hs_clock.h"
#include "hs_sampler.h"

enum { OPENING = -1 };

enum hs_status hs_sampler_open_own(struct hs_sampler *sampler, void *env, uint32_t interval,
                                   int32_t *handle) {
    static const struct hs_filter EVERYTHING;
    int32_t none = 0;
    /* Relaxed: the recording itself is found under HS_RANK_CONTROL. */
    if (!atomic_compare_exchange_strong_explicit(&sampler->own_handle, &none, OPENING,
                                                 memory_order_relaxed, memory_order_relaxed)) {
        return HS_BUSY;
    }
    enum hs_status status = hs_sampler_open(sampler, env, &EVERYTHING, interval, 0, handle);
    atomic_store_explicit(&sampler->own_handle, status == HS_OK ? *handle : 0,
                          memory_order_relaxed);
    return status;
}

/* The recording of the process-wide sampler; NULL when there is none. */
static const struct hs_recording *find_own(struct hs_sampler *sampler) {
    int32_t handle = atomic_load_explicit(&sampler->own_handle, memory_order_relaxed);
    return handle > 0 ? hs_census_find(&sampler->census, handle) : NULL;
}

/* Wall time at which the stretch began in which it takes samples now; 0 while it takes none. */
static int64_t running_since(const struct hs_recording *own) {
    if (!own->is_accepting) {
        return 0;
    }
    return hs_clock_wall_us() - (hs_clock_monotonic_us() - own->accepting_since_us);
}

void hs_sampler_in_force(struct hs_sampler *sampler, int64_t values[HS_IN_FORCE_VALUES]) {
    memset(values, 0, HS_IN_FORCE_VALUES * sizeof values[0]);
    hs_lock_acquire(&sampler->control);
    const struct hs_recording *own = find_own(sampler);
    const struct hs_limits *limits = &sampler->limits;
    int64_t *value = values;
    *value++ = __builtin_popcountll(hs_census_recordings(&sampler->census));
    *value++ = own == NULL ? 0 : own->handle;
    *value++ = own == NULL ? 0 : own->is_accepting;
    *value++ = own == NULL ? 0 : own->interval;
    *value++ = own == NULL ? 0 : running_since(own);
    *value++ = sampler->strategy.kind;
    *value++ = (int64_t)sampler->strategy.amount;
    *value++ = limits->depth;
    *value++ = limits->tracked;
    *value++ = limits->stacks;
    *value++ = limits->names;
    *value++ = limits->sites;
    *value++ = limits->threads;
    *value++ = limits->dead;
    hs_lock_release(&sampler->control);
}
