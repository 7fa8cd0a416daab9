/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* OpenTelemetry thread context: the record that an SDK has attached to the running thread, as trace, span and a set of labels.
 * This file alone knows the record.
 *
 * Only the thread itself changes its record, and the thread is here, so nothing changes it while it is read. But the SDK may
 * have been interrupted in the middle of a change: by an allocation that is sampled, if it is written in Java. Then `valid` is
 * 0, and the record is passed over. The record is copied by hs_peek, because a pointer that an SDK has forgotten to
 * clear must not end the process. doc/otel-context.md describes the record, and what is cut.
 *
 * Not here: where the pointer to the record is (hs_otel_library.h), what an index stands for (hs_otel_keys.h). */
#ifndef HS_OTEL_THREAD_H
#define HS_OTEL_THREAD_H

#include "hs_examples.h"
#include "hs_otel_keys.h"
#include "hs_otel_library.h"

/* Attributes beyond these bytes, and labels beyond those. The OTEP recommends 612 bytes. */
enum { HS_OTEL_ATTRIBUTE_BYTES = 1024, HS_OTEL_LABELS = 16, HS_OTEL_LABEL_BYTES = 2048 };

struct hs_otel_context {
    bool has_trace;
    struct hs_example example;
    uint32_t label_bytes; /* 0: no labels */
    /* The set as hs_labels has it: key, 0, value, 0, ..., sorted by key, modified UTF-8. */
    char labels[HS_OTEL_LABEL_BYTES];
};

/* Reads the record of the running thread; false where none is attached, or it is not valid. `keys` may be NULL: then no
 * index is known, and there are no labels. `slots` are the thread's own.
 * A record with more than HS_OTEL_ATTRIBUTE_BYTES of attributes has no labels: a later attribute replaces an earlier one, so a
 * part of them may be wrong. Of more labels than HS_OTEL_LABELS the first by key stay; a label that finds no room, and a
 * value that is empty, no UTF-8, or has control characters, is left out.
 * Thread: Callback, where libraries and keys stay meanwhile. No lock; memory only as hs_otel_library.h says. */
bool hs_otel_thread_read(const struct hs_otel_libraries *libraries, const struct hs_otel_keys *keys,
                         struct hs_otel_slots *slots, struct hs_otel_context *context);

#endif
