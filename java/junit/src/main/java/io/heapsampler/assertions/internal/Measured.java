// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import io.heapsampler.ByteSize;
import io.heapsampler.Estimate;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.internal.shared.ByteText;
import org.jspecify.annotations.Nullable;

/**
 * What one run allocated or left behind.
 *
 * @param low the least it can be
 * @param bytes the figure itself
 * @param high the most it can be; infinite if what was lost may be of any size
 * @param how where the figure comes from, for the message
 * @param evidence a recording of the run; null if there is none
 * @param remedy what would make it more certain, as a sentence; empty if repetition may
 */
record Measured(
        double low,
        double bytes,
        double high,
        String how,
        @Nullable Evidence evidence,
        String remedy)
        implements AutoCloseable {

    static Measured exact(long bytes, String how, @Nullable Evidence evidence) {
        return new Measured(bytes, bytes, bytes, how, evidence, "");
    }

    /** A figure that lies within its {@link Bounds} except in one of 15,000 cases. */
    static Measured of(Estimate estimate, long interval, String how, @Nullable Evidence evidence) {
        double value = estimate.value();
        double variance = estimate.standardError() * estimate.standardError();
        return new Measured(
                Bounds.low(value, variance),
                value,
                Bounds.high(value, variance, interval),
                how,
                evidence,
                "");
    }

    /** The same without bytes that do not count; the words are added to where it comes from. */
    Measured without(long less, String words) {
        return new Measured(
                Math.max(0, low - less),
                Math.max(0, bytes - less),
                Math.max(0, high - less),
                how + words,
                evidence,
                remedy);
    }

    /** The same with other bounds, for a reason, of which the first to be given says what helps. */
    Measured widened(double newLow, double newHigh, String reason, String help) {
        return new Measured(
                Math.max(0, newLow),
                bytes,
                newHigh,
                how.isEmpty() ? reason : how + "; " + reason,
                evidence,
                remedy.isEmpty() ? help : remedy);
    }

    boolean isWithin(long limit) {
        return high <= limit;
    }

    boolean isBeyond(long limit) {
        return low > limit;
    }

    /** Is it neither within nor beyond a limit? */
    boolean isUndecided(long limit) {
        return !isWithin(limit) && !isBeyond(limit);
    }

    boolean isExact() {
        return low == high;
    }

    String figure() {
        if (isExact()) {
            return ByteText.exact((long) bytes);
        }
        if (high == Double.POSITIVE_INFINITY) {
            return ByteSize.format(bytes) + " or more";
        }
        double less = bytes - low;
        double more = high - bytes;
        String range =
                Math.max(less, more) > 2 * Math.min(less, more)
                        ? " (" + ByteSize.format(low) + " to " + ByteSize.format(high) + ")"
                        : " ± " + ByteSize.format((high - low) / 2);
        return ByteSize.format(bytes) + range;
    }

    @Nullable HeapSnapshot snapshot() {
        return evidence == null ? null : evidence.snapshot();
    }

    /** Why there is no verdict about it. */
    NotMeasuredException undecided(String summary, String description, String help) {
        String text = "Its figure is too uncertain for a verdict: %s; %s. %s";
        return new NotMeasuredException(
                text.formatted(summary, description, remedy.isEmpty() ? help : remedy), snapshot());
    }

    @Override
    public void close() {
        if (evidence != null) {
            evidence.close();
        }
    }

    /**
     * Bounds of the truth behind an estimate. Each bound is wrong for at most one in 30,000
     * figures: those of a Poisson distribution, by Wilson's and Hilferty's approximation, with
     * samples that each stand for as much as an interval does at most. Symmetric bounds would be
     * wrong more often where samples are few: four standard errors around six samples do not reach
     * sixteen, though six or fewer come of sixteen once in 250 times.
     */
    static final class Bounds {

        /** One in 30,000 normal figures is beyond this many standard errors, to one side. */
        static final double CERTAINTY = 4;

        private Bounds() {}

        /** The least that it can be; 0 or more. */
        static double low(double value, double variance) {
            if (value <= 0 || variance == 0) {
                return Math.max(0, value);
            }
            double samples = value * value / variance;
            double root = 1 - 1 / (9 * samples) - CERTAINTY / (3 * Math.sqrt(samples));
            return root <= 0 ? 0 : value * root * root * root;
        }

        /**
         * The maximum that it can be. Unsampled allocations are in no variance, so even without any
         * sample there may be some intervals more.
         */
        static double high(double value, double variance, long interval) {
            double scale =
                    value > 0 ? Math.max((double) interval, variance / value) : (double) interval;
            if (scale == 0) {
                return value;
            }
            double samples = variance / (scale * scale);
            double root = 1 - 1 / (9 * (samples + 1)) + CERTAINTY / (3 * Math.sqrt(samples + 1));
            return value + scale * ((samples + 1) * root * root * root - samples);
        }
    }
}
