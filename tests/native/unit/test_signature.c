/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_signature.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A block of exactly the promised size, so that a sanitizer sees a write beyond. */
static char *new_out(void) {
    char *out = malloc(HS_SIGNATURE_MAX);
    cr_assert_not_null(out);
    memset(out, '#', HS_SIGNATURE_MAX);
    return out;
}

static void assert_name(const char *signature, const char *name) {
    char *out = new_out();
    size_t length = hs_signature_to_name(signature, out);
    cr_assert_eq(length, strlen(name), "'%s' became '%.*s'", signature, (int)length, out);
    cr_assert(memcmp(out, name, length) == 0, "'%s' became '%.*s'", signature, (int)length, out);
    free(out);
}

static void assert_normal(const char *raw, const char *normal, bool is_hidden) {
    char *out = new_out();
    size_t bytes = strlen(raw);
    char *exact = malloc(bytes == 0 ? 1 : bytes); /* not terminated: no reading beyond */
    cr_assert_not_null(exact);
    memcpy(exact, raw, bytes);
    bool hidden = !is_hidden;
    size_t length = hs_signature_normalise(exact, bytes, out, &hidden);
    cr_assert_eq(length, strlen(normal), "'%s' became '%.*s'", raw, (int)length, out);
    cr_assert(memcmp(out, normal, length) == 0, "'%s' became '%.*s'", raw, (int)length, out);
    cr_assert_eq(hidden, is_hidden, "'%s'", raw);
    free(exact);
    free(out);
}

Test(signature, primitives_and_their_arrays) {
    static const char *const TYPES[][2] = {
        {"B", "byte"}, {"C", "char"},  {"D", "double"},  {"F", "float"}, {"I", "int"},
        {"J", "long"}, {"S", "short"}, {"Z", "boolean"}, {"V", "void"},
    };
    for (size_t i = 0; i < sizeof TYPES / sizeof TYPES[0]; i++) {
        char signature[8], name[16];
        assert_name(TYPES[i][0], TYPES[i][1]);
        snprintf(signature, sizeof signature, "[%s", TYPES[i][0]);
        snprintf(name, sizeof name, "%s[]", TYPES[i][1]);
        assert_name(signature, name);
    }
    assert_name("[[[J", "long[][][]");
}

Test(signature, the_table_of_the_header) {
    assert_name("[B", "byte[]");
    assert_name("[[Ljava/lang/String;", "java.lang.String[][]");
    assert_name("Lshop/Cart$$Lambda$14.0x00007f25e0000d00;",
                "shop.Cart$$Lambda$14/0x00007f25e0000d00");
    assert_normal("shop.Cart$$Lambda$14/0x00007f25e0000d00", "shop.Cart$$Lambda", true);
    assert_name("Ljava/lang/invoke/LambdaForm$MH.0x0000;", "java.lang.invoke.LambdaForm$MH/0x0000");
    assert_normal("java.lang.invoke.LambdaForm$MH/0x0000", "java.lang.invoke.LambdaForm$MH", true);
    assert_name("Ljdk/proxy2/$Proxy12;", "jdk.proxy2.$Proxy12");
    assert_normal("jdk.proxy2.$Proxy12", "jdk.proxy.$Proxy", false);
    assert_name("Ljdk/internal/reflect/GeneratedMethodAccessor7;",
                "jdk.internal.reflect.GeneratedMethodAccessor7");
    assert_normal("jdk.internal.reflect.GeneratedMethodAccessor7",
                  "jdk.internal.reflect.GeneratedMethodAccessor", false);
}

Test(signature, classes_of_all_kinds) {
    assert_name("LMain;", "Main");
    assert_name("Ljava/util/HashMap$Node;", "java.util.HashMap$Node");
    assert_name("[Ljava/util/HashMap$Node;", "java.util.HashMap$Node[]");
    assert_name("[Lshop/Cart$$Lambda.0x0f;", "shop.Cart$$Lambda/0x0f[]");
    assert_name("Lsh\xC3\xB6p/\xE2\x82\xAC;", "sh\xC3\xB6p.\xE2\x82\xAC");
    assert_name("LL;", "L");
    assert_name("LB;", "B");
    assert_name("La/b;c;", "a.b;c");
}

Test(signature, what_is_no_signature_is_copied) {
    static const char *const ODD[] = {"",    "[",   "[[",  "L",    ";",         "X",   "BB", "[X",
                                      "[BB", "Lab", "ab;", "(I)V", "java/lang", "a.b", "[L"};
    for (size_t i = 0; i < sizeof ODD / sizeof ODD[0]; i++) {
        assert_name(ODD[i], ODD[i]);
    }
}

Test(signature, a_class_without_a_name_is_no_signature) {
    assert_name("L;", "L;");
    assert_name("[L;", "[L;");
}

Test(signature, ordinary_names_are_normal) {
    static const char *const NORMAL[] = {
        "",
        "a",
        "byte[]",
        "java.lang.String[][]",
        "java.util.HashMap$Node",
        "shop.Cart$1",
        "shop.Cart$1Local",
        "shop.$ProxyFactory",
        "shop.My$Proxy12",
        "shop.GeneratedMethodAccessor7",
        "jdk.proxy",
        "jdk.proxyfoo.Bar",
        "jdk.prox",
        "shop.Java8",
        "shop.Cart/0y12",
        "shop.Cart/0x",
        "shop.Cart/0xg",
        "shop/0",
        "/",
        "$$Lambda",
        "shop.Cart$$LambdaMaker",
    };
    for (size_t i = 0; i < sizeof NORMAL / sizeof NORMAL[0]; i++) {
        assert_normal(NORMAL[i], NORMAL[i], false);
    }
}

