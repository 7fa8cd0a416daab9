/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_choice.h"

#include <stdio.h>
#include <string.h>

#include "hs_passes.h"

#define MIB ((uint64_t)1 << 20)

/* In this process the graph may not take what the sampler needs. */
#define MOST_IN_PROCESS (128 * MIB)
#define LEAST_IN_CHILD  (16 * MIB)

/* Before this JDK the VM marks visited objects in the objects, and each walk ends with a look at all objects (JDK-8283710). */
enum { FIRST_JDK_WITH_BIT_SET = 19, FIRST_JDK_WITH_SLOW_TAGS = 21 };

/* From 76,831 places to 1,228,891: measured on 17, and on 21 and 25. */
enum { OLD_TABLE_GROWS_AT = 5 * 76831 + 1, TABLE_GROWS_AT = 6 * 76831 };

/* Of the room that the system leaves, in percent: it changes meanwhile. */
enum { ROOM_SHARE = 80 };

/* Measured on heaps of small objects, the worst shape: doc/holders.md. */
int64_t hs_choice_stop_us(const struct hs_holders_heap *heap) {
    uint64_t ns_per_byte = 6; /* objects are known by their addresses */
    if (hs_is_z(heap->collector)) {
        ns_per_byte = 24;
    } else if (heap->has_tags_alone || !hs_moves_in_pauses(heap->collector)) {
        ns_per_byte = heap->feature >= FIRST_JDK_WITH_SLOW_TAGS ? 12 : 8;
    }
    return (int64_t)(heap->used * ns_per_byte / 1000);
}

int64_t hs_choice_tail_us(const struct hs_holders_heap *heap) {
    if (heap->feature >= FIRST_JDK_WITH_BIT_SET) {
        return 0;
    }
    uint64_t bytes_per_us = hs_is_z(heap->collector) ? 1000 : 5000;
    return (int64_t)(heap->used / bytes_per_us);
}

int64_t hs_choice_pass_us(const struct hs_holders_heap *heap) {
    return 2 * hs_choice_tail_us(heap);
}

/* Twice the heap where its objects are the smallest. */
uint64_t hs_choice_bytes(const struct hs_holders_heap *heap) {
    return 2 * heap->used + LEAST_IN_CHILD;
}

uint32_t hs_choice_table_grows_at(const struct hs_holders_heap *heap) {
    if (heap->feature == 0) {
        return 0;
    }
    return heap->feature < FIRST_JDK_WITH_SLOW_TAGS ? OLD_TABLE_GROWS_AT : TABLE_GROWS_AT;
}

void hs_reason_add(char reason[HS_REASON_BYTES], const char *text) {
    size_t length = strlen(reason);
    (void)snprintf(reason + length, HS_REASON_BYTES - length, "%s%s", length == 0 ? "" : "; ",
                   text);
}

static void add_pause(char reason[HS_REASON_BYTES], const char *way, int64_t estimate_us,
                      const struct hs_holders_limits *limits) {
    char text[100];
    (void)snprintf(text, sizeof text, "%s: about %lld ms, %lld ms allowed", way,
                   (long long)(estimate_us / 1000), (long long)(limits->pause_us / 1000));
    hs_reason_add(reason, text);
}

static bool is_allowed(const struct hs_holders_limits *limits, enum hs_holders_way way) {
    return limits->ways == 0 || (limits->ways >> way & 1) != 0;
}

