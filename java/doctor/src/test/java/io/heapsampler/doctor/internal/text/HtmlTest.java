// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.text;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Anything is text, also between quotes of either kind. */
class HtmlTest {

    @Test
    void whatHasAMeaningLosesIt() {
        assertThat(Html.escaped("<a href='x' b=\"y\">&amp;"))
                .isEqualTo("&lt;a href=&#39;x&#39; b=&quot;y&quot;&gt;&amp;amp;");
    }

    @Test
    void whatMarkupMayNotHoldIsReplaced() {
        assertThat(Html.escaped("a\u0000b\u001b\n\tc d")).isEqualTo("a\uFFFDb\uFFFD\n\tc d");
    }
}
