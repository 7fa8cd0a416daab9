/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_trace.h"

#include <string.h>

#include "hs_clock.h"
#include "hs_mem.h"

/* Edges from one look at the clock to the next: about 0.1 ms. */
enum { LOOK_EVERY = 1024 };

enum { FIRST_VALUES = 256 };

static uint32_t marks_of(const struct hs_trace *trace) {
    return trace->size.targets + trace->size.threads;
}

enum hs_status hs_trace_new(struct hs_trace_size size, const struct hs_class_facts *facts,
                            struct hs_trace **result) {
    struct hs_trace *trace = hs_mem_new(sizeof *trace);
    if (trace == NULL) {
        return HS_NO_MEMORY;
    }
    trace->size = size;
    trace->facts = facts;
    trace->nodes = hs_mem_new_array((size_t)marks_of(trace) + 1, sizeof *trace->nodes);
    trace->thread_ids = hs_mem_new_array((size_t)marks_of(trace) + 1, sizeof *trace->thread_ids);
    trace->same_as = hs_mem_new_array((size_t)size.targets + 1, sizeof *trace->same_as);
    if (trace->nodes == NULL || trace->thread_ids == NULL || trace->same_as == NULL) {
        hs_trace_free(trace);
        return HS_NO_MEMORY;
    }
    for (uint32_t i = 0; i < size.targets; i++) {
        trace->same_as[i] = i;
    }
    *result = trace;
    return HS_OK;
}

void hs_trace_free(struct hs_trace *trace) {
    if (trace == NULL) {
        return;
    }
    size_t marks = (size_t)marks_of(trace) + 1;
    size_t targets = (size_t)trace->size.targets + 1;
    hs_graph_free(trace->graph);
    hs_places_free(trace->places.nodes);
    hs_mem_free(trace->values, trace->value_room * sizeof *trace->values);
    hs_mem_free(trace->nodes, trace->nodes == NULL ? 0 : marks * sizeof *trace->nodes);
    hs_mem_free(trace->thread_ids,
                trace->thread_ids == NULL ? 0 : marks * sizeof *trace->thread_ids);
    hs_mem_free(trace->same_as, trace->same_as == NULL ? 0 : targets * sizeof *trace->same_as);
    hs_mem_free(trace, sizeof *trace);
}

enum hs_status hs_trace_open(struct hs_trace *trace, uint64_t most_bytes) {
    trace->most_bytes = most_bytes;
    return hs_graph_new(trace->size.classes, most_bytes, &trace->graph);
}

/* All nodes but those of classes are values of classes, whose tags have their numbers. */
enum hs_status hs_trace_again(struct hs_trace *trace, uint64_t most_bytes) {
    struct hs_graph *before = trace->graph;
    trace->graph = NULL;
    trace->begin = NULL;
    trace->end = HS_TRACE_WHOLE;
    trace->places = (struct hs_trace_places){0};
    enum hs_status status = hs_trace_open(trace, most_bytes);
    uint32_t last = hs_graph_node_count(before);
    for (uint32_t node = trace->size.classes + 1; node <= last && status == HS_OK; node++) {
        uint32_t class_number = hs_graph_class_of(before, node);
        status = hs_graph_add_node(trace->graph, class_number) == node ? HS_OK : HS_NO_MEMORY;
    }
    hs_graph_free(before);
    return status;
}

/* ---- tags ---- */

static uint32_t node_of(int64_t tag) {
    return hs_trace_tag_node(tag);
}

static uint32_t mark_of(int64_t tag) {
    return hs_trace_tag_mark(tag);
}

static int64_t tag_of(uint32_t node, uint32_t mark) {
    return (int64_t)((uint64_t)mark << HS_TRACE_MARK_SHIFT | node);
}

int64_t hs_trace_tag(const struct hs_trace *trace, uint32_t node) {
    for (uint32_t i = 0; i < marks_of(trace); i++) {
        if (trace->nodes[i] == node) {
            return tag_of(node, i + 1);
        }
    }
    return node;
}

