/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* The part of hs_sampler.h for the default recording: one for all who share this engine, be it an
 * agent, the application, or both by class loaders that do not know each other. */
#include <string.h>

#include "hs_clock.h"
#include "hs_sampler_parts.h"

/* The default recording; NULL when there is none. */
static const struct hs_recording *find_default(struct hs_sampler *sampler) {
    return sampler->default_handle.number == 0
               ? NULL
               : hs_liveness_find(&sampler->liveness, sampler->default_handle);
}

/* So that it takes samples for one more holder. */
static enum hs_status start_default(struct hs_sampler *sampler, void *env,
                                    struct hs_config_version config_version, uint32_t interval,
                                    const struct hs_hold *hold) {
    static const struct hs_filter EVERYTHING;
    const struct hs_recording *recording = find_default(sampler);
    if (recording != NULL && sampler->holds.count == 0 && !sampler->holds.keeps) {
        /* Without an owner: the last release found no memory to close it, or its samples were reset after that. */
        enum hs_status status = hs_sampler_close_locked(sampler, recording->handle);
        if (status != HS_OK) {
            return status;
        }
        recording = NULL;
    }
    if (recording == NULL) {
        struct hs_handle handle;
        enum hs_status status =
            hs_sampler_open_locked(sampler, env, config_version, &EVERYTHING, interval, 0, &handle);
        sampler->default_handle = status == HS_OK ? handle : (struct hs_handle){0};
        hs_holds_renew(&sampler->holds);
        return status;
    }
    if (config_version.number != sampler->config_version.number) {
        return HS_CHANGED;
    }
    if (sampler->holds.count > 0) {
        interval = hold->interval < recording->interval ? hold->interval : recording->interval;
    }
    return hs_sampler_change_locked(sampler, recording->handle, interval, true);
}

/* As those who are left want it. Returns whether it was closed. */
static bool go_on(struct hs_sampler *sampler) {
    if (sampler->holds.count > 0) {
        (void)hs_sampler_change_locked(sampler, sampler->default_handle,
                                       hs_holds_interval(&sampler->holds), false);
        return false;
    }
    if (!sampler->holds.keeps &&
        hs_sampler_close_locked(sampler, sampler->default_handle) == HS_OK) {
        return true;
    }
    struct hs_recording *recording = hs_liveness_find(&sampler->liveness, sampler->default_handle);
    if (recording != NULL && hs_sampler_pause_locked(sampler, recording) != HS_OK) {
        hs_recording_accept(recording, false); /* the sweeper leaves it out once there is memory */
    }
    return false;
}

/* Thread: holder of HS_RANK_CONTROL. */
static void release_orphans(struct hs_sampler *sampler, void *env) {
    if (hs_holds_remove_orphans(&sampler->holds, sampler->ops, env)) {
        (void)go_on(sampler);
        hs_sampler_release_store(sampler, env); /* the next recording has tables of its own */
    }
}

enum hs_status hs_sampler_hold(struct hs_sampler *sampler, void *env,
                               struct hs_config_version config_version, uint32_t interval,
                               const struct hs_hold *hold, struct hs_hold_id *id) {
    hs_sampler_lock(sampler);
    release_orphans(sampler, env);
    enum hs_status status = sampler->holds.count < HS_MAX_HOLDS
                                ? start_default(sampler, env, config_version, interval, hold)
                                : HS_FULL;
    if (status == HS_OK) {
        *id = hs_holds_add(&sampler->holds, hold);
        sampler->has_run = true;
        const struct hs_recording *recording = find_default(sampler);
        if (recording != NULL && recording->governed == 0) {
            hs_sampler_govern(sampler, false); /* begins: what is spent from here on counts */
        }
    }
    hs_sampler_finish(sampler, env);
    return status;
}

static enum hs_status release(struct hs_sampler *sampler, void *env, struct hs_hold_id id,
                              bool keeps, bool *is_closed) {
    hs_sampler_lock(sampler);
    bool is_held = hs_holds_remove(&sampler->holds, sampler->ops, env, id);
    sampler->holds.keeps = sampler->holds.keeps || (is_held && keeps);
    *is_closed = is_held && go_on(sampler);
    hs_sampler_finish(sampler, env);
    return is_held ? HS_OK : HS_CLOSED;
}

enum hs_status hs_sampler_release(struct hs_sampler *sampler, void *env, struct hs_hold_id id,
                                  bool *is_closed) {
    return release(sampler, env, id, false, is_closed);
}

enum hs_status hs_sampler_release_keeping(struct hs_sampler *sampler, void *env,
                                          struct hs_hold_id id) {
    bool is_closed;
    return release(sampler, env, id, true, &is_closed);
}

void hs_sampler_release_orphans(struct hs_sampler *sampler, void *env) {
    hs_sampler_lock(sampler);
    release_orphans(sampler, env);
    (void)hs_holds_remove_orphans(&sampler->keepers, sampler->ops, env);
    hs_sampler_finish(sampler, env);
}

/* Wall time at which the stretch began in which it takes samples now; 0 while it takes none. */
static int64_t running_since(const struct hs_recording *recording) {
    if (!recording->is_accepting) {
        return 0;
    }
    return hs_clock_wall_us() - (hs_clock_monotonic_us() - recording->accepting_since_us);
}

void hs_sampler_fill_in_force(struct hs_sampler *sampler,
                              int64_t values[HS_IN_FORCE_VALUES + HS_HOLD_VALUES]) {
    const struct hs_recording *recording = find_default(sampler);
    const struct hs_limits *limits = &sampler->limits;
    int64_t *value = values;
    *value++ = __builtin_popcountll(hs_liveness_recordings(&sampler->liveness));
    *value++ = recording == NULL ? 0 : recording->handle.number;
    *value++ = recording == NULL ? 0 : recording->is_accepting;
    *value++ = recording == NULL ? 0 : recording->interval;
    *value++ = recording == NULL ? 0 : running_since(recording);
    *value++ = sampler->intake.strategy.kind;
    *value++ = (int64_t)sampler->intake.strategy.amount;
    *value++ = limits->depth;
    *value++ = limits->tracked;
    *value++ = limits->stacks;
    *value++ = limits->names;
    *value++ = limits->sites;
    *value++ = limits->threads;
    *value++ = limits->dead;
    *value++ = sampler->config_version.number;
    *value++ = sampler->has_run;
    *value++ = hs_holds_overhead(&sampler->holds);
    *value++ =
        recording == NULL || recording->governed == 0 ? 0 : hs_governor_share(&sampler->governor);
    *value++ = sampler->holds.count;
    for (uint32_t i = 0; i < sampler->holds.count; i++) {
        memcpy(value, sampler->holds.held[i].name, HS_HOLD_NAME);
        value += HS_HOLD_NAME / sizeof *value;
    }
}
