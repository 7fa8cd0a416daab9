/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Choice: which way a search for holders takes, by the heap, the collector and what the caller allows (doc/holders.md).
 * Pure: it looks at nothing but its arguments. */
#ifndef HS_CHOICE_H
#define HS_CHOICE_H

#include "hs_epochs.h"
#include "hs_trace.h"

enum hs_holders_way { HS_WAY_NONE, HS_WAY_ONE_STOP, HS_WAY_CHILD, HS_WAY_PASSES };

/* What the caller allows; all are above 0. */
struct hs_holders_limits {
    int64_t pause_us; /* each stop of the application */
    int64_t time_us;  /* the whole call */
    uint64_t memory;  /* native bytes besides what the process has, a child's included */
    uint32_t ways;    /* bits 1 << hs_holders_way; 0: all */
};

/* What the choice rests on, as the VM's part finds it. */
struct hs_holders_heap {
    const char *why_not; /* no walk is possible: the reason; NULL: it is */
    enum hs_collector collector;
    uint32_t feature;          /* Java feature version */
    uint64_t used;             /* bytes of the heap */
    bool is_copied;            /* a child has a copy of it */
    bool has_passes;           /* the VM's part can walk in short passes; the caller's */
    bool has_tags_alone;       /* the walk does not know objects by addresses; the caller's */
    uint64_t room;             /* bytes that the process and a child may take more */
    struct hs_trace_size size; /* `targets` is the caller's */
    const struct hs_class_facts *facts; /* the VM's part owns them */
};

/* Why ways are not taken: a line of ASCII, which grows. */
enum { HS_REASON_BYTES = 160 };
void hs_reason_add(char reason[HS_REASON_BYTES], const char *text);

/* The first way that is possible: one stop, a child, short passes; HS_WAY_NONE: there is none. `*memory`: what the graph,
 * its tags and the search may take. Adds why the ways before it are not possible, with figures; nothing of those that the
 * limits exclude. Thread: Any. */
enum hs_holders_way hs_choose(const struct hs_holders_limits *limits,
                              const struct hs_holders_heap *heap, uint64_t *memory,
                              char reason[HS_REASON_BYTES]);

/* The same for short passes alone. */
bool hs_choice_may_pass(const struct hs_holders_limits *limits, const struct hs_holders_heap *heap,
                        uint64_t *memory, char reason[HS_REASON_BYTES]);

/* Short passes would be possible if they did not take longer than the limits allow. */
bool hs_choice_is_too_slow(const struct hs_holders_limits *limits,
                           const struct hs_holders_heap *heap);

/* How long one stop would take, in microseconds; what the VM itself does at the end of each short pass, and how long a pass is
 * at least where that is half of it; and how much memory the graph, its tags and the search may take in the worst case.
 * Thread: Any. */
int64_t hs_choice_stop_us(const struct hs_holders_heap *heap);
int64_t hs_choice_tail_us(const struct hs_holders_heap *heap);
int64_t hs_choice_pass_us(const struct hs_holders_heap *heap);
uint64_t hs_choice_bytes(const struct hs_holders_heap *heap);

/* The VM's table of tags grows, in one step of more than 10 ms, with the tag of this number; 0: not known. Thread: Any. */
uint32_t hs_choice_table_grows_at(const struct hs_holders_heap *heap);

#endif
