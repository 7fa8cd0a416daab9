/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* The part of hs_sampler.h that switches sampling on and off, and publishes the sessions that callbacks see: the
 * other side of hs_intake.c. Thread: holder of HS_RANK_CONTROL, if nothing else is said. */
#include <string.h>

#include "hs_clock.h"
#include "hs_mem.h"
#include "hs_sampler_parts.h"

bool hs_sampler_is_vm_dead(struct hs_sampler *sampler) {
    return atomic_load_explicit(&sampler->is_vm_dead, memory_order_acquire);
}

/* ---- sessions ---- */

/* With no recording left it is the VM's own, which is what a thread that begins later is taken to have. */
static uint32_t smallest_interval(const struct hs_session *session) {
    uint32_t interval = session->count == 0 ? HS_VM_DEFAULT_INTERVAL : INT32_MAX;
    for (uint32_t i = 0; i < session->count; i++) {
        uint32_t needed = hs_recording_interval(session->recordings[i]);
        interval = needed < interval ? needed : interval;
    }
    return interval;
}

/* The interval that the VM gets. */
static uint32_t vm_interval(const struct hs_session *session) {
    return session->interval < HS_LONGEST_INTERVAL ? session->interval : HS_LONGEST_INTERVAL;
}

static bool wants_samples(const struct hs_recording *recording, int64_t now) {
    return recording != NULL && recording->is_accepting && !hs_recording_is_over(recording, now);
}

static bool is_wanted(const struct hs_sampler *sampler, int64_t now) {
    for (int i = 0; i < HS_MAX_RECORDINGS; i++) {
        if (wants_samples(sampler->liveness.recordings[i], now)) {
            return true;
        }
    }
    return false;
}

/* A stuck callback may keep the spare one, which comes back when it has left, or is replaced as soon as there is
 * memory. */
static struct hs_session *new_session(struct hs_sampler *sampler, bool may_take_spare) {
    if (sampler->spare == NULL) {
        sampler->spare = hs_mem_new(sizeof *sampler->spare);
    }
    struct hs_session *session = hs_mem_new(sizeof *session);
    if (session == NULL && may_take_spare) {
        if (sampler->spare == NULL) {
            (void)hs_sampler_drain(sampler);
        }
        session = sampler->spare;
        sampler->spare = NULL;
    }
    return session;
}

/* The recordings that accept samples at the moment `now`, as callbacks will see them. The spare one is used where
 * there is no memory, so that a recording can always be ended, and for nothing that can wait. */
static struct hs_session *make_session(struct hs_sampler *sampler, int64_t now,
                                       bool may_take_spare) {
    struct hs_session *session = new_session(sampler, may_take_spare);
    if (session == NULL) {
        return NULL;
    }
    memset(session, 0, sizeof *session);
    session->store = sampler->liveness.store;
    for (int i = 0; i < HS_MAX_RECORDINGS; i++) {
        struct hs_recording *recording = sampler->liveness.recordings[i];
        if (wants_samples(recording, now)) {
            session->recordings[session->count++] = recording;
        }
    }
    session->interval = smallest_interval(session);
    return session;
}

void hs_sampler_recycle(struct hs_sampler *sampler, struct hs_session *session) {
    if (sampler->spare == NULL) {
        sampler->spare = session;
    } else {
        hs_mem_free(session, sizeof *session);
    }
}

static void publish(struct hs_sampler *sampler, struct hs_session *session) {
    /* seq_cst, pairs with hs_intake_load_session in hs_intake.h, after hs_phaser_enter. A callback that has loaded the
     * old session has entered before this exchange, in the one order of these operations; so the drain below, which
     * comes after it, sees the callback until that has left. */
    struct hs_session *old =
        atomic_exchange_explicit(&sampler->intake.session, session, memory_order_seq_cst);
    if (old != NULL && hs_sampler_drain(sampler)) {
        hs_sampler_recycle(sampler, old);
    } else if (old != NULL) {
        old->next_lost = sampler->lost_sessions;
        sampler->lost_sessions = old;
    }
}

/* Exchanges the session of a running sampler for this one. In a dead VM it is never read. */
static void switch_session(struct hs_sampler *sampler, struct hs_session *session) {
    if (hs_sampler_is_vm_dead(sampler)) {
        publish(sampler, NULL); /* one that was published while the VM died */
        hs_sampler_recycle(sampler, session);
        return;
    }
    hs_interval_change(&sampler->intake.interval, vm_interval(session), sampler->ops);
    publish(sampler, session);
}

bool hs_sampler_exchange_store(struct hs_sampler *sampler, struct hs_store *next) {
    struct hs_session *session = make_session(sampler, hs_clock_monotonic_us(), false);
    if (session == NULL) {
        return false;
    }
    session->store = next;
    hs_lock_acquire(&sampler->sweep);
    sampler->liveness.store = next;
    hs_lock_release(&sampler->sweep);
    switch_session(sampler, session);
    return true;
}

void hs_sampler_renew_session(struct hs_sampler *sampler) {
    const struct hs_session *old =
        atomic_load_explicit(&sampler->intake.session, memory_order_relaxed);
    struct hs_session *session =
        old == NULL ? NULL : make_session(sampler, hs_clock_monotonic_us(), false);
    if (session == NULL) {
        return;
    }
    if (session->count < old->count || session->interval != old->interval) {
        switch_session(sampler, session);
    } else {
        hs_sampler_recycle(sampler, session);
    }
}

