// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertj;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ByteAmountTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "0 | 0 B",
                "1023 | 1,023 B",
                "65536 | 64 KiB",
                "1572864 | 1.5 MiB",
                "-2048 | -2 KiB"
            })
    void amountsAreWrittenWithOneDigit(double bytes, String text) {
        assertThat(ByteAmount.text(bytes)).isEqualTo(text);
    }
}
