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
 * Selects the samples of a recording: by thread, by class or package, and for a limited time. Unset
 * options do not restrict. A sample must match the threads and, if any are set, one of the classes
 * or packages.
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

    private final int interval;

    /** The interval of a strategy that applies to all recordings; unset without one. */
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
        this.sharedInterval = Limits.UNSET;
    }

    private RecordingOptions(RecordingOptions other, int sharedInterval) {
        this.interval = other.interval;
        this.threadIds = other.threadIds;
        this.classNames = other.classNames;
        this.packageNames = other.packageNames;
        this.duration = other.duration;
        this.sharedInterval = sharedInterval;
    }

    /** Returns these options with the interval that all recordings share. */
    RecordingOptions sharing(int bytes) {
        return new RecordingOptions(this, bytes);
    }

    /** {@return a builder with the defaults: 512 KiB, all samples, no time limit} */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * {@return the interval: mean bytes between two samples of a thread; 0 for every allocation;
     * the default if none was set}
     */
    public long interval() {
        return Limits.or(interval, Limits.or(sharedInterval, Limits.DEFAULT_INTERVAL));
    }

    boolean hasInterval() {
        return interval != Limits.UNSET;
    }

    /** {@return the recorded threads: ids; empty for all threads; unmodifiable} */
    public Set<Long> threadIds() {
        return threadIds;
    }

    /**
     * {@return the recorded classes: Java names; empty, as long as {@link #packageNames()} is, for
     * all; unmodifiable}
     */
    public List<String> classNames() {
        return classNames;
    }

    /**
     * {@return the packages whose classes are recorded, with those below; empty, as long as {@link
     * #classNames()} is, for all; unmodifiable}
     */
    public List<String> packageNames() {
        return packageNames;
    }

    /** {@return the duration for which samples are accepted; more than zero; null for no limit} */
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

    /** Returns whether allocations of a thread are accepted. */
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

    /**
     * Collects options. Not safe for use by many threads at once. A number out of range is refused
     * with an {@link IllegalArgumentException}.
     */
    public static final class Builder {

        private int interval = Limits.UNSET;
        private final Set<Long> threadIds = new LinkedHashSet<>();
        private final Set<String> classNames = new LinkedHashSet<>();
        private final Set<String> packageNames = new LinkedHashSet<>();
        private @Nullable Duration duration;

        private Builder() {}

        /**
         * Sets the interval: the mean number of bytes that a thread allocates between two samples.
         * Default: 524,288 (512 KiB). Leave it unset while the process-wide sampler uses another
         * {@link SamplingStrategy} than bytes.
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
         * Adds a thread, platform or virtual. Only its id is kept. Default: all threads.
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
         * Adds threads.
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
         * Adds a class whose objects are recorded, without its subclasses. Default: all classes.
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
         * Adds a class whose objects are recorded, by its name, without its subclasses. Default:
         * all classes.
         *
         * <p>A name without a package denotes a class in the unnamed package. It is refused if
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
         * Adds a package whose classes are recorded, with its subpackages. Default: all packages.
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
         * Sets the duration for which samples are accepted, from the opening of the recording on.
         * Default: no limit.
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

        /** {@return the options} */
        @CheckReturnValue
        public RecordingOptions build() {
            return new RecordingOptions(this);
        }
    }
}
