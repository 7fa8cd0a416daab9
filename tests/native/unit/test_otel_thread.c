/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Records as OTEP 4947 describes them, at a variable of the test. */
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "hs_label_sets.h"
#include "hs_otel_thread.h"
#include "needs_peek.h"
#include "otel_payload.h"

enum { ATTRIBUTES_AT = 28, SIZE_AT = 26, VALID_AT = 24, RECORD_MAX = 28 + 65535 };

static void *variable;
static void *second_variable;
static _Alignas(2) unsigned char record[RECORD_MAX];
static uint16_t attribute_bytes;
static struct hs_otel_keys keys;
static struct hs_otel_slots slots;
static struct hs_otel_context context;

static void *get_addr(struct hs_tls_index *index) {
    return index->module == 2 ? &second_variable : &variable;
}

static struct hs_otel_libraries libraries = {
    .serial = 1, .get_addr = get_addr, .count = 1, .items = {{.module = 1}, {.module = 2}}};

static void begin(unsigned char trace, unsigned char span) {
    memset(record, 0, ATTRIBUTES_AT);
    memset(record, trace, 16);
    memset(record + 16, span, 8);
    record[VALID_AT] = 1;
    attribute_bytes = 0;
    variable = record;
}

static void set_size(uint16_t bytes) {
    memcpy(record + SIZE_AT, &bytes, sizeof bytes);
}

static void attribute_of(uint8_t key, const char *value, size_t bytes) {
    unsigned char *at = record + ATTRIBUTES_AT + attribute_bytes;
    at[0] = key;
    at[1] = (unsigned char)bytes;
    memcpy(at + 2, value, bytes);
    attribute_bytes = (uint16_t)(attribute_bytes + 2 + bytes);
    set_size(attribute_bytes);
}

static void attribute(uint8_t key, const char *value) {
    attribute_of(key, value, strlen(value));
}

static void know(const char *const *names) {
    struct payload *payload = calloc(1, sizeof *payload);
    payload_schema(payload, "tlsdesc_v1_dev");
    payload_keys(payload, names);
    cr_assert(hs_otel_keys_read(&keys, payload->bytes, payload->length));
    free(payload);
}

static void know_three(void) {
    static const char *const NAMES[] = {"http_route", "user_id", "http_method", NULL};
    know(NAMES);
}

static bool read_it(void) {
    memset(&context, 0x5A, sizeof context);
    bool is_read = hs_otel_thread_read(&libraries, &keys, &slots, &context);
    cr_assert(context.label_bytes == 0 ||
              hs_label_bytes_are_valid(context.labels, context.label_bytes));
    return is_read;
}

#define assert_labels(TEXT)                                                                   \
    do {                                                                                      \
        cr_assert_eq(context.label_bytes, sizeof(TEXT) - 1, "%u bytes", context.label_bytes); \
        cr_assert_arr_eq(context.labels, TEXT, sizeof(TEXT) - 1);                             \
    } while (0)

Test(otel_thread, has_nothing_where_no_record_is_attached) {
    NEEDS_PEEK();
    libraries.process = getpid();
    cr_assert_not(read_it());
    cr_assert_not(context.has_trace);
    cr_assert_eq(context.label_bytes, 0u);
}

Test(otel_thread, reads_trace_and_span) {
    NEEDS_PEEK();
    libraries.process = getpid();
    begin(0xAB, 0xCD);
    cr_assert(read_it());
    cr_assert(context.has_trace);
    cr_assert_arr_eq(context.example.trace, record, 16);
    cr_assert_arr_eq(context.example.span, record + 16, 8);
    cr_assert_eq(context.label_bytes, 0u);
}

Test(otel_thread, makes_labels_sorted_by_key) {
    NEEDS_PEEK();
    libraries.process = getpid();
    know_three();
    begin(1, 2);
    attribute(1, "ann");
    attribute(0, "/orders");
    attribute(2, "GET");
    cr_assert(read_it());
    cr_assert(context.has_trace);
    assert_labels("http_method\0GET\0http_route\0/orders\0user_id\0ann\0");
}

Test(otel_thread, passes_over_a_record_that_is_not_valid) {
    NEEDS_PEEK();
    libraries.process = getpid();
    begin(1, 2);
    for (int valid = 0; valid < 256; valid++) {
        record[VALID_AT] = (unsigned char)valid;
        cr_assert_eq(read_it(), valid == 1, "%d", valid);
    }
}

/* A record begins at an even one. */
Test(otel_thread, passes_over_a_record_at_an_odd_address) {
    NEEDS_PEEK();
    libraries.process = getpid();
    begin(1, 2);
    memmove(record + 1, record, ATTRIBUTES_AT);
    variable = record + 1;
    cr_assert_not(read_it());
    memmove(record + 2, record + 1, ATTRIBUTES_AT);
    variable = record + 2;
    cr_assert(read_it());
}

