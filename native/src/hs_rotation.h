/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Rotation: moves the content of a full generation of tables into the next one (hs_store.h).
 *
 * Names and stacks are moved by content when a sum or an object refers to them; unused ones stay behind. Sums are
 * moved by exchange with 0, so a move may be repeated at any time, because callbacks that still use the old tables
 * may have added to them since. Numbers in the live table and in the ring of the dead are exchanged for those of
 * the new tables.
 *
 * The new tables must not be full at once, so not all stacks stay whole. Those of live objects and of the largest sites
 * do, until half of a new table is used; then all others, the newest first, until a quarter is. Otherwise a stack keeps
 * its first 4 frames and the cut mark, or the mark alone. Before that, a site whose labels find no room, or that
 * finds none with its labels, has the labels "(other)". For the mark alone, classes have their places before callbacks
 * see the new tables (3/16 of them): these may be full before the sums are moved. A site whose class finds no room
 * becomes "(other)", and so does a thread without room. Sums stay exact. Checked in all interleavings by tests/model/rotation.pml. */
#ifndef HS_ROTATION_H
#define HS_ROTATION_H

#include "hs_recording.h"
#include "hs_store.h"

/* Makes room in `store` for the sites and threads of live objects, for the largest, and for classes: before callbacks see it, and
 * fill it. Moves nothing yet.
 * Thread: holder of HS_RANK_SWEEP. Fails: false, without memory; then the store is not to be used. */
bool hs_rotation_prepare(struct hs_store *store, struct hs_recording *const *recordings);

/* Takes these runs of the previous store over as store->kept, after hs_rotation_prepare. Their names and frames take an eighth of
 * the new tables at most. Harmless where `kept` is NULL.
 * Thread: holder of both locks. Owns: the store from here on. */
void hs_rotation_keep_runs(struct hs_store *store, struct hs_kept_runs *kept);

/* Moves everything that `store->previous` has got into `store`, for these recordings (some may be NULL). Does
 * nothing where there is no previous one. Returns whether all was moved: without memory some of it stays
 * for the next pass.
 * Thread: holder of HS_RANK_SWEEP. */
bool hs_rotation_move(struct hs_store *store, struct hs_recording *const *recordings);

/* The same, but what finds no memory goes to "(other)", for which hs_rotation_prepare has made room.
 * Thread: as above, with no callback in the previous store. */
bool hs_rotation_move_last(struct hs_store *store, struct hs_recording *const *recordings);

/* Gives the previous store back, after the last move. Thread: holder of both locks. */
void hs_rotation_end(struct hs_store *store, struct hs_recording *const *recordings,
                     const struct hs_ops *ops, void *env);

#endif
