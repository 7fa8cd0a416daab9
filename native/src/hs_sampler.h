/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Sampler: owns everything and decides when sampling is on.
 *
 * It is on while at least one recording accepts samples, at the smallest interval that any of them
 * requests. Control calls queue behind HS_RANK_CONTROL. `env` is the caller's access to the VM. After
 * a failure nothing has changed, unless stated otherwise. */
#ifndef HS_SAMPLER_H
#define HS_SAMPLER_H

#include "hs_board.h"
#include "hs_buffer.h"
#include "hs_governor.h"
#include "hs_hold.h"
#include "hs_intake.h"
#include "hs_liveness.h"
#include "hs_lock.h"
#include "hs_oom.h"
#include "hs_reach.h"

/* The VM never gets a longer one. Of what it then samples, hs_strategy_picks keeps as many as the interval
 * requested would have. So no thread has a long way to its next sample point, and a caller that requests a
 * smaller interval need not wait: its longest step is 18 intervals. */
#define HS_LONGEST_INTERVAL ((uint32_t)4 << 20)

/* What the VM is; given once before sampling, through hs_sampler_configure. */
struct hs_vm_traits {
    enum hs_collector collector;
    uint64_t born_old_bytes; /* an object of this size may be born in the old generation; 0: none */
    uint32_t feature;        /* Java feature version */
};

struct hs_sampler {
    struct hs_intake intake; /* all that callbacks see; control owns the rest */

    /* Constant. */
    const struct hs_ops *ops;
    int64_t patience_us; /* tests shorten it */

    struct hs_lock control;
    struct hs_lock sweep;

    /* Each says who may do what. */
    struct hs_liveness liveness;
    struct hs_oom oom;
    struct hs_sweeper sweeper;
    struct hs_board board; /* what hs_sampler_status answers while the lock is taken */

    /* Of the VM. Written by any thread, read by any. */
    _Atomic bool is_vm_dead;           /* set once; release, acquire: then it is never called */
    _Atomic(struct hs_session *) last; /* of a VM that died; relaxed; never read or freed */
    _Atomic int32_t vm_error;          /* of the last refused call; written by control; relaxed */

    /* The rest: HS_RANK_CONTROL. What is in force: */
    struct hs_limits limits;
    struct hs_vm_traits traits;
    /* Number of the limits and the strategy, raised with each change. */
    struct hs_config_version config_version;
    bool is_enabled; /* the VM reports samples */
    /* The session that ends a recording without memory, and what a stuck callback may still use: */
    struct hs_session *spare;
    struct hs_session *lost_sessions;
    struct hs_recording *lost_recordings; /* closed */
    int64_t patience_ends_us;             /* of the call that holds the lock; monotonic */
    /* Recordings, and the default recording: */
    int32_t next_handle;
    /* Of the default recording; 0: none. */
    struct hs_handle default_handle;
    bool has_run;                /* the default recording was started once */
    struct hs_holds holds;       /* requests that it take samples */
    struct hs_governor governor; /* of its interval */
    int64_t wall_offset_us;      /* wall minus monotonic clock, as snapshots have it; 0: none yet */
    /* Tables: */
    struct hs_holds keepers;  /* requests that the tables outlive the recordings */
    int64_t next_rotation_us; /* not before; monotonic; changes under both locks */
    int64_t retry_us;         /* the rest after the last try, if it found no memory; 0: it did */
    bool is_crowded;   /* the last rotation began with tables that were (hs_store_is_crowded) */
    bool lacks_tables; /* for want of memory there was no next generation when one was due */
};

/* Fails: HS_NO_MEMORY. */
enum hs_status hs_sampler_init(struct hs_sampler *sampler, const struct hs_ops *ops);

/* Ends every recording, gives everything back. Thread: Control. */
void hs_sampler_destroy(struct hs_sampler *sampler, void *env);

/* The limits, by what samples are chosen (at first by bytes), and what the VM is; all or nothing. `*config_version`
 * is the number of these, above 0: opening a recording with it gives them, or is refused.
 * Fails: HS_BUSY while a recording is open, HS_STUCK where a callback does not leave that may look at them or
 * at the tables, HS_INVALID for an amount out of range. */
enum hs_status hs_sampler_configure(struct hs_sampler *sampler, void *env,
                                    const struct hs_limits *limits,
                                    const struct hs_strategy *strategy,
                                    const struct hs_vm_traits *traits,
                                    struct hs_config_version *config_version);

