/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Session: what a callback sees of the sampler. Immutable; every change of who records what
 * publishes a new one, and the old one goes when the last callback has left it.
 *
 * A callback: hs_session_wants_thread, hs_session_match, then the stack walk (elsewhere), then hs_session_count, then
 * hs_session_track. None takes a lock. */
#ifndef HS_SESSION_H
#define HS_SESSION_H

#include "hs_epochs.h"
#include "hs_label_sets.h"
#include "hs_otel_thread.h"
#include "hs_recording.h"
#include "hs_store.h"

struct hs_session {
    struct hs_store *store;
    uint32_t interval; /* the smallest that they request */
    uint32_t count;
    struct hs_recording *recordings[HS_MAX_RECORDINGS]; /* those that accept samples */
    struct hs_session *next_lost; /* of those that no longer apply; HS_RANK_CONTROL */
};

/* One sampled allocation, as the callback has found it out so far. */
struct hs_event {
    int64_t now_us;       /* monotonic */
    int64_t java_thread;  /* Java thread id */
    uint64_t size;        /* bytes */
    uint32_t drawn;       /* with which chance, see hs_estimate.h */
    enum hs_status named; /* why there is no number for the name of the class */
    struct hs_name_id class_name;
    /* The name itself, where there was no room for it: class_name is none. */
    const char *class_text;
    uint32_t class_bytes;
    struct hs_thread_id thread;
    struct hs_label_set *labels; /* in force; NULL: none */
    uint32_t random;
    uint32_t stripe;                /* of the running thread, for sums */
    struct hs_last_site *last_site; /* likewise; NULL: nothing is remembered */
    struct hs_birth birth;
    struct hs_density density;
    uint64_t recordings;    /* set by hs_session_match */
    struct hs_site_id site; /* set by hs_session_count */
};

/* Is there a recording that wants samples of this Java thread? If not, the class need not be named. */
bool hs_session_wants_thread(const struct hs_session *session, int64_t java_thread);

/* Finds the recordings that want the event; false when there are none. */
bool hs_session_match(const struct hs_session *session, struct hs_event *event);

/* Counts a drop at every recording that wanted the event. */
void hs_session_drop(const struct hs_session *session, const struct hs_event *event,
                     enum hs_drop cause);

/* How often a cause was counted for a recording. Thread: Any, while neither is freed. */
uint64_t hs_session_dropped(const struct hs_store *store, const struct hs_recording *recording,
                            enum hs_drop cause);

/* Adds the event to the sums of its site and its thread. A class without a number is "(unknown)". Labels that find no
 * room are "(other)"; LABELS_FULL is counted for them, as for those that were "(other)" before. So are the labels of a new
 * site beyond 13 sixteenths of the table. A new site that finds no room has its class alone, without a stack, or is
 * "(other)"; SITES_FULL is counted then. An eighth of the table is for sites of a class alone. Without memory no recording has counted it: event->recordings is 0,
 * and NATIVE_MEMORY is counted. */
void hs_session_count(const struct hs_session *session, struct hs_event *event,
                      struct hs_stack_id stack);

/* The same with the labels of an OpenTelemetry record in place of event->labels, and with its trace as an example of the site. */
void hs_session_count_in(const struct hs_session *session, struct hs_event *event,
                         struct hs_stack_id stack, const struct hs_otel_context *context);

/* Puts the object into the live table. Answers the reference that the caller has to release, or 0:
 * `ref` itself when it was not taken, or that of a displaced entry. */
hs_ref hs_session_track(const struct hs_session *session, const struct hs_event *event, hs_ref ref);

#endif
