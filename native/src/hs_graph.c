/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_graph.h"

#include "hs_mem.h"

/* Chunks of an array: the first has 2^10 elements, each further one as many as all before it and the first, up to 2^18;
 * from then on all have 2^18. So the element `index` is at the place index + 2^10, whose highest bit names a small chunk,
 * and whose upper bits number a large one. */
enum {
    FIRST_SHIFT = 10,
    LARGE_SHIFT = 18,
    FIRST = 1 << FIRST_SHIFT,
    LARGE = 1 << LARGE_SHIFT,
    SMALL_CHUNKS = LARGE_SHIFT - FIRST_SHIFT,
    LARGE_CHUNKS = 1 << (32 - LARGE_SHIFT),
};
#define MOST_NODES ((UINT32_C(1) << 31) - 1) /* the highest bit is free for hs_search.h */
#define MOST_EDGES (UINT32_MAX - LARGE)
#define MOST_ROOTS (UINT32_MAX - LARGE)

struct chunks {
    uint32_t element_bytes;
    uint32_t most;
    uint32_t count; /* elements in use */
    uint32_t capacity;
    void *small[SMALL_CHUNKS];
    void **large; /* LARGE_CHUNKS of them, of which the first is none; NULL until one is needed */
};

struct node {
    uint32_t class_number;
    uint32_t first_edge; /* 0: none */
};

/* Of `bits`, from the lowest: 4 of the kind, 2 of the strength, LAST, 25 of the index. The last edge of a slice has a kind of its own,
 * and its successor is no edge: `to` is the number of the edge that begins the next slice, 0 for none. */
struct edge {
    uint32_t to;
    uint32_t bits;
};
enum { STRENGTH_SHIFT = 4, LAST = 1 << 6, INDEX_SHIFT = 7, KIND_MASK = 15, STRENGTH_MASK = 3 };
enum { KIND_END_OF_SLICE = KIND_MASK };
_Static_assert((int)HS_EDGE_KIND_COUNT <= (int)KIND_END_OF_SLICE, "kinds have room beside it");

struct hs_graph {
    struct chunks nodes; /* and edges: element 0 is none */
    struct chunks edges;
    struct chunks roots;
    uint64_t most_bytes;
    uint64_t bytes;
    uint32_t class_count;
    uint32_t row;  /* the node whose edges come now */
    uint32_t ends; /* of slices */
    bool has_overflown;
};

/* ---- chunks ---- */

static inline void *at(const struct chunks *chunks, uint32_t index, size_t element_bytes) {
    uint32_t place = index + FIRST;
    if (place >= LARGE) {
        char *chunk = chunks->large[place >> LARGE_SHIFT];
        return chunk + (place & (LARGE - 1)) * element_bytes;
    }
    uint32_t top = 31 - (uint32_t)__builtin_clz(place);
    char *chunk = chunks->small[top - FIRST_SHIFT];
    return chunk + (place - (UINT32_C(1) << top)) * element_bytes;
}

static void *take(struct hs_graph *graph, size_t bytes) {
    void *memory = graph->bytes + bytes <= graph->most_bytes ? hs_mem_new(bytes) : NULL;
    graph->bytes += memory != NULL ? bytes : 0;
    return memory;
}

static bool has_room_for_one(struct hs_graph *graph, struct chunks *chunks) {
    if (chunks->count < chunks->capacity) {
        return true;
    }
    if (chunks->count >= chunks->most) {
        return false;
    }
    uint32_t place = chunks->capacity + FIRST;
    uint32_t elements = place < LARGE ? place : LARGE;
    if (elements == LARGE && chunks->large == NULL) {
        chunks->large = take(graph, LARGE_CHUNKS * sizeof *chunks->large);
        if (chunks->large == NULL) {
            return false;
        }
    }
    void *chunk = take(graph, (size_t)elements * chunks->element_bytes);
    if (chunk == NULL) {
        return false;
    }
    if (place < LARGE) {
        chunks->small[31 - __builtin_clz(place) - FIRST_SHIFT] = chunk;
    } else {
        chunks->large[place >> LARGE_SHIFT] = chunk;
    }
    chunks->capacity += elements;
    return true;
}

