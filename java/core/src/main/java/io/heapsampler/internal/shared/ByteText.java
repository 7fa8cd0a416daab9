// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal.shared;

import java.util.Locale;

/** Amounts of bytes as messages show them. One KiB has 1,024 bytes. */
public final class ByteText {

    private static final String[] UNITS = {"B", "KiB", "MiB", "GiB"};
    private static final int STEP = 1024;

    private ByteText() {}

    /** Returns an exact amount, such as {@code 1,310,784 bytes}. */
    public static String exact(long bytes) {
        return String.format(Locale.ROOT, bytes == 1 ? "%,d byte" : "%,d bytes", bytes);
    }

    /** Returns an amount with at most one digit after the point, such as {@code 1.3 MiB}. */
    public static String rounded(double bytes) {
        double figure = bytes;
        int unit = 0;
        while (Math.abs(figure) >= STEP && unit < UNITS.length - 1) {
            figure /= STEP;
            unit++;
        }
        return (unit == 0 ? number(figure) : tenths(figure)) + " " + UNITS[unit];
    }

    /** Returns a whole number, such as {@code 1,024}. */
    public static String number(double figure) {
        return String.format(Locale.ROOT, "%,.0f", figure);
    }

    private static String tenths(double figure) {
        String text = String.format(Locale.ROOT, "%,.1f", figure);
        return text.endsWith(".0") ? text.substring(0, text.length() - 2) : text;
    }
}
