// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

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

    @Test
    void patternsMatchClassesMethodsAndWhatIsNested() {
        Pattern pattern = new Pattern("com.acme.Cache");
        assertThat(pattern.matches("com.acme.Cache")).isTrue();
        assertThat(pattern.matches("com.acme.Cache.put")).isTrue();
        assertThat(pattern.matches("com.acme.Cache$Entry.<init>")).isTrue();
        assertThat(pattern.matches("com.acme.Caches.put")).isFalse();
        assertThat(pattern.matches("com_acme.Cache")).isFalse();
        assertThat(new Pattern("com.acme.*.parse").matches("com.acme.money.Money.parse")).isTrue();
        assertThat(new Pattern("com.acme")).isEqualTo(new Pattern(" com.acme"));
        assertThat(new Pattern("com.acme")).isNotEqualTo(new Pattern("com.acme.*"));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Pattern("com acme"))
                .withMessageContaining("such as \"com.acme.Cache.put\"; * stands for");
    }
}
