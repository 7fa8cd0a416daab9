/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Holders: which references keep sampled objects alive, found by one of three ways (doc/holders.md):
 *
 *   in one stop      the walk, and the graph, in this process: for small heaps
 *   in a child       the same in a fork, whose copy of the heap does not change: the application stops for the fork
 *   in short passes  part by part in this process, each in a pause of its own: where there can be no child
 *
 * The sequence of each is here, the choice in hs_choice.h. Where the system refuses the fork, short passes follow; after a
 * stop that ended unfinished, the caller tries another way. The VM's
 * part is a table of functions. Targets have the numbers from 0 on. Their paths cross from the child as bytes; within this
 * process they are kept as the same bytes.
 *
 * Thread: Control, one at a time in the process (HS_BUSY). Holds HS_RANK_SWEEP only while live objects are marked. */
#ifndef HS_HOLDERS_H
#define HS_HOLDERS_H

#include "hs_choice.h"
#include "hs_passes.h"

struct hs_holders_figures {
    enum hs_holders_way way;
    bool has_dominators;
    uint32_t held;            /* paths that hs_holders_next has returned */
    int64_t longest_pause_us; /* these three: with the tries before */
    int64_t pauses_us;        /* all together */
    int64_t time_us;
    int64_t cpu_us; /* a child's; else 0 */
    uint64_t bytes; /* at most in use for it, a child's included */
    uint64_t nodes;
    uint64_t edges;
    /* Why no other way was taken, or none at all: one line of ASCII, with figures; empty if the first choice was taken. */
    char reason[HS_REASON_BYTES];
    /* Why targets have no path, where their outcome alone does not say it: a sentence of ASCII without its end; else empty. */
    char failure[100];
};

/* The VM's part. */
struct hs_holders_vm {
    void *context;
    /* Prepares for walks, and describes the heap. Fails: then nothing is open. */
    enum hs_status (*open)(void *context, struct hs_holders_heap *heap);
    /* Marks the targets, and threads, by hs_trace_mark_*. Targets that are gone it remembers itself. Fails: with what
     * was marked in place. */
    enum hs_status (*mark)(void *context, struct hs_trace *trace);
    /* Shows each edge of the heap to hs_trace_see_*, in a pause, until that says HS_TRACE_STOP. */
    enum hs_status (*walk)(void *context, struct hs_trace *trace);
    /* Leaves memory that a walk does not read out of forks, or no more: in the pause, just before the fork, and just after it in
     * the parent, also where it failed. NULL: there is none. */
    void (*leave_out)(void *context, bool is_out);
    /* Returns at a moment when much can be left out, in `most_us` at the latest; called just before a walk that forks. NULL: no
     * moment is better than others. */
    void (*await_spare)(void *context, int64_t most_us);
    /* The walk in short passes; all NULL: that way is not to be taken. */
    struct hs_passes_vm passes;
    /* Takes all marks off. After `open`, also where others failed. */
    void (*close)(void *context);
};

struct hs_holders;

/* Finds paths to the targets. `*result` is there whenever it returns HS_OK, also where no way was possible: then each
 * path says why. `before`: the answer of the try before, which may have found less than there is; NULL for the first one. After
 * a stop that ended unfinished this one takes another way.
 * Owns: the caller frees. Fails: HS_BUSY while another call in this process goes on; HS_NO_MEMORY; HS_INVALID. */
enum hs_status hs_holders_find(const struct hs_holders_limits *limits, uint32_t target_count,
                               const struct hs_holders_vm *vm, const struct hs_holders *before,
                               struct hs_holders **result);
void hs_holders_free(struct hs_holders *holders);

const struct hs_holders_figures *hs_holders_figures(const struct hs_holders *holders);

/* May another try find more? After a child that waited for a lock which another thread of the VM had at the fork; and after
 * a stop that ended unfinished, because it took longer than its estimate, if there is another way; and where objects were
 * shown at places that they cannot have. Whether time is left, it does not know. */
bool hs_holders_may_find_more(const struct hs_holders *holders);

/* The path to the next target, in their order. False when there was none left. */
bool hs_holders_next(struct hs_holders *holders, struct hs_path *path);

#endif
