// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import com.google.errorprone.annotations.CheckReturnValue;
import io.heapsampler.internal.Limits;
import io.heapsampler.internal.VmInfo;
import io.heapsampler.internal.shared.ReportFile;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How the process-wide sampler works: its interval, and the limits of its memory. Full tables are
 * counted, see {@link HeapSnapshot#dropped()}.
 *
 * <p>An unset option follows the value in force while the sampler is running or keeps samples, even
 * if another caller started it. Otherwise it has its default.
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

    private final int interval;
    private final @Nullable SamplingStrategy gate;
    private final @Nullable Path reportOnOom;
    private final @Nullable NearLimit nearLimit;
    private final int overhead;
    private final Limits limits;

    private SamplerOptions(Builder builder, int interval, @Nullable SamplingStrategy gate) {
        this.interval = interval;
        this.gate = gate;
        this.reportOnOom = builder.reportOnOom;
        this.nearLimit = builder.nearLimit;
        this.overhead = builder.overhead;
        this.limits = builder.limits;
    }

    /** {@return a builder without any option set} */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * {@return the interval: the mean number of bytes that a thread allocates between two samples;
     * 0 for every allocation, and for a strategy that counts allocations; the default if unset}
     */
    public long interval() {
        return Limits.or(interval, Limits.DEFAULT_INTERVAL);
    }

    /**
     * {@return the strategy that chooses the samples: by bytes, with {@link #interval()}, if unset}
     */
    public SamplingStrategy strategy() {
        return gate == null ? SamplingStrategy.bytes(interval()) : gate;
    }

    /** {@return the file for the report on out-of-memory: an absolute path; null for no report} */
    public @Nullable Path reportOnOom() {
        return reportOnOom;
    }

    /** {@return the file for the report near a memory limit: an absolute path; null for none} */
    public @Nullable Path reportNearLimit() {
        return nearLimit == null ? null : nearLimit.path();
    }

    @Nullable NearLimit nearLimit() {
        return nearLimit;
    }

    /** {@return the share of the processor time that sampling may take; 0.01 if unset} */
    public double maxOverhead() {
        return Limits.share(overhead == 0 ? Limits.DEFAULT_OVERHEAD : overhead);
    }

    @Nullable ReportFile reportFile() {
        return reportOnOom == null ? null : ReportFile.of(reportOnOom);
    }

    /** Returns parts of {@link Limits#WHOLE_SHARE}; 0 if unset. */
    int overhead() {
        return overhead;
    }

    @Nullable SamplingStrategy gate() {
        return gate;
    }

    boolean hasInterval() {
        return interval != Limits.UNSET;
    }

    /** {@return the maximum number of frames per stack} */
    public int maxDepth() {
        return limits().maxDepth();
    }

    /** {@return the maximum number of objects tracked for liveness} */
    public int maxTracked() {
        return limits().maxTracked();
    }

    /** {@return the maximum number of different stacks} */
    public int maxStacks() {
        return limits().maxStacks();
    }

    /** {@return the maximum number of names and frames} */
    public int maxNames() {
        return limits().maxNames();
    }

    /** {@return the maximum number of sites (stack and class)} */
    public int maxSites() {
        return limits().maxSites();
    }

    /** {@return the maximum number of threads that are distinguished} */
    public int maxThreads() {
        return limits().maxThreads();
    }

    /** {@return the maximum number of dead samples} */
    public int maxDead() {
        return limits().maxDead();
    }

    /** Returns the limits, with defaults in place of unset ones. */
    Limits limits() {
        return limitsOr(
                new Limits(128, VmInfo.defaultMaxTracked(), 32_768, 65_536, 32_768, 8_192, 4_096));
    }

    /** Returns the limits, with values of others in place of unset ones. */
    Limits limitsOr(Limits others) {
        return limits.or(others);
    }

    private List<@Nullable Object> all() {
        return Arrays.asList(interval, gate, reportOnOom, nearLimit, overhead, limits);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof SamplerOptions that && all().equals(that.all());
    }

    @Override
    public int hashCode() {
        return all().hashCode();
    }

    @Override
    public String toString() {
        return "interval="
                + interval()
                + (gate == null ? "" : ", " + gate)
                + ", "
                + limits()
                + (overhead == 0 ? "" : ", maxOverhead=" + maxOverhead())
                + (reportOnOom == null ? "" : ", reportOnOom=" + reportOnOom)
                + (nearLimit == null ? "" : ", " + nearLimit);
    }

    /**
     * Collects options, in any order. The same builder can build several times. Not safe for use by
     * many threads at once. Each method that takes a number or a share throws {@link
     * IllegalArgumentException} if that is out of range.
     */
    public static final class Builder {

        private int interval = Limits.UNSET;
        private @Nullable SamplingStrategy strategy;
        private @Nullable Path reportOnOom;
        private @Nullable NearLimit nearLimit;
        private int overhead;
        private Limits limits = Limits.NONE_SET;

        private Builder() {}

        /**
         * Sets the interval: the mean number of bytes that a thread allocates between two samples.
         * Default: the interval last in use, at first 524,288 (512 KiB). The smallest interval that
         * a holder of the process-wide sampler requests is in force.
         *
         * @param bytes from 0, for every allocation, to {@link Integer#MAX_VALUE}
         * @return this builder
         */
        @CanIgnoreReturnValue
        public Builder interval(long bytes) {
            this.interval = Limits.checkInterval(bytes);
            return this;
        }

        /**
         * Sets the strategy that chooses the samples. {@link SamplingStrategy#bytes(long)} stands
         * for {@link #interval(long)}. {@link SamplingStrategy#atMostOnePer} chooses among the
         * samples that the interval gives. {@link SamplingStrategy#allocations(long)} excludes an
         * interval. Default: by bytes.
         *
         * <p>While samples of another strategy than bytes are kept, it applies to recordings also:
         * {@link HeapSampler#record} refuses one that sets an interval of its own.
         *
         * @param value the strategy
         * @return this builder
         */
        @CanIgnoreReturnValue
        public Builder strategy(SamplingStrategy value) {
            this.strategy = Objects.requireNonNull(value, "strategy");
            return this;
        }

        /**
         * Sets the share of the processor time that sampling may take. While samples would cost
         * more than this share of the processor time of the whole process, the interval in force
         * grows above the requested one, up to 64 MiB. It shrinks again when they cost less. A
         * sudden load is within the budget after two seconds. Each sample keeps the interval with
         * which it was drawn, so no estimate is biased; larger intervals give larger errors. {@link
         * SamplerStatus#intervalInForce()} and {@link SamplerStatus#overhead()} show the effect.
         *
         * <p>Sampling is most expensive at its start, because each stack is new. So there is an
         * allowance in the first minute, which no restart renews: the cost above the share may
         * amount to this share of ten seconds, which is 100 ms of processor time at 0.01. Short
         * programs are sampled at the requested interval until it is used up.
         *
         * <p>Default: 0.01, or the system property {@code heapsampler.maxOverhead}. Several holders
         * share the smallest requested share. No budget applies to the interval 0. {@linkplain
         * HeapSampler#record Recordings} keep their requested interval and do not count.
         *
         * @param share from 0.0001 to 1, where 1 keeps the requested interval
         * @return this builder
         */
        @CanIgnoreReturnValue
        public Builder maxOverhead(double share) {
            this.overhead = Limits.checkOverhead(share);
            return this;
        }

        /**
         * Sets the file for a report on out-of-memory: the sites that hold most live memory. The
         * report is written once, when the JVM runs out of heap, metaspace or threads, from memory
         * that is reserved beforehand. Another file waits for another exhaustion. Default: the file
         * last in use, at first none. {@link HeapSampler#reset()} of the stopped sampler ends the
         * report; a report that only {@linkplain HeapSampler#share shared} holds have requested
         * ends when the last of them is closed.
         *
         * <p>The file is checked when sampling starts, not here: its folder must exist and be
         * writable. An existing file is replaced if it is a regular file of this user (or of root)
         * with no other name; if that changes later, a line on stderr says why there is no report.
         * With {@code -XX:+ExitOnOutOfMemoryError} the JVM exits without a report.
         *
         * @param file the file; a relative path is resolved now
         * @return this builder
         */
        @CanIgnoreReturnValue
        public Builder reportOnOom(Path file) {
            this.reportOnOom = file.toAbsolutePath();
            return this;
        }

        /**
         * Sets the file for a report near a memory limit: the sites that hold most live memory, and
         * which references hold it. It is written when the heap after a collection passes this
         * share of {@code -Xmx}, or the container's memory this share of its limit: at most once an
         * hour, and again only after a fall by a twentieth. The file is checked like that of {@link
         * #reportOnOom}, which must be another one; only this user can read a new one. Default: for
         * {@link HeapSampler#start()} the report it last requested, else none.
         *
         * @param share of the limit, above 0 and below 1, such as 0.9
         * @param file the file; a relative path is resolved now
         * @return this builder
         */
        @CanIgnoreReturnValue
        public Builder reportNearLimit(double share, Path file) {
            this.nearLimit = new NearLimit(share, file.toAbsolutePath());
            return this;
        }

        /**
         * Sets the maximum number of frames per stack. Default: 128.
         *
         * @param frames from 1 to 1,024
         * @return this builder
         */
        @CanIgnoreReturnValue
        public Builder maxDepth(int frames) {
            this.limits = limits.withMaxDepth(frames);
            return this;
        }

        /**
         * Sets the maximum number of objects tracked for liveness. Above it, each candidate is kept
         * with equal chance and weighs more. Default: 65,536; 8,192 under generational ZGC.
         * Tracking retains garbage there, so fewer objects may be tracked: the garbage stays below
         * 1 % of the maximum heap.
         *
         * @param objects from 0 to 2,097,152, which take 64 bytes each
         * @return this builder
         */
        @CanIgnoreReturnValue
        public Builder maxTracked(int objects) {
            this.limits = limits.withMaxTracked(objects);
            return this;
        }

        /**
         * Sets the maximum number of different stacks. Default: 32,768.
         *
         * @param stacks from 16 to 4,194,304
         * @return this builder
         */
        @CanIgnoreReturnValue
        public Builder maxStacks(int stacks) {
            this.limits = limits.withMaxStacks(stacks);
            return this;
        }

        /**
         * Sets the maximum number of names and frames. Default: 65,536.
         *
         * @param names from 16 to 4,194,304
         * @return this builder
         */
        @CanIgnoreReturnValue
        public Builder maxNames(int names) {
            this.limits = limits.withMaxNames(names);
            return this;
        }

        /**
         * Sets the maximum number of sites (stack and class). Default: 32,768.
         *
         * @param sites from 16 to 4,194,304
         * @return this builder
         */
        @CanIgnoreReturnValue
        public Builder maxSites(int sites) {
            this.limits = limits.withMaxSites(sites);
            return this;
        }

        /**
         * Sets the maximum number of threads that are distinguished. Default: 8,192.
         *
         * @param threads from 16 to 4,194,304
         * @return this builder
         */
        @CanIgnoreReturnValue
        public Builder maxThreads(int threads) {
            this.limits = limits.withMaxThreads(threads);
            return this;
        }

        /**
         * Sets the maximum number of dead samples. The lifetimes of others stay in the histogram of
         * their site. Default: 4,096.
         *
         * @param samples from 16 to 524,288
         * @return this builder
         */
        @CanIgnoreReturnValue
        public Builder maxDead(int samples) {
            this.limits = limits.withMaxDead(samples);
            return this;
        }

        /**
         * Returns the options. The builder stays as it is.
         *
         * @return options with all values set so far
         * @throws IllegalArgumentException if the interval contradicts the strategy, or both
         *     reports name the same file
         */
        @CheckReturnValue
        public SamplerOptions build() {
            if (nearLimit != null && reportOnOom != null) {
                nearLimit.requireOtherThan(ReportFile.of(reportOnOom));
            }
            boolean isGate = strategy != null && !strategy.isByBytes();
            int chosen = strategy == null ? interval : strategy.intervalWith(interval);
            return new SamplerOptions(this, chosen, isGate ? strategy : null);
        }
    }
}
