/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_sampler_parts.h"

#include <string.h>
#include <time.h>

#include "hs_clock.h"
#include "hs_mem.h"
#include "hs_thread_state.h"

/* How long a call waits for callbacks in flight. One that is suspended inside keeps what it may touch: that
 * is not freed before it has left. */
enum { PATIENCE_US = 5000000 };

/* How often the sweeper tries to get HS_RANK_CONTROL, a millisecond apart, when that is urgent. */
enum { TRIES = 50 };

static const struct hs_limits DEFAULT_LIMITS = {
    .depth = 128,
    .tracked = 65536,
    .stacks = 32768,
    .names = 65536,
    .sites = 32768,
    .threads = 8192,
    .dead = 4096,
};

static void tick(void *context);

enum hs_status hs_sampler_init(struct hs_sampler *sampler, const struct hs_ops *ops) {
    memset(sampler, 0, sizeof *sampler);
    hs_intake_init(&sampler->intake, ops, &sampler->liveness.epochs, &sampler->sweeper);
    sampler->ops = ops;
    sampler->liveness.ops = ops;
    sampler->sweeper.tick = tick;
    sampler->limits = DEFAULT_LIMITS;
    sampler->next_handle = 1;
    sampler->patience_us = PATIENCE_US;
    hs_epochs_init(&sampler->liveness.epochs, HS_UNKNOWN_COLLECTOR, 0);
    enum hs_status status = hs_lock_init(&sampler->control, HS_RANK_CONTROL);
    if (status != HS_OK) {
        return status;
    }
    status = hs_lock_init(&sampler->sweep, HS_RANK_SWEEP);
    if (status != HS_OK) {
        hs_lock_destroy(&sampler->control);
    }
    return status;
}

/* ---- the work of the sweeper ---- */

/* Each change leaves a session to a callback that does not leave. As long as one is left behind the interval only
 * grows: the budget is kept, and at HS_GOVERNOR_LONGEST the changes end. */
static void follow_governor(struct hs_sampler *sampler) {
    bool has_lost = sampler->lost_sessions != NULL || sampler->lost_recordings != NULL;
    hs_sampler_govern(sampler, !has_lost || hs_sampler_drain(sampler));
    hs_sampler_renew_session(sampler);
}

/* Some snapshots may follow each other closely: when there is work that should not wait for the next round, the lock is
 * tried for a while, but never waited for. */
static bool try_lock_soon(struct hs_sampler *sampler, bool is_urgent) {
    const struct timespec pause = {.tv_nsec = 1000000};
    bool is_mine = hs_sampler_try_lock(sampler);
    for (int i = 0; i < TRIES && is_urgent && !is_mine; i++) {
        (void)nanosleep(&pause, NULL);
        is_mine = hs_sampler_try_lock(sampler);
    }
    return is_mine;
}

/* What may wait for callbacks needs HS_RANK_CONTROL; when a control thread has it (and may even wait
 * for the sweeper's first round, or for its end), it is left for the next round. */
static void housekeep(struct hs_sampler *sampler, void *env, bool is_urgent) {
    struct hs_otel *otel = &sampler->intake.otel;
    if (!try_lock_soon(sampler, is_urgent)) {
        return;
    }
    bool is_retired =
        hs_otel_retire(otel, &sampler->intake.phaser, hs_sampler_patience(sampler), false);
    follow_governor(sampler);
    hs_lock_acquire(&sampler->sweep);
    if (sampler->liveness.store != NULL && !hs_sampler_is_vm_dead(sampler)) {
        hs_classes_purge(sampler->liveness.store->classes, sampler->ops, env,
                         &sampler->intake.phaser, hs_sampler_patience(sampler));
    }
    hs_lock_release(&sampler->sweep);
    if (sampler->liveness.store != NULL) {
        hs_sampler_rotate(sampler, env);
        hs_sampler_renew_stack_cache(sampler);
    }
    hs_lock_release(&sampler->control);
    if (is_retired) {
        hs_otel_look(otel, &sampler->intake.phaser, "", hs_clock_monotonic_us());
    }
}

/* Between two sweeps. */
static void tick(void *context) {
    struct hs_sampler *sampler = context;
    hs_cost_renew(&sampler->intake.cost);
    if (hs_sampler_try_lock(sampler)) {
        follow_governor(sampler);
        hs_sampler_leave(sampler);
    }
}

void hs_sampler_sweep(void *context, void *env) {
    struct hs_sampler *sampler = context;
    bool is_due = false;
    hs_cost_renew(&sampler->intake.cost);
    /* Without any lock. */
    hs_otel_look(&sampler->intake.otel, &sampler->intake.phaser, "", hs_clock_monotonic_us());
    hs_lock_acquire(&sampler->sweep);
    if (sampler->liveness.store != NULL && !hs_sampler_is_vm_dead(sampler)) {
        hs_liveness_take(&sampler->liveness, env);
        hs_sampler_write_due_report(sampler, env);
        is_due = hs_sampler_rotation_is_due(sampler);
    }
    hs_lock_release(&sampler->sweep);
    housekeep(sampler, env, is_due);
}

