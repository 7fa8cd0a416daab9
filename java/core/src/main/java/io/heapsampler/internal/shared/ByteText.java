// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal.shared;

import java.util.Locale;

/** Amounts of bytes as messages show them. One KiB has 1,024 bytes. */
public final class ByteText {

    private ByteText() {}

    /** Returns an exact amount, such as {@code 1,310,784 bytes}. */
    public static String exact(long bytes) {
        return grouped(bytes) + (bytes == 1 ? " byte" : " bytes");
    }

    /** As a formatter does it, which takes a hundred times as long. */
    private static String grouped(long number) {
        StringBuilder text = new StringBuilder(Long.toString(number));
        int first = number < 0 ? 1 : 0;
        for (int at = text.length() - 3; at > first; at -= 3) {
            text.insert(at, ',');
        }
        return text.toString();
    }

    /** Returns a whole number, such as {@code 1,024}. */
    public static String number(double figure) {
        return String.format(Locale.ROOT, "%,.0f", figure);
    }
}
