/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* The report of what held memory when the VM ran out of it: a short text in a file, once.
 *
 * All memory that it takes is reserved when it is requested, so that it can be written while nothing
 * is left: sums per site, and a buffer of some lines which goes out by write(2). Nothing of it waits
 * for another thread: a thread that runs out of memory may hold any lock of the application.
 *
 * The first exhaustion counts: the thread that turns ARMED into DUE by compare-and-swap (acquire) fills in what it
 * knows and publishes READY (release). The holder of HS_RANK_SWEEP turns that into WRITING (acquire) and writes; then it
 * is DONE (release). But the heap comes first: where something else ran out, its report, READY or DONE, gives way to the
 * first exhaustion of the heap. Only the thread that made it DUE ends that, also when the report was disarmed
 * meanwhile: what is READY and has no path is forgotten by the next holder of HS_RANK_SWEEP. */
#ifndef HS_OOM_H
#define HS_OOM_H

#include <stdatomic.h>

#include "hs_store.h"

enum {
    HS_OOM_PATH = 4096,
    HS_OOM_REASON = 128,
    HS_OOM_LINE = 2048,
    HS_OOM_TOP = 20,
    HS_OOM_FRAMES = 8
};

enum hs_oom_state {
    HS_OOM_OFF,
    HS_OOM_ARMED,   /* a report is requested */
    HS_OOM_DUE,     /* the VM has run out; a thread fills in the reason */
    HS_OOM_READY,   /* to be written */
    HS_OOM_WRITING, /* by the holder of HS_RANK_SWEEP */
    HS_OOM_DONE
};

/* The live objects of one site. */
struct hs_oom_sum {
    double bytes;
    double objects;
    uint64_t samples;
};

struct hs_oom {
    _Atomic enum hs_oom_state state; /* see above */
    /* Written by the thread that made it DUE, until it is READY; read while WRITING. */
    char reason[HS_OOM_REASON];
    int64_t wall_us;
    /* Written likewise; read by any thread that strikes. Relaxed: a stale value goes with a stale state, which the
     * exchange then refuses, unless another whole report was made in between: its file is written once more. */
    _Atomic bool is_of_heap;
    /* HS_RANK_SWEEP. */
    char path[HS_OOM_PATH];  /* empty: no report is wanted */
    struct hs_oom_sum *sums; /* by site */
    uint32_t size;
    bool has_retried; /* the file could not be opened, and will be tried again */
    char line[HS_OOM_LINE];
};

/* Waits for the first exhaustion; NULL for `path`: no longer. Another path takes the place of the one
 * before, also for a report that is due. Once one is done, no other will be (but see above), until this
 * sets another path, or NULL.
 * Thread: holder of HS_RANK_SWEEP.
 * Fails: HS_INVALID for a path that is too long; nothing has changed then. */
enum hs_status hs_oom_arm(struct hs_oom *oom, const char *path);

/* Is a report wanted, due or done? Thread: as hs_oom_arm, or one that keeps others from it. */
bool hs_oom_is_on(const struct hs_oom *oom);

/* Is a report due, or was it disarmed as it became due? hs_oom_write writes or forgets it. Thread: Any; for the holder
 * of HS_RANK_SWEEP, true stays true. */
bool hs_oom_is_due(const struct hs_oom *oom);

/* Makes room for the sums of this many sites; those beyond are in the sum of all only.
 * Thread: as hs_oom_arm. Fails: HS_NO_MEMORY; nothing has changed then. */
enum hs_status hs_oom_reserve(struct hs_oom *oom, uint32_t sites);

/* The VM has run out of something, as `reason` says; may be NULL. Returns whether there is something to do for
 * hs_oom_write. `is_heap`: of Java heap. Thread: Any; never waits. */
bool hs_oom_strike(struct hs_oom *oom, const char *reason, bool is_heap);

/* Forgets a report that is due, and waits for the next exhaustion: what filled the memory is not in the
 * tables. Thread: as hs_oom_arm. */
void hs_oom_discard(struct hs_oom *oom);

/* Writes the report, if one is due, and returns whether it was written whole; else says on stderr why not
 * (hs_oom_file.h). When the file cannot be opened, it stays due once. Sites of a previous store are not
 * read; the report says how much they hold.
 * Thread: holder of HS_RANK_SWEEP; allocates nothing, calls only ops->is_cleared. */
bool hs_oom_write(struct hs_oom *oom, const struct hs_store *store, const struct hs_ops *ops,
                  void *env);

/* Gives back what was reserved, and forgets a report that is due. Thread: as hs_oom_arm. */
void hs_oom_free(struct hs_oom *oom);

#endif