/* From now on the tables outlive the last recording, without samples, until hs_sampler_drop_tables gets `*id`, or
 * until hs_sampler_release_orphans finds that `owner`, a weak reference to a Java class, was collected. The next
 * recording is then opened without making them, and finds the stacks of known code in the cache. They are
 * freed nevertheless when limits or strategy change, or when they have filled up (hs_store_has_room).
 * Changes no figure and no configuration. Thread: Control. Owns: `owner`, if it returns HS_OK. Fails: HS_FULL when
 * HS_MAX_HOLDS keep them. */
enum hs_status hs_sampler_keep_tables(struct hs_sampler *sampler, void *env, hs_ref owner,
                                      struct hs_keeper_id *id);

/* Frees the tables unless others keep them or a recording is open. Harmless for an id that keeps nothing.
 * Thread: Control. */
void hs_sampler_drop_tables(struct hs_sampler *sampler, void *env, struct hs_keeper_id id);

/* Opens a recording and accepts samples for it. `config_version`: as hs_sampler_configure or hs_sampler_status
 * gave them. `duration_us` 0: without end.
 * Fails: HS_CHANGED when the configuration is another by now, HS_TOO_MANY, HS_NO_MEMORY, HS_NO_THREAD, HS_VM_DEAD,
 * and what ops->enable says. */
enum hs_status hs_sampler_open(struct hs_sampler *sampler, void *env,
                               struct hs_config_version config_version,
                               const struct hs_filter *filter, uint32_t interval,
                               int64_t duration_us, struct hs_handle *handle);

/* Takes a hold of the default recording, the one without a filter or an end: opens it, or
 * resumes it, or lowers its interval, as needed. `interval`: for one that takes no samples now; the
 * hold's own counts for one that does. `*id` is for hs_sampler_release.
 * Owns: hold->owner, if it returns HS_OK.
 * Fails: HS_FULL when HS_MAX_HOLDS are held, and as hs_sampler_open; nothing has changed then. */
enum hs_status hs_sampler_hold(struct hs_sampler *sampler, void *env,
                               struct hs_config_version config_version, uint32_t interval,
                               const struct hs_hold *hold, struct hs_hold_id *id);

/* Gives a hold back. With the last one the default recording takes no more samples. Then it is closed
 * (`*is_closed`), unless a holder since it was opened wanted to keep the samples.
 * Fails: HS_CLOSED when there is no such hold. */
enum hs_status hs_sampler_release(struct hs_sampler *sampler, void *env, struct hs_hold_id id,
                                  bool *is_closed);

/* The same, and the samples stay as if this hold had kept them from its beginning. */
enum hs_status hs_sampler_release_keeping(struct hs_sampler *sampler, void *env,
                                          struct hs_hold_id id);

/* Gives back the holds of Java classes that were collected, and the tables that they kept. Thread: Control. */
void hs_sampler_release_orphans(struct hs_sampler *sampler, void *env);

/* All fail with HS_CLOSED for an unknown handle, and with HS_NO_MEMORY as hs_sampler_reconcile does; the recording
 * goes on as it was then. The default recording's interval becomes that of all its
 * holders; it cannot be closed while it is held (HS_BUSY). */
enum hs_status hs_sampler_pause(struct hs_sampler *sampler, void *env, struct hs_handle handle);
enum hs_status hs_sampler_set_interval(struct hs_sampler *sampler, void *env,
                                       struct hs_handle handle, uint32_t interval);
enum hs_status hs_sampler_reset(struct hs_sampler *sampler, void *env, struct hs_handle handle);
enum hs_status hs_sampler_close(struct hs_sampler *sampler, void *env, struct hs_handle handle);

/* The caller is about to have the VM make a full collection, and a snapshot of this recording follows. `*after`
 * is for hs_sampler_snapshot. Fails: HS_CLOSED. */
enum hs_status hs_sampler_expect_collection(struct hs_sampler *sampler, void *env,
                                            struct hs_handle handle, struct hs_after *after);

/* Sweeps, and encodes one recording. `after`: the collection that comes before, as hs_liveness.h has it. `wish`:
 * with how its live objects are reachable; NULL: without.
 * Owns: the caller frees the buffer, also after a failure. Fails: HS_CLOSED, HS_NO_MEMORY, HS_MISCOUNTED (hs_encode.h). */
enum hs_status hs_sampler_snapshot(struct hs_sampler *sampler, void *env, struct hs_handle handle,
                                   struct hs_after after, const struct hs_reach_wish *wish,
                                   struct hs_buffer *buffer);

