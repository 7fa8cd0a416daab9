// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export;

import java.util.Objects;
import java.util.function.UnaryOperator;

/**
 * What goes into an export.
 *
 * <pre>{@code
 * ExportOptions options =
 *         ExportOptions.builder().metric(HeapMetric.LIVE_BYTES).threadNames(name -> "").build();
 * }</pre>
 *
 * <p>Immutable and safe for use by many threads, if the function for thread names is.
 */
public final class ExportOptions {

    /** As many as {@code SamplerOptions} lets a snapshot have when nothing else is said. */
    private static final int DEFAULT_MAX_SITES = 32_768;

    private static final ExportOptions DEFAULTS = builder().build();

    private final HeapMetric metric;
    private final int maxSites;
    private final boolean hasSamples;
    private final boolean hasLabels;
    private final UnaryOperator<String> threadNames;

    private ExportOptions(Builder builder) {
        this.metric = builder.metric;
        this.maxSites = builder.maxSites;
        this.hasSamples = builder.hasSamples;
        this.hasLabels = builder.hasLabels;
        this.threadNames = builder.threadNames;
    }

    /**
     * Returns the options when nothing is said.
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

    /**
     * Returns the figure that is written, shown first, or by which the largest sites are chosen.
     *
     * @return {@link HeapMetric#ALLOCATED_BYTES} unless said otherwise
     */
    public HeapMetric metric() {
        return metric;
    }

    /**
     * Returns how many sites are written at most. The others are summed up as one site "(other)".
     *
     * @return 1 or more; 32,768 unless said otherwise
     */
    public int maxSites() {
        return maxSites;
    }

    /**
     * Says whether JSON has the single samples, too. JFR always has them, the other formats never.
     *
     * @return false unless said otherwise
     */
    public boolean hasSamples() {
        return hasSamples;
    }

    /**
     * Says whether the samples of a profile for pprof have labels: class, size, thread and age.
     *
     * @return true unless said otherwise
     */
    public boolean hasLabels() {
        return hasLabels;
    }

    /**
     * Returns what is made of the names of threads, which may tell about users. An empty name is
     * left out where the format allows.
     *
     * @return the identity unless said otherwise
     */
    public UnaryOperator<String> threadNames() {
        return threadNames;
    }

    @Override
    public String toString() {
        return "ExportOptions[metric="
                + metric
                + ", maxSites="
                + maxSites
                + ", samples="
                + hasSamples
                + ", labels="
                + hasLabels
                + "]";
    }

    /** Builds {@link ExportOptions}. For one thread. */
    public static final class Builder {

        private HeapMetric metric = HeapMetric.ALLOCATED_BYTES;
        private int maxSites = DEFAULT_MAX_SITES;
        private boolean hasSamples;
        private boolean hasLabels = true;
        private UnaryOperator<String> threadNames = UnaryOperator.identity();

        private Builder() {}

        /**
         * Chooses the figure that is written, shown first, or by which the largest sites are
         * chosen.
         *
         * @param value the figure
         * @return this
         */
        public Builder metric(HeapMetric value) {
            metric = Objects.requireNonNull(value, "metric");
            return this;
        }

        /**
         * Bounds the number of sites.
         *
         * @param value 1 or more
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
         * Says whether JSON has the single samples, too.
         *
         * @param value true to write them
         * @return this
         */
        public Builder samples(boolean value) {
            hasSamples = value;
            return this;
        }

        /**
         * Says whether the samples of a profile for pprof have labels. Pyroscope makes a series of
         * each combination of labels, so that classes and threads would become thousands of them.
         *
         * @param value false to write none; then the class stands as the leaf of each stack
         * @return this
         */
        public Builder labels(boolean value) {
            hasLabels = value;
            return this;
        }

        /**
         * Says what is made of the names of threads.
         *
         * @param value a function that returns the name to write, never null; {@code name -> ""}
         *     leaves them out
         * @return this
         */
        public Builder threadNames(UnaryOperator<String> value) {
            threadNames = Objects.requireNonNull(value, "threadNames");
            return this;
        }

        /**
         * Makes the options.
         *
         * @return the options
         */
        public ExportOptions build() {
            return new ExportOptions(this);
        }
    }
}
