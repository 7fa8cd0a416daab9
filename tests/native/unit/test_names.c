/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_names.h"

#include <criterion/criterion.h>
#include <string.h>

static struct hs_names make(uint32_t max_names) {
    struct hs_names names;
    cr_assert_eq(hs_names_new(max_names, &names), HS_OK);
    return names;
}

static struct hs_name_id put(struct hs_names names, const char *text, size_t bytes) {
    struct hs_name_id id = {77};
    cr_assert_eq(hs_names_put(names, text, bytes, &id), HS_OK);
    return id;
}

static void assert_text(struct hs_names names, struct hs_name_id id, const char *text,
                        size_t length) {
    uint32_t bytes = 77;
    const char *found = hs_names_text(names, id, &bytes);
    cr_assert_not_null(found);
    cr_assert_eq(bytes, length);
    cr_assert(memcmp(found, text, length) == 0);
}

Test(names, a_name_is_a_number_and_back) {
    struct hs_names names = make(10);
    struct hs_name_id string = put(names, "java.lang.String", 16);
    struct hs_name_id object = put(names, "java.lang.Object", 16);
    cr_assert_neq(string.number, 0);
    cr_assert_neq(string.number, object.number);
    cr_assert_eq(put(names, "java.lang.String and more", 16).number, string.number);
    assert_text(names, string, "java.lang.String", 16);
    assert_text(names, object, "java.lang.Object", 16);
    cr_assert(hs_names_is_valid(names));
    hs_intern_free(names.table);
}

Test(names, zero_is_the_empty_name_and_so_are_unknown_ones) {
    struct hs_names names = make(10);
    cr_assert_eq(put(names, "", 0).number, 0);
    assert_text(names, (struct hs_name_id){0}, "", 0);
    assert_text(names, (struct hs_name_id){5}, "", 0);
    assert_text(names, (struct hs_name_id){UINT32_MAX}, "", 0);
    cr_assert_eq(hs_intern_end(names.table), 1, "the empty name takes no room");
    cr_assert(hs_names_is_valid(names));
    hs_intern_free(names.table);
}

Test(names, a_full_table_answers_full_and_no_number) {
    struct hs_names names = make(1);
    struct hs_name_id id = {77};
    put(names, "a", 1);
    cr_assert_eq(hs_names_put(names, "b", 1, &id), HS_FULL);
    cr_assert_eq(id.number, 0);
    cr_assert_eq(hs_names_put(names, "", 0, &id), HS_OK);
    cr_assert(hs_names_is_valid(names));
    hs_intern_free(names.table);
}

Test(names, the_longest_name_stays_whole) {
    static char text[HS_NAME_MAX + 10];
    struct hs_names names = make(10);
    memset(text, 'x', sizeof text);
    text[HS_NAME_MAX] = (char)0x80; /* behind the name: does not matter */
    struct hs_name_id longest = put(names, text, HS_NAME_MAX);
    text[HS_NAME_MAX] = 'x';
    assert_text(names, longest, text, HS_NAME_MAX);
    cr_assert_eq(put(names, text, HS_NAME_MAX + 1).number, longest.number, "cut to the same");
    cr_assert_eq(put(names, text, sizeof text).number, longest.number);
    cr_assert_neq(put(names, text, HS_NAME_MAX - 1).number, longest.number);
    cr_assert(hs_names_is_valid(names));
    hs_intern_free(names.table);
}

/* Fills with 'x', puts one character of `bytes` bytes at `at`, fills on; answers the length kept. */
static size_t kept_with(size_t at, const char *character) {
    static char text[HS_NAME_MAX + 100];
    struct hs_names names = make(2);
    memset(text, 'x', sizeof text);
    memcpy(text + at, character, strlen(character));
    struct hs_name_id id = put(names, text, sizeof text);
    uint32_t bytes;
    const char *found = hs_names_text(names, id, &bytes);
    cr_assert(memcmp(found, text, bytes) == 0);
    cr_assert(hs_names_is_valid(names));
    hs_intern_free(names.table);
    return bytes;
}

Test(names, a_long_name_is_cut_between_characters) {
    static const char *const CHARACTERS[] = {"\xC3\xA9", "\xE2\x82\xAC"}; /* e acute, euro */
    for (int i = 0; i < 2; i++) {
        size_t length = strlen(CHARACTERS[i]);
        for (size_t at = HS_NAME_MAX - 6; at < HS_NAME_MAX + 3; at++) {
            bool is_split = at < HS_NAME_MAX && at + length > HS_NAME_MAX;
            cr_assert_eq(kept_with(at, CHARACTERS[i]), is_split ? at : HS_NAME_MAX,
                         "%zu bytes at %zu", length, at);
        }
    }
}

Test(names, a_text_without_any_character_does_no_harm) {
    static char text[HS_NAME_MAX + 100];
    struct hs_names names = make(2);
    memset(text, 0x80, sizeof text);
    cr_assert_eq(put(names, text, sizeof text).number, 0, "it is the empty name");
    cr_assert(hs_names_is_valid(names));
    hs_intern_free(names.table);
}

Test(names, the_walker_finds_a_name_of_the_wrong_length) {
    static const char LONG[HS_NAME_MAX + 1];
    uint32_t id;
    struct hs_names names = make(10);
    put(names, "a", 1);
    cr_assert(hs_names_is_valid(names));
    cr_assert_eq(hs_intern_put(names.table, LONG, sizeof LONG, &id), HS_OK);
    cr_assert_not(hs_names_is_valid(names));
    hs_intern_free(names.table);
    names = make(10);
    cr_assert_eq(hs_intern_put(names.table, NULL, 0, &id), HS_OK);
    cr_assert_not(hs_names_is_valid(names));
    hs_intern_free(names.table);
}
