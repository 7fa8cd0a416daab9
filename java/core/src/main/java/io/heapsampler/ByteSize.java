// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import com.google.errorprone.annotations.CheckReturnValue;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Amounts of bytes as people write them. 1 KB is 1 KiB is 1,024 bytes.
 *
 * <pre>{@code
 * SamplerOptions.builder().interval(ByteSize.parse("64 KB"));
 * }</pre>
 *
 * <p>Safe for use by many threads.
 *
 * @since 0.1
 */
@ApiStatus(value = ApiStatus.Level.STABLE, since = "0.1")
@CheckReturnValue
public final class ByteSize {

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

    private ByteSize() {}

    /**
     * Reads an amount.
     *
     * @param text such as {@code "64 KB"}, {@code "1.5 MiB"} or {@code "0 B"}, in upper or lower
     *     case
     * @return the bytes, rounded to whole ones; 0 or more
     * @throws IllegalArgumentException if this is no amount, or one of 8 EiB or more; the message
     *     says why, and how to write it
     */
    public static long parse(String text) {
        Objects.requireNonNull(text, "text");
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

    /**
     * Writes an amount for people.
     *
     * @param bytes any number of bytes
     * @return such as {@code 1.5 MiB}, with at most one digit after the point; below 1,024 bytes
     *     {@code 12 B}
     */
    public static String format(double bytes) {
        double size = Math.abs(bytes);
        if (size < K) {
            return String.format(Locale.ROOT, "%,.0f B", bytes);
        }
        double unit = size < K * K ? K : size < K * K * K ? K * K : K * K * K;
        String text = String.format(Locale.ROOT, "%,.1f", bytes / unit);
        String name = unit == K ? " KiB" : unit == K * K ? " MiB" : " GiB";
        return (text.endsWith(".0") ? text.substring(0, text.length() - 2) : text) + name;
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
}
