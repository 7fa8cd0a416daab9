// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import io.heapsampler.GarbageCollector;
import org.jspecify.annotations.Nullable;

/** Figures as readers of findings see them. 1 KiB is 1,024 bytes, as everywhere here. */
final class Text {

    private static final String[] UNITS = {"bytes", "KiB", "MiB", "GiB", "TiB"};

    /** From here on a long has no tenths. */
    private static final double LARGEST = 1e17;

    /** Digits behind the point; a percentage that is smaller is 0. */
    private static final int MOST_PLACES = 15;

    /**
     * Puts values into a sentence, each in the next place, <code>{}</code>, as far as there are
     * places. Loads and links nothing, unlike {@link String#format}: there may be no metaspace
     * left.
     */
    static String of(String sentence, @Nullable Object... values) {
        StringBuilder text = new StringBuilder();
        int from = 0;
        for (Object value : values) {
            int at = sentence.indexOf("{}", from);
            if (at >= 0) {
                text.append(sentence, from, at).append(value);
                from = at + 2;
            }
        }
        return text.append(sentence, from, sentence.length()).toString();
    }

    /** Such as {@code 65 MiB} or {@code 1.5 GiB}. */
    static String bytes(long bytes) {
        return bytes((double) bytes);
    }

    static String bytes(double bytes) {
        double figure = Math.abs(bytes);
        int unit = 0;
        while (figure >= 1024 && unit < UNITS.length - 1) {
            figure /= 1024;
            unit++;
        }
        return (bytes < 0 ? "-" : "") + number(figure) + " " + UNITS[unit];
    }

    /** Such as {@code 0.4 ms}, {@code 440 ms} or {@code 1.8 s}. */
    static String millis(double millis) {
        return millis < 1000 ? number(millis) + " ms" : number(millis / 1000) + " s";
    }

    /** Such as {@code 0.3 s}, {@code 42 s}, {@code 7 min} or {@code 3.5 h}. */
    static String span(long millis) {
        return span((double) millis);
    }

    static String span(double millis) {
        double seconds = millis / 1000;
        if (seconds < 120) {
            return number(seconds) + " s";
        }
        return seconds < 7200 ? number(seconds / 60) + " min" : number(seconds / 3600) + " h";
    }

    /** Such as {@code 0.04 %} or {@code 46 %}. */
    static String share(double share) {
        double percent = 100 * share;
        boolean isSmall = percent > 0 && percent < 1;
        return (isSmall ? twoDigits(percent) : number(percent)) + " %";
    }

    /** A number from 0 to 1, of which {@link #number} would leave one digit or none. */
    private static String twoDigits(double value) {
        double scaled = value;
        int places = 0;
        while (scaled < 10 && places < MOST_PLACES) {
            scaled *= 10;
            places++;
        }
        StringBuilder digits = new StringBuilder().append(Math.round(scaled));
        while (digits.length() <= places) {
            digits.insert(0, '0');
        }
        digits.insert(digits.length() - places, '.');
        int end = digits.length();
        while (digits.charAt(end - 1) == '0') {
            end--;
        }
        return digits.substring(0, digits.charAt(end - 1) == '.' ? end - 1 : end);
    }

    /** One digit behind the point below ten, none from there on. */
    static String number(double value) {
        double figure = Math.abs(value);
        if (!(figure < LARGEST)) {
            return String.valueOf(value); // Such as an infinity.
        }
        double tenths = Math.rint(figure * 10);
        boolean isWhole = tenths % 10 == 0 || tenths >= 100;
        String sign = value < 0 ? "-" : "";
        long rounded = Math.round(figure * 10);
        return isWhole
                ? sign + grouped(Math.round(figure))
                : sign + rounded / 10 + '.' + rounded % 10;
    }

    /** As a formatter does it, which takes a hundred classes of the JVM for locales. */
    private static String grouped(long number) {
        StringBuilder text = new StringBuilder().append(number);
        int first = number < 0 ? 1 : 0;
        for (int at = text.length() - 3; at > first; at -= 3) {
            text.insert(at, ',');
        }
        return text.toString();
    }

    /** A number with the right form of a word. */
    static String count(long number, String one, String many) {
        return grouped(number) + " " + (number == 1 ? one : many);
    }

    /** What went wrong: the message, or what it is where it has none. */
    static String reason(Throwable cause) {
        String message = cause.getMessage();
        return message == null ? cause.toString() : message;
    }

    /** The name of a collector as its users know it. */
    static String name(GarbageCollector collector) {
        return switch (collector) {
            case SERIAL -> "Serial";
            case PARALLEL -> "Parallel";
            case G1 -> "G1";
            case Z -> "ZGC";
            case Z_GENERATIONAL -> "generational ZGC";
            case SHENANDOAH -> "Shenandoah";
            case SHENANDOAH_GENERATIONAL -> "generational Shenandoah";
            case EPSILON -> "Epsilon";
            default -> "unknown collector";
        };
    }
}
