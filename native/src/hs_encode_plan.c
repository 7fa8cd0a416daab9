/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_encode_parts.h"

bool hs_encode_plan_make(struct hs_encode_plan *plan) {
    const struct hs_store *store = plan->view->store;
    /* Each table's end is read before what refers to it is walked, so an id may lie beyond it only if
     * it is younger than this call. */
    return hs_numbering_new(&plan->sites, hs_intern_end(store->sites.table)) &&
           hs_numbering_new(&plan->stacks, hs_intern_end(store->stacks.table)) &&
           hs_numbering_new(&plan->frames, hs_frames_end(store->frames)) &&
           hs_numbering_new(&plan->threads, store->limits.threads + 1) &&
           hs_numbering_new(&plan->labels, hs_labels_end(store->labels)) &&
           hs_numbering_new(&plan->thread_names, store->limits.threads + 1) &&
           hs_numbering_new(&plan->names, hs_intern_end(store->names.table));
}

void hs_encode_plan_free(struct hs_encode_plan *plan) {
    hs_numbering_free(&plan->names);
    hs_numbering_free(&plan->thread_names);
    hs_numbering_free(&plan->labels);
    hs_numbering_free(&plan->threads);
    hs_numbering_free(&plan->frames);
    hs_numbering_free(&plan->stacks);
    hs_numbering_free(&plan->sites);
}

static void mark_name(struct hs_encode_plan *plan, struct hs_name_id id) {
    (void)hs_numbering_mark(&plan->names, id.number);
}

static void mark_frame(struct hs_encode_plan *plan, struct hs_frame_id id) {
    const struct hs_frame *frame = hs_frames_get(plan->view->store->frames, id);
    if (frame == NULL || !hs_numbering_mark(&plan->frames, id.number)) {
        return;
    }
    mark_name(plan, frame->class_name);
    mark_name(plan, hs_frames_raw_class(plan->view->store->frames, id));
    mark_name(plan, frame->method);
    mark_name(plan, frame->descriptor);
    mark_name(plan, frame->file);
}

static void mark_stack(struct hs_encode_plan *plan, struct hs_stack_id id) {
    uint32_t count;
    const struct hs_frame_id *frames = hs_stacks_get(plan->view->store->stacks, id, &count);
    if (frames == NULL || !hs_numbering_mark(&plan->stacks, id.number)) {
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        mark_frame(plan, frames[i]);
    }
}

static void mark_thread(struct hs_encode_plan *plan, struct hs_thread_id id) {
    struct hs_thread_name_id name = hs_threads_name(plan->view->store->threads, id);
    (void)hs_numbering_mark(&plan->threads, id.number);
    if (name.number != 0) {
        (void)hs_numbering_mark(&plan->thread_names, name.number);
    }
}

void hs_encode_plan_number(struct hs_encode_plan *plan) {
    const struct hs_view *view = plan->view;
    struct hs_total total;
    (void)hs_numbering_mark(&plan->names, 0);
    (void)hs_numbering_mark(&plan->labels, 0);
    for (uint32_t id = 0; id < plan->sites.end; id++) {
        struct hs_site room;
        const struct hs_site *site =
            hs_sites_get(view->store->sites, (struct hs_site_id){id}, &room);
        if ((site == NULL && id != HS_SITE_OTHER) ||
            !hs_site_sums_read(plan->site_sums, (struct hs_site_id){id}, &total)) {
            continue;
        }
        (void)hs_numbering_mark(&plan->sites, id);
        (void)hs_numbering_mark(&plan->labels, hs_encode_label_of(site).number);
        if (site != NULL) {
            mark_stack(plan, site->stack);
            mark_name(plan, site->class_name);
            plan->has_labels = plan->has_labels || site->label.number != 0;
        }
    }
    for (uint32_t id = 0; id < plan->threads.end; id++) {
        if (hs_thread_sums_read(plan->thread_sums, (struct hs_thread_id){id}, &total)) {
            mark_thread(plan, (struct hs_thread_id){id});
        }
    }
    struct hs_numbering *all[] = {&plan->names, &plan->thread_names, &plan->frames, &plan->stacks,
                                  &plan->sites, &plan->threads,      &plan->labels};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        hs_numbering_settle(all[i]);
    }
}
