// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export.internal;

import io.heapsampler.HeapSnapshot;
import io.heapsampler.SnapshotFormat;
import io.heapsampler.export.ExportFormat;
import io.heapsampler.export.ExportOptions;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.invoke.MethodHandles;
import java.util.Map;
import java.util.Objects;
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
     * Returns the format of a report with the section of heapsampler-doctor above the views. The
     * section can be folded.
     *
     * @param html the section; it is copied into the page unchanged, so its writer must escape
     *     names. The policy of the report allows no script and no other style in it.
     */
    public abstract SnapshotFormat reportWithDoctor(ExportOptions options, String html);

    /**
     * Writes all allocations, or those since {@link ExportOptions.Builder#allocatedSince}, and
     * everything live at the end, as a request to a receiver of OTLP profiles: protobuf of version
     * 1.11 ({@code v1development}), not compressed.
     *
     * <p>The request has up to four profiles, one for each metric, over one dictionary. The class
     * is the leaf of each stack; samples have no attributes. The request is built in memory.
     *
     * @param resource attributes of the resource, such as {@code service.name}
     */
    public abstract void writeOtlp(
            HeapSnapshot snapshot,
            Map<String, String> resource,
            OutputStream out,
            ExportOptions options)
            throws IOException;
}
