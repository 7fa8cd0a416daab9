// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertj;

import io.heapsampler.Estimate;
import java.util.List;

/**
 * One figure, according to the samples.
 *
 * @param measure the kind of figure
 * @param sure what belongs to the figure
 * @param possible the same, with what may belong to it: what is unconfirmed may be alive, what has
 *     lost its stack may come from anywhere
 * @param spacing how far samples are apart
 * @param doubts why more than {@code possible} may belong to it; the upper bound is lost then
 * @param hints what makes {@code possible} the same as {@code sure}
 */
record Reading(
        Measure measure,
        Estimate sure,
        Estimate possible,
        Spacing spacing,
        List<String> doubts,
        List<String> hints) {

    enum Verdict {
        KEPT,
        BROKEN,
        UNDECIDED
    }

    static Reading of(Measure measure, Estimate estimate, Spacing spacing) {
        return new Reading(measure, estimate, estimate, spacing, List.of(), List.of());
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
     * The upper end of the interval of what is possible. What no sample has hit is not in it, and
     * counts where the interval of the estimate does not reach as far.
     */
    double high() {
        if (!doubts.isEmpty()) {
            return Double.POSITIVE_INFINITY;
        }
        return Math.max(possible.high(), possible.value() + unseen());
    }

    private double unseen() {
        return spacing.unseen(measure, possible.samples());
    }

    /**
     * Returns the largest interval that would be likely to decide, were the figures the same: the
     * variance of an estimate grows with the interval.
     *
     * @return bytes, a power of two; 0 if only exact counting decides, or if it decides already
     */
    long decisiveInterval(Limit limit) {
        long interval = spacing.interval();
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
            needed = Math.min(needed, interval * distance * distance / (Spacing.Z2 * perByte));
        }
        return needed >= 1 ? Long.highestOneBit((long) needed) : 0;
    }

    /** Returns whether a smaller interval alone would not do. */
    boolean isClouded(Limit limit) {
        Reading clear = new Reading(measure, sure, sure, spacing, List.of(), List.of());
        return clear.against(limit) != Verdict.UNDECIDED;
    }

    /** The least or the most that a figure may be. */
    record Limit(boolean isMost, double amount) {

        static Limit atMost(long amount) {
            return new Limit(true, (double) amount);
        }

        static Limit atLeast(long amount) {
            return new Limit(false, (double) amount);
        }

        String text(Measure measure) {
            return (isMost ? "at most " : "at least ") + measure.exact(amount);
        }
    }
}
