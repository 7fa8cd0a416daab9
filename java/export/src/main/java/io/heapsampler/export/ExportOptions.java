// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export;

import com.google.errorprone.annotations.CheckReturnValue;
import io.heapsampler.ApiStatus;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.HeldBy;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Options of an export, for {@link ExportFormat#with(ExportOptions)}.
 *
 * <pre>{@code
 * ExportOptions options =
 *         ExportOptions.builder()
 *                 .metric(HeapMetric.LIVE_BYTES)
 *                 .title("Shop, after the load test")
 *                 .comparedWith(before)
 *                 .build();
 * after.writeTo(Path.of("leak.html"), ExportFormat.HTML.with(options));
 * }</pre>
 *
 * <p>Immutable. Thread-safe if the function for thread names is.
 *
 * @since 0.1
 */
@ApiStatus(value = ApiStatus.Level.STABLE, since = "0.1")
public final class ExportOptions {

    /** The default limit of {@code SamplerOptions}. */
    private static final int DEFAULT_MAX_SITES = 32_768;

    /** Names of threads are written unchanged. */
    static final UnaryOperator<String> AS_IS = name -> name;

    private static final ExportOptions DEFAULTS = builder().build();

    private final Builder values;

    private ExportOptions(Builder values) {
        this.values = values;
    }

    /**
     * Returns the default options.
     *
     * @return the defaults
     */
    public static ExportOptions defaults() {
        return DEFAULTS;
    }

    /**
     * Returns a builder that starts with the defaults.
     *
     * @return a new builder
     */
    public static Builder builder() {
        return new Builder();
    }

    HeapMetric metric() {
        return values.metric;
    }

    int maxSites() {
        return values.maxSites;
    }

    boolean hasSamples() {
        return values.hasSamples;
    }

    boolean hasLabels() {
        return values.hasLabels;
    }

    boolean hasHolders() {
        return values.hasHolders;
    }

    /** The holders of a snapshot to write beside other figures; null if there are none to show. */
    @Nullable HeldBy holdersOf(HeapSnapshot snapshot) {
        // Their texts have names of threads.
        return threadNames() == AS_IS ? snapshot.heldBy().orElse(null) : null;
    }

    UnaryOperator<String> threadNames() {
        return values.threadNames;
    }

    String title() {
        return values.title;
    }

    @Nullable String diagnosis() {
        return values.diagnosis;
    }

    @Nullable HeapSnapshot comparedWith() {
        return values.comparedWith;
    }

    @Nullable HeapSnapshot allocatedSince() {
        return values.allocatedSince;
    }

    /** Builds {@link ExportOptions}. Not thread-safe. */
    public static final class Builder implements Cloneable {

        private HeapMetric metric = HeapMetric.ALLOCATED_BYTES;
        private int maxSites = DEFAULT_MAX_SITES;
        private boolean hasSamples;
        private boolean hasLabels = true;
        private boolean hasHolders;
        private UnaryOperator<String> threadNames = AS_IS;
        private String title = "Heap report";
        private @Nullable String diagnosis;
        private @Nullable HeapSnapshot comparedWith;
        private @Nullable HeapSnapshot allocatedSince;

        private Builder() {}

        /**
         * Sets the figure that the format writes, shows first, or ranks the largest sites by.
         *
         * @param value the figure; {@link HeapMetric#ALLOCATED_BYTES} by default
         * @return this
         */
        public Builder metric(HeapMetric value) {
            metric = Objects.requireNonNull(value, "metric");
            return this;
        }

        /**
         * Bounds the number of sites. All further sites are summed up as one, "(other)".
         *
         * @param value 1 or more; 32,768 by default
         * @return this
         * @throws IllegalArgumentException if it is less than 1
         */
        public Builder maxSites(int value) {
            if (value < 1) {
                throw new IllegalArgumentException("maxSites must be 1 or more: " + value);
            }
            maxSites = value;
            return this;
        }

        /**
         * Sets whether JSON also contains the single samples. JFR always does, other formats never.
         *
         * @param value true to write them; false by default
         * @return this
         */
        public Builder samples(boolean value) {
            hasSamples = value;
            return this;
        }

        /**
         * Sets whether the samples of a pprof profile have labels: class, size, thread and age.
         * Pyroscope makes a series of each combination of labels, so that classes and threads
         * become thousands of series.
         *
         * @param value false to write no labels, so that the class is the leaf of each stack; true
         *     by default
         * @return this
         */
        public Builder labels(boolean value) {
            hasLabels = value;
            return this;
        }

        /**
         * Sets whether the stacks of a pprof profile are the holders of live objects instead of
         * allocation stacks: a root such as a static field is the outermost frame, and the
         * allocation site the innermost. The figures are {@code held_objects} and {@code
         * held_space}. The snapshot must have holders ({@link HeapSnapshot#heldBy()}), else the
         * export fails with an {@link IllegalArgumentException}. Only for {@link
         * ExportFormat#PPROF}. Holders have names of threads, so {@link #threadNames} is refused.
         *
         * @param value true to write holders; false by default
         * @return this
         */
        public Builder holders(boolean value) {
            hasHolders = value;
            return this;
        }

        /**
         * Sets the function that replaces names of threads, which may identify users. {@link
         * ExportFormat#HSNAP} cannot replace names and refuses it. Holders have names as well, so
         * {@link ExportFormat#JSON} and {@link ExportFormat#HTML} leave them out then.
         *
         * @param value a function that returns the name to write, never null; {@code name -> ""}
         *     leaves the names out; names are unchanged by default
         * @return this
         */
        public Builder threadNames(UnaryOperator<String> value) {
            threadNames = Objects.requireNonNull(value, "threadNames");
            return this;
        }

        /**
         * Sets the title of an HTML report.
         *
         * @param value plain text; "Heap report" by default
         * @return this
         */
        public Builder title(String value) {
            title = Objects.requireNonNull(value, "title");
            return this;
        }

        /**
         * Sets the diagnosis that an HTML report shows above the figures.
         *
         * @param json {@code Diagnosis.toJson()} of the module heapsampler-doctor; no diagnosis by
         *     default
         * @return this
         */
        public Builder diagnosis(String json) {
            diagnosis = Objects.requireNonNull(json, "json");
            return this;
        }

        /**
         * Exports the changes since an earlier snapshot of the same recording, as {@link
         * ExportFormat#HTML} or {@link ExportFormat#PPROF}. In a pprof profile figures may be
         * negative, and samples have only the labels {@code class} and {@code bytes}.
         *
         * <p>To look for leaks, take both snapshots with {@code SnapshotOptions.afterGc()} and
         * choose {@link HeapMetric#LIVE_BYTES}.
         *
         * @param earlier the earlier snapshot
         * @return this
         */
        public Builder comparedWith(HeapSnapshot earlier) {
            comparedWith = Objects.requireNonNull(earlier, "earlier");
            return this;
        }

        /**
         * Exports the allocations since an earlier snapshot of the same recording, and everything
         * live now, as {@link ExportFormat#PPROF}: the profile that Grafana's godeltaprof serves as
         * {@code delta_heap}.
         *
         * @param earlier the earlier snapshot
         * @return this
         */
        public Builder allocatedSince(HeapSnapshot earlier) {
            allocatedSince = Objects.requireNonNull(earlier, "earlier");
            return this;
        }

        /**
         * Makes the options.
         *
         * @return the options
         * @throws IllegalStateException if both {@link #comparedWith(HeapSnapshot)} and {@link
         *     #allocatedSince(HeapSnapshot)} are set, or one of them or {@link #threadNames} with
         *     {@link #holders}
         */
        @CheckReturnValue
        public ExportOptions build() {
            if (comparedWith != null && allocatedSince != null) {
                throw new IllegalStateException(
                        "comparedWith and allocatedSince are both set. Set one of them.");
            }
            if (hasHolders && (comparedWith != null || allocatedSince != null)) {
                throw new IllegalStateException(
                        "holders cannot be compared. Leave comparedWith and allocatedSince out.");
            }
            if (hasHolders && threadNames != AS_IS) {
                throw new IllegalStateException(
                        "holders have names of threads, which threadNames cannot replace. Leave"
                                + " one of them out.");
            }
            try {
                return new ExportOptions((Builder) clone());
            } catch (CloneNotSupportedException e) {
                throw new AssertionError(e);
            }
        }
    }
}
