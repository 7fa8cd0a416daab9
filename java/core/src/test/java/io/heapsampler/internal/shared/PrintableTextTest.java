// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal.shared;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PrintableTextTest {

    @Test
    void controlCharactersBecomeQuestionMarks() {
        assertThat(PrintableText.of("a\n\u001b[31m\u0085b\ud83d\ude00"))
                .isEqualTo("a??[31m?b\ud83d\ude00");
        assertThat(PrintableText.of("a\nheap profile: 1")).isEqualTo("a?heap profile: 1");
        assertThat(PrintableText.of(null)).isEqualTo("null");
    }
}
