/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_hold.h"

#include <string.h>

#include "hs_check.h"
#include "hs_thread_state.h"

uint32_t hs_holds_interval(const struct hs_holds *holds) {
    uint32_t interval = HS_NO_WISH;
    for (uint32_t i = 0; i < holds->count; i++) {
        if (holds->held[i].interval < interval) {
            interval = holds->held[i].interval;
        }
    }
    return interval == HS_NO_WISH ? HS_VM_DEFAULT_INTERVAL : interval;
}

uint32_t hs_holds_overhead(const struct hs_holds *holds) {
    uint32_t overhead = 0;
    for (uint32_t i = 0; i < holds->count; i++) {
        uint32_t wish = holds->held[i].overhead;
        if (wish != 0 && (overhead == 0 || wish < overhead)) {
            overhead = wish;
        }
    }
    return overhead == 0 ? HS_DEFAULT_OVERHEAD : overhead;
}

void hs_holds_set_interval(struct hs_holds *holds, uint32_t interval) {
    for (uint32_t i = 0; i < holds->count; i++) {
        holds->held[i].interval = interval;
    }
}

struct hs_hold_id hs_holds_add(struct hs_holds *holds, const struct hs_hold *hold) {
    HS_CHECK(holds->count < HS_MAX_HOLDS);
    holds->last_id = holds->last_id == INT32_MAX ? 1 : holds->last_id + 1;
    struct hs_hold *added = &holds->held[holds->count++];
    *added = *hold;
    added->id = (struct hs_hold_id){holds->last_id};
    added->name[HS_HOLD_NAME - 1] = '\0';
    holds->keeps = holds->keeps || hold->keeps;
    return added->id;
}

static void remove_at(struct hs_holds *holds, const struct hs_ops *ops, void *env, uint32_t i) {
    if (holds->held[i].owner != 0) {
        ops->release(env, holds->held[i].owner);
    }
    holds->count--;
    memmove(&holds->held[i], &holds->held[i + 1], (holds->count - i) * sizeof holds->held[0]);
}

bool hs_holds_remove(struct hs_holds *holds, const struct hs_ops *ops, void *env,
                     struct hs_hold_id id) {
    for (uint32_t i = 0; i < holds->count; i++) {
        if (holds->held[i].id.number == id.number) {
            remove_at(holds, ops, env, i);
            return true;
        }
    }
    return false;
}

bool hs_holds_remove_orphans(struct hs_holds *holds, const struct hs_ops *ops, void *env) {
    uint32_t before = holds->count;
    for (uint32_t i = holds->count; i-- > 0;) {
        if (holds->held[i].owner != 0 && ops->is_cleared(env, holds->held[i].owner)) {
            remove_at(holds, ops, env, i);
        }
    }
    return holds->count < before;
}

void hs_holds_renew(struct hs_holds *holds) {
    holds->keeps = false;
    for (uint32_t i = 0; i < holds->count; i++) {
        holds->keeps = holds->keeps || holds->held[i].keeps;
    }
}

void hs_holds_clear(struct hs_holds *holds, const struct hs_ops *ops, void *env) {
    while (holds->count > 0) {
        remove_at(holds, ops, env, holds->count - 1);
    }
}
