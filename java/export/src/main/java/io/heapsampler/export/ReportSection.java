// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export;

import io.heapsampler.internal.shared.HtmlText;

/**
 * An additional section of a report, which can be folded.
 *
 * @param heading plain text
 * @param html copied into the page unchanged
 */
record ReportSection(String heading, String html) {

    String toHtml() {
        return "<details class=\"panel section\" open><summary>"
                + HtmlText.escaped(heading)
                + "</summary>\n"
                + html
                + "</details>\n";
    }
}
