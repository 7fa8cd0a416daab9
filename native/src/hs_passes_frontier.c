/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_passes_parts.h"

/* Ranges of nodes, in the order in which they are followed; threads come after the first. */
enum { RANGE_APPLICATION, RANGE_CLASSES, RANGE_NEW, RANGE_ROOTS };

/* Nodes that are looked through for the next pass, from the first of the frontier on. */
enum { MOST_LOOKED_THROUGH = 1 << 16 };

/* Objects on a way from above. */
enum { LONG_WAY = 256 };

/* Objects that a pass looks up at least; and comparisons of tags in a us: each tag there is with each that is wanted. */
enum { LEAST_LOOKUPS = 16, COMPARED_PER_US = 1000 };

/* ---- the frontier ---- */

void hs_passes_begin_frontier(struct hs_passes *passes) {
    passes->first_new = hs_graph_node_count(passes->trace->graph) + 1;
    passes->next[RANGE_APPLICATION] = passes->next[RANGE_CLASSES] = 1;
    passes->next[RANGE_NEW] = passes->first_new;
    passes->next[RANGE_ROOTS] = passes->trace->size.classes + 1;
}

static bool is_over(const struct hs_passes *passes, uint32_t node) {
    return (passes->states[node] & (IS_DONE | IS_LARGE)) != 0;
}

/* Can a pass go through it once more? */
static bool is_passable(const struct hs_passes *passes, uint32_t node) {
    return (passes->states[node] & (IS_DONE | IS_LARGE | IS_GONE | IS_LONG)) == IS_DONE;
}

/* Was it found from an object whose row is too long to be gone through again, mostly an array? Not one that has moved since. */
static bool is_in_long_row(const struct hs_passes *passes, uint32_t node) {
    uint32_t parent = passes->parents[node];
    uint16_t row = passes->states[parent] & (IS_LONG | IS_LARGE | IS_GONE);
    return parent > passes->trace->size.classes && row == IS_LONG &&
           (passes->states[node] & IS_LOST) == 0;
}

/* Can the VM's part begin there at any time without a look at all tags? */
static bool is_at_hand(const struct hs_passes *passes, uint32_t node) {
    return node <= passes->trace->size.classes || hs_trace_is_class_value(passes->trace, node) ||
           (passes->states[node] & IS_ELEMENT) != 0 || is_in_long_row(passes, node);
}

/* Goes on from the element that was found last. */
static uint32_t search_row(struct hs_passes *passes, uint32_t node) {
    struct hs_edge edge;
    while (hs_graph_next_edge(&passes->row_left, &edge)) {
        if (edge.to == node && edge.kind == HS_EDGE_ELEMENT) {
            return edge.index + 1;
        }
    }
    return 0;
}

/* Its index among the elements of its long row, and one; 0: it is none. They are wanted in the order of the row, mostly. */
static uint32_t place_in_row(struct hs_passes *passes, uint32_t node) {
    uint32_t array = passes->parents[node];
    uint32_t place = passes->row_array == array ? search_row(passes, node) : 0;
    if (place == 0) {
        passes->row_array = array;
        passes->row_left = hs_graph_edges_of(passes->trace->graph, array);
        place = search_row(passes, node);
    }
    return place;
}

static uint32_t place_of(struct hs_passes *passes, uint32_t node) {
    if ((passes->states[node] & IS_ELEMENT) != 0) {
        return hs_passes_place_in_slice(passes, node);
    }
    return is_in_long_row(passes, node) ? place_in_row(passes, node) : 0;
}

bool hs_passes_place(const struct hs_passes *passes, uint32_t number,
                     struct hs_passes_place *place) {
    uint32_t node = hs_trace_tag_node(passes->tags[number]);
    bool is_in_slice = (passes->states[node] & IS_ELEMENT) != 0;
    place->array = is_in_slice ? passes->slice.array : passes->parents[node];
    place->tag = hs_trace_tag(passes->trace, place->array);
    place->index = passes->places[number] - 1;
    return passes->places[number] != 0;
}