/* ---- recordings ---- */

/* Not one whose bit a stuck callback may still use; -1: none. */
static int free_place(const struct hs_sampler *sampler) {
    uint64_t taken = hs_liveness_recordings(&sampler->liveness);
    for (const struct hs_recording *r = sampler->lost_recordings; r != NULL; r = r->next_lost) {
        taken |= r->bit;
    }
    return taken == UINT64_MAX ? -1 : __builtin_ctzll(~taken);
}

/* A recording in a free place, not yet accepting. */
static enum hs_status add_recording(struct hs_sampler *sampler, const struct hs_filter *filter,
                                    struct hs_recording **result) {
    int place = free_place(sampler);
    if (place < 0 && sampler->lost_recordings != NULL && hs_sampler_drain(sampler)) {
        place = free_place(sampler);
    }
    if (place < 0) {
        return HS_TOO_MANY;
    }
    enum hs_status status = hs_sampler_need_store(sampler);
    if (status != HS_OK) {
        return status;
    }
    status = hs_recording_new(filter, sampler->liveness.store->limits.sites,
                              sampler->liveness.store->limits.threads, result);
    if (status != HS_OK) {
        return status;
    }
    struct hs_recording *recording = *result;
    recording->bit = UINT64_C(1) << place;
    recording->opened_wall_us = hs_clock_wall_us();
    recording->collections_before = hs_epochs_collections(&sampler->liveness.epochs);
    recording->births_before = atomic_load_explicit(&sampler->intake.births, memory_order_relaxed);
    hs_lock_acquire(&sampler->sweep);
    sampler->liveness.recordings[place] = recording;
    hs_lock_release(&sampler->sweep);
    return HS_OK;
}

/* What was collected while sampling was off counts for no recording that begins now. */
static void catch_up(struct hs_sampler *sampler, void *env) {
    hs_lock_acquire(&sampler->sweep);
    if (sampler->liveness.store != NULL) {
        hs_liveness_take(&sampler->liveness, env);
    }
    hs_lock_release(&sampler->sweep);
}

enum hs_status hs_sampler_open_locked(struct hs_sampler *sampler, void *env,
                                      struct hs_config_version config_version,
                                      const struct hs_filter *filter, uint32_t interval,
                                      int64_t duration_us, struct hs_handle *handle) {
    struct hs_recording *recording;
    enum hs_status status = HS_VM_DEAD;
    if (!hs_sampler_is_vm_dead(sampler)) {
        if (!sampler->is_enabled) {
            catch_up(sampler, env);
        }
        status = config_version.number == sampler->config_version.number
                     ? add_recording(sampler, filter, &recording)
                     : HS_CHANGED;
    }
    if (status == HS_OK) {
        recording->handle = (struct hs_handle){sampler->next_handle++};
        recording->interval = interval;
        recording->duration_us = duration_us;
        *handle = recording->handle;
        hs_recording_accept(recording, true);
        status = hs_sampler_reconcile(sampler);
        if (status != HS_OK) {
            hs_recording_accept(recording, false);
            hs_sampler_remove(sampler, recording);
        }
    }
    return status;
}

enum hs_status hs_sampler_open(struct hs_sampler *sampler, void *env,
                               struct hs_config_version config_version,
                               const struct hs_filter *filter, uint32_t interval,
                               int64_t duration_us, struct hs_handle *handle) {
    hs_sampler_lock(sampler);
    enum hs_status status =
        hs_sampler_open_locked(sampler, env, config_version, filter, interval, duration_us, handle);
    hs_sampler_finish(sampler, env);
    return status;
}

/* The last one can always be paused, and others while the spare session is there. */
enum hs_status hs_sampler_pause_locked(struct hs_sampler *sampler, struct hs_recording *recording) {
    struct hs_acceptance before = hs_recording_acceptance(recording);
    hs_recording_accept(recording, false);
    enum hs_status status = hs_sampler_reconcile(sampler);
    if (status != HS_OK) {
        hs_recording_restore(recording, &before);
    }
    return status;
}

enum hs_status hs_sampler_pause(struct hs_sampler *sampler, void *env, struct hs_handle handle) {
    hs_sampler_lock(sampler);
    struct hs_recording *recording = hs_liveness_find(&sampler->liveness, handle);
    enum hs_status status =
        recording == NULL ? HS_CLOSED : hs_sampler_pause_locked(sampler, recording);
    hs_sampler_finish(sampler, env);
    return status;
}

