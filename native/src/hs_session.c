/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_session.h"

/* The text of a name lies in memory that no other part of a sample touches: it is fetched where a filter asks. */
static const char *class_name_of(const struct hs_session *session, const struct hs_event *event,
                                 uint32_t *bytes) {
    if (event->class_name.number == 0 && event->class_text != NULL) {
        *bytes = event->class_bytes;
        return event->class_text;
    }
    return hs_names_text(session->store->names, event->class_name, bytes);
}

bool hs_session_wants_thread(const struct hs_session *session, int64_t java_thread) {
    for (uint32_t i = 0; i < session->count; i++) {
        if (hs_recording_wants_thread(session->recordings[i], java_thread)) {
            return true;
        }
    }
    return false;
}

bool hs_session_match(const struct hs_session *session, struct hs_event *event) {
    uint32_t bytes = 0;
    const char *name = NULL;
    event->recordings = 0;
    for (uint32_t i = 0; i < session->count; i++) {
        struct hs_recording *recording = session->recordings[i];
        if (name == NULL && hs_recording_filters_classes(recording)) {
            name = class_name_of(session, event, &bytes);
        }
        if (hs_recording_wants(recording, event->now_us, event->java_thread, name, bytes)) {
            event->recordings |= recording->bit;
        }
    }
    return event->recordings != 0;
}

void hs_session_drop(const struct hs_session *session, const struct hs_event *event,
                     enum hs_drop cause) {
    for (uint32_t i = 0; i < session->count; i++) {
        if ((session->recordings[i]->bit & event->recordings) != 0) {
            hs_recording_drop(session->recordings[i], cause);
        }
    }
}

uint64_t hs_session_dropped(const struct hs_store *store, const struct hs_recording *recording,
                            enum hs_drop cause) {
    uint64_t count = atomic_load_explicit(&recording->drops[cause], memory_order_relaxed);
    return cause == HS_DROP_THINNED ? count + hs_live_thinned(store->live, recording->bit) : count;
}

/* How much of the table of sites is kept, in sixteenths: from sites with labels, and from all that have a stack. */
enum { FROM_LABELLED = 3, FROM_STACKS = 2, WHOLE = 16 };

enum { LABEL_BITS = 24 };

_Static_assert(HS_MAX_LABELS < 1 << LABEL_BITS && HS_MAX_LABELS < 1 << HS_SITE_LABEL_BITS,
               "beside the serial number of the tables, and in a site");

/* Keeps what it finds beside the set, also that there is no room: tables never get it back. */
static __attribute__((noinline)) struct hs_label_id learn_label(const struct hs_store *store,
                                                                struct hs_label_set *labels) {
    struct hs_label_id id;
    enum hs_status status = hs_labels_put(store->labels, labels->text, labels->bytes, &id);
    id.number = status == HS_OK ? id.number : HS_LABEL_OTHER;
    if (status != HS_NO_MEMORY) {
        atomic_store_explicit(&labels->known, store->code_serial << LABEL_BITS | id.number,
                              memory_order_release);
    }
    return id;
}

static struct hs_label_id label_of(const struct hs_store *store, struct hs_label_set *labels) {
    uint64_t known = atomic_load_explicit(&labels->known, memory_order_acquire);
    if (known >> LABEL_BITS != store->code_serial) {
        return learn_label(store, labels);
    }
    return (struct hs_label_id){(uint32_t)known & ((UINT32_C(1) << LABEL_BITS) - 1)};
}

static bool is_last(const struct hs_last_site *last, const struct hs_store *store,
                    const struct hs_site *site) {
    return last != NULL && last->tables == store->code_serial &&
           last->site.stack.number == site->stack.number &&
           last->site.class_name.number == site->class_name.number &&
           last->site.label.number == site->label.number;
}

static enum hs_status put_keeping(const struct hs_store *store, uint32_t kept,
                                  const struct hs_site *site, struct hs_site_id *id) {
    uint32_t capacity = hs_intern_capacity(store->sites.table);
    return hs_sites_put_within(store->sites, capacity - capacity * kept / WHOLE, site, id);
}

