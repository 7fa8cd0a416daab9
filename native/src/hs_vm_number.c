/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* A whole stack that is known is looked up first: then the origins of its frames are not read. */
#include "hs_vm_number.h"

#include "hs_check.h"

/* Is the first frame that is not the JDK's one of ours? Then the allocation is our own, however deep an
 * application's frames lie; what an application does when we call it is not. */
static bool is_own(const struct hs_store *store, const struct hs_frame_id *ids, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        uint32_t origin = hs_frames_origin(store->frames, ids[i]);
        if (origin != HS_FRAME_JDK) {
            return origin == HS_FRAME_OWN;
        }
    }
    return false;
}

enum hs_status hs_vm_number_what_fits(struct hs_store *store, const struct hs_frame_id *ids,
                                      uint32_t count, struct hs_intake_stack *found) {
    bool is_whole;
    enum hs_status status =
        hs_stacks_put_what_fits(store->stacks, ids, count, &found->stack, &is_whole);
    found->is_shortened = !is_whole;
    return status;
}

enum hs_status hs_vm_number_stack(struct hs_store *store, struct hs_frame_id *ids, uint32_t looked,
                                  struct hs_intake_stack *found) {
    HS_DCHECK(looked <= HS_MAX_DEPTH + 1);
    uint32_t depth = store->limits.depth;
    uint32_t kept = looked < depth ? looked : depth;
    if (looked > kept && is_own(store, ids, looked)) {
        return HS_OWN;
    }
    uint32_t frames = kept;
    struct hs_frame_id first_cut = ids[kept];
    if (found->is_truncated) {
        ids[kept++].number = HS_STACK_CUT;
    }
    enum hs_status status = HS_OK;
    found->stack.number = hs_intern_find(store->stacks.table, ids, kept * (uint32_t)sizeof *ids);
    if (found->stack.number == 0) {
        status =
            is_own(store, ids, frames) ? HS_OWN : hs_vm_number_what_fits(store, ids, kept, found);
    }
    ids[frames] = first_cut;
    return status;
}

enum hs_status hs_vm_number_named(struct hs_store *store, struct hs_frame_id *ids, uint32_t named,
                                  struct hs_intake_stack *found) {
    uint32_t kept = named < store->limits.depth ? named : store->limits.depth;
    found->lacks_names = true;
    found->is_truncated = false; /* one cause is enough */
    if (is_own(store, ids, named)) {
        return HS_OWN;
    }
    ids[kept].number = HS_STACK_CUT;
    return hs_vm_number_what_fits(store, ids, kept + 1, found);
}
