// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PatternTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "com.acme.Cache | com.acme.Cache",
                "com.acme.Cache | com.acme.Cache.put",
                "com.acme.Cache | com.acme.Cache$Entry.<init>",
                "com.acme.Cache.put | com.acme.Cache.put",
                "com.acme.*.parse | com.acme.money.Money.parse",
                "com.acme.Cache$Entry.<init> | com.acme.Cache$Entry.<init>",
                "com.acme.Cart$$Lambda | com.acme.Cart$$Lambda.get",
                "com.acme.$Cart$ | com.acme.$Cart$.add",
                "byte[] | byte[]",
                "java.lang.String[][] | java.lang.String[][]",
                "Größe.wächst | Größe.wächst",
                "com.acme.Größe | com.acme.Größe$Maß.neu",
                "数.足す | 数.足す",
                "com.acme.CartTest.adds one, then two | com.acme.CartTest.adds one, then two",
                "com.acme.CartTest.adds (twice) | com.acme.CartTest.adds (twice)",
                "*issue 25: no green lie | com.acme.CartTest.issue 25: no green lie",
                "com.acme.CartTest.100 % (1+1) | com.acme.CartTest.100 % (1+1)",
                "com.acme.CartSpec.$spock_feature_0_0 | com.acme.CartSpec.$spock_feature_0_0",
                "com.acme.Cart.$plus$eq | com.acme.Cart.$plus$eq",
                "com.acme.Cart.add-impl | com.acme.Cart.add-impl",
            })
    void namesOfEveryLanguageMatch(String pattern, String name) {
        assertThat(new Pattern(pattern).matches(name)).isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "com.acme.Cache, com.acme.Caches.put",
        "com.acme.Cache, com_acme.Cache",
        "Größe.wächst, Größe.wachst",
        "com.acme.$Cart$, com.acme.Cart",
        "com.acme.CartTest.adds one, com.acme.CartTest.adds one more",
    })
    void otherNamesDoNot(String pattern, String name) {
        assertThat(new Pattern(pattern).matches(name)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "com acme",
                "com/acme/Cache",
                "[B",
                "byte[8]",
                "com.acme.Cache;",
                "com.acme.Cache#put",
                "com.acme.Cache::put",
                "com.acme.Cache.put()",
                "com.acme.Cache.put(int, java.lang.String)",
                "com.acme.",
                ".acme",
                "com.acme.A, com.acme.B",
                "\"com.acme.Cache\"",
                "a.b\nc",
                "com\\\\acme",
            })
    void textsThatMatchNothingAreRefused(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Pattern(text))
                .withMessage(
                        "\""
                                + text
                                + "\" is no pattern of a class or method. Write one name, such as"
                                + " \"com.acme.Cache.put\"; * stands for any characters.");
    }

    @Test
    void patternsOfOneTextAreEqual() {
        assertThat(new Pattern("com.acme")).isEqualTo(new Pattern(" com.acme"));
        assertThat(new Pattern("com.acme")).isNotEqualTo(new Pattern("com.acme.*"));
        assertThat(new Pattern("com.acme")).hasToString("com.acme");
    }
}
