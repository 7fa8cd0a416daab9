/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Store: the tables that all recordings share, made and thrown away together. */
#ifndef HS_STORE_H
#define HS_STORE_H

#include "hs_bias.h"
#include "hs_classes.h"
#include "hs_departed.h"
#include "hs_frames.h"
#include "hs_learned.h"
#include "hs_live.h"
#include "hs_names.h"
#include "hs_phaser.h"
#include "hs_sites.h"
#include "hs_stacks.h"
#include "hs_threads.h"

/* Bounds, each at least 1 but for `tracked` and `dead`, which may be 0. */
struct hs_limits {
    uint32_t depth;
    uint32_t tracked;
    uint32_t stacks;
    uint32_t names;
    uint32_t sites;
    uint32_t threads;
    uint32_t dead;
    uint64_t held_bytes; /* what tracking may hold (hs_held.h); 0: no bound */
    uint64_t held_from;  /* smaller objects hold nothing; 0: all do. From what the VM is */
};

bool hs_limits_equal(const struct hs_limits *a, const struct hs_limits *b);

struct hs_store {
    struct hs_limits limits;
    hs_names *names;
    hs_frames *frames;
    hs_stacks *stacks;
    hs_sites *sites;
    hs_threads *threads;
    uint32_t unknown_class; /* the name "(unknown)", for classes whose names find no room */
    hs_classes *classes;
    hs_live *live;
    hs_departed *departed;
    struct hs_bias bias;
    /* NULL: stacks are not looked up. Exchanged by hs_store_relearn, read by callbacks; seq_cst. */
    _Atomic(hs_learned *) learned;
    hs_learned *retired; /* HS_RANK_CONTROL */
};

/* Owns: the caller frees. Fails: HS_NO_MEMORY, HS_INVALID; nothing is left behind then. */
enum hs_status hs_store_new(const struct hs_limits *limits, struct hs_store **result);

/* Puts an empty table of learned stacks in the place of the old one, or none where `layout` is
 * NULL. The old one is retired: it is freed by hs_store_bury when no callback can see it any more.
 * Does nothing while there is a retired one, and without memory.
 * Thread: holder of HS_RANK_CONTROL. */
void hs_store_relearn(struct hs_store *store, const struct hs_layout *layout);

/* Frees what was retired, if the callbacks that may see it leave within the time.
 * Thread: holder of HS_RANK_CONTROL. */
void hs_store_bury(struct hs_store *store, struct hs_phaser *phaser, int64_t patience_us);

/* Is there room for the code that other recordings will see? True while each table of code and threads is at
 * most a quarter full and nothing is thinned. Thread: holder of HS_RANK_CONTROL. */
bool hs_store_has_room(const struct hs_store *store);

/* Forgets all samples and gives their weak references back; what is known of code and threads stays,
 * but for the cache of hs_frames.h: while sampling is off, collections are not counted.
 * Thread: holder of HS_RANK_SWEEP, with no callback inside and no recording open. */
void hs_store_clear(struct hs_store *store, const struct hs_ops *ops, void *env);

/* Gives all weak references back and frees everything. Harmless for NULL.
 * Thread: holder of HS_RANK_SWEEP, with no callback inside. */
void hs_store_free(struct hs_store *store, const struct hs_ops *ops, void *env);

#endif
