/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Intake of a sample: the way that hs_intake.h describes, as code for the file that calls it.
 *
 * The functions that know `ops` are always inline, so the compiler sees which functions the caller's constant table
 * has, and puts them in their places. Called through pointers they cost a sample 3 % of its instructions. hs_vm.c
 * has the one copy of the library; tests have others. */
#ifndef HS_INTAKE_SAMPLE_H
#define HS_INTAKE_SAMPLE_H

#include "hs_clock.h"
#include "hs_intake.h"
#include "hs_label_scopes.h"
#include "hs_thread_state.h"

/* What is given `ops`, or a passage that has them. */
#define HS_INTAKE_INLINE static inline __attribute__((always_inline))

/* A sample on its way. */
struct hs_passage {
    struct hs_intake *intake;
    const struct hs_intake_ops *ops;
    struct hs_report *report;
    struct hs_session *session;
    struct hs_thread_state *self;
};

/* ---- the way of a sample, from its end ---- */

HS_INTAKE_INLINE void hs_intake_track(const struct hs_passage *way, const struct hs_event *event) {
    const struct hs_session *session = way->session;
    enum hs_drop cause = HS_DROP_COUNT;
    if (!way->report->has_object) {
        hs_session_drop(session, event, HS_DROP_VALUE_OBJECT);
        return;
    }
    /* Before the reference is made: a thinned sample costs none. */
    if (!hs_live_wants(session->store->live, event->size, event->random)) {
        hs_session_drop(session, event, HS_DROP_THINNED);
        return;
    }
    hs_ref ref = way->ops->new_ref(way->report, &cause);
    if (ref == 0) {
        hs_session_drop(session, event, cause);
        return;
    }
    hs_ref spare = hs_session_track(session, event, ref);
    if (spare != 0) {
        way->ops->release(way->report, spare);
    }
    if (hs_garbage_take_due(hs_live_garbage(session->store->live))) {
        hs_sweeper_wake(way->intake->sweeper);
    }
}

/* The sample is counted although this much of it is not known. */
static inline void hs_intake_count_losses(const struct hs_session *session,
                                          const struct hs_event *event,
                                          const struct hs_intake_stack *found) {
    if (found->is_missing || event->named == HS_NO_STACK) {
        hs_session_drop(session, event, HS_DROP_NO_STACK);
    }
    if (found->is_truncated) {
        hs_session_drop(session, event, HS_DROP_TRUNCATED);
    }
    if (found->is_shortened) {
        hs_session_drop(session, event, HS_DROP_STACKS_FULL);
    }
    if (found->lacks_names || event->named == HS_FULL) {
        hs_session_drop(session, event, HS_DROP_NAMES_FULL);
    }
}

HS_INTAKE_INLINE void hs_intake_count(const struct hs_passage *way, struct hs_event *event) {
    const struct hs_session *session = way->session;
    struct hs_intake_stack found;
    hs_live_prefetch(session->store->live);
    bool inside_facade = atomic_load_explicit(&way->intake->facade_calls, memory_order_relaxed) > 0;
    enum hs_status walked =
        way->ops->find_stack(way->report, session->store, event->random, inside_facade, &found);
    if (walked == HS_OWN) {
        hs_session_drop(session, event, HS_DROP_OWN);
        return;
    }
    enum hs_status numbered =
        way->ops->number_thread(way->report, session->store, event->java_thread, &event->thread);
    if (walked == HS_NO_MEMORY || event->named == HS_NO_MEMORY || numbered == HS_NO_MEMORY) {
        hs_session_drop(session, event, HS_DROP_NATIVE_MEMORY);
        return;
    }
    hs_intake_count_losses(session, event, &found);
    if (numbered == HS_FULL) {
        hs_session_drop(session, event, HS_DROP_THREADS_FULL);
    }
    uint64_t word = hs_label_scopes_word(way->self, event->java_thread);
    event->labels = word == HS_LABELS_NONE ? NULL : hs_label_sets_find(word);
    if (word == HS_LABELS_NONE && hs_otel_is_on(&way->intake->otel)) {
        hs_intake_count_otel(way->intake, session, way->self, event, found.stack);
    } else {
        hs_session_count(session, event, found.stack);
    }
    if (event->recordings != 0) { /* without memory for its sums no recording has counted it */
        hs_intake_track(way, event);
    }
}

/* The thread may have passed the sample point before this enable, or another agent may have set it. */
static inline bool hs_intake_doubts_old_points(const struct hs_intake *intake) {
    return intake->counts_always || atomic_load_explicit(&intake->has_rival, memory_order_relaxed);
}