Test(otel_thread, takes_zeros_for_no_trace_but_keeps_the_labels) {
    NEEDS_PEEK();
    libraries.process = getpid();
    know_three();
    const unsigned char IDS[][2] = {{0, 0}, {1, 0}, {0, 1}};
    for (int i = 0; i < 3; i++) {
        begin(IDS[i][0], IDS[i][1]);
        attribute(0, "/");
        cr_assert(read_it());
        cr_assert_not(context.has_trace);
        assert_labels("http_route\0/\0");
    }
}

Test(otel_thread, takes_the_last_one_of_equal_keys) {
    NEEDS_PEEK();
    libraries.process = getpid();
    static const char *const NAMES[] = {"route", "user", "route", NULL};
    know(NAMES);
    begin(1, 2);
    attribute(0, "/a");
    attribute(1, "ann");
    attribute(0, "/b");
    cr_assert(read_it());
    assert_labels("route\0/b\0user\0ann\0");
    attribute(2, "/c");
    cr_assert(read_it());
    assert_labels("route\0/c\0user\0ann\0");
}

Test(otel_thread, leaves_out_indexes_that_it_does_not_know) {
    NEEDS_PEEK();
    libraries.process = getpid();
    know_three();
    begin(1, 2);
    attribute(3, "three");
    attribute(255, "last");
    attribute(1, "ann");
    cr_assert(read_it());
    assert_labels("user_id\0ann\0");
    cr_assert(hs_otel_thread_read(&libraries, NULL, &slots, &context));
    cr_assert(context.has_trace);
    cr_assert_eq(context.label_bytes, 0u);
}

Test(otel_thread, leaves_out_values_that_no_label_may_have) {
    NEEDS_PEEK();
    libraries.process = getpid();
    know_three();
    begin(1, 2);
    attribute(0, "");
    attribute(1, "\xFF\xFE");
    attribute(2, "a\tb");
    cr_assert(read_it());
    cr_assert_eq(context.label_bytes, 0u);
    attribute(1, "Zo\xC3\xAB \xF0\x9F\x98\x80");
    cr_assert(read_it());
    assert_labels("user_id\0Zo\xC3\xAB \xED\xA0\xBD\xED\xB8\x80\0");
}

Test(otel_thread, stops_at_an_attribute_that_is_cut) {
    NEEDS_PEEK();
    libraries.process = getpid();
    know_three();
    begin(1, 2);
    attribute(0, "/orders");
    attribute(1, "ann");
    set_size((uint16_t)(attribute_bytes - 1));
    cr_assert(read_it());
    assert_labels("http_route\0/orders\0");
    set_size((uint16_t)(attribute_bytes - 4));
    cr_assert(read_it());
    assert_labels("http_route\0/orders\0");
    set_size(1);
    cr_assert(read_it());
    cr_assert_eq(context.label_bytes, 0u);
}

Test(otel_thread, has_no_labels_from_more_bytes_than_it_reads) {
    NEEDS_PEEK();
    libraries.process = getpid();
    know_three();
    begin(1, 2);
    memset(record + ATTRIBUTES_AT, 255, HS_OTEL_ATTRIBUTE_BYTES); /* an index that is not known */
    attribute(0, "/orders");
    set_size(HS_OTEL_ATTRIBUTE_BYTES);
    cr_assert(read_it());
    cr_assert_gt(context.label_bytes, 0u);
    set_size(HS_OTEL_ATTRIBUTE_BYTES + 1);
    cr_assert(read_it());
    cr_assert(context.has_trace);
    cr_assert_eq(context.label_bytes, 0u);
    set_size(UINT16_MAX);
    cr_assert(read_it());
    cr_assert_eq(context.label_bytes, 0u);
}

Test(otel_thread, keeps_sixteen_labels_the_first_by_key) {
    NEEDS_PEEK();
    libraries.process = getpid();
    static char names[20][4];
    const char *pointers[21] = {0};
    for (int i = 0; i < 20; i++) {
        (void)snprintf(names[i], sizeof names[i], "k%c", 'a' + 19 - i);
        pointers[i] = names[i];
    }
    know(pointers);
    begin(1, 2);
    for (uint8_t i = 0; i < 20; i++) {
        attribute(i, "v");
    }
    cr_assert(read_it());
    cr_assert_eq(context.label_bytes, 16u * 5);
    cr_assert_arr_eq(context.labels, "ka\0v\0kb\0v\0", 10);
    cr_assert_arr_eq(context.labels + 75, "kp\0v\0", 5);
}

