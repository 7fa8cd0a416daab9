// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertj;

import io.heapsampler.Estimate;
import java.util.List;

/**
 * What the samples say about one figure.
 *
 * @param measure what is counted
 * @param sure what belongs to the figure
 * @param possible the same, with what may belong to it: what is unconfirmed may be alive, what has
 *     lost its stack may come from anywhere
 * @param interval bytes between samples, negative if it is not known
 * @param doubts why more than {@code possible} may belong to it; the upper bound is lost then
 * @param hints what makes {@code possible} the same as {@code sure}
 */
record Reading(
        Measure measure,
        Estimate sure,
        Estimate possible,
        long interval,
        List<String> doubts,
        List<String> hints) {

    /** The square of the 95 % quantile of the normal distribution. */
    private static final double Z2 = 1.96 * 1.96;

    /** The smallest object of any JVM. */
    private static final int SMALLEST = 8;

    enum Verdict {
        KEPT,
        BROKEN,
        UNDECIDED
    }

    static Reading of(Measure measure, Estimate estimate, long interval) {
        return new Reading(measure, estimate, estimate, interval, List.of(), List.of());
    }

    Verdict against(Limit limit) {
        if (limit.isMost()) {
            return high() <= limit.amount()
                    ? Verdict.KEPT
                    : low() > limit.amount() ? Verdict.BROKEN : Verdict.UNDECIDED;
        }
        return low() >= limit.amount()
                ? Verdict.KEPT
                : high() < limit.amount() ? Verdict.BROKEN : Verdict.UNDECIDED;
    }

    double low() {
        return measure == Measure.GROWTH ? sure.low() - unseen() : sure.low();
    }

    /**
     * The upper end of the interval of what is possible. Bytes that no sample has hit are not in
     * it: with T bytes between samples, X bytes go unseen with the chance exp(−X/T), so up to 3.84
     * T may (the bound of the score interval for no sample, a little more than ln 40 = 3.69). They
     * count where the interval of the estimate does not reach as far.
     */
    double high() {
        if (!doubts.isEmpty()) {
            return Double.POSITIVE_INFINITY;
        }
        return Math.max(possible.high(), possible.value() + unseen());
    }

    private double unseen() {
        if (interval < 0) {
            return possible.samples() == 0 ? Double.POSITIVE_INFINITY : 0;
        }
        return Z2 * interval / (measure.isBytes ? 1 : SMALLEST);
    }

    /**
     * Returns the largest interval that would be likely to decide, were the figures the same: the
     * variance of an estimate grows with the interval.
     *
     * @return bytes, a power of two; 0 if only exact counting decides, or if it decides already
     */
    long decisiveInterval(Limit limit) {
        if (interval <= 0) {
            return 0;
        }
        double value = sure.value();
        double distance = value - limit.amount();
        double needed = interval / 2.0;
        if (distance < 0) {
            needed = Math.min(needed, interval * -distance / unseen());
        }
        double variance = sure.standardError() * sure.standardError();
        if (value > 0 && variance > 0) {
            double perByte = Math.max(limit.amount(), 1) * (variance / value);
            needed = Math.min(needed, interval * distance * distance / (Z2 * perByte));
        }
        return needed >= 1 ? Long.highestOneBit((long) needed) : 0;
    }

    /** Says whether a smaller interval alone would not do. */
    boolean isClouded(Limit limit) {
        Reading clear = new Reading(measure, sure, sure, interval, List.of(), List.of());
        return clear.against(limit) != Verdict.UNDECIDED;
    }
}
