/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* The part of a rotation that moves names, frames, stacks and labels: by content, when something refers to them. */
#include "hs_rotation_parts.h"

enum hs_status hs_rotation_move_name(const struct hs_move *move, struct hs_name_id id,
                                     uint32_t part, struct hs_name_id *result) {
    uint32_t bytes;
    const char *text = hs_names_text(move->from->names, id, &bytes);
    return hs_names_put_within(move->to->names, hs_rotation_limit(move->to->names.table, part),
                               text, bytes, result);
}

static enum hs_status move_names_of(const struct hs_move *move, const struct hs_frame *frame,
                                    uint32_t part, struct hs_frame *result) {
    *result = *frame;
    enum hs_status status =
        hs_rotation_move_name(move, frame->class_name, part, &result->class_name);
    if (status == HS_OK) {
        status = hs_rotation_move_name(move, frame->method, part, &result->method);
    }
    if (status == HS_OK) {
        status = hs_rotation_move_name(move, frame->descriptor, part, &result->descriptor);
    }
    return status == HS_OK ? hs_rotation_move_name(move, frame->file, part, &result->file) : status;
}

enum hs_status hs_rotation_move_frame(const struct hs_move *move, struct hs_frame_id id,
                                      uint32_t part, struct hs_frame_id *result) {
    const struct hs_frame *frame = hs_frames_get(move->from->frames, id);
    if (frame == NULL) {
        return HS_FULL;
    }
    result->number = move->to->maps.frames[id.number];
    if (result->number != 0) {
        return HS_OK;
    }
    struct hs_frame moved;
    struct hs_name_id raw = {0};
    enum hs_status status = move_names_of(move, frame, part, &moved);
    if (status == HS_OK) {
        (void)hs_rotation_move_name(move, hs_frames_raw_class(move->from->frames, id), part, &raw);
        status = hs_frames_put_within(
            move->to->frames, hs_rotation_share(move->to->limits.names, part), &moved, raw, result);
    }
    move->to->maps.frames[id.number] = status == HS_OK ? result->number : 0;
    return status;
}

enum hs_status hs_rotation_move_stack(const struct hs_move *move, struct hs_stack_id id,
                                      uint32_t most, uint32_t part, struct hs_stack_id *result) {
    struct hs_frame_id frames[HS_MAX_DEPTH + 1];
    uint32_t count;
    const struct hs_frame_id *old = hs_stacks_get(move->from->stacks, id, &count);
    uint32_t end = count < most ? count : most;
    if (old == NULL) {
        return HS_FULL;
    }
    for (uint32_t i = 0; i < end; i++) {
        frames[i].number = HS_STACK_CUT;
        enum hs_status status = old[i].number == HS_STACK_CUT
                                    ? HS_OK
                                    : hs_rotation_move_frame(move, old[i], part, &frames[i]);
        if (status != HS_OK) {
            return status;
        }
    }
    if (end < count) {
        frames[end++].number = HS_STACK_CUT;
    }
    return hs_intern_put_within(move->to->stacks.table,
                                hs_rotation_limit(move->to->stacks.table, part), frames,
                                end * (uint32_t)sizeof *frames, &result->number);
}

enum hs_status hs_rotation_move_label(const struct hs_move *move, struct hs_label_id id,
                                      uint32_t part, struct hs_label_id *result) {
    uint32_t bytes;
    const char *text = hs_labels_get(move->from->labels, id, &bytes);
    *result = id;
    return id.number <= HS_LABEL_OTHER
               ? HS_OK
               : hs_labels_put_within(move->to->labels, part, text, bytes, result);
}
