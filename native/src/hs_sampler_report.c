/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* The half of hs_sampler.h that reads: snapshots and status. */
#include "hs_sampler_parts.h"

#include "hs_clock.h"
#include "hs_encode.h"
#include "hs_mem.h"
#include "hs_rotation.h"

/* As requested; the VM's may be shorter. Thread: holder of HS_RANK_CONTROL. */
static uint32_t interval_in_force(struct hs_sampler *sampler) {
    const struct hs_session *session =
        atomic_load_explicit(&sampler->intake.session, memory_order_relaxed);
    return session == NULL ? hs_interval_now(&sampler->intake.interval) : session->interval;
}

enum { CLOCK_STEP_US = 100000 };

/* Wall minus monotonic clock. The two cannot be read at once, so the difference varies by microseconds;
 * but the times of a sample must be the same in each snapshot. Only a step of the wall clock changes
 * it. Thread: holder of HS_RANK_CONTROL. */
static int64_t wall_offset(struct hs_sampler *sampler, int64_t now) {
    int64_t offset = hs_clock_wall_us() - now;
    int64_t change = offset - sampler->wall_offset_us;
    if (change > CLOCK_STEP_US || change < -CLOCK_STEP_US) {
        sampler->wall_offset_us = offset;
    }
    return sampler->wall_offset_us;
}

static void fill_info(struct hs_sampler *sampler, const struct hs_recording *recording,
                      struct hs_view *view) {
    int64_t now = hs_clock_monotonic_us();
    int64_t deadline = atomic_load_explicit(&recording->deadline_us, memory_order_relaxed);
    int64_t end = deadline != 0 && deadline < now ? deadline : now;
    int64_t running = recording->is_accepting ? end - recording->accepting_since_us : 0;
    bool is_sampling = recording->is_accepting && end == now;
    int64_t *info = view->info;
    view->wall_offset_us = wall_offset(sampler, now);
    info[HS_INFO_OPENED_US] = recording->opened_wall_us;
    info[HS_INFO_TAKEN_US] = now + view->wall_offset_us;
    info[HS_INFO_SAMPLED_US] = recording->accepted_us + running;
    info[HS_INFO_INTERVAL] = recording->interval;
    info[HS_INFO_INTERVAL_IN_FORCE] = interval_in_force(sampler);
    info[HS_INFO_COLLECTIONS] =
        (int64_t)(hs_epochs_collections(&sampler->liveness.epochs) - recording->collections_before);
    info[HS_INFO_SAMPLES] = (int64_t)hs_tally_sum(&recording->samples);
    info[HS_INFO_FLAGS] |= is_sampling ? HS_INFO_SAMPLING : 0;
    info[HS_INFO_FLAGS] |=
        hs_garbage_is_in_force(hs_live_garbage(sampler->liveness.store->live)) ? HS_INFO_HELD : 0;
    info[HS_INFO_FLAGS] |=
        sampler->intake.counts_always || hs_lookup_knows_buffers(&sampler->intake.lookup)
            ? 0
            : HS_INFO_UNUSED_COUNTED;
    info[HS_INFO_FLAGS] |= hs_epochs_has_canary(&sampler->liveness.epochs) ? 0 : HS_INFO_NO_CANARY;
    info[HS_INFO_FLAGS] |= sampler->lacks_tables ? HS_INFO_NO_TABLES : 0;
    info[HS_INFO_FLAGS] |=
        hs_lookup_stuck_rooms(&sampler->intake.lookup, now) > 0 ? HS_INFO_STUCK : 0;
    info[HS_INFO_TRACKED] = hs_live_count(sampler->liveness.store->live);
    info[HS_INFO_BUDGET] = hs_live_capacity(sampler->liveness.store->live);
    info[HS_INFO_MEMORY] = (int64_t)hs_mem_used();
    info[HS_INFO_MEMORY_PEAK] = (int64_t)hs_mem_peak();
    info[HS_INFO_DEPTH] = sampler->liveness.store->limits.depth;
    info[HS_INFO_LEVEL] = hs_live_level(sampler->liveness.store->live);
    info[HS_INFO_COLLECTOR] = sampler->traits.collector;
    info[HS_INFO_FEATURE] = sampler->traits.feature;
    info[HS_INFO_BORN_OLD] = (int64_t)sampler->traits.born_old_bytes;
    info[HS_INFO_DEATHS] = (int64_t)recording->deaths;
    info[HS_INFO_INTERVAL_CHANGES] = recording->interval_changes;
    const struct hs_bias *bias = sampler->liveness.store->bias;
    info[HS_INFO_COUNTED_BYTES] = (int64_t)hs_bias_sum(bias, HS_BIAS_COUNTED);
    info[HS_INFO_ESTIMATED_BYTES] = (int64_t)hs_bias_sum(bias, HS_BIAS_ESTIMATED);
    info[HS_INFO_ESTIMATE_VARIANCE] = (int64_t)hs_bias_sum(bias, HS_BIAS_VARIANCE);
    info[HS_INFO_STRATEGY] = sampler->intake.strategy.kind;
    info[HS_INFO_STRATEGY_AMOUNT] = (int64_t)sampler->intake.strategy.amount;
    info[HS_INFO_BIRTHS] =
        (int64_t)(atomic_load_explicit(&sampler->intake.births, memory_order_relaxed) -
                  recording->births_before);
    info[HS_INFO_MISMATCHES] =
        (int64_t)hs_lookup_counted(&sampler->intake.lookup, HS_LOOKUP_MISMATCHES);
}

