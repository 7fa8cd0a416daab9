/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_passes.h"

#include <string.h>
#include <time.h>

#include "hs_clock.h"
#include "hs_mem.h"
#include "hs_passes_parts.h"

/* Room for new nodes before a pass, which takes 10 ms for as many: then the tables seldom grow in a pause. */
enum { SOME_NEW = 1 << 14, LOOK_EVERY = 64, FIRST_OBJECTS = 16, LEAST_OBJECTS = 16 };

/* Of a pause, for each edge of an object that passes go through once more: known edges take up to 1 us; and the part of a pause
 * that a pass has left when it has come through. */
enum { US_PER_ROW_EDGE = 5, LEAST_SHARE = 8 };

/* Bytes of an array of which a pass may show all elements: about 1 us for each of 8 bytes, with a new tag 3 on ZGC. */
enum { BYTES_PER_US = 8, LEAST_LARGE = 4096 };

/* ---- the controller ---- */

static int64_t within(int64_t least, int64_t value, int64_t most) {
    if (value > most) {
        value = most;
    }
    return value < least ? least : value;
}

struct hs_passes_share hs_passes_next_share(struct hs_passes_share share, int64_t most_us,
                                            const struct hs_passes_course *course) {
    int64_t objects = share.objects;
    int64_t work_us = share.work_us;
    bool is_long = course->pause_us > most_us;
    if (is_long) {
        work_us -= work_us / 8;
    } else if (course->was_cut && course->pause_us < most_us * 3 / 4) {
        work_us += work_us / 4;
    }
    /* While objects are looked up the application runs, but no pause of the collector can begin. */
    if (is_long || course->lookup_us > most_us) {
        objects -= objects / 4;
    } else if (!course->was_cut && course->lookup_us < most_us / 2) {
        objects *= 2;
    }
    return (struct hs_passes_share){
        .objects = (uint32_t)within(LEAST_OBJECTS, objects, HS_PASSES_FRONTIER),
        .work_us = within(most_us / 8, work_us, (most_us - course->tail_us) / 2)};
}

/* ---- room ---- */

static uint64_t bytes_of(size_t room) {
    return room * (sizeof(uint16_t) + sizeof(uint32_t));
}

/* Makes room in the tables for as many nodes, and some more. False: there is no memory. */
static bool need_room(struct hs_passes *passes, size_t nodes) {
    struct hs_trace *trace = passes->trace;
    if (passes->room >= nodes) {
        return true;
    }
    size_t room = nodes + nodes / 4;
    trace->walk_bytes = bytes_of(room) + bytes_of(passes->room); /* until the old ones are gone */
    bool is_allowed = hs_trace_bytes(trace) <= trace->most_bytes;
    uint16_t *states = is_allowed ? hs_mem_new_array(room, sizeof *states) : NULL;
    uint32_t *parents = is_allowed ? hs_mem_new_array(room, sizeof *parents) : NULL;
    if (states == NULL || parents == NULL) {
        hs_mem_free(states, states == NULL ? 0 : room * sizeof *states);
        hs_mem_free(parents, parents == NULL ? 0 : room * sizeof *parents);
        trace->walk_bytes = bytes_of(passes->room);
        return false;
    }
    if (passes->room > 0) {
        memcpy(states, passes->states, passes->room * sizeof *states);
        memcpy(parents, passes->parents, passes->room * sizeof *parents);
    }
    hs_passes_free(passes);
    passes->states = states;
    passes->parents = parents;
    passes->room = room;
    trace->walk_bytes = bytes_of(room);
    return true;
}

static bool need_room_for_pass(struct hs_passes *passes) {
    return need_room(passes, (size_t)hs_graph_node_count(passes->trace->graph) + 1 + SOME_NEW);
}

static void add_pause(struct hs_passes *passes, int64_t us) {
    passes->pauses_us += us;
    passes->longest_us = us > passes->longest_us ? us : passes->longest_us;
}

/* ---- the VM's table of tags ---- */

/* A pass comes to one new node in a us at most. With a longer pause, its growth (15 to 43 ms) is within it. The table has lost
 * the tags of objects that have died, of one in MAY_HAVE_DIED at most. */
enum { NODES_PER_US = 1, LONG_PAUSE_US = 50000, MAY_HAVE_DIED = 8, GROWTHS = 3 };

uint32_t hs_passes_tags_to_add(uint32_t grows_at, uint32_t nodes, int64_t pause_us) {
    bool is_near = nodes < grows_at && nodes + pause_us * NODES_PER_US >= grows_at;
    return is_near && pause_us < LONG_PAUSE_US ? grows_at - nodes + grows_at / MAY_HAVE_DIED : 0;
}

