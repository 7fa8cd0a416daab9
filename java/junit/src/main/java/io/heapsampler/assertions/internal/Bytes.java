// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import java.math.BigDecimal;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Amounts of memory as people write them: {@code 64 KB}, {@code 1.5 MB}, {@code 0 B}. */
public final class Bytes {

    private static final Pattern AMOUNT =
            Pattern.compile("\\s*([+-]?\\d+(?:\\.\\d+)?)\\s*(B|[KMG]i?B)\\s*");

    private static final String[] UNITS = {"B", "KB", "MB", "GB"};

    private Bytes() {}

    /**
     * Parses an amount. 1 KB is 1,024 bytes, as is 1 KiB.
     *
     * @throws IllegalArgumentException if it is none; the message says how to write it
     */
    public static long parse(String text) {
        Matcher matcher = AMOUNT.matcher(text);
        if (!matcher.matches()) {
            throw new IllegalArgumentException(
                    quoted(text)
                            + " is no amount of memory. Write a number and a unit, B, KB, MB or GB,"
                            + " such as \"64 KB\" or \"1.5 MB\".");
        }
        BigDecimal number = new BigDecimal(matcher.group(1));
        if (number.signum() < 0) {
            throw new IllegalArgumentException(
                    quoted(text) + " is negative. The least amount is \"0 B\".");
        }
        int power = "BKMG".indexOf(matcher.group(2).charAt(0));
        BigDecimal bytes = number.multiply(BigDecimal.valueOf(1L << (10 * power)));
        if (bytes.compareTo(BigDecimal.valueOf(Long.MAX_VALUE)) > 0) {
            throw new IllegalArgumentException(
                    quoted(text) + " is more than can be counted. The most is \"8000000000 GB\".");
        }
        return bytes.longValue();
    }

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
