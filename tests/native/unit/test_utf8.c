/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include <criterion/criterion.h>
#include <string.h>

#include "hs_utf8.h"

static char result[64];

static size_t modify(const char *text) {
    return hs_utf8_modify(text, strlen(text), 64, result, sizeof result);
}

Test(utf8, keeps_characters_of_up_to_three_bytes) {
    const char *const TEXT = "a~\xC2\xA0\xDF\xBF\xE0\xA0\x80\xEF\xBF\xBF";
    cr_assert_eq(modify(TEXT), strlen(TEXT));
    cr_assert_arr_eq(result, TEXT, strlen(TEXT));
}

Test(utf8, makes_two_surrogates_of_four_bytes) {
    cr_assert_eq(modify("\xF0\x9F\x98\x80"), 6u);
    cr_assert_arr_eq(result, "\xED\xA0\xBD\xED\xB8\x80", 6);
    cr_assert_eq(modify("\xF4\x8F\xBF\xBF"), 6u);
    cr_assert_arr_eq(result, "\xED\xAF\xBF\xED\xBF\xBF", 6);
}

Test(utf8, refuses_bytes_that_are_no_utf8) {
    const char *const BAD[] = {"\x80",
                               "\xC0\x80",
                               "\xC1\xBF",
                               "\xC2",
                               "\xC2\x41",
                               "\xE0\x9F\xBF",
                               "\xED\xA0\x80",
                               "\xED\xBF\xBF",
                               "\xE2\x82",
                               "\xF0\x8F\xBF\xBF",
                               "\xF4\x90\x80\x80",
                               "\xF5\x80\x80\x80",
                               "\xF0\x9F\x98",
                               "\xFF"};
    for (size_t i = 0; i < sizeof BAD / sizeof BAD[0]; i++) {
        cr_assert_eq(modify(BAD[i]), 0u, "%zu", i);
    }
}

Test(utf8, refuses_control_characters) {
    cr_assert_eq(hs_utf8_modify("a\0b", 3, 64, result, sizeof result), 0u);
    const char *const BAD[] = {"\n", "a\x1F", "\x7F", "\xC2\x80", "\xC2\x9F"};
    for (size_t i = 0; i < sizeof BAD / sizeof BAD[0]; i++) {
        cr_assert_eq(modify(BAD[i]), 0u, "%zu", i);
    }
}

Test(utf8, counts_chars_as_java_does) {
    cr_assert_eq(hs_utf8_modify("abc", 3, 3, result, sizeof result), 3u);
    cr_assert_eq(hs_utf8_modify("abc", 3, 2, result, sizeof result), 0u);
    cr_assert_eq(hs_utf8_modify("a\xF0\x9F\x98\x80", 5, 3, result, sizeof result), 7u);
    cr_assert_eq(hs_utf8_modify("a\xF0\x9F\x98\x80", 5, 2, result, sizeof result), 0u);
}

Test(utf8, writes_no_more_than_there_is_room) {
    char guarded[8] = "xxxxxxx";
    cr_assert_eq(hs_utf8_modify("abcd", 4, 64, guarded, 4), 4u);
    cr_assert_eq(guarded[4], 'x');
    cr_assert_eq(hs_utf8_modify("abcde", 5, 64, guarded, 4), 0u);
    cr_assert_eq(hs_utf8_modify("\xF0\x9F\x98\x80", 4, 64, guarded, 5), 0u);
    cr_assert_eq(guarded[4], 'x');
    cr_assert_eq(hs_utf8_modify("a", 1, 64, guarded, 0), 0u);
    cr_assert_eq(hs_utf8_modify("", 0, 64, guarded, 4), 0u);
}
