// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.push;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.function.DoubleSupplier;
import org.jspecify.annotations.Nullable;

/**
 * How long to wait for the next attempt: twice as long each time, less a random part, so that a
 * fleet does not come back all at once. For one thread.
 */
final class Backoff {

    static final Duration FIRST = Duration.ofSeconds(1);
    static final Duration LONGEST_ASKED = Duration.ofHours(1);
    private static final int MOST_DOUBLINGS = 30;

    private final Duration first;
    private final Duration most;
    private final DoubleSupplier random;
    private int failures;

    /**
     * Waits for first, then longer.
     *
     * @param random from 0 to 1, without 1
     */
    Backoff(Duration first, Duration most, DoubleSupplier random) {
        this.first = first;
        this.most = most;
        this.random = random;
    }

    void reset() {
        failures = 0;
    }

    /**
     * Counts a failure and returns the time to wait, which is never less than the requested time.
     */
    Duration next(@Nullable Duration asked) {
        double nanos = (double) first.toNanos() * (1L << Math.min(failures, MOST_DOUBLINGS));
        nanos = Math.min(nanos, (double) most.toNanos()) * (1 - random.getAsDouble() / 2);
        failures++;
        if (asked != null) {
            Duration bounded = asked.compareTo(LONGEST_ASKED) < 0 ? asked : LONGEST_ASKED;
            nanos = Math.max(nanos, (double) bounded.toNanos() * (1 + random.getAsDouble() / 10));
        }
        return Duration.ofNanos((long) nanos);
    }

    /** Reads the header Retry-After: seconds or a date; null for anything else. */
    static @Nullable Duration retryAfter(String value, Instant now) {
        String text = value.strip();
        try {
            if (!text.isEmpty() && text.chars().allMatch(c -> c >= '0' && c <= '9')) {
                return Duration.ofSeconds(Math.min(Long.parseLong(text), Integer.MAX_VALUE));
            }
            Instant until =
                    ZonedDateTime.parse(text, DateTimeFormatter.RFC_1123_DATE_TIME).toInstant();
            return until.isAfter(now) ? Duration.between(now, until) : Duration.ZERO;
        } catch (DateTimeException | NumberFormatException e) {
            return null;
        }
    }
}
