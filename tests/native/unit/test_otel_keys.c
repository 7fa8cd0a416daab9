/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include <stdio.h>

#include "otel_payload.h"

#include "hs_otel_keys.h"

static struct payload payload;
static struct hs_otel_keys keys;

static bool read_all(void) {
    return hs_otel_keys_read(&keys, payload.bytes, payload.length);
}

static const char *key_of(uint32_t index) {
    uint16_t rank = keys.rank[index];
    cr_assert_lt(index, keys.count);
    return rank == HS_OTEL_NO_RANK ? NULL : keys.texts + keys.at[rank];
}

Test(otel_keys, gives_each_index_its_key_and_orders_keys_by_their_bytes) {
    const char *const NAMES[] = {"http_route", "user_id", "http_method", NULL};
    payload_schema(&payload, "tlsdesc_v1_dev");
    payload_keys(&payload, NAMES);
    cr_assert(read_all());
    cr_assert_eq(keys.schema, HS_OTEL_SCHEMA_1);
    cr_assert_eq(keys.count, 3u);
    cr_assert_eq(keys.ranks, 3u);
    for (uint32_t i = 0; i < 3; i++) {
        cr_assert_str_eq(key_of(i), NAMES[i]);
        cr_assert_eq(keys.bytes[keys.rank[i]], strlen(NAMES[i]));
    }
    cr_assert_eq(keys.rank[2], 0);
    cr_assert_eq(keys.rank[0], 1);
    cr_assert_eq(keys.rank[1], 2);
}

Test(otel_keys, knows_the_final_name_of_the_version) {
    payload_schema(&payload, "tls_v1");
    cr_assert(read_all());
    cr_assert_eq(keys.schema, HS_OTEL_SCHEMA_1);
    cr_assert_eq(keys.count, 0u);
}

Test(otel_keys, refuses_records_of_another_version) {
    payload_schema(&payload, "go_pprof_labels_v1");
    cr_assert(read_all());
    cr_assert_eq(keys.schema, HS_OTEL_OTHER_SCHEMA);
}

Test(otel_keys, skips_all_that_is_not_about_threads) {
    const char *const NAMES[] = {"route", NULL};
    const unsigned char ODD[] = {0x18, 0x96, 0x01,                   /* field 3, a number */
                                 0x21, 1,    2,    3, 4, 5, 6, 7, 8, /* field 4, 8 bytes */
                                 0x2D, 1,    2,    3, 4};            /* field 5, 4 bytes */
    struct payload value = {0};
    payload_bytes(&payload, 1, "\x0A\x02\x0A\x00", 4); /* a resource */
    memcpy(payload.bytes + payload.length, ODD, sizeof ODD);
    payload.length += sizeof ODD;
    payload_bytes(&value, 1, "x", 1);
    payload_attribute(&payload, "service.name", &value);
    payload_keys(&payload, NAMES);
    cr_assert(read_all());
    cr_assert_eq(keys.schema, HS_OTEL_NO_SCHEMA);
    cr_assert_eq(keys.count, 1u);
    cr_assert_str_eq(key_of(0), "route");
}

Test(otel_keys, gives_no_key_to_texts_that_no_label_may_have) {
    char longest[66];
    char too_long[67];
    memset(longest, 'k', 64);
    longest[64] = '\0';
    memset(too_long, 'k', 65);
    too_long[65] = '\0';
    const char *const NAMES[] = {"", "a\nb", "\xC0\x80", "\xED\xA0\x80", too_long, longest, NULL};
    payload_keys(&payload, NAMES);
    cr_assert(read_all());
    cr_assert_eq(keys.count, 6u);
    cr_assert_eq(keys.ranks, 1u);
    for (uint32_t i = 0; i < 5; i++) {
        cr_assert_null(key_of(i), "%u", i);
    }
    cr_assert_str_eq(key_of(5), longest);
}

Test(otel_keys, gives_equal_keys_one_rank) {
    const char *const NAMES[] = {"b", "a", "b", "c", "a", NULL};
    payload_keys(&payload, NAMES);
    cr_assert(read_all());
    cr_assert_eq(keys.ranks, 3u);
    cr_assert_eq(keys.rank[0], 1);
    cr_assert_eq(keys.rank[1], 0);
    cr_assert_eq(keys.rank[2], 1);
    cr_assert_eq(keys.rank[3], 2);
    cr_assert_eq(keys.rank[4], 0);
    cr_assert_str_eq(key_of(3), "c");
}

Test(otel_keys, takes_256_keys_and_as_much_text_as_there_is_room) {
    static char texts[300][65];
    const char *names[301];
    for (uint32_t i = 0; i < 300; i++) {
        memset(texts[i], 'k', 64);
        (void)snprintf(texts[i], sizeof texts[i], "%03u", 299 - i);
        texts[i][3] = '.'; /* 64 bytes again */
        names[i] = texts[i];
    }
    names[300] = NULL;
    payload_keys(&payload, names);
    cr_assert(read_all());
    cr_assert_eq(keys.count, 256u);
    cr_assert_eq(keys.ranks, HS_OTEL_KEY_TEXTS / 65u);
    cr_assert_str_eq(key_of(0), texts[0]);
    cr_assert_null(key_of(255));
    for (uint32_t rank = 1; rank < keys.ranks; rank++) {
        cr_assert_lt(strcmp(keys.texts + keys.at[rank - 1], keys.texts + keys.at[rank]), 0);
    }
}

Test(otel_keys, takes_the_last_one_of_two_maps) {
    const char *const FIRST[] = {"a", "b", NULL};
    const char *const LAST[] = {"c", NULL};
    payload_keys(&payload, FIRST);
    payload_keys(&payload, LAST);
    cr_assert(read_all());
    cr_assert_eq(keys.count, 1u);
    cr_assert_str_eq(key_of(0), "c");
}

Test(otel_keys, gives_values_that_are_no_texts_an_index_without_a_key) {
    const unsigned char VALUES[] = {0x2A, 8, 0x0A, 2, 0x18, 7, /* array: a number, */
                                    0x0A, 2, 0x0A, 0};         /* an empty text */
    struct payload value = {.length = sizeof VALUES};
    memcpy(value.bytes, VALUES, sizeof VALUES);
    payload_attribute(&payload, "threadlocal.attribute_key_map", &value);
    cr_assert(read_all());
    cr_assert_eq(keys.count, 2u);
    cr_assert_null(key_of(0));
    cr_assert_null(key_of(1));
}

Test(otel_keys, refuses_each_payload_that_is_cut) {
    const char *const NAMES[] = {"http_route", "user_id", NULL};
    payload_schema(&payload, "tls_v1");
    payload_keys(&payload, NAMES);
    size_t schema = 0;
    for (size_t length = 0; length < payload.length; length++) {
        bool is_whole = hs_otel_keys_read(&keys, payload.bytes, length);
        schema = is_whole && length > 0 ? length : schema;
        cr_assert(!is_whole || length == 0 || length == schema, "%zu", length);
        cr_assert(is_whole || (keys.count == 0 && keys.schema == HS_OTEL_NO_SCHEMA));
    }
    cr_assert_gt(schema, 0u, "behind the first attribute the payload may end");
}

Test(otel_keys, refuses_fields_that_protobuf_does_not_have) {
    const char *const BAD[] = {"\x13",
                               "\x14",
                               "\x17",
                               "\x02\x01x",
                               "\x12\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01",
                               "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01"};
    for (size_t i = 0; i < sizeof BAD / sizeof BAD[0]; i++) {
        cr_assert_not(hs_otel_keys_read(&keys, BAD[i], strlen(BAD[i])), "%zu", i);
    }
}
