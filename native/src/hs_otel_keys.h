/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* OpenTelemetry keys: which label key the index of an attribute in a thread's record stands for. Read from the payload of
 * the process context (doc/otel-context.md), a protobuf message of other code: every length in it is checked.
 *
 * Not here: where the payload is (hs_otel_process.h), what a record is (hs_otel_thread.h). */
#ifndef HS_OTEL_KEYS_H
#define HS_OTEL_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { HS_OTEL_KEYS = 256, HS_OTEL_KEY_CHARS = 64, HS_OTEL_KEY_TEXTS = 16384 };

/* The rank of an index that is no label key. */
enum { HS_OTEL_NO_RANK = 0xFFFF };

/* What `threadlocal.schema_version` says of the records of threads. */
enum hs_otel_schema {
    HS_OTEL_NO_SCHEMA,   /* nothing: the process context does not describe records */
    HS_OTEL_SCHEMA_1,    /* records as hs_otel_thread.h reads them */
    HS_OTEL_OTHER_SCHEMA /* records of another version: not to be read */
};

/* Immutable after hs_otel_keys_read. `rank` orders the keys by their bytes; equal keys have equal ranks. A key that no
 * label may have (empty, too long, control characters, no UTF-8), and one beyond HS_OTEL_KEY_TEXTS, has none. */
struct hs_otel_keys {
    enum hs_otel_schema schema;
    uint32_t count; /* indexes from here on are unknown */
    uint32_t ranks;
    uint16_t rank[HS_OTEL_KEYS]; /* by index */
    uint16_t
        at[HS_OTEL_KEYS]; /* by rank: where in `texts` the key is, modified UTF-8, terminated */
    uint16_t bytes[HS_OTEL_KEYS]; /* likewise, without the end */
    char texts[HS_OTEL_KEY_TEXTS];
};

/* Reads a payload. Thread: one at a time for each result. Fails: false where it is no such message; the result has no
 * schema and no keys then. */
bool hs_otel_keys_read(struct hs_otel_keys *keys, const void *payload, size_t bytes);

#endif
