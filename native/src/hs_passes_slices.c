/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_passes_parts.h"

/* Of a pause, for each element: a new tag takes 1 to 3 us, and no pass is cut among these. */
enum { US_PER_ELEMENT = 8, LEAST_ELEMENTS = 16 };

static uint32_t most_elements(const struct hs_passes *passes) {
    int64_t most = passes->pause_us / US_PER_ELEMENT;
    most = most < LEAST_ELEMENTS ? LEAST_ELEMENTS : most;
    return most > HS_PASSES_FRONTIER ? HS_PASSES_FRONTIER : (uint32_t)most;
}

/* The elements are known by now, or lost. */
static void leave_slice(struct hs_passes *passes) {
    struct hs_passes_slice *slice = &passes->slice;
    for (uint32_t i = 0; i < slice->count; i++) {
        passes->states[slice->nodes[i]] &= (uint16_t)~IS_ELEMENT;
    }
    slice->count = 0;
    slice->most = most_elements(passes);
}

/* In a circle, so that many arrays among many nodes are found in one round. */
static bool find_array(struct hs_passes *passes) {
    struct hs_passes_slice *slice = &passes->slice;
    uint32_t count = hs_graph_node_count(passes->trace->graph);
    for (uint32_t i = 0; passes->sliced < passes->large && i < count; i++) {
        slice->searched = slice->searched % count + 1;
        if ((passes->states[slice->searched] & IS_SLICED) != 0) {
            slice->array = slice->searched;
            slice->tag = hs_trace_tag(passes->trace, slice->array);
            slice->next = 0;
            slice->end = 0;
            slice->is_last = false;
            return true;
        }
    }
    return false;
}

bool hs_passes_next_slice(struct hs_passes *passes) {
    struct hs_passes_slice *slice = &passes->slice;
    leave_slice(passes);
    if (slice->array != 0 && slice->is_last) {
        passes->states[slice->array] &= (uint16_t)~IS_SLICED;
        passes->sliced++;
        slice->array = 0;
    }
    return slice->array != 0 || find_array(passes);
}

bool hs_passes_read(struct hs_passes *passes, uint32_t index) {
    struct hs_passes_slice *slice = &passes->slice;
    slice->indexes[slice->count] = index;
    slice->nodes[slice->count] = 0;
    return ++slice->count < slice->most;
}

void hs_passes_unread(struct hs_passes *passes, uint32_t element) {
    passes->states[passes->slice.nodes[element]] &= (uint16_t)~IS_ELEMENT;
    passes->slice.nodes[element] = 0;
}

uint32_t hs_passes_place_in_slice(const struct hs_passes *passes, uint32_t node) {
    const struct hs_passes_slice *slice = &passes->slice;
    for (uint32_t i = 0; i < slice->count; i++) {
        if (slice->nodes[i] == node) {
            return slice->indexes[i] + 1;
        }
    }
    return 0;
}

void hs_passes_show_element(struct hs_passes *passes, const struct hs_trace_edge *edge,
                            uint32_t before) {
    struct hs_passes_slice *slice = &passes->slice;
    uint32_t node = hs_trace_tag_node(*edge->tag);
    uint32_t element = (uint32_t)edge->index;
    if (node != 0 && node < passes->room && element < slice->count) {
        slice->nodes[element] = node;
        passes->states[node] |= IS_ELEMENT;
        passes->parents[node] = before == 0 ? slice->array : passes->parents[node];
    }
}

void hs_passes_settle_slice(struct hs_passes *passes) {
    struct hs_passes_slice *slice = &passes->slice;
    struct hs_edge edges[HS_PASSES_FRONTIER];
    uint32_t count = 0;
    passes->is_direct = false;
    for (uint32_t i = 0; i < slice->count; i++) {
        if (slice->nodes[i] != 0) {
            passes->states[slice->nodes[i]] |= IS_ELEMENT; /* it may be there twice */
            edges[count++] = (struct hs_edge){
                .to = slice->nodes[i], .kind = HS_EDGE_ELEMENT, .index = slice->indexes[i]};
        }
    }
    struct hs_trace *trace = passes->trace;
    if (count > 0 && !hs_graph_add_slice(trace->graph, slice->array, edges, count, &slice->end)) {
        trace->end = HS_TRACE_MEMORY;
    }
}
