/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* An OpenTelemetry record of the running thread, at a variable of the test, with the labels route=/a and user=ann. */
#ifndef TEST_ATTACHED_RECORD_H
#define TEST_ATTACHED_RECORD_H

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "hs_otel.h"
#include "needs_peek.h"

#define ATTACHED_LABELS "route\0/a\0user\0ann\0"

/* Trace 1.., span 2.., valid, 9 bytes of attributes. */
static _Alignas(2) unsigned char attached_record[] = {
    1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,   1,   1,   1, 1, 2,   2,  2,
    2, 2, 2, 2, 2, 1, 0, 9, 0, 1, 3, 'a', 'n', 'n', 0, 2, '/', 'a'};

static void *attached; /* the variable */

static inline void *attached_addr(struct hs_tls_index *index) {
    (void)index;
    return &attached;
}

static struct hs_otel_libraries attached_libraries = {
    .serial = UINT64_MAX, .get_addr = attached_addr, .count = 1};
static struct hs_otel_keys attached_keys = {.schema = HS_OTEL_SCHEMA_1,
                                            .count = 2,
                                            .ranks = 2,
                                            .rank = {0, 1},
                                            .at = {0, 6},
                                            .bytes = {5, 4},
                                            .texts = "route\0user"};

/* Attaches it, as if the library and the keys had been found. */
static inline void attach_record(struct hs_otel *otel) {
    attached_libraries.process = getpid();
    atomic_store(&otel->libraries, &attached_libraries);
    atomic_store(&otel->keys, &attached_keys);
    attached = attached_record;
}

/* Another trace, of this number, with the span of the number. */
static inline void attach_trace(unsigned char number) {
    memset(attached_record, number, 24);
}

static inline struct hs_otel_context attached_context(unsigned char trace) {
    struct hs_otel_context context = {.has_trace = true, .label_bytes = sizeof ATTACHED_LABELS - 1};
    memset(&context.example, trace, sizeof context.example);
    memcpy(context.labels, ATTACHED_LABELS, context.label_bytes);
    return context;
}

#endif
