/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Epochs over the fake operations: one set of them, and what the tests of canaries do with it. */
#ifndef EPOCHS_UNDER_TEST_H
#define EPOCHS_UNDER_TEST_H

#include <criterion/criterion.h>

#include "fake_ops.h"
#include "hs_epochs.h"

enum { SMALL = 24, BORN_OLD = 1 << 20 };

static struct hs_epochs epochs;

static void begin(enum hs_collector collector, uint64_t born_old_bytes) {
    fake_reset();
    hs_epochs_init(&epochs, collector, born_old_bytes);
}

static void finish(void) {
    hs_epochs_release(&epochs, &FAKE_OPS, FAKE_ENV);
    cr_assert_eq(fake_outstanding(), 0, "each canary is given back");
}

static bool advance(void) {
    return hs_epochs_advance(&epochs, &FAKE_OPS, FAKE_ENV);
}

static uint32_t before_full(void) {
    return hs_epochs_before_full(&epochs, &FAKE_OPS, FAKE_ENV);
}

static bool after_full(uint32_t number) {
    return hs_epochs_after_full(&epochs, &FAKE_OPS, FAKE_ENV, number);
}

static struct hs_birth birth(void) {
    return hs_epochs_now(&epochs);
}

static bool is_confirmed(struct hs_birth born) {
    return hs_epochs_is_confirmed(&epochs, &born, SMALL);
}

#endif
