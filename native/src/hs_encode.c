/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* First find out which sites, stacks, frames and names the recording refers to and number them
 * densely, then write the sections in order. What appears between the two steps has no number and is
 * left out. The sections are written twice: the first time bytes are only counted, so that the
 * array has exactly the length of the block. What callbacks do meanwhile may change only LIVE and DEAD, so these are written once, to a buffer of
 * their own. */
#include "hs_encode_parts.h"
#include "hs_session.h"

enum {
    TAG_INFO = 1,
    TAG_DROPS,
    TAG_NAMES,
    TAG_FRAMES,
    TAG_STACKS,
    TAG_SITES,
    TAG_THREADS,
    TAG_LIVE,
    TAG_DEAD,
    TAG_LIFETIMES,
    TAG_DENSITY,
    TAG_REACH,
    TAG_PLACES,
    TAG_LABELS = 15, /* 14 is for the facade: doc/snapshot-format.md */
    TAG_SITE_LABELS,
};

/* How many there are always, and only where a site has labels. */
enum { SECTIONS = TAG_PLACES, LABEL_SECTIONS = 2 };

enum {
    VERSION = 1,
    HEADER_BYTES = 32,
    SECTION_COUNT_AT = 4,
    SECTION_BYTES_AT = 8,
    BLOCK_BYTES_AT = 16,
    SECTION_HEADER_BYTES = 16
};

/* Bytes of an entry, where all of a section have as many; they are counted without a look at them. */
enum { FRAME_BYTES = 28, TOTALS_BYTES = 64, LIFETIMES_BYTES = 392, DENSITY_BYTES = 16 };

/* Likewise; then what LIVE and DEAD have around their entries, at most; and room for objects that callbacks add
 * meanwhile. */
enum { LIVE_BYTES = 40, PLACE_AT = 36, DEAD_BYTES = 56, TWO_FRAMES = 48, SPARE_LIVE = 64 };

#define NONE HS_NO_NUMBER

/* A name interned after the plan was made prints as the empty one. */
static uint32_t name_of(const struct hs_encode_plan *plan, struct hs_name_id id) {
    uint32_t name = hs_numbering_of(&plan->names, id.number);
    return name == NONE ? 0 : name;
}

static uint32_t thread_name_of(const struct hs_encode_plan *plan, struct hs_thread_id thread) {
    const hs_threads *threads = plan->view->store->threads;
    uint32_t name = hs_numbering_of(&plan->thread_names, hs_threads_name(threads, thread).number);
    return name == NONE ? 0 : plan->names.count + name;
}

static size_t begin(struct hs_encode_plan *plan, uint32_t tag, uint32_t count) {
    size_t at = plan->out->length;
    hs_buffer_u32(plan->out, tag);
    hs_buffer_u32(plan->out, count);
    hs_buffer_u64(plan->out, 0);
    return at;
}

static void end(struct hs_encode_plan *plan, size_t at) {
    hs_buffer_patch_u64(plan->out, at + SECTION_BYTES_AT, plan->out->length - at - 16);
    hs_buffer_align(plan->out);
}

static void write_info(struct hs_encode_plan *plan) {
    size_t at = begin(plan, TAG_INFO, 1);
    for (int i = 0; i < HS_INFO_COUNT; i++) {
        hs_buffer_u64(plan->out, (uint64_t)plan->view->info[i]);
    }
    end(plan, at);
    at = begin(plan, TAG_DROPS, HS_DROP_COUNT);
    for (int i = 0; i < HS_DROP_COUNT; i++) {
        uint64_t dropped =
            hs_session_dropped(plan->view->store, plan->view->recording, (enum hs_drop)i);
        hs_buffer_u64(plan->out, dropped + (i == HS_DROP_THINNED ? plan->hidden : 0));
    }
    end(plan, at);
}

static void write_text(struct hs_encode_plan *plan, const char *text, uint32_t bytes) {
    hs_buffer_u32(plan->out, bytes);
    hs_buffer_bytes(plan->out, text, bytes);
}

static void write_names(struct hs_encode_plan *plan) {
    const struct hs_store *store = plan->view->store;
    size_t at = begin(plan, TAG_NAMES, plan->names.count + plan->thread_names.count);
    uint32_t bytes;
    for (uint32_t id = hs_numbering_next(&plan->names, 0); id != NONE;
         id = hs_numbering_next(&plan->names, id + 1)) {
        const char *text = hs_names_text(store->names, (struct hs_name_id){id}, &bytes);
        write_text(plan, text, bytes);
    }
    for (uint32_t id = hs_numbering_next(&plan->thread_names, 0); id != NONE;
         id = hs_numbering_next(&plan->thread_names, id + 1)) {
        const char *text =
            hs_threads_name_text(store->threads, (struct hs_thread_name_id){id}, &bytes);
        write_text(plan, text, bytes);
    }
    end(plan, at);
}

