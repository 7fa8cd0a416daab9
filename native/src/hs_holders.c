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

/* Of the time of a call: up to when values of classes are read, up to when the walk goes on in a child, up to when the watcher
 * waits, and up to when dominators are found, in percent. The rest is for the answer. */
enum { VALUES_SHARE = 25, WALK_SHARE = 60, WATCH_SHARE = 70, DOMINATOR_SHARE = 85 };

/* A wait before a fork: this part of the time of a call, in percent, and a second at most. */
enum { SPARE_SHARE = 6, MOST_SPARE_US = 1000000 };

/* A child that finds less than this share of the room that there was before, in percent, ends itself. */
enum { LEAST_ROOM_SHARE = 10 };

/* What stands before the paths, in the machine's order: both ends are the same program. */
struct answer {
    uint32_t targets;
    uint32_t has_dominators;
    uint64_t nodes;
    uint64_t edges;
    uint64_t bytes;
    uint64_t has_unknown; /* as in hs_trace, and that is why there are targets without a path */
    uint64_t is_odd;      /* the walk ended with HS_TRACE_ODD */
};

struct hs_holders {
    struct hs_holders_figures figures;
    struct hs_buffer paths;
    size_t at; /* of the next one */
    uint32_t target_count;
    uint32_t next;
    enum hs_outcome otherwise; /* of targets without a path in `paths` */
    bool is_locked; /* a child waited for a lock that another thread of the VM had at the fork */
    bool is_odd;    /* the walk ended with HS_TRACE_ODD: the next one uses tags alone */
    /* Of the stop, of this try or one before, that ended before its walk did where another way is possible; 0: there was none. */
    int64_t cut_us;
};

