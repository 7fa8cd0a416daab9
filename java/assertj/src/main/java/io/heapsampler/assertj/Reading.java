// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertj;

import io.heapsampler.ByteSize;
import io.heapsampler.Estimate;
import io.heapsampler.HeapAmount;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.SamplingStrategy;
import io.heapsampler.internal.shared.ByteText;
import io.heapsampler.internal.shared.Normal;
import java.util.List;
import org.jspecify.annotations.Nullable;

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

    /** The kinds of figures. */
    enum Measure {
        ALLOCATED_BYTES("allocated bytes", true, false),
        ALLOCATED_OBJECTS("allocated objects", false, false),
        LIVE_BYTES("live bytes", true, true),
        LIVE_OBJECTS("live objects", false, true),
        UNCONFIRMED_BYTES("unconfirmed bytes", true, true),
        UNCONFIRMED_OBJECTS("unconfirmed objects", false, true),
        GROWTH("growth of live bytes", true, true),
        BYTES("bytes", true, false),
        /** An estimate of which nothing is known. */
        ANY("value", false, false);

        /** As in "allocated bytes of the snapshot". */
        final String text;

        final boolean isBytes;

        /** Rests on the samples that could be tracked. */
        final boolean isTracked;

        Measure(String text, boolean isBytes, boolean isTracked) {
            this.text = text;
            this.isBytes = isBytes;
            this.isTracked = isTracked;
        }

        boolean isLive() {
            return this == LIVE_BYTES || this == LIVE_OBJECTS;
        }

        /** Chooses the amount that this is about. */
        HeapAmount of(HeapAmount allocated, HeapAmount live, HeapAmount unconfirmed) {
            if (isLive() || this == GROWTH) {
                return live;
            }
            return this == UNCONFIRMED_BYTES || this == UNCONFIRMED_OBJECTS
                    ? unconfirmed
                    : allocated;
        }

        /** Returns the amount in the unit in which people read it. */
        String brief(double amount) {
            return isBytes ? ByteSize.format(amount) : ByteText.number(amount);
        }

        /** Returns the amount to the last digit, and in the unit in which people read it. */
        String exact(double amount) {
            String number = ByteText.number(amount);
            if (!isBytes) {
                return number;
            }
            return Math.abs(amount) < 1024
                    ? number + (amount == 1 ? " byte" : " bytes")
                    : number + " bytes (" + ByteSize.format(amount) + ")";
        }
    }

    /** The outcome of a limit. */
    enum Verdict {
        KEPT,
        BROKEN,
        UNDECIDED
    }

    static Reading of(Measure measure, Estimate estimate, Spacing spacing) {
        return new Reading(measure, estimate, estimate, spacing, List.of(), List.of());
    }

    Reading with(Spacing known) {
        return new Reading(measure, sure, possible, known, doubts, hints);
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

    /**
     * How far samples are apart, and so what may go unseen between them.
     *
     * @param interval bytes between samples; negative if it is not known, or means nothing
     * @param other by what samples are chosen, if not by bytes
     * @param unseenObjects how many objects may go unseen with that other strategy
     */
    record Spacing(long interval, @Nullable SamplingStrategy other, double unseenObjects) {

        static final Spacing UNKNOWN = bytes(-1);

        /** The square of the 95 % quantile of the normal distribution. */
        static final double Z2 = Normal.Z95 * Normal.Z95;

        /** The smallest object of any JVM. */
        private static final int SMALLEST = 8;

        static Spacing bytes(long interval) {
            return new Spacing(interval, null, Double.POSITIVE_INFINITY);
        }

        static Spacing of(HeapSnapshot snapshot) {
            SamplingStrategy strategy = snapshot.strategy();
            return switch (strategy.kind()) {
                case BYTES -> bytes(snapshot.interval());
                case ALLOCATIONS ->
                        strategy.mean() == 1
                                ? bytes(0)
                                : new Spacing(-1, strategy, Z2 * strategy.mean());
                case TIME -> new Spacing(-1, strategy, Double.POSITIVE_INFINITY);
            };
        }

        /** Returns that of which less is known. */
        Spacing or(Spacing that) {
            if (other == null && that.other == null) {
                return bytes(
                        Math.min(interval, that.interval) < 0
                                ? -1
                                : Math.max(interval, that.interval));
            }
            if (other == null || that.other == null) {
                return other == null ? that : this;
            }
            return unseenObjects >= that.unseenObjects ? this : that;
        }

        /** Returns that of the samples that are tracked, where only a part is. */
        Spacing thinned() {
            return other == null ? UNKNOWN : new Spacing(-1, other, Double.POSITIVE_INFINITY);
        }

        boolean isExact() {
            return interval == 0;
        }

        /**
         * Returns how much may have been there that no sample has hit. With T bytes between
         * samples, X bytes go unseen with the chance exp(−X/T), so up to 3.84 T may (the bound of
         * the score interval for no sample, a little more than ln 40 = 3.69); with one in n
         * allocations, up to 3.84 n objects may. Nothing bounds the size of these, and nothing what
         * a cap refuses.
         */
        double unseen(Measure measure, long samples) {
            if (other != null) {
                boolean isObjects = !measure.isBytes && measure != Measure.ANY;
                return isObjects ? unseenObjects : Double.POSITIVE_INFINITY;
            }
            if (interval < 0) {
                return samples == 0 ? Double.POSITIVE_INFINITY : 0;
            }
            return Z2 * interval / (measure.isBytes ? 1 : SMALLEST);
        }
    }
}
