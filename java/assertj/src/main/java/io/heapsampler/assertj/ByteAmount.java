// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertj;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Amounts of bytes as people write and read them. A kilobyte has 1,024 bytes. */
final class ByteAmount {

    private static final long K = 1024;

    private static final Pattern FORM =
            Pattern.compile("\\s*(\\d+(?:\\.\\d+)?)\\s*([^\\d.\\s]\\S*)\\s*");

    private static final Map<String, Long> UNITS =
            Map.of(
                    "B", 1L, "KB", K, "KIB", K, "MB", K * K, "MIB", K * K, "GB", K * K * K, "GIB",
                    K * K * K);

    private static final String ACCEPTED =
            " Write a number and a unit, such as \"64 KB\" or \"1.5 MB\"; the units are B, KB, KiB,"
                    + " MB, MiB, GB and GiB, and 1 KB is 1 KiB is 1,024 bytes.";

    private ByteAmount() {}

    /**
     * Returns the bytes, rounded to whole ones.
     *
     * @throws IllegalArgumentException if this is no amount, or one of 8 EiB or more
     */
    static long parse(String text) {
        Objects.requireNonNull(text, "amount");
        Matcher matcher = FORM.matcher(text);
        if (!matcher.matches()) {
            throw refused(text, problem(text.strip()));
        }
        Long unit = UNITS.get(matcher.group(2).toUpperCase(Locale.ROOT));
        if (unit == null) {
            throw refused(text, "there is no unit \"" + matcher.group(2) + "\".");
        }
        BigDecimal bytes = new BigDecimal(matcher.group(1)).multiply(BigDecimal.valueOf(unit));
        if (bytes.compareTo(BigDecimal.valueOf(Long.MAX_VALUE)) > 0) {
            throw refused(text, "it is more than 8 EiB.");
        }
        return bytes.setScale(0, RoundingMode.HALF_UP).longValueExact();
    }

    private static String problem(String text) {
        if (text.isEmpty()) {
            return "it is empty.";
        }
        if (text.startsWith("-")) {
            return "it is negative.";
        }
        return text.matches("\\d+(\\.\\d+)?") ? "the unit is missing." : "it has another form.";
    }

    private static IllegalArgumentException refused(String text, String why) {
        return new IllegalArgumentException(
                "\"" + text + "\" is not an amount of bytes: " + why + ACCEPTED);
    }

    /** Returns such as {@code 1.5 MiB}, to one digit behind the point. */
    static String text(double bytes) {
        double size = Math.abs(bytes);
        if (size < K) {
            return number(bytes) + " B";
        }
        if (size < K * K) {
            return tenths(bytes / K) + " KiB";
        }
        return size < K * K * K
                ? tenths(bytes / K / K) + " MiB"
                : tenths(bytes / K / K / K) + " GiB";
    }

    static String number(double figure) {
        return String.format(Locale.ROOT, "%.0f", figure);
    }

    private static String tenths(double figure) {
        String text = String.format(Locale.ROOT, "%.1f", figure);
        return text.endsWith(".0") ? text.substring(0, text.length() - 2) : text;
    }

    /** Checks a limit that is given as a number. */
    static long checked(long limit) {
        if (limit < 0) {
            throw new IllegalArgumentException("a limit must be 0 or more: " + limit);
        }
        return limit;
    }

    /** Checks a name. */
    static String checked(@Nullable String name, String what) {
        if (Objects.requireNonNull(name, what).isBlank()) {
            throw new IllegalArgumentException(what + " must not be blank");
        }
        return name;
    }
}
