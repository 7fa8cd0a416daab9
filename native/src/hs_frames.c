/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* The cache: sets of four lines, each guarded by a sequence number. Checked in all interleavings by
 * tests/model/frames.pml. */
#include "hs_frames.h"

#include <stdatomic.h>
#include <string.h>

#include "hs_hash.h"
#include "hs_mem.h"

enum { CACHE_SETS = 8192, CACHE_WAYS = 4 };

struct line {
    /* Written by the one writer that made it odd. Readers: acquire before, relaxed after the other
     * words, which they read with acquire so that the second read cannot come first. */
    _Atomic uint32_t sequence;
    _Atomic uint32_t bci_bits;
    _Atomic uintptr_t method;
    _Atomic uintptr_t version;
    _Atomic uint32_t id;
    _Atomic uint32_t epoch;
};

struct set {
    struct line lines[CACHE_WAYS];
    _Atomic uint32_t victim; /* relaxed: any value will do */
};

struct hs_frames {
    hs_intern *table;
    _Atomic uint32_t *raw_classes; /* [capacity + 1]; set once, relaxed: names are never freed */
    /* Two bits per frame; relaxed: whoever puts a frame sets them before handing the number on. */
    _Atomic uint64_t *origins;
    uint32_t capacity;
    struct set *sets;
};

enum { ORIGIN_SHIFT = 2, ORIGINS_PER_WORD = 32 };

_Static_assert(HS_FRAME_ORIGIN >> ORIGIN_SHIFT == 3, "the origin is two bits");

static size_t origin_words(uint32_t capacity) {
    return capacity / ORIGINS_PER_WORD + 1;
}

static uint32_t origin_shift(uint32_t id) {
    return 2 * (id % ORIGINS_PER_WORD);
}

enum hs_status hs_frames_new(uint32_t max_frames, hs_frames **result) {
    *result = NULL;
    hs_frames *frames = hs_mem_new(sizeof *frames);
    if (frames == NULL) {
        return HS_NO_MEMORY;
    }
    frames->capacity = max_frames;
    enum hs_status status = hs_intern_new(max_frames, &frames->table);
    if (status == HS_OK) {
        frames->raw_classes = hs_mem_new_array((size_t)max_frames + 1, sizeof *frames->raw_classes);
        frames->origins = hs_mem_new_array(origin_words(max_frames), sizeof *frames->origins);
        frames->sets = hs_mem_new_array(CACHE_SETS, sizeof *frames->sets);
        if (frames->raw_classes == NULL || frames->origins == NULL || frames->sets == NULL) {
            status = HS_NO_MEMORY;
        }
    }
    if (status != HS_OK) {
        hs_frames_free(frames);
        return status;
    }
    *result = frames;
    return HS_OK;
}

void hs_frames_free(hs_frames *frames) {
    if (frames == NULL) {
        return;
    }
    hs_mem_free(frames->sets, CACHE_SETS * sizeof *frames->sets);
    hs_mem_free(frames->origins, origin_words(frames->capacity) * sizeof *frames->origins);
    hs_mem_free(frames->raw_classes, ((size_t)frames->capacity + 1) * sizeof *frames->raw_classes);
    hs_intern_free(frames->table);
    hs_mem_free(frames, sizeof *frames);
}

static struct set *set_of(const hs_frames *frames, const struct hs_frame_key *key) {
    uint64_t hash = hs_hash_mix(hs_hash_word((uint64_t)key->method, (uint32_t)key->bci));
    return &frames->sets[hash % CACHE_SETS];
}

static uint32_t read_line(struct line *line, const struct hs_frame_key *key) {
    uint32_t before = atomic_load_explicit(&line->sequence, memory_order_acquire);
    uintptr_t method = atomic_load_explicit(&line->method, memory_order_acquire);
    uintptr_t version = atomic_load_explicit(&line->version, memory_order_acquire);
    uint32_t bci = atomic_load_explicit(&line->bci_bits, memory_order_acquire);
    uint32_t epoch = atomic_load_explicit(&line->epoch, memory_order_acquire);
    uint32_t id = atomic_load_explicit(&line->id, memory_order_acquire);
    uint32_t after = atomic_load_explicit(&line->sequence, memory_order_relaxed);
    bool is_whole = before == after && (before & 1) == 0;
    bool is_it = method == key->method && version == key->version && bci == (uint32_t)key->bci &&
                 epoch == key->epoch;
    return is_whole && is_it ? id : 0;
}