Test(signature, what_varies_from_run_to_run_merges) {
    assert_normal("shop.Cart$$Lambda/0x00007f25e0000d00", "shop.Cart$$Lambda", true);
    assert_normal("shop.Cart$$Lambda/0x00007F25E000ABCD[]", "shop.Cart$$Lambda[]", true);
    assert_normal("shop.Cart$$Lambda$7/0x1[][]", "shop.Cart$$Lambda[][]", true);
    assert_normal("shop.Cart$$Lambda$14", "shop.Cart$$Lambda", false);
    assert_normal("shop.Script/0x0000000800c03000", "shop.Script", true);
    assert_normal("com.sun.proxy.$Proxy0", "com.sun.proxy.$Proxy", false);
    assert_normal("shop.$Proxy123[]", "shop.$Proxy[]", false);
    assert_normal("jdk.proxy1.$Proxy0", "jdk.proxy.$Proxy", false);
    assert_normal("jdk.proxy12.Other", "jdk.proxy.Other", false);
    assert_normal("jdk.internal.reflect.GeneratedConstructorAccessor42",
                  "jdk.internal.reflect.GeneratedConstructorAccessor", false);
    assert_normal("jdk.internal.reflect.GeneratedSerializationConstructorAccessor1",
                  "jdk.internal.reflect.GeneratedSerializationConstructorAccessor", false);
}

Test(signature, a_second_pass_changes_nothing) {
    static const char *const RAW[] = {"shop.Cart$$Lambda$14/0x0f", "jdk.proxy2.$Proxy12",
                                      "jdk.internal.reflect.GeneratedMethodAccessor7"};
    for (size_t i = 0; i < sizeof RAW / sizeof RAW[0]; i++) {
        char once[HS_SIGNATURE_MAX + 1] = {0};
        bool hidden;
        (void)hs_signature_normalise(RAW[i], strlen(RAW[i]), once, &hidden);
        assert_normal(once, once, false);
    }
}

Test(signature, what_is_too_long_is_cut) {
    static const size_t LENGTHS[] = {HS_SIGNATURE_MAX - 3, HS_SIGNATURE_MAX - 2,
                                     HS_SIGNATURE_MAX - 1, HS_SIGNATURE_MAX,
                                     HS_SIGNATURE_MAX + 1, 70000};
    for (int i = 0; i < 6; i++) {
        size_t n = LENGTHS[i];
        char *signature = calloc(1, n + 5);
        char *out = new_out();
        cr_assert_not_null(signature);
        memset(signature, 'x', n + 4);
        memcpy(signature, "[L", 2);
        signature[n + 2] = ';';
        signature[n + 3] = '\0';
        size_t wanted = n + 2 < HS_SIGNATURE_MAX ? n + 2 : HS_SIGNATURE_MAX;
        cr_assert_eq(hs_signature_to_name(signature, out), wanted);
        cr_assert_eq(out[0], 'x');
        bool hidden;
        size_t normal = n < HS_SIGNATURE_MAX ? n : HS_SIGNATURE_MAX;
        cr_assert_eq(hs_signature_normalise(signature + 2, n, out, &hidden), normal);
        free(out);
        free(signature);
    }
}

Test(signature, a_marker_at_the_very_end_is_safe) {
    char raw[HS_SIGNATURE_MAX + 40];
    for (size_t n = HS_SIGNATURE_MAX - 20; n < HS_SIGNATURE_MAX + 5; n++) {
        char *out = new_out();
        bool hidden = false;
        memset(raw, 'x', sizeof raw);
        memcpy(raw + n, "$$Lambda$14/0xabc", 17);
        size_t wanted = n + 8 < HS_SIGNATURE_MAX ? n + 8 : HS_SIGNATURE_MAX;
        cr_assert_eq(hs_signature_normalise(raw, n + 17, out, &hidden), wanted);
        cr_assert(hidden);
        free(out);
    }
}

/* 'x' up to one character of `bytes` bytes at `at`, then 'x' again; answers the length kept. */
static size_t kept_with(size_t at, const char *character, bool is_signature) {
    char text[HS_SIGNATURE_MAX + 64];
    char *out = new_out();
    bool hidden;
    memset(text, 'x', sizeof text);
    memcpy(text + at, character, strlen(character));
    text[sizeof text - 1] = '\0';
    size_t length = is_signature ? hs_signature_to_name(text, out)
                                 : hs_signature_normalise(text, sizeof text - 1, out, &hidden);
    cr_assert(memcmp(out, text, length) == 0);
    free(out);
    return length;
}

Test(signature, what_is_too_long_is_cut_between_characters) {
    static const char *const CHARACTERS[] = {"\xC3\xA9", "\xE2\x82\xAC"}; /* e acute, euro */
    for (int i = 0; i < 4; i++) {
        const char *character = CHARACTERS[i / 2];
        size_t bytes = strlen(character);
        for (size_t at = HS_SIGNATURE_MAX - 6; at < HS_SIGNATURE_MAX + 3; at++) {
            bool is_split = at < HS_SIGNATURE_MAX && at + bytes > HS_SIGNATURE_MAX;
            cr_assert_eq(kept_with(at, character, i % 2 == 0), is_split ? at : HS_SIGNATURE_MAX,
                         "%zu bytes at %zu", bytes, at);
        }
    }
}
