/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* A heap of a few objects, walked as the VM does: roots first, then depth first, each object once. What takes time moves
 * the made-up clock. */
#ifndef FAKE_HEAP_H
#define FAKE_HEAP_H

#include <criterion/criterion.h>
#include <pthread.h>
#include <unistd.h>

#include "hs_holders.h"
#include "made_up_clocks.h"

enum { APP = 1, TEXT, PLAIN, SOFT, WEAK, THREAD, BYTES, OTHERS, CLASSES = OTHERS + 31 };
enum { MOST_OBJECTS = 512, MOST_EDGES = 2048, REFERENT = 3, FAKE_FIELD = 9 };
enum { OBJECT_US = 5 }; /* what a pass takes to come to an object */

/* Objects 1 to CLASSES are the classes themselves. */
struct fake_object {
    uint32_t class_number;
    int64_t tag;
    bool is_visited;
};

struct fake_edge {
    uint32_t from; /* 0: a root */
    uint32_t to;
    enum hs_edge_kind kind;
    int32_t index;
    struct hs_root root;
};

struct fake_heap {
    struct fake_object objects[MOST_OBJECTS];
    uint32_t object_count;
    struct fake_edge edges[MOST_EDGES];
    uint32_t edge_count;
    uint32_t targets[8];
    uint32_t target_count;
    uint32_t thread; /* an object; 0: none */
    int64_t thread_id;
    uint32_t
        value_of[CLASSES + 1]; /* what FAKE_FIELD of a class's own object refers to; 0: nothing */
    /* Of hs_holders_vm. */
    struct hs_holders_heap described;
    enum hs_status open_fails;
    enum hs_status mark_fails;
    enum hs_status walk_fails;
    struct hs_passes *passes; /* while a pass walks */
    uint32_t gone;            /* an object that no tag leads to; 0: none */
    int64_t large;            /* the size of this object is such */
    uint32_t large_object;
    void (*while_read)(struct fake_heap *heap); /* after the pause of each slice of an array */
    int slices;
    int slow_us;      /* each edge of a pass takes as long */
    int tail_us;      /* what the VM does at the end of each pass takes as long */
    bool is_new_slow; /* only those to objects without a tag do */
    bool has_places;  /* objects are shown with addresses, and the walk may rely on them */
    uint64_t
        constant; /* objects that are no classes are all shown with this address; 0: with their own */
    uint32_t odd;      /* this object is shown with another one's; 0: none */
    uint32_t odd_from; /* and this one, as the one that refers */
    pid_t parent;
    int64_t awaited_us; /* at most; 0: not called */
    int left_out;       /* calls of leave_out, as bits: first the oldest */
    int opened;
    int closed;
    int walks;
    int looked_up; /* objects, no classes, that passes began at, and that the one before did not look up */
    uint32_t last_looked_up;
};

static const struct hs_class_facts FAKE_FACTS[CLASSES + 1] = {
    [APP] = {.bits = HS_CLASS_STAYS},
    [TEXT] = {.bits = HS_CLASS_TEXT | HS_CLASS_JDK | HS_CLASS_STAYS},
    [PLAIN] = {.bits = HS_CLASS_LEAF | HS_CLASS_STAYS},
    [SOFT] = {.bits = HS_CLASS_SOFT | HS_CLASS_JDK | HS_CLASS_STAYS, .referent = REFERENT},
    [WEAK] = {.bits = HS_CLASS_WEAK | HS_CLASS_JDK | HS_CLASS_STAYS, .referent = REFERENT},
    [THREAD] = {.bits = HS_CLASS_THREAD | HS_CLASS_JDK | HS_CLASS_STAYS, .locals = {5, 6}},
    [BYTES] = {.bits = HS_CLASS_LEAF | HS_CLASS_JDK | HS_CLASS_STAYS},
};

static inline void fake_heap_init(struct fake_heap *heap) {
    *heap = (struct fake_heap){.object_count = CLASSES + 1, .parent = getpid()};
    for (uint32_t i = 1; i <= CLASSES; i++) {
        heap->objects[i].tag = i;
    }
    heap->described = (struct hs_holders_heap){.collector = HS_G1,
                                               .feature = 17,
                                               .used = 1000,
                                               .is_copied = true,
                                               .room = UINT64_MAX,
                                               .size = {.classes = CLASSES, .threads = 1},
                                               .facts = FAKE_FACTS};
}

static inline uint32_t fake_object(struct fake_heap *heap, uint32_t class_number) {
    heap->objects[heap->object_count] = (struct fake_object){.class_number = class_number};
    return heap->object_count++;
}

