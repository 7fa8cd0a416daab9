// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import io.heapsampler.ByteSize;
import java.util.Locale;

/** Amounts of bytes as messages show them; {@link ByteSize} reads them. */
public final class Bytes {

    private static final String[] UNITS = {"B", "KB", "MB", "GB"};

    private Bytes() {}

    static String quoted(String text) {
        return '"' + text + '"';
    }

    /** Returns an exact figure, such as {@code 1,310,784 bytes}. */
    public static String exact(long bytes) {
        return String.format(Locale.ROOT, bytes == 1 ? "%,d byte" : "%,d bytes", bytes);
    }

    /** Returns a rounded figure with three digits, such as {@code 1.25 MB}. */
    public static String rounded(double bytes) {
        double figure = bytes;
        int unit = 0;
        while (Math.abs(figure) >= 1000 && unit < UNITS.length - 1) {
            figure /= 1024;
            unit++;
        }
        String number = String.format(Locale.ROOT, unit == 0 ? "%.0f" : digits(figure), figure);
        return number + " " + UNITS[unit];
    }

    private static String digits(double figure) {
        double size = Math.abs(figure);
        return size < 10 ? "%.2f" : size < 100 ? "%.1f" : "%.0f";
    }

    /** Returns the limit as it was written, and in bytes where that says more. */
    public static String limit(String text, long bytes) {
        String exact = exact(bytes);
        String trimmed = text.trim();
        return trimmed.equals(bytes + " B") ? exact : trimmed + " (" + exact + ")";
    }
}
