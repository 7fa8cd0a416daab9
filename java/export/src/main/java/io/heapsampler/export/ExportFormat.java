// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export;

import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The formats.
 *
 * <pre>{@code
 * ExportFormat format = ExportFormat.ofFileName("heap.pb.gz").orElse(ExportFormat.HSNAP);
 * }</pre>
 */
public enum ExportFormat {
    /** A heap profile for pprof, compressed: {@code go tool pprof}, Pyroscope, Parca and others. */
    PPROF(".pb.gz", "application/octet-stream"),

    /** Collapsed stacks of one {@link HeapMetric}, for flame graphs. */
    COLLAPSED(".collapsed", "text/plain;charset=utf-8"),

    /** JSON with all figures; {@code schema.json} beside this class describes it. */
    JSON(".json", "application/json"),

    /** A report for a browser, see {@link ReportExporter}. */
    HTML(".html", "text/html;charset=utf-8"),

    /**
     * A recording for JDK Mission Control and other readers of JFR. It is built in memory, with 32
     * KiB of garbage for each sample and each living object, which is the library's.
     */
    JFR(".jfr", "application/octet-stream"),

    /** The format of speedscope, with a profile for each {@link HeapMetric}. */
    SPEEDSCOPE(".speedscope.json", "application/json"),

    /** The format of DHAT, version 2, by its documented fields, with lifetimes. */
    DHAT(".dhat.json", "application/json"),

    /** The sites as a table. */
    CSV(".csv", "text/csv;charset=utf-8"),

    /** The snapshot itself, which {@link io.heapsampler.HeapSnapshot#read} reads. */
    HSNAP(".hsnap", "application/octet-stream");

    private final String suffix;
    private final String mediaType;

    ExportFormat(String suffix, String mediaType) {
        this.suffix = suffix;
        this.mediaType = mediaType;
    }

    /**
     * Returns the end of the names of such files.
     *
     * @return such as {@code .pb.gz}
     */
    public String suffix() {
        return suffix;
    }

    /**
     * Returns the media type.
     *
     * @return such as {@code application/json}
     */
    public String mediaType() {
        return mediaType;
    }

    /**
     * Returns an exporter with the default options.
     *
     * @return an exporter
     */
    public Exporter exporter() {
        return exporter(ExportOptions.defaults());
    }

    /**
     * Returns an exporter.
     *
     * @param options what goes into the export
     * @return an exporter
     */
    public Exporter exporter(ExportOptions options) {
        return switch (this) {
            case PPROF -> new PprofExporter(options);
            case COLLAPSED -> new CollapsedExporter(options);
            case JSON -> new JsonExporter(options);
            case HTML -> new ReportExporter(options);
            case JFR -> new JfrExporter(options);
            case SPEEDSCOPE -> new SpeedscopeExporter(options);
            case DHAT -> new DhatExporter(options);
            case CSV -> new CsvExporter(options);
            case HSNAP -> new HsnapExporter();
        };
    }

    /**
     * Finds the format that goes with the name of a file.
     *
     * @param name the name, with or without folders
     * @return the format with the longest {@link #suffix()} that the name ends with; empty if there
     *     is none
     */
    public static Optional<ExportFormat> ofFileName(String name) {
        String lower = name.toLowerCase(Locale.ROOT);
        return Stream.of(values())
                .filter(format -> lower.endsWith(format.suffix))
                .max((a, b) -> Integer.compare(a.suffix.length(), b.suffix.length()));
    }
}
