/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_sites.h"

#include <criterion/criterion.h>

Test(sites, are_a_stack_a_class_and_labels) {
    struct hs_sites sites;
    cr_assert_eq(hs_sites_new(100, &sites), HS_OK);
    for (uint32_t i = 0; i < 100; i++) {
        struct hs_site site = {.stack = {i / 25}, .class_name = {i / 5 % 5}, .label = {i % 5}};
        struct hs_site_id id = {0};
        cr_assert_eq(hs_sites_put(sites, &site, &id), HS_OK);
        cr_assert_eq(id.number, i + 1);
        cr_assert_neq(id.number, HS_SITE_OTHER);
    }
    for (uint32_t i = 0; i < 100; i++) {
        const struct hs_site *site =
            hs_sites_get(sites, (struct hs_site_id){i + 1}, &(struct hs_site){0});
        cr_assert_eq(site->stack.number, i / 25);
        cr_assert_eq(site->class_name.number, i / 5 % 5);
        cr_assert_eq(site->label.number, i % 5);
    }
    cr_assert(hs_intern_is_valid(sites.table));
    hs_intern_free(sites.table);
}

Test(sites, what_finds_no_room_is_the_other_site) {
    struct hs_sites sites;
    struct hs_site first = {{1}, {2}, {0}};
    struct hs_site second = {{2}, {1}, {0}};
    struct hs_site_id id = {77};
    cr_assert_eq(hs_sites_new(1, &sites), HS_OK);
    cr_assert_null(hs_sites_get(sites, (struct hs_site_id){HS_SITE_OTHER}, &(struct hs_site){0}));
    cr_assert_null(hs_sites_get(sites, (struct hs_site_id){1}, &(struct hs_site){0}));
    cr_assert_eq(hs_sites_put(sites, &first, &id), HS_OK);
    cr_assert_eq(hs_sites_put(sites, &second, &id), HS_FULL);
    cr_assert_eq(id.number, HS_SITE_OTHER);
    cr_assert_null(hs_sites_get(sites, (struct hs_site_id){HS_SITE_OTHER}, &(struct hs_site){0}));
    cr_assert(hs_intern_is_valid(sites.table));
    hs_intern_free(sites.table);
}