/* Surrogates take 6 bytes where the record has 4: values of 60 bytes become 90. The last label is short. */
Test(otel_thread, leaves_out_a_label_that_finds_no_room) {
    NEEDS_PEEK();
    libraries.process = getpid();
    enum { EACH = 64 + 1 + 90 + 1, LAST = 1 + 1 + 6 + 1, FIT = HS_OTEL_LABEL_BYTES / EACH };
    static char names[HS_OTEL_LABELS][65];
    const char *pointers[HS_OTEL_LABELS + 1] = {0};
    char value[60];
    for (int i = 0; i < HS_OTEL_LABELS; i++) {
        memset(names[i], 'k', i == HS_OTEL_LABELS - 1 ? 1 : 64);
        names[i][0] = (char)('a' + i);
        pointers[i] = names[i];
    }
    for (int i = 0; i < 60; i += 4) {
        memcpy(value + i, "\xF0\x9F\x98\x80", 4);
    }
    know(pointers);
    begin(1, 2);
    for (int i = 0; i < HS_OTEL_LABELS; i++) {
        attribute_of((uint8_t)i, value, i == HS_OTEL_LABELS - 1 ? 4 : 60);
    }
    cr_assert(read_it());
    cr_assert_lt(FIT, HS_OTEL_LABELS - 1);
    cr_assert_eq(context.label_bytes, (uint32_t)(FIT * EACH + LAST));
    cr_assert_eq(context.labels[FIT * EACH], 'p', "the short one still has room");
}

Test(otel_thread, survives_pointers_to_nothing) {
    NEEDS_PEEK();
    libraries.process = getpid();
    const uintptr_t BAD[] = {1, 2, 8, UINTPTR_MAX - 1, (uintptr_t)1 << 62, (uintptr_t)1 << 47};
    for (size_t i = 0; i < sizeof BAD / sizeof BAD[0]; i++) {
        variable = (void *)BAD[i];
        cr_assert_not(read_it());
    }
}

Test(otel_thread, survives_a_record_whose_attributes_are_not_there) {
    NEEDS_PEEK();
    libraries.process = getpid();
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    cr_assert_eq(munmap(pages + page, page), 0);
    know_three();
    begin(1, 2);
    attribute(0, "/orders");
    memcpy(pages + page - ATTRIBUTES_AT, record, ATTRIBUTES_AT);
    variable = pages + page - ATTRIBUTES_AT;
    cr_assert_not(read_it());
    set_size(0);
    memcpy(pages + page - ATTRIBUTES_AT, record, ATTRIBUTES_AT);
    cr_assert(read_it());
}

/* At each distance from the end of the last page that is there, with short and long attributes. */
Test(otel_thread, reads_all_of_a_record_wherever_it_is) {
    NEEDS_PEEK();
    libraries.process = getpid();
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *pages = mmap(NULL, 3 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    cr_assert_eq(munmap(pages + 2 * page, page), 0);
    know_three();
    for (uint32_t long_ones = 0; long_ones < 4; long_ones++) {
        char value[255];
        memset(value, 'x', sizeof value);
        begin(1, 2);
        for (uint32_t i = 0; i < long_ones; i++) {
            attribute_of(9, value, sizeof value);
        }
        attribute(0, "/orders");
        size_t bytes = ATTRIBUTES_AT + (size_t)attribute_bytes;
        for (size_t after = 0; after < 64 + page; after += after < 400 ? 2 : 100) {
            char *at = pages + 2 * page - ((bytes + 1) & ~(size_t)1) - after;
            memcpy(at, record, bytes);
            variable = at;
            cr_assert(read_it());
            assert_labels("http_route\0/orders\0");
        }
    }
}

Test(otel_thread, reads_no_record_of_another_schema) {
    NEEDS_PEEK();
    libraries.process = getpid();
    begin(1, 2);
    cr_assert(read_it());
    keys.schema = HS_OTEL_OTHER_SCHEMA;
    cr_assert_not(read_it());
    cr_assert_not(context.has_trace);
}

Test(otel_thread, takes_the_first_library_that_has_a_valid_record) {
    NEEDS_PEEK();
    libraries.process = getpid();
    static _Alignas(2) unsigned char other[ATTRIBUTES_AT];
    libraries.count = 2;
    begin(1, 2);
    memset(other, 7, 24);
    other[VALID_AT] = 1;
    second_variable = other;
    cr_assert(read_it());
    cr_assert_eq(context.example.trace[0], 1);
    record[VALID_AT] = 0;
    cr_assert(read_it());
    cr_assert_eq(context.example.trace[0], 7);
    variable = NULL;
    cr_assert(read_it());
    cr_assert_eq(context.example.trace[0], 7);
}
