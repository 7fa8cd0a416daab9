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

struct hs_sites {
    hs_intern *table;
};

/* A key of the table: the three numbers in one word, as without labels, so that they cost a site nothing. */
enum { HS_SITE_STACK_BITS = 25, HS_SITE_CLASS_BITS = 25, HS_SITE_LABEL_BITS = 14 };
_Static_assert(HS_SITE_STACK_BITS + HS_SITE_CLASS_BITS + HS_SITE_LABEL_BITS == 64, "one word");
_Static_assert(HS_INTERN_MAX < 1 << HS_SITE_STACK_BITS && HS_INTERN_MAX < 1 << HS_SITE_CLASS_BITS,
               "the numbers of stacks and names");

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

static inline uint64_t hs_site_key(const struct hs_site *site) {
    uint64_t label = (uint64_t)site->label.number << (HS_SITE_STACK_BITS + HS_SITE_CLASS_BITS);
    uint64_t class_name = (uint64_t)site->class_name.number << HS_SITE_STACK_BITS;
    return label | class_name | site->stack.number;
}

/* Thread: Callback. Fails: HS_FULL, HS_NO_MEMORY; *id is that of HS_SITE_OTHER then. */
static inline enum hs_status hs_sites_put(struct hs_sites sites, const struct hs_site *site,
                                          struct hs_site_id *id) {
    uint64_t key = hs_site_key(site);
    return hs_intern_put(sites.table, &key, sizeof key, &id->number);
}

/* The same, but fails with HS_FULL for a new site when `limit` sites are there. */
static inline enum hs_status hs_sites_put_within(struct hs_sites sites, uint32_t limit,
                                                 const struct hs_site *site,
                                                 struct hs_site_id *id) {
    uint64_t key = hs_site_key(site);
    return hs_intern_put_within(sites.table, limit, &key, sizeof key, &id->number);
}

/* Puts the site into `site`, which it returns; NULL for HS_SITE_OTHER and for a number never given. Thread: Any. */
static inline const struct hs_site *hs_sites_get(struct hs_sites sites, struct hs_site_id id,
                                                 struct hs_site *site) {
    uint32_t bytes;
    const uint64_t *key = hs_intern_key(sites.table, id.number, &bytes); /* aligned to 8 */
    if (key == NULL) {
        return NULL;
    }
    site->stack.number = (uint32_t)(*key & ((UINT64_C(1) << HS_SITE_STACK_BITS) - 1));
    site->class_name.number =
        (uint32_t)(*key >> HS_SITE_STACK_BITS & ((UINT64_C(1) << HS_SITE_CLASS_BITS) - 1));
    site->label.number = (uint32_t)(*key >> (HS_SITE_STACK_BITS + HS_SITE_CLASS_BITS));
    return site;
}

#endif