/* It has references to some others as well, as long as it needs their places for no others. */
static bool needs_lookup(const struct hs_passes *passes, uint32_t node, uint32_t place) {
    const struct hs_passes_vm *vm = passes->vm;
    bool has_it = vm != NULL && vm->is_at_hand != NULL && vm->is_at_hand(vm->context, node);
    bool is_no_element = place == 0 && is_in_long_row(passes, node);
    return !has_it && (is_no_element || !is_at_hand(passes, node));
}

/* Does a pass begin there, if at all? */
static bool is_top(const struct hs_passes *passes, uint32_t node) {
    bool is_lost = (passes->states[node] & IS_LOST) != 0;
    return is_lost || passes->parents[node] == 0 || is_at_hand(passes, node);
}

/* The object to begin at, from which others that were followed lead to a node; 0: there is none, or the way is too long. */
static uint32_t top_of(const struct hs_passes *passes, uint32_t node) {
    uint32_t top = passes->parents[node];
    for (int i = 0; i < LONG_WAY && top != 0 && is_passable(passes, top); i++) {
        if (is_top(passes, top)) {
            return top;
        }
        top = passes->parents[top];
    }
    return 0;
}

/* Has the pass go through all from `top` to a node. Returns whether there was room. */
static bool open_way(struct hs_passes *passes, uint32_t top, uint32_t node) {
    uint32_t before = passes->open_count;
    for (uint32_t next = passes->parents[node]; next != top; next = passes->parents[next]) {
        if ((passes->states[next] & IS_OPEN) != 0) {
            break; /* and so are those above */
        }
        if (passes->open_count == HS_PASSES_OPEN) {
            return false;
        }
        passes->states[next] |= IS_OPEN;
        passes->open[passes->open_count++] = next;
    }
    bool is_new = passes->open_count > before || (passes->states[top] & IS_PICKED) == 0;
    passes->ways += is_new ? 1 : 0;
    return true;
}

/* Where to begin for a node of the frontier. */
static uint32_t beginning_of(struct hs_passes *passes, uint32_t node) {
    uint32_t parent = passes->parents[node];
    if (is_top(passes, node) || !is_passable(passes, parent)) {
        return node;
    }
    uint32_t top = passes->is_direct ? 0 : top_of(passes, node);
    return top != 0 && open_way(passes, top, node) ? top : parent;
}

static uint32_t pick(struct hs_passes *passes, uint32_t count, uint32_t node) {
    if (is_over(passes, node) || hs_passes_waits(passes, node)) {
        return count;
    }
    uint32_t first = beginning_of(passes, node);
    if ((passes->states[first] & IS_PICKED) != 0) {
        return count;
    }
    bool is_marked = (passes->states[first] & IS_MARKED) != 0;
    passes->states[first] |= IS_PICKED;
    passes->places[count] = place_of(passes, first);
    passes->lookups += needs_lookup(passes, first, passes->places[count]) ? 1 : 0;
    passes->tags[count] = is_marked ? hs_trace_tag(passes->trace, first) : (int64_t)first;
    return count + 1;
}

/* No pause of the collector can begin while objects are looked up. */
static bool may_look_up(const struct hs_passes *passes) {
    int64_t most =
        passes->pause_us * COMPARED_PER_US / (hs_graph_node_count(passes->trace->graph) + 1);
    return passes->lookups < LEAST_LOOKUPS || passes->lookups < most;
}

static bool may_pick(const struct hs_passes *passes, uint32_t count) {
    return count < passes->share.objects && passes->ways < passes->share.objects &&
           may_look_up(passes);
}

static bool is_jdk(const struct hs_passes *passes, uint32_t node) {
    return (passes->trace->facts[node].bits & HS_CLASS_JDK) != 0;
}

