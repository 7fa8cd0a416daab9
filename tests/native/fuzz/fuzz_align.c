/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Problems of any size up to the largest, with few methods, so that much is possible: what is settled
 * lies within the frames, in order, and is what its item can stand for. */
#define PLAIN_WITHOUT_MAIN
#include <criterion/criterion.h>

#include "hs_align.h"

enum { METHODS = 4, PLACES = 4, MAX_RUN = 32 };

struct input {
    const uint8_t *data;
    size_t left;
};

static uint32_t take(struct input *input) {
    if (input->left == 0) {
        return 0;
    }
    input->left--;
    return *input->data++;
}

/* Up to `max`; mostly as many as there are bytes for. */
static uint32_t take_count(struct input *input, uint32_t max) {
    uint32_t high = take(input);
    return (high << 8 | take(input)) % (max + 1);
}

static struct hs_java_frame frames[HS_ALIGN_MAX];
static uintptr_t methods[HS_ALIGN_MAX];
static struct hs_align_item items[HS_ALIGN_MAX];
static struct hs_java_frame runs[HS_ALIGN_MAX][MAX_RUN];
static struct hs_span spans[HS_ALIGN_MAX];
static struct hs_align scratch;

static void take_frame(struct input *input, uint32_t i) {
    uint32_t byte = take(input);
    methods[i] = 8 * (1 + byte % METHODS);
    frames[i] = (struct hs_java_frame){.method_id = 1000 + methods[i],
                                       .bci = (int32_t)(byte / METHODS % PLACES)};
}

/* Known to stand for some of the frames, or for a run of which the input says all; or not known. */
static void take_item(struct input *input, uint32_t i, uint32_t frame_count) {
    uint32_t byte = take(input);
    items[i] =
        (struct hs_align_item){.root = 8 * (1 + byte % METHODS), .is_single = (byte & 16) != 0};
    if ((byte & 32) != 0 && frame_count > 0) {
        uint32_t from = take_count(input, frame_count - 1);
        uint32_t count = 1 + take(input) % MAX_RUN;
        count = count < frame_count - from ? count : frame_count - from;
        memcpy(runs[i], &frames[from], count * sizeof runs[i][0]);
        if ((byte & 64) != 0) {
            runs[i][count - 1].bci++;
        }
        items[i].run = runs[i];
        items[i].count = items[i].is_single ? 1 : count;
    }
}

static void check_span(const struct hs_align_item *item, struct hs_span span) {
    uint32_t count = span.end - span.begin;
    if (item->count > 0) {
        cr_assert_eq(count, item->count);
        for (uint32_t i = 0; i < count; i++) {
            cr_assert_eq(frames[span.begin + i].method_id, item->run[i].method_id);
            cr_assert_eq(frames[span.begin + i].bci, item->run[i].bci);
        }
        return;
    }
    cr_assert(!item->is_single || count == 1);
    cr_assert_eq(methods[span.end - 1], item->root);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct input input = {data, size};
    uint32_t flags = take(&input);
    struct hs_align_problem problem = {
        .items = items,
        .item_count = take_count(&input, HS_ALIGN_MAX),
        .items_are_cut = (flags & 1) != 0,
        .frames = frames,
        .methods = methods,
        .frame_count = take_count(&input, HS_ALIGN_MAX),
        .frames_are_cut = (flags & 2) != 0,
    };
    for (uint32_t i = 0; i < problem.frame_count; i++) {
        take_frame(&input, i);
    }
    for (uint32_t i = 0; i < problem.item_count; i++) {
        take_item(&input, i, problem.frame_count);
    }
    bool fits = hs_align(&scratch, &problem, spans);
    uint32_t reached = 0;
    for (uint32_t i = 0; i < problem.item_count; i++) {
        struct hs_span span = spans[i];
        if (span.end == 0) {
            continue;
        }
        cr_assert(fits, "settled, though nothing fits");
        cr_assert_leq(reached, span.begin);
        cr_assert_lt(span.begin, span.end);
        cr_assert_leq(span.end, problem.frame_count);
        check_span(&items[i], span);
        reached = span.end;
    }
    return 0;
}
