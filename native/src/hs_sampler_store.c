/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* The part of hs_sampler.h that sets the limits of the tables, makes the tables when the first recording
 * comes, and gives them back when they are no longer needed. */
#include "hs_clock.h"
#include "hs_mem.h"
#include "hs_rotation.h"
#include "hs_sampler_parts.h"

enum { FIRST_JDK_THAT_COUNTS_ALWAYS = 25 };

/* After a rotation there is none for this many times the processor time that it took. Where live objects and large
 * sites alone fill their half of a table, rotations would follow each other without end, so they may cost 3 % of a processor.
 * Elsewhere the tables fill up by new code alone, which is cut as long as they are full: 20 %. */
enum { LONG_REST = 32, SHORT_REST = 4 };

enum { FIRST_RETRY_US = 2000000 };

/* How long a change that can be made later waits for callbacks in flight. */
enum { SHORT_PATIENCE_US = 20000 };

/* The same in a rotation: until it begins, new code is soon cut, and until it ends, nothing is learned. Where more
 * threads run than processors, one that has lost its processor inside a callback may come back later than in 20 ms. */
enum { ROTATION_PATIENCE_US = 200000 };

/* After such a wait in vain: callers that want the lock meanwhile should not have to wait most of the time. */
enum { STUCK_REST_US = SHORT_REST * ROTATION_PATIENCE_US };

static void begin_patience(struct hs_sampler *sampler, int64_t patience_us) {
    sampler->patience_ends_us = hs_clock_monotonic_us() + patience_us;
}

void hs_sampler_lock(struct hs_sampler *sampler) {
    hs_lock_acquire(&sampler->control);
    begin_patience(sampler, sampler->patience_us);
}

bool hs_sampler_try_lock(struct hs_sampler *sampler) {
    bool is_mine = hs_lock_try(&sampler->control);
    if (is_mine) {
        begin_patience(sampler, SHORT_PATIENCE_US);
    }
    return is_mine;
}

int64_t hs_sampler_patience(const struct hs_sampler *sampler) {
    int64_t left = sampler->patience_ends_us - hs_clock_monotonic_us();
    return left > 0 ? left : 0;
}

/* Thread: holder of both locks. */
static void forget(struct hs_sampler *sampler, const struct hs_recording *recording) {
    hs_live_forget(sampler->liveness.store->live, recording->bit);
    hs_dead_ring_forget(sampler->liveness.store->dead_ring, recording->bit);
}

/* The callbacks that were stuck have left. They may have tracked an object meanwhile; the tables are there
 * as long as a recording is lost. */
static void free_lost(struct hs_sampler *sampler) {
    for (struct hs_session *lost; (lost = sampler->lost_sessions) != NULL;) {
        sampler->lost_sessions = lost->next_lost;
        hs_sampler_recycle(sampler, lost);
    }
    if (sampler->lost_recordings == NULL) {
        return;
    }
    hs_lock_acquire(&sampler->sweep);
    for (struct hs_recording *lost; (lost = sampler->lost_recordings) != NULL;) {
        sampler->lost_recordings = lost->next_lost;
        forget(sampler, lost);
        hs_recording_free(lost);
    }
    hs_lock_release(&sampler->sweep);
}

bool hs_sampler_drain(struct hs_sampler *sampler) {
    bool is_drained = hs_phaser_wait(&sampler->intake.phaser, hs_sampler_patience(sampler));
    if (is_drained) {
        free_lost(sampler);
    }
    return is_drained;
}

void hs_sampler_remove(struct hs_sampler *sampler, struct hs_recording *recording) {
    bool is_drained = hs_sampler_drain(sampler);
    hs_lock_acquire(&sampler->sweep);
    sampler->liveness.recordings[__builtin_ctzll(recording->bit)] = NULL;
    forget(sampler, recording);
    hs_lock_release(&sampler->sweep);
    if (is_drained) {
        hs_recording_free(recording);
    } else {
        recording->next_lost = sampler->lost_recordings;
        sampler->lost_recordings = recording;
    }
}

bool hs_sampler_is_idle(const struct hs_sampler *sampler) {
    return hs_liveness_recordings(&sampler->liveness) == 0;
}

