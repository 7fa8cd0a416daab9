/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_store.h"

#include <string.h>

#include "hs_mem.h"

bool hs_limits_equal(const struct hs_limits *a, const struct hs_limits *b) {
    return a->depth == b->depth && a->tracked == b->tracked && a->stacks == b->stacks &&
           a->names == b->names && a->sites == b->sites && a->threads == b->threads &&
           a->dead == b->dead && a->garbage_bytes == b->garbage_bytes &&
           a->garbage_from == b->garbage_from;
}

/* Of the table of labels, which has no limit of the configuration. */
enum { QUARTER = 4, SEVEN_SIXTEENTHS = 7, THREE_QUARTERS = 12 };

static _Atomic uint64_t last_code_serial; /* relaxed: each addition gives another number */

static enum hs_status make_code(struct hs_store *store) {
    const struct hs_limits *limits = &store->limits;
    store->code_serial = atomic_fetch_add_explicit(&last_code_serial, 1, memory_order_relaxed) + 1;
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
        status = hs_labels_new(&store->labels);
    }
    return status == HS_OK ? hs_classes_new(&store->classes) : status;
}

static void free_code(struct hs_store *store, const struct hs_ops *ops, void *env) {
    if (ops != NULL && store->classes != NULL) {
        hs_classes_clear(store->classes, ops, env);
    }
    hs_kept_runs_free(store->kept);
    hs_stack_cache_free(store->retired);
    hs_stack_cache_free(atomic_load_explicit(&store->stack_cache, memory_order_relaxed));
    hs_classes_free(store->classes);
    hs_labels_free(store->labels);
    hs_intern_free(store->sites.table);
    hs_intern_free(store->stacks.table);
    hs_frames_free(store->frames);
    hs_intern_free(store->names.table);
}

static enum hs_status make_shared(struct hs_store *store) {
    const struct hs_limits *limits = &store->limits;
    store->bias = hs_mem_new_lines(sizeof *store->bias);
    enum hs_status status = store->bias == NULL ? HS_NO_MEMORY : HS_OK;
    if (status == HS_OK) {
        status = hs_methods_new(&store->methods);
    }
    if (status == HS_OK) {
        status =
            hs_live_new(limits->tracked, limits->garbage_bytes, limits->garbage_from, &store->live);
    }
    return status == HS_OK ? hs_dead_ring_new(limits->dead, &store->dead_ring) : status;
}

enum hs_status hs_store_new(const struct hs_limits *limits, struct hs_store **result) {
    *result = NULL;
    struct hs_store *store = hs_mem_new(sizeof *store);
    if (store == NULL) {
        return HS_NO_MEMORY;
    }
    store->limits = *limits;
    enum hs_status status = make_code(store);
    if (status == HS_OK) {
        status = hs_threads_new(limits->threads, &store->threads);
    }
    if (status == HS_OK) {
        status = make_shared(store);
    }
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
    return !is_quarter_full(hs_intern_end(store->names.table), limits->names) &&
           !is_quarter_full(hs_frames_end(store->frames), limits->names) &&
           !is_quarter_full(hs_intern_end(store->stacks.table), limits->stacks) &&
           !is_quarter_full(hs_intern_end(store->sites.table), limits->sites) &&
           !hs_labels_is_beyond(store->labels, QUARTER) &&
           !is_quarter_full(hs_threads_end(store->threads), limits->threads) &&
           hs_live_levels(store->live) == 0;
}

void hs_store_clear(struct hs_store *store, const struct hs_ops *ops, void *env) {
    hs_live_clear(store->live, ops, env);
    hs_dead_ring_clear(store->dead_ring);
    hs_store_end_rotation(store, ops, env);
    memset(store->bias, 0, sizeof *store->bias);
}

/* ---- generations ---- */

static bool is_filling(uint32_t end, uint32_t limit) {
    return end > limit - limit / 4;
}

static bool code_fills_up(const struct hs_store *store) {
    const struct hs_limits *limits = &store->limits;
    return is_filling(hs_intern_end(store->names.table), limits->names) ||
           is_filling(hs_frames_end(store->frames), limits->names) ||
           is_filling(hs_intern_end(store->stacks.table), limits->stacks) ||
           is_filling(hs_intern_end(store->sites.table), limits->sites) ||
           hs_labels_is_beyond(store->labels, THREE_QUARTERS);
}

static bool threads_fill_up(const struct hs_store *store) {
    return is_filling(hs_threads_end(store->threads), store->limits.threads);
}

bool hs_store_fills_up(const struct hs_store *store) {
    return code_fills_up(store) || threads_fill_up(store);
}

