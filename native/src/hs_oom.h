/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* The report of what held memory when the VM ran out of it: a short text in a file, once.
 *
 * All memory that it takes is reserved when it is asked for, so that it can be written while nothing
 * is left: sums per site, and a buffer of some lines which goes out by write(2). Nothing of it waits
 * for another thread: whoever runs out of memory may hold any lock of the application's.
 *
 * States: OFF, ARMED (asked for), DUE, READY, DONE. Only the first exhaustion counts: the thread that
 * turns ARMED into DUE by compare-and-swap fills in `reason` and publishes READY (release); the holder
 * of HS_RANK_SWEEP who turns that into DONE (acquire) writes. */
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

enum hs_oom_state { HS_OOM_OFF, HS_OOM_ARMED, HS_OOM_DUE, HS_OOM_READY, HS_OOM_DONE };

/* What is alive of one site. */
struct hs_oom_sum {
    double bytes;
    double objects;
    uint64_t samples;
};

struct hs_oom {
    _Atomic enum hs_oom_state state;
    /* Of the thread that made it DUE, until it is READY. */
    char reason[HS_OOM_REASON];
    int64_t wall_us;
    /* HS_RANK_SWEEP. */
    char path[HS_OOM_PATH];
    struct hs_oom_sum *sums; /* by site */
    uint32_t size;
    char line[HS_OOM_LINE];
};

/* Reserves what is needed and waits for the first exhaustion; NULL for `path`: no longer. Another path
 * takes the place of the one before. Once a report is due or done, no other will be, until this is told
 * NULL.
 * Thread: holder of HS_RANK_SWEEP.
 * Fails: HS_NO_MEMORY, HS_INVALID for a path that is too long; nothing has changed then. */
enum hs_status hs_oom_arm(struct hs_oom *oom, const char *path, uint32_t sites);

/* The VM has run out of something, as `reason` says; may be NULL. Answers whether a report is due for
 * that. Thread: Any; never waits. */
bool hs_oom_strike(struct hs_oom *oom, const char *reason);

/* Writes the report, if one is due, and answers whether it was written whole.
 * Thread: holder of HS_RANK_SWEEP; allocates nothing, calls only ops->is_cleared. */
bool hs_oom_write(struct hs_oom *oom, const struct hs_store *store, const struct hs_ops *ops,
                  void *env);

/* Gives back what was reserved, and forgets a report that is due. Thread: as hs_oom_arm. */
void hs_oom_free(struct hs_oom *oom);

#endif
