// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.push;

import io.heapsampler.export.ExportOptions;
import io.heapsampler.export.internal.Exporting;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Which labels of samples are pushed, and with which values.
 *
 * @param key the only key; null for all
 * @param values returns the value to push; null if values stay as they are
 */
record SampleLabels(
        boolean isWanted,
        @Nullable String key,
        @Nullable BiFunction<String, String, @Nullable String> values) {

    /**
     * Sets the labels of an export, never those of the format such as the class, of which receivers
     * would make thousands of series.
     *
     * @param names returns the name that the receiver accepts for a key
     */
    ExportOptions.Builder applyTo(ExportOptions.Builder export, UnaryOperator<String> names) {
        ExportOptions.Builder chosen = Exporting.get().seriesLabels(export.labels(isWanted), names);
        chosen = key == null ? chosen : chosen.label(key);
        return values == null ? chosen : chosen.labels(values);
    }

    /**
     * Returns the name of a label in Pyroscope, which refuses a whole profile for a name that has
     * other characters than letters, digits and underscores.
     */
    static String pyroscopeName(String key) {
        String name = key.replaceAll("[^a-zA-Z0-9_]", "_");
        boolean isReserved = name.startsWith("__") || Character.isDigit(name.charAt(0));
        return isReserved ? "label_" + name : name;
    }
}