/* More than seven sixteenths? */
static bool is_beyond(uint32_t end, uint32_t limit) {
    return end > limit / 2 - limit / 16;
}

bool hs_store_is_crowded(const struct hs_store *store) {
    const struct hs_limits *limits = &store->limits;
    bool has_new_code = store->code_generation != store->previous->code_generation;
    bool has_new_threads = store->thread_generation != store->previous->thread_generation;
    return (has_new_code && (is_beyond(hs_intern_end(store->names.table), limits->names) ||
                             is_beyond(hs_frames_end(store->frames), limits->names) ||
                             is_beyond(hs_intern_end(store->stacks.table), limits->stacks) ||
                             is_beyond(hs_intern_end(store->sites.table), limits->sites) ||
                             hs_labels_is_beyond(store->labels, SEVEN_SIXTEENTHS))) ||
           (has_new_threads && is_beyond(hs_threads_end(store->threads), limits->threads));
}

bool hs_store_tells_that_it_fills_up(struct hs_store *store) {
    return !atomic_load_explicit(&store->has_told, memory_order_relaxed) &&
           hs_store_fills_up(store) &&
           !atomic_exchange_explicit(&store->has_told, true, memory_order_relaxed);
}

void hs_store_tell_again(struct hs_store *store) {
    atomic_store_explicit(&store->has_told, false, memory_order_relaxed);
}

static void share_code(struct hs_store *store, const struct hs_store *before) {
    store->code_generation = before->code_generation;
    store->tables = before->tables;
    store->names = before->names;
    store->frames = before->frames;
    store->stacks = before->stacks;
    store->sites = before->sites;
    store->labels = before->labels;
    store->code_serial = before->code_serial;
    store->unknown_class = before->unknown_class;
    store->classes = before->classes;
    atomic_init(&store->stack_cache,
                atomic_load_explicit(&before->stack_cache, memory_order_relaxed));
    store->retired = before->retired;
    store->has_runs_of_retired = before->has_runs_of_retired;
    store->kept = before->kept;
}

static enum hs_status renew_code(struct hs_store *store, const struct hs_store *before) {
    store->code_generation = 1 - before->code_generation;
    store->tables = before->tables + 1;
    store->maps.sites = hs_mem_new_array((size_t)store->limits.sites + 1, sizeof(uint32_t));
    store->maps.frames = hs_mem_new_array((size_t)store->limits.names + 1, sizeof(uint32_t));
    bool has_maps = store->maps.sites != NULL && store->maps.frames != NULL;
    return has_maps ? make_code(store) : HS_NO_MEMORY;
}

static enum hs_status renew_threads(struct hs_store *store, const struct hs_store *before) {
    store->thread_generation = 1 - before->thread_generation;
    store->maps.threads = hs_mem_new_array((size_t)store->limits.threads + 1, sizeof(uint32_t));
    return store->maps.threads == NULL ? HS_NO_MEMORY
                                       : hs_threads_new(store->limits.threads, &store->threads);
}

static void free_maps(struct hs_store *store) {
    const struct hs_limits *limits = &store->limits;
    hs_mem_free(store->maps.sites, ((size_t)limits->sites + 1) * sizeof(uint32_t));
    hs_mem_free(store->maps.frames, ((size_t)limits->names + 1) * sizeof(uint32_t));
    hs_mem_free(store->maps.threads, ((size_t)limits->threads + 1) * sizeof(uint32_t));
    store->maps = (struct hs_maps){0};
}

/* Frees a store, with those of its tables that the other one does not share. */
static void free_unshared(struct hs_store *store, const struct hs_store *other,
                          const struct hs_ops *ops, void *env) {
    free_maps(store);
    if (store->code_generation != other->code_generation) {
        free_code(store, ops, env);
    }
    if (store->thread_generation != other->thread_generation) {
        hs_threads_free(store->threads);
    }
    hs_mem_free(store, sizeof *store);
}

enum hs_status hs_store_new_generation(struct hs_store *store, struct hs_store **result) {
    *result = NULL;
    struct hs_store *next = hs_mem_new(sizeof *next);
    if (next == NULL) {
        return HS_NO_MEMORY;
    }
    next->limits = store->limits;
    next->methods = store->methods;
    next->live = store->live;
    next->dead_ring = store->dead_ring;
    next->bias = store->bias;
    next->previous = store;
    enum hs_status status = HS_OK;
    if (code_fills_up(store)) {
        status = renew_code(next, store);
    } else {
        share_code(next, store);
    }
    next->thread_generation = store->thread_generation;
    next->threads = store->threads;
    if (status == HS_OK && threads_fill_up(store)) {
        next->threads = NULL;
        status = renew_threads(next, store);
    }
    if (status != HS_OK) {
        free_unshared(next, store, NULL, NULL);
        return status;
    }
    *result = next;
    return HS_OK;
}

