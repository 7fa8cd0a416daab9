// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal.shared;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ByteTextTest {

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
