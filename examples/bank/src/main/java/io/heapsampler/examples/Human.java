// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.examples;

import io.heapsampler.HeapHistogram;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalInt;

/** Figures as people read them. */
final class Human {

    private static final String[] BYTE_UNITS = {"B", "KiB", "MiB", "GiB", "TiB"};

    private Human() {}

    /** Returns such as {@code 12.3 MiB}. */
    static String bytes(double bytes) {
        double value = Math.abs(bytes);
        int unit = 0;
        while (value >= 1024 && unit < BYTE_UNITS.length - 1) {
            value /= 1024;
            unit++;
        }
        String format = value == Math.rint(value) ? "%s%.0f %s" : "%s%.1f %s";
        return String.format(Locale.ROOT, format, bytes < 0 ? "-" : "", value, BYTE_UNITS[unit]);
    }

    /** Returns such as {@code 1,234,567}. */
    static String count(double count) {
        return String.format(Locale.ROOT, "%,.0f", count);
    }

    /** Returns such as {@code 7.3 µs}. */
    static String duration(Duration duration) {
        double nanos = duration.toNanos();
        if (nanos < 1e3) {
            return String.format(Locale.ROOT, "%.0f ns", nanos);
        }
        if (nanos < 1e6) {
            return String.format(Locale.ROOT, "%.1f µs", nanos / 1e3);
        }
        return nanos < 1e9
                ? String.format(Locale.ROOT, "%.1f ms", nanos / 1e6)
                : String.format(Locale.ROOT, "%.1f s", nanos / 1e9);
    }

    /**
     * Returns the bucket in which the median lies, such as {@code 4.1-8.2 s}; "-" if there is none.
     */
    static String median(HeapHistogram histogram) {
        OptionalInt median = histogram.quantileBucket(0.5);
        if (median.isEmpty()) {
            return "-";
        }
        int bucket = median.getAsInt();
        long low = histogram.lowerBound(bucket);
        if (histogram.unit() == HeapHistogram.Unit.COLLECTIONS) {
            return Long.toString(low);
        }
        if (bucket == histogram.buckets() - 1) {
            return String.format(Locale.ROOT, "over %.0f s", low / 1e3);
        }
        long high = histogram.upperBound(bucket);
        return high < 1000
                ? low + "-" + high + " ms"
                : String.format(Locale.ROOT, "%.1f-%.1f s", low / 1e3, high / 1e3);
    }

    /** Breaks a text into lines of at most this many characters, at blanks. */
    static List<String> wrap(String text, int width) {
        List<String> lines = new ArrayList<>();
        StringBuilder line = new StringBuilder();
        for (String word : text.split(" ", -1)) {
            if (line.length() > 0 && line.length() + 1 + word.length() > width) {
                lines.add(line.toString());
                line.setLength(0);
            }
            line.append(line.length() == 0 ? "" : " ").append(word);
        }
        lines.add(line.toString());
        return lines;
    }
}
