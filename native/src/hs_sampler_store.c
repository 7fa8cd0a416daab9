/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* The part of hs_sampler.h that makes the tables when the first recording comes, and gives them back when
 * nobody needs them. */
#include "hs_clock.h"
#include "hs_mem.h"
#include "hs_sampler.h"

/* How long a change waits for callbacks in flight. One that is suspended inside keeps what it may
 * touch: that memory is given up, not freed. */
enum { PATIENCE_US = 5000000, SHORT_PATIENCE_US = 20000 };

bool hs_sampler_drain(struct hs_sampler *sampler) {
    return hs_phaser_wait(&sampler->phaser, PATIENCE_US);
}

bool hs_sampler_is_idle(const struct hs_sampler *sampler) {
    return hs_census_recordings(&sampler->census) == 0;
}

enum hs_status hs_sampler_need_store(struct hs_sampler *sampler) {
    if (sampler->spare == NULL) {
        sampler->spare = hs_mem_new(sizeof *sampler->spare);
    }
    if (sampler->spare == NULL || sampler->census.store != NULL) {
        return sampler->spare == NULL ? HS_NO_MEMORY : HS_OK;
    }
    hs_lock_acquire(&sampler->sweep);
    enum hs_status status = hs_sampler_reserve_report(sampler);
    if (status == HS_OK) {
        status = hs_store_new(&sampler->limits, &sampler->census.store);
    }
    hs_lock_release(&sampler->sweep);
    return status;
}

/* No callback is inside after it was drained: sampling is off. */
void hs_sampler_release_store(struct hs_sampler *sampler, void *env) {
    if (!hs_sampler_is_idle(sampler) || sampler->is_enabled || sampler->census.store == NULL ||
        !hs_sampler_drain(sampler)) {
        return;
    }
    hs_lock_acquire(&sampler->sweep);
    hs_oom_discard(&sampler->oom);
    hs_epochs_release(&sampler->census.epochs, sampler->ops, env);
    hs_store_free(sampler->census.store, sampler->ops, env);
    sampler->census.store = NULL;
    hs_lock_release(&sampler->sweep);
    hs_mem_free(sampler->spare, sizeof *sampler->spare);
    sampler->spare = NULL;
}

void hs_sampler_renew_learned(struct hs_sampler *sampler) {
    struct hs_store *store = sampler->census.store;
    const hs_learned *learned = atomic_load_explicit(&store->learned, memory_order_relaxed);
    bool is_on = hs_lookup_is_on(&sampler->lookup);
    if (is_on ? hs_lookup_is_outdated(&sampler->lookup, learned, hs_clock_monotonic_us())
              : learned != NULL) {
        hs_store_relearn(store, is_on ? &sampler->lookup.layout : NULL);
    }
    hs_store_bury(store, &sampler->phaser, SHORT_PATIENCE_US);
}
