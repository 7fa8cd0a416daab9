/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Ids first, then states: a search looks at one line of memory. */
#include "hs_label_map.h"

#include "hs_hash.h"
#include "hs_mem.h"

struct bucket {
    _Atomic int64_t threads[HS_LABEL_PLACES]; /* 0: free; BUSY: its state is being written */
    _Atomic uint64_t states[HS_LABEL_PLACES];
};

/* The bit that no id has. */
#define BUSY INT64_MIN

enum { LEVEL_BITS_FIRST = 9, LEVEL_BITS_STEP = 4, TRIES = 8 };

static const uint32_t BUCKETS[HS_LABEL_LEVELS] = {
    UINT32_C(1) << LEVEL_BITS_FIRST,
    UINT32_C(1) << (LEVEL_BITS_FIRST + LEVEL_BITS_STEP),
    UINT32_C(1) << (LEVEL_BITS_FIRST + 2 * LEVEL_BITS_STEP),
};

/* Set once, by compare-and-swap: release, acquire, so that a thread sees its zeros. */
static _Atomic(struct bucket *) levels[HS_LABEL_LEVELS];

_Atomic bool hs_label_map_has_any;

/* A place that the running thread looks at. */
struct place {
    _Atomic int64_t *thread;
    _Atomic uint64_t *state;
};

static struct place place_at(struct bucket *bucket, uint32_t i) {
    return (struct place){&bucket->threads[i], &bucket->states[i]};
}

/* NULL where the level has not been made. */
static struct bucket *bucket_at(int level, uint64_t hash) {
    struct bucket *buckets = atomic_load_explicit(&levels[level], memory_order_acquire);
    return buckets == NULL ? NULL : &buckets[hash & (BUCKETS[level] - 1)];
}

static uint64_t hash_of(int64_t java_thread) {
    return hs_hash_mix((uint64_t)java_thread);
}

/* NULL without memory. */
static struct bucket *need_bucket(int level, uint64_t hash) {
    struct bucket *bucket = bucket_at(level, hash);
    if (bucket != NULL) {
        return bucket;
    }
    size_t bytes = BUCKETS[level] * sizeof(struct bucket);
    struct bucket *none = NULL;
    struct bucket *fresh = hs_mem_new(bytes);
    if (fresh != NULL &&
        !atomic_compare_exchange_strong_explicit(&levels[level], &none, fresh, memory_order_release,
                                                 memory_order_relaxed)) {
        hs_mem_free(fresh, bytes);
    }
    return bucket_at(level, hash);
}

/* The place of the running thread. */
static bool find(int64_t java_thread, struct place *place) {
    uint64_t hash = hash_of(java_thread);
    for (int level = 0; level < HS_LABEL_LEVELS; level++) {
        struct bucket *bucket = bucket_at(level, hash);
        for (uint32_t i = 0; bucket != NULL && i < HS_LABEL_PLACES; i++) {
            if (atomic_load_explicit(&bucket->threads[i], memory_order_relaxed) == java_thread) {
                *place = place_at(bucket, i);
                return true;
            }
        }
    }
    return false;
}

/* Writes the state, if the place has the id `from`, and makes it that of `java_thread`. Acquire: an owner before has
 * stored its last state. Release: a thread that takes the place next stores its own after this one. */
static bool set(struct place place, int64_t from, int64_t java_thread, uint64_t state) {
    if (!atomic_compare_exchange_strong_explicit(place.thread, &from, java_thread | BUSY,
                                                 memory_order_acq_rel, memory_order_relaxed)) {
        return false;
    }
    atomic_store_explicit(place.state, state, memory_order_release);
    atomic_store_explicit(place.thread, java_thread, memory_order_release);
    return true;
}

static bool take_free(struct bucket *bucket, int64_t java_thread, uint64_t state) {
    for (uint32_t i = 0; i < HS_LABEL_PLACES; i++) {
        if (atomic_load_explicit(&bucket->threads[i], memory_order_relaxed) == 0 &&
            set(place_at(bucket, i), 0, java_thread, state)) {
            return true;
        }
    }
    return false;
}

