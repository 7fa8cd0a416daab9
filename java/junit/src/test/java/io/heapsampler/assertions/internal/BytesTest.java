// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.heapsampler.assertions.internal.BaselineRule.Share;
import org.junit.jupiter.api.Test;

class BytesTest {

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
}
