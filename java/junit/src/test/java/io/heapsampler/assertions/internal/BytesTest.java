// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class BytesTest {

    @ParameterizedTest
    @CsvSource({
        "0 B, 0",
        "1 B, 1",
        "64KB, 65536",
        "64 KiB, 65536",
        "1.5 MB, 1572864",
        "2 GB, 2147483648"
    })
    void amountsAreParsed(String text, long bytes) {
        assertThat(Bytes.parse(text)).isEqualTo(bytes);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "1", "MB", "1 MBB", "1 mb", "1,5 MB", "1 TB", "1 MB 2 KB", "NaN B"})
    void othersAreRefusedWithAnExample(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Bytes.parse(text))
                .withMessage(
                        "\"%s\" is no amount of memory. Write a number and a unit, B, KB, MB or GB,"
                                + " such as \"64 KB\" or \"1.5 MB\".",
                        text);
    }

    @Test
    void negativeAndEndlessAmountsAreRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Bytes.parse("-1 KB"))
                .withMessage("\"-1 KB\" is negative. The least amount is \"0 B\".");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Bytes.parse("99999999999 GB"))
                .withMessageContaining("is more than can be counted");
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0 B",
        "16, 16 B",
        "999, 999 B",
        "1024, 1.00 KB",
        "100016, 97.7 KB",
        "1048576, 1.00 MB",
        "5000000000000, 4657 GB"
    })
    void roundedFiguresHaveThreeDigits(double bytes, String text) {
        assertThat(Bytes.rounded(bytes)).isEqualTo(text);
    }

    @Test
    void tolerancesArePercentagesOrAmounts() {
        assertThat(Share.of("10 %", 1000)).isEqualTo(100);
        assertThat(Share.of("0.5%", 1000)).isEqualTo(5);
        assertThat(Share.of("2 KB", 1000)).isEqualTo(2048);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Share.of("-1 %", 1))
                .withMessage("\"-1 %\" is negative. The least tolerance is \"0 %\".");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Share.of("ten %", 1))
                .withMessageContaining("Write a percentage such as \"10 %\", or an amount");
    }

    @Test
    void patternsMatchClassesMethodsAndWhatIsNested() {
        Pattern pattern = new Pattern("com.acme.Cache");
        assertThat(pattern.matches("com.acme.Cache")).isTrue();
        assertThat(pattern.matches("com.acme.Cache.put")).isTrue();
        assertThat(pattern.matches("com.acme.Cache$Entry.<init>")).isTrue();
        assertThat(pattern.matches("com.acme.Caches.put")).isFalse();
        assertThat(pattern.matches("com_acme.Cache")).isFalse();
        assertThat(new Pattern("com.acme.*.parse").matches("com.acme.money.Money.parse")).isTrue();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Pattern("com acme"))
                .withMessageContaining("such as \"com.acme.Cache.put\"; * stands for");
    }
}