static void write_frames(struct hs_encode_plan *plan) {
    const hs_frames *frames = plan->view->store->frames;
    size_t at = begin(plan, TAG_FRAMES, plan->frames.count);
    bool is_counted = hs_buffer_skip(plan->out, (size_t)plan->frames.count * FRAME_BYTES);
    for (uint32_t id = hs_numbering_next(&plan->frames, 0); id != NONE && !is_counted;
         id = hs_numbering_next(&plan->frames, id + 1)) {
        const struct hs_frame *frame = hs_frames_get(frames, (struct hs_frame_id){id});
        hs_buffer_u32(plan->out, name_of(plan, frame->class_name));
        hs_buffer_u32(plan->out,
                      name_of(plan, hs_frames_raw_class(frames, (struct hs_frame_id){id})));
        hs_buffer_u32(plan->out, name_of(plan, frame->method));
        hs_buffer_u32(plan->out, name_of(plan, frame->descriptor));
        hs_buffer_u32(plan->out, name_of(plan, frame->file));
        hs_buffer_u32(plan->out, (uint32_t)frame->line);
        hs_buffer_u32(plan->out, frame->flags & ~(uint32_t)HS_FRAME_ORIGIN);
    }
    end(plan, at);
}

static void write_stacks(struct hs_encode_plan *plan) {
    size_t at = begin(plan, TAG_STACKS, plan->stacks.count);
    for (uint32_t id = hs_numbering_next(&plan->stacks, 0); id != NONE;
         id = hs_numbering_next(&plan->stacks, id + 1)) {
        uint32_t count;
        const struct hs_frame_id *frames =
            hs_stacks_get(plan->view->store->stacks, (struct hs_stack_id){id}, &count);
        bool is_cut = count > 0 && frames[count - 1].number == HS_STACK_CUT;
        count -= is_cut;
        hs_buffer_u32(plan->out, count | (is_cut ? UINT32_C(1) << 31 : 0));
        bool is_counted = hs_buffer_skip(plan->out, count * sizeof(uint32_t));
        for (uint32_t j = 0; j < count && !is_counted; j++) {
            hs_buffer_u32(plan->out, hs_numbering_of(&plan->frames, frames[j].number));
        }
    }
    end(plan, at);
}

static void write_total(struct hs_encode_plan *plan, const struct hs_total *total) {
    hs_buffer_u64(plan->out, total->samples);
    hs_buffer_f64(plan->out, total->weight.objects);
    hs_buffer_f64(plan->out, total->weight.objects_variance);
    hs_buffer_f64(plan->out, total->weight.bytes);
    hs_buffer_f64(plan->out, total->weight.bytes_variance);
    hs_buffer_u64(plan->out, total->sampled_bytes);
}

static void write_sites(struct hs_encode_plan *plan) {
    const struct hs_view *view = plan->view;
    size_t at = begin(plan, TAG_SITES, plan->sites.count);
    for (uint32_t id = hs_numbering_next(&plan->sites, 0); id != NONE;
         id = hs_numbering_next(&plan->sites, id + 1)) {
        struct hs_site room;
        const struct hs_site *site =
            hs_sites_get(view->store->sites, (struct hs_site_id){id}, &room);
        struct hs_total total = {0};
        (void)hs_site_sums_read(plan->site_sums, (struct hs_site_id){id}, &total);
        bool has_lifetimes = hs_site_sums_has_lifetimes(plan->site_sums, (struct hs_site_id){id});
        plan->lifetimes += has_lifetimes;
        if (hs_buffer_skip(plan->out, TOTALS_BYTES)) {
            continue;
        }
        hs_buffer_u32(plan->out,
                      site == NULL ? NONE : hs_numbering_of(&plan->stacks, site->stack.number));
        hs_buffer_u32(plan->out, site == NULL ? 0 : name_of(plan, site->class_name));
        write_total(plan, &total);
        hs_buffer_u32(plan->out, has_lifetimes ? plan->lifetimes - 1 : NONE);
        hs_buffer_u32(plan->out, 0);
    }
    end(plan, at);
}

