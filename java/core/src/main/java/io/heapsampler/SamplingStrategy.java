// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import com.google.errorprone.annotations.CheckReturnValue;
import io.heapsampler.internal.Limits;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * By what the process-wide sampler chooses its samples: by bytes, by the number of allocations, or
 * by time. Each of them knows the chance of each sample and so adds no bias. They differ in how
 * large the errors are, and in what sampling costs.
 *
 * <pre>{@code
 * HeapSampler.start(SamplerOptions.builder().strategy(SamplingStrategy.allocations(10_000)).build());
 * }</pre>
 *
 * <ul>
 *   <li>{@link #bytes(long)}, the default: the JVM itself skips allocations that are not sampled.
 *       Large objects are sampled more often, so bytes are known best.
 *   <li>{@link #allocations(long)}: each allocation has the same chance, whatever its size, so
 *       numbers of objects are known best. The JVM reports every allocation for that, which slows
 *       programs that allocate a lot many times over: for tests and short investigations.
 *   <li>{@link #atMostOnePer(Duration)}: a cap on the rate of samples in the whole JVM, on top of
 *       the interval in bytes. What it refuses, the samples that it keeps stand for; errors grow
 *       with that. Where samples come in rare bursts, figures are probably too low, which {@link
 *       HeapSnapshot#notes()} tells.
 * </ul>
 *
 * <p>Immutable and safe for use by many threads. Two are equal when they choose alike.
 *
 * @since 0.1
 */
@ApiStatus(value = ApiStatus.Level.EXPERIMENTAL, since = "0.1")
@CheckReturnValue
public final class SamplingStrategy {

    /** What is counted. */
    public enum Kind {
        // The order is that of enum hs_strategy_kind in hs_strategy.h; a test compares the two.

        /** Bytes that a thread allocates. */
        BYTES,

        /** Allocations of a thread. */
        ALLOCATIONS,

        /** Time, for all threads together. */
        TIME
    }

    private static final Duration SHORTEST = Duration.ofMillis(1);
    private static final Duration LONGEST = Duration.ofHours(1);

    private final Kind kind;

    /** Bytes, allocations or microseconds. */
    private final long amount;

    private SamplingStrategy(Kind kind, long amount) {
        this.kind = kind;
        this.amount = amount;
    }

    /**
     * Samples by bytes: the same as {@link SamplerOptions.Builder#interval(long)}.
     *
     * @param interval mean bytes between two samples of a thread: from 0, for every allocation, to
     *     {@link Integer#MAX_VALUE}
     * @return the strategy
     * @throws IllegalArgumentException if the number is out of range
     */
    public static SamplingStrategy bytes(long interval) {
        return new SamplingStrategy(Kind.BYTES, Limits.checkInterval(interval));
    }

    /**
     * Samples by the number of allocations, each with a chance of 1 in {@code mean}: the gaps
     * between the samples of a thread have that mean and no memory (a geometric distribution), so
     * nothing periodic in a program can keep step with them. Virtual threads that share a carrier
     * are counted together, which changes nothing about the chance.
     *
     * @param mean mean number of allocations from one sample of a thread to its next: from 1, for
     *     every allocation, to {@link Integer#MAX_VALUE}
     * @return the strategy
     * @throws IllegalArgumentException if the number is out of range
     */
    public static SamplingStrategy allocations(long mean) {
        return new SamplingStrategy(
                Kind.ALLOCATIONS,
                Limits.check("allocations", mean, 1, Integer.MAX_VALUE, "mean from one sample on"));
    }

    /**
     * Samples by bytes, but keeps at most one sample per period in the whole JVM; each period is
     * longer or shorter than requested by up to a half, at random, with the right mean. Which
     * sample of a period is kept is drawn beforehand, so neither those that come first nor those
     * that follow a pause are preferred.
     *
     * @param period mean period, from 1 ms to 1 hour, to the microsecond
     * @return the strategy
     * @throws IllegalArgumentException if the period is out of range
     */
    public static SamplingStrategy atMostOnePer(Duration period) {
        Objects.requireNonNull(period, "period");
        if (period.compareTo(SHORTEST) < 0 || period.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException(
                    "period must be from 1 ms to 1 hour, but is " + period);
        }
        return new SamplingStrategy(Kind.TIME, period.toNanos() / 1_000);
    }

    /** {@return what is counted} */
    public Kind kind() {
        return kind;
    }

    /**
     * {@return the mean number of bytes or allocations between two samples of a thread: bytes for
     * {@link Kind#BYTES}, allocations for {@link Kind#ALLOCATIONS}; 0 for {@link Kind#TIME}}
     */
    public long mean() {
        return kind == Kind.TIME ? 0 : amount;
    }

    /**
     * {@return the period in which at most one sample is kept; null unless this is {@link
     * Kind#TIME}}
     */
    public @Nullable Duration period() {
        return kind == Kind.TIME ? Duration.ofNanos(amount * 1_000) : null;
    }

    /**
     * {@return the figure of this strategy in its own unit, in bytes, allocations or microseconds}
     */
    public long amount() {
        return amount;
    }

    /** Returns the strategy of an interval that a file may hold, so of any number. */
    static SamplingStrategy ofRead(long interval) {
        return new SamplingStrategy(Kind.BYTES, interval);
    }

    /** Returns the strategy of a snapshot; null for bytes, or one that a later version knows. */
    static @Nullable SamplingStrategy of(long kind, long amount) {
        if (kind == Kind.ALLOCATIONS.ordinal()) {
            return new SamplingStrategy(Kind.ALLOCATIONS, amount);
        }
        return kind == Kind.TIME.ordinal() ? new SamplingStrategy(Kind.TIME, amount) : null;
    }

    /** Returns whether the chance of a sample depends on its interval in bytes alone. */
    boolean isByBytes() {
        return kind == Kind.BYTES;
    }

    /** Returns the interval for this strategy, where this one was set or none; refuses others. */
    int intervalWith(int set) {
        if (kind == Kind.TIME) {
            return set;
        }
        int only = kind == Kind.ALLOCATIONS ? 0 : (int) amount;
        Refusals.requireInterval(set, only, this);
        return only;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof SamplingStrategy that && kind == that.kind && amount == that.amount;
    }

    @Override
    public int hashCode() {
        return 31 * kind.hashCode() + Long.hashCode(amount);
    }

    /** {@return the strategy in words, such as {@code one in 10000 allocations}} */
    @Override
    public String toString() {
        return switch (kind) {
            case BYTES -> amount == 0 ? "every allocation" : "every " + amount + " bytes";
            case ALLOCATIONS -> "one in " + amount + " allocations";
            case TIME -> "at most one per " + Duration.ofNanos(amount * 1_000);
        };
    }
}