static inline void fake_refer(struct fake_heap *heap, uint32_t from, uint32_t to,
                              enum hs_edge_kind kind, int32_t index) {
    heap->edges[heap->edge_count++] =
        (struct fake_edge){.from = from, .to = to, .kind = kind, .index = index};
}

static inline void fake_root(struct fake_heap *heap, uint32_t to, struct hs_root root) {
    heap->edges[heap->edge_count++] = (struct fake_edge){.to = to, .root = root};
}

/* Roots and edges that prove that objects are shown with their addresses, if they are seen before all else: the roots come last,
 * and so they are followed first. */
static inline void fake_prove(struct fake_heap *heap) {
    heap->has_places = true;
    for (uint32_t other = OTHERS; other <= CLASSES; other++) {
        fake_root(heap, other, (struct hs_root){.kind = HS_ROOT_SYSTEM_CLASS});
        fake_refer(heap, other, SOFT, HS_EDGE_CONSTANT_POOL, 1);
    }
}

static inline uint64_t fake_place_of_class(void *context, uint32_t class_number) {
    const struct fake_heap *heap = context;
    return (uint64_t)(uintptr_t)&heap->objects[class_number];
}

static inline uint64_t fake_place(const struct fake_heap *heap, uint32_t object) {
    bool is_shown = heap->has_places && heap->passes == NULL;
    if (is_shown && heap->constant != 0 && object > CLASSES) {
        return heap->constant;
    }
    return is_shown ? (uint64_t)(uintptr_t)&heap->objects[object == heap->odd ? 0 : object] : 0;
}

static inline enum hs_trace_step fake_show(struct fake_heap *heap, struct hs_trace *trace,
                                           const struct fake_edge *edge) {
    struct fake_object *to = &heap->objects[edge->to];
    /* The class of a class is java.lang.Class, which is not among them. */
    int64_t class_tag = to->class_number;
    int64_t bytes = edge->to == heap->large_object ? heap->large : 16;
    if (heap->passes != NULL && heap->slow_us > 0 && (!heap->is_new_slow || to->tag == 0)) {
        let_pass(heap->slow_us);
    }
    if (edge->from == 0 && heap->passes != NULL) {
        return hs_passes_see_root(heap->passes, &edge->root, class_tag, &to->tag, bytes);
    }
    if (edge->from == 0) {
        return hs_trace_see_root(trace, &edge->root, class_tag, &to->tag,
                                 fake_place(heap, edge->to));
    }
    struct fake_object *from = &heap->objects[edge->from];
    const struct hs_trace_edge seen = {
        .kind = edge->kind,
        .index = edge->index,
        .class_tag = class_tag,
        .from_class_tag = from->class_number,
        .tag = &to->tag,
        .from = &from->tag,
        .place = fake_place(heap, edge->to),
        .from_place = edge->from == heap->odd_from ? 8 : fake_place(heap, edge->from)};
    return heap->passes != NULL ? hs_passes_see_edge(heap->passes, &seen, bytes)
                                : hs_trace_see_edge(trace, &seen);
}

/* Returns whether the walk goes on. */
static inline bool fake_visit(struct fake_heap *heap, struct hs_trace *trace, uint32_t from) {
    uint32_t found[MOST_EDGES];
    uint32_t count = 0;
    let_pass(heap->passes != NULL ? OBJECT_US : 0);
    for (uint32_t i = 0; i < heap->edge_count; i++) {
        const struct fake_edge *edge = &heap->edges[i];
        if (edge->from != from) {
            continue;
        }
        enum hs_trace_step step = fake_show(heap, trace, edge);
        if (step == HS_TRACE_STOP) {
            return false;
        }
        if (step == HS_TRACE_DESCEND) {
            found[count++] = edge->to;
        }
    }
    while (count > 0) {
        struct fake_object *next = &heap->objects[found[--count]];
        if (!next->is_visited) {
            next->is_visited = true;
            if (!fake_visit(heap, trace, found[count])) {
                return false;
            }
        }
    }
    return true;
}

static inline enum hs_status fake_open(void *context, struct hs_holders_heap *described) {
    struct fake_heap *heap = context;
    if (heap->open_fails == HS_OK) {
        heap->opened++;
    }
    *described = heap->described;
    return heap->open_fails;
}

static inline enum hs_status fake_mark(void *context, struct hs_trace *trace) {
    struct fake_heap *heap = context;
    if (heap->thread != 0) {
        int64_t *tag = &heap->objects[heap->thread].tag;
        *tag = hs_trace_mark_thread(trace, heap->thread_id, *tag);
    }
    for (uint32_t i = 0; i < heap->target_count; i++) {
        int64_t *tag = &heap->objects[heap->targets[i]].tag;
        *tag = hs_trace_mark_target(trace, i, *tag);
        trace->has_text = trace->has_text || heap->objects[heap->targets[i]].class_number == BYTES;
        trace->has_loaders = trace->has_loaders || heap->targets[i] <= CLASSES;
    }
    for (uint32_t i = 1; i <= CLASSES; i++) {
        struct fake_object *value = &heap->objects[heap->value_of[i]];
        if (heap->value_of[i] != 0) {
            (void)hs_trace_add_class_value(trace, i, FAKE_FIELD, value->class_number, &value->tag);
        }
    }
    return heap->mark_fails;
}

