/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_otel_keys.h"

#include <string.h>

#include "hs_utf8.h"

/* ---- protobuf ---- */

enum { VARINT = 0, WORD64 = 1, BYTES = 2, WORD32 = 5 };
enum { VARINT_BYTES = 10 };

/* Fields of the messages that are read. */
enum { CONTEXT_ATTRIBUTES = 2, PAIR_KEY = 1, PAIR_VALUE = 2 };
enum { VALUE_STRING = 1, VALUE_ARRAY = 5, ARRAY_VALUES = 1 };

/* The rest of a message. */
struct message {
    const uint8_t *at;
    const uint8_t *end;
    bool is_damaged;
};

/* A field: its number, and what it contains if that is a row of bytes (else the number is 0). */
struct field {
    uint32_t number;
    struct message content;
};

static uint64_t next_varint(struct message *message) {
    uint64_t value = 0;
    for (int i = 0; i < VARINT_BYTES && message->at < message->end; i++) {
        uint8_t byte = *message->at++;
        value |= (uint64_t)(byte & 0x7F) << 7 * i;
        if (byte < 0x80) {
            return value;
        }
    }
    message->is_damaged = true;
    return 0;
}

static const uint8_t *skip(struct message *message, uint64_t bytes) {
    const uint8_t *from = message->at;
    if (bytes > (uint64_t)(message->end - from)) {
        message->is_damaged = true;
        return from;
    }
    message->at += bytes;
    return from;
}

/* The next field; false at the end and where the message is damaged. */
static bool next_field(struct message *message, struct field *field) {
    if (message->is_damaged || message->at == message->end) {
        return false;
    }
    uint64_t tag = next_varint(message);
    uint64_t number = tag >> 3;
    field->number = 0;
    switch (tag & 7) {
    case VARINT: (void)next_varint(message); break;
    case WORD64: (void)skip(message, 8); break;
    case WORD32: (void)skip(message, 4); break;
    case BYTES: {
        uint64_t bytes = next_varint(message);
        const uint8_t *from = skip(message, bytes);
        field->number = number <= UINT32_MAX ? (uint32_t)number : 0;
        field->content = (struct message){from, message->at, false};
        break;
    }
    default: message->is_damaged = true; /* groups went out of use long ago */
    }
    message->is_damaged = message->is_damaged || number == 0;
    return !message->is_damaged;
}

static bool is_text(const struct message *content, const char *text) {
    size_t bytes = strlen(text);
    return (size_t)(content->end - content->at) == bytes && memcmp(content->at, text, bytes) == 0;
}

/* The last field of this number in a message; false where there is none, or the message is damaged. */
static bool find_field(struct message message, uint32_t number, struct message *content) {
    struct field field;
    bool is_there = false;
    *content = (struct message){message.end, message.end, false};
    while (next_field(&message, &field)) {
        if (field.number == number) {
            *content = field.content;
            is_there = true;
        }
    }
    return is_there && !message.is_damaged;
}

/* ---- the keys ---- */

/* While keys are read: those with a text, in the order of their indexes. */
struct reading {
    struct hs_otel_keys *keys;
    size_t used; /* of texts */
};

static void add_key(struct reading *reading, const struct message *value) {
    struct hs_otel_keys *keys = reading->keys;
    struct message text;
    uint32_t index = keys->count++;
    size_t room = HS_OTEL_KEY_TEXTS - reading->used;
    size_t bytes = 0;
    keys->rank[index] = HS_OTEL_NO_RANK;
    if (room > 1 && find_field(*value, VALUE_STRING, &text)) {
        bytes = hs_utf8_modify(text.at, (size_t)(text.end - text.at), HS_OTEL_KEY_CHARS,
                               keys->texts + reading->used, room - 1);
    }
    if (bytes > 0) {
        keys->rank[index] = (uint16_t)keys->ranks;
        keys->at[keys->ranks] = (uint16_t)reading->used;
        keys->bytes[keys->ranks] = (uint16_t)bytes;
        keys->ranks++;
        reading->used += bytes;
        keys->texts[reading->used++] = '\0';
    }
}

