/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_store.h"

#include <string.h>

#include "hs_mem.h"

bool hs_limits_equal(const struct hs_limits *a, const struct hs_limits *b) {
    return a->depth == b->depth && a->tracked == b->tracked && a->stacks == b->stacks &&
           a->names == b->names && a->sites == b->sites && a->threads == b->threads &&
           a->dead == b->dead && a->held_bytes == b->held_bytes && a->held_from == b->held_from;
}

static enum hs_status make_tables(struct hs_store *store) {
    const struct hs_limits *limits = &store->limits;
    enum hs_status status = hs_names_new(limits->names, &store->names);
    if (status == HS_OK) {
        status = hs_names_put(store->names, "(unknown)", 9, &store->unknown_class);
    }
    if (status == HS_OK) {
        status = hs_frames_new(limits->names, &store->frames);
    }
    if (status == HS_OK) {
        status = hs_stacks_new(limits->stacks, &store->stacks);
    }
    if (status == HS_OK) {
        status = hs_sites_new(limits->sites, &store->sites);
    }
    if (status == HS_OK) {
        status = hs_threads_new(limits->threads, &store->threads);
    }
    if (status == HS_OK) {
        status = hs_classes_new(&store->classes);
    }
    if (status == HS_OK) {
        status = hs_live_new(limits->tracked, limits->held_bytes, limits->held_from, &store->live);
    }
    return status == HS_OK ? hs_departed_new(limits->dead, &store->departed) : status;
}

enum hs_status hs_store_new(const struct hs_limits *limits, struct hs_store **result) {
    *result = NULL;
    struct hs_store *store = hs_mem_new(sizeof *store);
    if (store == NULL) {
        return HS_NO_MEMORY;
    }
    store->limits = *limits;
    enum hs_status status = make_tables(store);
    if (status != HS_OK) {
        hs_store_free(store, NULL, NULL);
        return status;
    }
    *result = store;
    return HS_OK;
}

static bool is_quarter_full(uint32_t end, uint32_t limit) {
    return end > limit / 4;
}

bool hs_store_has_room(const struct hs_store *store) {
    const struct hs_limits *limits = &store->limits;
    return !is_quarter_full(hs_intern_end(store->names), limits->names) &&
           !is_quarter_full(hs_frames_end(store->frames), limits->names) &&
           !is_quarter_full(hs_intern_end(store->stacks), limits->stacks) &&
           !is_quarter_full(hs_intern_end(store->sites), limits->sites) &&
           !is_quarter_full(hs_threads_end(store->threads), limits->threads) &&
           hs_live_levels(store->live) == 0;
}

void hs_store_clear(struct hs_store *store, const struct hs_ops *ops, void *env) {
    hs_live_clear(store->live, ops, env);
    hs_departed_forget(store->departed, UINT64_MAX);
    hs_frames_forget(store->frames);
    memset(&store->bias, 0, sizeof store->bias);
}

void hs_store_free(struct hs_store *store, const struct hs_ops *ops, void *env) {
    if (store == NULL) {
        return;
    }
    if (ops != NULL) {
        hs_live_clear(store->live, ops, env);
        hs_classes_clear(store->classes, ops, env);
    }
    hs_departed_free(store->departed);
    hs_learned_free(store->retired);
    hs_learned_free(atomic_load_explicit(&store->learned, memory_order_relaxed));
    hs_live_free(store->live);
    hs_classes_free(store->classes);
    hs_threads_free(store->threads);
    hs_intern_free(store->sites);
    hs_intern_free(store->stacks);
    hs_frames_free(store->frames);
    hs_intern_free(store->names);
    hs_mem_free(store, sizeof *store);
}

void hs_store_relearn(struct hs_store *store, const struct hs_layout *layout) {
    hs_learned *fresh = NULL;
    if (store->retired != NULL || (layout != NULL && hs_learned_new(layout, &fresh) != HS_OK)) {
        return;
    }
    /* seq_cst: before the phaser's look at who is inside. */
    store->retired = atomic_exchange_explicit(&store->learned, fresh, memory_order_seq_cst);
}

void hs_store_bury(struct hs_store *store, struct hs_phaser *phaser, int64_t patience_us) {
    if (store->retired != NULL && hs_phaser_wait(phaser, patience_us)) {
        hs_learned_free(store->retired);
        store->retired = NULL;
    }
}
