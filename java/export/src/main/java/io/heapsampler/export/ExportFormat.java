// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export;

import com.google.errorprone.annotations.CheckReturnValue;
import io.heapsampler.ApiStatus;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.SnapshotFormat;
import io.heapsampler.export.internal.Exporting;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * The file formats of other tools.
 *
 * <pre>{@code
 * snapshot.writeTo(Path.of("heap.pb.gz"), ExportFormat.PPROF);
 *
 * ExportOptions options = ExportOptions.builder().metric(HeapMetric.LIVE_BYTES).build();
 * snapshot.writeTo(Path.of("heap.html"), ExportFormat.HTML.with(options));
 * }</pre>
 *
 * <p>Equal snapshots give equal bytes. The output grows with the number of sites, which {@link
 * ExportOptions.Builder#maxSites(int)} bounds, and is not kept in memory as a whole; only {@link
 * #JFR} is.
 *
 * @since 0.1
 */
@ApiStatus(value = ApiStatus.Level.STABLE, since = "0.1")
public enum ExportFormat implements SnapshotFormat {
    /** A heap profile for pprof, compressed: {@code go tool pprof}, Pyroscope, Parca and others. */
    PPROF(".pb.gz", "application/octet-stream"),

    /** Collapsed stacks of one {@link HeapMetric}, for flame graphs. */
    COLLAPSED(".collapsed", "text/plain;charset=utf-8"),

    /** JSON with all figures, described by the resource {@code schema.json} beside this class. */
    JSON(".json", "application/json"),

    /**
     * A report for a browser, in one HTML file: a snapshot, or the changes since an earlier one
     * ({@link ExportOptions.Builder#comparedWith(HeapSnapshot)}), with the findings of the GC
     * doctor if there are any ({@link ExportOptions.Builder#diagnosis(String)}). The file loads
     * nothing, sends nothing and runs only its own script. It contains the snapshots as {@link
     * #JSON}, for download.
     */
    HTML(".html", "text/html;charset=utf-8"),

    /**
     * A recording for JDK Mission Control and other readers of JFR. It is built in memory; the
     * library that writes it allocates 32 KiB for each sample and each live object.
     */
    JFR(".jfr", "application/octet-stream"),

    /** The format of speedscope, with a profile for each {@link HeapMetric}. */
    SPEEDSCOPE(".speedscope.json", "application/json"),

    /** The format of DHAT, version 2, with its documented fields and lifetimes. */
    DHAT(".dhat.json", "application/json"),

    /** The sites as a table. */
    CSV(".csv", "text/csv;charset=utf-8"),

    /** The snapshot itself, which {@link HeapSnapshot#read(java.nio.file.Path)} reads. */
    HSNAP(".hsnap", "application/octet-stream");

    static {
        Exporting.provide(new Internal());
    }

    private final String suffix;
    private final String mediaType;

    ExportFormat(String suffix, String mediaType) {
        this.suffix = suffix;
        this.mediaType = mediaType;
    }

    /**
     * Writes snapshots in one format with one set of options. Immutable and thread-safe. The stream
     * is flushed and left open; it needs no buffer of its own.
     */
    interface Exporter {
        void export(HeapSnapshot snapshot, OutputStream out) throws IOException;
    }

    /** A format with options. */
    private record Configured(ExportFormat format, Exporter exporter) implements SnapshotFormat {

        @Override
        public void write(HeapSnapshot snapshot, OutputStream out) throws IOException {
            exporter.export(snapshot, out);
        }

        @Override
        public String suffix() {
            return format.suffix();
        }

        @Override
        public String mediaType() {
            return format.mediaType();
        }

        @Override
        public String toString() {
            return format + " with options";
        }
    }

    /** The exports without a public API. */
    private static final class Internal extends Exporting {

        @Override
        public void writeDiagnosis(String json, OutputStream out) throws IOException {
            ReportExporter.writeDiagnosis(json, out);
        }

        @Override
        public void writeOtlp(
                HeapSnapshot snapshot,
                Map<String, ?> resource,
                OutputStream out,
                ExportOptions options)
                throws IOException {
            new OtlpRequest(snapshot, options).write(resource, out);
        }

        @Override
        public ExportOptions.Builder momentary(ExportOptions.Builder options) {
            return options.momentary();
        }

        @Override
        public ExportOptions.Builder seriesLabels(
                ExportOptions.Builder options, UnaryOperator<String> names) {
            return options.seriesLabels(names);
        }
    }

    @Override
    public String suffix() {
        return suffix;
    }

    @Override
    public String mediaType() {
        return mediaType;
    }

    /** Writes a snapshot with the default options. */
    @Override
    public void write(HeapSnapshot snapshot, OutputStream out) throws IOException {
        exporter(ExportOptions.defaults()).export(snapshot, out);
    }

    /**
     * Returns this format with options. A format ignores options that it has no place for, such as
     * the title of a table. It refuses a comparison that it cannot show, and names of threads and
     * labels that it cannot replace.
     *
     * @param options the options
     * @return the format to give to {@link HeapSnapshot#writeTo(java.nio.file.Path,
     *     SnapshotFormat)}
     * @throws IllegalArgumentException if {@link ExportOptions.Builder#comparedWith(HeapSnapshot)}
     *     is set and this is neither {@link #HTML} nor {@link #PPROF}, or {@link
     *     ExportOptions.Builder#allocatedSince(HeapSnapshot)} and this is not {@link #PPROF}, or
     *     {@link ExportOptions.Builder#threadNames}, {@link ExportOptions.Builder#label}, one of
     *     the methods {@code labels} or {@link ExportOptions.Builder#traces} and this is {@link
     *     #HSNAP}, or {@link ExportOptions.Builder#holders} and this is not {@link #PPROF}
     */
    @CheckReturnValue
    public SnapshotFormat with(ExportOptions options) {
        if (options.comparedWith() != null && this != HTML && this != PPROF) {
            throw new IllegalArgumentException(
                    this + " cannot show a comparison (comparedWith). HTML and PPROF can.");
        }
        if (options.allocatedSince() != null && this != PPROF) {
            throw new IllegalArgumentException(
                    this + " cannot show a part of the allocations (allocatedSince). PPROF can.");
        }
        if (options.threadNames() != ExportOptions.AS_IS && this == HSNAP) {
            throw new IllegalArgumentException(
                    "HSNAP always contains the names of threads, so threadNames cannot replace"
                            + " them. Choose another format.");
        }
        if (options.changesLabels() && this == HSNAP) {
            throw new IllegalArgumentException(
                    "HSNAP always contains all labels, so label and labels cannot choose or replace"
                            + " them. Choose another format.");
        }
        if (!options.hasTraces() && this == HSNAP) {
            throw new IllegalArgumentException(
                    "HSNAP always contains the examples of traces, so traces cannot leave them out."
                            + " Choose another format.");
        }
        if (options.hasHolders() && this != PPROF) {
            throw new IllegalArgumentException(
                    this + " cannot show holders as stacks (holders). PPROF can.");
        }
        return new Configured(this, exporter(options));
    }

    /**
     * Returns the policy that each file of this format contains, for a server that also sends it as
     * the header {@code Content-Security-Policy}. It allows the style sheet and the script of this
     * version, by their hashes, and nothing else. It is the same for all files.
     *
     * @return the value of the header; empty for formats other than {@link #HTML}
     */
    public Optional<String> contentSecurityPolicy() {
        return this == HTML ? Optional.of(ReportPage.get().policy()) : Optional.empty();
    }

    private Exporter exporter(ExportOptions options) {
        return switch (this) {
            case PPROF -> new PprofExporter(options);
            case COLLAPSED -> new CollapsedExporter(options);
            case JSON -> new JsonExporter(options);
            case HTML -> new ReportExporter(options);
            case JFR -> new JfrExporter(options);
            case SPEEDSCOPE -> new SpeedscopeExporter(options);
            case DHAT -> new DhatExporter(options);
            case CSV -> new CsvExporter(options);
            case HSNAP -> HeapSnapshot::writeTo;
        };
    }

    /**
     * Returns the format for the name of a file.
     *
     * @param name the name, with or without folders
     * @return the format with the longest {@link #suffix()} at the end of the name; empty if no
     *     suffix matches
     */
    public static Optional<ExportFormat> ofFileName(String name) {
        String lower = name.toLowerCase(Locale.ROOT);
        return Stream.of(values())
                .filter(format -> lower.endsWith(format.suffix))
                .max((a, b) -> Integer.compare(a.suffix.length(), b.suffix.length()));
    }
}
