/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* A VM made of an array: a weak reference is a place in it, with a flag for "the object is gone" and
 * one for "given back". Giving back twice, or looking at what was given back, aborts; what was never
 * given back shows in fake_outstanding. Usable from many threads at once. */
#ifndef FAKE_OPS_H
#define FAKE_OPS_H

#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hs_ops.h"

enum { FAKE_REFS = 1 << 21, FAKE_SHIFT = 4 };
enum { FAKE_CLEARED = 1, FAKE_RELEASED = 2, FAKE_GARBAGE_MAX = 1 << 16 };

struct fake_vm {
    _Atomic uint32_t made;
    _Atomic uint32_t released;
    _Atomic unsigned char flags[FAKE_REFS];
    /* Those without a friend, in the order of their making; what lies before `collected` is gone. */
    _Atomic uint32_t garbage_made;
    _Atomic uint32_t collected;
    _Atomic hs_ref garbage[FAKE_GARBAGE_MAX];

    /* What the next calls answer. */
    _Atomic bool refuses_garbage;
    _Atomic uint32_t used_heap; /* of HS_WHOLE_HEAP */
    _Atomic bool refuses_attach;
    _Atomic int ignores_forced; /* this many times */
    _Atomic bool holds_attach;  /* as long as it is set; foreign code in attaching and detaching */
    _Atomic bool holds_detach;
    _Atomic int enable_status;          /* HS_OWNED: of the claim */
    void (*after_garbage)(hs_ref made); /* 0: refused */

    /* What was called. */
    _Atomic int attached;
    _Atomic int attaches;
    _Atomic bool is_claimed;
    _Atomic int enables;
    _Atomic int disables;
    _Atomic int forced;
    _Atomic int watch_status; /* what the next answers */
    _Atomic bool is_watching;
    _Atomic uint32_t interval;
    _Atomic int interval_calls;
    void (*during_interval)(void); /* called while the VM gets the interval, when set */
};

static struct fake_vm fake;
static int fake_env_object;
#define FAKE_ENV ((void *)&fake_env_object)

static inline void fake_wrong(const char *what, hs_ref ref) {
    fprintf(stderr, "fake VM: %s, reference %lu\n", what, (unsigned long)ref);
    abort();
}

static inline uint32_t fake_index(hs_ref ref) {
    uint32_t index = (uint32_t)(ref >> FAKE_SHIFT);
    if (index == 0 || index > atomic_load(&fake.made) || ref != (hs_ref)index << FAKE_SHIFT) {
        fake_wrong("no such reference", ref);
    }
    return index;
}

/* A reference to a new object that stays. */
static inline hs_ref fake_ref(void) {
    uint32_t index = atomic_fetch_add(&fake.made, 1) + 1;
    if (index >= FAKE_REFS) {
        fake_wrong("too many references", index);
    }
    return (hs_ref)index << FAKE_SHIFT;
}

/* The object dies. */
static inline void fake_clear(hs_ref ref) {
    atomic_fetch_or(&fake.flags[fake_index(ref)], FAKE_CLEARED);
}

static inline bool fake_is_released(hs_ref ref) {
    return (atomic_load(&fake.flags[fake_index(ref)]) & FAKE_RELEASED) != 0;
}

static inline uint32_t fake_outstanding(void) {
    return atomic_load(&fake.made) - atomic_load(&fake.released);
}

/* A collection: every object without a friend dies. */
static inline void fake_collect(void) {
    uint32_t at = atomic_load(&fake.collected);
    uint32_t end = atomic_load(&fake.garbage_made);
    for (hs_ref ref; at < end && (ref = atomic_load(&fake.garbage[at])) != 0; at++) {
        fake_clear(ref);
    }
    atomic_store(&fake.collected, at); /* an older value of another collection does no harm */
}