/* Is it a sample, and with which interval was it drawn? If not, it is as if the VM had not reported it. A late one
 * is a sample even if it is not due: it is dropped and counted. */
HS_INTAKE_INLINE bool hs_intake_reach(const struct hs_passage *way, uint32_t *drawn,
                                      bool *is_late) {
    struct hs_intake *intake = way->intake;
    /* First of all, since the VM has drawn the next step a moment ago. */
    uint32_t enable = atomic_load_explicit(&intake->enable, memory_order_relaxed);
    *drawn =
        hs_thread_state_reach(way->self, enable, hs_interval_drawn(&intake->interval, intake->ops),
                              hs_intake_doubts_old_points(intake), is_late);
    if (!intake->counts_always) {
        bool counts_bytes = intake->strategy.kind != HS_BY_ALLOCATIONS;
        struct hs_bias *bias = counts_bytes ? way->session->store->bias : NULL;
        if (!way->ops->is_due(way->report, bias, *drawn) && !*is_late) {
            return false;
        }
    }
    return way->report->has_thread && hs_strategy_picks(&intake->strategy, way->session->interval,
                                                        way->self, way->report->size, drawn);
}

/* Returns whether it was a sample: one that no recording wants is one as well. */
HS_INTAKE_INLINE bool hs_intake_take(const struct hs_passage *way) {
    struct hs_intake *intake = way->intake;
    const struct hs_session *session = way->session;
    uint32_t drawn;
    bool is_late;
    way->ops->begin(way->report, way->self);
    if (!hs_intake_reach(way, &drawn, &is_late)) {
        return false;
    }
    hs_intake_count_seen(intake, way->self->stripe);
    int64_t java_thread = way->ops->thread_id(way->report);
    if (!hs_session_wants_thread(session, java_thread)) {
        return true;
    }
    struct hs_intake_class class;
    enum hs_status named = way->ops->name_class(way->report, session->store, &class);
    /* Whole: a compiler clears omitted members by a slow instruction. */
    struct hs_event event = {
        .now_us = hs_clock_monotonic_us(),
        .java_thread = java_thread,
        .size = way->report->size,
        .drawn = drawn,
        .named = named,
        .class_name = class.name,
        .class_text = class.text,
        .class_bytes = class.bytes,
        .birth = hs_epochs_now(intake->epochs),
        .random = hs_thread_state_random(way->self),
        .stripe = way->self->stripe,
        .last_site = &way->self->last_site,
    };
    if (!hs_session_match(session, &event)) {
        return true;
    }
    enum hs_drop cause = HS_DROP_PHANTOM;
    if (is_late || !hs_strategy_keeps(&intake->strategy, &intake->rate_limit, event.now_us,
                                      event.size, &event.drawn, &cause)) {
        hs_session_drop(session, &event, cause);
        return true;
    }
    if (intake->strategy.kind == HS_BY_BYTES) {
        event.density = way->self->density;
    }
    hs_intake_count(way, &event);
    return true;
}

/* ---- its beginning ---- */

/* Is the running thread one of our own, or this an allocation that the gap passes over? */
static inline bool hs_intake_passes_over(const struct hs_intake *intake,
                                         struct hs_thread_state *self) {
    uint32_t enable = atomic_load_explicit(&intake->enable, memory_order_relaxed);
    return self->is_hidden ||
           hs_thread_state_passes_over(self, enable, hs_interval_is_every(&intake->interval));
}

/* The VM has called back on this thread with a sample. `ops`: a constant. Thread: Callback. */
HS_INTAKE_INLINE void hs_intake_sample(struct hs_intake *intake, const struct hs_intake_ops *ops,
                                       struct hs_report *report) {
    struct hs_thread_state *self = hs_thread_state_current();
    if (self == NULL) {
        hs_intake_lose(intake, HS_DROP_NATIVE_MEMORY); /* its step is not known */
        return;
    }
    if (hs_intake_passes_over(intake, self)) {
        return;
    }
    int64_t began_ns = 0;
    bool is_measured = hs_cost_begin(&intake->cost, &began_ns);
    uint32_t token = hs_phaser_enter(&intake->phaser, self->stripe);
    struct hs_passage way = {intake, ops, report, hs_intake_load_session(intake), self};
    bool is_sample = way.session != NULL && hs_intake_take(&way);
    if (is_measured && is_sample && hs_store_tells_that_it_fills_up(way.session->store)) {
        hs_sweeper_wake(intake->sweeper);
    }
    hs_phaser_exit(&intake->phaser, token); /* from here on the session may be freed */
    if (is_measured && is_sample) {
        hs_cost_end(&intake->cost, began_ns);
    } else if (is_measured) {
        hs_cost_pass_on(&intake->cost);
    }
}

#endif