static void write_threads(struct hs_encode_plan *plan) {
    const struct hs_view *view = plan->view;
    size_t at = begin(plan, TAG_THREADS, plan->threads.count);
    bool is_counted = hs_buffer_skip(plan->out, (size_t)plan->threads.count * TOTALS_BYTES);
    for (uint32_t id = hs_numbering_next(&plan->threads, 0); id != NONE && !is_counted;
         id = hs_numbering_next(&plan->threads, id + 1)) {
        struct hs_total total = {0};
        (void)hs_thread_sums_read(plan->thread_sums, (struct hs_thread_id){id}, &total);
        hs_buffer_u64(plan->out, (uint64_t)hs_threads_java_id(view->store->threads,
                                                              (struct hs_thread_id){id}));
        hs_buffer_u32(plan->out, thread_name_of(plan, (struct hs_thread_id){id}));
        hs_buffer_u32(plan->out, 0);
        write_total(plan, &total);
    }
    end(plan, at);
}

/* The dense number of a sample's site or thread. Those of the previous generation have been renumbered,
 * except for a few that a callback has added since. One without a sum is part of "(other)": the last move
 * of a rotation found no memory for it. A callback adds to the sum first, so such a one is not new. */
static uint32_t number_in(const struct hs_numbering *numbers, const hs_totals *sums, uint32_t id,
                          uint32_t generation) {
    _Static_assert(HS_SITE_OTHER == HS_THREAD_OTHER, "for sites and threads");
    if (hs_generation_of(id) != generation) {
        return NONE;
    }
    uint32_t dense = hs_numbering_of(numbers, hs_number_of(id));
    bool is_other = dense == NONE && !hs_totals_has(sums, hs_number_of(id));
    return is_other ? hs_numbering_of(numbers, HS_SITE_OTHER) : dense;
}

/* The 40 bytes that LIVE and DEAD share, `last` at their end; false when the sample is not in this view. */
static bool write_sample(struct hs_encode_plan *plan, const struct hs_sample *sample,
                         uint32_t thinning, uint32_t liveness, uint32_t collections,
                         uint32_t last) {
    const struct hs_store *store = plan->view->store;
    uint32_t site =
        number_in(&plan->sites, plan->site_sums.totals, sample->site.bits, store->code_generation);
    uint32_t thread = number_in(&plan->threads, plan->thread_sums.totals, sample->thread.bits,
                                store->thread_generation);
    if ((sample->recordings & plan->view->recording->bit) == 0 || site == NONE || thread == NONE) {
        return false;
    }
    hs_buffer_u32(plan->out, site);
    hs_buffer_u32(plan->out, thread);
    hs_buffer_u64(plan->out, sample->size);
    hs_buffer_u64(plan->out, (uint64_t)(sample->allocated_us + plan->view->wall_offset_us));
    hs_buffer_u32(plan->out, sample->drawn);
    hs_buffer_u32(plan->out, thinning | liveness << 8);
    hs_buffer_u32(plan->out, collections);
    hs_buffer_u32(plan->out, last);
    plan->written++;
    return true;
}

static void visit_live(void *context, hs_ref ref, const struct hs_sample *sample, uint32_t thinning,
                       uint32_t place) {
    struct hs_encode_plan *plan = context;
    struct hs_epochs *epochs = plan->view->epochs;
    bool is_confirmed = hs_epochs_is_confirmed(epochs, &sample->birth, sample->size);
    uint32_t survived =
        is_confirmed ? hs_epochs_survived(hs_epochs_observed(epochs), &sample->birth) : 0;
    if (write_sample(plan, sample, thinning, is_confirmed ? 1 : 0, survived, place) &&
        plan->view->reach != NULL) {
        hs_reach_ask(plan->view->reach, ref);
    }
}

/* If a callback raised a level meanwhile, some entries are gone and the others weigh more than was
 * written: once again then. */
static void write_live(struct hs_encode_plan *plan) {
    hs_live *live = plan->view->store->live;
    size_t at = plan->out->length;
    uint32_t levels;
    do {
        if (!plan->out->has_failed) {
            plan->out->length = at;
        }
        plan->written = 0;
        if (plan->view->reach != NULL) {
            hs_reach_restart(plan->view->reach);
        }
        levels = hs_live_levels(live);
        (void)begin(plan, TAG_LIVE, 0);
        plan->hidden = hs_live_each(live, levels, plan->view->recording->bit, visit_live, plan);
    } while (hs_live_levels(live) != levels);
    plan->live = plan->written;
    hs_buffer_patch_u32(plan->out, at + SECTION_COUNT_AT, plan->written);
    end(plan, at);
}