/* `resumes`: from here on it accepts samples, whether it did or not. */
enum hs_status hs_sampler_change_locked(struct hs_sampler *sampler, struct hs_handle handle,
                                        uint32_t interval, bool resumes) {
    struct hs_recording *recording = hs_liveness_find(&sampler->liveness, handle);
    if (recording == NULL) {
        return HS_CLOSED;
    }
    uint32_t interval_before = recording->interval;
    uint32_t governed_before = recording->governed;
    struct hs_acceptance before = hs_recording_acceptance(recording);
    if (resumes && hs_recording_is_over(recording, hs_clock_monotonic_us())) {
        hs_recording_accept(recording, false); /* what follows is another stretch */
    }
    if (interval != interval_before || !before.is_accepting) {
        recording->governed = 0; /* the requested one is in force at once */
    }
    recording->interval = interval;
    hs_recording_accept(recording, before.is_accepting || resumes);
    enum hs_status status = hs_sampler_reconcile(sampler);
    if (status != HS_OK) {
        recording->interval = interval_before;
        recording->governed = governed_before;
        hs_recording_restore(recording, &before);
    } else if (interval != interval_before) {
        recording->interval_changes++;
    }
    return status;
}

enum hs_status hs_sampler_set_interval(struct hs_sampler *sampler, void *env,
                                       struct hs_handle handle, uint32_t interval) {
    hs_sampler_lock(sampler);
    enum hs_status status = hs_sampler_change_locked(sampler, handle, interval, false);
    if (status == HS_OK && handle.number == sampler->default_handle.number) {
        hs_holds_set_interval(&sampler->holds, interval);
    }
    hs_sampler_finish(sampler, env);
    return status;
}

enum hs_status hs_sampler_reset(struct hs_sampler *sampler, void *env, struct hs_handle handle) {
    hs_sampler_lock(sampler);
    struct hs_recording *old = hs_liveness_find(&sampler->liveness, handle);
    struct hs_recording *fresh = NULL;
    enum hs_status status = old == NULL ? HS_CLOSED : add_recording(sampler, &old->filter, &fresh);
    if (status == HS_OK) {
        fresh->handle = handle;
        fresh->interval = old->interval;
        fresh->governed = old->governed;
        fresh->duration_us = old->duration_us;
        struct hs_acceptance before = hs_recording_acceptance(old);
        hs_recording_accept(fresh, before.is_accepting);
        hs_recording_accept(old, false);
        status = hs_sampler_reconcile(sampler);
        if (status != HS_OK) {
            hs_recording_restore(old, &before);
        }
        hs_sampler_remove(sampler, status == HS_OK ? old : fresh);
    }
    if (status == HS_OK && handle.number == sampler->default_handle.number) {
        hs_holds_renew(&sampler->holds);
    }
    hs_sampler_finish(sampler, env);
    return status;
}

enum hs_status hs_sampler_close_locked(struct hs_sampler *sampler, struct hs_handle handle) {
    struct hs_recording *recording = hs_liveness_find(&sampler->liveness, handle);
    enum hs_status status =
        recording == NULL ? HS_CLOSED : hs_sampler_pause_locked(sampler, recording);
    if (status == HS_OK) {
        hs_sampler_remove(sampler, recording);
        if (sampler->default_handle.number == handle.number) {
            sampler->default_handle = (struct hs_handle){0};
        }
    }
    return status;
}

enum hs_status hs_sampler_close(struct hs_sampler *sampler, void *env, struct hs_handle handle) {
    hs_sampler_lock(sampler);
    bool is_held = handle.number == sampler->default_handle.number && sampler->holds.count > 0;
    enum hs_status status = is_held ? HS_BUSY : hs_sampler_close_locked(sampler, handle);
    hs_sampler_finish(sampler, env);
    return status;
}

void hs_sampler_destroy(struct hs_sampler *sampler, void *env) {
    hs_sampler_lock(sampler);
    for (int i = 0; i < HS_MAX_RECORDINGS; i++) {
        if (sampler->liveness.recordings[i] != NULL) {
            hs_recording_accept(sampler->liveness.recordings[i], false);
        }
    }
    if (sampler->is_enabled) {
        hs_sampler_switch_off(sampler);
    }
    for (int i = 0; i < HS_MAX_RECORDINGS; i++) {
        if (sampler->liveness.recordings[i] != NULL) {
            hs_sampler_remove(sampler, sampler->liveness.recordings[i]);
        }
    }
    hs_holds_clear(&sampler->keepers, sampler->ops, env);
    hs_sampler_release_store(sampler, env);
    hs_mem_free(sampler->spare, sizeof *sampler->spare); /* of an open that failed */
    sampler->spare = NULL;
    sampler->default_handle = (struct hs_handle){0};
    hs_holds_clear(&sampler->holds, sampler->ops, env);
    hs_lock_acquire(&sampler->sweep);
    hs_oom_free(&sampler->oom);
    hs_lock_release(&sampler->sweep);
    hs_sampler_leave(sampler);
    hs_otel_settle(&sampler->intake.otel, &sampler->intake.phaser);
}