/* Finds event->site. Fails: HS_NO_MEMORY. */
static enum hs_status find_site(const struct hs_session *session, struct hs_event *event,
                                struct hs_stack_id stack) {
    const struct hs_store *store = session->store;
    struct hs_site site = {.stack = stack, .class_name = event->class_name};
    if (event->class_name.number == 0) {
        site.class_name = store->unknown_class;
    }
    if (event->labels != NULL) {
        site.label = label_of(store, event->labels);
    }
    if (site.label.number == HS_LABEL_OTHER) {
        hs_session_drop(session, event, HS_DROP_LABELS_FULL);
    }
    if (is_last(event->last_site, store, &site)) {
        event->site = event->last_site->id;
        return HS_OK;
    }
    bool is_labelled = site.label.number > HS_LABEL_OTHER;
    enum hs_status status =
        put_keeping(store, is_labelled ? FROM_LABELLED : FROM_STACKS, &site, &event->site);
    bool is_whole = status == HS_OK;
    if (status == HS_FULL && is_labelled) {
        site.label.number = HS_LABEL_OTHER;
        hs_session_drop(session, event, HS_DROP_LABELS_FULL);
        status = put_keeping(store, FROM_STACKS, &site, &event->site);
    }
    if (status == HS_FULL) {
        site.stack.number = HS_STACK_UNKNOWN;
        status = hs_sites_put(store->sites, &site, &event->site); /* full: HS_SITE_OTHER */
        if (status != HS_NO_MEMORY) {
            hs_session_drop(session, event, HS_DROP_SITES_FULL);
        }
    } else if (is_whole && event->last_site != NULL) {
        *event->last_site = (struct hs_last_site){store->code_serial, site, event->site};
    }
    return status == HS_NO_MEMORY ? HS_NO_MEMORY : HS_OK;
}

void hs_session_count(const struct hs_session *session, struct hs_event *event,
                      struct hs_stack_id stack) {
    if (find_site(session, event, stack) != HS_OK) {
        hs_session_drop(session, event, HS_DROP_NATIVE_MEMORY);
        event->recordings = 0;
        return;
    }
    struct hs_weight weight = hs_estimate_weigh(event->size, event->drawn, 0);
    /* Many threads may be the other one at a time. */
    uint32_t lane = event->thread.number == HS_THREAD_OTHER ? event->stripe : 0;
    for (uint32_t i = 0; i < session->count; i++) {
        struct hs_recording *recording = session->recordings[i];
        if ((recording->bit & event->recordings) == 0) {
            continue;
        }
        struct hs_site_sums sites = recording->sums[session->store->code_generation].sites;
        struct hs_thread_sums threads = recording->sums[session->store->thread_generation].threads;
        if (hs_thread_sums_reserve(threads, lane, event->thread) != HS_OK ||
            hs_site_sums_add(sites, event->stripe, event->site, event->size, &weight,
                             &event->density) != HS_OK) {
            hs_recording_drop(recording, HS_DROP_NATIVE_MEMORY);
            event->recordings &= ~recording->bit; /* not counted, so not tracked either */
            continue;
        }
        (void)hs_thread_sums_add(threads, lane, event->thread, event->size, &weight);
        hs_tally_add(&recording->samples, event->stripe);
    }
}

hs_ref hs_session_track(const struct hs_session *session, const struct hs_event *event,
                        hs_ref ref) {
    struct hs_sample sample = {
        .recordings = event->recordings,
        .allocated_us = event->now_us,
        .size = event->size,
        .site = {hs_in_generation(event->site.number, session->store->code_generation)},
        .thread = {hs_in_generation(event->thread.number, session->store->thread_generation)},
        .drawn = event->drawn,
        .birth = event->birth,
    };
    hs_ref displaced;
    if (hs_live_add(session->store->live, ref, &sample, event->random, &displaced) != HS_OK) {
        hs_session_drop(session, event, HS_DROP_THINNED);
        return ref;
    }
    return displaced;
}
