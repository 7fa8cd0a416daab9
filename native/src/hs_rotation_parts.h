/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Rotation, inside: what its files share. */
#ifndef HS_ROTATION_PARTS_H
#define HS_ROTATION_PARTS_H

#include "hs_rotation.h"

/* How much of each new table may be used, in sixteenths, before what is moved gets less room: live objects and large
 * sites; learned code; all others; stacks of 4 frames; classes alone. Rotation begins above 12 sixteenths, so what is moved
 * does not cause the next one. */
enum { WANTED = 8, LEARNED = 2, OTHERS = 4, SHORTENED = 8, ALONE = 11, WHOLE = 16 };

struct hs_move;

/* What sites and threads have in common. */
struct hs_move_kind {
    uint32_t *map; /* NULL: their tables are shared, and nothing is to be moved */
    uint32_t end;  /* of the old numbers */
    uint32_t capacity;
    uint32_t generation; /* the new one */
    enum hs_status (*put)(const struct hs_move *move, uint32_t id, uint32_t part, uint32_t *mapped);
    bool is_threads;
};

struct hs_move {
    struct hs_store *to;
    const struct hs_store *from;
    struct hs_recording *const *recordings;
    struct hs_move_kind sites;
    struct hs_move_kind threads;
    bool is_last;    /* what finds no memory goes to "(other)": reserve_others */
    bool has_failed; /* without memory */
};

static inline uint32_t hs_rotation_share(uint32_t capacity, uint32_t part) {
    return (uint32_t)((uint64_t)capacity * part / WHOLE);
}

static inline uint32_t hs_rotation_limit(const hs_intern *table, uint32_t part) {
    return hs_rotation_share(hs_intern_capacity(table), part);
}

/* The new number of an old name, frame, stack or set of labels, of which `part` sixteenths of the new table may be used.
 * Fail: HS_FULL, HS_NO_MEMORY. */
enum hs_status hs_rotation_move_name(const struct hs_move *move, struct hs_name_id id,
                                     uint32_t part, struct hs_name_id *result);
enum hs_status hs_rotation_move_frame(const struct hs_move *move, struct hs_frame_id id,
                                      uint32_t part, struct hs_frame_id *result);
enum hs_status hs_rotation_move_label(const struct hs_move *move, struct hs_label_id id,
                                      uint32_t part, struct hs_label_id *result);

/* The same for the first `most` frames of a stack, with the mark if there are more. */
enum hs_status hs_rotation_move_stack(const struct hs_move *move, struct hs_stack_id id,
                                      uint32_t most, uint32_t part, struct hs_stack_id *result);

#endif
