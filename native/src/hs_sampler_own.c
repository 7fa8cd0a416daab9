/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* The part of hs_sampler.h for the process-wide sampler: one for all who share this engine, be it an
 * agent, the application, or both by class loaders that do not know each other. */
#include <string.h>

#include "hs_clock.h"
#include "hs_sampler.h"

enum hs_status hs_sampler_open_own(struct hs_sampler *sampler, void *env, int32_t terms,
                                   uint32_t interval, int32_t *handle) {
    static const struct hs_filter EVERYTHING;
    hs_lock_acquire(&sampler->control);
    enum hs_status status = HS_BUSY;
    if (sampler->own_handle == 0) {
        status = hs_sampler_open_locked(sampler, env, terms, &EVERYTHING, interval, 0, handle);
    }
    if (status == HS_OK) {
        sampler->own_handle = *handle;
    }
    hs_lock_release(&sampler->control);
    return status;
}

/* The recording of the process-wide sampler; NULL when there is none. */
static const struct hs_recording *find_own(struct hs_sampler *sampler) {
    return sampler->own_handle == 0 ? NULL : hs_census_find(&sampler->census, sampler->own_handle);
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
    *value++ = sampler->terms;
    hs_lock_release(&sampler->control);
}