/* A live object as a snapshot has it: its place, and when it was allocated (wall clock, µs). */
struct hs_live_key {
    uint32_t place;
    int64_t allocated_us;
    uint64_t size;
};

/* Called for key number `key` with its reference, which holds during the call. */
typedef void hs_sampler_found(void *context, uint32_t key, hs_ref ref);

/* Shows those that are still in the live table, dead or alive. Others have been collected, or thinned out. Snapshots of an
 * earlier time may count a clock that was set since: then none is found.
 * Thread: Control. `found` is called with both locks. */
void hs_sampler_find_live(struct hs_sampler *sampler, const struct hs_live_key *keys,
                          uint32_t count, hs_sampler_found *found, void *context);

/* The state, in the order that NativeBindings.status documents: figures, what is in force, holders. Each
 * holder has the bytes of its name. */
enum hs_figure {
    HS_FIGURE_SAMPLING, /* 0 or 1 */
    HS_FIGURE_INTERVAL,
    HS_FIGURE_RECORDINGS,
    HS_FIGURE_TRACKED,
    HS_FIGURE_MAX_TRACKED,
    HS_FIGURE_MEMORY,
    HS_FIGURE_MEMORY_PEAK,
    HS_FIGURE_SEEN,
    HS_FIGURE_COST_NS,
    HS_FIGURE_MEASURED, /* samples whose cost that is */
    HS_FIGURE_LONGEST_NS,
    HS_FIGURE_COLLECTIONS,
    HS_FIGURE_SWEEPS,
    HS_FIGURE_LEVEL,
    HS_FIGURE_DEPTH,
    HS_FIGURE_OTEL,                                         /* by hs_otel_state */
    HS_FIGURE_LOOKS_UP,                                     /* 0 or 1 */
    HS_FIGURE_LOOKUPS,                                      /* by hs_lookup_count */
    HS_FIGURE_DROPS = HS_FIGURE_LOOKUPS + HS_LOOKUP_COUNTS, /* by hs_drop */
    HS_FIGURES = HS_FIGURE_DROPS + HS_DROP_COUNT
};

enum {
    HS_IN_FORCE_VALUES = 18,
    HS_HOLD_VALUES = 1 + HS_MAX_HOLDS * HS_HOLD_NAME / 8,
    HS_STATUS_VALUES = HS_FIGURES + HS_IN_FORCE_VALUES + HS_HOLD_VALUES,
};

/* While another thread has HS_RANK_CONTROL, perhaps for seconds, it is what that thread found, except for
 * the counters. Thread: Any; does not wait. */
void hs_sampler_status(struct hs_sampler *sampler, int64_t values[HS_STATUS_VALUES]);

/* Will the VM take its next sample on this thread at a step drawn with the interval in force? It
 * takes none while sampling is off, so that there is nothing to wait for. */
bool hs_sampler_is_primed(struct hs_sampler *sampler);

/* Writes the sites that hold most live memory to the file `path`, once, when the VM runs out of memory;
 * NULL: no longer. Thread: Control.
 * Fails: HS_NO_MEMORY, HS_INVALID for a path that is too long, HS_JVMTI; nothing has changed then: a file
 * that was named before still is. */
enum hs_status hs_sampler_report_on_oom(struct hs_sampler *sampler, const char *path);

/* The same, only if the file named before is still `expected` (NULL: none) and there are at most `max_holds`
 * holds: users that share the engine do not replace each other's file, nor end the report of a new holder.
 * Fails also: HS_CHANGED. */
enum hs_status hs_sampler_replace_report(struct hs_sampler *sampler, const char *expected,
                                         const char *path, uint32_t max_holds);

/* Is there such a file? Then it is put into `path`. Thread: Control. */
bool hs_sampler_report_file(struct hs_sampler *sampler, char path[HS_OOM_PATH]);

/* The VM has run out of something, as `reason` says; `is_heap`: of Java heap. Writes the report that is due
 * for that, or leaves it to the sweeper where HS_RANK_SWEEP is not available within 200 ms or tables are
 * being exchanged.
 * Thread: Any that `env` belongs to. */
void hs_sampler_exhausted(struct hs_sampler *sampler, void *env, const char *reason, bool is_heap);

/* The VM is going: no more calls into it. The session is given up, for a callback may be in it that ends
 * or not; `last` keeps it from looking lost. Thread: Any; does not wait. */
void hs_sampler_vm_death(struct hs_sampler *sampler);

#endif
