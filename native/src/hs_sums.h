/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Sums: the totals of sites and those of threads. They are hs_totals, which know a number only; here each kind takes
 * its own id, so that one kind for the other does not compile. What treats both alike (hs_rotation.c) uses `totals`.
 * Contracts: hs_totals.h. */
#ifndef HS_SUMS_H
#define HS_SUMS_H

#include "hs_ids.h"
#include "hs_totals.h"

struct hs_site_sums {
    hs_totals *totals;
};

struct hs_thread_sums {
    hs_totals *totals;
};

static inline enum hs_status hs_site_sums_add(struct hs_site_sums sums, uint32_t stripe,
                                              struct hs_site_id site, uint64_t size,
                                              const struct hs_weight *weight,
                                              const struct hs_density *density) {
    return hs_totals_add(sums.totals, stripe, site.number, size, weight, density);
}

static inline bool hs_site_sums_read(struct hs_site_sums sums, struct hs_site_id site,
                                     struct hs_total *result) {
    return hs_totals_read(sums.totals, site.number, result);
}

static inline enum hs_status hs_site_sums_add_death(struct hs_site_sums sums,
                                                    struct hs_site_id site, int64_t age_us,
                                                    uint32_t collections, double objects) {
    return hs_totals_add_death(sums.totals, site.number, age_us, collections, objects);
}

static inline bool hs_site_sums_has_lifetimes(struct hs_site_sums sums, struct hs_site_id site) {
    return hs_totals_has_lifetimes(sums.totals, site.number);
}

static inline bool hs_site_sums_lifetimes(struct hs_site_sums sums, struct hs_site_id site,
                                          struct hs_lifetimes *result) {
    return hs_totals_lifetimes(sums.totals, site.number, result);
}

/* The sum has a place: adding cannot fail. */
static inline enum hs_status hs_thread_sums_reserve(struct hs_thread_sums sums, uint32_t stripe,
                                                    struct hs_thread_id thread) {
    return hs_totals_reserve(sums.totals, stripe, thread.number);
}

static inline enum hs_status hs_thread_sums_add(struct hs_thread_sums sums, uint32_t stripe,
                                                struct hs_thread_id thread, uint64_t size,
                                                const struct hs_weight *weight) {
    return hs_totals_add(sums.totals, stripe, thread.number, size, weight, NULL);
}

static inline bool hs_thread_sums_read(struct hs_thread_sums sums, struct hs_thread_id thread,
                                       struct hs_total *result) {
    return hs_totals_read(sums.totals, thread.number, result);
}

#endif
