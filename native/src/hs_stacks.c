/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_stacks.h"

#include <string.h>

#include "hs_check.h"

/* How many frames a shortened stack may keep, and from which share of the table on. */
static const struct {
    uint32_t frames;
    uint32_t reserve; /* one id in this many is for shorter ones */
} SHORTENED[] = {{16, 16}, {4, 0}};

enum { SHORTEST = sizeof SHORTENED / sizeof SHORTENED[0], MOST_KEPT = 16, RESERVE = 8 };

static uint32_t limit(struct hs_stacks stacks, uint32_t reserve) {
    uint32_t capacity = hs_intern_capacity(stacks.table);
    return reserve == 0 ? capacity : capacity - capacity / reserve;
}

enum hs_status hs_stacks_new(uint32_t max_stacks, struct hs_stacks *result) {
    static const struct hs_frame_id UNKNOWN = {HS_STACK_CUT};
    struct hs_stack_id id = {0};
    enum hs_status status = hs_intern_new(max_stacks, &result->table);
    if (status == HS_OK) {
        status = hs_stacks_put(*result, &UNKNOWN, 1, &id);
        HS_DCHECK(status != HS_OK || id.number == HS_STACK_UNKNOWN);
    }
    if (status != HS_OK) {
        hs_intern_free(result->table);
        result->table = NULL;
    }
    return status;
}

/* The first `kept` frames and the cut mark. */
static enum hs_status put_shortened(struct hs_stacks stacks, const struct hs_frame_id *frames,
                                    uint32_t kept, uint32_t reserve, struct hs_stack_id *id) {
    struct hs_frame_id shortened[MOST_KEPT + 1];
    memcpy(shortened, frames, kept * sizeof *frames);
    shortened[kept].number = HS_STACK_CUT;
    return hs_intern_put_within(stacks.table, limit(stacks, reserve), shortened,
                                (kept + 1) * (uint32_t)sizeof *frames, &id->number);
}

enum hs_status hs_stacks_put_what_fits(struct hs_stacks stacks, const struct hs_frame_id *frames,
                                       uint32_t count, struct hs_stack_id *id, bool *is_whole) {
    HS_DCHECK(count <= HS_MAX_DEPTH + 1);
    enum hs_status status = hs_intern_put_within(stacks.table, limit(stacks, RESERVE), frames,
                                                 count * (uint32_t)sizeof *frames, &id->number);
    *is_whole = status == HS_OK;
    for (int i = 0; i < SHORTEST && status == HS_FULL; i++) {
        if (count > SHORTENED[i].frames) {
            status = put_shortened(stacks, frames, SHORTENED[i].frames, SHORTENED[i].reserve, id);
        }
    }
    if (status == HS_FULL) {
        id->number = HS_STACK_UNKNOWN;
        status = HS_OK;
    }
    return status;
}

#ifdef HS_CHECKS
static bool is_stack_valid(const struct hs_frame_id *frames, uint32_t count, uint32_t frames_end) {
    for (uint32_t i = 0; i < count; i++) {
        bool is_mark = frames[i].number == HS_STACK_CUT && i == count - 1;
        if (!is_mark && (frames[i].number == 0 || frames[i].number >= frames_end)) {
            return false;
        }
    }
    return count <= HS_MAX_DEPTH + 1;
}

bool hs_stacks_is_valid(struct hs_stacks stacks, uint32_t frames_end) {
    for (uint32_t id = 1; id < hs_intern_end(stacks.table); id++) {
        uint32_t count;
        uint32_t bytes;
        const struct hs_frame_id *frames = hs_stacks_get(stacks, (struct hs_stack_id){id}, &count);
        (void)hs_intern_key(stacks.table, id, &bytes);
        bool is_there = frames != NULL || id != HS_STACK_UNKNOWN;
        if (!is_there || bytes % sizeof *frames != 0 ||
            (frames != NULL && !is_stack_valid(frames, count, frames_end)) ||
            (id == HS_STACK_UNKNOWN && (count != 1 || frames[0].number != HS_STACK_CUT))) {
            return false;
        }
    }
    return hs_intern_is_valid(stacks.table);
}
#endif
