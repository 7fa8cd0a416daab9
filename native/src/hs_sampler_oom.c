/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* The part of hs_sampler.h for the moment when the VM runs out of memory. */
#include "hs_clock.h"
#include "hs_sampler.h"

enum { PATIENCE_MS = 200 };

static enum hs_status arm_locked(struct hs_sampler *sampler, const char *path, uint32_t sites) {
    hs_lock_acquire(&sampler->sweep);
    enum hs_status status = hs_oom_arm(&sampler->oom, path, sites);
    hs_lock_release(&sampler->sweep);
    return status;
}

/* Armed first: an event that comes before is none of ours. */
static enum hs_status report_locked(struct hs_sampler *sampler, const char *path, uint32_t sites) {
    if (path == NULL) {
        (void)sampler->ops->watch_exhaustion(false, &sampler->vm_error);
        return arm_locked(sampler, NULL, 0);
    }
    enum hs_status status = arm_locked(sampler, path, sites);
    if (status == HS_OK) {
        status = sampler->ops->watch_exhaustion(true, &sampler->vm_error);
        if (status != HS_OK) {
            (void)arm_locked(sampler, NULL, 0);
        }
    }
    return status;
}

enum hs_status hs_sampler_report_on_oom(struct hs_sampler *sampler, const char *path,
                                        uint32_t sites) {
    hs_lock_acquire(&sampler->control);
    enum hs_status status = report_locked(sampler, path, sites);
    hs_lock_release(&sampler->control);
    return status;
}

void hs_sampler_write_due_report(struct hs_sampler *sampler, void *env) {
    if (sampler->census.store != NULL) {
        (void)hs_oom_write(&sampler->oom, sampler->census.store, sampler->ops, env);
    }
}

/* Somebody may look at the table: the sweeper, after the collections that went before. That takes some
 * milliseconds, and what is alive now may be let go of soon. But whoever has the lock may also be waiting
 * for something, or be this thread itself, which ran out of memory inside a sweep. */
static bool get_lock_soon(struct hs_lock *lock) {
    const struct timespec pause = {.tv_nsec = 1000000};
    for (int i = 0; i < PATIENCE_MS; i++) {
        if (hs_lock_try(lock)) {
            return true;
        }
        (void)nanosleep(&pause, NULL);
    }
    return false;
}

void hs_sampler_exhausted(struct hs_sampler *sampler, void *env, const char *reason) {
    if (!hs_oom_strike(&sampler->oom, reason)) {
        return;
    }
    if (get_lock_soon(&sampler->sweep)) {
        hs_sampler_write_due_report(sampler, env);
        hs_lock_release(&sampler->sweep);
    } else {
        hs_sweeper_wake(&sampler->sweeper);
    }
}
