/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Sites: a stack, a class and a set of labels as one number. Only the identity; sums are kept per recording, in
 * hs_totals.h. Number 0 is the site "(other)", which takes what found no room. */
#ifndef HS_SITES_H
#define HS_SITES_H

#include "hs_ids.h"
#include "hs_intern.h"

#define HS_SITE_OTHER 0

struct hs_site {
    struct hs_stack_id stack;
    struct hs_name_id class_name;
    struct hs_label_id label;
};
_Static_assert(sizeof(struct hs_site) == 12, "no padding: the bytes are the key");

struct hs_sites {
    hs_intern *table;
};

/* The site of a thread's last sample, which is often that of the next one. All zero: none is remembered.
 * Thread: the one that remembers it. */
struct hs_last_site {
    uint64_t tables; /* in which it has its id: hs_store.code_serial, never 0 */
    struct hs_site site;
    struct hs_site_id id;
};

static inline enum hs_status hs_sites_new(uint32_t max_sites, struct hs_sites *result) {
    return hs_intern_new(max_sites, &result->table);
}

/* Thread: Callback. Fails: HS_FULL, HS_NO_MEMORY; *id is that of HS_SITE_OTHER then. */
static inline enum hs_status hs_sites_put(struct hs_sites sites, const struct hs_site *site,
                                          struct hs_site_id *id) {
    return hs_intern_put(sites.table, site, sizeof *site, &id->number);
}

/* The same, but fails with HS_FULL for a new site when `limit` sites are there. */
static inline enum hs_status hs_sites_put_within(struct hs_sites sites, uint32_t limit,
                                                 const struct hs_site *site,
                                                 struct hs_site_id *id) {
    return hs_intern_put_within(sites.table, limit, site, sizeof *site, &id->number);
}

/* NULL for HS_SITE_OTHER and for a number never given. Thread: Any. Owns: the table. */
static inline const struct hs_site *hs_sites_get(struct hs_sites sites, struct hs_site_id id) {
    uint32_t bytes;
    return hs_intern_key(sites.table, id.number, &bytes);
}

#endif