static uint32_t pick_range(struct hs_passes *passes, uint32_t count, int range, uint32_t end) {
    uint32_t *next = &passes->next[range];
    bool skips_jdk = range == RANGE_APPLICATION;
    while (*next < end && (is_over(passes, *next) || hs_passes_waits(passes, *next) ||
                           (skips_jdk && is_jdk(passes, *next)))) {
        ++*next;
    }
    end = end - *next > MOST_LOOKED_THROUGH ? *next + MOST_LOOKED_THROUGH : end;
    for (uint32_t node = *next; node < end && may_pick(passes, count); node++) {
        count = skips_jdk && is_jdk(passes, node) ? count : pick(passes, count, node);
        passes->picked_to = range == RANGE_NEW ? node : passes->picked_to;
    }
    return count;
}

static uint32_t pick_threads(struct hs_passes *passes, uint32_t count) {
    const struct hs_graph *graph = passes->trace->graph;
    uint32_t end = hs_graph_root_count(graph);
    for (uint32_t i = passes->next_root; i < end && may_pick(passes, count); i++) {
        const struct hs_root *root = hs_graph_root(graph, i);
        bool is_left = root->kind == HS_ROOT_THREAD && !is_over(passes, root->to);
        count = is_left ? pick(passes, count, root->to) : count;
        passes->next_root += !is_left && i == passes->next_root ? 1 : 0;
    }
    return count;
}

static uint32_t pick_elements(struct hs_passes *passes) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < passes->slice.count && may_pick(passes, count); i++) {
        uint32_t node = passes->slice.nodes[i];
        count = node != 0 ? pick(passes, count, node) : count;
    }
    return count;
}

uint32_t hs_passes_pick(struct hs_passes *passes) {
    uint32_t classes = passes->trace->size.classes + 1;
    passes->ways = 0;
    passes->lookups = 0;
    passes->picked_to = 0;
    uint32_t count = pick_elements(passes);
    count = pick_range(passes, count, RANGE_APPLICATION, classes);
    count = pick_threads(passes, count);
    count = pick_range(passes, count, RANGE_CLASSES, classes);
    count = pick_range(passes, count, RANGE_NEW, hs_graph_node_count(passes->trace->graph) + 1);
    return pick_range(passes, count, RANGE_ROOTS, passes->first_new);
}

/* After a pass: what it has not reached, although it went through where that was found: objects with one of these states. */
static void find_lost(struct hs_passes *passes, uint16_t passed) {
    for (uint32_t node = passes->next[RANGE_NEW]; node <= passes->picked_to; node++) {
        uint32_t parent = passes->parents[node];
        bool was_passed = parent != 0 && (passes->states[parent] & passed) != 0;
        passes->states[node] |= was_passed && !is_over(passes, node) ? IS_LOST : 0;
    }
}

/* A pass that was cut has not followed all that it began at; what no longer exists it never will. */
void hs_passes_settle(struct hs_passes *passes, uint32_t count) {
    bool is_whole = !passes->is_cut && passes->trace->end == HS_TRACE_WHOLE;
    passes->is_direct = passes->is_cut && passes->rows == 0 && passes->open_count > 0;
    if (is_whole) {
        find_lost(passes, IS_OPEN | IS_PICKED);
    } else if (passes->is_cut && passes->rows == 0 && passes->open_count == 0) {
        find_lost(passes, IS_PASSED);
    }
    for (uint32_t i = 0; i < count; i++) {
        uint16_t *state = &passes->states[hs_trace_tag_node(passes->tags[i])];
        bool is_found = (*state & IS_FOUND) != 0;
        bool has_moved = !is_found && passes->places[i] != 0;
        uint16_t missing = has_moved ? IS_LOST : IS_DONE | IS_GONE;
        *state |= is_found ? (is_whole ? IS_DONE : 0) : missing;
        *state &= (uint16_t) ~(IS_PICKED | IS_FOUND | IS_PASSED | (has_moved ? IS_ELEMENT : 0));
    }
    for (; passes->open_count > 0; passes->open_count--) {
        passes->states[passes->open[passes->open_count - 1]] &= (uint16_t)~IS_OPEN;
    }
}