enum hs_status hs_sampler_need_store(struct hs_sampler *sampler) {
    if (sampler->spare == NULL) {
        sampler->spare = hs_mem_new(sizeof *sampler->spare);
    }
    bool is_kept = sampler->liveness.store != NULL && hs_sampler_is_idle(sampler);
    if (sampler->spare == NULL || (sampler->liveness.store != NULL && !is_kept)) {
        return sampler->spare == NULL ? HS_NO_MEMORY : HS_OK;
    }
    hs_lock_acquire(&sampler->sweep);
    enum hs_status status = hs_sampler_reserve_report(sampler);
    if (status == HS_OK && !is_kept) {
        status = hs_store_new(&sampler->limits, &sampler->liveness.store);
    }
    hs_lock_release(&sampler->sweep);
    return status;
}

static bool is_needless(const struct hs_sampler *sampler) {
    return hs_sampler_is_idle(sampler) && !sampler->is_enabled && sampler->liveness.store != NULL;
}

/* No callback is inside after it was drained: sampling is off. */
static void free_store(struct hs_sampler *sampler, void *env) {
    if (!is_needless(sampler) || !hs_sampler_drain(sampler)) {
        return;
    }
    hs_lock_acquire(&sampler->sweep);
    hs_oom_discard(&sampler->oom);
    hs_epochs_release(&sampler->liveness.epochs, sampler->ops, env);
    hs_store_free(sampler->liveness.store, sampler->ops, env);
    sampler->liveness.store = NULL;
    sampler->next_rotation_us = 0;
    sampler->retry_us = 0;
    hs_lock_release(&sampler->sweep);
    sampler->lacks_tables = false;
    hs_mem_free(sampler->spare, sizeof *sampler->spare);
    sampler->spare = NULL;
}

static void empty_store(struct hs_sampler *sampler, void *env) {
    if (!hs_sampler_drain(sampler)) {
        return;
    }
    hs_lock_acquire(&sampler->sweep);
    hs_oom_discard(&sampler->oom);
    hs_epochs_release(&sampler->liveness.epochs, sampler->ops, env);
    hs_store_clear(sampler->liveness.store, sampler->ops, env);
    hs_lock_release(&sampler->sweep);
    sampler->retry_us = 0;
}

void hs_sampler_release_store(struct hs_sampler *sampler, void *env) {
    bool is_kept = sampler->keepers.count > 0;
    if (is_kept && is_needless(sampler) && hs_store_has_room(sampler->liveness.store)) {
        empty_store(sampler, env);
    } else {
        free_store(sampler, env);
    }
    if (sampler->liveness.store != NULL && !sampler->is_enabled) {
        hs_sampler_rotate(sampler, env);
    }
}

void hs_sampler_finish(struct hs_sampler *sampler, void *env) {
    hs_sampler_release_store(sampler, env);
    hs_sampler_leave(sampler);
    hs_otel_settle(&sampler->intake.otel, &sampler->intake.phaser);
}

enum hs_status hs_sampler_keep_tables(struct hs_sampler *sampler, void *env, hs_ref owner,
                                      struct hs_keeper_id *id) {
    const struct hs_hold hold = {.interval = HS_NO_WISH, .owner = owner};
    hs_sampler_lock(sampler);
    (void)hs_holds_remove_orphans(&sampler->keepers, sampler->ops, env);
    bool has_room = sampler->keepers.count < HS_MAX_HOLDS;
    id->number = has_room ? hs_holds_add(&sampler->keepers, &hold).number : 0;
    hs_sampler_leave(sampler);
    return has_room ? HS_OK : HS_FULL;
}

void hs_sampler_drop_tables(struct hs_sampler *sampler, void *env, struct hs_keeper_id id) {
    hs_sampler_lock(sampler);
    (void)hs_holds_remove(&sampler->keepers, sampler->ops, env, (struct hs_hold_id){id.number});
    hs_sampler_finish(sampler, env);
}

/* Without memory it is tried again after a rest. The stack cache is given up before, and not only where there is no
 * room with them: else each rotation would take some MiB more. The runs that are in use go on, so that their code need not be
 * learned again: the next stack cache, which is made when the old tables are gone, begins with them.
 * Returns false where a callback sees the stack cache: with two generations there would be too much memory. */
