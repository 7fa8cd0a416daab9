/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Callbacks read their records while the SDK's library is closed and opened again, and its keys change. A library that
 * went too early would end the program; a record that is found is the thread's own, with keys of one edition. */
#include <stdlib.h>

#include "crew.h"
#include "hs_otel.h"
#include "unit/needs_peek.h"
#include "unit/otel_sdk.h"

enum { READERS = 3, ROUNDS = 300, KEY_BYTES = 6 };

static struct hs_otel otel;
static struct hs_phaser phaser;
static pthread_rwlock_t door = PTHREAD_RWLOCK_INITIALIZER; /* of `sdk` */
static struct sdk sdk;
static _Atomic bool is_over;
static _Atomic uint32_t found;

static void attach(void *record) {
    HS_CHECK(pthread_rwlock_rdlock(&door) == 0);
    if (sdk.handle != NULL) {
        sdk.attach(record);
    }
    HS_CHECK(pthread_rwlock_unlock(&door) == 0);
}

static void check(const struct hs_otel_context *context, const unsigned char *record) {
    HS_CHECK(context->has_trace && memcmp(&context->example, record, 24) == 0);
    if (context->label_bytes == 0) {
        return; /* before the first keys */
    }
    HS_CHECK(context->label_bytes == KEY_BYTES + 3);
    HS_CHECK(memcmp(context->labels + KEY_BYTES + 1, "v", 2) == 0);
    for (int i = 1; i < KEY_BYTES; i++) {
        HS_CHECK(context->labels[i] == context->labels[0]);
    }
    found++;
}

static void read_own(int number) {
    _Alignas(2) unsigned char record[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,  0,
                                          0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 3, 0, 0, 1, 'v'};
    struct hs_otel_slots slots = {0};
    struct hs_otel_context context;
    memset(record, number, 24);
    while (!is_over) {
        attach(record);
        uint32_t token = hs_phaser_enter(&phaser, (uint32_t)number);
        if (hs_otel_read(&otel, &slots, &context)) {
            check(&context, record);
        }
        hs_phaser_exit(&phaser, token);
    }
}

static void change_keys(int edition) {
    struct hs_otel_keys *keys = calloc(1, sizeof *keys);
    HS_CHECK(keys != NULL);
    *keys = (struct hs_otel_keys){.count = 1, .ranks = 1, .bytes = {KEY_BYTES}};
    memset(keys->texts, 'a' + edition % 26, KEY_BYTES);
    struct hs_otel_keys *old = atomic_exchange(&otel.keys, keys);
    while (!hs_phaser_wait(&phaser, 1000000)) {
    }
    free(old);
}

static void come_and_go(int number) {
    (void)number;
    for (int i = 0; i < ROUNDS || found < ROUNDS; i++) {
        HS_CHECK(pthread_rwlock_wrlock(&door) == 0);
        if (sdk.handle == NULL) {
            sdk = sdk_open("gd");
        } else {
            (void)dlclose(sdk.handle);
            sdk.handle = NULL;
        }
        HS_CHECK(pthread_rwlock_unlock(&door) == 0);
        hs_otel_look(&otel, &phaser, "", (int64_t)i * HS_OTEL_CHECK_US);
        if (hs_otel_retire(&otel, &phaser, 1000000, false)) {
            hs_otel_look(&otel, &phaser, "", (int64_t)i * HS_OTEL_CHECK_US);
        }
        change_keys(i);
    }
    is_over = true;
}

static crew_work *const WORKS[] = {come_and_go, read_own, read_own, read_own};

Test(stress_otel, no_library_goes_while_a_callback_reads) {
    NEEDS_PEEK();
    crew_each(READERS + 1, WORKS);
    free(atomic_exchange(&otel.keys, NULL));
    (void)hs_otel_retire(&otel, &phaser, 1000000, true);
    hs_otel_settle(&otel, &phaser);
}
