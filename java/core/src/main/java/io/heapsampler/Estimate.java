// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import com.google.errorprone.annotations.CheckReturnValue;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A figure estimated from samples, with its uncertainty.
 *
 * <p>Given the samples that the JVM takes, the estimate is unbiased: over many runs its mean is the
 * truth. JDK 17 to 24 themselves take too many or too few samples where objects are allocated
 * outside thread-local buffers; {@link HeapSnapshot#notes()} has the measured bias of the total,
 * and no bounds cover it. One run is off by about {@link #standardError()}, and the truth lies
 * between {@link #low()} and {@link #high()} in about 95 of 100 runs. With fewer than ten samples
 * this is not promised, see {@link #hasTooFewSamples()}; a figure with no sample at all is 0 ± 0
 * although a little may have been allocated.
 *
 * <pre>{@code
 * Estimate bytes = site.allocated().bytes();
 * System.out.printf("%.0f bytes, between %.0f and %.0f%n", bytes.value(), bytes.low(), bytes.high());
 * }</pre>
 *
 * <p>Immutable and safe for use by many threads.
 *
 * @since 0.1
 */
@ApiStatus(value = ApiStatus.Level.STABLE, since = "0.1")
@CheckReturnValue
public final class Estimate {

    /** Two-sided 95 % quantile of the normal distribution. */
    private static final double Z95 = 1.96;

    /** Fewer are too few for bounds. */
    static final int ENOUGH = 10;

    /** With fewer than about this many samples, the share that was not seen is itself uncertain. */
    private static final double ENOUGH_UNSEEN = 5;

    /** Nothing seen. */
    static final Estimate ZERO = new Estimate(0, 0, 0, 0);

    private final double value;
    private final double variance;
    private final double floor;
    private final long samples;

    private Estimate(double value, double variance, double floor, long samples) {
        this.value = value;
        this.variance = variance;
        this.floor = floor;
        this.samples = samples;
    }

    /**
     * Returns an estimate of a quantity of which a part was really seen.
     *
     * @param value the estimate, in bytes or objects
     * @param variance its variance, 0 or more, in squared bytes or objects
     * @param seen the part really seen, which is the least that {@link #low()} can be
     * @param samples the number of samples it rests on, 0 or more
     * @return the estimate
     * @throws IllegalArgumentException if a figure is negative, infinite or not a number
     */
    public static Estimate of(double value, double variance, double seen, long samples) {
        if (!isCount(value) || !isCount(variance) || !isCount(seen) || samples < 0) {
            throw new IllegalArgumentException(
                    "an estimate needs finite figures of 0 or more: value "
                            + value
                            + ", variance "
                            + variance
                            + ", seen "
                            + seen
                            + ", samples "
                            + samples);
        }
        return new Estimate(value, variance, seen, samples);
    }

    /** A figure that may be negative, such as a slope. */
    static Estimate signed(double value, double variance, long samples) {
        return new Estimate(value, variance, Double.NEGATIVE_INFINITY, samples);
    }

    private static boolean isCount(double figure) {
        return figure >= 0 && figure <= Double.MAX_VALUE;
    }

    /** {@return the estimate: bytes or objects; negative only in a difference} */
    public double value() {
        return value;
    }

    /**
     * {@return the standard error, in the unit of {@link #value()}; 0 if nothing was left to
     * chance, as with interval 0}
     */
    public double standardError() {
        return Math.sqrt(variance);
    }

    /**
     * {@return the lower end of the 95 % interval, which is never less than what was really
     * sampled, in the unit of {@link #value()}}
     */
    public double low() {
        return Math.max(bound(-1), floor);
    }

    /**
     * {@return the upper end of the 95 % interval, which is farther from {@link #value()} than the
     * lower end where there are few samples, in the unit of {@link #value()}}
     */
    public double high() {
        return bound(1);
    }

    /**
     * The score interval: all truths of which the value is at most 1.96 standard errors away, where
     * the standard error is the one that the truth would have. A truth t has the variance t·v/x
     * when x was estimated with variance v, since both grow with the number of samples. Solving (x
     * − t)² = z²·t·v/x for t gives the bounds. Symmetric ones (Wald's) miss too often with few
     * samples. A figure that may be negative has nothing but these.
     */
    private double bound(int side) {
        if (value <= 0 || floor == Double.NEGATIVE_INFINITY) {
            return value + side * Z95 * standardError();
        }
        double shift = Z95 * Z95 / 2 * (variance / value);
        return value + shift + side * Math.sqrt(Z95 * Z95 * variance + shift * shift);
    }

    /**
     * Returns whether this rests on so few samples that {@link #low()} and {@link #high()} are no
     * more than a hint.
     *
     * @return true with fewer than 10 samples, and where a few heavy ones among many light ones
     *     make up the part that was not seen itself; false if nothing was left to chance
     */
    public boolean hasTooFewSamples() {
        double unseen = value - floor;
        return variance > 0 && (samples < ENOUGH || unseen * unseen < ENOUGH_UNSEEN * variance);
    }

    /**
     * {@return how many samples the estimate rests on} In a difference: those that are not the same
     * on both sides.
     */
    public long samples() {
        return samples;
    }

    /**
     * Returns the sum of two estimates that rest on different samples.
     *
     * @param other another estimate of the same unit
     * @return the sum; the variances add
     */
    public Estimate plus(Estimate other) {
        return new Estimate(
                value + other.value,
                variance + other.variance,
                floor + other.floor,
                samples + other.samples);
    }

    /**
     * Returns the difference of two estimates that share no samples. The variances add. Where both
     * share samples, the true error is smaller: {@link HeapDiff} and {@link HeapGrowth} recognise
     * these samples, this method cannot.
     *
     * @param earlier what to subtract, of the same unit
     * @return this minus the other; its bounds may be negative
     */
    public Estimate minus(Estimate earlier) {
        return signed(
                value - earlier.value, variance + earlier.variance, samples + earlier.samples);
    }

    /** Returns whether all samples of another estimate may be among those of this one. */
    boolean includes(Estimate other) {
        return value >= other.value
                && variance >= other.variance
                && floor >= other.floor
                && samples >= other.samples;
    }

    /** The rest of this where all samples of an earlier estimate are among its own. */
    Estimate since(Estimate earlier) {
        return new Estimate(
                Slope.difference(value, earlier.value),
                Slope.difference(variance, earlier.variance),
                floor - earlier.floor,
                samples - earlier.samples);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Estimate that
                && Double.compare(value, that.value) == 0
                && Double.compare(variance, that.variance) == 0
                && Double.compare(floor, that.floor) == 0
                && samples == that.samples;
    }

    @Override
    public int hashCode() {
        return 31 * Double.hashCode(value) + Double.hashCode(variance);
    }

    /**
     * {@return the value and its error at 95 %, such as {@code 1048576 ± 20331 (95 %, 212
     * samples)}, or {@code 1048576 (too few samples: 3)}}
     */
    @Override
    public String toString() {
        if (hasTooFewSamples()) {
            return String.format(Locale.ROOT, "%.0f (too few samples: %d)", value, samples);
        }
        return String.format(
                Locale.ROOT,
                "%.0f ± %.0f (95 %%, %d %s)",
                value,
                Z95 * standardError(),
                samples,
                samples == 1 ? "sample" : "samples");
    }
}