void hs_store_drop_generation(struct hs_store *next) {
    free_unshared(next, next->previous, NULL, NULL);
}

void hs_store_end_rotation(struct hs_store *store, const struct hs_ops *ops, void *env) {
    if (store->previous != NULL) {
        free_unshared(store->previous, store, ops, env);
        store->previous = NULL;
        free_maps(store);
    }
}

void hs_store_free(struct hs_store *store, const struct hs_ops *ops, void *env) {
    if (store == NULL) {
        return;
    }
    if (ops != NULL) {
        hs_live_clear(store->live, ops, env);
    }
    hs_store_end_rotation(store, ops, env);
    hs_dead_ring_free(store->dead_ring);
    hs_live_free(store->live);
    hs_methods_free(store->methods);
    hs_mem_free_lines(store->bias, sizeof *store->bias);
    hs_threads_free(store->threads);
    free_code(store, ops, env);
    hs_mem_free(store, sizeof *store);
}

/* ---- the stack cache ---- */

/* The runs that wait for a table, or else those that are in use in this one, which may be NULL. */
static struct hs_kept_runs *take_kept(struct hs_store *store, const hs_stack_cache *from) {
    struct hs_kept_runs *kept = store->kept;
    store->kept = NULL;
    return kept != NULL || from == NULL ? kept : hs_stack_cache_keep(from);
}

static void retire(struct hs_store *store, hs_stack_cache *fresh, bool has_runs_of_retired) {
    /* seq_cst: before the phaser's look at who is inside. */
    store->retired = atomic_exchange_explicit(&store->stack_cache, fresh, memory_order_seq_cst);
    store->has_runs_of_retired = store->retired != NULL && has_runs_of_retired;
}

void hs_store_renew_stack_cache(struct hs_store *store, const struct hs_layout *layout) {
    hs_stack_cache *fresh = NULL;
    if (store->retired != NULL || (layout != NULL && hs_stack_cache_new(layout, &fresh) != HS_OK)) {
        return;
    }
    const hs_stack_cache *old = atomic_load_explicit(&store->stack_cache, memory_order_relaxed);
    struct hs_kept_runs *kept = take_kept(store, fresh == NULL ? NULL : old);
    bool has_kept = fresh != NULL && kept != NULL;
    if (has_kept) {
        hs_stack_cache_put_kept(fresh, kept);
    }
    hs_kept_runs_free(kept);
    retire(store, fresh, has_kept);
}

/* A callback may find a run untrue after the runs were copied, as long as one is left in the table. */
static void pass_on_discard(struct hs_store *store) {
    if (store->has_runs_of_retired && hs_stack_cache_is_discarded(store->retired)) {
        hs_stack_cache_discard(atomic_load_explicit(&store->stack_cache, memory_order_relaxed));
    }
}

/* No callback is left in it. */
static void free_retired(struct hs_store *store) {
    pass_on_discard(store);
    hs_stack_cache_free(store->retired);
    store->retired = NULL;
}

void hs_store_free_retired(struct hs_store *store, struct hs_phaser *phaser, int64_t patience_us) {
    if (store->retired == NULL) {
        return;
    }
    if (hs_phaser_wait(phaser, patience_us)) {
        free_retired(store);
    } else {
        pass_on_discard(store);
    }
}

/* Waits twice: where a callback stays for long, the first wait finds that out while the stack cache still serves. */
bool hs_store_make_way(struct hs_store *store, struct hs_phaser *phaser, int64_t patience_us,
                       struct hs_kept_runs **kept) {
    *kept = NULL;
    if (!code_fills_up(store)) {
        return true;
    }
    bool has_any = store->retired != NULL ||
                   atomic_load_explicit(&store->stack_cache, memory_order_relaxed) != NULL;
    if (has_any && !hs_phaser_wait(phaser, patience_us)) {
        return false;
    }
    if (store->retired != NULL) {
        free_retired(store);
    }
    retire(store, NULL, false);
    if (store->retired != NULL && !hs_phaser_wait(phaser, patience_us)) {
        atomic_store_explicit(&store->stack_cache, store->retired, memory_order_seq_cst);
        store->retired = NULL;
        return false;
    }
    *kept = take_kept(store, store->retired);
    free_retired(store);
    return true;
}
