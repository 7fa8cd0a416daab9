// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal.shared;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class HtmlTextTest {

    @Test
    void charactersWithAMeaningInHtmlAreEscaped() {
        assertThat(HtmlText.escaped("<a href=\"x\" title='y'>1 & 2</a>"))
                .isEqualTo("&lt;a href=&quot;x&quot; title=&#39;y&#39;&gt;1 &amp; 2&lt;/a&gt;");
    }

    @Test
    void controlCharactersExceptLineFeedsAndTabsAreReplaced() {
        assertThat(HtmlText.escaped("a\n\tb\u001b\u0000\u00e9"))
                .isEqualTo("a\n\tb\uFFFD\uFFFD\u00e9");
    }
}