/* Room for one more element, at the end; NULL without. */
static void *push(struct hs_graph *graph, struct chunks *chunks) {
    if (graph->has_overflown || !has_room_for_one(graph, chunks)) {
        graph->has_overflown = true;
        return NULL;
    }
    return at(chunks, chunks->count++, chunks->element_bytes);
}

static void chunks_free(struct chunks *chunks) {
    for (uint32_t i = 0; i < SMALL_CHUNKS; i++) {
        hs_mem_free(chunks->small[i], ((size_t)FIRST << i) * chunks->element_bytes);
    }
    if (chunks->large != NULL) {
        for (uint32_t i = 0; i < LARGE_CHUNKS; i++) {
            hs_mem_free(chunks->large[i], (size_t)LARGE * chunks->element_bytes);
        }
        hs_mem_free(chunks->large, LARGE_CHUNKS * sizeof *chunks->large);
    }
}

static struct node *node_at(const struct hs_graph *graph, uint32_t node) {
    return at(&graph->nodes, node, sizeof(struct node));
}

static struct edge *edge_at(const struct hs_graph *graph, uint32_t number) {
    return at(&graph->edges, number, sizeof(struct edge));
}

/* ---- adding ---- */

static bool add_first_elements(struct hs_graph *graph, uint32_t class_count) {
    if (push(graph, &graph->nodes) == NULL || push(graph, &graph->edges) == NULL) {
        return false;
    }
    for (uint32_t class_number = 1; class_number <= class_count; class_number++) {
        if (hs_graph_add_node(graph, class_number) == 0) {
            return false;
        }
    }
    return true;
}

enum hs_status hs_graph_new(uint32_t class_count, uint64_t most_bytes, struct hs_graph **result) {
    struct hs_graph *graph = most_bytes >= sizeof *graph ? hs_mem_new(sizeof *graph) : NULL;
    if (graph == NULL) {
        return HS_NO_MEMORY;
    }
    graph->nodes = (struct chunks){.element_bytes = sizeof(struct node), .most = MOST_NODES};
    graph->edges = (struct chunks){.element_bytes = sizeof(struct edge), .most = MOST_EDGES};
    graph->roots = (struct chunks){.element_bytes = sizeof(struct hs_root), .most = MOST_ROOTS};
    graph->most_bytes = most_bytes;
    graph->bytes = sizeof *graph;
    graph->class_count = class_count;
    if (!add_first_elements(graph, class_count)) {
        hs_graph_free(graph);
        return HS_NO_MEMORY;
    }
    *result = graph;
    return HS_OK;
}

void hs_graph_free(struct hs_graph *graph) {
    if (graph != NULL) {
        chunks_free(&graph->nodes);
        chunks_free(&graph->edges);
        chunks_free(&graph->roots);
        hs_mem_free(graph, sizeof *graph);
    }
}

void hs_graph_set_most(struct hs_graph *graph, uint64_t most_bytes) {
    graph->most_bytes = most_bytes;
}

uint32_t hs_graph_add_node(struct hs_graph *graph, uint32_t class_number) {
    struct node *node = push(graph, &graph->nodes);
    if (node == NULL) {
        return 0;
    }
    node->class_number = class_number;
    return graph->nodes.count - 1;
}

static bool exists(const struct hs_graph *graph, uint32_t node) {
    return node != 0 && node < graph->nodes.count;
}

static struct edge pack(const struct hs_edge *edge, uint32_t kind) {
    uint32_t index = edge->index < HS_EDGE_MAX_INDEX ? edge->index : HS_EDGE_MAX_INDEX;
    return (struct edge){edge->to,
                         kind | (uint32_t)edge->strength << STRENGTH_SHIFT | index << INDEX_SHIFT};
}

