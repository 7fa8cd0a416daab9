// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.text;

import io.heapsampler.internal.shared.HtmlText;

/** Text in markup. */
public final class Html {

    private Html() {}

    /** The same with the characters replaced to which HTML gives a meaning. */
    public static String escaped(String text) {
        return HtmlText.escaped(text);
    }
}