/* By bytes: a terminated text that another begins with comes first, since none contains a 0. */
static int compare(const struct hs_otel_keys *keys, uint32_t left, uint32_t right) {
    return strcmp(keys->texts + keys->at[left], keys->texts + keys->at[right]);
}

/* Turns the order of indexes into the order of keys, and joins equal ones. Insertion: they are few, mostly in order. */
static void settle_ranks(struct hs_otel_keys *keys) {
    uint16_t order[HS_OTEL_KEYS] = {0}; /* of what were ranks */
    uint16_t rank_of[HS_OTEL_KEYS] = {0};
    uint16_t at[HS_OTEL_KEYS] = {0};
    uint16_t bytes[HS_OTEL_KEYS] = {0};
    uint32_t ranks = 0;
    for (uint32_t i = 0; i < keys->ranks; i++) {
        uint32_t place = i;
        for (; place > 0 && compare(keys, order[place - 1], i) > 0; place--) {
            order[place] = order[place - 1];
        }
        order[place] = (uint16_t)i;
    }
    for (uint32_t i = 0; i < keys->ranks; i++) {
        if (i > 0 && compare(keys, order[i - 1], order[i]) == 0) {
            rank_of[order[i]] = (uint16_t)(ranks - 1);
            continue;
        }
        at[ranks] = keys->at[order[i]];
        bytes[ranks] = keys->bytes[order[i]];
        rank_of[order[i]] = (uint16_t)ranks++;
    }
    memcpy(keys->at, at, ranks * sizeof *at);
    memcpy(keys->bytes, bytes, ranks * sizeof *bytes);
    keys->ranks = ranks;
    for (uint32_t i = 0; i < keys->count; i++) {
        if (keys->rank[i] != HS_OTEL_NO_RANK) {
            keys->rank[i] = rank_of[keys->rank[i]];
        }
    }
}

/* The key map is an array of texts; another kind of value has an index and no key. */
static void read_key_map(struct hs_otel_keys *keys, const struct message *value) {
    struct reading reading = {.keys = keys};
    struct message array;
    struct field field;
    keys->count = 0;
    keys->ranks = 0;
    if (!find_field(*value, VALUE_ARRAY, &array)) {
        return;
    }
    while (next_field(&array, &field) && keys->count < HS_OTEL_KEYS) {
        if (field.number == ARRAY_VALUES) {
            add_key(&reading, &field.content);
        }
    }
    settle_ranks(keys);
}

static void read_schema(struct hs_otel_keys *keys, const struct message *value) {
    struct message text;
    bool is_known = find_field(*value, VALUE_STRING, &text) &&
                    (is_text(&text, "tlsdesc_v1_dev") || is_text(&text, "tls_v1"));
    keys->schema = is_known ? HS_OTEL_SCHEMA_1 : HS_OTEL_OTHER_SCHEMA;
}

bool hs_otel_keys_read(struct hs_otel_keys *keys, const void *payload, size_t bytes) {
    const uint8_t *from = payload;
    struct message context = {from, from + bytes, false};
    struct field field;
    keys->schema = HS_OTEL_NO_SCHEMA;
    keys->count = 0;
    keys->ranks = 0;
    while (next_field(&context, &field)) {
        struct message key;
        struct message value;
        if (field.number != CONTEXT_ATTRIBUTES || !find_field(field.content, PAIR_KEY, &key) ||
            !find_field(field.content, PAIR_VALUE, &value)) {
            continue;
        }
        if (is_text(&key, "threadlocal.schema_version")) {
            read_schema(keys, &value);
        } else if (is_text(&key, "threadlocal.attribute_key_map")) {
            read_key_map(keys, &value);
        }
    }
    if (context.is_damaged) {
        keys->schema = HS_OTEL_NO_SCHEMA;
        keys->count = 0;
        keys->ranks = 0;
    }
    return !context.is_damaged;
}