bool hs_graph_add_edge(struct hs_graph *graph, uint32_t from, const struct hs_edge *edge) {
    if (!exists(graph, from) || !exists(graph, edge->to)) {
        return true;
    }
    struct node *node = node_at(graph, from);
    bool is_next = from == graph->row;
    if (!is_next && node->first_edge != 0) {
        return true;
    }
    struct edge *packed = push(graph, &graph->edges);
    if (packed == NULL) {
        return false;
    }
    uint32_t number = graph->edges.count - 1;
    *packed = pack(edge, (uint32_t)edge->kind | LAST);
    if (is_next) {
        edge_at(graph, number - 1)->bits &= ~(uint32_t)LAST;
    } else {
        node->first_edge = number;
        graph->row = from;
    }
    return true;
}

/* What was pushed of a slice without room for all of it is reached by no node. */
bool hs_graph_add_slice(struct hs_graph *graph, uint32_t from, const struct hs_edge *edges,
                        uint32_t count, uint32_t *end) {
    uint32_t first = graph->edges.count;
    graph->row = 0;
    for (uint32_t i = 0; i <= count; i++) {
        struct edge *packed = push(graph, &graph->edges);
        if (packed == NULL) {
            return false;
        }
        if (i < count) {
            *packed = pack(&edges[i], i + 1 < count ? HS_EDGE_ELEMENT : KIND_END_OF_SLICE);
        }
    }
    if (*end == 0) {
        node_at(graph, from)->first_edge = first;
    } else {
        edge_at(graph, *end)->to = first;
    }
    *end = graph->edges.count - 1;
    graph->ends++;
    return true;
}

bool hs_graph_add_root(struct hs_graph *graph, const struct hs_root *root) {
    if (!exists(graph, root->to)) {
        return true;
    }
    struct hs_root *added = push(graph, &graph->roots);
    if (added == NULL) {
        return false;
    }
    *added = *root;
    return true;
}

/* ---- reading ---- */

bool hs_graph_has_overflown(const struct hs_graph *graph) {
    return graph->has_overflown;
}

uint32_t hs_graph_class_count(const struct hs_graph *graph) {
    return graph->class_count;
}

uint32_t hs_graph_node_count(const struct hs_graph *graph) {
    return graph->nodes.count - 1;
}

uint64_t hs_graph_edge_count(const struct hs_graph *graph) {
    return graph->edges.count - 1 - graph->ends;
}

uint32_t hs_graph_root_count(const struct hs_graph *graph) {
    return graph->roots.count;
}

uint64_t hs_graph_bytes(const struct hs_graph *graph) {
    return graph->bytes;
}

uint32_t hs_graph_class_of(const struct hs_graph *graph, uint32_t node) {
    return node_at(graph, node)->class_number;
}

const struct hs_root *hs_graph_root(const struct hs_graph *graph, uint32_t number) {
    return at(&graph->roots, number, sizeof(struct hs_root));
}

struct hs_graph_edges hs_graph_edges_of(const struct hs_graph *graph, uint32_t node) {
    return (struct hs_graph_edges){.graph = graph, .next = node_at(graph, node)->first_edge};
}

bool hs_graph_next_edge(struct hs_graph_edges *edges, struct hs_edge *edge) {
    if (edges->next == 0) {
        return false;
    }
    const struct edge *packed = edge_at(edges->graph, (uint32_t)edges->next);
    uint32_t bits = packed->bits;
    edge->to = packed->to;
    edge->kind = (enum hs_edge_kind)(bits & KIND_MASK);
    edge->strength = (enum hs_edge_strength)(bits >> STRENGTH_SHIFT & STRENGTH_MASK);
    edge->index = bits >> INDEX_SHIFT;
    edges->next = (bits & LAST) != 0 ? 0 : edges->next + 1;
    if ((bits & KIND_MASK) == KIND_END_OF_SLICE) {
        edge->kind = HS_EDGE_ELEMENT;
        edges->next = edge_at(edges->graph, (uint32_t)edges->next)->to;
    }
    return true;
}
