// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import com.google.errorprone.annotations.CheckReturnValue;
import io.heapsampler.internal.FilterNames;
import io.heapsampler.internal.Limits;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a recording accepts: samples of certain threads, of certain classes or packages, for a
 * certain time. What is not set does not restrict. A sample must fit the threads and, if there are
 * any, one of the classes or packages.
 *
 * <pre>{@code
 * RecordingOptions options = RecordingOptions.builder()
 *         .interval(0)
 *         .thread(Thread.currentThread())
 *         .packageName("com.acme.cart")
 *         .duration(Duration.ofSeconds(30))
 *         .build();
 * }</pre>
 *
 * <p>Immutable and safe for use by many threads. A {@link Builder} is not.
 *
 * @since 0.1
 */
@ApiStatus(value = ApiStatus.Level.STABLE, since = "0.1")
@CheckReturnValue
public final class RecordingOptions {

    private static final int UNSET = -1;

    private final int interval;

    /** That of the strategy, where it is not this recording's to choose; else unset. */
    private final int sharedInterval;

    private final Set<Long> threadIds;
    private final List<String> classNames;
    private final List<String> packageNames;
    private final @Nullable Duration duration;

    private RecordingOptions(Builder builder) {
        this.interval = builder.interval;
        this.threadIds = Set.copyOf(builder.threadIds);
        this.classNames = List.copyOf(builder.classNames);
        this.packageNames = List.copyOf(builder.packageNames);
        this.duration = builder.duration;
        this.sharedInterval = UNSET;
    }

    private RecordingOptions(RecordingOptions other, int sharedInterval) {
        this.interval = other.interval;
        this.threadIds = other.threadIds;
        this.classNames = other.classNames;
        this.packageNames = other.packageNames;
        this.duration = other.duration;
        this.sharedInterval = sharedInterval;
    }

    /** Returns these options as a recording has them at the interval that all share. */
    RecordingOptions sharing(int bytes) {
        return new RecordingOptions(this, bytes);
    }

    /**
     * Returns a builder with the defaults: 512 KiB, everything, without end.
     *
     * @return a new builder
     */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * Returns the interval.
     *
     * @return mean bytes between two samples of a thread; 0 for every allocation; the default if
     *     none was set
     */
    public long interval() {
        int own = interval == UNSET ? sharedInterval : interval;
        return own == UNSET ? Limits.DEFAULT_INTERVAL : own;
    }

    /** Says whether an interval was set. */
    boolean hasInterval() {
        return interval != UNSET;
    }

    /**
     * Returns the threads that are recorded.
     *
     * @return ids; empty for all threads; unmodifiable
     */
    public Set<Long> threadIds() {
        return threadIds;
    }

    /**
     * Returns the classes that are recorded.
     *
     * @return Java names; empty, as long as {@link #packageNames()} is, for all; unmodifiable
     */
    public List<String> classNames() {
        return classNames;
    }

    /**
     * Returns the packages whose classes are recorded, with those below.
     *
     * @return names; empty, as long as {@link #classNames()} is, for all; unmodifiable
     */
    public List<String> packageNames() {
        return packageNames;
    }

    /**
     * Returns for how long samples are accepted.
     *
     * @return more than zero; null for no end
     */
    public @Nullable Duration duration() {
        return duration;
    }

    /** Returns the duration in nanoseconds, 0 for no end. */
    long durationNanos() {
        if (duration == null) {
            return 0;
        }
        return duration.compareTo(Duration.ofNanos(Long.MAX_VALUE)) >= 0
                ? Long.MAX_VALUE
                : duration.toNanos();
    }

    /** Says whether allocations of a thread are accepted. */
    boolean accepts(Thread thread) {
        return threadIds.isEmpty() || threadIds.contains(idOf(thread));
    }

    @SuppressWarnings("deprecation") // Thread.threadId() exists from 19 on, and answers the same.
    private static long idOf(Thread thread) {
        return thread.getId();
    }

