/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_holders.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "hs_child.h"
#include "hs_child_room.h"
#include "hs_clock.h"
#include "hs_mem.h"

#define MIB ((uint64_t)1 << 20)

/* In this process the graph may not take what the sampler needs. */
#define MOST_IN_PROCESS (128 * MIB)
/* Below that no graph is worth a fork. */
#define LEAST_IN_CHILD (16 * MIB)

/* Before this JDK the VM marks visited objects in the objects, so a child copies the whole heap (JDK-8283710). */
enum { FIRST_JDK_WITH_BIT_SET = 19, FIRST_JDK_WITH_SLOW_TAGS = 21 };

/* Of the time of a call: up to when the walk goes on in a child, up to when the watcher waits, and up to when dominators are
 * found, in percent. The rest is for the answer. */
enum { WALK_SHARE = 60, WATCH_SHARE = 70, DOMINATOR_SHARE = 85 };

/* Of the room that the system leaves, in percent: it changes meanwhile. A child that finds less than the other share of it
 * ends itself. */
enum { ROOM_SHARE = 80, LEAST_ROOM_SHARE = 10 };

/* What stands before the paths, in the machine's order: both ends are the same program. */
struct answer {
    uint32_t targets;
    uint32_t has_dominators;
    uint64_t nodes;
    uint64_t edges;
    uint64_t bytes;
};

struct hs_holders {
    struct hs_holders_figures figures;
    struct hs_buffer paths;
    size_t at; /* of the next one */
    uint32_t target_count;
    uint32_t next;
    enum hs_outcome otherwise; /* of targets without a path in `paths` */
    bool is_locked;
};

struct run {
    const struct hs_holders_limits *limits;
    const struct hs_holders_vm *vm;
    struct hs_holders *holders;
    struct hs_holders_heap heap;
    struct hs_trace *trace;
    uint64_t memory; /* for the graph, its tags and the search */
    int64_t began_us;
    struct hs_child child;
    enum hs_child_side side;
    struct hs_child_progress progress;
};

/* One call at a time. Acquire when taken, release when left: each sees what the one before left behind. */
static _Atomic bool is_running;

/* ---- the choice ---- */

/* Measured on heaps of small objects, the worst shape: doc/holders.md. */
int64_t hs_holders_stop_us(const struct hs_holders_heap *heap) {
    uint64_t ns_per_byte = hs_is_z(heap->collector)                    ? 24
                           : heap->feature >= FIRST_JDK_WITH_SLOW_TAGS ? 12
                                                                       : 8;
    return (int64_t)(heap->used * ns_per_byte / 1000);
}

/* The VM looks through all objects after a walk, to take its marks off; ZGC goes through them by their references. */
int64_t hs_holders_least_pass_us(const struct hs_holders_heap *heap) {
    uint64_t us_per_mb = hs_is_z(heap->collector) ? 1000 : 200;
    return heap->feature < FIRST_JDK_WITH_BIT_SET ? (int64_t)(heap->used * us_per_mb / 1000000) : 0;
}

/* Twice the heap where its objects are the smallest. */
uint64_t hs_holders_bytes(const struct hs_holders_heap *heap) {
    return 2 * heap->used + LEAST_IN_CHILD;
}

/* Pages of the heap that are copied because one of the two writes to them. */
static uint64_t copied_bytes(const struct hs_holders_heap *heap) {
    return heap->feature < FIRST_JDK_WITH_BIT_SET ? heap->used : heap->used / 4;
}

static void add_reason(struct run *run, const char *text) {
    char *reason = run->holders->figures.reason;
    size_t length = strlen(reason);
    (void)snprintf(reason + length, sizeof run->holders->figures.reason - length, "%s%s",
                   length == 0 ? "" : "; ", text);
}

static bool is_allowed(const struct run *run, enum hs_holders_way way) {
    return run->limits->ways == 0 || (run->limits->ways >> way & 1) != 0;
}

