/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* A payload of a process context, written as a protobuf library does. */
#ifndef TEST_OTEL_PAYLOAD_H
#define TEST_OTEL_PAYLOAD_H

#include <criterion/criterion.h>
#include <stdint.h>
#include <string.h>

enum { PAYLOAD_MAX = 70000 };

struct payload {
    size_t length;
    unsigned char bytes[PAYLOAD_MAX];
};

static inline void payload_varint(struct payload *payload, uint64_t value) {
    do {
        cr_assert_lt(payload->length, (size_t)PAYLOAD_MAX);
        payload->bytes[payload->length++] = (unsigned char)((value & 0x7F) | (value > 0x7F) << 7);
        value >>= 7;
    } while (value != 0);
}

static inline void payload_bytes(struct payload *payload, uint32_t field, const void *bytes,
                                 size_t count) {
    payload_varint(payload, (uint64_t)field << 3 | 2);
    payload_varint(payload, count);
    cr_assert_leq(payload->length + count, (size_t)PAYLOAD_MAX);
    memcpy(payload->bytes + payload->length, bytes, count);
    payload->length += count;
}

/* An attribute of the context: a key, and a value that is already encoded. */
static inline void payload_attribute(struct payload *payload, const char *key,
                                     const struct payload *value) {
    static struct payload pair;
    pair.length = 0;
    payload_bytes(&pair, 1, key, strlen(key));
    payload_bytes(&pair, 2, value->bytes, value->length);
    payload_bytes(payload, 2, pair.bytes, pair.length);
}

static inline void payload_schema(struct payload *payload, const char *version) {
    static struct payload value;
    value.length = 0;
    payload_bytes(&value, 1, version, strlen(version));
    payload_attribute(payload, "threadlocal.schema_version", &value);
}

/* The map of keys, terminated by NULL. */
static inline void payload_keys(struct payload *payload, const char *const *keys) {
    static struct payload value;
    static struct payload array;
    static struct payload text;
    array.length = 0;
    for (; *keys != NULL; keys++) {
        text.length = 0;
        payload_bytes(&text, 1, *keys, strlen(*keys));
        payload_bytes(&array, 1, text.bytes, text.length);
    }
    value.length = 0;
    payload_bytes(&value, 5, array.bytes, array.length);
    payload_attribute(payload, "threadlocal.attribute_key_map", &value);
}

#endif
