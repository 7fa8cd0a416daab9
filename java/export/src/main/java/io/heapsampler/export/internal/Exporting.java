// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export.internal;

import io.heapsampler.HeapSnapshot;
import io.heapsampler.export.ExportFormat;
import io.heapsampler.export.ExportOptions;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.invoke.MethodHandles;
import java.util.Map;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Exports without a public API. {@link ExportFormat} provides the implementation when it is
 * initialized.
 *
 * <p>Thread-safe.
 */
public abstract class Exporting {

    private static volatile @Nullable Exporting provided;

    /** Only for {@link ExportFormat}. */
    protected Exporting() {}

    /** Called once, by {@link ExportFormat}. */
    public static void provide(Exporting exporting) {
        provided = exporting;
    }

    /** Returns the implementation. */
    public static Exporting get() {
        if (provided == null) {
            try {
                MethodHandles.lookup().ensureInitialized(ExportFormat.class);
            } catch (IllegalAccessException e) {
                throw new IllegalStateException(e);
            }
        }
        return Objects.requireNonNull(provided);
    }

    /**
     * Writes the report page without samples: a diagnosis of heapsampler-doctor alone. The page has
     * the policy of {@link ExportFormat#HTML}. The stream is left open.
     *
     * @param json {@code Diagnosis.toJson()}
     */
    public abstract void writeDiagnosis(String json, OutputStream out) throws IOException;

    /**
     * Writes all allocations, or those since {@link ExportOptions.Builder#allocatedSince}, and
     * everything live at the end, as a request to a receiver of OTLP profiles: protobuf of version
     * 1.11 ({@code v1development}), not compressed.
     *
     * <p>The request has up to four profiles, one for each metric, over one dictionary. The class
     * is the leaf of each stack; samples have the labels of the application as attributes. The
     * request is built in memory.
     *
     * @param resource attributes of the resource, such as {@code service.name}: each a {@link
     *     String}, {@link Boolean}, {@link Long}, {@link Double}, {@code byte[]}, a list of such
     *     values, or a map of texts to such values
     */
    public abstract void writeOtlp(
            HeapSnapshot snapshot, Map<String, ?> resource, OutputStream out, ExportOptions options)
            throws IOException;

    /**
     * Makes a profile one of a moment, as Go's profiles of the heap are: it has no duration. A
     * scraper treats a profile with a duration as a change, and sums several.
     *
     * @return the options
     */
    public abstract ExportOptions.Builder momentary(ExportOptions.Builder options);

    /**
     * Makes an export write the labels of the application alone, without those of the format, for a
     * receiver that makes a series of each set.
     *
     * @param names returns the name that the receiver accepts for a key; of keys with equal names
     *     the first is written
     * @return the options
     */
    public abstract ExportOptions.Builder seriesLabels(
            ExportOptions.Builder options, UnaryOperator<String> names);
}
