// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import com.google.errorprone.annotations.CheckReturnValue;
import io.heapsampler.internal.Limits;
import io.heapsampler.internal.ReportFile;
import io.heapsampler.internal.VmInfo;
import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How the process-wide sampler works: its interval, and the bounds of its memory. Whatever finds a
 * table full is counted, see {@link HeapSnapshot#dropped()}.
 *
 * <p>An option that is not set stays as it is while the sampler runs or keeps samples, even if
 * another caller started it; else it has its default.
 *
 * <pre>{@code
 * HeapSampler.start(SamplerOptions.builder().interval(64 * 1024).maxTracked(100_000).build());
 * }</pre>
 *
 * <p>Immutable and safe for use by many threads. A {@link Builder} is not.
 *
 * @since 0.1
 */
@ApiStatus(value = ApiStatus.Level.STABLE, since = "0.1")
@CheckReturnValue
public final class SamplerOptions {

    private static final int UNSET = -1;
    private static final int MAX_DEPTH = 1024;

    private final int interval;

    /** What chooses among the samples by bytes; null where nothing does. */
    private final @Nullable SamplingStrategy gate;

    private final @Nullable Path reportOnOom;

    /** In parts of {@link Limits#WHOLE_SHARE}; 0 if none was set. */
    private final int overhead;

    /** With {@link #UNSET} where nothing was said. */
    private final Limits asked;

    private SamplerOptions(Builder builder) {
        boolean countsAllocations = LastUsed.countsAllocations(builder.gate);
        this.interval = countsAllocations ? 0 : builder.interval;
        this.gate = builder.gate;
        this.reportOnOom = builder.reportOnOom;
        this.overhead = builder.overhead;
        this.asked =
                new Limits(
                        builder.maxDepth,
                        builder.maxTracked,
                        builder.maxStacks,
                        builder.maxNames,
                        builder.maxSites,
                        builder.maxThreads,
                        builder.maxDead);
    }

    /**
     * Returns a builder with the defaults.
     *
     * @return a new builder
     */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * Returns the interval.
     *
     * @return mean bytes between two samples of a thread, 0 for every allocation; the default if
     *     none was set; 0 where the strategy counts allocations
     */
    public long interval() {
        return interval == UNSET ? Limits.DEFAULT_INTERVAL : interval;
    }

    /**
     * Returns by what samples are chosen.
     *
     * @return the strategy; by bytes, with {@link #interval()}, if no other was set
     */
    public SamplingStrategy strategy() {
        return gate == null ? SamplingStrategy.bytes(interval()) : gate;
    }

    /**
     * Returns where the top live sites are written to when the JVM runs out of memory.
     *
     * @return the file; null for nowhere
     */
    public @Nullable Path reportOnOom() {
        return reportOnOom;
    }

    /**
     * Returns the share of the processor time that sampling may take.
     *
     * @return 0.01 if none was set
     */
    public double maxOverhead() {
        return share(overhead == 0 ? Limits.DEFAULT_OVERHEAD : overhead);
    }

    /** Returns a share of the processor time as a fraction. */
    static double share(int parts) {
        return (double) parts / Limits.WHOLE_SHARE;
    }

    /** Returns the budget in parts of {@link Limits#WHOLE_SHARE}; 0 if none was set. */
    int overhead() {
        return overhead;
    }

    /** Returns what chooses among the samples by bytes; null where nothing does. */
    @Nullable SamplingStrategy gate() {
        return gate;
    }

    /** Says whether it was set by what samples are chosen. */
    boolean hasStrategy() {
        return gate != null || hasInterval();
    }

    /** Says whether an interval was set. */
    boolean hasInterval() {
        return interval != UNSET;
    }

    /**
     * Returns the frames that are kept of a stack at most.
     *
     * @return frames
     */
    public int maxDepth() {
        return limits().maxDepth();
    }

    /**
     * Returns the objects that are tracked for liveness at most. Beyond it each candidate is kept
     * with equal chance and weighs more.
     *
     * @return objects
     */
    public int maxTracked() {
        return limits().maxTracked();
    }

    /**
     * Returns the different stacks that are kept at most.
     *
     * @return stacks
     */
    public int maxStacks() {
        return limits().maxStacks();
    }

    /**
     * Returns the names and frames that are kept at most.
     *
     * @return names
     */
    public int maxNames() {
        return limits().maxNames();
    }

    /**
     * Returns the sites (stack and class) that are kept at most.
     *
     * @return sites
     */
    public int maxSites() {
        return limits().maxSites();
    }

    /**
     * Returns the threads that are told apart at most.
     *
     * @return threads
     */
    public int maxThreads() {
        return limits().maxThreads();
    }

    /**
     * Returns the dead samples that are kept at most; their lifetimes stay in the histogram of
     * their site.
     *
     * @return samples
     */
    public int maxDead() {
        return limits().maxDead();
    }

    /** Returns the bounds, defaults where nothing was said. */
    Limits limits() {
        return limitsOr(
                new Limits(128, VmInfo.defaultMaxTracked(), 32_768, 65_536, 32_768, 8_192, 4_096));
    }

    /** Returns the bounds, those of others where nothing was said. */
    Limits limitsOr(Limits others) {
        return new Limits(
                or(asked.maxDepth(), others.maxDepth()),
                or(asked.maxTracked(), others.maxTracked()),
                or(asked.maxStacks(), others.maxStacks()),
                or(asked.maxNames(), others.maxNames()),
                or(asked.maxSites(), others.maxSites()),
                or(asked.maxThreads(), others.maxThreads()),
                or(asked.maxDead(), others.maxDead()));
    }

    private static int or(int value, int other) {
        return value == UNSET ? other : value;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof SamplerOptions that
                && interval == that.interval
                && overhead == that.overhead
                && Objects.equals(gate, that.gate)
                && Objects.equals(reportOnOom, that.reportOnOom)
                && asked.equals(that.asked);
    }

    @Override
    public int hashCode() {
        return Objects.hash(interval, gate, reportOnOom, overhead, asked);
    }

    @Override
    public String toString() {
        return "interval="
                + interval()
                + (gate == null ? "" : ", " + gate)
                + ", "
                + limits()
                + (overhead == 0 ? "" : ", maxOverhead=" + maxOverhead())
                + (reportOnOom == null ? "" : ", reportOnOom=" + reportOnOom);
    }

    /** Collects options. Not safe for use by many threads at once. */
    public static final class Builder {

        private int interval = UNSET;
        private @Nullable SamplingStrategy gate;
        private @Nullable Path reportOnOom;
        private int overhead;
        private int maxDepth = UNSET;
        private int maxTracked = UNSET;
        private int maxStacks = UNSET;
        private int maxNames = UNSET;
        private int maxSites = UNSET;
        private int maxThreads = UNSET;
        private int maxDead = UNSET;

        private Builder() {}

        /**
         * Sets the interval: the mean of the bytes that a thread allocates between two samples.
         * Default: what was last in use, at first 524,288 (512 KiB). The smallest interval that a
         * holder of the process-wide sampler asks for is in force.
         *
         * @param bytes from 0, for every allocation, to {@link Integer#MAX_VALUE}
         * @return this builder
         * @throws IllegalArgumentException if the number is out of range
         */
        @CanIgnoreReturnValue
        public Builder interval(long bytes) {
            this.interval = Limits.checkInterval(bytes);
            return this;
        }

        /**
         * Sets by what samples are chosen. {@link SamplingStrategy#bytes(long)} is the same as
         * {@link #interval(long)}. {@link SamplingStrategy#atMostOnePer} chooses among the samples
         * that the interval gives. {@link SamplingStrategy#allocations(long)} goes with no
         * interval. Default: by bytes.
         *
         * <p>While samples chosen in another way than by bytes are kept, recordings take part in
         * that choice: {@link HeapSampler#record} refuses one that sets an interval of its own.
         *
         * @param strategy the strategy
         * @return this builder
         */
        @CanIgnoreReturnValue
        public Builder strategy(SamplingStrategy strategy) {
            if (Objects.requireNonNull(strategy, "strategy").isByBytes()) {
                this.gate = null;
                return interval(strategy.mean());
            }
            this.gate = strategy;
            return this;
        }

        /**
         * Sets the share of the processor time that sampling may take. The interval in force grows
         * above the one asked for, up to 64 MiB, while samples would cost more than this share of
         * the processor time that the whole process uses. It shrinks again when they cost less. A
         * sudden load is within the budget after two seconds. Each sample keeps the interval that
         * it was drawn with, so no estimate is biased; larger intervals give larger errors. {@link
         * SamplerStatus#intervalInForce()} and {@link SamplerStatus#overhead()} show the effect.
         *
         * <p>Sampling is most expensive at its start, because each stack is new. So there is an
         * allowance in the first minute, which no restart renews: the cost above the share may
         * amount to this share of ten seconds, which is 100 ms of processor time at 0.01. Short
         * programs are sampled at the requested interval until it is used up.
         *
         * <p>Default: 0.01, or the system property {@code heapsampler.maxOverhead}. Several holders
         * share the smallest share that one of them asks for. No budget holds while the interval is
         * 0. {@linkplain HeapSampler#record Recordings} have the interval that they ask for and do
         * not count.
         *
         * @param share from 0.0001 to 1, where 1 keeps the interval that is asked for
         * @return this builder
         * @throws IllegalArgumentException if the share is out of range
         */
        @CanIgnoreReturnValue
        public Builder maxOverhead(double share) {
            this.overhead = Limits.checkOverhead(share);
            return this;
        }

        /**
         * Sets a file to which the sites that hold most live memory are written, once, when the JVM
         * runs out of memory (heap, metaspace or threads): a short text, made from memory that is
         * reserved beforehand. Default: what was last in use, at first nothing; {@link
         * HeapSampler#reset()} forgets it when stopped. Another file waits for another exhaustion.
         * A report that only {@linkplain HeapSampler#share shared} holds have asked for ends with
         * the last of them.
         *
         * <p>A file that is there is replaced, if it is a regular one of this user's (or of root's)
         * with no other name; else a line on stderr says why there is no report. The JVM tells
         * nobody when {@code -XX:+ExitOnOutOfMemoryError} ends it: nothing is written then.
         *
         * @param file the file, whose folder exists and may be written to
         * @return this builder
         * @throws IllegalArgumentException if no report could be written there
         */
        @CanIgnoreReturnValue
        public Builder reportOnOom(Path file) {
            this.reportOnOom = ReportFile.check(file.toAbsolutePath());
            return this;
        }

        /**
         * Sets the frames that are kept of a stack at most. Default: 128.
         *
         * @param frames from 1 to 1,024
         * @return this builder
         * @throws IllegalArgumentException if the number is out of range
         */
        @CanIgnoreReturnValue
        public Builder maxDepth(int frames) {
            this.maxDepth = Limits.check("maxDepth", frames, 1, MAX_DEPTH, null);
            return this;
        }

        /**
         * Sets the objects that are tracked for liveness at most. Beyond it each candidate is kept
         * with equal chance and weighs more. Default: 65,536; 8,192 under generational ZGC, where
         * less may be tracked than this says: tracking keeps garbage there, and that shall be less
         * than 1 % of the greatest heap.
         *
         * @param objects from 0 to 2,097,152, which take 64 bytes each
         * @return this builder
         * @throws IllegalArgumentException if the number is out of range
         */
        @CanIgnoreReturnValue
        public Builder maxTracked(int objects) {
            this.maxTracked = Limits.check("maxTracked", objects, 0, Limits.GREATEST_TRACKED, null);
            return this;
        }

        /**
         * Sets the different stacks that are kept at most. Default: 32,768.
         *
         * @param stacks from 16 to 4,194,304
         * @return this builder
         * @throws IllegalArgumentException if the number is out of range
         */
        @CanIgnoreReturnValue
        public Builder maxStacks(int stacks) {
            this.maxStacks = Limits.check("maxStacks", stacks, 16, Limits.GREATEST, null);
            return this;
        }

        /**
         * Sets the names and frames that are kept at most. Default: 65,536.
         *
         * @param names from 16 to 4,194,304
         * @return this builder
         * @throws IllegalArgumentException if the number is out of range
         */
        @CanIgnoreReturnValue
        public Builder maxNames(int names) {
            this.maxNames = Limits.check("maxNames", names, 16, Limits.GREATEST, null);
            return this;
        }

        /**
         * Sets the sites (stack and class) that are kept at most. Default: 32,768.
         *
         * @param sites from 16 to 4,194,304
         * @return this builder
         * @throws IllegalArgumentException if the number is out of range
         */
        @CanIgnoreReturnValue
        public Builder maxSites(int sites) {
            this.maxSites = Limits.check("maxSites", sites, 16, Limits.GREATEST, null);
            return this;
        }

        /**
         * Sets the threads that are told apart at most. Default: 8,192.
         *
         * @param threads from 16 to 4,194,304
         * @return this builder
         * @throws IllegalArgumentException if the number is out of range
         */
        @CanIgnoreReturnValue
        public Builder maxThreads(int threads) {
            this.maxThreads = Limits.check("maxThreads", threads, 16, Limits.GREATEST, null);
            return this;
        }

        /**
         * Sets the dead samples that are kept at most; their lifetimes stay in the histogram of
         * their site. Default: 4,096.
         *
         * @param samples from 16 to 524,288
         * @return this builder
         * @throws IllegalArgumentException if the number is out of range
         */
        @CanIgnoreReturnValue
        public Builder maxDead(int samples) {
            this.maxDead = Limits.check("maxDead", samples, 16, Limits.GREATEST_DEAD, null);
            return this;
        }

        /**
         * Returns the options.
         *
         * @return options with what was set
         * @throws IllegalArgumentException if an interval was set beside a strategy that counts
         *     allocations
         */
        @CheckReturnValue
        public SamplerOptions build() {
            if (LastUsed.countsAllocations(gate) && interval > 0) {
                throw new IllegalArgumentException(
                        "interval="
                                + interval
                                + " cannot go with "
                                + gate
                                + ": to count allocations, the JVM must report each of them. Leave"
                                + " interval() away, or use SamplingStrategy.bytes() instead.");
            }
            return new SamplerOptions(this);
        }
    }
}
