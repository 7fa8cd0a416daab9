/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* The part of hs_sampler.h for the moment when the VM runs out of memory. */
#include <string.h>

#include "hs_clock.h"
#include "hs_rotation.h"
#include "hs_sampler_parts.h"

enum { PATIENCE_MS = 200 };

static enum hs_status arm_locked(struct hs_sampler *sampler, const char *path) {
    hs_lock_acquire(&sampler->sweep);
    const struct hs_store *store = sampler->liveness.store;
    enum hs_status status = HS_OK;
    if (path != NULL && store != NULL) {
        status = hs_oom_reserve(&sampler->oom, store->limits.sites + 1);
    }
    if (status == HS_OK) {
        status = hs_oom_arm(&sampler->oom, path);
    }
    hs_lock_release(&sampler->sweep);
    return status;
}

static enum hs_status watch(struct hs_sampler *sampler, bool is_wanted) {
    int32_t error = 0;
    enum hs_status status = sampler->ops->watch_exhaustion(is_wanted, &error);
    if (status != HS_OK) {
        atomic_store_explicit(&sampler->vm_error, error, memory_order_relaxed);
    }
    return status;
}

/* What was armed before stays so until nothing can fail any more; an event that comes before the VM was
 * requested them, or while it is no longer, is none of ours. */
static enum hs_status report_locked(struct hs_sampler *sampler, const char *path) {
    if (path == NULL) {
        (void)watch(sampler, false);
        return arm_locked(sampler, NULL);
    }
    enum hs_status status = watch(sampler, true);
    if (status == HS_OK) {
        status = arm_locked(sampler, path);
        if (status != HS_OK && !hs_oom_is_on(&sampler->oom)) {
            (void)watch(sampler, false);
        }
    }
    return status;
}

enum hs_status hs_sampler_report_on_oom(struct hs_sampler *sampler, const char *path) {
    hs_lock_acquire(&sampler->control);
    enum hs_status status = report_locked(sampler, path);
    hs_lock_release(&sampler->control);
    return status;
}

/* Thread: holder of HS_RANK_CONTROL. */
static bool is_file(const struct hs_sampler *sampler, const char *expected) {
    bool is_on = hs_oom_is_on(&sampler->oom);
    return expected == NULL ? !is_on : is_on && strcmp(sampler->oom.path, expected) == 0;
}

enum hs_status hs_sampler_replace_report(struct hs_sampler *sampler, const char *expected,
                                         const char *path, uint32_t max_holds) {
    hs_lock_acquire(&sampler->control);
    bool is_unchanged = is_file(sampler, expected) && sampler->holds.count <= max_holds;
    enum hs_status status = is_unchanged ? report_locked(sampler, path) : HS_CHANGED;
    hs_lock_release(&sampler->control);
    return status;
}

bool hs_sampler_report_file(struct hs_sampler *sampler, char path[HS_OOM_PATH]) {
    hs_lock_acquire(&sampler->control); /* the path changes under both locks */
    bool is_on = hs_oom_is_on(&sampler->oom);
    if (is_on) {
        memcpy(path, sampler->oom.path, HS_OOM_PATH);
    }
    hs_lock_release(&sampler->control);
    return is_on;
}

enum hs_status hs_sampler_reserve_report(struct hs_sampler *sampler) {
    /* Nothing of what filled the memory then will be in the tables. */
    hs_oom_discard(&sampler->oom);
    return hs_oom_is_on(&sampler->oom) ? hs_oom_reserve(&sampler->oom, sampler->limits.sites + 1)
                                       : HS_OK;
}

void hs_sampler_write_due_report(struct hs_sampler *sampler, void *env) {
    struct hs_store *store = sampler->liveness.store;
    if (store == NULL) {
        hs_oom_discard(&sampler->oom);
    } else if (hs_oom_is_due(&sampler->oom)) {
        (void)hs_rotation_move(store,
                               sampler->liveness.recordings); /* if not, the report says so */
        (void)hs_oom_write(&sampler->oom, store, sampler->ops, env);
    }
}

/* Another thread may look at the table: the sweeper, after the collections that went before. That takes some
 * milliseconds, and objects alive now may be dropped soon. But the thread that has the lock may also be waiting
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

/* No memory is short then: the array would be larger than any can be. */
static bool is_harmless(const char *reason) {
    return reason != NULL && strstr(reason, "array size") != NULL;
}

void hs_sampler_exhausted(struct hs_sampler *sampler, void *env, const char *reason, bool is_heap) {
    if (is_harmless(reason) || !hs_oom_strike(&sampler->oom, reason, is_heap)) {
        return;
    }
    /* While tables are exchanged, the sweeper must move what the report would miss: that takes memory. */
    bool is_mine = get_lock_soon(&sampler->sweep);
    const struct hs_store *store = is_mine ? sampler->liveness.store : NULL;
    bool is_moving = store != NULL && store->previous != NULL;
    if (is_mine && !is_moving) {
        hs_sampler_write_due_report(sampler, env);
    }
    if (is_mine) {
        hs_lock_release(&sampler->sweep);
    }
    if (!is_mine || is_moving) {
        hs_sweeper_wake(&sampler->sweeper);
    }
}