struct run {
    struct hs_holders_limits limits;
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

/* A walk has ended with HS_TRACE_ODD: later ones use tags alone. Relaxed: one call at a time. */
static _Atomic bool has_seen_odd;

static void add_reason(struct run *run, const char *text) {
    hs_reason_add(run->holders->figures.reason, text);
}

static void set_failure(struct hs_holders *holders, const char *text) {
    char *failure = holders->figures.failure;
    (void)snprintf(failure, sizeof holders->figures.failure, "%s", text);
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
    /* What dominates in a graph of several moments, or in a part of it, may never have done so. */
    bool wants_dominators = run->holders->figures.way != HS_WAY_PASSES &&
                            run->trace->end == HS_TRACE_WHOLE && !run->trace->has_unknown;
    bool is_odd = run->trace->end == HS_TRACE_ODD; /* two objects may be one node: no path counts */
    struct hs_paths *paths = NULL;
    uint64_t bytes = hs_trace_bytes(run->trace);
    hs_trace_finish(run->trace);
    otherwise = hs_trace_lack(run->trace, otherwise);
    if (is_odd) {
        otherwise = HS_UNRESOLVED_NOT_POSSIBLE;
    } else if (hs_paths_find(graph, run->heap.facts, &paths) == HS_OK) {
        if (wants_dominators) {
            (void)hs_paths_find_dominators(paths, run->began_us +
                                                      run->limits.time_us / 100 * DOMINATOR_SHARE);
        }
    } else {
        otherwise = HS_UNRESOLVED_MEMORY;
        paths = NULL;
    }
    struct answer answer = {
        .targets = run->holders->target_count,
        .has_dominators = paths != NULL && hs_paths_has_dominators(paths),
        .nodes = hs_graph_node_count(graph),
        .edges = hs_graph_edge_count(graph),
        .bytes = bytes,
        .is_odd = is_odd,
        .has_unknown = run->trace->has_unknown && otherwise == HS_UNRESOLVED_NOT_POSSIBLE,
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
    if (answer.is_odd != 0) {
        holders->is_odd = true;
        atomic_store_explicit(&has_seen_odd, true, memory_order_relaxed);
        set_failure(holders,
                    "the JVM showed an object at a place that it cannot have; search again");
    } else if (answer.has_unknown != 0) {
        set_failure(holders, "a class was loaded during the walk, so its references are not known;"
                             " search again");
    }
}

/* ---- the ways ---- */

static int64_t time_left(const struct run *run) {
    int64_t left = run->began_us + run->limits.time_us - hs_clock_monotonic_us();
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

/* All ways but one stop. */
static uint32_t without_stop(uint32_t ways) {
    uint32_t others = 1 << HS_WAY_CHILD | 1 << HS_WAY_PASSES;
    return ways == 0 ? others : ways & others;
}

/* The stop was longer than its estimate: is there another way to what it did not see? */
static bool has_other_way(const struct run *run) {
    struct hs_holders_limits limits = run->limits;
    char reason[HS_REASON_BYTES] = "";
    uint64_t memory;
    limits.ways = without_stop(limits.ways);
    return limits.ways != 0 && hs_choose(&limits, &run->heap, &memory, reason) != HS_WAY_NONE;
}

static void stop_once(struct run *run) {
    int64_t allowed = run->limits.pause_us < time_left(run) ? run->limits.pause_us : time_left(run);
    run->trace->deadline_us = hs_clock_monotonic_us() + allowed;
    int64_t before_us = run->holders->figures.pauses_us;
    enum hs_status status = walk(run);
    run->vm->close(run->vm->context);
    if (status != HS_OK) {
        give_up(run, "the VM refuses the walk");
        return;
    }
    if (run->trace->end == HS_TRACE_TIME && allowed == run->limits.pause_us && has_other_way(run)) {
        run->holders->cut_us = run->holders->figures.pauses_us - before_us;
    }
    search(run, hs_trace_outcome(run->trace, true), &run->holders->paths);
    accept(run->holders, HS_UNRESOLVED_MEMORY);
}

static void pass_often(struct run *run) {
    struct hs_holders_figures *figures = &run->holders->figures;
    struct hs_passes passes = {.trace = run->trace,
                               .pause_us = run->limits.pause_us,
                               .tail_us = hs_choice_tail_us(&run->heap),
                               .grows_at = hs_choice_table_grows_at(&run->heap),
                               .deadline_us =
                                   hs_clock_monotonic_us() + time_left(run) / 100 * WALK_SHARE};
    enum hs_status status = hs_passes_run(&passes, &run->vm->passes);
    if (passes.longest_us > figures->longest_pause_us) { /* a refused fork is a pause as well */
        figures->longest_pause_us = passes.longest_us;
    }
    figures->pauses_us += passes.pauses_us;
    hs_passes_free(&passes);
    run->vm->close(run->vm->context);
    if (status == HS_OK) {
        search(run, hs_passes_outcome(&passes), &run->holders->paths);
        accept(run->holders, HS_UNRESOLVED_MEMORY);
        if (hs_passes_outcome(&passes) == HS_UNRESOLVED_NOT_POSSIBLE && figures->failure[0] == 0) {
            set_failure(run->holders, "short stops do not show the stacks of virtual threads");
        }
    } else {
        give_up(run, status == HS_NO_MEMORY ? "no memory" : "the VM refuses the walk");
    }
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

static void await_spare(const struct run *run) {
    int64_t most_us = time_left(run) / 100 * SPARE_SHARE;
    if (run->vm->await_spare != NULL) {
        run->vm->await_spare(run->vm->context, most_us < MOST_SPARE_US ? most_us : MOST_SPARE_US);
    }
}

static void leave_out(const struct run *run, bool is_out) {
    if (run->vm->leave_out != NULL) {
        run->vm->leave_out(run->vm->context, is_out);
    }
}

/* In the VM's thread, in the pause. */
static enum hs_trace_step fork_there(void *context) {
    struct run *run = context;
    leave_out(run, true);
    run->side = hs_child_fork(&run->child);
    if (run->side != HS_CHILD_CHILD) {
        leave_out(run, false);
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
        set_failure(holders, "the child process waited for a lock of the JVM; search again");
    } else if (end == HS_CHILD_DIED) {
        set_failure(holders, "the child process crashed or was killed; search again");
    } else if (end == HS_CHILD_NO_ROOM) {
        set_failure(holders, "memory became short while the child process searched");
    } else if (holders->at == holders->paths.length && end == HS_CHILD_ENDED) {
        set_failure(holders, "the child process gave no answer; search again");
    }
}

/* A longer pause would make one possible, or nothing would. */
static enum hs_outcome outcome_without_way(const struct run *run) {
    return hs_choice_is_too_slow(&run->limits, &run->heap) ? HS_UNRESOLVED_PAUSE
                                                           : HS_UNRESOLVED_NOT_POSSIBLE;
}

/* No fork: nothing but marks, and nodes of values of classes, is on objects yet. */
static void pass_instead(struct run *run) {
    char text[60];
    (void)snprintf(text, sizeof text, "child: no fork, error %d", run->child.error);
    char *reason = run->holders->figures.reason;
    if (!hs_choice_may_pass(&run->limits, &run->heap, &run->memory, reason) ||
        hs_trace_again(run->trace, run->memory) != HS_OK) {
        run->vm->close(run->vm->context);
        give_up(run, text);
        run->holders->otherwise = outcome_without_way(run);
        return;
    }
    add_reason(run, text);
    run->holders->figures.way = HS_WAY_PASSES;
    pass_often(run);
}

static void use_child(struct run *run) {
    enum hs_status status = hs_child_prepare(&run->child);
    bool is_prepared = status == HS_OK;
    run->child.least_room =
        run->heap.room == UINT64_MAX ? 0 : run->heap.room / 100 * LEAST_ROOM_SHARE;
    if (is_prepared) {
        await_spare(run);
        status = walk(run);
    }
    if (run->side == HS_CHILD_PARENT) {
        run->vm->close(run->vm->context);
        await_child(run);
    } else if (status != HS_OK && is_prepared) {
        run->vm->close(run->vm->context);
        give_up(run, "the VM refuses the walk");
    } else {
        pass_instead(run);
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
    if (status == HS_OK) {
        run->trace->has_tags_alone = run->heap.has_tags_alone;
        run->trace->values_deadline_us = run->began_us + run->limits.time_us / 100 * VALUES_SHARE;
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
    run->heap.has_passes = run->vm->passes.follow != NULL;
    run->heap.has_tags_alone = atomic_load_explicit(&has_seen_odd, memory_order_relaxed);
    figures->way = hs_choose(&run->limits, &run->heap, &run->memory, figures->reason);
    if (figures->way == HS_WAY_NONE) {
        run->holders->otherwise = outcome_without_way(run);
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

/* The pauses of all tries count. */
static void go_on_from(struct run *run, const struct hs_holders *before) {
    struct hs_holders_figures *figures = &run->holders->figures;
    const struct hs_holders_figures *earlier = &before->figures;
    figures->longest_pause_us = earlier->longest_pause_us;
    figures->pauses_us = earlier->pauses_us;
    figures->time_us = earlier->time_us;
    run->holders->cut_us = before->cut_us;
    if (before->cut_us != 0) { /* not again, however many tries follow */
        char text[100];
        (void)snprintf(text, sizeof text, "one stop: unfinished after %lld ms, %lld ms allowed",
                       (long long)(before->cut_us / 1000),
                       (long long)(run->limits.pause_us / 1000));
        add_reason(run, text);
        run->limits.ways = without_stop(run->limits.ways);
    }
}

enum hs_status hs_holders_find(const struct hs_holders_limits *limits, uint32_t target_count,
                               const struct hs_holders_vm *vm, const struct hs_holders *before,
                               struct hs_holders **result) {
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
        run->limits = *limits;
        run->vm = vm;
        run->holders = holders;
        run->began_us = hs_clock_monotonic_us();
        if (before != NULL) {
            go_on_from(run, before);
        }
        find(run);
        holders->figures.time_us += hs_clock_monotonic_us() - run->began_us;
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

bool hs_holders_may_find_more(const struct hs_holders *holders) {
    bool is_cut = holders->figures.way == HS_WAY_ONE_STOP && holders->cut_us != 0;
    return holders->is_locked || is_cut || holders->is_odd;
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
    holders->figures.held += path->outcome == HS_HELD;
    return true;
}
