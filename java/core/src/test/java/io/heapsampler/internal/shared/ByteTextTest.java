// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal.shared;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ByteTextTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "0 | 0 B",
                "16 | 16 B",
                "1023 | 1,023 B",
                "1024 | 1 KiB",
                "100016 | 97.7 KiB",
                "1048576 | 1 MiB",
                "-1572864 | -1.5 MiB",
                "5000000000000 | 4,656.6 GiB"
            })
    void roundedAmountsHaveAtMostOneDigitAfterThePoint(double bytes, String text) {
        assertThat(ByteText.rounded(bytes)).isEqualTo(text);
    }

    @Test
    void exactAmountsHaveSeparators() {
        assertThat(ByteText.exact(0)).isEqualTo("0 bytes");
        assertThat(ByteText.exact(1)).isEqualTo("1 byte");
        assertThat(ByteText.exact(999)).isEqualTo("999 bytes");
        assertThat(ByteText.exact(1_000)).isEqualTo("1,000 bytes");
        assertThat(ByteText.exact(1_310_784)).isEqualTo("1,310,784 bytes");
        assertThat(ByteText.exact(-100)).isEqualTo("-100 bytes");
        assertThat(ByteText.exact(-1_000)).isEqualTo("-1,000 bytes");
        assertThat(ByteText.exact(Long.MIN_VALUE)).isEqualTo("-9,223,372,036,854,775,808 bytes");
    }
}
