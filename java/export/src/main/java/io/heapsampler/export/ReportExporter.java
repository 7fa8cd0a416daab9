// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export;

import com.google.gson.stream.JsonWriter;
import io.heapsampler.HeapSnapshot;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;

/**
 * Writes a report: one HTML file that shows a snapshot, or what has changed between two, in a
 * browser. It loads nothing, sends nothing and runs nothing but its own script.
 *
 * <pre>{@code
 * try (OutputStream out = Files.newOutputStream(Path.of("leak.html"))) {
 *     new ReportExporter(ExportOptions.builder().metric(Metric.LIVE_BYTES).build())
 *             .titled("Shop, after the load test")
 *             .comparedWith(before)
 *             .export(after, out);
 * }
 * }</pre>
 *
 * <p>The figure of {@link ExportOptions#metric()} is shown first. The snapshots as {@link
 * Format#JSON} stand in the file for download.
 *
 * <p>Immutable and safe for use by many threads, as all exporters.
 */
public final class ReportExporter implements Exporter {

    private static final String TITLE = "Heap report";

    private final ExportOptions options;
    private final String title;
    private final @Nullable HeapSnapshot earlier;

    /**
     * Makes an exporter of reports on single snapshots.
     *
     * @param options what goes in; {@link ExportOptions#hasSamples()} concerns the JSON inside
     */
    public ReportExporter(ExportOptions options) {
        this(Objects.requireNonNull(options, "options"), TITLE, null);
    }

    private ReportExporter(ExportOptions options, String title, @Nullable HeapSnapshot earlier) {
        this.options = options;
        this.title = title;
        this.earlier = earlier;
    }

    /**
     * Returns an exporter that gives its reports a title.
     *
     * @param value plain text; "Heap report" unless said otherwise
     * @return a new exporter
     */
    public ReportExporter titled(String value) {
        return new ReportExporter(options, Objects.requireNonNull(value, "title"), earlier);
    }

    /**
     * Returns an exporter of reports on what has changed since an earlier snapshot of the same
     * recording. Take both with {@code SnapshotOptions.afterGc()} and choose {@link
     * Metric#LIVE_BYTES} to look for leaks.
     *
     * @param snapshot the earlier one
     * @return a new exporter
     */
    public ReportExporter comparedWith(HeapSnapshot snapshot) {
        return new ReportExporter(options, title, Objects.requireNonNull(snapshot, "snapshot"));
    }

    /**
     * Returns the policy that reports carry in themselves, for a server that sends it as a header,
     * too. It allows the style sheet and the script of this version, by their hashes, and nothing
     * else. It is the same for all reports.
     *
     * @return the value of a header {@code Content-Security-Policy}
     */
    public static String contentSecurityPolicy() {
        return ReportPage.get().policy();
    }

    @Override
    public void export(HeapSnapshot snapshot, OutputStream out) throws IOException {
        ReportPage page = ReportPage.get();
        page.writeHead(out);
        List<HeapSnapshot> snapshots = new ArrayList<>();
        if (earlier != null) {
            snapshots.add(earlier);
        }
        snapshots.add(snapshot);
        JsonWriter json = Json.writer(out);
        new ReportData(options).write(json, title, snapshots);
        json.flush();
        page.writeBehindData(out);
        writeExport("export-later", snapshot, out);
        if (earlier != null) {
            writeExport("export-earlier", earlier, out);
        }
        page.writeBehindExports(out);
        out.flush();
    }

    /** Writes the snapshot as JSON, gzip and base64, none of which a browser looks into. */
    private void writeExport(String id, HeapSnapshot snapshot, OutputStream out)
            throws IOException {
        out.write(ascii("<script type=\"application/gzip\" id=\"" + id + "\">"));
        try (GZIPOutputStream gzip =
                new GZIPOutputStream(Base64.getEncoder().wrap(new LeftOpen(out)))) {
            new JsonExporter(options).export(snapshot, gzip);
        }
        out.write(ascii("</script>\n"));
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /** Closing writes the rest of gzip and base64, but leaves what is below open. */
    private static final class LeftOpen extends FilterOutputStream {

        LeftOpen(OutputStream out) {
            super(out);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            out.write(bytes, offset, length);
        }

        @Override
        public void close() throws IOException {
            flush();
        }
    }
}