/* New objects may die before the table is full, and the VM may have no memory. */
static void grow_table(struct hs_passes *passes, const struct hs_passes_vm *vm) {
    uint32_t nodes = hs_graph_node_count(passes->trace->graph);
    uint32_t most = hs_passes_tags_to_add(passes->grows_at, nodes, passes->pause_us);
    if (most > 0 && !passes->has_grown && passes->growths < GROWTHS && vm->grow_table != NULL) {
        int64_t growth_us = vm->grow_table(vm->context, most);
        passes->growths++;
        passes->has_grown = growth_us > 0;
        add_pause(passes, growth_us);
    }
}

/* ---- the pass that goes on ---- */

void hs_passes_found(struct hs_passes *passes, int64_t tag) {
    passes->states[hs_trace_tag_node(tag)] |= IS_FOUND;
}

bool hs_passes_begins_again(const struct hs_passes *passes, uint32_t node) {
    return passes->parents[node] == 0 || (passes->states[node] & IS_DONE) != 0;
}

void hs_passes_begin(struct hs_passes *passes) {
    passes->began_us = hs_clock_monotonic_us();
    passes->ended_us = passes->began_us;
    passes->stop_at_us = 0;
    passes->has_new = false;
    passes->row = 0;
    passes->rows = 0;
    passes->edges = 0;
    passes->is_cut = false;
}

void hs_passes_end(struct hs_passes *passes) {
    passes->ended_us = hs_clock_monotonic_us();
    passes->count++;
    add_pause(passes, passes->ended_us - passes->began_us);
}

/* Tails that were measured before they count as the VM's own work, and not for a thread that waits: those that are longer
 * than a pause, and those that are longer than they may be. */
enum { SOME_TAILS = 4, MANY_TAILS = 16 };

/* A longer one counts at once; the others bring it down by an eighth each, since one may have been short by chance. */
static void see_tail(struct hs_passes *passes) {
    int64_t tail = passes->ended_us - passes->cut_us;
    bool is_least = passes->tails++ == 0 || tail < passes->least_tail_us;
    passes->least_tail_us = is_least ? tail : passes->least_tail_us;
    passes->tail_us =
        tail > passes->tail_us ? tail : passes->tail_us - (passes->tail_us - tail) / 8;
    uint32_t enough = passes->least_tail_us > passes->pause_us ? SOME_TAILS : MANY_TAILS;
    passes->is_too_long =
        passes->tails >= enough && passes->least_tail_us > hs_passes_most_tail_us(passes->pause_us);
}

static bool is_late(struct hs_passes *passes) {
    if (passes->edges < LOOK_EVERY) {
        return false;
    }
    passes->edges = 0;
    passes->cut_us = hs_clock_monotonic_us();
    return passes->cut_us >= passes->stop_at_us;
}

/* A pass has half of what the VM leaves of a pause to come through what is known; from the first that is new on it has its time,
 * of which that may have taken a part, and an eighth of a pause at least. With the VM's part it is a whole pause at most. */
static void begin_work(struct hs_passes *passes) {
    passes->first_us = hs_clock_monotonic_us();
    passes->stop_at_us =
        passes->first_us + within(passes->pause_us / LEAST_SHARE,
                                  (passes->pause_us - passes->tail_us) / 2, passes->pause_us / 2);
}

static void begin_new(struct hs_passes *passes) {
    int64_t least_us = hs_clock_monotonic_us() + passes->pause_us / LEAST_SHARE;
    int64_t end_us = passes->first_us + passes->share.work_us;
    passes->stop_at_us = end_us > least_us ? end_us : least_us;
    passes->has_new = true;
}

/* May a pass end before this object? Each follows at least one that no other has, unless all its time is over before: then it
 * has gone through others, or has seen the whole of one that it began at (hs_passes_settle). */
static bool may_end(const struct hs_passes *passes, uint32_t from) {
    bool is_known = (passes->states[from] & IS_DONE) != 0;
    return passes->rows > 0 || passes->open_count > 0 || (is_known && passes->row != 0);
}

