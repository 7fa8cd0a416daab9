/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Sets of labels that were added, each with one label: tenant=t and its number. */
#ifndef LABELLED_H
#define LABELLED_H

#include <criterion/criterion.h>
#include <stdio.h>

#include "fake_ops.h"
#include "hs_check.h"
#include "hs_label_sets.h"

enum { LABELLED_BYTES = 32 };

static struct hs_phaser labelled_phaser; /* mostly with no thread inside */

/* Answers its length, which is that of two texts. */
static inline uint32_t labelled_bytes(uint32_t tenant, char bytes[LABELLED_BYTES]) {
    int count = snprintf(bytes, LABELLED_BYTES, "tenant%ct%u", '\0', tenant);
    return (uint32_t)count + 1;
}

/* Its word; 0 where there was no room. */
static inline uint64_t labelled_add_beside(struct hs_phaser *phaser, uint32_t tenant) {
    char bytes[LABELLED_BYTES];
    uint64_t word;
    enum hs_status status =
        hs_label_sets_add(phaser, bytes, labelled_bytes(tenant, bytes), 1, &word);
    HS_CHECK((status == HS_OK && word > HS_LABELS_OTHER) || (status == HS_FULL && word == 0));
    return word;
}

static inline uint64_t labelled_add(uint32_t tenant) {
    return labelled_add_beside(&labelled_phaser, tenant);
}

static inline bool labelled_is(const struct hs_label_set *set, uint32_t tenant) {
    char bytes[LABELLED_BYTES];
    uint32_t count = labelled_bytes(tenant, bytes);
    return set != NULL && set->bytes == count && memcmp(set->text, bytes, count) == 0;
}

#endif
