// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export;

import com.google.errorprone.annotations.CheckReturnValue;
import io.heapsampler.ApiStatus;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.HeldBy;
import io.heapsampler.SampleFilter;
import io.heapsampler.export.internal.LabelChoice;
import java.util.Objects;
import java.util.function.BiFunction;
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
 * <p>Immutable. Thread-safe if the functions for thread names and labels are.
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

    /** Whether samples of pprof have the labels of the format: class, bytes, thread and age. */
    boolean hasFormatLabels() {
        return values.hasLabels && values.labelKey == null && values.keyNames == null;
    }

    /** Which labels of the application are written; for one export. */
    LabelChoice labels() {
        UnaryOperator<String> names = values.keyNames;
        return new LabelChoice(
                values.hasLabels,
                values.labelKey,
                values.labelValues,
                names == null ? UnaryOperator.identity() : names);
    }

    /** Whether some labels of the application are left out or replaced. */
    boolean changesLabels() {
        return !values.hasLabels
                || values.labelKey != null
                || values.labelValues != LabelChoice.AS_IS;
    }

    /** Whether examples of traces are written. */
    boolean hasTraces() {
        return values.hasTraces && values.hasLabels;
    }

    /** Whether a profile has no duration. */
    boolean isMomentary() {
        return values.isMomentary;
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
        private @Nullable String labelKey;
        private BiFunction<String, String, @Nullable String> labelValues = LabelChoice.AS_IS;
        private @Nullable UnaryOperator<String> keyNames;
        private boolean isMomentary;
        private boolean hasTraces = true;
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
         * Sets whether labels are written: those of the application, see {@link
         * io.heapsampler.HeapLabels}, and in a pprof profile class, size, thread and age as well.
         * Pyroscope makes a series of each combination of labels, so that classes and threads
         * become thousands of series. {@link ExportFormat#HSNAP} always has the labels of the
         * application and refuses false. Without labels there are no {@link #traces} either.
         *
         * @param value false to write no labels, so that in a pprof profile the class is the leaf
         *     of each stack; true by default
         * @return this
         */
        public Builder labels(boolean value) {
            hasLabels = value;
            return this;
        }

        /**
         * Writes one label of the application only, such as the endpoint. In a pprof profile it is
         * the only label of a sample, and the class is the leaf of each stack. {@link
         * ExportFormat#HSNAP} always has all labels and refuses it.
         *
         * @param key the key; samples without it have no label; all keys by default
         * @return this
         * @throws IllegalArgumentException if no label can have such a key; see {@link
         *     io.heapsampler.HeapLabels#of}
         */
        public Builder label(String key) {
            Objects.requireNonNull(SampleFilter.noLabel(key)); // checks it
            labelKey = key;
            return this;
        }

        /**
         * Sets the function that replaces or leaves out labels of the application, which may
         * identify users. {@link ExportFormat#HSNAP} cannot replace labels and refuses it.
         *
         * @param value a function of key and value that returns the value to write; null or an
         *     empty text leaves the label out; labels are unchanged by default
         * @return this
         */
        public Builder labels(BiFunction<String, String, @Nullable String> value) {
            labelValues = Objects.requireNonNull(value, "labels");
            return this;
        }

        /**
         * Sets whether {@link ExportFormat#JSON}, the JSON in {@link ExportFormat#HTML}, and pushes
         * to OpenTelemetry contain examples of traces, see {@link
         * io.heapsampler.HeapSite#examples()}. Other formats never do: in pprof a label stands for
         * all bytes of a sample, but an example does not. {@link ExportFormat#HSNAP} always has
         * them and refuses false.
         *
         * @param value false to leave ids of traces and spans out; true by default
         * @return this
         */
        public Builder traces(boolean value) {
            hasTraces = value;
            return this;
        }

        /** Writes a profile of a moment, which has no duration. */
        Builder momentary() {
            isMomentary = true;
            return this;
        }

        /**
         * Writes the labels of the application alone, without those of the format, for a receiver
         * that makes a series of each set.
         *
         * @param names returns the name that the receiver accepts for a key
         */
        Builder seriesLabels(UnaryOperator<String> names) {
            keyNames = names;
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
         * Sets the diagnosis that an HTML report shows above the figures. It is written as it is:
         * where labels are left out or replaced, give {@code Diagnosis.withoutLabels().toJson()}.
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
         * negative, and samples have no thread and no age.
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