    @Override
    public String toString() {
        return "interval="
                + interval()
                + ", threads="
                + (threadIds.isEmpty() ? "all" : threadIds)
                + ", classes="
                + classNames
                + ", packages="
                + packageNames
                + ", duration="
                + (duration == null ? "unlimited" : duration);
    }

    /** Collects options. Not safe for use by many threads at once. */
    public static final class Builder {

        private int interval = UNSET;
        private final Set<Long> threadIds = new LinkedHashSet<>();
        private final Set<String> classNames = new LinkedHashSet<>();
        private final Set<String> packageNames = new LinkedHashSet<>();
        private @Nullable Duration duration;

        private Builder() {}

        /**
         * Sets the interval: the mean of the bytes that a thread allocates between two samples.
         * Default: 524,288 (512 KiB). Not to be set while the process-wide sampler chooses by
         * another {@link SamplingStrategy} than bytes.
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
         * Adds a thread, platform or virtual, to those that are recorded. Only its id is kept.
         * Default: all threads.
         *
         * @param thread the thread
         * @return this builder
         */
        @CanIgnoreReturnValue
        public Builder thread(Thread thread) {
            threadIds.add(idOf(Objects.requireNonNull(thread, "thread")));
            return this;
        }

        /**
         * Adds threads to those that are recorded.
         *
         * @param threads one thread or more
         * @return this builder
         * @throws IllegalArgumentException if there is none, which would mean all
         */
        @CanIgnoreReturnValue
        public Builder threads(Collection<Thread> threads) {
            if (threads.isEmpty()) {
                throw new IllegalArgumentException(
                        "threads must not be empty; leave them away to record all threads");
            }
            threads.forEach(this::thread);
            return this;
        }

        /**
         * Adds a class to those whose objects are recorded; objects of its subclasses are not.
         * Default: all classes.
         *
         * @param type the class, such as {@code byte[].class}
         * @return this builder
         * @throws IllegalArgumentException if the class is primitive, abstract or an interface
         */
        @CanIgnoreReturnValue
        public Builder className(Class<?> type) {
            classNames.add(FilterNames.of(Objects.requireNonNull(type, "type")));
            return this;
        }

        /**
         * Adds a class to those whose objects are recorded, by its name; objects of its subclasses
         * are not. Default: all classes.
         *
         * <p>A name without a package is that of a class in the unnamed package. It is refused if
         * {@code java.lang}, {@code java.util} or another common package of the JDK has a class of
         * that name: {@code "String"} must be {@code "java.lang.String"}.
         *
         * @param className the Java name, such as {@code byte[]} or {@code java.util.HashMap$Node}
         * @return this builder
         * @throws IllegalArgumentException if no class has such a name; the message has the right
         *     spelling
         */
        @CanIgnoreReturnValue
        public Builder className(String className) {
            classNames.add(FilterNames.checkClass(Objects.requireNonNull(className, "className")));
            return this;
        }

        /**
         * Adds a package to those whose classes are recorded, with the packages below it. Default:
         * all packages.
         *
         * @param packageName such as {@code com.acme}, without {@code *}
         * @return this builder
         * @throws IllegalArgumentException if no package has such a name; the message has the right
         *     spelling
         */
        @CanIgnoreReturnValue
        public Builder packageName(String packageName) {
            packageNames.add(
                    FilterNames.checkPackage(Objects.requireNonNull(packageName, "packageName")));
            return this;
        }

        /**
         * Sets for how long samples are accepted, from the opening of the recording. Default:
         * without end.
         *
         * @param duration more than zero
         * @return this builder
         * @throws IllegalArgumentException if the duration is zero or negative
         */
        @CanIgnoreReturnValue
        public Builder duration(Duration duration) {
            if (Objects.requireNonNull(duration, "duration").isZero() || duration.isNegative()) {
                throw new IllegalArgumentException(
                        "duration must be more than zero, but is " + duration);
            }
            this.duration = duration;
            return this;
        }

        /**
         * Returns the options.
         *
         * @return options with what was set
         */
        @CheckReturnValue
        public RecordingOptions build() {
            return new RecordingOptions(this);
        }
    }
}