static void write_dead(struct hs_encode_plan *plan) {
    hs_dead_ring *dead_ring = plan->view->store->dead_ring;
    int64_t offset = plan->view->wall_offset_us;
    plan->written = 0;
    size_t at = begin(plan, TAG_DEAD, 0);
    for (uint32_t i = 0; i < hs_dead_ring_count(dead_ring); i++) {
        const struct hs_dead *dead = hs_dead_ring_get(dead_ring, i);
        if (write_sample(plan, &dead->sample, dead->thinning, 2, dead->collections, 0)) {
            hs_buffer_u64(plan->out, (uint64_t)(dead->seen_alive_us + offset));
            hs_buffer_u64(plan->out, (uint64_t)(dead->found_dead_us + offset));
        }
    }
    hs_buffer_patch_u32(plan->out, at + SECTION_COUNT_AT, plan->written);
    end(plan, at);
}

static void write_lifetimes(struct hs_encode_plan *plan) {
    size_t at = begin(plan, TAG_LIFETIMES, plan->lifetimes);
    bool is_counted = hs_buffer_skip(plan->out, (size_t)plan->lifetimes * LIFETIMES_BYTES);
    for (uint32_t id = hs_numbering_next(&plan->sites, 0); id != NONE && !is_counted;
         id = hs_numbering_next(&plan->sites, id + 1)) {
        struct hs_lifetimes lifetimes;
        if (!hs_site_sums_lifetimes(plan->site_sums, (struct hs_site_id){id}, &lifetimes)) {
            continue;
        }
        hs_buffer_u64(plan->out, lifetimes.deaths);
        for (int j = 0; j < HS_LIFETIME_AGES; j++) {
            hs_buffer_f64(plan->out, lifetimes.by_age[j]);
        }
        for (int j = 0; j < HS_LIFETIME_COLLECTIONS; j++) {
            hs_buffer_f64(plan->out, lifetimes.by_collections[j]);
        }
    }
    end(plan, at);
}

/* In the order of SITES. A site that was added to since may be ahead of its entry there. */
static void write_density(struct hs_encode_plan *plan) {
    size_t at = begin(plan, TAG_DENSITY, plan->sites.count);
    bool is_counted = hs_buffer_skip(plan->out, (size_t)plan->sites.count * DENSITY_BYTES);
    for (uint32_t id = hs_numbering_next(&plan->sites, 0); id != NONE && !is_counted;
         id = hs_numbering_next(&plan->sites, id + 1)) {
        struct hs_total total = {0};
        (void)hs_site_sums_read(plan->site_sums, (struct hs_site_id){id}, &total);
        hs_buffer_u64(plan->out, total.density.samples);
        hs_buffer_u64(plan->out, total.density.length);
    }
    end(plan, at);
}

/* One byte for each in LIVE, or none at all. */
static void write_reach(struct hs_encode_plan *plan) {
    const struct hs_reach *reach = plan->view->reach;
    uint32_t count = reach == NULL ? 0 : hs_reach_count(reach);
    size_t at = begin(plan, TAG_REACH, count);
    for (uint32_t i = 0; i < count; i++) {
        unsigned char state = (unsigned char)hs_reach_state(reach, i);
        hs_buffer_bytes(plan->out, &state, 1);
    }
    end(plan, at);
}

/* LIVE and DEAD. A place is no part of an entry. */
static void write_living(struct hs_encode_plan *plan) {
    const unsigned char *from = plan->living.data;
    size_t live = SECTION_HEADER_BYTES + (size_t)plan->live * LIVE_BYTES;
    if (hs_buffer_skip(plan->out, plan->living.length)) {
        return;
    }
    hs_buffer_bytes(plan->out, from, SECTION_HEADER_BYTES);
    for (size_t at = SECTION_HEADER_BYTES; at < live; at += LIVE_BYTES) {
        hs_buffer_bytes(plan->out, from + at, PLACE_AT);
        hs_buffer_u32(plan->out, 0);
    }
    hs_buffer_bytes(plan->out, from + live, plan->living.length - live);
}

/* In the order of LIVE. */
static void write_places(struct hs_encode_plan *plan) {
    const unsigned char *from = plan->living.data + SECTION_HEADER_BYTES;
    size_t at = begin(plan, TAG_PLACES, plan->live);
    bool is_counted = hs_buffer_skip(plan->out, plan->live * sizeof(uint32_t));
    for (uint32_t i = 0; i < plan->live && !is_counted; i++) {
        hs_buffer_bytes(plan->out, from + (size_t)i * LIVE_BYTES + PLACE_AT, sizeof(uint32_t));
    }
    end(plan, at);
}

