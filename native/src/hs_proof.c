/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_proof.h"

void hs_proof_show(struct hs_proof *proof, uint32_t node, uint64_t place) {
    proof->shown[node % HS_PROOF_SHOWN] = (struct hs_proof_object){node, place};
}

uint64_t hs_proof_shown(const struct hs_proof *proof, uint32_t node) {
    const struct hs_proof_object *shown = &proof->shown[node % HS_PROOF_SHOWN];
    return shown->node == node ? shown->place : 0;
}

bool hs_proof_add(struct hs_proof_list *list, uint32_t node, uint64_t place) {
    if (list->count == HS_PROOF_OBJECTS) {
        return true;
    }
    for (uint32_t i = 0; i < list->count; i++) {
        bool is_node = list->objects[i].node == node;
        bool is_place = list->objects[i].place == place;
        if (is_node || is_place) {
            return is_node && is_place;
        }
    }
    list->objects[list->count++] = (struct hs_proof_object){node, place};
    return true;
}

bool hs_proof_is_done(const struct hs_proof *proof) {
    return proof->to.count == HS_PROOF_OBJECTS && proof->from.count == HS_PROOF_OBJECTS;
}
