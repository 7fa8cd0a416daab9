/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Encoder: one recording's view of the tables as one block of bytes, see doc/snapshot-format.md.
 *
 * Sampling goes on meanwhile: an allocation made during the call may or may not be counted. Nothing
 * here talks to the VM but through hs_reach, where that is wanted. */
#ifndef HS_ENCODE_H
#define HS_ENCODE_H

#include "hs_buffer.h"
#include "hs_epochs.h"
#include "hs_reach.h"
#include "hs_recording.h"
#include "hs_store.h"

/* INFO, in the order of the format. */
enum hs_info {
    HS_INFO_OPENED_US,
    HS_INFO_TAKEN_US,
    HS_INFO_SAMPLED_US,
    HS_INFO_INTERVAL,
    HS_INFO_INTERVAL_IN_FORCE,
    HS_INFO_COLLECTIONS,
    HS_INFO_SAMPLES,
    HS_INFO_FLAGS,
    HS_INFO_TRACKED,
    HS_INFO_BUDGET,
    HS_INFO_MEMORY,
    HS_INFO_MEMORY_PEAK,
    HS_INFO_DEPTH,
    HS_INFO_LEVEL,
    HS_INFO_COLLECTOR,
    HS_INFO_FEATURE,
    HS_INFO_BORN_OLD,
    HS_INFO_DEATHS,
    HS_INFO_INTERVAL_CHANGES,
    HS_INFO_MISMATCHES,
    HS_INFO_COUNTED_BYTES,
    HS_INFO_ESTIMATED_BYTES,
    HS_INFO_ESTIMATE_VARIANCE,
    HS_INFO_STRATEGY,
    HS_INFO_STRATEGY_AMOUNT,
    HS_INFO_BIRTHS,
    HS_INFO_COUNT
};

enum {
    HS_INFO_SAMPLING = 1,
    HS_INFO_GC_ASKED = 2,
    HS_INFO_GC_DONE = 4,
    HS_INFO_HELD = 8,
    HS_INFO_UNUSED_COUNTED = 16,
    HS_INFO_NO_CANARY = 32,
    HS_INFO_NO_TABLES = 64, /* a table was nearly full, and there was no memory for the next one */
    HS_INFO_STUCK = 128,    /* a thread has been in a room for long (hs_lookup_stuck_rooms) */
};

struct hs_view {
    const struct hs_store *store;
    const struct hs_recording *recording;
    struct hs_epochs *epochs;
    struct hs_reach *reach; /* NULL: how objects are reachable is not asked */
    int64_t wall_offset_us; /* wall minus monotonic clock */
    int64_t info[HS_INFO_COUNT];
};

/* Writes the block into an empty buffer, which may have a sink: then the block as a whole is never in our memory. It
 * also takes 40 bytes for each live object, 56 for each in the ring of the dead, 32 for each example, 64 KiB, and two bits for
 * each id.
 * Thread: holder of HS_RANK_SWEEP.
 * Owns:   the caller frees the buffer, also after a failure.
 * Fails:  HS_MISCOUNTED: the second pass gave another length than the first, which the lock should prevent.
 *         HS_NO_MEMORY, also where the sink has no room. The sink is called on this thread, with its locks: it may call
 *         the VM, but not take them. */
enum hs_status hs_encode(const struct hs_view *view, struct hs_buffer *buffer);

#endif