/* The next edge, of this object: false where the pass ends before it. */
static bool enter(struct hs_passes *passes, uint32_t from) {
    if (passes->stop_at_us == 0) {
        begin_work(passes);
    }
    passes->edges++;
    if (from == 0) {
        return true;
    }
    if (from == passes->row) {
        bool is_long = ++passes->row_edges > passes->pause_us / US_PER_ROW_EDGE;
        passes->states[from] |= is_long ? IS_LONG : 0;
        return true;
    }
    if (from >= passes->room || (may_end(passes, from) && is_late(passes))) {
        passes->is_cut = true;
        return false;
    }
    passes->row = from;
    passes->is_again = (passes->states[from] & IS_DONE) != 0;
    passes->row_edges = 1;
    passes->rows += passes->is_again ? 0 : 1;
    bool begins_there = (passes->states[from] & IS_PICKED) != 0;
    passes->states[from] |= IS_DONE | (begins_there ? IS_PASSED : 0);
    if (passes->rows > 0 && !passes->has_new) {
        begin_new(passes);
    }
    return true;
}

/* An object is seen; `bytes`: its size. Other than arrays only classes, with many static fields, are as large. */
static void measure(struct hs_passes *passes, uint32_t node, int64_t bytes) {
    bool is_known =
        (passes->states[node] & (IS_DONE | IS_LARGE)) != 0 || node <= passes->trace->size.classes;
    if (!is_known && bytes > LEAST_LARGE && bytes > passes->pause_us * BYTES_PER_US) {
        hs_passes_set_large(passes, node);
    }
}

/* A thread that the VM does not list: perhaps a virtual one. */
static bool is_hidden(const struct hs_passes *passes, uint32_t node, int64_t tag) {
    const struct hs_trace *trace = passes->trace;
    uint32_t bits = trace->facts[hs_graph_class_of(trace->graph, node)].bits;
    return node > trace->size.classes && (bits & HS_CLASS_THREAD) != 0 &&
           hs_trace_tag_mark(tag) == 0;
}

/* What to do at an object that the trace has seen. `before`: its node at that time. */
static enum hs_trace_step decide(struct hs_passes *passes, enum hs_trace_step step, uint32_t before,
                                 int64_t tag, int64_t bytes) {
    uint32_t node = hs_trace_tag_node(tag);
    if (step == HS_TRACE_STOP || node == 0) {
        return step;
    }
    if (node >= passes->room && !need_room(passes, (size_t)node + SOME_NEW)) {
        passes->trace->end = HS_TRACE_MEMORY;
        return HS_TRACE_STOP;
    }
    uint16_t *state = &passes->states[node];
    *state |= hs_trace_tag_mark(tag) != 0 ? IS_MARKED : 0;
    if (before == 0 && is_hidden(passes, node, tag)) {
        passes->hidden++;
    }
    passes->parents[node] = before == 0 ? passes->row : passes->parents[node];
    if (step == HS_TRACE_PASS_OVER) {
        *state |= before == 0 ? IS_DONE : 0; /* a target that leads nowhere */
        return step;
    }
    if ((*state & IS_OPEN) != 0) {
        return HS_TRACE_DESCEND;
    }
    measure(passes, node, bytes);
    bool is_over = (*state & (IS_DONE | IS_LARGE)) != 0 || passes->is_for_roots;
    return is_over ? HS_TRACE_PASS_OVER : step;
}

/* The graph gets its edge after the pause, if the array still has it. */
static enum hs_trace_step see_element(struct hs_passes *passes, const struct hs_trace_edge *edge,
                                      int64_t bytes) {
    uint32_t before = hs_trace_tag_node(*edge->tag);
    struct hs_trace_edge seen = *edge;
    seen.from = NULL;
    enum hs_trace_step step = hs_trace_see_edge(passes->trace, &seen);
    step = decide(passes, step, before, *edge->tag, bytes);
    hs_passes_show_element(passes, edge, before);
    return step;
}

enum hs_trace_step hs_passes_see_edge(struct hs_passes *passes, const struct hs_trace_edge *edge,
                                      int64_t bytes) {
    uint32_t from = edge->from == NULL ? 0 : hs_trace_tag_node(*edge->from);
    if (!enter(passes, from)) {
        return HS_TRACE_STOP;
    }
    uint32_t before = hs_trace_tag_node(*edge->tag);
    if (from == 0 && passes->is_for_slice && edge->kind == HS_EDGE_ELEMENT) {
        return see_element(passes, edge, bytes);
    }
    if (from == 0 && before != 0 && before < passes->room &&
        (passes->states[before] & IS_PICKED) != 0) {
        return HS_TRACE_DESCEND;
    }
    if (from != 0 && passes->is_again && before == 0) {
        return HS_TRACE_PASS_OVER; /* a reference that is new since: no edge leads there */
    }
    struct hs_trace_edge seen = *edge;
    if (from != 0 && passes->is_again) {
        seen.from = NULL; /* the graph has the edge */
    }
    enum hs_trace_step step = hs_trace_see_edge(passes->trace, &seen);
    return decide(passes, step, before, *edge->tag, bytes);
}