static enum hs_status snapshot_locked(struct hs_sampler *sampler, void *env,
                                      struct hs_recording *recording, struct hs_after after,
                                      struct hs_reach *reach, struct hs_buffer *buffer) {
    struct hs_view view = {.store = sampler->liveness.store,
                           .recording = recording,
                           .epochs = &sampler->liveness.epochs,
                           .reach = reach};
    if (after.number != HS_AFTER_NONE.number) {
        bool took_place = hs_liveness_take_after(&sampler->liveness, env, after);
        view.info[HS_INFO_FLAGS] = HS_INFO_GC_ASKED | (took_place ? HS_INFO_GC_DONE : 0);
    } else {
        hs_liveness_take(&sampler->liveness, env);
    }
    if (!hs_rotation_move(sampler->liveness.store, sampler->liveness.recordings)) {
        return HS_NO_MEMORY;
    }
    fill_info(sampler, recording, &view);
    return hs_encode(&view, buffer);
}

enum hs_status hs_sampler_expect_collection(struct hs_sampler *sampler, void *env,
                                            struct hs_handle handle, struct hs_after *after) {
    hs_lock_acquire(&sampler->sweep);
    bool is_open = hs_liveness_find(&sampler->liveness, handle) != NULL;
    *after = is_open ? hs_liveness_expect(&sampler->liveness, env) : HS_AFTER_FORCED;
    hs_lock_release(&sampler->sweep);
    return is_open ? HS_OK : HS_CLOSED;
}

enum hs_status hs_sampler_snapshot(struct hs_sampler *sampler, void *env, struct hs_handle handle,
                                   struct hs_after after, const struct hs_reach_wish *wish,
                                   struct hs_buffer *buffer) {
    struct hs_reach *reach = NULL;
    hs_lock_acquire(&sampler->control);
    hs_lock_acquire(&sampler->sweep);
    struct hs_recording *recording = hs_liveness_find(&sampler->liveness, handle);
    enum hs_status status = recording == NULL ? HS_CLOSED : HS_OK;
    if (status == HS_OK && wish != NULL) {
        status = hs_reach_new(wish, hs_live_capacity(sampler->liveness.store->live), &reach);
    }
    if (status == HS_OK) {
        status = snapshot_locked(sampler, env, recording, after, reach, buffer);
    }
    hs_reach_free(reach);
    if (recording != NULL) {
        hs_sampler_write_due_report(sampler, env);
    }
    hs_lock_release(&sampler->sweep);
    hs_lock_release(&sampler->control);
    return status;
}

struct live_search {
    hs_sampler_found *found;
    void *context;
    uint32_t key;
};

static void show_live(void *context, hs_ref ref, const struct hs_sample *sample, uint32_t thinning,
                      uint32_t place) {
    struct live_search *search = context;
    (void)sample;
    (void)thinning;
    (void)place;
    search->found(search->context, search->key, ref);
}

void hs_sampler_find_live(struct hs_sampler *sampler, const struct hs_live_key *keys,
                          uint32_t count, hs_sampler_found *found, void *context) {
    struct live_search search = {.found = found, .context = context};
    hs_lock_acquire(&sampler->control);
    hs_lock_acquire(&sampler->sweep);
    struct hs_store *store = sampler->liveness.store;
    for (uint32_t i = 0; i < count && store != NULL; i++) {
        search.key = i;
        (void)hs_live_at(store->live, keys[i].place, keys[i].allocated_us - sampler->wall_offset_us,
                         keys[i].size, show_live, &search);
    }
    hs_lock_release(&sampler->sweep);
    hs_lock_release(&sampler->control);
}