static uint64_t least(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

/* A share of what the system leaves. */
static uint64_t room_of(const struct hs_holders_heap *heap) {
    return heap->room == UINT64_MAX ? UINT64_MAX : heap->room / 100 * ROOM_SHARE;
}

static uint64_t memory_here(const struct hs_holders_limits *limits,
                            const struct hs_holders_heap *heap) {
    return least(least(limits->memory, MOST_IN_PROCESS), room_of(heap));
}

static bool may_stop(const struct hs_holders_limits *limits, const struct hs_holders_heap *heap,
                     uint64_t *memory, char reason[HS_REASON_BYTES]) {
    if (!is_allowed(limits, HS_WAY_ONE_STOP)) {
        return false;
    }
    int64_t estimate = hs_choice_stop_us(heap);
    if (estimate > limits->pause_us) {
        add_pause(reason, "one stop", estimate, limits);
        return false;
    }
    *memory = memory_here(limits, heap);
    return true;
}

/* Below that no graph is worth a fork. */
static uint64_t least_graph(const struct hs_holders_heap *heap) {
    uint64_t part = hs_choice_bytes(heap) / 8;
    return part > LEAST_IN_CHILD ? part : LEAST_IN_CHILD;
}

/* Pages of the heap that are copied at least: the walk writes to each object that it finds, but not to garbage, which counts as
 * used. So newer JDKs get a child for a quarter (doc/holders.md). */
static uint64_t least_copied(const struct hs_holders_heap *heap) {
    return heap->feature < FIRST_JDK_WITH_BIT_SET ? heap->used : heap->used / 4;
}

/* What the graph gets where a child is possible: all that the copy of the whole heap leaves, and the least that is worth it where
 * that is less. So it is never less where more is allowed. */
static uint64_t graph_in_child(const struct hs_holders_heap *heap, uint64_t allowed) {
    uint64_t left = allowed > heap->used ? allowed - heap->used : 0;
    return left > least_graph(heap) ? left : least_graph(heap);
}

static bool may_fork(const struct hs_holders_limits *limits, const struct hs_holders_heap *heap,
                     uint64_t *memory, char reason[HS_REASON_BYTES]) {
    char text[100];
    if (!is_allowed(limits, HS_WAY_CHILD)) {
        return false;
    }
    if (!heap->is_copied) {
        hs_reason_add(reason, "child: it would share the heap");
        return false;
    }
    uint64_t room = room_of(heap);
    uint64_t allowed = least(limits->memory, room);
    uint64_t needed = least_copied(heap) + least_graph(heap);
    if (allowed < needed) {
        (void)snprintf(text, sizeof text, "child: %llu MiB needed, %llu allowed, %llu free",
                       (unsigned long long)(needed / MIB),
                       (unsigned long long)(limits->memory / MIB),
                       (unsigned long long)(room / MIB));
        hs_reason_add(reason, text);
        return false;
    }
    *memory = graph_in_child(heap, allowed);
    return true;
}

bool hs_choice_is_too_slow(const struct hs_holders_limits *limits,
                           const struct hs_holders_heap *heap) {
    return is_allowed(limits, HS_WAY_PASSES) && heap->has_passes && heap->why_not == NULL &&
           hs_choice_tail_us(heap) > hs_passes_most_tail_us(limits->pause_us);
}

bool hs_choice_may_pass(const struct hs_holders_limits *limits, const struct hs_holders_heap *heap,
                        uint64_t *memory, char reason[HS_REASON_BYTES]) {
    if (!is_allowed(limits, HS_WAY_PASSES)) {
        return false;
    }
    if (!heap->has_passes) {
        hs_reason_add(reason, "short passes: not in this VM");
        return false;
    }
    if (hs_choice_is_too_slow(limits, heap)) {
        add_pause(reason, "each short pass", hs_choice_pass_us(heap), limits);
        return false;
    }
    *memory = memory_here(limits, heap);
    return true;
}

enum hs_holders_way hs_choose(const struct hs_holders_limits *limits,
                              const struct hs_holders_heap *heap, uint64_t *memory,
                              char reason[HS_REASON_BYTES]) {
    if (heap->why_not != NULL) {
        hs_reason_add(reason, heap->why_not);
        return HS_WAY_NONE;
    }
    if (may_stop(limits, heap, memory, reason)) {
        return HS_WAY_ONE_STOP;
    }
    if (may_fork(limits, heap, memory, reason)) {
        return HS_WAY_CHILD;
    }
    return hs_choice_may_pass(limits, heap, memory, reason) ? HS_WAY_PASSES : HS_WAY_NONE;
}