uint32_t hs_frames_find(const hs_frames *frames, const struct hs_frame_key *key) {
    struct set *set = set_of(frames, key);
    for (int i = 0; i < CACHE_WAYS; i++) {
        uint32_t id = read_line(&set->lines[i], key);
        if (id != 0) {
            return id;
        }
    }
    return 0;
}

static void write_line(struct line *line, const struct hs_frame_key *key, uint32_t id) {
    uint32_t sequence = atomic_load_explicit(&line->sequence, memory_order_relaxed);
    if ((sequence & 1) != 0 ||
        !atomic_compare_exchange_strong_explicit(&line->sequence, &sequence, sequence + 1,
                                                 memory_order_acq_rel, memory_order_relaxed)) {
        return;
    }
    /* Release stores: none may be seen before the odd number (the reader's acquire loads carry it),
     * and the even number comes last. */
    atomic_store_explicit(&line->method, key->method, memory_order_release);
    atomic_store_explicit(&line->version, key->version, memory_order_release);
    atomic_store_explicit(&line->bci_bits, (uint32_t)key->bci, memory_order_release);
    atomic_store_explicit(&line->epoch, key->epoch, memory_order_release);
    atomic_store_explicit(&line->id, id, memory_order_release);
    atomic_store_explicit(&line->sequence, sequence + 2, memory_order_release);
}

static void remember(hs_frames *frames, const struct hs_frame_key *key, uint32_t id) {
    struct set *set = set_of(frames, key);
    for (int i = 0; i < CACHE_WAYS; i++) {
        struct line *line = &set->lines[i];
        bool is_free = atomic_load_explicit(&line->id, memory_order_relaxed) == 0;
        bool is_old = atomic_load_explicit(&line->epoch, memory_order_relaxed) != key->epoch;
        if (is_free || is_old) {
            write_line(line, key, id);
            return;
        }
    }
    uint32_t victim = atomic_fetch_add_explicit(&set->victim, 1, memory_order_relaxed);
    write_line(&set->lines[victim % CACHE_WAYS], key, id);
}

void hs_frames_set_raw_class(hs_frames *frames, uint32_t id, uint32_t raw_class) {
    uint32_t none = 0;
    atomic_compare_exchange_strong_explicit(&frames->raw_classes[id], &none, raw_class,
                                            memory_order_relaxed, memory_order_relaxed);
}

enum hs_status hs_frames_add(hs_frames *frames, uint32_t limit, const struct hs_frame *frame,
                             uint32_t raw_class, uint32_t *id) {
    enum hs_status status = hs_intern_put_within(frames->table, limit, frame, sizeof *frame, id);
    if (status != HS_OK) {
        return status;
    }
    hs_frames_set_raw_class(frames, *id, raw_class);
    uint64_t origin = (frame->flags & HS_FRAME_ORIGIN) >> ORIGIN_SHIFT;
    if (origin != 0) {
        atomic_fetch_or_explicit(&frames->origins[*id / ORIGINS_PER_WORD],
                                 origin << origin_shift(*id), memory_order_relaxed);
    }
    return HS_OK;
}

enum hs_status hs_frames_put(hs_frames *frames, const struct hs_frame_key *key,
                             const struct hs_frame *frame, uint32_t raw_class, uint32_t *id) {
    enum hs_status status = hs_frames_add(frames, frames->capacity, frame, raw_class, id);
    if (status == HS_OK) {
        remember(frames, key, *id);
    }
    return status;
}

const struct hs_frame *hs_frames_get(const hs_frames *frames, uint32_t id) {
    uint32_t bytes;
    return hs_intern_key(frames->table, id, &bytes);
}

uint32_t hs_frames_origin(const hs_frames *frames, uint32_t id) {
    if (id > frames->capacity) {
        return 0;
    }
    uint64_t word =
        atomic_load_explicit(&frames->origins[id / ORIGINS_PER_WORD], memory_order_relaxed);
    return (uint32_t)(word >> origin_shift(id)) << ORIGIN_SHIFT & HS_FRAME_ORIGIN;
}

uint32_t hs_frames_raw_class(const hs_frames *frames, uint32_t id) {
    if (id == 0 || id > frames->capacity) {
        return 0;
    }
    return atomic_load_explicit(&frames->raw_classes[id], memory_order_relaxed);
}

uint32_t hs_frames_end(const hs_frames *frames) {
    return hs_intern_end(frames->table);
}

void hs_frames_forget(hs_frames *frames) {
    memset(frames->sets, 0, CACHE_SETS * sizeof *frames->sets);
}