static int64_t get(_Atomic uint64_t *counter) {
    return (int64_t)atomic_load_explicit(counter, memory_order_relaxed);
}

/* Those that can be read at any time. */
static void fill_counters(struct hs_sampler *sampler, int64_t values[HS_FIGURES]) {
    values[HS_FIGURE_MEMORY] = (int64_t)hs_mem_used();
    values[HS_FIGURE_MEMORY_PEAK] = (int64_t)hs_mem_peak();
    values[HS_FIGURE_SEEN] = (int64_t)hs_intake_seen(&sampler->intake);
    values[HS_FIGURE_COST_NS] = get(&sampler->intake.cost.total_ns);
    values[HS_FIGURE_MEASURED] = get(&sampler->intake.cost.count);
    values[HS_FIGURE_LONGEST_NS] = get(&sampler->intake.cost.max_ns);
    values[HS_FIGURE_COLLECTIONS] = hs_epochs_collections(&sampler->liveness.epochs);
    values[HS_FIGURE_SWEEPS] = get(&sampler->sweeper.rounds);
    values[HS_FIGURE_OTEL] = hs_otel_state(&sampler->intake.otel);
    values[HS_FIGURE_LOOKS_UP] = hs_lookup_is_on(&sampler->intake.lookup);
    for (int i = 0; i < HS_LOOKUP_COUNTS; i++) {
        values[HS_FIGURE_LOOKUPS + i] =
            (int64_t)hs_lookup_counted(&sampler->intake.lookup, (enum hs_lookup_count)i);
    }
}

/* Thread: holder of HS_RANK_CONTROL. */
static void fill_figures(struct hs_sampler *sampler, int64_t values[HS_FIGURES]) {
    const struct hs_store *store = sampler->liveness.store;
    int64_t *drops = values + HS_FIGURE_DROPS;
    values[HS_FIGURE_SAMPLING] = sampler->is_enabled;
    values[HS_FIGURE_INTERVAL] = interval_in_force(sampler);
    values[HS_FIGURE_RECORDINGS] = __builtin_popcountll(hs_liveness_recordings(&sampler->liveness));
    values[HS_FIGURE_TRACKED] = store == NULL ? 0 : hs_live_count(store->live);
    values[HS_FIGURE_MAX_TRACKED] = sampler->limits.tracked;
    values[HS_FIGURE_LEVEL] = store == NULL ? 0 : hs_live_level(store->live);
    values[HS_FIGURE_DEPTH] = sampler->limits.depth;
    for (int i = 0; i < HS_MAX_RECORDINGS; i++) {
        struct hs_recording *recording = sampler->liveness.recordings[i];
        for (int cause = 0; recording != NULL && cause < HS_DROP_COUNT; cause++) {
            drops[cause] += (int64_t)hs_session_dropped(store, recording, (enum hs_drop)cause);
        }
    }
}

_Static_assert((int)HS_STATUS_VALUES <= (int)HS_BOARD_VALUES, "the state fits on the board");

void hs_sampler_leave(struct hs_sampler *sampler) {
    int64_t values[HS_STATUS_VALUES] = {0};
    fill_figures(sampler, values);
    fill_counters(sampler, values);
    hs_sampler_fill_in_force(sampler, values + HS_FIGURES);
    hs_board_publish(&sampler->board, values, HS_STATUS_VALUES);
    hs_lock_release(&sampler->control);
}

void hs_sampler_status(struct hs_sampler *sampler, int64_t values[HS_STATUS_VALUES]) {
    if (hs_lock_try(&sampler->control)) {
        hs_sampler_leave(sampler);
    }
    hs_board_read(&sampler->board, values, HS_STATUS_VALUES);
    fill_counters(sampler, values);
}

bool hs_sampler_is_primed(struct hs_sampler *sampler) {
    const struct hs_thread_state *self = hs_thread_state_current();
    if (atomic_load_explicit(&sampler->intake.session, memory_order_seq_cst) == NULL) {
        return true;
    }
    return self != NULL &&
           self->enable == atomic_load_explicit(&sampler->intake.enable, memory_order_relaxed) &&
           self->interval == hs_interval_now(&sampler->intake.interval);
}
