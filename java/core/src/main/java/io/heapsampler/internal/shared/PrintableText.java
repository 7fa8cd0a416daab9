// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal.shared;

import org.jspecify.annotations.Nullable;

/**
 * Text for terminals and logs. Names of classes may contain any character: a line feed could forge
 * a line of a log, an escape could control a terminal.
 */
public final class PrintableText {

    private PrintableText() {}

    /** Returns the text on one line, with a question mark in place of each control character. */
    public static String of(@Nullable String text) {
        StringBuilder clean = new StringBuilder(String.valueOf(text));
        for (int i = 0; i < clean.length(); i++) {
            if (Character.isISOControl(clean.charAt(i))) {
                clean.setCharAt(i, '?');
            }
        }
        return clean.toString();
    }
}