static inline enum hs_status fake_walk(void *context, struct hs_trace *trace) {
    struct fake_heap *heap = context;
    heap->walks++;
    if (heap->walk_fails != HS_OK) {
        return heap->walk_fails;
    }
    if (heap->has_places && !trace->has_tags_alone) {
        trace->places = (struct hs_trace_places){.of_class = fake_place_of_class, .context = heap};
    }
    (void)fake_visit(heap, trace, 0);
    for (uint32_t i = 1; i <= CLASSES; i++) {
        if (heap->value_of[i] != 0 && !heap->objects[heap->value_of[i]].is_visited) {
            heap->objects[heap->value_of[i]].is_visited = true;
            (void)fake_visit(heap, trace, heap->value_of[i]);
        }
    }
    if (getpid() != heap->parent) {
        pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
        pthread_cond_t never = PTHREAD_COND_INITIALIZER;
        (void)pthread_mutex_lock(&mutex);
        for (;;) {
            (void)pthread_cond_wait(&never, &mutex);
        }
    }
    return HS_OK;
}

static inline void fake_unvisit(struct fake_heap *heap) {
    for (uint32_t i = 1; i < heap->object_count; i++) {
        heap->objects[i].is_visited = false;
    }
}

static inline enum hs_status fake_see_roots(void *context, struct hs_passes *passes) {
    struct fake_heap *heap = context;
    heap->walks++;
    if (heap->walk_fails != HS_OK) {
        return heap->walk_fails;
    }
    heap->passes = passes;
    hs_passes_begin(passes);
    (void)fake_visit(heap, passes->trace, 0);
    hs_passes_end(passes);
    heap->passes = NULL;
    fake_unvisit(heap);
    return HS_OK;
}

/* The object with this tag, as an element of an array that has none. Returns whether the walk goes on. */
static inline bool fake_begin_at(struct fake_heap *heap, struct hs_passes *passes, uint32_t i) {
    static const int64_t NO_TAG = 0;
    struct fake_object *object = &heap->objects[i];
    const struct hs_trace_edge seen = {.kind = HS_EDGE_ELEMENT,
                                       .class_tag = object->class_number,
                                       .tag = &object->tag,
                                       .from = &NO_TAG};
    if (hs_passes_see_edge(passes, &seen, 16) != HS_TRACE_DESCEND || object->is_visited) {
        return true;
    }
    object->is_visited = true;
    return fake_visit(heap, passes->trace, i);
}

/* The element of an array; 0: null. `*is_after`: there is none at this index or after it. */
static inline uint32_t fake_element(const struct fake_heap *heap, uint32_t array, uint32_t index,
                                    bool *is_after) {
    uint32_t element = 0;
    *is_after = true;
    for (uint32_t i = 0; i < heap->edge_count; i++) {
        const struct fake_edge *edge = &heap->edges[i];
        if (edge->from == array && edge->kind == HS_EDGE_ELEMENT) {
            element = (uint32_t)edge->index == index ? edge->to : element;
            *is_after = *is_after && (uint32_t)edge->index < index;
        }
    }
    return element;
}

static inline uint32_t fake_array(const struct fake_heap *heap, int64_t tag) {
    for (uint32_t i = 1; i < heap->object_count; i++) {
        if (heap->objects[i].tag == tag && i != heap->gone) {
            return i;
        }
    }
    return 0;
}

/* False for an element that its array has no more at that place. `number`: of the object among those to begin at. */
static inline bool fake_is_there(const struct fake_heap *heap, const struct hs_passes *passes,
                                 uint32_t number, uint32_t object) {
    struct hs_passes_place place;
    bool is_after;
    return !hs_passes_place(passes, number, &place) ||
           fake_element(heap, fake_array(heap, place.tag), place.index, &is_after) == object;
}

