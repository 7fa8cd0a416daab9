/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

#include "hs_frames.h"

#include <stdatomic.h>

#include "hs_mem.h"

struct hs_frames {
    hs_intern *table; /* notes are raw classes */
    /* Two bits per frame; relaxed: the thread that puts a frame sets them before it hands the number on. */
    _Atomic uint64_t *origins;
    uint32_t capacity;
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
        frames->origins = hs_mem_new_array(origin_words(max_frames), sizeof *frames->origins);
        status = frames->origins == NULL ? HS_NO_MEMORY : HS_OK;
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
    hs_mem_free(frames->origins, origin_words(frames->capacity) * sizeof *frames->origins);
    hs_intern_free(frames->table);
    hs_mem_free(frames, sizeof *frames);
}

void hs_frames_set_raw_class(hs_frames *frames, struct hs_frame_id id,
                             struct hs_name_id raw_class) {
    hs_intern_note(frames->table, id.number, raw_class.number);
}

/* Set before the number is handed on, and never changed: most frames are known, and have it. */
static void note_origin(hs_frames *frames, struct hs_frame_id id, uint32_t flags) {
    if (hs_frames_origin(frames, id) != (flags & HS_FRAME_ORIGIN)) {
        uint64_t origin = (flags & HS_FRAME_ORIGIN) >> ORIGIN_SHIFT;
        atomic_fetch_or_explicit(&frames->origins[id.number / ORIGINS_PER_WORD],
                                 origin << origin_shift(id.number), memory_order_relaxed);
    }
}

enum hs_status hs_frames_put_within(hs_frames *frames, uint32_t limit, const struct hs_frame *frame,
                                    struct hs_name_id raw_class, struct hs_frame_id *id) {
    enum hs_status status =
        hs_intern_put_within(frames->table, limit, frame, sizeof *frame, &id->number);
    if (status == HS_OK) {
        hs_frames_set_raw_class(frames, *id, raw_class);
        note_origin(frames, *id, frame->flags);
    }
    return status;
}

enum hs_status hs_frames_put(hs_frames *frames, const struct hs_frame *frame,
                             struct hs_name_id raw_class, struct hs_frame_id *id) {
    return hs_frames_put_within(frames, frames->capacity, frame, raw_class, id);
}

const struct hs_frame *hs_frames_get(const hs_frames *frames, struct hs_frame_id id) {
    uint32_t bytes;
    return hs_intern_key(frames->table, id.number, &bytes);
}

uint32_t hs_frames_origin(const hs_frames *frames, struct hs_frame_id id) {
    if (id.number > frames->capacity) {
        return 0;
    }
    uint64_t word =
        atomic_load_explicit(&frames->origins[id.number / ORIGINS_PER_WORD], memory_order_relaxed);
    return (uint32_t)(word >> origin_shift(id.number)) << ORIGIN_SHIFT & HS_FRAME_ORIGIN;
}

struct hs_name_id hs_frames_raw_class(const hs_frames *frames, struct hs_frame_id id) {
    return (struct hs_name_id){hs_intern_noted(frames->table, id.number)};
}

uint32_t hs_frames_end(const hs_frames *frames) {
    return hs_intern_end(frames->table);
}

#ifdef HS_CHECKS
static bool are_names(const struct hs_frame *frame, struct hs_name_id raw_class,
                      uint32_t names_end) {
    return frame->class_name.number < names_end && frame->method.number < names_end &&
           frame->descriptor.number < names_end && frame->file.number < names_end &&
           raw_class.number < names_end;
}

bool hs_frames_is_valid(const hs_frames *frames, uint32_t names_end) {
    for (uint32_t i = 1; i <= frames->capacity; i++) {
        struct hs_frame_id id = {i};
        const struct hs_frame *frame = hs_frames_get(frames, id);
        struct hs_name_id raw_class = hs_frames_raw_class(frames, id);
        uint32_t origin = hs_frames_origin(frames, id);
        bool is_valid = frame == NULL ? raw_class.number == 0 && origin == 0
                                      : are_names(frame, raw_class, names_end) &&
                                            origin == (frame->flags & HS_FRAME_ORIGIN);
        if (!is_valid) {
            return false;
        }
    }
    return hs_intern_is_valid(frames->table);
}
#endif