/* Of the places in its buckets, one by chance: ids, which follow each other, have unrelated hashes. A place that is BUSY
 * is passed over. `made`: how many levels there are. */
static void displace(int64_t java_thread, uint64_t state, uint64_t made) {
    uint64_t hash = hash_of(java_thread);
    uint64_t random = hs_hash_mix(hash);
    for (int i = 0; i < TRIES && made > 0; i++, random = hs_hash_mix(random + 1)) {
        struct bucket *bucket = bucket_at((int)(random % made), hash);
        struct place place = place_at(bucket, (uint32_t)(random >> 32) % HS_LABEL_PLACES);
        int64_t found = atomic_load_explicit(place.thread, memory_order_relaxed);
        if (found >= 0 && set(place, found, java_thread, state)) {
            return;
        }
    }
}

/* False: another thread has lost its place, or this one has found none. */
static bool add(int64_t java_thread, uint64_t state) {
    uint64_t hash = hash_of(java_thread);
    if (!hs_label_map_is_used()) { /* not each time: all samples read it */
        atomic_store_explicit(&hs_label_map_has_any, true, memory_order_relaxed);
    }
    int level = 0;
    for (; level < HS_LABEL_LEVELS; level++) {
        struct bucket *bucket = need_bucket(level, hash);
        if (bucket == NULL) {
            break;
        }
        if (take_free(bucket, java_thread, state)) {
            return true;
        }
    }
    displace(java_thread, state, (uint64_t)level);
    return false;
}

uint64_t hs_label_map_state(int64_t java_thread) {
    struct place place;
    if (!find(java_thread, &place)) {
        return 0;
    }
    /* Acquire: with a state of another thread comes its id. */
    uint64_t state = atomic_load_explicit(place.state, memory_order_acquire);
    bool is_mine = atomic_load_explicit(place.thread, memory_order_relaxed) == java_thread;
    return is_mine ? state : 0;
}

uint64_t hs_label_map_open(int64_t java_thread, uint64_t word, bool *is_lost) {
    struct place place;
    *is_lost = false;
    if (java_thread <= 0) {
        return 0;
    }
    uint64_t previous = hs_label_map_state(java_thread);
    bool is_changed = previous != 0 && find(java_thread, &place) &&
                      set(place, java_thread, java_thread, hs_label_opened(previous, word));
    if (!is_changed) {
        previous = 0; /* there was none, or it has been lost */
        *is_lost = !add(java_thread, hs_label_opened(0, word));
    }
    return previous;
}

void hs_label_map_close(int64_t java_thread, uint64_t previous) {
    struct place place;
    if (!find(java_thread, &place)) {
        return;
    }
    uint64_t state = atomic_load_explicit(place.state, memory_order_relaxed);
    uint64_t closed = hs_label_closed(state, previous);
    if (closed == 0) {
        /* Release: as in set. */
        atomic_compare_exchange_strong_explicit(place.thread, &java_thread, 0, memory_order_release,
                                                memory_order_relaxed);
    } else if (closed != state) {
        (void)set(place, java_thread, java_thread, closed);
    }
}

#ifdef HS_CHECKS
uint32_t hs_label_map_count(void) {
    uint32_t count = 0;
    for (int level = 0; level < HS_LABEL_LEVELS; level++) {
        struct bucket *buckets = atomic_load_explicit(&levels[level], memory_order_acquire);
        for (uint32_t i = 0; buckets != NULL && i < BUCKETS[level] * HS_LABEL_PLACES; i++) {
            count += buckets[i / HS_LABEL_PLACES].threads[i % HS_LABEL_PLACES] != 0;
        }
    }
    return count;
}

size_t hs_label_map_bytes(void) {
    size_t bytes = 0;
    for (int level = 0; level < HS_LABEL_LEVELS; level++) {
        bool is_made = atomic_load_explicit(&levels[level], memory_order_acquire) != NULL;
        bytes += is_made ? BUCKETS[level] * sizeof(struct bucket) : 0;
    }
    return bytes;
}
#endif
