/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_otel.h"

#include "hs_peek.h"

static bool take(struct hs_otel *otel) {
    uint32_t before = atomic_fetch_or_explicit(&otel->use, HS_OTEL_TAKEN, memory_order_acquire);
    return (before & HS_OTEL_TAKEN) == 0;
}

static bool is_ended(const struct hs_otel *otel) {
    return (atomic_load_explicit(&otel->use, memory_order_acquire) & HS_OTEL_ENDED) != 0;
}

static void clear(struct hs_otel *otel, uint32_t bit) {
    atomic_fetch_and_explicit(&otel->use, ~bit, memory_order_release);
}

static bool has_retired(const struct hs_otel *otel) {
    return otel->retired_libraries != NULL || otel->retired_keys != NULL;
}

static void free_retired(struct hs_otel *otel) {
    if (!otel->is_drained) {
        return;
    }
    hs_otel_libraries_free(otel->retired_libraries);
    hs_otel_keys_free(otel->retired_keys);
    otel->retired_libraries = NULL;
    otel->retired_keys = NULL;
    otel->is_drained = false;
}

static void retire_keys(struct hs_otel *otel, struct hs_otel_keys *next) {
    otel->retired_keys = atomic_exchange_explicit(&otel->keys, next, memory_order_seq_cst);
    otel->is_drained = false;
}

/* Was a library loaded or unloaded since the last call? */
static bool has_loads(struct hs_otel *otel) {
    struct hs_otel_loads now = hs_otel_loads_now();
    bool has = !otel->has_looked || now.adds != otel->loads.adds || now.subs != otel->loads.subs;
    otel->loads = now;
    otel->has_looked = true;
    return has;
}

static void set_state(struct hs_otel *otel, enum hs_otel_state state) {
    atomic_store_explicit(&otel->state, state, memory_order_relaxed);
}

/* Of libraries that are followed. `keys`: NULL for none. */
static void set_state_on(struct hs_otel *otel, const struct hs_otel_keys *keys) {
    bool is_other = keys != NULL && keys->schema == HS_OTEL_OTHER_SCHEMA;
    set_state(otel, is_other ? HS_OTEL_HAS_OTHER_SCHEMA : HS_OTEL_IS_ON);
}

static void search(struct hs_otel *otel, int64_t now_us) {
    struct hs_otel_libraries *found;
    if (!hs_otel_libraries_find(&found)) {
        otel->has_looked = false; /* without memory: again */
    }
    if (found == NULL) {
        set_state(otel, HS_OTEL_IS_OFF);
    } else if (found->count == 0 || !hs_peek_is_allowed()) {
        set_state(otel, found->count == 0 ? HS_OTEL_HAS_NEW_VERSION : HS_OTEL_CANNOT_COPY);
        hs_otel_libraries_free(found);
    } else {
        set_state_on(otel, atomic_load_explicit(&otel->keys, memory_order_relaxed));
        otel->next_check_us = now_us + HS_OTEL_CHECK_US;
        atomic_store_explicit(&otel->libraries, found, memory_order_seq_cst);
    }
}

/* The libraries first: without one, no process context is looked for. */
static void look(struct hs_otel *otel, const char *root, int64_t now_us) {
    free_retired(otel);
    bool is_due = has_loads(otel) || (hs_otel_is_on(otel) && now_us >= otel->next_check_us);
    if (is_due && hs_otel_is_on(otel)) {
        otel->wants_retirement = true;
    } else if (is_due && otel->retired_libraries == NULL) {
        search(otel, now_us);
    } else if (is_due) {
        otel->has_looked = false; /* after the old ones are closed */
    }
    if (hs_otel_is_on(otel) && !has_retired(otel)) {
        struct hs_otel_keys *keys = hs_otel_process_look(&otel->process, root, now_us);
        if (keys != NULL) {
            retire_keys(otel, keys);
            set_state_on(otel, keys);
        }
    }
}

static void withdraw(struct hs_otel *otel, bool is_end) {
    if (otel->retired_libraries == NULL && (is_end || otel->wants_retirement)) {
        otel->retired_libraries =
            atomic_exchange_explicit(&otel->libraries, NULL, memory_order_seq_cst);
        otel->wants_retirement = false;
        otel->has_looked = false;
        otel->is_drained = false;
    }
    if (is_end) {
        set_state(otel, HS_OTEL_IS_OFF);
    }
    if (otel->retired_keys == NULL && is_end) {
        retire_keys(otel, NULL);
        otel->process = (struct hs_otel_process){0};
    }
}

/* Gives the rest back. Where sampling has ended meanwhile, nothing stays published: what no callback has is freed at once,
 * mostly all of it. */
static void leave(struct hs_otel *otel, const struct hs_phaser *phaser) {
    uint32_t use = HS_OTEL_TAKEN;
    while (!atomic_compare_exchange_strong_explicit(&otel->use, &use, use & HS_OTEL_ENDED,
                                                    memory_order_acq_rel, memory_order_acquire)) {
        struct hs_phaser_look since_the_end;
        withdraw(otel, true);
        hs_phaser_begin_look(&since_the_end);
        otel->is_drained = hs_phaser_look(phaser, &since_the_end);
        free_retired(otel);
    }
}

void hs_otel_begin(struct hs_otel *otel) {
    clear(otel, HS_OTEL_ENDED);
}

void hs_otel_look(struct hs_otel *otel, const struct hs_phaser *phaser, const char *root,
                  int64_t now_us) {
    if (take(otel)) {
        if (!is_ended(otel)) {
            look(otel, root, now_us);
        }
        leave(otel, phaser);
    }
}

bool hs_otel_retire(struct hs_otel *otel, struct hs_phaser *phaser, int64_t patience_us,
                    bool is_end) {
    if (is_end) {
        atomic_fetch_or_explicit(&otel->use, HS_OTEL_ENDED, memory_order_acq_rel);
    }
    if (!take(otel)) {
        return false;
    }
    withdraw(otel, is_end);
    if (has_retired(otel) && !otel->is_drained) {
        otel->is_drained = hs_phaser_wait(phaser, patience_us);
    }
    bool is_drained = otel->is_drained;
    clear(otel, HS_OTEL_TAKEN); /* and not `leave`: with a lock, nothing may be freed */
    return is_drained;
}

void hs_otel_settle(struct hs_otel *otel, const struct hs_phaser *phaser) {
    if (take(otel)) {
        free_retired(otel);
        leave(otel, phaser);
    }
}