static inline bool fake_is_cleared(void *env, hs_ref ref) {
    unsigned char flags = atomic_load(&fake.flags[fake_index(ref)]);
    if (env != FAKE_ENV || (flags & FAKE_RELEASED) != 0) {
        fake_wrong("used after it was given back", ref);
    }
    return (flags & FAKE_CLEARED) != 0;
}

static inline void fake_release(void *env, hs_ref ref) {
    unsigned char before = atomic_fetch_or(&fake.flags[fake_index(ref)], FAKE_RELEASED);
    if (env != FAKE_ENV || (before & FAKE_RELEASED) != 0) {
        fake_wrong("given back twice", ref);
    }
    atomic_fetch_add(&fake.released, 1);
}

static inline hs_ref fake_new_garbage(void *env) {
    if (env != FAKE_ENV) {
        fake_wrong("garbage requested without an env", 0);
    }
    if (fake.refuses_garbage) {
        if (fake.after_garbage != NULL) {
            fake.after_garbage(0);
        }
        return 0;
    }
    hs_ref ref = fake_ref();
    uint32_t at = atomic_fetch_add(&fake.garbage_made, 1);
    if (at >= FAKE_GARBAGE_MAX) {
        fake_wrong("too much garbage", ref);
    }
    atomic_store(&fake.garbage[at], ref);
    if (fake.after_garbage != NULL) {
        fake.after_garbage(ref);
    }
    return ref;
}

static inline uint32_t fake_unused_heap(void *env) {
    if (env != FAKE_ENV) {
        fake_wrong("the heap requested without an env", 0);
    }
    return HS_WHOLE_HEAP - fake.used_heap;
}

static inline void *fake_attach(void) {
    if (fake.refuses_attach) {
        return NULL;
    }
    while (fake.holds_attach) {
        sched_yield();
    }
    fake.attached++;
    fake.attaches++;
    return FAKE_ENV;
}

static inline void fake_detach(void) {
    while (fake.holds_detach) {
        sched_yield();
    }
    fake.attached--;
}

static inline enum hs_status fake_claim(int32_t *error) {
    cr_assert_not(fake.is_claimed);
    if (fake.enable_status == HS_OWNED) {
        *error = 98;
        return HS_OWNED;
    }
    fake.is_claimed = true;
    return HS_OK;
}

static inline enum hs_status fake_enable(uint32_t interval, int32_t *error) {
    cr_assert(fake.is_claimed);
    if (fake.enable_status != HS_OK) {
        *error = 98;
        return (enum hs_status)fake.enable_status;
    }
    fake.interval = interval;
    fake.enables++;
    return HS_OK;
}

static inline void fake_disable(void) {
    cr_assert(fake.is_claimed);
    fake.is_claimed = false;
    fake.disables = fake.enables; /* also of what was claimed only */
}

static inline void fake_set_interval(uint32_t interval) {
    fake.interval = interval;
    fake.interval_calls++;
    if (fake.during_interval != NULL) {
        fake.during_interval();
    }
}

static inline enum hs_status fake_watch_exhaustion(bool is_wanted, int32_t *error) {
    if (fake.watch_status != HS_OK) {
        *error = 98;
        return (enum hs_status)fake.watch_status;
    }
    fake.is_watching = is_wanted;
    return HS_OK;
}

static inline void fake_force_collection(void) {
    fake.forced++;
    if (fake.ignores_forced > 0) {
        fake.ignores_forced--;
    } else {
        fake_collect();
    }
}

static const struct hs_ops FAKE_OPS = {
    .is_cleared = fake_is_cleared,
    .release = fake_release,
    .new_garbage = fake_new_garbage,
    .unused_heap = fake_unused_heap,
    .attach = fake_attach,
    .detach = fake_detach,
    .claim = fake_claim,
    .enable = fake_enable,
    .disable = fake_disable,
    .set_interval = fake_set_interval,
    .watch_exhaustion = fake_watch_exhaustion,
    .force_collection = fake_force_collection,
};

/* To be called first in each test: tests may share a process. */
static inline void fake_reset(void) {
    memset(&fake, 0, sizeof fake);
}

#endif