static bool begin_rotation(struct hs_sampler *sampler) {
    struct hs_store *store = sampler->liveness.store;
    struct hs_store *next = NULL;
    struct hs_kept_runs *kept;
    if (!hs_store_make_way(store, &sampler->intake.phaser, ROTATION_PATIENCE_US, &kept)) {
        return false;
    }
    hs_lock_acquire(&sampler->sweep);
    enum hs_status status = hs_store_new_generation(store, &next);
    bool is_ready = status == HS_OK && hs_rotation_prepare(next, sampler->liveness.recordings);
    sampler->is_crowded = is_ready && hs_store_is_crowded(next);
    if (is_ready) {
        hs_rotation_keep_runs(next, kept);
    } else {
        hs_kept_runs_free(kept);
    }
    begin_patience(sampler, ROTATION_PATIENCE_US); /* preparing may have used it up */
    hs_lock_release(&sampler->sweep);
    sampler->lacks_tables = !is_ready || !hs_sampler_exchange_store(sampler, next);
    if (status == HS_OK && sampler->lacks_tables) {
        hs_store_drop_generation(next);
    }
    return true;
}

/* A move before the callbacks have left spares a snapshot nothing, since that makes one of its own. */
static void end_rotation(struct hs_sampler *sampler, void *env) {
    struct hs_store *store = sampler->liveness.store;
    if (!hs_sampler_drain(sampler)) {
        return;
    }
    hs_lock_acquire(&sampler->sweep);
    sampler->lacks_tables = !hs_rotation_move_last(store, sampler->liveness.recordings);
    if (!sampler->lacks_tables) {
        hs_rotation_end(store, sampler->liveness.recordings, sampler->ops, env);
    }
    hs_lock_release(&sampler->sweep);
}

bool hs_sampler_rotation_is_due(struct hs_sampler *sampler) {
    const struct hs_store *store = sampler->liveness.store;
    /* Off, or in a dead VM, there is no session. */
    return atomic_load_explicit(&sampler->intake.session, memory_order_relaxed) != NULL &&
           store->previous == NULL && hs_clock_monotonic_us() >= sampler->next_rotation_us &&
           hs_store_fills_up(store);
}

/* A try that fails takes little time, but has given up the stack cache. Memory may be back soon: the first tries follow
 * each other fast. If it stays away, they end up as far apart as stacks are learned anew where there is no more room. */
static int64_t next_retry(int64_t last_us) {
    int64_t next_us = last_us == 0 ? FIRST_RETRY_US : 2 * last_us;
    return next_us < HS_LOOKUP_RENEW_US ? next_us : HS_LOOKUP_RENEW_US;
}

/* `is_first`: a rotation began, or was tried. `is_stuck`: a callback delays it. */
static void rest_since(struct hs_sampler *sampler, int64_t began_cpu_ns, bool is_first,
                       bool is_stuck) {
    int64_t took_us = (hs_clock_ns(CLOCK_THREAD_CPUTIME_ID) - began_cpu_ns) / 1000;
    int64_t rest_us = took_us * (sampler->is_crowded ? LONG_REST : SHORT_REST);
    if (!sampler->lacks_tables) {
        sampler->retry_us = 0;
    } else if (
        is_first) { /* not where one that is open could not be ended, which waits for no rest */
        sampler->retry_us = next_retry(sampler->retry_us);
    }
    if (rest_us < sampler->retry_us) {
        rest_us = sampler->retry_us;
    }
    if (is_stuck && rest_us < STUCK_REST_US) {
        rest_us = STUCK_REST_US;
    }
    hs_lock_acquire(&sampler->sweep);
    sampler->next_rotation_us = hs_clock_monotonic_us() + rest_us;
    hs_lock_release(&sampler->sweep);
}

