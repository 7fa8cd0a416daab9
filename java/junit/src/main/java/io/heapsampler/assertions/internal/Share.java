// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import io.heapsampler.ByteSize;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How much more than a figure is still accepted: {@code 10 %}, or an amount such as {@code 4 KB}.
 */
public final class Share {

    private static final Pattern PERCENT = Pattern.compile("\\s*(-?\\d+(?:\\.\\d+)?)\\s*%\\s*");

    private Share() {}

    /**
     * Returns the bytes that may be added to a figure.
     *
     * @throws IllegalArgumentException if the text is neither a percentage nor an amount
     */
    public static long of(String text, long figure) {
        Matcher matcher = PERCENT.matcher(text);
        if (matcher.matches()) {
            double percent = Double.parseDouble(matcher.group(1));
            if (percent < 0) {
                throw new IllegalArgumentException(
                        Bytes.quoted(text) + " is negative. The least tolerance is \"0 %\".");
            }
            return (long) (figure * percent / 100);
        }
        if (text.indexOf('%') >= 0) {
            throw new IllegalArgumentException(
                    Bytes.quoted(text)
                            + " is no tolerance. Write a percentage such as \"10 %\", or an amount"
                            + " such as \"4 KB\".");
        }
        return ByteSize.parse(text);
    }
}
