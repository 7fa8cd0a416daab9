/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Holds: requests that the default recording take samples. It takes them while there is a hold, at the
 * smallest interval that a holder requests. Other holds keep the tables (hs_sampler_keep_tables): of these only
 * the owner counts. Part of hs_sampler.h. Thread: holder of HS_RANK_CONTROL. */
#ifndef HS_HOLD_H
#define HS_HOLD_H

#include <stdbool.h>
#include <stdint.h>

#include "hs_ids.h"
#include "hs_ops.h"

enum { HS_MAX_HOLDS = 32, HS_HOLD_NAME = 32, HS_NO_WISH = INT32_MAX };

/* Parts per million of the processor time, while no holder requests a budget. */
enum { HS_DEFAULT_OVERHEAD = 10000 };

struct hs_hold {
    struct hs_hold_id id;    /* given by hs_sampler_hold */
    uint32_t interval;       /* HS_NO_WISH: the interval that others request */
    uint32_t overhead;       /* parts per million; 0: that of the others */
    hs_ref owner;            /* weak, the Java class that took it; 0: it lasts as long as the VM */
    bool keeps;              /* the samples stay after the last hold, until they are reset */
    char name[HS_HOLD_NAME]; /* printable ASCII, padded with 0, the last byte 0 */
};

struct hs_holds {
    struct hs_hold held[HS_MAX_HOLDS]; /* in the order in which they were taken */
    uint32_t count;
    int32_t last_id;
    bool keeps; /* one of those since the recording was opened keeps the samples */
};

/* The smallest interval that is requested; HS_VM_DEFAULT_INTERVAL without a request. */
uint32_t hs_holds_interval(const struct hs_holds *holds);

/* The smallest requested budget: it is a promise to each holder. */
uint32_t hs_holds_overhead(const struct hs_holds *holds);

/* All of them request this one from here on. */
void hs_holds_set_interval(struct hs_holds *holds, uint32_t interval);

/* Adds a hold and gives it an id. There must be room. Owns: its owner, from here on. */
struct hs_hold_id hs_holds_add(struct hs_holds *holds, const struct hs_hold *hold);

/* Takes out the hold `id` and gives its owner back; false when there is none. */
bool hs_holds_remove(struct hs_holds *holds, const struct hs_ops *ops, void *env,
                     struct hs_hold_id id);

/* Takes out the holds whose owner was collected; returns whether there were any. */
bool hs_holds_remove_orphans(struct hs_holds *holds, const struct hs_ops *ops, void *env);

/* The samples were forgotten: only the holds of now say whether those to come are kept. */
void hs_holds_renew(struct hs_holds *holds);

/* Takes out all of them. */
void hs_holds_clear(struct hs_holds *holds, const struct hs_ops *ops, void *env);

#endif