static uint64_t least(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

static bool may_stop(struct run *run) {
    char text[100];
    if (!is_allowed(run, HS_WAY_ONE_STOP)) {
        return false;
    }
    int64_t estimate = hs_holders_stop_us(&run->heap);
    run->memory = least(run->limits->memory, MOST_IN_PROCESS);
    if (estimate <= run->limits->pause_us) {
        return true;
    }
    (void)snprintf(text, sizeof text, "one stop: about %lld ms, %lld ms allowed",
                   (long long)(estimate / 1000), (long long)(run->limits->pause_us / 1000));
    add_reason(run, text);
    return false;
}

static bool may_fork(struct run *run) {
    char text[100];
    if (!is_allowed(run, HS_WAY_CHILD)) {
        return false;
    }
    if (!run->heap.is_copied) {
        add_reason(run, "child: it would share the heap");
        return false;
    }
    uint64_t copied = copied_bytes(&run->heap);
    uint64_t room = run->heap.room == UINT64_MAX ? UINT64_MAX : run->heap.room / 100 * ROOM_SHARE;
    uint64_t allowed = least(run->limits->memory, room);
    uint64_t wanted = hs_holders_bytes(&run->heap);
    if (allowed < copied + LEAST_IN_CHILD || allowed - copied < wanted / 8) {
        (void)snprintf(text, sizeof text, "child: %llu MiB needed, %llu allowed, %llu free",
                       (unsigned long long)((copied + wanted / 8) / MIB),
                       (unsigned long long)(run->limits->memory / MIB),
                       (unsigned long long)(room / MIB));
        add_reason(run, text);
        return false;
    }
    run->memory = allowed - copied;
    return true;
}

static bool may_pass(struct run *run) {
    char text[100];
    if (run->vm->passes.follow == NULL || !is_allowed(run, HS_WAY_PASSES)) {
        return false;
    }
    int64_t least_us = hs_holders_least_pass_us(&run->heap);
    run->memory = least(run->limits->memory, MOST_IN_PROCESS);
    if (least_us <= run->limits->pause_us) {
        return true;
    }
    (void)snprintf(text, sizeof text, "passes: %lld ms each or more, %lld ms allowed",
                   (long long)(least_us / 1000), (long long)(run->limits->pause_us / 1000));
    add_reason(run, text);
    run->holders->otherwise = HS_UNRESOLVED_PAUSE;
    return false;
}

static enum hs_holders_way choose(struct run *run) {
    if (run->heap.why_not != NULL) {
        add_reason(run, run->heap.why_not);
        return HS_WAY_NONE;
    }
    if (may_stop(run)) {
        return HS_WAY_ONE_STOP;
    }
    if (may_fork(run)) {
        return HS_WAY_CHILD;
    }
    return may_pass(run) ? HS_WAY_PASSES : HS_WAY_NONE;
}

/* ---- the answer ---- */

static void write_paths(const struct run *run, struct hs_paths *paths, enum hs_outcome otherwise,
                        struct hs_buffer *buffer) {
    struct hs_path path;
    for (uint32_t i = 0; i < run->holders->target_count; i++) {
        uint32_t node = hs_trace_node(run->trace, i);
        if (node == 0 || paths == NULL) {
            path = (struct hs_path){.outcome = otherwise};
        } else {
            hs_paths_to(paths, node, otherwise, &path);
        }
        hs_path_write(&path, buffer);
    }
}

/* Searches, and writes paths to all targets; `otherwise`: the outcome where there is none. */
static void search(struct run *run, enum hs_outcome otherwise, struct hs_buffer *buffer) {
    const struct hs_graph *graph = run->trace->graph;
    /* What dominates in a graph of several moments may never have done so. */
    bool wants_dominators = run->holders->figures.way != HS_WAY_PASSES;
    struct hs_paths *paths = NULL;
    hs_trace_finish(run->trace);
    if (hs_paths_find(graph, run->heap.facts, &paths) == HS_OK) {
        if (wants_dominators) {
            (void)hs_paths_find_dominators(paths, run->began_us +
                                                      run->limits->time_us / 100 * DOMINATOR_SHARE);
        }
    } else {
        otherwise = HS_UNRESOLVED_MEMORY;
        paths = NULL;
    }
    uint64_t nodes = hs_graph_node_count(graph);
    struct answer answer = {
        .targets = run->holders->target_count,
        .has_dominators = paths != NULL && hs_paths_has_dominators(paths),
        .nodes = nodes,
        .edges = hs_graph_edge_count(graph),
        .bytes = hs_graph_bytes(graph) + nodes * (HS_TAG_BYTES + HS_SEARCH_BYTES),
    };
    hs_buffer_bytes(buffer, &answer, sizeof answer);
    write_paths(run, paths, otherwise, buffer);
    hs_paths_free(paths);
}

/* Takes the answer in; without one all targets have the outcome `otherwise`. */
static void accept(struct hs_holders *holders, enum hs_outcome otherwise) {
    struct answer answer;
    holders->otherwise = otherwise;
    holders->at = holders->paths.length;
    if (holders->paths.has_failed || holders->paths.length < sizeof answer) {
        return;
    }
    memcpy(&answer, holders->paths.data, sizeof answer);
    if (answer.targets != holders->target_count) {
        return;
    }
    holders->at = sizeof answer;
    holders->figures.has_dominators = answer.has_dominators != 0;
    holders->figures.nodes = answer.nodes;
    holders->figures.edges = answer.edges;
    holders->figures.bytes = answer.bytes;
}

/* ---- the ways ---- */

static int64_t time_left(const struct run *run) {
    int64_t left = run->began_us + run->limits->time_us - hs_clock_monotonic_us();
    return left > 0 ? left : 0;
}

/* Calls the VM's walk, and measures the pause. */
static enum hs_status walk(struct run *run) {
    struct hs_holders_figures *figures = &run->holders->figures;
    int64_t before = hs_clock_monotonic_us();
    enum hs_status status = run->vm->walk(run->vm->context, run->trace);
    int64_t pause = hs_clock_monotonic_us() - before;
    figures->pauses_us += pause;
    figures->longest_pause_us =
        pause > figures->longest_pause_us ? pause : figures->longest_pause_us;
    return status;
}

/* Nothing was found: the reason is said, and the way did not take place. */
static void give_up(struct run *run, const char *text) {
    add_reason(run, text);
    run->holders->figures.way = HS_WAY_NONE;
    run->holders->otherwise = HS_UNRESOLVED_NOT_POSSIBLE;
}

static void stop_once(struct run *run) {
    int64_t allowed =
        run->limits->pause_us < time_left(run) ? run->limits->pause_us : time_left(run);
    run->trace->deadline_us = hs_clock_monotonic_us() + allowed;
    enum hs_status status = walk(run);
    run->vm->close(run->vm->context);
    if (status != HS_OK) {
        give_up(run, "the VM refuses the walk");
        return;
    }
    search(run, hs_trace_outcome(run->trace, true), &run->holders->paths);
    accept(run->holders, HS_UNRESOLVED_MEMORY);
}

static void pass_often(struct run *run) {
    struct hs_holders_figures *figures = &run->holders->figures;
    struct hs_passes passes = {.trace = run->trace,
                               .pause_us = run->limits->pause_us,
                               .deadline_us =
                                   hs_clock_monotonic_us() + time_left(run) / 100 * WALK_SHARE};
    enum hs_status status = hs_passes_run(&passes, &run->vm->passes);
    figures->longest_pause_us = passes.longest_us;
    figures->pauses_us = passes.pauses_us;
    run->vm->close(run->vm->context);
    if (status == HS_OK) {
        search(run, hs_passes_outcome(&passes), &run->holders->paths);
        accept(run->holders, HS_UNRESOLVED_MEMORY);
    } else {
        give_up(run, status == HS_NO_MEMORY ? "no memory" : "the VM refuses the walk");
    }
    hs_passes_free(&passes);
}

/* In the child, when its walk has ended. */
static void finish(void *context, bool has_ended) {
    struct run *run = context;
    struct hs_buffer answer = {0};
    if (!has_ended && run->trace->end == HS_TRACE_WHOLE) {
        run->trace->end = HS_TRACE_TIME;
    }
    search(run, hs_trace_outcome(run->trace, false), &answer);
    hs_child_write(&run->child, answer.data, answer.has_failed ? 0 : answer.length);
}

/* In the VM's thread, in the pause. */
static enum hs_trace_step fork_there(void *context) {
    struct run *run = context;
    run->side = hs_child_fork(&run->child);
    if (run->side != HS_CHILD_CHILD) {
        return HS_TRACE_STOP;
    }
    (void)hs_child_unshare("/hsperfdata_");
    hs_mem_set_budget(hs_mem_used() + run->memory);
    run->trace->deadline_us = hs_clock_monotonic_us() + time_left(run) / 100 * WALK_SHARE;
    if (hs_child_watch(&run->child, &run->progress, time_left(run) / 100 * WATCH_SHARE, finish,
                       run) != HS_OK) {
        hs_child_write(&run->child, NULL, 0);
    }
    run->trace->progress = &run->progress;
    return HS_TRACE_DESCEND;
}

static enum hs_outcome outcome_of(enum hs_child_end end) {
    switch (end) {
    case HS_CHILD_LOCKED:
    case HS_CHILD_LATE: return HS_UNRESOLVED_TIME;
    case HS_CHILD_NO_MEMORY:
    case HS_CHILD_NO_ROOM:
    case HS_CHILD_TOO_MUCH: return HS_UNRESOLVED_MEMORY;
    default: return HS_UNRESOLVED_NOT_POSSIBLE;
    }
}

static void await_child(struct run *run) {
    struct hs_holders *holders = run->holders;
    uint64_t private_bytes = 0;
    size_t most = sizeof(struct answer) + holders->target_count * sizeof(struct hs_path);
    enum hs_child_end end = hs_child_read(&run->child, time_left(run), most, &holders->paths,
                                          &holders->figures.cpu_us, &private_bytes);
    accept(holders, outcome_of(end));
    holders->figures.bytes =
        private_bytes > holders->figures.bytes ? private_bytes : holders->figures.bytes;
    holders->is_locked = end == HS_CHILD_LOCKED;
    if (holders->is_locked) {
        add_reason(run, "child: it waited for a lock of the VM");
    } else if (end == HS_CHILD_DIED) {
        add_reason(run, "child: it died");
    } else if (end == HS_CHILD_NO_ROOM) {
        add_reason(run, "child: memory became short");
    } else if (holders->at == holders->paths.length && end == HS_CHILD_ENDED) {
        add_reason(run, "child: it gave no answer");
    }
}

static void use_child(struct run *run) {
    char text[60];
    enum hs_status status = hs_child_prepare(&run->child);
    bool is_prepared = status == HS_OK;
    run->child.least_room =
        run->heap.room == UINT64_MAX ? 0 : run->heap.room / 100 * LEAST_ROOM_SHARE;
    if (is_prepared) {
        status = walk(run);
    }
    run->vm->close(run->vm->context);
    if (run->side == HS_CHILD_PARENT) {
        await_child(run);
    } else if (status != HS_OK && is_prepared) {
        give_up(run, "the VM refuses the walk");
    } else {
        (void)snprintf(text, sizeof text, "child: no fork, error %d", run->child.error);
        give_up(run, text);
    }
    hs_child_end(&run->child);
}

/* ---- a call ---- */

static enum hs_status prepare(struct run *run) {
    run->heap.size.targets = run->holders->target_count;
    enum hs_status status = hs_trace_new(run->heap.size, run->heap.facts, &run->trace);
    if (status == HS_OK) {
        status = hs_trace_open(run->trace, run->memory);
    }
    if (status == HS_OK && run->holders->figures.way == HS_WAY_CHILD) {
        run->trace->begin = fork_there;
        run->trace->context = run;
    }
    return status == HS_OK ? run->vm->mark(run->vm->context, run->trace) : status;
}

static void find(struct run *run) {
    struct hs_holders_figures *figures = &run->holders->figures;
    if (run->vm->open(run->vm->context, &run->heap) != HS_OK) {
        give_up(run, run->heap.why_not != NULL ? run->heap.why_not : "the VM refuses");
        return;
    }
    figures->way = choose(run);
    if (figures->way == HS_WAY_NONE) {
        run->vm->close(run->vm->context);
        return;
    }
    enum hs_status status = prepare(run);
    if (status != HS_OK) {
        run->vm->close(run->vm->context);
        give_up(run, status == HS_NO_MEMORY ? "no memory" : "the VM refuses marks");
    } else if (figures->way == HS_WAY_ONE_STOP) {
        stop_once(run);
    } else if (figures->way == HS_WAY_PASSES) {
        pass_often(run);
    } else {
        use_child(run);
    }
    hs_trace_free(run->trace);
}

enum hs_status hs_holders_find(const struct hs_holders_limits *limits, uint32_t target_count,
                               const struct hs_holders_vm *vm, struct hs_holders **result) {
    if (limits->pause_us <= 0 || limits->time_us <= 0 || limits->memory == 0) {
        return HS_INVALID;
    }
    if (atomic_exchange_explicit(&is_running, true, memory_order_acquire)) {
        return HS_BUSY;
    }
    struct run *run = hs_mem_new(sizeof *run);
    struct hs_holders *holders = hs_mem_new(sizeof *holders);
    if (run != NULL && holders != NULL) {
        holders->target_count = target_count;
        holders->otherwise = HS_UNRESOLVED_NOT_POSSIBLE;
        run->limits = limits;
        run->vm = vm;
        run->holders = holders;
        run->began_us = hs_clock_monotonic_us();
        find(run);
        holders->figures.time_us = hs_clock_monotonic_us() - run->began_us;
        *result = holders;
    } else {
        hs_mem_free(holders, sizeof *holders);
    }
    bool is_done = run != NULL && holders != NULL;
    hs_mem_free(run, sizeof *run);
    atomic_store_explicit(&is_running, false, memory_order_release);
    return is_done ? HS_OK : HS_NO_MEMORY;
}

void hs_holders_free(struct hs_holders *holders) {
    if (holders != NULL) {
        hs_buffer_free(&holders->paths);
        hs_mem_free(holders, sizeof *holders);
    }
}

const struct hs_holders_figures *hs_holders_figures(const struct hs_holders *holders) {
    return &holders->figures;
}

bool hs_holders_was_locked(const struct hs_holders *holders) {
    return holders->is_locked;
}

bool hs_holders_next(struct hs_holders *holders, struct hs_path *path) {
    if (holders->next == holders->target_count) {
        return false;
    }
    holders->next++;
    if (!hs_path_read(holders->paths.data, holders->paths.length, &holders->at, path)) {
        holders->at = holders->paths.length;
        *path = (struct hs_path){.outcome = holders->otherwise};
    }
    return true;
}
