// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export;

import io.heapsampler.HeapDiff;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.internal.shared.WholeFile;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.Map;

/**
 * Writes snapshots to files, and changes to streams.
 *
 * <pre>{@code
 * Exports.write(snapshot, Path.of("heap.pb.gz"), ExportFormat.PPROF);
 * }</pre>
 */
public final class Exports {

    private Exports() {}

    /** Something that writes to a stream. */
    @FunctionalInterface
    public interface Content {

        /**
         * Writes all of it.
         *
         * @param out where to; it stays open
         * @throws IOException if it cannot be written to
         */
        void to(OutputStream out) throws IOException;
    }

    /**
     * Writes a snapshot to a file, as a whole or not at all.
     *
     * @param snapshot what to write
     * @param file where to; a file that is there is replaced once the new one is whole
     * @param format how
     * @throws IOException if the file cannot be written
     */
    public static void write(HeapSnapshot snapshot, Path file, ExportFormat format)
            throws IOException {
        write(snapshot, file, format, ExportOptions.defaults());
    }

    /**
     * Writes a snapshot to a file, as a whole or not at all.
     *
     * @param snapshot what to write
     * @param file where to; a file that is there is replaced once the new one is whole
     * @param format how
     * @param options what goes in
     * @throws IOException if the file cannot be written
     */
    public static void write(
            HeapSnapshot snapshot, Path file, ExportFormat format, ExportOptions options)
            throws IOException {
        replace(file, out -> format.exporter(options).export(snapshot, out));
    }

    /**
     * Writes a file as a whole or not at all: to a temp file in the same folder, which is flushed
     * to the disk and then renamed.
     *
     * <p>A symbolic link stays, and the file it leads to is replaced. A file that is replaced keeps
     * its permissions; a new one has those that the umask of the process gives. A pipe, a device or
     * any other path that is not a regular file is written to directly.
     *
     * @param file where to; a file that is there is replaced once the new one is whole
     * @param content what to write
     * @throws IOException if it cannot be written; then nothing new stays, and what was there does
     */
    public static void replace(Path file, Content content) throws IOException {
        WholeFile.replace(file, content::to);
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

    /**
     * Writes what was allocated between two snapshots, and all that is live at the end, as a
     * request to a receiver of OTLP profiles (protobuf, not compressed). <b>Experimental</b>: OTLP
     * profiles are not stable. This is version 1.11 of the protocol ({@code v1development}).
     *
     * <p>There are up to four profiles, one for each {@link HeapMetric}, over one dictionary. The
     * class is the leaf of each stack; samples have no attributes. It is made in memory as a whole,
     * which takes about as many bytes as it has.
     *
     * @param diff the change
     * @param resource attributes of the resource, such as {@code service.name}; may be empty
     * @param out where to; it is flushed but stays open
     * @param options what goes in: the metric by which the largest sites are chosen, and their
     *     number
     * @throws IOException if it cannot be written to
     */
    public static void writeOtlpProfiles(
            HeapDiff diff, Map<String, String> resource, OutputStream out, ExportOptions options)
            throws IOException {
        HeapSnapshot later = diff.later();
        new OtlpRequest(later, diff.earlier().takenAt())
                .write(SiteRow.deltaHeap(diff, options), resource, out);
    }

    /**
     * Writes what was allocated since the start, and all that is live, as a request to a receiver
     * of OTLP profiles; see {@link #writeOtlpProfiles(HeapDiff, Map, OutputStream, ExportOptions)}.
     *
     * @param snapshot what to write
     * @param resource attributes of the resource, such as {@code service.name}; may be empty
     * @param out where to; it is flushed but stays open
     * @param options what goes in
     * @throws IOException if it cannot be written to
     */
    public static void writeOtlpProfiles(
            HeapSnapshot snapshot,
            Map<String, String> resource,
            OutputStream out,
            ExportOptions options)
            throws IOException {
        new OtlpRequest(snapshot, snapshot.startedAt())
                .write(SiteRow.of(snapshot, options), resource, out);
    }
}