int64_t hs_trace_mark_target(struct hs_trace *trace, uint32_t target, int64_t tag) {
    uint32_t mark = mark_of(tag);
    if (mark != 0 && mark <= trace->size.targets) {
        trace->same_as[target] = mark - 1;
        return tag;
    }
    trace->nodes[target] = node_of(tag); /* of a class */
    trace->thread_ids[target] = mark == 0 ? 0 : trace->thread_ids[mark - 1];
    return tag_of(node_of(tag), target + 1);
}

int64_t hs_trace_mark_thread(struct hs_trace *trace, int64_t java_id, int64_t tag) {
    uint32_t mark = mark_of(tag);
    if (mark == 0) {
        if (trace->threads == trace->size.threads) {
            return tag;
        }
        mark = trace->size.targets + ++trace->threads;
    }
    trace->thread_ids[mark - 1] = java_id;
    return tag_of(node_of(tag), mark);
}

static bool is_target(const struct hs_trace *trace, int64_t tag) {
    return mark_of(tag) != 0 && mark_of(tag) <= trace->size.targets;
}

/* 0 for a class that was loaded since, which may have a node of its own. */
static uint32_t class_of(const struct hs_trace *trace, int64_t class_tag) {
    uint32_t number = node_of(class_tag);
    return number <= trace->size.classes ? number : 0;
}

/* ---- the walk ends ---- */

static enum hs_trace_step stop(struct hs_trace *trace, enum hs_trace_end end) {
    trace->end = end;
    return HS_TRACE_STOP;
}

/* At the beginning of each edge: HS_TRACE_DESCEND, or the walk ends here. */
static enum hs_trace_step enter(struct hs_trace *trace) {
    if (!trace->has_begun) {
        trace->has_begun = true;
        if (trace->begin != NULL && trace->begin(trace->context) == HS_TRACE_STOP) {
            return stop(trace, HS_TRACE_LEFT);
        }
    }
    if (trace->progress != NULL && !hs_child_enter(trace->progress)) {
        return HS_TRACE_STOP;
    }
    if (trace->end != HS_TRACE_WHOLE) {
        return HS_TRACE_PASS_OVER;
    }
    bool is_late = ++trace->edges % LOOK_EVERY == 0 && trace->deadline_us != 0 &&
                   hs_clock_monotonic_us() >= trace->deadline_us;
    if (is_late) {
        (void)stop(trace, HS_TRACE_TIME);
    }
    return is_late ? HS_TRACE_PASS_OVER : HS_TRACE_DESCEND;
}

/* What the VM is to do: nothing more once the walk has ended. */
static enum hs_trace_step leave(struct hs_trace *trace, enum hs_trace_step step) {
    bool has_ended = trace->end != HS_TRACE_WHOLE;
    if (trace->progress != NULL) {
        hs_child_leave(trace->progress);
    }
    return has_ended ? HS_TRACE_STOP : step;
}

/* ---- places ---- */

/* Where the object must be; 0: not known. */
static uint64_t true_place(const struct hs_trace *trace, uint32_t node) {
    const struct hs_trace_places *places = &trace->places;
    return node <= trace->size.classes ? places->of_class(places->context, node)
                                       : hs_proof_shown(&places->proof, node);
}

/* Is the object shown where it must be, or is that not known? */
static bool agrees(const struct hs_trace *trace, uint32_t node, uint64_t place,
                   struct hs_proof_list *list) {
    uint64_t expected = node == 0 ? 0 : true_place(trace, node);
    bool is_place = expected == place || expected == 0;
    return is_place && (expected == 0 || list == NULL || hs_proof_add(list, node, place));
}

/* Looks at what an edge shows of objects whose places are known. False: the walk ends. */
static bool prove(struct hs_trace *trace, const struct hs_trace_edge *edge) {
    struct hs_trace_places *places = &trace->places;
    if (places->of_class == NULL) {
        return true;
    }
    bool has_from = edge->from != NULL && edge->from != edge->tag;
    uint32_t from = has_from ? node_of(*edge->from) : 0;
    uint32_t to = node_of(*edge->tag);
    if (places->nodes != NULL) {
        return agrees(trace, to, edge->place, NULL) && agrees(trace, from, edge->from_place, NULL);
    }
    struct hs_proof_list *of_classes = to <= trace->size.classes ? &places->proof.to : NULL;
    bool is_right = agrees(trace, to, edge->place, of_classes) &&
                    agrees(trace, from, edge->from_place, &places->proof.from);
    bool is_proved = hs_proof_is_done(&places->proof);
    if (!is_right || (is_proved && hs_places_new(&places->nodes) != HS_OK)) {
        places->of_class = NULL;
    }
    return true;
}