void hs_sampler_rotate(struct hs_sampler *sampler, void *env) {
    bool is_dead = atomic_load_explicit(&sampler->is_vm_dead, memory_order_acquire);
    int64_t began_cpu_ns = hs_clock_ns(CLOCK_THREAD_CPUTIME_ID);
    bool rests = hs_clock_monotonic_us() < sampler->next_rotation_us;
    if (sampler->is_enabled) { /* by the sweeper; a control call has its own patience */
        begin_patience(sampler, rests ? SHORT_PATIENCE_US : ROTATION_PATIENCE_US);
    }
    bool is_due = !is_dead && hs_sampler_rotation_is_due(sampler);
    bool has_begun = is_due && begin_rotation(sampler);
    bool is_open = !is_dead && sampler->liveness.store->previous != NULL;
    if (is_open) {
        end_rotation(sampler, env);
    }
    bool is_stuck = is_due != has_begun || sampler->liveness.store->previous != NULL;
    if (is_due || is_open) {
        rest_since(sampler, began_cpu_ns, has_begun, is_stuck);
    }
}

void hs_sampler_renew_stack_cache(struct hs_sampler *sampler) {
    struct hs_store *store = sampler->liveness.store;
    const hs_stack_cache *stack_cache =
        atomic_load_explicit(&store->stack_cache, memory_order_relaxed);
    bool is_on = hs_lookup_is_on(&sampler->intake.lookup);
    /* The old tables of code take the room of a stack cache. */
    bool is_rotating =
        store->previous != NULL && store->previous->code_generation != store->code_generation;
    if (is_on ? !is_rotating && hs_lookup_is_outdated(&sampler->intake.lookup, stack_cache,
                                                      hs_clock_monotonic_us())
              : stack_cache != NULL) {
        hs_store_renew_stack_cache(store, is_on ? &sampler->intake.lookup.layout : NULL);
    }
    hs_store_free_retired(store, &sampler->intake.phaser, SHORT_PATIENCE_US);
}

/* Not 0, which marks values that were never configured. */
static struct hs_config_version next_config_version(struct hs_config_version before) {
    return (struct hs_config_version){before.number == INT32_MAX ? 1 : before.number + 1};
}

/* G1 keeps what is humongous, and nothing else; where that begins is not always known. */
static void limit_garbage(struct hs_limits *limits, const struct hs_vm_traits *traits) {
    bool is_g1 = traits->collector == HS_G1;
    limits->garbage_from = is_g1 ? traits->born_old_bytes : 0;
    if (is_g1 && limits->garbage_from == 0) {
        limits->garbage_bytes = 0;
    }
}

/* Are there kept tables that fit this configuration? */
static bool fits(struct hs_sampler *sampler, const struct hs_limits *limits,
                 const struct hs_strategy *strategy) {
    return sampler->keepers.count > 0 && is_needless(sampler) && hs_sampler_drain(sampler) &&
           hs_limits_equal(&sampler->liveness.store->limits, limits) &&
           sampler->intake.strategy.kind == strategy->kind &&
           sampler->intake.strategy.amount == strategy->amount;
}

/* With the tables gone no callback is left that could look at what is changed. */
static enum hs_status may_change(struct hs_sampler *sampler, void *env) {
    free_store(sampler, env);
    if (!hs_sampler_is_idle(sampler)) {
        return HS_BUSY;
    }
    return sampler->liveness.store == NULL ? HS_OK : HS_STUCK;
}

enum hs_status hs_sampler_configure(struct hs_sampler *sampler, void *env,
                                    const struct hs_limits *limits,
                                    const struct hs_strategy *strategy,
                                    const struct hs_vm_traits *traits,
                                    struct hs_config_version *config_version) {
    struct hs_limits limited = *limits;
    limit_garbage(&limited, traits);
    hs_sampler_lock(sampler);
    bool is_kept = fits(sampler, &limited, strategy);
    enum hs_status status = is_kept ? HS_OK : may_change(sampler, env);
    if (status == HS_OK) {
        status = hs_intake_set_strategy(&sampler->intake, strategy);
    }
    if (status == HS_OK) {
        sampler->limits = limited;
        sampler->traits = *traits;
        sampler->intake.counts_always = traits->feature >= FIRST_JDK_THAT_COUNTS_ALWAYS;
        sampler->liveness.epochs.collector = traits->collector;
        sampler->liveness.epochs.born_old_bytes = traits->born_old_bytes;
        sampler->config_version = next_config_version(sampler->config_version);
        *config_version = sampler->config_version;
    }
    hs_sampler_leave(sampler);
    return status;
}
