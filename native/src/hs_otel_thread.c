/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_otel_thread.h"

#include <stdatomic.h>
#include <string.h>

#include "hs_peek.h"
#include "hs_utf8.h"

/* As the SDK has it, without padding. The attributes follow: of each its index, its bytes, its value. */
struct record {
    unsigned char trace[16];
    unsigned char span[8];
    uint8_t valid; /* 1; anything else: not to be read */
    uint8_t flags;
    uint16_t attribute_bytes;
};

_Static_assert(sizeof(struct record) == 28, "the layout is fixed");

enum { VALID = 1, ATTRIBUTE_HEADER = 2, VALUE_CHARS = 256 };

/* The attributes of a record by the rank of their keys. */
struct values {
    uint64_t present[HS_OTEL_KEYS / 64];
    uint16_t at[HS_OTEL_KEYS]; /* where the attribute is; that of the last one with this key */
};

static bool is_zero(const unsigned char *bytes, size_t count) {
    unsigned char any = 0;
    for (size_t i = 0; i < count; i++) {
        any |= bytes[i];
    }
    return any == 0;
}

/* The record that is attached to the running thread. The signal fences keep the order against code of the SDK that the
 * compiler might see: the pointer first, as the SDK writes it last. */
static uint64_t attached_to(const struct hs_otel_slots *slots, uint32_t library) {
    void *const volatile *slot = slots->slots[library];
    atomic_signal_fence(memory_order_seq_cst);
    uint64_t record = slot == NULL ? 0 : (uintptr_t)*slot;
    atomic_signal_fence(memory_order_seq_cst);
    return record;
}

/* A copy of a record: its fields, and its attributes as far as they are needed. */
struct copy {
    struct record record;
    unsigned char attributes[HS_OTEL_ATTRIBUTE_BYTES];
};

_Static_assert(sizeof(struct copy) == sizeof(struct record) + HS_OTEL_ATTRIBUTE_BYTES,
               "as they follow each other");

/* How much is copied first: mostly all. Not more than the smallest page has, since the next one may not be there. */
static size_t first_part(uint64_t from) {
    enum { PAGE = 4096, MOSTLY_ALL = 256 };
    size_t left = PAGE - from % PAGE;
    size_t bytes = left < MOSTLY_ALL ? left : MOSTLY_ALL;
    return bytes < sizeof(struct record) ? sizeof(struct record) : bytes;
}

/* Copies the attributes behind the first `done` bytes, and looks once more whether the record is valid and the same. */
static bool copy_rest(int process, uint64_t from, struct copy *copy, size_t done) {
    struct record after;
    size_t bytes = sizeof copy->record + copy->record.attribute_bytes;
    return hs_peek(process, (unsigned char *)copy + done, from + done, bytes - done) &&
           hs_peek(process, &after, from, sizeof after) &&
           memcmp(&after, &copy->record, sizeof after) == 0;
}

/* Copies a valid record, with its attributes where these are not too long. */
static bool copy_record(int process, uint64_t from, struct copy *copy) {
    size_t done = first_part(from);
    if (from % sizeof(uint16_t) != 0 || !hs_peek(process, copy, from, done) ||
        copy->record.valid != VALID) {
        return false;
    }
    size_t attributes = copy->record.attribute_bytes;
    bool is_all = sizeof copy->record + attributes <= done;
    return is_all || attributes > HS_OTEL_ATTRIBUTE_BYTES || copy_rest(process, from, copy, done);
}

static void sort_attributes(const unsigned char *attributes, size_t bytes,
                            const struct hs_otel_keys *keys, struct values *values) {
    size_t at = 0;
    while (bytes - at >= ATTRIBUTE_HEADER) {
        uint32_t index = attributes[at];
        size_t end = at + ATTRIBUTE_HEADER + attributes[at + 1];
        if (end > bytes) {
            break;
        }
        if (index < keys->count && keys->rank[index] != HS_OTEL_NO_RANK) {
            uint32_t rank = keys->rank[index];
            values->present[rank / 64] |= UINT64_C(1) << rank % 64;
            values->at[rank] = (uint16_t)at;
        }
        at = end;
    }
}

/* Adds key, 0, value, 0; nothing where the value is no label's, or there is no room. Returns whether it did. */
static bool add_label(struct hs_otel_context *context, const struct hs_otel_keys *keys,
                      uint32_t rank, const unsigned char *attribute) {
    size_t key_bytes = keys->bytes[rank] + 1U;
    char *to = context->labels + context->label_bytes;
    size_t room = HS_OTEL_LABEL_BYTES - context->label_bytes;
    if (room <= key_bytes) {
        return false;
    }
    size_t bytes = hs_utf8_modify(attribute + ATTRIBUTE_HEADER, attribute[1], VALUE_CHARS,
                                  to + key_bytes, room - key_bytes - 1);
    if (bytes == 0) {
        return false;
    }
    memcpy(to, keys->texts + keys->at[rank], key_bytes);
    to[key_bytes + bytes] = '\0';
    context->label_bytes += (uint32_t)(key_bytes + bytes + 1);
    return true;
}

static void make_labels(struct hs_otel_context *context, const struct hs_otel_keys *keys,
                        const unsigned char *attributes, size_t bytes) {
    struct values values;
    uint32_t count = 0;
    memset(values.present, 0, sizeof values.present);
    sort_attributes(attributes, bytes, keys, &values);
    for (uint32_t word = 0; word < HS_OTEL_KEYS / 64; word++) {
        for (uint64_t left = values.present[word]; left != 0 && count < HS_OTEL_LABELS;
             left &= left - 1) {
            uint32_t rank = word * 64 + (uint32_t)__builtin_ctzll(left);
            count += add_label(context, keys, rank, attributes + values.at[rank]);
        }
    }
}

static bool read_record(int process, uint64_t from, const struct hs_otel_keys *keys,
                        struct hs_otel_context *context) {
    struct copy copy;
    if (!copy_record(process, from, &copy)) {
        return false;
    }
    const struct record *record = &copy.record;
    if (keys != NULL && record->attribute_bytes <= HS_OTEL_ATTRIBUTE_BYTES) {
        make_labels(context, keys, copy.attributes, record->attribute_bytes);
    }
    /* Zeros stand for no trace; one of the two alone is a fault of the SDK. */
    context->has_trace = !is_zero(record->trace, sizeof record->trace) &&
                         !is_zero(record->span, sizeof record->span);
    memcpy(context->example.trace, record->trace, sizeof record->trace);
    memcpy(context->example.span, record->span, sizeof record->span);
    return true;
}

bool hs_otel_thread_read(const struct hs_otel_libraries *libraries, const struct hs_otel_keys *keys,
                         struct hs_otel_slots *slots, struct hs_otel_context *context) {
    context->has_trace = false;
    context->label_bytes = 0;
    if (keys != NULL && keys->schema == HS_OTEL_OTHER_SCHEMA) {
        return false;
    }
    (void)hs_otel_slots_of(slots, libraries);
    for (uint32_t i = 0; i < libraries->count; i++) {
        uint64_t record = attached_to(slots, i);
        if (record != 0 && read_record(libraries->process, record, keys, context)) {
            return true;
        }
    }
    return false;
}
