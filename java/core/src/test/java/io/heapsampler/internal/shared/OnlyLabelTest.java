// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal.shared;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The text by which samples of one label are chosen. */
class OnlyLabelTest {

    @ParameterizedTest
    @ValueSource(strings = {"tenant=acme", "tenant=", "query=a=b", "endpoint=GET /orders"})
    void aTextIsReadAndWritten(String text) {
        OnlyLabel only = OnlyLabel.parse(text);

        assertThat(only).hasToString(text);
        assertThat(only.key()).doesNotContain("=");
    }

    @Test
    void aKeyAloneChoosesTheSamplesWithoutIt() {
        assertThat(OnlyLabel.parse("tenant=").filter()).hasToString("no label tenant");
        assertThat(OnlyLabel.parse("tenant=acme").filter()).hasToString("label tenant=acme");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "tenant", "=acme", "a\nb=c", "a=b\u0000"})
    void otherTextsAreRefused(String text) {
        assertThatIllegalArgumentException().isThrownBy(() -> OnlyLabel.parse(text));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> OnlyLabel.parse("tenant"))
                .withMessageStartingWith("Name a key and a value, such as tenant=acme");
    }
}