enum hs_trace_step hs_passes_see_root(struct hs_passes *passes, const struct hs_root *root,
                                      int64_t class_tag, int64_t *tag, int64_t bytes) {
    uint32_t before = hs_trace_tag_node(*tag);
    enum hs_trace_step step = hs_trace_see_root(passes->trace, root, class_tag, tag, 0);
    return decide(passes, step, before, *tag, bytes);
}

/* ---- all passes ---- */

static void sleep_for(int64_t us) {
    const struct timespec time = {.tv_sec = us / 1000000, .tv_nsec = us % 1000000 * 1000};
    (void)nanosleep(&time, NULL);
}

static enum hs_status see_roots(struct hs_passes *passes, const struct hs_passes_vm *vm) {
    passes->is_for_roots = true;
    enum hs_status status = vm->see_roots(vm->context, passes);
    passes->is_for_roots = false;
    hs_passes_begin_frontier(passes);
    return status;
}

/* From the frontier, or from the next slice of an array where that is empty. False: there is nothing left. */
static bool follow(struct hs_passes *passes, const struct hs_passes_vm *vm,
                   enum hs_status *status) {
    uint32_t count = hs_passes_pick(passes);
    passes->is_for_slice = count == 0;
    if (count == 0 && (vm->follow_slice == NULL || !hs_passes_next_slice(passes))) {
        return false;
    }
    hs_passes_begin(passes);
    *status = count > 0 ? vm->follow(vm->context, passes, passes->tags, count)
                        : vm->follow_slice(vm->context, passes);
    if (passes->is_cut) {
        see_tail(passes);
    }
    if (count > 0) {
        hs_passes_settle(passes, count);
    } else {
        hs_passes_settle_slice(passes);
    }
    return true;
}

/* Returns false when all is done. */
static bool pass(struct hs_passes *passes, const struct hs_passes_vm *vm, enum hs_status *status) {
    grow_table(passes, vm);
    int64_t before = hs_clock_monotonic_us();
    if (!follow(passes, vm, status)) {
        return false;
    }
    const struct hs_passes_course course = {.pause_us = passes->ended_us - passes->began_us,
                                            .tail_us = passes->tail_us,
                                            .lookup_us = passes->began_us - before,
                                            .was_cut = passes->is_cut};
    passes->share = hs_passes_next_share(passes->share, passes->pause_us, &course);
    int64_t left_us = passes->deadline_us - hs_clock_monotonic_us();
    sleep_for(within(0, course.pause_us - course.lookup_us, left_us));
    return *status == HS_OK;
}

enum hs_status hs_passes_run(struct hs_passes *passes, const struct hs_passes_vm *vm) {
    struct hs_trace *trace = passes->trace;
    passes->share = (struct hs_passes_share){FIRST_OBJECTS, passes->pause_us / 8};
    trace->is_of_moments = true;
    passes->vm = vm;
    if (!need_room_for_pass(passes)) {
        return HS_NO_MEMORY;
    }
    enum hs_status status = see_roots(passes, vm);
    while (status == HS_OK && trace->end == HS_TRACE_WHOLE) {
        if (passes->is_too_long || hs_clock_monotonic_us() >= passes->deadline_us) {
            trace->end = HS_TRACE_TIME;
        } else if (!need_room_for_pass(passes)) {
            trace->end = HS_TRACE_MEMORY;
        } else if (!pass(passes, vm, &status)) {
            break;
        }
    }
    return status;
}

void hs_passes_free(struct hs_passes *passes) {
    hs_mem_free(passes->states, passes->room * sizeof *passes->states);
    hs_mem_free(passes->parents, passes->room * sizeof *passes->parents);
    passes->states = NULL;
    passes->parents = NULL;
    passes->room = 0;
    passes->trace->walk_bytes = 0;
}

enum hs_outcome hs_passes_outcome(const struct hs_passes *passes) {
    if (passes->is_too_long) {
        return HS_UNRESOLVED_PAUSE;
    }
    if (passes->trace->end != HS_TRACE_WHOLE) {
        return hs_trace_outcome(passes->trace, false);
    }
    if (passes->large > 0) {
        return HS_UNRESOLVED_LARGE_ARRAY;
    }
    return passes->hidden > 0 || passes->trace->has_unknown ? HS_UNRESOLVED_NOT_POSSIBLE
                                                            : HS_UNRESOLVED_ONLY_WEAK;
}
