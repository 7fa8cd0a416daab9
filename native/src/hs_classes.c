/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_classes.h"

#include <stdatomic.h>

#include "hs_check.h"
#include "hs_hash.h"
#include "hs_mem.h"

enum { SLOTS = 8192, WINDOW = 8, BATCH = 64 };
#define RESERVED ((hs_ref)1)

/* `ref`: 0 free, RESERVED while its tag is written, else a weak reference. */
struct slot {
    _Atomic hs_ref ref;
    _Atomic uint64_t tag; /* identity hash << 32 | name; relaxed */
};

struct hs_classes {
    struct slot slots[SLOTS];
    /* Removed, and perhaps still inspected by a callback. Only purge and clear see these. */
    hs_ref gone[BATCH];
    uint32_t gone_count;
};

enum hs_status hs_classes_new(hs_classes **result) {
    *result = hs_mem_new(sizeof **result);
    return *result == NULL ? HS_NO_MEMORY : HS_OK;
}

void hs_classes_free(hs_classes *classes) {
    hs_mem_free(classes, sizeof *classes);
}

static uint32_t home(uint32_t hash) {
    return (uint32_t)hs_hash_mix(hash) & (SLOTS - 1);
}

static struct hs_name_id name_in(const struct slot *slot, hs_is_same *is_same, void *env,
                                 uintptr_t object, hs_ref ref) {
    uint64_t tag = atomic_load_explicit(&slot->tag, memory_order_relaxed);
    uint32_t name = ref > RESERVED && is_same(env, object, ref) ? (uint32_t)tag : 0;
    return (struct hs_name_id){name};
}

/* seq_cst: not before this thread has entered the phaser; see take_out_unloaded. */
static hs_ref ref_in(const struct slot *slot) {
    return atomic_load_explicit(&slot->ref, memory_order_seq_cst);
}

struct hs_name_id hs_classes_find(const hs_classes *classes, uint32_t hash, hs_is_same *is_same,
                                  void *env, uintptr_t object, uint16_t *hint) {
    uint32_t start = home(hash);
    for (uint32_t i = 0; i < WINDOW; i++) {
        uint32_t at = (start + i) & (SLOTS - 1);
        const struct slot *slot = &classes->slots[at];
        hs_ref ref = ref_in(slot);
        bool has_hash = atomic_load_explicit(&slot->tag, memory_order_relaxed) >> 32 == hash;
        struct hs_name_id name = {0};
        if (has_hash) {
            name = name_in(slot, is_same, env, object, ref);
        }
        if (name.number != 0) {
            *hint = (uint16_t)at;
            return name;
        }
    }
    return (struct hs_name_id){0};
}

struct hs_name_id hs_classes_try(const hs_classes *classes, uint32_t hint, hs_is_same *is_same,
                                 void *env, uintptr_t object) {
    const struct slot *slot = &classes->slots[hint & (SLOTS - 1)];
    return name_in(slot, is_same, env, object, ref_in(slot));
}

bool hs_classes_put(hs_classes *classes, uint32_t hash, hs_ref ref, struct hs_name_id name) {
    HS_DCHECK(ref != 0 && name.number != 0);
    uint32_t start = home(hash);
    for (uint32_t i = 0; i < WINDOW; i++) {
        struct slot *slot = &classes->slots[(start + i) & (SLOTS - 1)];
        hs_ref none = 0;
        if (atomic_compare_exchange_strong_explicit(&slot->ref, &none, RESERVED,
                                                    memory_order_acquire, memory_order_relaxed)) {
            atomic_store_explicit(&slot->tag, (uint64_t)hash << 32 | name.number,
                                  memory_order_relaxed);
            atomic_store_explicit(&slot->ref, ref, memory_order_release);
            return true;
        }
    }
    return false;
}

static void release_gone(hs_classes *classes, const struct hs_ops *ops, void *env) {
    for (uint32_t i = 0; i < classes->gone_count; i++) {
        ops->release(env, classes->gone[i]);
    }
    classes->gone_count = 0;
}

static void take_out_unloaded(hs_classes *classes, const struct hs_ops *ops, void *env) {
    for (uint32_t i = 0; i < SLOTS && classes->gone_count < BATCH; i++) {
        hs_ref ref = atomic_load_explicit(&classes->slots[i].ref, memory_order_acquire);
        if (ref > RESERVED && ops->is_cleared(env, ref)) {
            classes->gone[classes->gone_count++] = ref;
            /* seq_cst: ordered before the phaser's look at who is inside. */
            atomic_store_explicit(&classes->slots[i].ref, 0, memory_order_seq_cst);
        }
    }
}

void hs_classes_purge(hs_classes *classes, const struct hs_ops *ops, void *env,
                      struct hs_phaser *phaser, int64_t patience_us) {
    take_out_unloaded(classes, ops, env);
    if (classes->gone_count > 0 && hs_phaser_wait(phaser, patience_us)) {
        release_gone(classes, ops, env);
    } /* Else someone is stuck inside: they wait for the next purge. */
}

void hs_classes_clear(hs_classes *classes, const struct hs_ops *ops, void *env) {
    release_gone(classes, ops, env);
    for (uint32_t i = 0; i < SLOTS; i++) {
        hs_ref ref = atomic_load_explicit(&classes->slots[i].ref, memory_order_acquire);
        if (ref > RESERVED) {
            ops->release(env, ref);
        }
        atomic_store_explicit(&classes->slots[i].ref, 0, memory_order_relaxed);
    }
}
