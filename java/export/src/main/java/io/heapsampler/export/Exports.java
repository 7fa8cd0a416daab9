// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export;

import io.heapsampler.HeapDiff;
import io.heapsampler.HeapSnapshot;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Writes snapshots to files.
 *
 * <pre>{@code
 * Exports.write(snapshot, Path.of("heap.pb.gz"), Format.PPROF);
 * }</pre>
 */
public final class Exports {

    private Exports() {}

    /**
     * Writes a snapshot to a file.
     *
     * @param snapshot what to write
     * @param file where to; a file that is there is replaced
     * @param format how
     * @throws IOException if the file cannot be written
     */
    public static void write(HeapSnapshot snapshot, Path file, Format format) throws IOException {
        write(snapshot, file, format, ExportOptions.defaults());
    }

    /**
     * Writes a snapshot to a file.
     *
     * @param snapshot what to write
     * @param file where to; a file that is there is replaced
     * @param format how
     * @param options what goes in
     * @throws IOException if the file cannot be written
     */
    public static void write(HeapSnapshot snapshot, Path file, Format format, ExportOptions options)
            throws IOException {
        try (OutputStream out = Files.newOutputStream(file)) {
            format.exporter(options).export(snapshot, out);
        }
    }

    /**
     * Writes what has changed between two snapshots as a profile for pprof. Figures may be
     * negative, and there are no labels but {@code class} and {@code bytes}.
     *
     * @param diff the change
     * @param out where to; it is flushed but stays open
     * @param options what goes in
     * @throws IOException if it cannot be written to
     */
    public static void writePprof(HeapDiff diff, OutputStream out, ExportOptions options)
            throws IOException {
        new PprofExporter(options).export(diff, out);
    }

    /**
     * Writes what was allocated between two snapshots, and all that is live at the end, as a
     * profile for pprof: what {@code delta_heap} of Grafana's godeltaprof serves.
     *
     * @param diff the change
     * @param out where to; it is flushed but stays open
     * @param options what goes in
     * @throws IOException if it cannot be written to
     */
    public static void writeDeltaHeap(HeapDiff diff, OutputStream out, ExportOptions options)
            throws IOException {
        new PprofExporter(options).exportDeltaHeap(diff, out);
    }
}
