/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_sampler.h"

#include <string.h>

#include "hs_clock.h"
#include "hs_encode.h"
#include "hs_mem.h"
#include "hs_step.h"

/* How long a change waits for callbacks in flight. One that is suspended inside keeps what it may
 * touch: that memory is given up, not freed. */
enum { PATIENCE_US = 5000000, FIRST_JDK_THAT_COUNTS_ALWAYS = 25 };

static const struct hs_limits DEFAULT_LIMITS = {
    .depth = 128,
    .tracked = 65536,
    .stacks = 32768,
    .names = 65536,
    .sites = 32768,
    .threads = 8192,
    .dead = 4096,
};

enum hs_status hs_sampler_init(struct hs_sampler *sampler, const struct hs_ops *ops) {
    memset(sampler, 0, sizeof *sampler);
    sampler->ops = ops;
    sampler->census.ops = ops;
    sampler->limits = DEFAULT_LIMITS;
    sampler->next_handle = 1;
    atomic_init(&sampler->interval, HS_VM_DEFAULT_INTERVAL);
    hs_epochs_init(&sampler->census.epochs, HS_UNKNOWN_COLLECTOR, 0);
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

static bool is_vm_dead(struct hs_sampler *sampler) {
    return atomic_load_explicit(&sampler->is_vm_dead, memory_order_acquire);
}

static bool is_idle(const struct hs_sampler *sampler) {
    return hs_census_recordings(&sampler->census) == 0;
}

/* The sweeper's work. */
static void sweep(void *context, void *env) {
    struct hs_sampler *sampler = context;
    hs_lock_acquire(&sampler->sweep);
    if (sampler->census.store != NULL && !is_vm_dead(sampler)) {
        hs_census_take(&sampler->census, env);
        hs_classes_purge(sampler->census.store->classes, sampler->ops, env, &sampler->phaser);
    }
    hs_lock_release(&sampler->sweep);
}

/* ---- on and off: HS_RANK_CONTROL ---- */

static struct hs_recording *find(const struct hs_sampler *sampler, int32_t handle) {
    for (int i = 0; i < HS_MAX_RECORDINGS; i++) {
        if (sampler->census.recordings[i] != NULL &&
            sampler->census.recordings[i]->handle == handle) {
            return sampler->census.recordings[i];
        }
    }
    return NULL;
}

static uint32_t smallest_interval(const struct hs_session *session) {
    uint32_t interval = session->recordings[0]->interval;
    for (uint32_t i = 1; i < session->count; i++) {
        if (session->recordings[i]->interval < interval) {
            interval = session->recordings[i]->interval;
        }
    }
    return interval;
}

/* Waits until nobody can still see what was unpublished. */
static bool drain(struct hs_sampler *sampler) {
    return hs_phaser_wait(&sampler->phaser, PATIENCE_US);
}

static bool publish(struct hs_sampler *sampler, struct hs_session *session) {
    /* seq_cst, pairs with the load in hs_vm.c after hs_phaser_enter. */
    struct hs_session *old =
        atomic_exchange_explicit(&sampler->session, session, memory_order_seq_cst);
    bool is_drained = old == NULL || drain(sampler);
    if (is_drained) {
        hs_mem_free(old, sizeof *old);
    }
    return is_drained;
}

static void set_interval(struct hs_sampler *sampler, uint32_t interval) {
    if (interval != atomic_load_explicit(&sampler->interval, memory_order_relaxed)) {
        sampler->ops->set_interval(interval);
        atomic_store_explicit(&sampler->interval, interval, memory_order_relaxed);
    }
}

static enum hs_status switch_on(struct hs_sampler *sampler, struct hs_session *session) {
    enum hs_status status = hs_sweeper_start(&sampler->sweeper, sampler->ops, sweep, sampler);
    if (status != HS_OK) {
        return status;
    }
    uint32_t interval = smallest_interval(session);
    uint32_t before = atomic_load_explicit(&sampler->interval, memory_order_relaxed);
    atomic_fetch_add_explicit(&sampler->generation, 1, memory_order_relaxed);
    atomic_store_explicit(&sampler->interval, interval, memory_order_relaxed);
    atomic_store_explicit(&sampler->session, session, memory_order_seq_cst);
    status = sampler->ops->enable(interval, &sampler->vm_error);
    if (status != HS_OK) {
        atomic_store_explicit(&sampler->interval, before, memory_order_relaxed);
        atomic_store_explicit(&sampler->session, NULL, memory_order_seq_cst);
        (void)drain(sampler);
        hs_sweeper_stop(&sampler->sweeper);
        return status;
    }
    sampler->is_enabled = true;
    hs_sweeper_wake(&sampler->sweeper); /* for the first canary */
    return HS_OK;
}

static void switch_off(struct hs_sampler *sampler) {
    if (!is_vm_dead(sampler)) {
        sampler->ops->disable();
    }
    atomic_store_explicit(&sampler->interval, HS_VM_DEFAULT_INTERVAL, memory_order_relaxed);
    (void)publish(sampler, NULL);
    hs_sweeper_stop(&sampler->sweeper);
    sampler->is_enabled = false;
}

/* Makes what happens agree with what the recordings want.
 * Fails as hs_sampler_open; only when a recording was added. */
static enum hs_status apply(struct hs_sampler *sampler) {
    struct hs_session *session = hs_mem_new(sizeof *session);
    if (session == NULL) {
        return HS_NO_MEMORY;
    }
    session->store = sampler->census.store;
    for (int i = 0; i < HS_MAX_RECORDINGS; i++) {
        struct hs_recording *recording = sampler->census.recordings[i];
        if (recording != NULL && recording->is_accepting) {
            session->recordings[session->count++] = recording;
        }
    }
    enum hs_status status = HS_OK;
    if (session->count > 0 && sampler->is_enabled) {
        set_interval(sampler, smallest_interval(session));
        (void)publish(sampler, session);
        return HS_OK;
    }
    if (session->count > 0) {
        status = is_vm_dead(sampler) ? HS_VM_DEAD : switch_on(sampler, session);
        if (status == HS_OK) {
            return HS_OK;
        }
    } else if (sampler->is_enabled) {
        switch_off(sampler);
    }
    hs_mem_free(session, sizeof *session);
    return status;
}

/* ---- recordings ---- */

static void accept(struct hs_recording *recording, bool is_accepting) {
    int64_t now = hs_clock_monotonic_us();
    if (recording->is_accepting && !is_accepting) {
        int64_t deadline = atomic_load_explicit(&recording->deadline_us, memory_order_relaxed);
        int64_t end = deadline != 0 && deadline < now ? deadline : now;
        recording->accepted_us += end - recording->accepting_since_us;
    } else if (is_accepting && !recording->is_accepting) {
        recording->accepting_since_us = now;
        atomic_store_explicit(&recording->deadline_us,
                              recording->duration_us == 0 ? 0 : now + recording->duration_us,
                              memory_order_relaxed);
    }
    recording->is_accepting = is_accepting;
}

/* Forgets the tables when nobody needs them. No callback is inside: sampling is off. */
static void release_store_if_idle(struct hs_sampler *sampler, void *env) {
    if (!is_idle(sampler) || sampler->is_enabled || sampler->census.store == NULL ||
        !drain(sampler)) {
        return;
    }
    hs_lock_acquire(&sampler->sweep);
    hs_epochs_release(&sampler->census.epochs, sampler->ops, env);
    hs_store_free(sampler->census.store, sampler->ops, env);
    sampler->census.store = NULL;
    hs_lock_release(&sampler->sweep);
}

static enum hs_status need_store(struct hs_sampler *sampler) {
    if (sampler->census.store != NULL) {
        return HS_OK;
    }
    hs_lock_acquire(&sampler->sweep);
    enum hs_status status = hs_store_new(&sampler->limits, &sampler->census.store);
    hs_lock_release(&sampler->sweep);
    return status;
}

/* Takes a recording out of its place, out of the samples, and frees it. It accepts no more. */
static void remove_recording(struct hs_sampler *sampler, struct hs_recording *recording) {
    bool is_drained = drain(sampler);
    hs_lock_acquire(&sampler->sweep);
    sampler->census.recordings[__builtin_ctzll(recording->bit)] = NULL;
    hs_live_forget(sampler->census.store->live, recording->bit);
    hs_departed_forget(sampler->census.store->departed, recording->bit);
    hs_lock_release(&sampler->sweep);
    if (is_drained) {
        hs_recording_free(recording);
    }
}

static int free_place(const struct hs_sampler *sampler) {
    for (int i = 0; i < HS_MAX_RECORDINGS; i++) {
        if (sampler->census.recordings[i] == NULL) {
            return i;
        }
    }
    return -1;
}

/* A recording in a free place, not yet accepting. */
static enum hs_status add_recording(struct hs_sampler *sampler, const struct hs_filter *filter,
                                    struct hs_recording **result) {
    int place = free_place(sampler);
    if (place < 0) {
        return HS_TOO_MANY;
    }
    enum hs_status status = need_store(sampler);
    if (status != HS_OK) {
        return status;
    }
    status = hs_recording_new(filter, sampler->census.store->limits.sites,
                              sampler->census.store->limits.threads, result);
    if (status != HS_OK) {
        return status;
    }
    struct hs_recording *recording = *result;
    recording->bit = UINT64_C(1) << place;
    recording->opened_wall_us = hs_clock_wall_us();
    recording->collections_before =
        atomic_load_explicit(&sampler->census.epochs.collections, memory_order_relaxed);
    hs_lock_acquire(&sampler->sweep);
    sampler->census.recordings[place] = recording;
    hs_lock_release(&sampler->sweep);
    return HS_OK;
}

enum hs_status hs_sampler_configure(struct hs_sampler *sampler, const struct hs_limits *limits,
                                    const struct hs_vm_traits *traits) {
    hs_lock_acquire(&sampler->control);
    enum hs_status status = HS_BUSY;
    if (is_idle(sampler)) {
        sampler->limits = *limits;
        sampler->traits = *traits;
        sampler->counts_always = traits->feature >= FIRST_JDK_THAT_COUNTS_ALWAYS;
        sampler->census.epochs.collector = traits->collector;
        sampler->census.epochs.born_old_bytes = traits->born_old_bytes;
        status = HS_OK;
    }
    hs_lock_release(&sampler->control);
    return status;
}

enum hs_status hs_sampler_open(struct hs_sampler *sampler, void *env,
                               const struct hs_filter *filter, uint32_t interval,
                               int64_t duration_us, int32_t *handle) {
    struct hs_recording *recording;
    hs_lock_acquire(&sampler->control);
    enum hs_status status = add_recording(sampler, filter, &recording);
    if (status == HS_OK) {
        recording->handle = sampler->next_handle++;
        recording->interval = interval;
        recording->duration_us = duration_us;
        *handle = recording->handle;
        accept(recording, true);
        status = apply(sampler);
        if (status != HS_OK) {
            accept(recording, false);
            remove_recording(sampler, recording);
        }
    }
    if (status != HS_OK) {
        release_store_if_idle(sampler, env);
    }
    hs_lock_release(&sampler->control);
    return status;
}

static enum hs_status pause_locked(struct hs_sampler *sampler, struct hs_recording *recording) {
    accept(recording, false);
    enum hs_status status = apply(sampler);
    if (status != HS_OK) { /* no memory for a session: keep the old one */
        accept(recording, true);
    }
    return status;
}

enum hs_status hs_sampler_pause(struct hs_sampler *sampler, int32_t handle) {
    hs_lock_acquire(&sampler->control);
    struct hs_recording *recording = find(sampler, handle);
    enum hs_status status = recording == NULL ? HS_CLOSED : pause_locked(sampler, recording);
    hs_lock_release(&sampler->control);
    return status;
}

static enum hs_status change_locked(struct hs_sampler *sampler, struct hs_recording *recording,
                                    uint32_t interval, bool is_accepting) {
    uint32_t interval_before = recording->interval;
    bool was_accepting = recording->is_accepting;
    recording->interval = interval;
    accept(recording, is_accepting);
    enum hs_status status = apply(sampler);
    if (status != HS_OK) {
        recording->interval = interval_before;
        accept(recording, was_accepting);
    } else if (interval != interval_before) {
        recording->interval_changes++;
    }
    return status;
}

enum hs_status hs_sampler_resume(struct hs_sampler *sampler, int32_t handle, uint32_t interval) {
    hs_lock_acquire(&sampler->control);
    struct hs_recording *recording = find(sampler, handle);
    enum hs_status status =
        recording == NULL ? HS_CLOSED : change_locked(sampler, recording, interval, true);
    hs_lock_release(&sampler->control);
    return status;
}

enum hs_status hs_sampler_set_interval(struct hs_sampler *sampler, int32_t handle,
                                       uint32_t interval) {
    hs_lock_acquire(&sampler->control);
    struct hs_recording *recording = find(sampler, handle);
    enum hs_status status =
        recording == NULL ? HS_CLOSED
                          : change_locked(sampler, recording, interval, recording->is_accepting);
    hs_lock_release(&sampler->control);
    return status;
}

enum hs_status hs_sampler_reset(struct hs_sampler *sampler, void *env, int32_t handle) {
    hs_lock_acquire(&sampler->control);
    struct hs_recording *old = find(sampler, handle);
    struct hs_recording *fresh = NULL;
    enum hs_status status = old == NULL ? HS_CLOSED : add_recording(sampler, &old->filter, &fresh);
    if (status == HS_OK) {
        fresh->handle = handle;
        fresh->interval = old->interval;
        fresh->duration_us = old->duration_us;
        accept(fresh, old->is_accepting);
        accept(old, false);
        status = apply(sampler);
        if (status != HS_OK) {
            accept(old, fresh->is_accepting);
        }
        remove_recording(sampler, status == HS_OK ? old : fresh);
    }
    release_store_if_idle(sampler, env);
    hs_lock_release(&sampler->control);
    return status;
}

enum hs_status hs_sampler_close(struct hs_sampler *sampler, void *env, int32_t handle) {
    hs_lock_acquire(&sampler->control);
    struct hs_recording *recording = find(sampler, handle);
    enum hs_status status = recording == NULL ? HS_CLOSED : pause_locked(sampler, recording);
    if (status == HS_OK) {
        remove_recording(sampler, recording);
        release_store_if_idle(sampler, env);
    }
    hs_lock_release(&sampler->control);
    return status;
}

void hs_sampler_destroy(struct hs_sampler *sampler, void *env) {
    hs_lock_acquire(&sampler->control);
    for (int i = 0; i < HS_MAX_RECORDINGS; i++) {
        if (sampler->census.recordings[i] != NULL) {
            accept(sampler->census.recordings[i], false);
        }
    }
    if (sampler->is_enabled) {
        switch_off(sampler);
    }
    for (int i = 0; i < HS_MAX_RECORDINGS; i++) {
        if (sampler->census.recordings[i] != NULL) {
            remove_recording(sampler, sampler->census.recordings[i]);
        }
    }
    release_store_if_idle(sampler, env);
    hs_lock_release(&sampler->control);
}

static void fill_info(struct hs_sampler *sampler, const struct hs_recording *recording,
                      struct hs_view *view) {
    int64_t now = hs_clock_monotonic_us();
    int64_t deadline = atomic_load_explicit(&recording->deadline_us, memory_order_relaxed);
    int64_t end = deadline != 0 && deadline < now ? deadline : now;
    int64_t running = recording->is_accepting ? end - recording->accepting_since_us : 0;
    bool is_sampling = recording->is_accepting && end == now;
    int64_t *info = view->info;
    view->wall_offset_us = hs_clock_wall_us() - now;
    info[HS_INFO_OPENED_US] = recording->opened_wall_us;
    info[HS_INFO_TAKEN_US] = now + view->wall_offset_us;
    info[HS_INFO_SAMPLED_US] = recording->accepted_us + running;
    info[HS_INFO_INTERVAL] = recording->interval;
    info[HS_INFO_INTERVAL_IN_FORCE] =
        atomic_load_explicit(&sampler->interval, memory_order_relaxed);
    info[HS_INFO_COLLECTIONS] =
        (int64_t)(atomic_load_explicit(&sampler->census.epochs.collections, memory_order_relaxed) -
                  recording->collections_before);
    info[HS_INFO_SAMPLES] =
        (int64_t)atomic_load_explicit(&recording->samples, memory_order_relaxed);
    info[HS_INFO_FLAGS] |= is_sampling ? HS_INFO_SAMPLING : 0;
    info[HS_INFO_TRACKED] = hs_live_count(sampler->census.store->live);
    info[HS_INFO_BUDGET] = hs_live_capacity(sampler->census.store->live);
    info[HS_INFO_MEMORY] = (int64_t)hs_mem_used();
    info[HS_INFO_MEMORY_PEAK] = (int64_t)hs_mem_peak();
    info[HS_INFO_DEPTH] = sampler->census.store->limits.depth;
    info[HS_INFO_LEVEL] = hs_live_level(sampler->census.store->live);
    info[HS_INFO_COLLECTOR] = sampler->traits.collector;
    info[HS_INFO_FEATURE] = sampler->traits.feature;
    info[HS_INFO_BORN_OLD] = (int64_t)sampler->traits.born_old_bytes;
    info[HS_INFO_DEATHS] = (int64_t)recording->deaths;
    info[HS_INFO_INTERVAL_CHANGES] = recording->interval_changes;
}

static enum hs_status snapshot_locked(struct hs_sampler *sampler, void *env,
                                      struct hs_recording *recording, bool after_collection,
                                      struct hs_buffer *buffer) {
    struct hs_view view = {
        .store = sampler->census.store, .recording = recording, .epochs = &sampler->census.epochs};
    if (after_collection) {
        bool took_place = hs_census_take_after_collection(&sampler->census, env);
        view.info[HS_INFO_FLAGS] = HS_INFO_GC_ASKED | (took_place ? HS_INFO_GC_DONE : 0);
    } else {
        hs_census_take(&sampler->census, env);
    }
    fill_info(sampler, recording, &view);
    return hs_encode(&view, buffer);
}

enum hs_status hs_sampler_snapshot(struct hs_sampler *sampler, void *env, int32_t handle,
                                   bool after_collection, struct hs_buffer *buffer) {
    hs_lock_acquire(&sampler->control);
    hs_lock_acquire(&sampler->sweep);
    struct hs_recording *recording = find(sampler, handle);
    enum hs_status status =
        recording == NULL ? HS_CLOSED
                          : snapshot_locked(sampler, env, recording, after_collection, buffer);
    hs_lock_release(&sampler->sweep);
    hs_lock_release(&sampler->control);
    return status;
}

static int64_t get(_Atomic uint64_t *counter) {
    return (int64_t)atomic_load_explicit(counter, memory_order_relaxed);
}

void hs_sampler_status(struct hs_sampler *sampler, int64_t values[HS_STATUS_VALUES]) {
    memset(values, 0, HS_STATUS_VALUES * sizeof values[0]);
    hs_lock_acquire(&sampler->control);
    const struct hs_store *store = sampler->census.store;
    int64_t *value = values;
    *value++ = sampler->is_enabled;
    *value++ = atomic_load_explicit(&sampler->interval, memory_order_relaxed);
    *value++ = __builtin_popcountll(hs_census_recordings(&sampler->census));
    *value++ = store == NULL ? 0 : hs_live_count(store->live);
    *value++ = sampler->limits.tracked;
    *value++ = (int64_t)hs_mem_used();
    *value++ = (int64_t)hs_mem_peak();
    *value++ = get(&sampler->seen);
    *value++ = get(&sampler->cost.total_ns);
    *value++ = get(&sampler->cost.count);
    *value++ = get(&sampler->cost.max_ns);
    *value++ = atomic_load_explicit(&sampler->census.epochs.collections, memory_order_relaxed);
    *value++ = get(&sampler->sweeper.rounds);
    *value++ = store == NULL ? 0 : hs_live_level(store->live);
    *value++ = sampler->limits.depth;
    for (int i = 0; i < HS_MAX_RECORDINGS; i++) {
        struct hs_recording *recording = sampler->census.recordings[i];
        for (int cause = 0; recording != NULL && cause < HS_DROP_COUNT; cause++) {
            value[cause] += get(&recording->drops[cause]);
        }
    }
    hs_lock_release(&sampler->control);
}

bool hs_sampler_is_primed(struct hs_sampler *sampler) {
    const struct hs_step *step = hs_step_current();
    return step != NULL &&
           step->generation == atomic_load_explicit(&sampler->generation, memory_order_relaxed) &&
           step->interval == atomic_load_explicit(&sampler->interval, memory_order_relaxed);
}

void hs_sampler_vm_death(struct hs_sampler *sampler) {
    atomic_store_explicit(&sampler->is_vm_dead, true, memory_order_release);
    atomic_store_explicit(&sampler->session, NULL, memory_order_seq_cst);
    hs_sweeper_abandon(&sampler->sweeper);
}