/* The node of an object that the walk has shown before; 0: none. */
static uint32_t known_node(const struct hs_trace *trace, int64_t tag, uint64_t place) {
    uint32_t node = node_of(tag);
    return node != 0 || trace->places.nodes == NULL ? node
                                                    : hs_places_get(trace->places.nodes, place);
}

/* ---- nodes ---- */

/* Of a graph with as many nodes, all but the graph itself. */
static uint64_t bytes_beside(const struct hs_trace *trace, uint64_t nodes) {
    uint64_t places = trace->places.nodes == NULL ? 0 : hs_places_bytes(trace->places.nodes);
    bool has_dominators = places == 0 && !trace->is_of_moments;
    uint64_t least = HS_LEAST_SEARCH_BYTES + (trace->has_loaders ? HS_LOADER_BYTES : 0);
    uint64_t search = (nodes + 1) * (has_dominators ? HS_SEARCH_BYTES : least);
    uint64_t walk = places + trace->walk_bytes;
    return trace->tagged * HS_TAG_BYTES + (walk > search ? walk : search);
}

uint64_t hs_trace_bytes(const struct hs_trace *trace) {
    return hs_graph_bytes(trace->graph) + bytes_beside(trace, hs_graph_node_count(trace->graph));
}

/* A new node; 0 without room. From then on the graph, its edges included, leaves the rest what it takes with this node. */
static uint32_t add_node(struct hs_trace *trace, uint32_t class_number) {
    uint64_t beside = HS_TAG_BYTES + bytes_beside(trace, hs_graph_node_count(trace->graph) + 1);
    if (hs_graph_bytes(trace->graph) + beside > trace->most_bytes) {
        return 0;
    }
    hs_graph_set_most(trace->graph, trace->most_bytes - beside);
    return hs_graph_add_node(trace->graph, class_number);
}

/* Remembers the node of an object: a target, and others as long as there are tags, in the tag. */
static bool remember(struct hs_trace *trace, uint32_t node, int64_t *tag, uint64_t place) {
    uint32_t mark = mark_of(*tag);
    if (trace->places.nodes != NULL && mark == 0) {
        return hs_places_put(trace->places.nodes, place, node);
    }
    *tag = tag_of(node, mark);
    trace->tagged++;
    if (mark != 0) {
        trace->nodes[mark - 1] = node;
    }
    return true;
}

/* The object's node, which it gets if it has none; 0 without room. */
static uint32_t need_node(struct hs_trace *trace, uint32_t class_number, int64_t *tag,
                          uint64_t place) {
    uint32_t node = known_node(trace, *tag, place);
    if (node != 0) {
        return node;
    }
    node = add_node(trace, class_number);
    bool keeps_tag = trace->places.nodes == NULL || mark_of(*tag) != 0;
    if (trace->places.of_class != NULL && keeps_tag) {
        hs_proof_show(&trace->places.proof, node, place);
    }
    return node != 0 && remember(trace, node, tag, place) ? node : 0;
}

/* Does it lead nowhere? */
static bool is_leaf(const struct hs_trace *trace, uint32_t class_number) {
    uint32_t bits = trace->facts[class_number].bits;
    return (bits & HS_CLASS_LEAF) != 0 || ((bits & HS_CLASS_TEXT) != 0 && !trace->has_text);
}

/* ---- values of classes ---- */

static bool has_room_for_value(struct hs_trace *trace) {
    if (trace->value_count < trace->value_room) {
        return true;
    }
    size_t room = trace->value_room == 0 ? FIRST_VALUES : 2 * trace->value_room;
    struct hs_class_value *values = hs_mem_new_array(room, sizeof *values);
    if (values == NULL) {
        return false;
    }
    if (trace->value_count > 0) {
        memcpy(values, trace->values, trace->value_count * sizeof *values);
    }
    hs_mem_free(trace->values, trace->value_room * sizeof *values);
    trace->values = values;
    trace->value_room = room;
    return true;
}