/* Entry 0 is the empty one. */
static void write_labels(struct hs_encode_plan *plan) {
    const struct hs_store *store = plan->view->store;
    size_t at = begin(plan, TAG_LABELS, plan->labels.count);
    for (uint32_t id = hs_numbering_next(&plan->labels, 0); id != NONE;
         id = hs_numbering_next(&plan->labels, id + 1)) {
        uint32_t bytes;
        const char *text = hs_labels_get(store->labels, (struct hs_label_id){id}, &bytes);
        write_text(plan, text, bytes);
    }
    end(plan, at);
}

/* In the order of SITES. */
static void write_site_labels(struct hs_encode_plan *plan) {
    size_t at = begin(plan, TAG_SITE_LABELS, plan->sites.count);
    bool is_counted = hs_buffer_skip(plan->out, plan->sites.count * sizeof(uint32_t));
    for (uint32_t id = hs_numbering_next(&plan->sites, 0); id != NONE && !is_counted;
         id = hs_numbering_next(&plan->sites, id + 1)) {
        struct hs_site room;
        const struct hs_site *site =
            hs_sites_get(plan->view->store->sites, (struct hs_site_id){id}, &room);
        hs_buffer_u32(plan->out, hs_numbering_of(&plan->labels, hs_encode_label_of(site).number));
    }
    end(plan, at);
}

static void write_header(struct hs_encode_plan *plan) {
    hs_buffer_bytes(plan->out, "HSNP", 4);
    hs_buffer_u32(plan->out, VERSION | HEADER_BYTES << 16);
    hs_buffer_u32(plan->out, SECTIONS + (plan->has_labels ? LABEL_SECTIONS : 0));
    hs_buffer_u32(plan->out, 0);
    hs_buffer_u64(plan->out, 0);
    hs_buffer_u64(plan->out, 0);
}

/* The living are read before the sums: each was added up before it was tracked, so live figures never
 * exceed allocated ones.
 * The dead go with them: to which site one belongs depends on sums that callbacks add to. */
static void look_at_living(struct hs_encode_plan *plan) {
    const struct hs_store *store = plan->view->store;
    size_t living = (size_t)hs_live_count(store->live) + SPARE_LIVE;
    size_t dead = hs_dead_ring_count(store->dead_ring);
    plan->out = &plan->living;
    hs_buffer_expect(&plan->living, TWO_FRAMES + living * LIVE_BYTES + dead * DEAD_BYTES);
    write_live(plan);
    write_dead(plan);
    if (plan->view->reach != NULL) {
        hs_reach_find(plan->view->reach);
    }
}

static void write_all(struct hs_encode_plan *plan, struct hs_buffer *out) {
    plan->out = out;
    plan->lifetimes = 0;
    write_header(plan);
    write_info(plan);
    write_names(plan);
    write_frames(plan);
    write_stacks(plan);
    write_sites(plan);
    write_threads(plan);
    write_living(plan);
    write_lifetimes(plan);
    write_density(plan);
    write_reach(plan);
    write_places(plan);
    if (plan->has_labels) {
        write_labels(plan);
        write_site_labels(plan);
    }
    hs_buffer_patch_u64(out, BLOCK_BYTES_AT, out->length);
    hs_buffer_end(out);
}

enum hs_status hs_encode(const struct hs_view *view, struct hs_buffer *buffer) {
    const struct hs_store *store = view->store;
    struct hs_encode_plan plan = {.view = view,
                                  .site_sums = view->recording->sums[store->code_generation].sites,
                                  .thread_sums =
                                      view->recording->sums[store->thread_generation].threads};
    struct hs_buffer count = {.counts_only = true};
    enum hs_status status = HS_NO_MEMORY;
    if (hs_encode_plan_make(&plan)) {
        hs_encode_plan_number(&plan);
        look_at_living(&plan);
    }
    if (plan.living.length > 0 && !plan.living.has_failed) {
        write_all(&plan, &count);
        hs_buffer_expect(buffer, count.length);
        write_all(&plan, buffer);
        bool is_as_counted = buffer->length == count.length;
        status = buffer->has_failed ? HS_NO_MEMORY : is_as_counted ? HS_OK : HS_MISCOUNTED;
    }
    hs_buffer_free(&plan.living);
    hs_encode_plan_free(&plan);
    return status;
}