/* ---- on and off ---- */

static void note_refusal(struct hs_sampler *sampler, enum hs_status status, int32_t error) {
    atomic_store_explicit(&sampler->vm_error, error, memory_order_relaxed);
    if (status == HS_OWNED) {
        atomic_store_explicit(&sampler->intake.has_rival, true, memory_order_relaxed);
    }
}

/* The capability comes before the thread: where another agent samples, a start fails at once and makes no thread. */
static enum hs_status claim_and_start_sweeper(struct hs_sampler *sampler) {
    int32_t error = 0;
    enum hs_status status = sampler->ops->claim(&error);
    if (status != HS_OK && hs_sampler_is_vm_dead(sampler)) {
        return HS_VM_DEAD;
    }
    if (status != HS_OK) {
        note_refusal(sampler, status, error);
        return status;
    }
    hs_lock_acquire(&sampler->sweep);
    hs_epochs_forget_failure(&sampler->liveness.epochs);
    hs_lock_release(&sampler->sweep);
    /* Its first round sets a canary: from the first sample on it is known which collection counts. */
    status = hs_sweeper_start(&sampler->sweeper, sampler->ops, hs_sampler_sweep, sampler,
                              hs_sampler_patience(sampler));
    if (hs_sampler_is_vm_dead(sampler)) { /* since then; nothing can be given back */
        hs_sweeper_stop(&sampler->sweeper, hs_sampler_patience(sampler));
        return HS_VM_DEAD;
    }
    if (status != HS_OK) {
        sampler->ops->disable();
    }
    return status;
}

static void end_otel(struct hs_sampler *sampler) {
    (void)hs_otel_retire(&sampler->intake.otel, &sampler->intake.phaser,
                         hs_sampler_patience(sampler), true);
}

/* Owns the session from here on, also when it fails. */
static enum hs_status try_to_switch_on(struct hs_sampler *sampler, struct hs_session *session) {
    enum hs_status status = claim_and_start_sweeper(sampler);
    if (status != HS_OK) {
        hs_sampler_recycle(sampler, session);
        return status;
    }
    hs_store_tell_again(session->store);
    uint32_t interval = vm_interval(session);
    /* Before the session: a callback that loads it sees both. */
    atomic_fetch_add_explicit(&sampler->intake.enable, 1, memory_order_relaxed);
    hs_interval_set(&sampler->intake.interval, interval);
    atomic_store_explicit(&sampler->intake.session, session, memory_order_seq_cst);
    int32_t error = 0;
    status = sampler->ops->enable(interval, &error);
    if (status != HS_OK) {
        note_refusal(sampler, status, error);
        sampler->ops->disable();
        publish(sampler, NULL);
        hs_interval_set(&sampler->intake.interval, HS_VM_DEFAULT_INTERVAL);
        hs_sweeper_stop(&sampler->sweeper, hs_sampler_patience(sampler));
        return status;
    }
    sampler->is_enabled = true;
    hs_sampler_renew_stack_cache(sampler);
    return HS_OK;
}

static enum hs_status switch_on(struct hs_sampler *sampler, struct hs_session *session) {
    hs_otel_begin(&sampler->intake.otel);
    enum hs_status status = try_to_switch_on(sampler, session);
    if (status != HS_OK) {
        end_otel(sampler); /* the sweeper may have found a library */
    }
    return status;
}

void hs_sampler_switch_off(struct hs_sampler *sampler) {
    if (!hs_sampler_is_vm_dead(sampler)) {
        sampler->ops->disable();
    }
    publish(sampler, NULL);
    /* Not before: a callback that is still inside has drawn its step with the old one. */
    hs_interval_set(&sampler->intake.interval, HS_VM_DEFAULT_INTERVAL);
    hs_sweeper_stop(&sampler->sweeper, hs_sampler_patience(sampler));
    end_otel(sampler);
    sampler->is_enabled = false;
}

enum hs_status hs_sampler_reconcile(struct hs_sampler *sampler) {
    int64_t now = hs_clock_monotonic_us();
    if (!is_wanted(sampler, now)) {
        if (sampler->is_enabled) {
            hs_sampler_switch_off(sampler);
        }
        return HS_OK;
    }
    if (!sampler->is_enabled && hs_sampler_is_vm_dead(sampler)) {
        return HS_VM_DEAD;
    }
    struct hs_session *session = make_session(sampler, now, true);
    if (session == NULL) {
        return HS_NO_MEMORY;
    }
    if (sampler->is_enabled) {
        switch_session(sampler, session);
        return HS_OK;
    }
    return switch_on(sampler, session);
}

void hs_sampler_vm_death(struct hs_sampler *sampler) {
    atomic_store_explicit(&sampler->is_vm_dead, true, memory_order_release);
    /* seq_cst, as in publish. */
    struct hs_session *last =
        atomic_exchange_explicit(&sampler->intake.session, NULL, memory_order_seq_cst);
    if (last != NULL) {
        atomic_store_explicit(&sampler->last, last, memory_order_relaxed);
    }
    hs_sweeper_abandon(&sampler->sweeper);
}
