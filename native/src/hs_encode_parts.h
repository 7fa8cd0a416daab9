/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Encoder, inside: which sites, stacks, frames, names and threads a recording refers to, and their numbers in the block. */
#ifndef HS_ENCODE_PARTS_H
#define HS_ENCODE_PARTS_H

#include "hs_encode.h"
#include "hs_numbering.h"

struct hs_encode_plan {
    const struct hs_view *view;
    struct hs_site_sums site_sums;
    struct hs_thread_sums thread_sums;
    struct hs_buffer *out;
    struct hs_numbering names;
    struct hs_numbering thread_names; /* follow the others in NAMES */
    struct hs_numbering frames;
    struct hs_numbering stacks;
    struct hs_numbering sites;
    struct hs_numbering threads;
    struct hs_numbering labels;
    bool has_labels;         /* a site has some */
    struct hs_buffer living; /* the sections LIVE, each entry with its place at its end, and DEAD */
    struct hs_buffer examples; /* the entries of EXAMPLES: they change meanwhile */
    uint32_t live;             /* entries of LIVE */
    uint32_t lifetimes;
    uint32_t written;
    uint64_t hidden; /* entries that the level no longer wants: thinned from now on */
};

/* Makes room for the numbers. Owns: the caller calls hs_encode_plan_free, also after a failure. Fails: false, without memory. */
bool hs_encode_plan_make(struct hs_encode_plan *plan);
void hs_encode_plan_free(struct hs_encode_plan *plan);

/* Numbers all that the recording refers to. */
void hs_encode_plan_number(struct hs_encode_plan *plan);

/* Then collects the examples of its sites. Fails: has_failed of `examples`. */
void hs_encode_plan_collect(struct hs_encode_plan *plan);

/* The labels of a site: those of "(other)", which is NULL, are "(other)" as well. */
static inline struct hs_label_id hs_encode_label_of(const struct hs_site *site) {
    struct hs_label_id other = {HS_LABEL_OTHER};
    return site == NULL ? other : site->label;
}

#endif