bool hs_trace_add_class_value(struct hs_trace *trace, uint32_t class_number, uint32_t field,
                              int64_t value_class_tag, int64_t *tag) {
    uint32_t value_class = class_of(trace, value_class_tag);
    if (is_leaf(trace, value_class) && !is_target(trace, *tag)) {
        return false;
    }
    uint32_t node = has_room_for_value(trace) ? need_node(trace, value_class, tag, 0) : 0;
    if (node == 0) {
        trace->lacks_value = true;
        return false;
    }
    trace->last_value = node > trace->last_value ? node : trace->last_value;
    trace->values[trace->value_count++] = (struct hs_class_value){class_number, field, node};
    return true;
}

/* The place of the first one of a class, or of a class after it. */
static size_t first_value(const struct hs_trace *trace, uint32_t class_number) {
    size_t low = 0;
    size_t high = trace->value_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (trace->values[middle].class_number < class_number) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static void add_value(struct hs_trace *trace, const struct hs_class_value *value) {
    const struct hs_edge edge = {.to = value->node, .kind = HS_EDGE_OTHER, .index = value->field};
    if (!hs_graph_add_edge(trace->graph, value->class_number, &edge)) {
        trace->lacks_value = true;
    }
}

/* Before the first edge of an object is added. */
static void begin_row(struct hs_trace *trace, uint32_t from) {
    if (from == trace->row) {
        return;
    }
    trace->row = from;
    if (from == 0 || from > trace->size.classes) {
        return;
    }
    for (size_t i = first_value(trace, from);
         i < trace->value_count && trace->values[i].class_number == from; i++) {
        add_value(trace, &trace->values[i]);
    }
}

void hs_trace_finish(struct hs_trace *trace) {
    hs_places_free(trace->places.nodes);
    trace->places = (struct hs_trace_places){0};
    uint32_t class_number = 0;
    bool is_without_edges = false;
    for (size_t i = 0; i < trace->value_count; i++) {
        if (trace->values[i].class_number != class_number) {
            class_number = trace->values[i].class_number;
            is_without_edges = hs_graph_edges_of(trace->graph, class_number).next == 0;
        }
        if (is_without_edges) {
            add_value(trace, &trace->values[i]);
        }
    }
}

/* ---- the walk ---- */

static enum hs_trace_step see_root(struct hs_trace *trace, const struct hs_root *root,
                                   int64_t class_tag, int64_t *tag, uint64_t place) {
    if (!prove(trace, &(struct hs_trace_edge){.tag = tag, .place = place})) {
        return stop(trace, HS_TRACE_ODD);
    }
    uint32_t class_number = class_of(trace, class_tag);
    bool leads_nowhere = is_leaf(trace, class_number);
    if (leads_nowhere && !is_target(trace, *tag)) {
        return HS_TRACE_PASS_OVER;
    }
    struct hs_root added = *root;
    added.to = need_node(trace, class_number, tag, place);
    if (added.kind == HS_ROOT_THREAD && mark_of(*tag) != 0) {
        added.thread = trace->thread_ids[mark_of(*tag) - 1];
    }
    if (added.to == 0 || !hs_graph_add_root(trace->graph, &added)) {
        return stop(trace, HS_TRACE_MEMORY);
    }
    return leads_nowhere ? HS_TRACE_PASS_OVER : HS_TRACE_DESCEND;
}

enum hs_trace_step hs_trace_see_root(struct hs_trace *trace, const struct hs_root *root,
                                     int64_t class_tag, int64_t *tag, uint64_t place) {
    enum hs_trace_step step = enter(trace);
    if (step == HS_TRACE_STOP) {
        return step;
    }
    if (step == HS_TRACE_DESCEND) {
        step = see_root(trace, root, class_tag, tag, place);
    }
    return leave(trace, step);
}

/* How the edge holds; false where it does not, or where that is not known. */
static bool holds(struct hs_trace *trace, const struct hs_trace_edge *edge,
                  enum hs_edge_strength *strength) {
    uint32_t class_number = class_of(trace, edge->from_class_tag);
    const struct hs_class_facts *facts = &trace->facts[class_number];
    uint32_t kind = facts->bits & (HS_CLASS_SOFT | HS_CLASS_WEAK | HS_CLASS_FINAL);
    *strength = HS_EDGE_STRONG;
    if (edge->kind != HS_EDGE_FIELD) {
        return true;
    }
    if (class_number == 0 || (kind != 0 && facts->referent == HS_NO_FIELD)) {
        trace->has_unknown = true; /* it may be a weak referent */
        return false;
    }
    if (kind == 0 || edge->index != facts->referent) {
        return true;
    }
    *strength = (kind & HS_CLASS_SOFT) != 0 ? HS_EDGE_SOFT : HS_EDGE_FINAL;
    return (kind & HS_CLASS_WEAK) == 0;
}

/* The class of an object. One that was loaded since the classes were numbered counts as a root: no object's class
 * leads there. */
static enum hs_trace_step see_class(struct hs_trace *trace, uint32_t class_number, int64_t *tag,
                                    uint64_t place) {
    if (known_node(trace, *tag, place) != 0) {
        return HS_TRACE_DESCEND;
    }
    struct hs_root root = {.to = need_node(trace, class_number, tag, place),
                           .kind = HS_ROOT_SYSTEM_CLASS};
    if (root.to == 0 || !hs_graph_add_root(trace->graph, &root)) {
        return stop(trace, HS_TRACE_MEMORY);
    }
    return HS_TRACE_DESCEND;
}

static enum hs_trace_step see_edge(struct hs_trace *trace, const struct hs_trace_edge *edge) {
    uint32_t class_number = class_of(trace, edge->class_tag);
    if (!prove(trace, edge)) {
        return stop(trace, HS_TRACE_ODD);
    }
    uint32_t from = edge->from == NULL ? 0 : known_node(trace, *edge->from, edge->from_place);
    if (from == 0 && trace->places.nodes != NULL) {
        return stop(trace, HS_TRACE_ODD);
    }
    begin_row(trace, from);
    if (edge->kind == HS_EDGE_CLASS) {
        return see_class(trace, class_number, edge->tag, edge->place);
    }
    bool leads_nowhere = is_leaf(trace, class_number);
    struct hs_edge added = {.kind = edge->kind,
                            .index = edge->index < 0 ? 0 : (uint32_t)edge->index};
    if ((leads_nowhere && !is_target(trace, *edge->tag)) || !holds(trace, edge, &added.strength)) {
        return HS_TRACE_PASS_OVER;
    }
    added.index = added.index > HS_EDGE_MAX_INDEX ? HS_EDGE_MAX_INDEX : added.index;
    added.to = need_node(trace, class_number, edge->tag, edge->place);
    if (added.to == 0 || (from != 0 && !hs_graph_add_edge(trace->graph, from, &added))) {
        return stop(trace, HS_TRACE_MEMORY);
    }
    return leads_nowhere ? HS_TRACE_PASS_OVER : HS_TRACE_DESCEND;
}

enum hs_trace_step hs_trace_see_edge(struct hs_trace *trace, const struct hs_trace_edge *edge) {
    enum hs_trace_step step = enter(trace);
    if (step == HS_TRACE_STOP) {
        return step;
    }
    if (step == HS_TRACE_DESCEND) {
        step = see_edge(trace, edge);
    }
    return leave(trace, step);
}

uint32_t hs_trace_node(const struct hs_trace *trace, uint32_t target) {
    return trace->nodes[trace->same_as[target]];
}

enum hs_outcome hs_trace_lack(const struct hs_trace *trace, enum hs_outcome otherwise) {
    if (trace->lacks_value) {
        return HS_UNRESOLVED_MEMORY;
    }
    return trace->is_short_of_time ? HS_UNRESOLVED_TIME : otherwise;
}

enum hs_outcome hs_trace_outcome(const struct hs_trace *trace, bool is_one_stop) {
    switch (trace->end) {
    case HS_TRACE_WHOLE:
        return trace->has_unknown ? HS_UNRESOLVED_NOT_POSSIBLE : HS_UNRESOLVED_ONLY_WEAK;
    case HS_TRACE_MEMORY: return HS_UNRESOLVED_MEMORY;
    case HS_TRACE_ODD: return HS_UNRESOLVED_NOT_POSSIBLE;
    case HS_TRACE_TIME: return is_one_stop ? HS_UNRESOLVED_PAUSE : HS_UNRESOLVED_TIME;
    default: return HS_UNRESOLVED_TIME;
    }
}
