/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Recording: one view of the sampled allocations, with its own filter, interval and sums.
 *
 * The default recording, which Java calls the process-wide sampler, has no filter. Samples are shared: a recording only
 * adds up those it wants. Filters are fixed at birth. */
#ifndef HS_RECORDING_H
#define HS_RECORDING_H

#include <stdatomic.h>
#include <stddef.h>

#include "hs_examples.h"
#include "hs_ids.h"
#include "hs_sample.h"
#include "hs_sums.h"
#include "hs_tally.h"

/* What a recording wants. Empty lists want everything; a class passes when it is named or lies in or
 * below a named package. Arrays go by their element's package, but are named in full. */
struct hs_filter {
    const int64_t *threads;
    uint32_t thread_count;
    const char *const *classes; /* Java names, terminated */
    uint32_t class_count;
    const char *const *packages;
    uint32_t package_count;
};

struct hs_sums {
    struct hs_site_sums sites;
    struct hs_thread_sums threads;
    hs_examples *examples; /* of sites */
};

struct hs_recording {
    /* Fixed at birth. */
    uint64_t bit;
    struct hs_handle handle;
    struct hs_filter filter; /* copies, in `copies` */
    char *copies;
    size_t copies_bytes;

    /* HS_RANK_CONTROL. */
    uint32_t interval; /* as requested */
    uint32_t governed; /* the governor's, at least as large; 0: it has none for this recording */
    uint32_t interval_changes;
    bool is_accepting;
    int64_t opened_wall_us;
    int64_t accepting_since_us; /* monotonic */
    int64_t accepted_us;        /* in earlier stretches */
    uint32_t collections_before;
    uint64_t births_before;
    int64_t duration_us;            /* of one stretch; 0: no end */
    struct hs_recording *next_lost; /* of those that are closed */

    /* Read by callbacks: no samples from this moment on (monotonic), 0: no end; relaxed. */
    _Atomic int64_t deadline_us;

    /* Added to by callbacks; relaxed. */
    struct hs_tally samples;
    _Atomic uint64_t drops[HS_DROP_COUNT];
    struct hs_sums
        sums[2]; /* by generation (hs_store.h): of sites by that of code, of threads by theirs */

    uint64_t deaths; /* HS_RANK_SWEEP */
};

/* Owns: the caller frees. Fails: HS_NO_MEMORY. */
enum hs_status hs_recording_new(const struct hs_filter *filter, uint32_t max_sites,
                                uint32_t max_threads, struct hs_recording **result);

/* Thread: with no callback inside. Harmless for NULL. */
void hs_recording_free(struct hs_recording *recording);

/* Accepts samples from now on, for its whole duration, or no more; neither has an effect twice. A stretch
 * whose time was up before has lasted no longer than that. Thread: holder of HS_RANK_CONTROL. */
void hs_recording_accept(struct hs_recording *recording, bool is_accepting);

/* When a recording accepts samples and has accepted them. */
struct hs_acceptance {
    bool is_accepting;
    int64_t since_us;
    int64_t deadline_us;
    int64_t accepted_us;
};

/* As it is now, for hs_recording_restore when what follows has failed. Thread: as above. */
struct hs_acceptance hs_recording_acceptance(const struct hs_recording *recording);
void hs_recording_restore(struct hs_recording *recording, const struct hs_acceptance *acceptance);

/* Does it want samples of this Java thread, as far as the thread is concerned? Thread: Callback. */
bool hs_recording_wants_thread(const struct hs_recording *recording, int64_t thread);

/* Does the class matter to hs_recording_wants? Thread: Callback. */
static inline bool hs_recording_filters_classes(const struct hs_recording *recording) {
    return (recording->filter.class_count | recording->filter.package_count) != 0;
}

/* Does the recording want an object of this class, allocated now by this thread? `class_name` may be NULL if
 * the class does not matter. Thread: Callback. */
bool hs_recording_wants(const struct hs_recording *recording, int64_t now_us, int64_t thread,
                        const char *class_name, uint32_t class_bytes);

/* The interval that it needs now. Thread: holder of HS_RANK_CONTROL. */
static inline uint32_t hs_recording_interval(const struct hs_recording *recording) {
    bool is_governed = recording->governed > recording->interval && recording->interval != 0;
    return is_governed ? recording->governed : recording->interval;
}

/* Is its time up? Thread: Any. */
static inline bool hs_recording_is_over(const struct hs_recording *recording, int64_t now_us) {
    int64_t deadline = atomic_load_explicit(&recording->deadline_us, memory_order_relaxed);
    return deadline != 0 && now_us >= deadline;
}

static inline void hs_recording_drop_some(struct hs_recording *recording, enum hs_drop cause,
                                          uint64_t samples) {
    atomic_fetch_add_explicit(&recording->drops[cause], samples, memory_order_relaxed);
}

static inline void hs_recording_drop(struct hs_recording *recording, enum hs_drop cause) {
    hs_recording_drop_some(recording, cause, 1);
}

#endif