/* Shows all elements, then goes down from the last. */
static inline void fake_walk_slice(struct fake_heap *heap, struct hs_passes *passes,
                                   const uint32_t *elements) {
    static const int64_t NO_TAG = 0;
    uint32_t found[HS_PASSES_FRONTIER];
    uint32_t count = 0;
    bool goes_on = true;
    for (uint32_t i = 0; i < passes->slice.count && goes_on; i++) {
        struct fake_object *object = &heap->objects[elements[i]];
        const struct hs_trace_edge seen = {.kind = HS_EDGE_ELEMENT,
                                           .index = (int32_t)i,
                                           .class_tag = object->class_number,
                                           .tag = &object->tag,
                                           .from = &NO_TAG};
        int64_t bytes = elements[i] == heap->large_object ? heap->large : 16;
        enum hs_trace_step step = hs_passes_see_edge(passes, &seen, bytes);
        goes_on = step != HS_TRACE_STOP;
        if (step == HS_TRACE_DESCEND) {
            found[count++] = elements[i];
        }
    }
    while (count > 0 && goes_on) {
        struct fake_object *object = &heap->objects[found[--count]];
        goes_on = object->is_visited || fake_visit(heap, passes->trace, found[count]);
        object->is_visited = true;
    }
}

static inline enum hs_status fake_follow_slice(void *context, struct hs_passes *passes) {
    struct fake_heap *heap = context;
    struct hs_passes_slice *slice = &passes->slice;
    uint32_t elements[HS_PASSES_FRONTIER];
    uint32_t array = fake_array(heap, slice->tag);
    bool has_room = true;
    bool is_after = array == 0;
    while (has_room && !is_after) {
        uint32_t element = fake_element(heap, array, slice->next, &is_after);
        if (element != 0) {
            elements[slice->count] = element;
            has_room = hs_passes_read(passes, slice->next);
        }
        slice->next++;
    }
    slice->is_last = is_after;
    if (slice->count == 0) {
        return HS_OK;
    }
    heap->slices++;
    heap->walks++;
    heap->passes = passes;
    hs_passes_begin(passes);
    fake_walk_slice(heap, passes, elements);
    hs_passes_end(passes);
    heap->passes = NULL;
    fake_unvisit(heap);
    if (heap->while_read != NULL) {
        heap->while_read(heap);
    }
    for (uint32_t i = 0; i < slice->count; i++) {
        if (fake_element(heap, array, slice->indexes[i], &is_after) != elements[i]) {
            hs_passes_unread(passes, i);
        }
    }
    return HS_OK;
}

static inline enum hs_status fake_follow(void *context, struct hs_passes *passes,
                                         const int64_t *tags, uint32_t count) {
    struct fake_heap *heap = context;
    bool goes_on = true;
    heap->walks++;
    heap->passes = passes;
    for (uint32_t j = 0; j < count; j++) {
        uint32_t node = hs_trace_tag_node(tags[j]);
        bool is_new = node > CLASSES && node != heap->last_looked_up &&
                      !hs_passes_place(passes, j, &(struct hs_passes_place){0});
        heap->looked_up += is_new ? 1 : 0;
        heap->last_looked_up = is_new ? node : heap->last_looked_up;
    }
    for (uint32_t i = 1; i < heap->object_count; i++) {
        for (uint32_t j = 0; j < count && i != heap->gone; j++) {
            if (heap->objects[i].tag == tags[j] && fake_is_there(heap, passes, j, i)) {
                hs_passes_found(passes, tags[j]);
            }
        }
    }
    hs_passes_begin(passes);
    for (uint32_t j = 0; j < count && goes_on; j++) {
        for (uint32_t i = 1; i < heap->object_count && goes_on; i++) {
            if (i != heap->gone && heap->objects[i].tag == tags[j] &&
                fake_is_there(heap, passes, j, i)) {
                goes_on = fake_begin_at(heap, passes, i);
            }
        }
    }
    let_pass(heap->tail_us);
    hs_passes_end(passes);
    heap->passes = NULL;
    fake_unvisit(heap);
    return HS_OK;
}

static inline void fake_leave_out(void *context, bool is_out) {
    struct fake_heap *heap = context;
    heap->left_out = heap->left_out << 1 | (is_out ? 1 : 0);
}

static inline void fake_await_spare(void *context, int64_t most_us) {
    struct fake_heap *heap = context;
    heap->awaited_us = heap->left_out == 0 ? most_us : -1;
}

static inline void fake_close(void *context) {
    struct fake_heap *heap = context;
    heap->closed++;
    for (uint32_t i = 1; i < heap->object_count; i++) {
        heap->objects[i].tag = i <= CLASSES ? i : 0;
        heap->objects[i].is_visited = false;
    }
}

static inline struct hs_holders_vm fake_vm_of(struct fake_heap *heap) {
    return (struct hs_holders_vm){
        .context = heap,
        .open = fake_open,
        .mark = fake_mark,
        .walk = fake_walk,
        .leave_out = fake_leave_out,
        .await_spare = fake_await_spare,
        .passes = {heap, fake_see_roots, fake_follow, fake_follow_slice, NULL, NULL},
        .close = fake_close};
}

#endif
