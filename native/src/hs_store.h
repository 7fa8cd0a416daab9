/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Store: the tables that all recordings share.
 *
 * Tables of names, stacks, sites and threads only grow. Before one is full, a store with new tables follows it: the
 * next *generation* of code, of threads, or of both. It shares all other tables with the one before. Callbacks
 * use one store from their beginning to their end, and some may still be in the one before, which is kept as
 * `previous` until all have left. What is still wanted is moved by hs_rotation.h. */
#ifndef HS_STORE_H
#define HS_STORE_H

#include "hs_bias.h"
#include "hs_classes.h"
#include "hs_dead_ring.h"
#include "hs_frames.h"
#include "hs_labels.h"
#include "hs_live.h"
#include "hs_methods.h"
#include "hs_names.h"
#include "hs_phaser.h"
#include "hs_sites.h"
#include "hs_stack_cache.h"
#include "hs_stacks.h"
#include "hs_threads.h"

/* Bounds, each at least 1 except for `tracked` and `dead`, which may be 0. */
struct hs_limits {
    uint32_t depth;
    uint32_t tracked;
    uint32_t stacks;
    uint32_t names;
    uint32_t sites;
    uint32_t threads;
    uint32_t dead;
    uint64_t garbage_bytes; /* what tracking may hold (hs_garbage.h); 0: no bound */
    uint64_t garbage_from;  /* smaller objects hold nothing; 0: all do. From what the VM is */
};

bool hs_limits_equal(const struct hs_limits *a, const struct hs_limits *b);

/* From old numbers to new ones while a generation is moved (hs_rotation.h): one entry for each number that the
 * table can give. NULL where the table is shared. HS_RANK_SWEEP. */
struct hs_maps {
    uint32_t *sites;
    uint32_t *frames;
    uint32_t *threads;
};

struct hs_store {
    struct hs_limits limits;

    /* Of one generation of code, which is 0 or 1. */
    uint32_t code_generation;
    uint32_t tables; /* their serial number, raised with each generation of code */
    struct hs_names names;
    hs_frames *frames;
    struct hs_stacks stacks;
    struct hs_sites sites;
    hs_labels *labels;
    uint64_t code_serial; /* of these tables, among all that the process has had; from 1 */
    struct hs_name_id unknown_class; /* "(unknown)", for classes whose names find no room */
    hs_classes *classes;
    /* NULL: stacks are not looked up. Exchanged by hs_store_renew_stack_cache, read by callbacks; seq_cst. */
    _Atomic(hs_stack_cache *) stack_cache;
    hs_stack_cache *retired;  /* the one before, while a callback may see it. HS_RANK_CONTROL */
    bool has_runs_of_retired; /* stack_cache began with copies of its runs. HS_RANK_CONTROL */
    /* What the next stack cache begins with, in the numbers of this store; NULL: what is in use in the one
     * before. HS_RANK_CONTROL. */
    struct hs_kept_runs *kept;

    /* Of one generation of threads. */
    uint32_t thread_generation;
    hs_threads *threads;

    /* Of all generations. */
    hs_methods *methods;
    hs_live *live;
    hs_dead_ring *dead_ring;
    struct hs_bias *bias;

    _Atomic bool
        has_told; /* that a table fills up; set by callbacks, cleared by control; relaxed */
    struct hs_store *previous; /* changes under both locks; NULL: none */
    struct hs_maps maps;       /* from `previous` */
};

/* Owns: the caller frees. Fails: HS_NO_MEMORY, HS_INVALID; nothing is left behind then. */
enum hs_status hs_store_new(const struct hs_limits *limits, struct hs_store **result);

/* After hs_rotation_prepare: do live objects and large sites use nearly all of the half of a new table that they may
 * have? Thread: holder of HS_RANK_CONTROL. */
bool hs_store_is_crowded(const struct hs_store *store);

/* Is a table more than three quarters full, so that the next generation is due? Thread: Any. */
bool hs_store_fills_up(const struct hs_store *store);

/* The same, but true only once for each store and enable. Thread: Callback. */
bool hs_store_tells_that_it_fills_up(struct hs_store *store);

/* Sampling begins again, with another sweeper: the next call returns true once more. Thread: holder of
 * HS_RANK_CONTROL. */
void hs_store_tell_again(struct hs_store *store);

/* Where a new generation of code is due: gives up the stack cache now, since it goes with the old tables, and there must
 * be room for both. `*kept` has copies of the runs in use, for hs_rotation_keep_runs, or NULL if there are none.
 * False where a callback may see the stack cache for longer than the patience: then nothing has changed.
 * Thread: holder of HS_RANK_CONTROL. Owns: the caller frees with hs_kept_runs_free. */
bool hs_store_make_way(struct hs_store *store, struct hs_phaser *phaser, int64_t patience_us,
                       struct hs_kept_runs **kept);

/* Makes the store that follows, with a new generation of what fills up. `store` must have no previous one, and
 * becomes that of the new one: hs_store_end_rotation frees it.
 * Thread: holder of both locks. Fails: HS_NO_MEMORY, and nothing has changed. */
enum hs_status hs_store_new_generation(struct hs_store *store, struct hs_store **result);

/* Takes that back: no thread has used the new one. */
void hs_store_drop_generation(struct hs_store *next);

/* Frees the previous store, and those of its tables that this one does not share; after hs_rotation_move_last, with no
 * callback in it. Harmless where there is none. Thread: holder of both locks. */
void hs_store_end_rotation(struct hs_store *store, const struct hs_ops *ops, void *env);

/* Puts a stack cache in the place of the old one, or none where `layout` is NULL. The new one begins with the runs that
 * were kept for it, or else with copies of those in use in the old one. The old one is retired: it is freed by
 * hs_store_free_retired when no callback can see it any more. Does nothing while there is a retired one, and without
 * memory.
 * Thread: holder of HS_RANK_CONTROL. */
void hs_store_renew_stack_cache(struct hs_store *store, const struct hs_layout *layout);

/* Frees the retired stack cache, if the callbacks that may see it leave within the time. If it was discarded since its
 * runs were copied, the current one is discarded too, even if a callback stays.
 * Thread: holder of HS_RANK_CONTROL. */
void hs_store_free_retired(struct hs_store *store, struct hs_phaser *phaser, int64_t patience_us);

/* Is there room for the code that other recordings will see? True while each table of code and threads is at
 * most a quarter full and nothing is thinned. Thread: holder of HS_RANK_CONTROL. */
bool hs_store_has_room(const struct hs_store *store);

/* Forgets all samples and gives their weak references back; what is known of code and threads stays.
 * Thread: holder of HS_RANK_SWEEP, with no callback inside and no recording open. */
void hs_store_clear(struct hs_store *store, const struct hs_ops *ops, void *env);

/* Gives all weak references back and frees everything. Harmless for NULL.
 * Thread: holder of HS_RANK_SWEEP, with no callback inside. */
void hs_store_free(struct hs_store *store, const struct hs_ops *ops, void *env);

#endif
